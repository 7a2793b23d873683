"""Geodesic point similarity (GPS) of DensePose: by distances of points on the body's surface.

Source: Güler et al., CVPR 2018, section 2.3, and ``densepose_cocoeval.py`` for every rounding and truncation.
"""

from __future__ import annotations

import numpy as np

from validator.arrays import Bools, Floats, Ints, Pixels

PARTS = 24
LEVELS = 256
NO_VERTEX = -1

COARSE_PART = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8])
"""Coarse part of each fine part 0..24."""
MEAN_DISTANCES = np.array([0, 0.351, 0.107, 0.126, 0.237, 0.173, 0.142, 0.128, 0.150])
"""Normalizer k of each coarse part: the mean distance within it, as in the released evaluator.

The paper has 0.255 for all parts.
"""


def predicted_parts_and_vertices(
    pixels: Pixels, nearest: Ints, x: Floats, y: Floats, corner: tuple[float, float]
) -> tuple[Ints, Ints]:
    """Return what a detection predicts at points of the image.

    Parameters
    ----------
    pixels : uint8 array of shape (h, w, 3)
        Part 0..24, U and V (0..255) of the detection's box.
    nearest : int array of shape (24, 256, 256)
        Nearest unique vertex of each (part - 1, U, V).
    x, y : float64 arrays of shape (n,)
        Points in image coordinates.
    corner : (float, float)
        x and y of the detection's box. Points are shifted into it and truncated toward zero to pixels.

    Returns
    -------
    part, vertex : int arrays of shape (n,)
        0 and `NO_VERTEX` for background and outside of the box.

    Examples
    --------
    >>> pixels, nearest = np.zeros((2, 2, 3), np.uint8), np.full((24, 256, 256), 7)
    >>> pixels[1, 1, 0] = 3
    >>> x, y = np.array([11.5, 10.0]), np.array([21.0, 20.0])
    >>> predicted_parts_and_vertices(pixels, nearest, x, y, (10.0, 20.0))
    (array([3, 0]), array([ 7, -1]))
    """
    part = np.zeros(len(x), dtype=np.int64)
    vertex = np.full(len(x), NO_VERTEX)
    height, width, _ = pixels.shape
    inside, row, column = pixels_of_points(x, y, corner, (height, width))
    pixel_of_point = pixels[row, column].astype(np.int64)
    part[inside] = pixel_of_point[:, 0]
    is_on_body = pixel_of_point[:, 0] > 0
    body_part, u, v = pixel_of_point[is_on_body].T
    vertex[np.flatnonzero(inside)[is_on_body]] = nearest[body_part - 1, u, v]
    return part, vertex


def pixels_of_points(
    x: Floats, y: Floats, corner: tuple[float, float], size: tuple[int, int]
) -> tuple[Bools, Ints, Ints]:
    """Return which points are in a box, and the pixels of these.

    Points are shifted into the box and truncated toward zero to pixels, so that one up to a pixel left of it
    or above it is inside.

    Parameters
    ----------
    x, y : float64 arrays of shape (n,)
        Points in image coordinates.
    corner : (float, float)
        x and y of the box.
    size : (int, int)
        Height and width of its pixels.

    Returns
    -------
    is_inside : bool array of shape (n,)
    row, column : int arrays of shape (n_inside,)

    Examples
    --------
    >>> pixels_of_points(np.array([11.5, 9.5, 12.0]), np.full(3, 20.0), (10.0, 20.0), (2, 2))
    (array([ True,  True, False]), array([0, 0]), array([1, 0]))
    """
    column, row = np.trunc(x - corner[0]), np.trunc(y - corner[1])
    is_inside = (column >= 0) & (row >= 0) & (column < size[1]) & (row < size[0])
    return is_inside, row[is_inside].astype(np.int64), column[is_inside].astype(np.int64)


def pair_position(first: Ints, second: Ints) -> Ints:
    """Return where the distance of two vertices is stored: i (i - 1) / 2 + j for i > j, from 0.

    Examples
    --------
    >>> pair_position(np.array([1, 2, 0]), np.array([0, 1, 3]))
    array([0, 2, 3])
    """
    high, low = np.maximum(first, second).astype(np.int64), np.minimum(first, second).astype(np.int64)
    return high * (high - 1) // 2 + low


def point_similarity(
    distance: Floats, is_stored: Bools, normalizer: Floats, pair: Ints, n_pairs: int
) -> Floats:
    """Return exp(-d² / (2 k²)) of each point.

    Parameters
    ----------
    distance : float64 array of shape (n,)
        Geodesic distances; infinite where the prediction is background.
    is_stored : bool array of shape (n,)
        Whether the distance was read from the template: others are 0 or infinite.
    normalizer : float64 array of shape (n,)
    pair : int array of shape (n,)
        Which pair of detection and person each point belongs to. If all distances of a pair are stored ones,
        they are squared in float32, as the released evaluator does.
    n_pairs : int

    Examples
    --------
    >>> distance, stored, pair = np.array([0.255, np.inf]), np.array([True, False]), np.array([0, 1])
    >>> point_similarity(distance, stored, np.array([0.255, 0.255]), pair, 2).round(4)
    array([0.6065, 0.    ])
    """
    in_float32 = (np.bincount(pair[~is_stored], minlength=n_pairs) == 0)[pair]
    narrow = distance.astype(np.float32)
    with np.errstate(over="ignore"):
        squared = np.where(in_float32, (narrow * narrow).astype(np.float64), distance * distance)
    return np.exp(-squared / (2 * normalizer * normalizer))
