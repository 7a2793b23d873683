"""Names, ids and frames of submissions that the data does not have: zip in, note or error out."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from scoring_program.run import INVALID, SCORED
from tests.helpers import REFERENCES, SAMPLES, run_folder

ACTION, KINETICS, DENSEPOSE = "chalearn_action", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"


@pytest.fixture
def scored(tmp_path, capsys):
    """Return a function that changes the good sample of a task and returns the exit code and all messages."""

    def score(task, change, **settings):
        submission, output = tmp_path / "submission", tmp_path / "output"
        shutil.copytree(SAMPLES / task / "good", submission)
        change(submission)
        outcome = run_folder(task, REFERENCES / task, submission, output, **settings)
        capsys.readouterr()
        detail = json.loads((output / "detailed_results.json").read_text(encoding="utf-8"))
        return outcome.exit_code, detail["problems"], detail["notes"]

    return score


def edit(pattern, change):
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

    return edit("pred_part_result.json", rename)


def rename_videos(change):
    def rename(document):
        videos = document.get("results", document)
        renamed = {change(video): entry for video, entry in videos.items()}
        return {**document, "results": renamed} if "results" in document else renamed

    return edit("*.json", rename)


def rename_segments(change):
    def rename(document):
        results = {
            video: {change(segment): objects for segment, objects in segments.items()}
            for video, segments in document["results"].items()
        }
        return {**document, "results": results}

    return edit("*.json", rename)


def shift_images(by):
    return edit(
        "*.json", lambda detections: [{**entry, "image_id": entry["image_id"] + by} for entry in detections]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (multiply_frames(25, 20), "counted at 25 frames a second; the videos have 20"),
        (multiply_frames(24, 20), "counted at 24 frames a second; the videos have 20"),
        (multiply_frames(30, 20), "counted at 30 frames a second; the videos have 20"),
        (multiply_frames(50, 1), "milliseconds; the videos have 20 frames a second"),
        (rename_files(lambda name: shift_number(name, 1)), "ids look one too high"),
        (rename_files(lambda name: shift_number(name, -1)), "ids look one too low"),
    ],
)
def test_frames_after_the_end_have_a_remedy_that_destroys_nothing(change, words, scored):
    exit_code, problems, _ = scored(ACTION, change)
    assert exit_code == INVALID
    assert {problem["code"] for problem in problems} == {"E-CSV-FRAME"}
    for problem in problems:
        assert words in problem["hint"]
        assert "drop" not in problem["hint"]


@pytest.mark.parametrize(
    ("task", "change", "words"),
    [
        (ACTION, rename_files(lambda name: shift_number(name, 0, 1)), "as many digits"),
        (KINETICS, rename_videos(str.upper), "in lower case, 36 of 36 are known"),
        (KINETICS, rename_videos("{}.mp4".format), "without their ending, 36 of 36 are known"),
        (KINETICS, rename_videos("test/{}_000001_000010".format), "36 of 36 are known"),
        (GIVEN, rename_videos(lambda video: video[2:]), "with v_ in front of them, 16 of 16 are known"),
        (GENERATED, rename_videos(lambda video: video[2:]), "with v_ in front of them, 16 of 16 are known"),
        (DENSEPOSE, shift_images(100), "n - 100 for n"),
    ],
)  # fmt: skip
def test_a_submission_of_which_no_item_is_known_is_told_the_spelling(task, change, words, scored):
    exit_code, (problem,), _ = scored(task, change)
    assert (exit_code, problem["code"]) == (INVALID, "E-ITEMS-NONE")
    assert words in problem["hint"]


@pytest.mark.parametrize(
    ("task", "change", "code", "words"),
    [
        (DENSEPOSE, shift_images(1), "N-ITEMS-UNKNOWN", "n - 1 for n (numbers look one too high), 12 of 12"),
        (DENSEPOSE, shift_images(-1), "N-ITEMS-UNKNOWN", "n + 1 for n (numbers look one too low), 12 of 12"),
        (KINETICS, rename_videos(lambda video: shift_number(video, 1, 5)), "N-ITEMS-UNKNOWN", "one too high"),
        (KINETICS, rename_frames(lambda name: shift_number(name, 1, 5)), "N-FRAMES-UNKNOWN", "n - 1 for n"),
        (KINETICS, rename_frames(lambda name: shift_number(name, -1, 5)), "N-FRAMES-UNKNOWN", "n + 1 for n"),
        (KINETICS, rename_frames(lambda name: f"{name[:-5]}.jpg"), "N-FRAMES-UNKNOWN", "ending"),
        (GENERATED, rename_segments("0{}".format), "N-SEGMENTS-OUTSIDE", "without zeros in front of numbers"),
        (GIVEN, rename_segments(lambda segment: str(int(segment) - 1)), "N-SEGMENTS-OUTSIDE", "n + 1 for n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("detail", ["full", "summary", "none"])
def test_names_that_are_off_are_explained_at_every_level(task, change, code, words, detail, scored):
    exit_code, _, notes = scored(task, change, detail=detail)
    assert exit_code == SCORED
    text_of_code = {note["code"]: note["text"] for note in notes}
    assert words in text_of_code[code]
    assert "N-ZERO" not in text_of_code
