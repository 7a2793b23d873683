"""Points on bodies: what is predicted there, and how similar it is, beside loops over the points."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.metrics import geodesic
from tests.plain import densepose as plain


def test_constants_are_those_of_the_paper():
    assert geodesic.COARSE_PART.tolist() == plain.COARSE
    assert geodesic.MEAN_DISTANCES[1:].tolist() == plain.MEAN_DISTANCES
    assert (geodesic.PARTS, geodesic.LEVELS, geodesic.NO_VERTEX) == (24, 256, -1)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 6))
def test_predictions_are_those_of_the_pixels_below_the_points(seed, height, width):
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 25, (height, width, 3)).astype(np.uint8)
    pixels[..., 1:] = rng.choice([0, 1, 255], (height, width, 2))
    pixels[rng.random((height, width)) < 0.3] = 0
    nearest = np.arange(24 * 256 * 256, dtype=np.int32).reshape(24, 256, 256)
    corner = (float(rng.choice([0.0, 2.5, -3.25])), float(rng.choice([0.0, 1.5, -7.75])))
    steps = np.array([-1.5, -1.0, -0.5, 0.0, 0.25, 1.0, 2.75, 5.0, 5.99, 6.0])
    x, y = (at + steps[rng.integers(0, len(steps), 20)] for at in corner)
    part, vertex = geodesic.predicted_parts_and_vertices(pixels, nearest, x, y, corner)
    for number in range(20):
        # int() truncates toward zero, as the released evaluator does.
        column, row = int(x[number] - corner[0]), int(y[number] - corner[1])
        inside = 0 <= column < width and 0 <= row < height
        expected = pixels[row, column].tolist() if inside else [0, 0, 0]
        own = -1 if not expected[0] else nearest[expected[0] - 1, expected[1], expected[2]]
        assert (part[number], vertex[number]) == (expected[0], own)


def test_each_pair_of_vertices_has_its_place():
    pairs = [(i, j) for i in range(12) for j in range(i)]
    first, second = np.array(pairs).T
    assert geodesic.pair_position(first, second).tolist() == list(range(len(pairs)))
    assert geodesic.pair_position(second, first).tolist() == list(range(len(pairs)))
    large = np.array([70_000], np.int32), np.array([3], np.int32)
    assert geodesic.pair_position(*large).tolist() == [70_000 * 69_999 // 2 + 3]


def test_similarity_of_points():
    distance = np.array([0.1, 0.3, 0.2, 0.0, np.inf, 0.1])
    stored = np.array([True, True, True, False, False, True])
    normalizer = np.array([0.351, 0.107, 0.5, 0.126, 0.2, 0.3])
    pair = np.array([0, 0, 1, 1, 1, 3])
    found = geodesic.point_similarity(distance, stored, normalizer, pair, 5).tolist()
    for number, (d, k) in enumerate(zip(distance.tolist(), normalizer.tolist())):
        # Only pairs whose distances are all stored are squared in float32.
        squared = float(np.float32(d) * np.float32(d)) if pair[number] != 1 else d * d
        assert found[number] == math.exp(-squared / (2 * k * k))
