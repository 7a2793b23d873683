"""One value for each item or group: the largest, the first, the mean."""

from __future__ import annotations

import numpy as np

from validator.arrays import Bools, Floats, Ints


def largest_of_items(item: Ints, value: Floats, n_items: int) -> Ints:
    """Return for each item the index of its pair of largest value, the first of equals, -1 without a pair.

    Shapes: (n_pairs,), (n_pairs,) -> (n_items,).

    Examples
    --------
    >>> largest_of_items(np.array([0, 0, 2]), np.array([0.5, 0.7, 0.1]), 3)
    array([ 1, -1,  2])
    """
    # Written last where it is largest.
    order = np.lexsort((-np.arange(len(value)), value))
    largest = np.full(n_items, -1)
    largest[item[order]] = order
    return largest


def first_with_key(keys: Ints, wanted_keys: Ints) -> Ints:
    """Return for each wanted key the index of its first occurrence in ``keys``, -1 without one.

    Examples
    --------
    >>> first_with_key(np.array([7, 5, 5]), np.array([5, 6]))
    array([ 1, -1])
    """
    if not len(keys):
        return np.full(len(wanted_keys), -1)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    place = np.minimum(np.searchsorted(ranked, wanted_keys), len(keys) - 1)
    return np.where(ranked[place] == wanted_keys, order[place], -1)


def means(sums: Ints | Floats, counts: Ints, empty: float = np.nan) -> Floats:
    """Return ``sums / counts``, ``empty`` where nothing counts. Shapes: (n,), (n,) -> (n,).

    Examples
    --------
    >>> means(np.array([1.0, 0.0]), np.array([4, 0]))
    array([0.25,  nan])
    """
    return np.where(counts > 0, sums / np.maximum(counts, 1), empty)


def group_means(value: Floats | Bools, group: Ints, n_groups: int, empty: float = np.nan) -> Floats:
    """Return the mean of the values of each group, ``empty`` without any. Shapes: (n,), (n,) -> (n_groups,).

    Examples
    --------
    >>> group_means(np.array([True, False, True]), np.array([0, 0, 2]), 3)
    array([0.5, nan, 1. ])
    """
    return means(np.bincount(group, value, n_groups), np.bincount(group, minlength=n_groups), empty)
