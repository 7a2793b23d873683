"""Predicted boxes for tasks whose predictions hold boxes: their noise, and mistakes in all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from quality.task import Mistake
from validator.arrays import Floats

PredictionT = TypeVar("PredictionT")
Boxes = Callable[[Floats], Floats]
CANVAS = np.array([640, 480, 640, 480])


def mistakes_in_boxes(
    each: Callable[[Boxes], Callable[[PredictionT], PredictionT]],
) -> list[Mistake[PredictionT]]:
    """Return the mistakes of all boxes; ``each`` makes a change of all boxes of a prediction."""
    return [
        Mistake("boxes in 0..1", "N-LOOKS-NORMALIZED", each(lambda boxes: (boxes / CANVAS).clip(0, 1))),
        Mistake("x and y swapped", "N-LOOKS-SWAPPED", each(lambda boxes: boxes[..., [1, 0, 3, 2]])),
        Mistake("half size", "N-LOOKS-SCALED", each(lambda boxes: boxes / 2)),
    ]


def sizes(boxes: Floats) -> Floats:
    """Return boxes x, y, width, height of boxes x1, y1, x2, y2."""
    return np.concatenate([boxes[..., :2], boxes[..., 2:] - boxes[..., :2]], axis=-1)
