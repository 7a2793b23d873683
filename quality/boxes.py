"""Predicted boxes for tasks whose predictions hold boxes: their noise, and mistakes in all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from quality.task import Mistake
from validator.arrays import Floats

PredictionT = TypeVar("PredictionT")
ChangeOfBoxes = Callable[[Floats], Floats]
CANVAS = np.array([640, 480, 640, 480])


def mistakes_in_boxes(
    change_boxes: Callable[[ChangeOfBoxes], Callable[[PredictionT], PredictionT]],
) -> list[Mistake[PredictionT]]:
    """Return the mistakes of all boxes; ``change_boxes`` makes a change of all boxes of a prediction."""
    return [
        Mistake("boxes in 0..1", "N-LOOKS-NORMALIZED", change_boxes(_as_shares)),
        Mistake("x and y swapped", "N-LOOKS", change_boxes(lambda boxes: boxes[..., [1, 0, 3, 2]])),
        Mistake("half size", "N-LOOKS", change_boxes(lambda boxes: boxes / 2)),
    ]


def _as_shares(boxes: Floats) -> Floats:
    """Return boxes as shares of the canvas."""
    return (boxes / CANVAS).clip(0, 1)


def as_sizes(boxes: Floats) -> Floats:
    """Return boxes x, y, width, height of boxes x1, y1, x2, y2."""
    width_and_height = boxes[..., 2:] - boxes[..., :2]
    return np.concatenate([boxes[..., :2], width_and_height], axis=-1)
