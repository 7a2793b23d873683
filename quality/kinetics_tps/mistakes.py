"""Correct predictions for Kinetics-TPS, and mistakes in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from quality.boxes import CANVAS, Boxes, bias, mistakes_in_boxes, moved, sizes
from quality.kinetics_tps.synthetic import (
    CLASSES,
    PARTS,
    STATES,
    Json,
    frames_of,
    humans_of,
    parts_of,
    read_reference,
)
from quality.task import Mistake

Change = Callable[[Json], Json]


def correct_prediction(reference: Path, rng: np.random.Generator, noise: float) -> Json:
    """Return a prediction, the content of each file: right at ``noise`` 0, hardly anything right at 1."""
    classes, videos = read_reference(reference)
    shift, missed, names = bias(rng, noise), 0.5 * noise * rng.random(), sorted(set(classes.values()))
    predicted: Json = {}
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
    return {CLASSES: chosen, PARTS: predicted}


def _each_human(change: Callable[[Json], None]) -> Change:
    def change_all(prediction: Json) -> Json:
        for human in humans_of(prediction[PARTS]):
            change(human)
        return prediction

    return change_all


def _each_box(boxes: Boxes) -> Change:
    def change(human: Json) -> None:
        for entry in (human, *human["parts"].values()):
            entry["box"] = boxes(np.array(entry["box"], dtype=np.float64)).tolist()

    return _each_human(change)


def _sizes(prediction: Json) -> Json:
    """Write sizes, and keep what a validator accepts: width >= x and height >= y."""
    _each_box(sizes)(prediction)

    def good(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frame in frames_of(prediction[PARTS]):
        frame["humans"] = [human for human in frame["humans"] if good(human["box"])]
    for human in humans_of(prediction[PARTS]):
        human["parts"] = {name: part for name, part in human["parts"].items() if all(map(good, part["box"]))}
    return prediction


def _classes(change: Callable[[str], str]) -> Change:
    return lambda prediction: {
        **prediction,
        CLASSES: {video: change(name) for video, name in prediction[CLASSES].items()},
    }


def _class_numbers(prediction: Json) -> Json:
    names = sorted(set(prediction[CLASSES].values()))
    return _classes(lambda name: str(names.index(name)))(prediction)


def _states(renamed: Callable[[str], str]) -> Change:
    def change_all(prediction: Json) -> Json:
        for part in parts_of(prediction[PARTS]):
            part["verb"] = list(map(renamed, part["verb"]))
        return prediction

    return change_all


def _parts(renamed: Callable[[str], str]) -> Change:
    return _each_human(
        lambda human: human.update(parts={renamed(name): part for name, part in human["parts"].items()})
    )


def _frames(number: Callable[[int], int], name: str = "img_{:05d}.json") -> Change:
    def renamed(frames: Json) -> Json:
        return {name.format(number(int(known[4:9]))): content for known, content in frames.items()}

    return lambda prediction: {
        **prediction,
        PARTS: {video: renamed(frames) for video, frames in prediction[PARTS].items()},
    }


MISTAKES: list[Mistake[Json]] = [
    *mistakes_in_boxes(_each_box),
    Mistake("[x, y, width, height]", "N-LOOKS-XYWH", _sizes, large=True),
    Mistake("all boxes the same", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, 7))),
    Mistake("all boxes -1", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, -1))),
    Mistake("224 x 224", "N-LOOKS-SCALED", _each_box(lambda boxes: boxes / CANVAS * 224)),
    Mistake("classes as words", "N-LOOKS-SPELLED", _classes(lambda name: name.replace("_", " ").title())),
    Mistake("classes in capitals", "N-LOOKS-SPELLED", _classes(str.upper)),
    Mistake("classes as numbers", "N-LOOKS-SPELLED", _class_numbers),
    Mistake("states in capitals", "N-LOOKS-SPELLED", _states(str.title)),
    Mistake("states as numbers", "N-LOOKS-SPELLED", _states(lambda name: str(STATES.index(name)))),
    Mistake("parts with spaces", "N-LOOKS-SPELLED", _parts(lambda name: name.replace("_", " "))),
    Mistake("parts in capitals", "N-LOOKS-SPELLED", _parts(str.title)),
    Mistake("frames from 0", "N-LOOKS-SHIFTED", _frames(lambda number: number - 1), only_right=True),
    Mistake("frames counted 1, 2, 3", "N-LOOKS-SHIFTED", _frames(lambda number: (number - 1) // 5 + 1)),
    Mistake("frames named as images", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}.jpg")),
    Mistake("frames without ending", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}")),
    Mistake("frames in 2 digits", "N-LOOKS-SPELLED", _frames(int, "img_{:02d}.json")),
    Mistake("frames 3, 8, 13", "N-NAMES-UNKNOWN", _frames(lambda number: number + 2)),
]
