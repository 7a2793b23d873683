"""Person masks: runs along the rows, and the IoU of masks cut at the border."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from validator.arrays import Bools, Ints


def runs_to_mask(runs: Ints, height: int, width: int) -> Bools:
    """Return the bool mask (height, width) of runs that go along the rows, beginning with background.

    Examples
    --------
    >>> runs_to_mask(np.array([1, 2, 1]), 2, 2)
    array([[False,  True],
           [ True, False]])
    """
    return np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(height, width)


@dataclass(frozen=True)
class PlacedMask:
    """A bool mask (h, w) whose upper left pixel is (row, column) of the image; cut at the image's border."""

    row: int
    column: int
    mask: Bools

    @cached_property
    def area(self) -> int:
        """Number of foreground pixels."""
        return int(np.count_nonzero(self.mask))

    def part(self, top: int, bottom: int, left: int, right: int) -> Bools:
        """Return the part between rows and columns of the image, all of them within the mask."""
        rows = slice(top - self.row, bottom - self.row)
        columns = slice(left - self.column, right - self.column)
        return self.mask[rows, columns]


def place_mask(mask: Bools, row: int, column: int, height: int, width: int) -> PlacedMask:
    """Paste a mask into an image of (height, width) and cut it at the border; it may be entirely outside.

    Examples
    --------
    >>> place_mask(np.ones((2, 2), bool), -1, 3, 4, 4)
    PlacedMask(row=0, column=3, mask=array([[ True]]))
    """
    top, left = max(row, 0), max(column, 0)
    rows = slice(top - row, max(height - row, 0))
    columns = slice(left - column, max(width - column, 0))
    return PlacedMask(top, left, mask[rows, columns])


def mask_iou(detection: PlacedMask, person: PlacedMask, crowd: bool) -> float:
    """Return the IoU of two masks as in COCO: for a crowd over the detection's area; 0 if undefined.

    Examples
    --------
    >>> square, lower = (place_mask(np.ones((2, 2), bool), row, 0, 4, 4) for row in (0, 1))
    >>> round(mask_iou(square, lower, crowd=False), 4)
    0.3333
    """
    top, left = max(detection.row, person.row), max(detection.column, person.column)
    bottom = min(detection.row + detection.mask.shape[0], person.row + person.mask.shape[0])
    right = min(detection.column + detection.mask.shape[1], person.column + person.mask.shape[1])
    if bottom <= top or right <= left:
        return 0.0
    predicted_part = detection.part(top, bottom, left, right)
    true_part = person.part(top, bottom, left, right)
    shared = int(np.count_nonzero(predicted_part & true_part))
    union = detection.area if crowd else detection.area + person.area - shared
    return shared / union if union else 0.0
