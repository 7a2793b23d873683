"""Which entries of a submission are compared, and with which other items they are exchanged, as a control."""

from __future__ import annotations

from enum import Enum

import numpy as np

from validator.arrays import Bools, Ints

MOST_ENTRIES = 400
MOST_ITEMS = 40
MOST_OF_ITEM = 10
# Of so many items a one-to-one map is looked for; of more only the neighbors are compared.
MOST_MAPPED = 100
# How many items before and after its own the predictions of an item may belong to.
NEIGHBORS = 2
N_EXCHANGED = 3


class Spread(Enum):
    """How entries are sampled.

    ``WIDE``: at most 400 of all entries, evenly spread. ``DEEP``: at most 10 of each of at most 40 items, for
    families with parameters of each item.
    """

    WIDE = "wide"
    DEEP = "deep"

    def choose(self, item: Ints) -> Ints:
        """Return the sampled entries as ascending places in ``item`` (n,), the item of each entry."""
        if self is Spread.WIDE:
            return spread_evenly(len(item), MOST_ENTRIES)
        items = np.unique(item)
        chosen_items = items[spread_evenly(len(items), MOST_ITEMS)]
        candidates = np.flatnonzero(np.isin(item, chosen_items))
        by_item = candidates[np.argsort(item[candidates], kind="stable")]
        rank, size = ranks_in_groups(item[by_item])
        # Of n entries those that are evenly spread: the place of each among 10.
        bounded = np.minimum(size, MOST_OF_ITEM)
        is_chosen = (rank * bounded) // size != ((rank - 1) * bounded) // size
        return np.sort(by_item[is_chosen])

    def items_nearby(self, items: Ints, n_items: int) -> Ints:
        """Return the items whose annotations a sample needs: its own, and in a deep sample all others, or the
        neighbors where there are many."""
        if self is Spread.DEEP and n_items <= MOST_MAPPED:
            return np.arange(n_items)
        distance = NEIGHBORS if self is Spread.DEEP else 0
        is_nearby = np.zeros(n_items, dtype=bool)
        for shift in range(-distance, distance + 1):
            shifted = items + shift
            is_nearby[shifted[(shifted >= 0) & (shifted < n_items)]] = True
        return np.flatnonzero(is_nearby)


def spread_evenly(n: int, most: int) -> Ints:
    """Return at most ``most`` of the places 0..n-1, evenly spread and the same each time.

    Examples
    --------
    >>> spread_evenly(5, 3).tolist(), spread_evenly(2, 3).tolist()
    ([0, 2, 4], [0, 1])
    """
    if n <= most:
        return np.arange(n)
    return np.linspace(0, n - 1, most).astype(np.int64)


def ranks_in_groups(group: Ints) -> tuple[Ints, Ints]:
    """Return the place of each entry in its group, and the size of the group; ``group`` (n,) ascends.

    Examples
    --------
    >>> ranks_in_groups(np.array([2, 2, 5]))
    (array([0, 1, 0]), array([2, 2, 1]))
    """
    _, first, inverse, size = np.unique(group, return_index=True, return_inverse=True, return_counts=True)
    return np.arange(len(group)) - first[inverse], size[inverse]


def ranks_in_items(item: Ints) -> Ints:
    """Return the place of each entry among those of its item, in any order of items. Shapes: (n,) -> (n,).

    Examples
    --------
    >>> ranks_in_items(np.array([5, 2, 5]))
    array([0, 0, 1])
    """
    order = np.argsort(item, kind="stable")
    rank = np.empty(len(item), np.int64)
    rank[order], _ = ranks_in_groups(item[order])
    return rank


def exchanged_entries(item: Ints) -> list[Ints]:
    """Return for each entry one of the item after its own, of the same place in it; then of those two and
    three after. ``item`` and the results have shape (n,); with one item there are none."""
    items, place, sizes = np.unique(item, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    first = np.cumsum(sizes) - sizes
    rank = ranks_in_items(place)
    exchanged: list[Ints] = []
    for distance in range(1, min(N_EXCHANGED, len(items) - 1) + 1):
        other = (place + distance) % len(items)
        exchanged.append(order[first[other] + rank % sizes[other]])
    return exchanged


def is_in_first_half(item: Ints) -> Bools:
    """Return which entries are of every second item. Shapes: (n,) -> (n,)."""
    _, place = np.unique(item, return_inverse=True)
    return place % 2 == 0
