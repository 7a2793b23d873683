"""Correct predictions for both tasks, and mistakes in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from quality.anet_entities.synthetic import (
    Json,
    add_object,
    no_objects,
    read_reference,
    segments_of,
    words_of,
)
from quality.boxes import Boxes, bias, mistakes_in_boxes, moved, sizes
from quality.task import Mistake


def correct_prediction(reference: Path, rng: np.random.Generator, noise: float, generated: bool) -> Json:
    """Return the results of a submission: right at ``noise`` 0, hardly anything right at 1."""
    vocabulary, annotated = read_reference(reference)
    shift, missed = bias(rng, noise), 0.5 * noise * rng.random()
    results: Json = {}
    for video, number, segment in segments_of(annotated):
        objects = results.setdefault(video, {}).setdefault(number, no_objects())
        for label, index, frame, box in words_of(segment):
            if rng.random() < missed:
                continue
            wrong = generated and rng.random() < noise / 2
            label = str(rng.choice(vocabulary)) if wrong else label
            # On the other frames the object is near the same position, as in a video.
            boxes = [moved(box, rng, noise + 0.5 * abs(other - frame), shift) for other in range(10)]
            add_object(objects, label, index, boxes)
    return results


def _each(field: str, change: Callable[[Any], Any]) -> Callable[[Json], Json]:
    """Return a change of one field of all objects."""

    def change_all(results: Json) -> Json:
        for _, _, objects in segments_of(results):
            objects[field] = list(map(change, objects[field]))
        return results

    return change_all


def _each_box(change: Boxes) -> Callable[[Json], Json]:
    return _each("bbox_for_all_frames", lambda boxes: change(np.array(boxes)).tolist())


def _of_frames(name: str, frames: list[int]) -> Mistake[Json]:
    return Mistake(name, "N-LOOKS-SHIFTED", _each_box(lambda boxes: boxes[frames]), only_right=True)


_BOTH: list[Mistake[Json]] = [
    *mistakes_in_boxes(_each_box),
    Mistake("[x, y, width, height]", "N-LOOKS-XYWH", _each_box(sizes)),
    _of_frames("boxes one frame late", [0, *range(9)]),
    _of_frames("boxes one frame early", [*range(1, 10), 9]),
    Mistake("nothing at all", "N-EMPTY", lambda results: {}),
]
GIVEN_MISTAKES: list[Mistake[Json]] = [
    *_BOTH,
    Mistake("idx_in_sent from 1", "N-LOOKS-SHIFTED", _each("idx_in_sent", lambda index: index + 1)),
]
GENERATED_MISTAKES: list[Mistake[Json]] = [
    *_BOTH,
    Mistake("classes in capitals", "N-LOOKS-SPELLED", _each("clss", str.title)),
    Mistake("classes in the plural", "N-LOOKS-SPELLED", _each("clss", lambda name: name + "s")),
    Mistake("classes misspelled", "N-LOOKS-SPELLED", _each("clss", lambda name: name[0] + name)),
]
