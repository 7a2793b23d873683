"""Readings of the columns of boxes and intervals: the orders and forms that people write."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.regions import Form, Regions
from validator.arrays import Floats


class Reading(NamedTuple):
    """One way to read columns; ``corners`` returns lower ends and upper ends, (n, 2 d) -> (n, 2 d).

    ``words`` is "" for the way that the task's page says.
    """

    words: str
    corners: Callable[[Floats], Floats]


def from_corners(columns: Floats) -> Floats:
    """Return corners that are written as corners."""
    return columns


def from_sizes(columns: Floats) -> Floats:
    """Return the corners of ``x, y, width, height``, or of ``start, length``."""
    d = columns.shape[-1] // 2
    low, size = columns[..., :d], columns[..., d:]
    return np.concatenate([low, low + size], axis=-1)


def from_centers(columns: Floats) -> Floats:
    """Return the corners of ``center x, center y, width, height``."""
    d = columns.shape[-1] // 2
    center, half = columns[..., :d], columns[..., d:] / 2
    return np.concatenate([center - half, center + half], axis=-1)


def _from_swapped(columns: Floats) -> Floats:
    return columns[..., [1, 0, 3, 2]]


def _from_axes(columns: Floats) -> Floats:
    return columns[..., [0, 2, 1, 3]]


def _from_swapped_axes(columns: Floats) -> Floats:
    return columns[..., [2, 0, 3, 1]]


def _from_swapped_corners(columns: Floats) -> Floats:
    return columns[..., [2, 3, 0, 1]]


def _from_swapped_sizes(columns: Floats) -> Floats:
    return from_sizes(columns[..., [1, 0, 3, 2]])


def _from_swapped_origin(columns: Floats) -> Floats:
    return from_sizes(columns[..., [1, 0, 2, 3]])


_CORNERS = Reading("as [x1, y1, x2, y2]", from_corners)
_SIZES = Reading("as [x, y, width, height]", from_sizes)
_CENTERS = Reading("as [center x, center y, width, height]", from_centers)
_SWAPPED = Reading("as [y1, x1, y2, x2]", _from_swapped)
_AXES = Reading("as [x1, x2, y1, y2]", _from_axes)
_SWAPPED_AXES = Reading("as [y1, y2, x1, x2]", _from_swapped_axes)
_SWAPPED_CORNERS = Reading("as [x2, y2, x1, y1]", _from_swapped_corners)
_SWAPPED_SIZES = Reading("as [y, x, height, width]", _from_swapped_sizes)
_SWAPPED_ORIGIN = Reading("as [y, x, width, height]", _from_swapped_origin)
_OTHER_FORMS_OF_BOXES = {
    Form.CORNERS: (_SIZES, _CENTERS, _SWAPPED, _SWAPPED_SIZES, _AXES),
    Form.SIZES: (_CORNERS, _CENTERS, _SWAPPED_SIZES, _SWAPPED_ORIGIN, _SWAPPED, _AXES),
}
_OTHER_FORMS_OF_INTERVALS = {
    Form.CORNERS: (Reading("as start, length", from_sizes), Reading("as middle, length", from_centers)),
    Form.SIZES: (Reading("as start, end", from_corners), Reading("as middle, length", from_centers)),
}


# Few people write these, so that no fit is tried after them.
_RARE_FORMS_OF_BOXES = (_SWAPPED_AXES, _SWAPPED_CORNERS)


def as_written(form: Form) -> Reading:
    """Return the reading that the task's page says."""
    return Reading("", from_corners if form is Form.CORNERS else from_sizes)


def other_readings(regions: Regions) -> list[Reading]:
    """Return the other readings of a sample's columns."""
    forms = _OTHER_FORMS_OF_INTERVALS if regions.has_intervals else _OTHER_FORMS_OF_BOXES
    return list(forms[regions.form])


def rare_readings(regions: Regions) -> list[Reading]:
    """Return further readings that are tried alone."""
    return [] if regions.has_intervals else list(_RARE_FORMS_OF_BOXES)


def _move_to_parent(corners: Floats, parent: Floats) -> Floats:
    d = corners.shape[-1] // 2
    return corners + np.tile(parent[..., :d], 2)


def _scale_to_parent(corners: Floats, parent: Floats) -> Floats:
    d = corners.shape[-1] // 2
    size = parent[..., d:] - parent[..., :d]
    return corners * np.tile(size, 2) + np.tile(parent[..., :d], 2)


PARENT_READINGS = (
    ("from the upper left corner of the box that they are in", _move_to_parent),
    ("as shares of the box that they are in", _scale_to_parent),
)
"""Words and functions of corners (n, 2 d) and the boxes of their wholes (n, 2 d)."""
