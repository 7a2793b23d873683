"""Pairs of items that belong together."""

from __future__ import annotations

import numpy as np

from validator.arrays import Ints


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


def rows_of_owners(owner: Ints, selection: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of a selected owner, as its place in ``selection``, and a row that belongs to it.

    ``owner`` (n_rows,) ascends; -1 in ``selection`` stands for an owner without rows.

    Examples
    --------
    >>> rows_of_owners(np.array([0, 0, 2]), np.array([2, -1, 0]))
    (array([0, 2, 2]), array([2, 0, 1]))
    """
    # The last count is that of -1. Counting is faster than searching for millions of owners.
    n_rows = np.append(np.bincount(owner, minlength=int(selection.max(initial=-1)) + 1), 0)
    last = np.cumsum(n_rows)
    first = last - n_rows
    place, row, _ = pairs_of_ranges(first[selection], last[selection])
    return place, row
