"""Pairs and groups of items that belong together."""

from __future__ import annotations

import numpy as np

from validator.arrays import Bools, Floats, Ints


def pairs_of_ranges(first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of an item i and an index from ``first[i]`` up to, not including, ``last[i]``.

    Parameters
    ----------
    first, last : int arrays of shape (n,)
        ``first[i] <= last[i]``.

    Returns
    -------
    item, index : int arrays of shape (n_pairs,)
        Item by item, indices ascending.
    starts : int array of shape (n + 1,)
        The pairs of item i are those from ``starts[i]`` up to ``starts[i + 1]``.

    Examples
    --------
    >>> pairs_of_ranges(np.array([0, 5]), np.array([2, 6]))
    (array([0, 0, 1]), array([0, 1, 5]), array([0, 2, 3]))
    """
    sizes = last - first
    starts = np.concatenate([[0], np.cumsum(sizes)])
    item = np.repeat(np.arange(len(sizes)), sizes)
    # np.repeat once more is faster than taking by item.
    return item, np.arange(starts[-1]) - np.repeat(starts[:-1] - first, sizes), starts


def pairs_in_groups(left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of a left and a right item of one group; rights in ascending order of their group.

    Parameters
    ----------
    left : int array of shape (n_left,)
        The group of each left item, in any order.
    right : int array of shape (n_right,), ascending
        The group of each right item.

    Returns
    -------
    item, index, starts
        As of `pairs_of_ranges`: the left items, the right items, and where the pairs of each left item begin.

    Examples
    --------
    >>> pairs_in_groups(np.array([1, 0]), np.array([0, 1, 1]))
    (array([0, 0, 1]), array([1, 2, 0]), array([0, 2, 3]))
    """
    return pairs_of_ranges(np.searchsorted(right, left), np.searchsorted(right, left, "right"))


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


def first_with_key(keys: Ints, wanted: Ints) -> Ints:
    """Return for each wanted key the index of its first occurrence in ``keys``, -1 without one.

    Examples
    --------
    >>> first_with_key(np.array([7, 5, 5]), np.array([5, 6]))
    array([ 1, -1])
    """
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    place = np.minimum(np.searchsorted(ranked, wanted), len(keys) - 1)
    return np.where(ranked[place] == wanted, order[place], -1)


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
