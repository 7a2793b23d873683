"""Outlines of masks, as polygons."""

from __future__ import annotations

import numpy as np

from validator.arrays import Bools

_LONGEST_OUTLINED = 64


def outlines(mask: Bools) -> list[list[float]]:
    """Return the borders of a mask as closed polygons, each x, y, x, y, ..., in pixels of the mask.

    A mask with a side above 64 is thinned to every second, third, ... pixel first, so that the
    outline of any mask stays short.

    Examples
    --------
    >>> outlines(np.array([[False, True]]))
    [[1.0, 0.0, 2.0, 0.0, 2.0, 1.0, 1.0, 1.0]]
    """
    step = -(-max(mask.shape) // _LONGEST_OUTLINED) or 1
    next_corners = _edges(mask[::step, ::step])
    polygons = []
    while next_corners:
        start = next(iter(next_corners))
        corner = start
        polygon: list[float] = []
        while corner != start or not polygon:
            row, column = corner
            polygon += [float(step * column), float(step * row)]
            corner = _take_edge(next_corners, corner)
        polygons.append(polygon)
    return polygons


Corner = tuple[int, int]


def _edges(mask: Bools) -> dict[Corner, list[Corner]]:
    """Return where the edges of a mask end, by where they begin (row, column); it is to their right."""
    inside = np.pad(mask, 1)
    # Of each side of a pixel: its neighbor, and where the edge begins and ends, from the upper left corner.
    sides = (
        ((-1, 0), (0, 0), (0, 1)),
        ((0, 1), (0, 1), (1, 1)),
        ((1, 0), (1, 1), (1, 0)),
        ((0, -1), (1, 0), (0, 0)),
    )
    ends_of: dict[Corner, list[Corner]] = {}
    for (row_step, column_step), begin, end in sides:
        neighbor = np.roll(inside, (-row_step, -column_step), (0, 1))
        pixels = np.argwhere(inside & ~neighbor) - 1
        for row, column in pixels.tolist():
            edge_begin = (row + begin[0], column + begin[1])
            edge_end = (row + end[0], column + end[1])
            ends_of.setdefault(edge_begin, []).append(edge_end)
    return ends_of


def _take_edge(ends_of: dict[Corner, list[Corner]], corner: Corner) -> Corner:
    """Remove the last edge that begins at a corner; return where it ends."""
    end = ends_of[corner].pop()
    if not ends_of[corner]:
        del ends_of[corner]
    return end
