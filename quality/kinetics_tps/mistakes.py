"""Honest predictions of Kinetics-TPS and mistakes; see `quality.mistakes`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quality.kinetics_tps.demo import STATES
from quality.mistakes import (
    CANVAS,
    Boxes,
    Change,
    Files,
    Generator,
    Mistake,
    bias,
    moved,
    of_boxes,
    sizes,
)

Json = dict[str, Any]


def honest(reference: Path, rng: Generator, noise: float) -> Any:
    """Return a prediction: right at ``noise`` 0, hardly anything right at 1."""
    classes, videos = (
        json.loads((reference / f"gt_{name}_result.json").read_text()) for name in ("vid", "part")
    )
    shift, missed, names = bias(rng, noise), 0.5 * noise * rng.random(), sorted(set(classes.values()))
    predicted: dict[str, Any] = {}
    for video, frames in videos.items():
        for frame, content in frames.items():
            humans = []
            for human in content["humans"]:
                if rng.random() < missed:
                    continue
                parts = {}
                for name, part in human["parts"].items():
                    states = [part["verb"] if rng.random() > noise else str(rng.choice(STATES))]
                    parts[name] = {"box": [moved(part["box"], rng, noise, shift)], "verb": states}
                humans.append({"box": moved(human["box"], rng, noise, shift), "parts": parts})
            if rng.random() >= missed:
                predicted.setdefault(video, {})[frame] = {"humans": humans}
    chosen = {
        video: name if rng.random() > noise else str(rng.choice(names)) for video, name in classes.items()
    }
    return {"pred_vid_result.json": chosen, "pred_part_result.json": predicted}


def files(prediction: Any) -> Files:
    """Return the files of a submission that holds this prediction."""
    return {name: json.dumps(content).encode() for name, content in prediction.items()}


def _each_human(change: Callable[[Json], None]) -> Change:
    def made(prediction: Any) -> Any:
        for frames in prediction["pred_part_result.json"].values():
            for frame in frames.values():
                for human in frame["humans"]:
                    change(human)
        return prediction

    return made


def _each_box(boxes: Boxes) -> Change:
    def change(human: Json) -> None:
        for entry in (human, *human["parts"].values()):
            entry["box"] = boxes(np.array(entry["box"], dtype=np.float64)).tolist()

    return _each_human(change)


def _kinetics_sizes(prediction: Any) -> Any:
    """Write sizes, and keep what a validator accepts: width >= x and height >= y."""
    _each_box(sizes)(prediction)

    def good(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frames in prediction["pred_part_result.json"].values():
        for frame in frames.values():
            frame["humans"] = [human for human in frame["humans"] if good(human["box"])]
            for human in frame["humans"]:
                human["parts"] = {
                    name: part for name, part in human["parts"].items() if all(map(good, part["box"]))
                }
    return prediction


def _classes(change: Callable[[str], str]) -> Change:
    def made(prediction: Any) -> Any:
        classes = prediction["pred_vid_result.json"]
        prediction["pred_vid_result.json"] = {video: change(name) for video, name in classes.items()}
        return prediction

    return made


def _class_numbers(prediction: Any) -> Any:
    names = sorted(set(prediction["pred_vid_result.json"].values()))
    return _classes(lambda name: str(names.index(name)))(prediction)


def _states(renamed: Callable[[str], str]) -> Change:
    def change(human: Json) -> None:
        for part in human["parts"].values():
            part["verb"] = list(map(renamed, part["verb"]))

    return _each_human(change)


def _parts(renamed: Callable[[str], str]) -> Change:
    return _each_human(
        lambda human: human.update(parts={renamed(name): part for name, part in human["parts"].items()})
    )


def _frames(number: Callable[[int], int], name: str = "img_{:05d}.json") -> Change:
    def made(prediction: Any) -> Any:
        parts = prediction["pred_part_result.json"]
        for video, frames in parts.items():
            parts[video] = {
                name.format(number(int(known[4:9]))): content for known, content in frames.items()
            }
        return prediction

    return made


MISTAKES: Sequence[Mistake] = [
    *of_boxes(_each_box),
    ("[x, y, width, height]", "N-LOOKS-XYWH", _kinetics_sizes),
    ("all boxes the same", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, 7))),
    ("all boxes -1", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, -1))),
    ("224 x 224", "N-LOOKS-SCALED", _each_box(lambda boxes: boxes / CANVAS * 224)),
    ("classes as words", "N-LOOKS-SPELLED", _classes(lambda name: name.replace("_", " ").title())),
    ("classes in capitals", "N-LOOKS-SPELLED", _classes(str.upper)),
    ("classes as numbers", "N-LOOKS-SPELLED", _class_numbers),
    ("states in capitals", "N-LOOKS-SPELLED", _states(str.title)),
    ("states as numbers", "N-LOOKS-SPELLED", _states(lambda name: str(STATES.index(name)))),
    ("parts with spaces", "N-LOOKS-SPELLED", _parts(lambda name: name.replace("_", " "))),
    ("parts in capitals", "N-LOOKS-SPELLED", _parts(str.title)),
    ("frames from 0", "N-LOOKS-SHIFTED", _frames(lambda number: number - 1)),
    ("frames counted 1, 2, 3", "N-LOOKS-SHIFTED", _frames(lambda number: (number - 1) // 5 + 1)),
    ("frames named as images", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}.jpg")),
    ("frames without ending", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}")),
    ("frames in 2 digits", "N-LOOKS-SPELLED", _frames(int, "img_{:02d}.json")),
    ("frames 3, 8, 13", "N-NAMES-UNKNOWN", _frames(lambda number: number + 2)),
]
