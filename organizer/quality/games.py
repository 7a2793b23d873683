"""Score games: tricks that a participant might try, and the score that each gets against the demo reference."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from organizer import ROOT
from organizer.data.prepare import reference_files
from organizer.data.synthetic import samples_folder
from organizer.files import folder_files, write_files, zip_bytes
from scoring_program import scoring
from validator.formats.densepose import encode_detection

Files = dict[str, bytes]
Game = tuple[str, Callable[[str], Files]]

# The one trick that a published metric rewards.
REWARDED = {("anet_entities_gen", "only the segments that it is sure of")}
HONEST = "honest baseline"


def honest(name: str) -> Files:
    """Return the good sample of a task."""
    return folder_files(samples_folder(name) / "good")


def reference(name: str) -> Files:
    """Return the demo reference of a task, in the organizers' own formats."""
    return folder_files(ROOT / "reference_data" / name)


def _documents(name: str) -> dict[str, Any]:
    return {place: json.loads(data) for place, data in honest(name).items()}


def _dump(documents: dict[str, Any]) -> Files:
    return {place: json.dumps(document).encode() for place, document in documents.items()}


def _n_frames(name: str) -> Iterator[tuple[str, int]]:
    for place, data in reference(name).items():
        if place.endswith("_data.csv"):
            yield place[: -len("_data.csv")], int(data.split(b",")[0])


def _everything(name: str) -> Files:
    head, n = ("1,", 11) if name == "chalearn_action" else ("", 20)
    rows = {
        key: "".join(f"{head}{label},1,{frames}\n" for label in range(1, n + 1)) for key, frames in _n_frames(name)
    }
    return {f"{key}_prediction.csv": text.encode() for key, text in rows.items()}


def _most_frequent_row(name: str) -> Files:
    labels: Counter[str] = Counter()
    for place, data in reference(name).items():
        if place.endswith("_labels.csv"):
            labels.update(line.split(",")[-3] for line in data.decode().split())
    head = "1," if name == "chalearn_action" else ""
    label = labels.most_common(1)[0][0]
    return {f"{key}_prediction.csv": f"{head}{label},1,{frames}\n".encode() for key, frames in _n_frames(name)}


def _empty_files(name: str) -> Files:
    return dict.fromkeys(honest(name), b"")


def _twice(name: str) -> Files:
    return {place: data * 2 for place, data in honest(name).items()}


def _humans(documents: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for frames in documents["pred_part_result.json"].values():
        for frame in frames.values():
            yield from frame["humans"]


def _kinetics(change: Callable[[dict[str, Any]], None]) -> Callable[[str], Files]:
    def build(name: str) -> Files:
        documents = _documents(name)
        change(documents)
        return _dump(documents)

    return build


def _giant_humans(documents: dict[str, Any]) -> None:
    for human in _humans(documents):
        human["box"] = [-1e4, -1e4, 1e4, 1e4]


def _giant_parts(documents: dict[str, Any]) -> None:
    for human in _humans(documents):
        for part in human["parts"].values():
            part["box"] = [[-1e4, -1e4, 1e4, 1e4] for _ in part["box"]]


def _five_proposals(documents: dict[str, Any]) -> None:
    for human in _humans(documents):
        for part in human["parts"].values():
            part["box"], part["verb"] = (part["box"] * 5)[:5], (part["verb"] * 5)[:5]


def _ten_humans(documents: dict[str, Any]) -> None:
    for frames in documents["pred_part_result.json"].values():
        for frame in frames.values():
            frame["humans"] = (frame["humans"] * 10)[:10]


def _no_parts(documents: dict[str, Any]) -> None:
    documents["pred_part_result.json"] = {}


def _most_frequent_class(documents: dict[str, Any]) -> None:
    truth = json.loads(reference("kinetics_tps")["gt_vid_result.json"])
    label = Counter(truth.values()).most_common(1)[0][0]
    documents["pred_vid_result.json"] = dict.fromkeys(truth, label)


def _anet(change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Callable[[str], Files]:
    def build(name: str) -> Files:
        documents = _documents(name)
        (content,) = documents.values()
        change(content["results"], json.loads(reference(name)["reference.json"]))
        return _dump(documents)

    return build


def _giant_boxes(results: dict[str, Any], truth: dict[str, Any]) -> None:
    for segments in results.values():
        for objects in segments.values():
            objects["bbox_for_all_frames"] = [[[0, 0, 719, 404]] * 10 for _ in objects["bbox_for_all_frames"]]


def _nothing(results: dict[str, Any], truth: dict[str, Any]) -> None:
    results.clear()


def _objects_twice(results: dict[str, Any], truth: dict[str, Any]) -> None:
    for segments in results.values():
        for objects in segments.values():
            for key in objects:
                objects[key] = objects[key] * 2


def _every_word(results: dict[str, Any], truth: dict[str, Any]) -> None:
    for video, content in truth["annotations"].items():
        for segment, annotated in content["segments"].items():
            n = len(annotated["tokens"])
            boxes = [[[0, 0, 719, 404]] * 10] * n
            results.setdefault(video, {})[segment] = {
                "clss": annotated["tokens"], "idx_in_sent": list(range(n)), "bbox_for_all_frames": boxes,
            }  # fmt: skip


def _every_class(results: dict[str, Any], truth: dict[str, Any]) -> None:
    for segments in results.values():
        for objects in segments.values():
            box = objects["bbox_for_all_frames"][0] if objects["bbox_for_all_frames"] else [[0, 0, 719, 404]] * 10
            n = len(truth["vocab"])
            objects.update(clss=truth["vocab"], idx_in_sent=[0] * n, bbox_for_all_frames=[box] * n)


def _only_sure(results: dict[str, Any], truth: dict[str, Any]) -> None:
    """Keep the segments that are all right: what a method with a good sense of its own confidence can come near."""
    for video, segments in list(results.items()):
        for segment, objects in list(segments.items()):
            annotated = truth["annotations"][video]["segments"][segment]
            if [name for (name,) in annotated["process_clss"]] != objects["clss"]:
                del segments[segment]


def _detections() -> list[dict[str, Any]]:
    (found,) = _documents("densepose").values()
    return found


def _as_results(detections: list[dict[str, Any]]) -> Files:
    return {"densepose_game_results.json": json.dumps(detections).encode()}


def _twenty_identical(name: str) -> Files:
    found: list[dict[str, Any]] = []
    per_image: Counter[int] = Counter()
    for detection in _detections():
        room = 20 - per_image[detection["image_id"]]
        found += [detection] * min(20, room)
        per_image[detection["image_id"]] += min(20, room)
    return _as_results(found)


def _torso(image_id: int, box: list[float], score: float) -> dict[str, Any]:
    """Return a detection whose box is filled with the middle of the torso."""
    iuv = np.full((3, int(box[3]), int(box[2])), 128, np.uint8)
    iuv[0] = 2
    return json.loads(encode_detection(image_id, (box[0], box[1], box[2], box[3]), score, iuv))


def _whole_images(name: str) -> Files:
    images = json.loads(reference(name)["annotations.json"])["images"]
    return _as_results([_torso(image["id"], [0, 0, image["width"], image["height"]], 0.5) for image in images])


def _one_point(name: str) -> Files:
    """Return the honest boxes, each filled with the middle of the torso."""
    return _as_results([_torso(found["image_id"], found["bbox"], found["score"]) for found in _detections()])


_CHALEARN: list[Game] = [
    ("all classes on all frames", _everything),
    ("the most frequent class on all frames", _most_frequent_row),
    ("empty files", _empty_files),
    ("every row twice", _twice),
]
GAMES: dict[str, list[Game]] = {
    "chalearn_action": _CHALEARN,
    "chalearn_gesture": _CHALEARN,
    "kinetics_tps": [
        ("giant human boxes", _kinetics(_giant_humans)),
        ("giant part boxes", _kinetics(_giant_parts)),
        ("each proposal listed up to 5 times", _kinetics(_five_proposals)),
        ("each human listed up to 10 times", _kinetics(_ten_humans)),
        ("no parts at all", _kinetics(_no_parts)),
        ("the most frequent class everywhere", _kinetics(_most_frequent_class)),
    ],
    "anet_entities_gt": [
        ("giant boxes", _anet(_giant_boxes)),
        ("every word, with the whole image as box", _anet(_every_word)),
        ("every object twice", _anet(_objects_twice)),
        ("nothing", _anet(_nothing)),
    ],
    "anet_entities_gen": [
        ("only the segments that it is sure of", _anet(_only_sure)),
        ("all classes in each segment", _anet(_every_class)),
        ("giant boxes", _anet(_giant_boxes)),
        ("every object twice", _anet(_objects_twice)),
        ("nothing", _anet(_nothing)),
    ],
    "densepose": [
        ("each detection up to 20 times", _twenty_identical),
        ("one detection of the whole image", _whole_images),
        ("the middle of the torso everywhere", _one_point),
        ("an empty list", lambda name: _as_results([])),
    ],
}


def play(name: str, files: Files) -> dict[str, float]:
    """Return the scores of a submission against the demo reference."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "ref").mkdir()
        write_files(reference_files(name, ROOT / "reference_data" / name), work / "ref")
        (work / "s.zip").write_bytes(zip_bytes(files))
        log = StringIO()
        with redirect_stdout(log), redirect_stderr(log):
            code = scoring.score_folder(name, work / "ref", work / "s.zip", work / "out", {"detail": "none"})
        if code != scoring.SCORED:
            raise ValueError(log.getvalue())
        return json.loads((work / "out" / "scores.json").read_text(encoding="utf-8"))


def print_table() -> int:
    """Print the table of docs/score_games.md."""
    print("| task | submission | score | coverage |")
    print("|---|---|---|---|")
    for name, games in GAMES.items():
        for trick, build in [(HONEST, honest), *games]:
            scores = play(name, build(name))
            print(f"| {name} | {trick} | {scores['score']:.4f} | {scores['coverage']:.4f} |")
    return 0
