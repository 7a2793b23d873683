"""Cures of mistakes, which the search for repairs should find, and orders and names that mistakes write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from people_in_video.diagnosis.search import Repair
from people_in_video.diagnosis.trials import Family
from validator.arrays import Floats, Ints

ContentT = TypeVar("ContentT")


class Cure(NamedTuple):
    """A repair that is right for a mistake: one of a family, of a comparison with one of the ``nouns``."""

    nouns: Sequence[str]
    family: Family

    def is_found(self, repairs: Iterable[Repair]) -> bool:
        """Return whether one of the repairs that were found is this one, whatever its parameters."""
        return any(repair.noun in self.nouns and repair.family is self.family for repair in repairs)


def next_items(n_items: int) -> Ints:
    """Return for each item the next one, the first for the last."""
    return (np.arange(n_items) + 1) % n_items


def second_items(n_items: int) -> Ints:
    """Return for each item the one two after it, the first two for the last."""
    return (np.arange(n_items) + 2) % n_items


def shuffled_items(n_items: int) -> Ints:
    """Return the items in another order, the same each time."""
    return np.random.default_rng(n_items).permutation(n_items)


def other_order(words: Sequence[str]) -> dict[str, str]:
    """Return the name in another order of a list for each name of the list, the same each time."""
    order = np.random.default_rng(len(words)).permutation(len(words))
    return {word: words[place] for word, place in zip(words, order.tolist())}


def exchange(contents: Mapping[str, ContentT], items: Callable[[int], Ints]) -> dict[str, ContentT]:
    """Return contents under the names of others: that of item ``items(n)[i]`` for item i, by name."""
    names = sorted(contents)
    return {name: contents[names[item]] for name, item in zip(names, items(len(names)).tolist())}


def rename_keys(contents: Mapping[str, ContentT], rename: Callable[[str], str]) -> dict[str, ContentT]:
    """Return contents under other names."""
    return {rename(key): content for key, content in contents.items()}


def look_up(other_name: Mapping[str, str], name: str) -> str:
    """Return the other name of a name, itself if it has none."""
    return other_name.get(name, name)


def uneven_scales(item: Ints) -> Floats:
    """Return by what the boxes of each item are too small: neighbors differ. Shapes: (n,) -> (n,)."""
    return 1.3 + 0.17 * (item * 7 % 11)
