"""Honest submissions of all qualities, and mistakes that a validator cannot refuse, made from demo references.

`honest` predicts a reference with noise; the entries of `MISTAKES` change what `honest` returns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.challenges.densepose.demo import predicted
from validator.formats.densepose import encode_detection

Files = dict[str, bytes]
Generator = np.random.Generator
_CANVAS = np.array([640, 480, 640, 480])
_STATES = ["bend", "carry", "hold", "kick", "look", "none", "press", "swing", "touch", "unbend"]


def honest(task: str, reference: Path, rng: Generator, noise: float) -> Any:
    """Return a prediction as plain data: right at ``noise`` 0, hardly anything right at 1."""
    family = {"kinetics_tps": _kinetics, "densepose": _densepose}.get(task)
    if family:
        return family(reference, rng, noise)
    return (_chalearn if task.startswith("chalearn") else _entities)(reference, rng, noise)


def files(task: str, prediction: Any) -> Files:
    """Return the files of a submission that holds this prediction."""
    if task == "kinetics_tps":
        return {name: json.dumps(content).encode() for name, content in prediction.items()}
    if task == "densepose":
        entries = [encode_detection(int(image), tuple(box), score, iuv) for image, box, score, iuv in prediction]
        return {"densepose_a_results.json": f"[{','.join(entries)}]".encode()}
    if task.startswith("chalearn"):
        return {
            f"{key}_prediction.csv": "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
            for key, rows in prediction.items()
        }
    mode = task.rsplit("_", 1)[1].replace("gt", "GT")
    content = {"results": prediction, "eval_mode": mode, "external_data": {"used": False, "details": ""}}
    return {f"submission_{mode.lower()}.json": json.dumps(content).encode()}


def _moved(box: list[float], rng: Generator, noise: float, bias: np.ndarray) -> list[float]:
    """Return a box with noise in its corners and a submission's own bias in place and size, in corners' order."""
    array = np.array(box, dtype=np.float64)
    size = np.tile(array[2:] - array[:2], 2)
    array += size * (rng.normal(0, 0.25 * noise, 4) + bias)
    return np.concatenate([np.minimum(array[:2], array[2:]), np.maximum(array[:2], array[2:])]).round(1).tolist()


def _bias(rng: Generator, noise: float) -> np.ndarray:
    shift, growth = rng.normal(0, 0.1 * noise, 2), rng.normal(0, 0.1 * noise)
    return np.concatenate([shift - growth, shift + growth])


def _kinetics(reference: Path, rng: Generator, noise: float) -> Any:
    classes, truth = (json.loads((reference / f"gt_{name}_result.json").read_text()) for name in ("vid", "part"))
    bias, missed, names = _bias(rng, noise), 0.5 * noise * rng.random(), sorted(set(classes.values()))
    guess: dict[str, Any] = {}
    for video, frames in truth.items():
        for frame, content in frames.items():
            humans = []
            for human in content["humans"]:
                if rng.random() < missed:
                    continue
                parts = {}
                for name, part in human["parts"].items():
                    states = [part["verb"] if rng.random() > noise else str(rng.choice(_STATES))]
                    parts[name] = {"box": [_moved(part["box"], rng, noise, bias)], "verb": states}
                humans.append({"box": _moved(human["box"], rng, noise, bias), "parts": parts})
            if rng.random() >= missed:
                guess.setdefault(video, {})[frame] = {"humans": humans}
    chosen = {video: name if rng.random() > noise else str(rng.choice(names)) for video, name in classes.items()}
    return {"pred_vid_result.json": chosen, "pred_part_result.json": guess}


def _chalearn(reference: Path, rng: Generator, noise: float) -> Any:
    guess = {}
    n_classes = 11 if next(reference.glob("*_labels.csv")).read_text().count(",") % 3 == 0 else 20
    lag, missed = rng.normal(0, 5 * noise), 0.5 * noise * rng.random()
    for path in sorted(reference.glob("*_labels.csv")):
        key = path.name[: -len("_labels.csv")]
        last = int((reference / f"{key}_data.csv").read_text().split(",")[0])
        rows = []
        for line in path.read_text().split():
            *head, label, start, end = map(int, line.split(","))
            if rng.random() < missed:
                continue
            label = label if rng.random() > noise else int(rng.integers(1, n_classes + 1))
            start, end = (round(value + lag + rng.normal(0, 0.4 * noise * (end - start))) for value in (start, end))
            start = min(max(start, 1), last)
            rows.append([*head, label, start, min(max(end, start), last)])
        guess[key] = rows
    return guess


def _entities(reference: Path, rng: Generator, noise: float) -> Any:
    data = json.loads((reference / "reference.json").read_text())
    generated = (reference / "lemmas.json").is_file()
    bias, missed = _bias(rng, noise), 0.5 * noise * rng.random()
    guess: dict[str, Any] = {}
    for video, content in data["annotations"].items():
        for number, segment in content["segments"].items():
            objects: dict[str, list[Any]] = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
            for (label,), (word,), frame, box in zip(
                *(segment[key] for key in ("process_clss", "process_idx", "frame_ind", "process_bnd_box"))
            ):
                if rng.random() < missed:
                    continue
                wrong = generated and rng.random() < noise / 2
                objects["clss"].append(str(rng.choice(data["vocab"])) if wrong else label)
                objects["idx_in_sent"].append(word)
                # On the other frames the thing is about there too, as in a video.
                boxes = [_moved(box, rng, noise + 0.5 * abs(other - frame), bias) for other in range(10)]
                objects["bbox_for_all_frames"].append(boxes)
            guess.setdefault(video, {})[number] = objects
    return guess


def _densepose(reference: Path, rng: Generator, noise: float) -> Any:
    data = json.loads((reference / "annotations.json").read_text())
    missed = 0.5 * noise * rng.random()
    found = []
    for person in data["annotations"]:
        if rng.random() >= missed:
            box, iuv = predicted(person, 40 * noise, 60 * noise, 0.6 * noise, rng)
            found.append([person["image_id"], box, round(float(rng.random()), 4), iuv])
    return found


def _each_box(prediction: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Change all boxes, of which the last axis is the four numbers, of Kinetics-TPS or ActivityNet-Entities."""
    if "pred_part_result.json" not in prediction:
        for objects in _objects(prediction):
            objects["bbox_for_all_frames"] = [
                change(np.array(boxes)).tolist() for boxes in objects["bbox_for_all_frames"]
            ]
        return prediction
    for human in _humans(prediction):
        human["box"] = change(np.array(human["box"], dtype=np.float64)).tolist()
        for part in human["parts"].values():
            part["box"] = change(np.array(part["box"], dtype=np.float64)).tolist()
    return prediction


def _objects(prediction: Any) -> Iterator[dict[str, list[Any]]]:
    for segments in prediction.values():
        yield from segments.values()


def _humans(prediction: Any) -> Iterator[Any]:
    for frames in prediction["pred_part_result.json"].values():
        for frame in frames.values():
            yield from frame["humans"]


def _sizes(boxes: np.ndarray) -> np.ndarray:
    return np.concatenate([boxes[..., :2], boxes[..., 2:] - boxes[..., :2]], axis=-1)


def _kinetics_sizes(prediction: Any) -> Any:
    """Write sizes, and keep what a validator lets through: width >= x and height >= y."""
    _each_box(prediction, _sizes)

    def good(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frames in prediction["pred_part_result.json"].values():
        for frame in frames.values():
            frame["humans"] = [human for human in frame["humans"] if good(human["box"])]
            for human in frame["humans"]:
                human["parts"] = {name: part for name, part in human["parts"].items() if all(map(good, part["box"]))}
    return prediction


def _boxes(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    return lambda prediction: _each_box(prediction, change)


def _words(change: Callable[[str], str], of: str) -> Callable[[Any], Any]:
    """Spell classes, states or parts in another way."""

    def made(prediction: Any) -> Any:
        if "pred_vid_result.json" not in prediction:
            for objects in _objects(prediction):
                objects["clss"] = list(map(change, objects["clss"]))
        elif of == "classes":
            classes = prediction["pred_vid_result.json"]
            prediction["pred_vid_result.json"] = {video: change(name) for video, name in classes.items()}
        for human in _humans(prediction) if of in ("states", "parts") else ():
            if of == "parts":
                human["parts"] = {change(name): part for name, part in human["parts"].items()}
            for part in human["parts"].values() if of == "states" else ():
                part["verb"] = list(map(change, part["verb"]))
        return prediction

    return made


def _frames(number: Callable[[int], int]) -> Callable[[Any], Any]:
    def made(prediction: Any) -> Any:
        parts = prediction["pred_part_result.json"]
        for video, frames in parts.items():
            parts[video] = {f"img_{number(int(name[4:9])):05d}.json": content for name, content in frames.items()}
        return prediction

    return made


def _rows(change: Callable[[list[int]], list[int] | None]) -> Callable[[Any], Any]:
    return lambda prediction: {
        key: [changed for row in rows if (changed := change(row)) is not None] for key, rows in prediction.items()
    }


def _earlier(row: list[int]) -> list[int] | None:
    return [*row[:-2], row[-2] - 1, row[-1] - 1] if row[-2] > 1 else None


def _seconds(row: list[int]) -> list[int] | None:
    start, end = round(row[-2] / 20), round(row[-1] / 20)
    return [*row[:-2], start, end] if start else None


def _length(row: list[int]) -> list[int] | None:
    length = row[-1] - row[-2] + 1
    return [*row[:-2], row[-2], length] if length >= row[-2] else None


def _label(change: Callable[[int], int]) -> Callable[[Any], Any]:
    return _rows(lambda row: [*row[:-3], change(row[-3]), *row[-2:]])


def _next_class(row: list[int]) -> list[int] | None:
    return [*row[:-3], row[-3] - 1, *row[-2:]] if row[-3] > 1 else None


def _index_from_one(prediction: Any) -> Any:
    for objects in _objects(prediction):
        objects["idx_in_sent"] = [index + 1 for index in objects["idx_in_sent"]]
    return prediction


Pixels = Callable[[list[float], np.ndarray], tuple[list[float], np.ndarray]]


def _detections(change: Pixels) -> Callable[[Any], Any]:
    """Change box and pixels of all detections."""

    def made(prediction: Any) -> Any:
        for detection in prediction:
            detection[1], detection[3] = change(list(detection[1]), detection[3])
        return prediction

    return made


def _equal_scores(prediction: Any) -> Any:
    for detection in prediction:
        detection[2] = 1.0
    return prediction


def _corners_with_padding(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    box = [abs(value) for value in box]
    corners = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
    padded = np.zeros((3, int(corners[3]), int(corners[2])), np.uint8)
    padded[:, : iuv.shape[1], : iuv.shape[2]] = iuv[:, : padded.shape[1], : padded.shape[2]]
    return corners, padded


def _parts_from_zero(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    part = iuv[0].astype(np.int64)
    return box, np.concatenate([np.maximum(part - 1, 0)[None].astype(np.uint8), iuv[1:]])


def _unit_bytes(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    return box, np.concatenate([iuv[:1], np.rint(iuv[1:] / 255).astype(np.uint8)])


Mistake = tuple[str, str, Callable[[Any], Any]]
_COMMON: list[Mistake] = [
    ("boxes in 0..1", "N-LOOKS-NORMALIZED", _boxes(lambda boxes: (boxes / _CANVAS).clip(0, 1))),
    ("x and y swapped", "N-LOOKS-SWAPPED", _boxes(lambda boxes: boxes[..., [1, 0, 3, 2]])),
    ("half size", "N-LOOKS-SCALED", _boxes(lambda boxes: boxes / 2)),
]
_ENTITIES: list[Mistake] = [
    *_COMMON,
    ("[x, y, width, height]", "N-LOOKS-XYWH", _boxes(_sizes)),
    ("boxes one frame late", "N-LOOKS-SHIFTED", _boxes(lambda boxes: np.concatenate([boxes[:1], boxes[:-1]]))),
    ("boxes one frame early", "N-LOOKS-SHIFTED", _boxes(lambda boxes: np.concatenate([boxes[1:], boxes[-1:]]))),
    ("nothing at all", "N-EMPTY", lambda prediction: {}),
]
_CHALEARN: list[Mistake] = [
    ("frames from 0", "N-LOOKS-SHIFTED", _rows(_earlier)),
    ("classes off by one", "N-LOOKS-SHIFTED", _rows(_next_class)),
    ("seconds instead of frames", "N-LOOKS-SCALED", _rows(_seconds)),
    ("start, length", "N-LOOKS-LENGTH", _rows(_length)),
    ("one class everywhere", "N-LOOKS-CONSTANT", _label(lambda label: 3)),
    ("all files empty", "N-EMPTY", _rows(lambda row: None)),
]
MISTAKES: dict[str, list[Mistake]] = {
    "kinetics_tps": [
        *_COMMON,
        ("[x, y, width, height]", "N-LOOKS-XYWH", _kinetics_sizes),
        ("all boxes the same", "N-LOOKS-CONSTANT", _boxes(lambda boxes: np.full_like(boxes, 7))),
        ("all boxes -1", "N-LOOKS-CONSTANT", _boxes(lambda boxes: np.full_like(boxes, -1))),
        ("224 x 224", "N-LOOKS-SCALED", _boxes(lambda boxes: boxes / _CANVAS * 224)),
        ("classes as words", "N-LOOKS-SPELLED", _words(lambda name: name.replace("_", " ").title(), "classes")),
        ("classes in capitals", "N-LOOKS-SPELLED", _words(str.upper, "classes")),
        ("classes as numbers", "N-LOOKS-SPELLED", _words(lambda name: str(len(name)), "classes")),
        ("states in capitals", "N-LOOKS-SPELLED", _words(str.title, "states")),
        ("states as numbers", "N-LOOKS-SPELLED", _words(lambda name: str(_STATES.index(name)), "states")),
        ("parts with spaces", "N-LOOKS-SPELLED", _words(lambda name: name.replace("_", " "), "parts")),
        ("parts in capitals", "N-LOOKS-SPELLED", _words(str.title, "parts")),
        ("frames from 0", "N-LOOKS-SHIFTED", _frames(lambda number: number - 1)),
        ("frames counted 1, 2, 3", "N-LOOKS-SHIFTED", _frames(lambda number: (number - 1) // 5 + 1)),
        ("frames 3, 8, 13", "N-NAMES-UNKNOWN", _frames(lambda number: number + 2)),
    ],
    "anet_entities_gt": [*_ENTITIES, ("idx_in_sent from 1", "N-LOOKS-SHIFTED", _index_from_one)],
    "anet_entities_gen": [
        *_ENTITIES,
        ("classes in capitals", "N-LOOKS-SPELLED", _words(str.title, "objects")),
        ("classes in the plural", "N-LOOKS-SPELLED", _words(lambda name: name + "s", "objects")),
        ("classes misspelt", "N-LOOKS-SPELLED", _words(lambda name: name[0] + name, "objects")),
    ],
    "chalearn_action": _CHALEARN,
    "chalearn_gesture": _CHALEARN,
    "densepose": [
        ("U, V in 0..1 as bytes", "N-LOOKS-NORMALIZED", _detections(_unit_bytes)),
        ("channels I, V, U", "N-LOOKS-SWAPPED", _detections(lambda box, iuv: (box, iuv[[0, 2, 1]]))),
        ("parts 0..23", "N-LOOKS-SHIFTED", _detections(_parts_from_zero)),
        ("x and y swapped", "N-LOOKS-SWAPPED", _detections(lambda box, iuv: ([box[1], box[0], *box[2:]], iuv))),
        (
            "corner in 0..1", "N-LOOKS-NORMALIZED",
            _detections(lambda box, iuv: ([abs(box[0]) / 700, abs(box[1]) / 500, *box[2:]], iuv)),
        ),
        ("[x1, y1, x2, y2]", "N-LOOKS-XYXY", _detections(_corners_with_padding)),
        ("all scores equal", "N-LOOKS-CONSTANT", _equal_scores),
        ("nothing at all", "N-EMPTY", lambda prediction: []),
    ],
}  # fmt: skip
