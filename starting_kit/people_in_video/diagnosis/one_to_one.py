"""One-to-one maps with many agreements: of the words of a list, and of items."""

from __future__ import annotations

import numpy as np

from validator.arrays import Ints


def one_to_one_map(counts: Ints) -> Ints:
    """Return a column for each row such that no column is taken twice, -1 for rows without one.

    Pairs are taken from the largest count down. Where a map holds for most of what was counted, that is the
    map with the largest sum; no package for the assignment problem is needed for it.

    Examples
    --------
    >>> one_to_one_map(np.array([[5, 9, 0], [4, 8, 0], [0, 0, 0]])).tolist()
    [1, 0, -1]
    """
    place = np.full(len(counts), -1)
    is_free = np.ones(counts.shape[1], dtype=bool)
    rows, columns = np.nonzero(counts)
    order = np.argsort(-counts[rows, columns], kind="stable")
    for row, column in zip(rows[order].tolist(), columns[order].tolist()):
        if place[row] < 0 and is_free[column]:
            place[row] = column
            is_free[column] = False
    return place
