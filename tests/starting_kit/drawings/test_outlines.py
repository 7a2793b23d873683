"""Outlines of masks, beside the pixels that they enclose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from people_in_video.drawings.outlines import outlines


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=12)))
def test_outlines_enclose_the_pixels_of_a_mask(mask):
    """A pixel is inside if its center lies left of an odd number of vertical edges (even-odd rule)."""
    height, width = mask.shape
    crossed = np.zeros((height, width), dtype=int)
    for polygon in outlines(mask):
        corners = np.reshape(polygon, (-1, 2))
        for (x, y), (next_x, next_y) in zip(corners, np.roll(corners, -1, axis=0)):
            assert abs(x - next_x) + abs(y - next_y) == 1
            if x == next_x:
                crossed[int(min(y, next_y)), : int(x)] += 1
    assert (crossed % 2 == 1).tolist() == mask.tolist()


@pytest.mark.parametrize(("side", "outlined"), [(64, 1), (65, 0)])
def test_masks_above_64_pixels_a_side_are_thinned(side, outlined):
    mask = np.zeros((3, side), dtype=bool)
    mask[1, 1] = True
    assert len(outlines(mask)) == outlined


def test_outlines_of_large_masks_are_thinned():
    (polygon,) = outlines(np.ones((1000, 500), dtype=bool))
    assert (max(polygon[::2]), max(polygon[1::2])) == (512, 1008)
    assert len(polygon) < 1000
    assert outlines(np.zeros((3, 3), dtype=bool)) == outlines(np.zeros((0, 3), dtype=bool)) == []
