"""Lists in another order, and items that are exchanged: shifts, and one-to-one maps."""

from __future__ import annotations

import re

import numpy as np

from people_in_video.diagnosis.regions import Regions, best_of_entries, pair_iou
from people_in_video.diagnosis.sampling import NEIGHBORS
from validator.arrays import Bools, Floats, Ints

_SIDE = re.compile("left|right", re.IGNORECASE)


def assign(counts: Ints) -> Ints:
    """Return the column of each row in the one-to-one map with the largest sum, -1 for rows without one.

    Pairs that count 0 are not mapped. ``counts`` has shape (n_rows, n_columns).

    Examples
    --------
    >>> assign(np.array([[0, 3], [2, 2], [0, 0]]))
    array([ 1,  0, -1])
    """
    # It takes a third of a second to import.
    from scipy.optimize import linear_sum_assignment

    column_of_row = np.full(len(counts), -1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    is_counted = counts[rows, columns] > 0
    column_of_row[rows[is_counted]] = columns[is_counted]
    return column_of_row


def nearest(counts: Ints) -> Ints:
    """Return the column of the largest number of each row, -1 for rows without one.

    Examples
    --------
    >>> nearest(np.array([[0, 3], [2, 2], [0, 0]]))
    array([ 1,  0, -1])
    """
    if not counts.shape[1]:
        return np.full(len(counts), -1)
    return np.where(counts.max(axis=1) > 0, counts.argmax(axis=1), -1)


def count_pairs(first: Ints, second: Ints, shape: tuple[int, int]) -> Ints:
    """Return how often each pair of numbers occurs; -1 on either side counts nowhere. Shape: ``shape``."""
    is_counted = (first >= 0) & (second >= 0)
    cells = first[is_counted] * shape[1] + second[is_counted]
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def swap_sides(word: str) -> str:
    """Return a word with left and right exchanged.

    Examples
    --------
    >>> swap_sides("left_arm")
    'right_arm'
    """
    other_side = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
    return _SIDE.sub(lambda side: other_side.get(side[0], side[0]), word)


def shift_in_list(codes: Ints, shift: int, n: int) -> Ints:
    """Return places that are moved along a list of n that begins anew at its end; -1 stays."""
    return np.where(codes >= 0, (codes + shift) % n, -1)


def neighbor_shifts() -> list[int]:
    """Return the shifts of items that are tried, the smallest first."""
    shifts = []
    for distance in range(1, NEIGHBORS + 1):
        shifts += [distance, -distance]
    return shifts


def shift_words(shift: int, item_noun: str) -> str:
    """Return how predictions are read whose items are ``shift`` later in the sorted list."""
    direction = "next" if shift > 0 else "previous"
    if abs(shift) == 1:
        return f"as predictions of the {direction} {item_noun}"
    return f"as predictions of the {item_noun} {abs(shift)} {'later' if shift > 0 else 'earlier'}"


def agreements_with_items(regions: Regions, corners: Floats, items: Ints, level: float) -> Bools:
    """Return whether each entry would agree with an annotated region of each of several items.

    Regions have ``corners`` (n, 2 d), and keep their slots. Shape of the result: (n_entries, n_items).
    """
    n, n_items = len(corners), len(items)
    region = np.repeat(np.arange(n), n_items)
    pairs = regions.pairs_at(np.tile(items, n), regions.slots[region])
    iou = pair_iou(corners[region[pairs.entry]], regions.true_corners[pairs.true])
    agreements = best_of_entries(iou, pairs).reshape(n, n_items) > level
    _, first_region = np.unique(regions.entries, return_index=True)
    agreements_of_entries: Bools = np.logical_or.reduceat(agreements, first_region, axis=0)
    return agreements_of_entries
