"""Predicted boxes for tasks whose predictions hold boxes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import Floats

ChangeOfBoxes = Callable[[Floats], Floats]


def as_sizes(boxes: Floats) -> Floats:
    """Return boxes x, y, width, height of boxes x1, y1, x2, y2."""
    width_and_height = boxes[..., 2:] - boxes[..., :2]
    return np.concatenate([boxes[..., :2], width_and_height], axis=-1)
