"""Changes of the good sample of a task, in the folder that it was copied to: names of items, frames and words."""

from __future__ import annotations

import json
import re


def edit_json(pattern, change):
    """Return a change of the JSON files that fit a pattern."""

    def change_files(folder):
        for path in folder.glob(pattern):
            document = json.loads(path.read_text(encoding="utf-8"))
            path.write_text(json.dumps(change(document)), encoding="utf-8")

    return change_files


def rename_files(change):
    def rename(folder):
        contents = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
        for name in contents:
            (folder / name).unlink()
        for name, content in contents.items():
            (folder / change(name)).write_bytes(content)

    return rename


def shift_number(name, by, digits=4):
    return re.sub("[0-9]+", lambda match: f"{int(match[0]) + by:0{digits}d}", name, count=1)


def multiply_frames(numerator, denominator):
    def multiply(folder):
        for path in folder.glob("*.csv"):
            rows = [line.split(",") for line in path.read_text().split()]
            for row in rows:
                row[-2:] = [str(max(1, int(frame) * numerator // denominator)) for frame in row[-2:]]
            path.write_text("".join(",".join(row) + "\n" for row in rows))

    return multiply


def rename_frames(change):
    def rename(videos):
        return {
            video: {change(frame): entry for frame, entry in frames.items()}
            for video, frames in videos.items()
        }

    return edit_json("pred_part_result.json", rename)


def rename_videos(change):
    def rename(document):
        videos = document.get("results", document)
        renamed = {change(video): entry for video, entry in videos.items()}
        return {**document, "results": renamed} if "results" in document else renamed

    return edit_json("*.json", rename)


def rename_segments(change):
    def rename(document):
        results = {
            video: {change(segment): objects for segment, objects in segments.items()}
            for video, segments in document["results"].items()
        }
        return {**document, "results": results}

    return edit_json("*.json", rename)


def shift_images(by):
    return edit_json(
        "*.json", lambda detections: [{**entry, "image_id": entry["image_id"] + by} for entry in detections]
    )


def change_indexes(change):
    """Return a change of the word indexes of each segment, by their values and their places."""

    def change_document(document):
        for segments in document["results"].values():
            for objects in segments.values():
                words = enumerate(objects["idx_in_sent"])
                objects["idx_in_sent"] = [change(index, word) for word, index in words]
        return document

    return edit_json("*.json", change_document)


def rename_generated(change):
    def rename(document):
        for segments in document["results"].values():
            for objects in segments.values():
                objects["clss"] = [change(name) for name in objects["clss"]]
        return document

    return edit_json("*.json", rename)
