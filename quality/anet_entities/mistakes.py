"""Mistakes in predictions for both tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quality.anet_entities.synthetic import Json, segments_of
from quality.boxes import Boxes, mistakes_in_boxes, sizes
from quality.task import Mistake


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
    return Mistake(name, "N-LOOKS-SHIFTED", _each_box(lambda boxes: boxes[frames]))


def _segments_from_one(results: Json) -> Json:
    return {
        video: {str(int(key) + 1): own for key, own in segments.items()}
        for video, segments in results.items()
    }


def _videos(renamed: Callable[[str], str]) -> Callable[[Json], Json]:
    return lambda results: {renamed(video): segments for video, segments in results.items()}


_BOTH: list[Mistake[Json]] = [
    Mistake("segments from 1", "N-LOOKS-SHIFTED", _segments_from_one),
    Mistake("videos without v_", "N-LOOKS-SPELLED", _videos(lambda video: video[2:])),
    Mistake("videos with .mp4", "N-LOOKS-SPELLED", _videos("{}.mp4".format)),
    Mistake("videos without v_, with .mp4", "N-LOOKS-SPELLED", _videos(lambda video: f"{video[2:]}.mp4")),
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
