"""Hints on boxes, and on places that are listed without any: notes that need no reference."""

from __future__ import annotations

import numpy as np

from validator.arrays import Floats, Ints
from validator.findings import Note
from validator.texts import counted

WRITE_PIXELS = "they are pixels of the image"
_LEAST_BOXES = 10
# Noisy coordinates in 0..1 may be outside by this.
_OUTSIDE = 0.25
_MOST_PLACEHOLDERS = 0.1
# A coordinate in 0..1 is below it, noise included.
_SMALL = 2
_MOST_SMALL = 0.01
_LEAST_PLACES = 20
_LEAST_EMPTY = 0.5


def box_hints(boxes: Floats, noun: str, cure: str = WRITE_PIXELS) -> list[Note]:
    """Return notes on boxes ``x1, y1, x2, y2`` (n, 4).

    They are all within or near 0..1, or all one and the same, or many are the same point. ``cure`` says how
    to write boxes in pixels.
    """
    if len(boxes) < _LEAST_BOXES:
        return []
    return _range_hints(boxes, noun, cure) or _placeholder_hints(boxes, noun)


def _range_hints(boxes: Floats, noun: str, cure: str) -> list[Note]:
    # What is not true of the first thousand is not true of all, whose extremes take long.
    if len(boxes) > 1000 and not _range_hints(boxes[:1000], noun, cure):
        return []
    low, high = boxes.min(axis=0), boxes.max(axis=0)
    if (low == high).all():
        box = ", ".join(f"{value:g}" for value in low.tolist())
        text = f"all {counted(len(boxes), 'box', 'boxes')} of {noun} are [{box}]"
        return [Note("N-LOOKS-CONSTANT", text)]
    lowest, highest = min(0.0, float(low.min())), max(1.0, float(high.max()))
    if lowest >= -_OUTSIDE and highest <= 1 + _OUTSIDE:
        text = f"all {counted(boxes.size, 'coordinate')} of {noun} lie between "
        text += f"{lowest:.3g} and {highest:.3g}; "
        return [Note("N-LOOKS-NORMALIZED", text + cure)]
    return []


def _placeholder_hints(boxes: Floats, noun: str) -> list[Note]:
    """Return a note if more than a tenth of boxes (n, 4) are one and the same point, as [-1, -1, -1, -1]."""
    points = boxes[(boxes[:, 0] == boxes[:, 2]) & (boxes[:, 1] == boxes[:, 3]), :2]
    if len(points) <= _MOST_PLACEHOLDERS * len(boxes):
        return []
    values, counts = np.unique(points, axis=0, return_counts=True)
    most_frequent = int(counts.argmax())
    if counts[most_frequent] <= _MOST_PLACEHOLDERS * len(boxes):
        return []
    x, y = values[most_frequent].tolist()
    text = f"{counted(int(counts[most_frequent]), 'box', 'boxes')} of {len(boxes):,} of {noun} are "
    text += f"[{x:g}, {y:g}, {x:g}, {y:g}]. A placeholder meets nothing: write the most likely box"
    return [Note("N-LOOKS-CONSTANT", text)]


def small_box_hints(boxes: Floats, noun: str, cure: str = WRITE_PIXELS) -> list[Note]:
    """Return a note on boxes (n, 4) whose coordinates are all in -2..2, and not all whole numbers.

    Where all boxes are like that, `box_hints` tells.
    """
    # Few boxes end there, and to look at the coordinates of all takes long.
    boxes_near_0 = boxes[boxes[:, 2] < _SMALL]
    is_small = (np.abs(boxes_near_0) < _SMALL).all(axis=1)
    n_small = int((is_small & (boxes_near_0 % 1 != 0).any(axis=1)).sum())
    if n_small <= _MOST_SMALL * len(boxes):
        return []
    text = (
        f"{n_small:,} of {counted(len(boxes), 'box', 'boxes')} of {noun} have no coordinate beyond {_SMALL}; "
    )
    return [Note("N-LOOKS-NORMALIZED", text + cure)]


def empty_hints(n_predictions: Ints, nouns: str, effect: str) -> list[Note]:
    """Return a note if many of the places that a submission lists, such as frames, are empty.

    ``n_predictions`` (n,) are those of each place. Example: "30 of 40 frames have no human".
    """
    n_empty = int((n_predictions == 0).sum())
    if len(n_predictions) < _LEAST_PLACES or n_empty < _LEAST_EMPTY * len(n_predictions):
        return []
    return [Note("N-PLACES-EMPTY", f"{n_empty:,} of {len(n_predictions):,} {nouns}{effect}")]
