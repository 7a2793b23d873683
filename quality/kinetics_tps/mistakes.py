"""Mistakes in predictions for Kinetics-TPS."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quality.boxes import CANVAS, Boxes, mistakes_in_boxes, sizes
from quality.kinetics_tps.synthetic import CLASSES, PARTS, STATES, Json, each, frames_of, humans_of, parts_of
from quality.task import Mistake

Change = Callable[[Json], Json]


def _in(file: str, change: Change) -> Change:
    """Return a change of the content of one file."""
    return lambda prediction: {**prediction, file: change(prediction[file])}


def _each_box(boxes: Boxes) -> Change:
    def change(human: Json) -> None:
        for entry in (human, *human["parts"].values()):
            entry["box"] = boxes(np.array(entry["box"], dtype=np.float64)).tolist()

    return _in(PARTS, each(humans_of, change))


def _keep_valid(videos: Json) -> Json:
    """Leave out sizes that a validator refuses: it wants width >= x and height >= y."""

    def valid(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frame in frames_of(videos):
        frame["humans"] = [human for human in frame["humans"] if valid(human["box"])]
    for human in humans_of(videos):
        human["parts"] = {name: part for name, part in human["parts"].items() if all(map(valid, part["box"]))}
    return videos


def _classes(change: Callable[[str], str]) -> Change:
    return _in(CLASSES, lambda classes: {video: change(name) for video, name in classes.items()})


def _class_numbers(classes: Json) -> Json:
    names = sorted(set(classes.values()))
    return {video: str(names.index(name)) for video, name in classes.items()}


def _states(renamed: Callable[[str], str]) -> Change:
    return _in(PARTS, each(parts_of, lambda part: part.update(verb=list(map(renamed, part["verb"])))))


def _parts(renamed: Callable[[str], str]) -> Change:
    def change(human: Json) -> None:
        human["parts"] = {renamed(name): part for name, part in human["parts"].items()}

    return _in(PARTS, each(humans_of, change))


def _frames(number: Callable[[int], int], name: str = "img_{:05d}.json") -> Change:
    def renamed(frames: Json) -> Json:
        return {name.format(number(int(known[4:9]))): content for known, content in frames.items()}

    return _in(PARTS, lambda videos: {video: renamed(frames) for video, frames in videos.items()})


def _sides(name: str) -> str:
    return name.replace("left", "@").replace("right", "left").replace("@", "right")


def _repeat(part: Json) -> None:
    part.update(box=5 * part["box"][:1], verb=5 * part["verb"][:1])


def _half(videos: Json) -> Json:
    return {video: videos[video] for video in sorted(videos)[::2]}


def _videos(renamed: Callable[[str], str]) -> Change:
    def change(videos: Json) -> Json:
        return {renamed(video): content for video, content in videos.items()}

    return lambda prediction: _in(CLASSES, change)(_in(PARTS, change)(prediction))


MISTAKES: list[Mistake[Json]] = [
    Mistake("left and right swapped", "N-LOOKS-SWAPPED", _parts(_sides)),
    Mistake("each proposal five times", "N-REPEATED", _in(PARTS, each(parts_of, _repeat))),
    Mistake("class missing for half of the videos", "N-CLASSES-MISSING", _in(CLASSES, _half)),
    Mistake("videos with .mp4", "N-LOOKS-SPELLED", _videos("{}.mp4".format)),
    *mistakes_in_boxes(_each_box),
    Mistake(
        "[x, y, width, height]",
        "N-LOOKS-XYWH",
        lambda prediction: _in(PARTS, _keep_valid)(_each_box(sizes)(prediction)),
        large=True,
    ),
    Mistake("all boxes the same", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, 7))),
    Mistake("all boxes -1", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, -1))),
    Mistake("224 x 224", "N-LOOKS-SCALED", _each_box(lambda boxes: boxes / CANVAS * 224)),
    Mistake("classes as words", "N-LOOKS-SPELLED", _classes(lambda name: name.replace("_", " ").title())),
    Mistake("classes in capitals", "N-LOOKS-SPELLED", _classes(str.upper)),
    Mistake("classes as numbers", "N-LOOKS-SPELLED", _in(CLASSES, _class_numbers)),
    Mistake("states in capitals", "N-LOOKS-SPELLED", _states(str.title)),
    Mistake("states as numbers", "N-LOOKS-SPELLED", _states(lambda name: str(STATES.index(name)))),
    Mistake("parts with spaces", "N-LOOKS-SPELLED", _parts(lambda name: name.replace("_", " "))),
    Mistake("parts in capitals", "N-LOOKS-SPELLED", _parts(str.title)),
    Mistake("frames from 0", "N-LOOKS-SHIFTED", _frames(lambda number: number - 1)),
    Mistake("frames counted 1, 2, 3", "N-LOOKS-SHIFTED", _frames(lambda number: (number - 1) // 5 + 1)),
    Mistake("frames named as images", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}.jpg")),
    Mistake("frames without ending", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}")),
    Mistake("frames in 2 digits", "N-LOOKS-SPELLED", _frames(int, "img_{:02d}.json")),
    Mistake("frames 3, 8, 13", "N-NAMES-UNKNOWN", _frames(lambda number: number + 2)),
]
