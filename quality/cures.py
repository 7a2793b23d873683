"""Cures of mistakes, which the search for repairs should find, and orders in which mistakes write things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.search import Repair
from people_in_video.diagnosis.trials import Family
from validator.arrays import Floats, Ints


class Cure(NamedTuple):
    """A repair that is right for a mistake: one of a family, of one of the things that are compared."""

    compared: Sequence[str]
    family: Family

    def is_found(self, repairs: Iterable[Repair]) -> bool:
        """Return whether one of the repairs that were found is this one, whatever its parameters."""
        return any(repair.what in self.compared and repair.family is self.family for repair in repairs)


def next_items(n_items: int) -> Ints:
    """Return for each item the next one, the first for the last."""
    return (np.arange(n_items) + 1) % n_items


def shuffled_items(n_items: int) -> Ints:
    """Return the items in another order, the same each time."""
    return np.random.default_rng(n_items).permutation(n_items)


def other_order(words: Sequence[str]) -> dict[str, str]:
    """Return the name in another order of a list for each name of the list, the same each time."""
    order = np.random.default_rng(len(words)).permutation(len(words))
    return {word: words[place] for word, place in zip(words, order.tolist())}


def uneven_scales(item: Ints) -> Floats:
    """Return by what the boxes of each item are too small: neighbors differ. Shapes: (n,) -> (n,)."""
    return 1.3 + 0.17 * (item * 7 % 11)
