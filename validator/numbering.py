"""Numbers, and names with numbers, that are counted otherwise than in the data: from 0, or every fifth.

As in `spelling`, only names that are public are looked at, and names of a submission are hostile: numbers of
more than 9 digits, and those far from the end of a name, are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Ints
from validator.spelling import Change, Spelling

_LEAST_SHARE = 0.9
# A later change wins if so many more numbers of the data occur under it.
_CLEARLY_MORE = 0.2
_SMALL_SHIFT = 5
_FACTORS = (2, 3, 4, 5, 6, 8, 10)
_MOST_DIGITS = 9
# Numbers are looked for in so many characters at the end of a name.
_LONGEST_END = 60
# A minus is a sign where a number is all of a name, or of its last part.
_NUMBER = re.compile("(?:(?<![^/])-)?[0-9]+")


class Numbering(NamedTuple):
    """Number n of a submission is number ``factor`` * n + ``offset`` of the data."""

    factor: int
    offset: int

    def apply(self, numbers: Ints) -> Ints:
        """Return the numbers of the data."""
        return self.factor * numbers + self.offset

    def formula(self) -> str:
        """Return what is to be written for n: "n - 1", "5 n + 1"."""
        times = f"{self.factor} n" if self.factor != 1 else "n"
        sign = "-" if self.offset < 0 else "+"
        return f"{times} {sign} {abs(self.offset):,}" if self.offset else times

    def words(self) -> str:
        """Return how numbers look: "one too high", "12 too low", "like n in place of 5 n + 1"."""
        if self.factor != 1:
            return f"like n in place of {self.formula()}"
        size = "one" if abs(self.offset) == 1 else f"{abs(self.offset):,}"
        return f"{size} too {'high' if self.offset < 0 else 'low'}"


def find_numbering(
    numbers: Ints, true_numbers: Ints, groups: Ints | None = None, true_groups: Ints | None = None
) -> Numbering | None:
    """Return how numbers of a submission are counted otherwise than those of the data.

    Counted are the numbers of the data that occur, not those of the submission that are known: a change that
    makes few numbers of many would win otherwise.

    Parameters
    ----------
    numbers, true_numbers : int arrays of shapes (n,) and (m,)
        At most 9 digits.
    groups, true_groups : int arrays of the same shapes, optional
        What the numbers belong to, as frames to videos, numbered alike on both sides from 0.

    Returns
    -------
    Numbering or None
        The smallest shift, otherwise a factor and an offset, under which at least 90 % of the numbers are
        known and more than as they are; None if there is none.
    """
    if not len(numbers) or not len(true_numbers):
        return None
    sides = _NumberedSides.of(numbers, true_numbers, groups, true_groups)
    n_as_is = sides.n_known(Numbering(1, 0))
    least = max(n_as_is + 1, _LEAST_SHARE * sides.most_known)
    best = None
    most_known = 0
    for numbering in sides.candidates():
        n_known = sides.n_known(numbering)
        if n_known >= least and (best is None or n_known > most_known + _CLEARLY_MORE * sides.most_known):
            best, most_known = numbering, n_known
    return best


class _NumberedSides(NamedTuple):
    """Numbers of a submission and of the data, each once in its group, sorted by group and number."""

    groups: Ints
    numbers: Ints
    true_groups: Ints
    true_numbers: Ints

    @classmethod
    def of(
        cls, numbers: Ints, true_numbers: Ints, groups: Ints | None, true_groups: Ints | None
    ) -> _NumberedSides:
        """Return both sides sorted, in one group if no groups are given."""
        if groups is None or true_groups is None:
            groups = np.zeros(len(numbers), np.int64)
            true_groups = np.zeros(len(true_numbers), np.int64)
        submitted = np.unique(np.stack([groups, numbers], axis=1).astype(np.int64), axis=0)
        true = np.unique(np.stack([true_groups, true_numbers], axis=1).astype(np.int64), axis=0)
        return cls(submitted[:, 0], submitted[:, 1], true[:, 0], true[:, 1])

    @property
    def most_known(self) -> int:
        """How many numbers of the data can occur at most."""
        return min(len(self.numbers), len(self.true_numbers))

    def n_known(self, numbering: Numbering) -> int:
        """Return how many numbers of the data occur in a submission so changed."""
        changed = numbering.apply(self.numbers)
        return int(self._is_known(changed).sum())

    def _is_known(self, numbers: Ints) -> Bools:
        # A number has at most 9 digits, and at most one more once it is changed.
        in_range = (numbers >= 0) & (numbers < 10 ** (_MOST_DIGITS + 1))
        keys = self.groups * 10 ** (_MOST_DIGITS + 1) + numbers
        true_keys = self.true_groups * 10 ** (_MOST_DIGITS + 1) + self.true_numbers
        return np.isin(keys, true_keys) & in_range

    def candidates(self) -> Iterator[Numbering]:
        """Yield shifts, the smallest first, and then factors with their offsets."""
        aligned = int(self.true_numbers.min() - self.numbers.min())
        aligned_at_end = int(self.true_numbers.max() - self.numbers.max())
        small = range(-_SMALL_SHIFT, _SMALL_SHIFT + 1)
        shifts = {*small, aligned, aligned_at_end, self._usual_offset(1)} - {0}
        for shift in sorted(shifts, key=lambda shift: (abs(shift), shift)):
            yield Numbering(1, shift)
        for factor in _FACTORS:
            yield Numbering(factor, self._usual_offset(factor))

    def _usual_offset(self, factor: int) -> int:
        """Return the most frequent offset between the first numbers of groups that both sides have."""
        group, first = np.unique(self.groups, return_index=True)
        true_group, true_first = np.unique(self.true_groups, return_index=True)
        _, place, true_place = np.intersect1d(group, true_group, return_indices=True)
        if not len(place):
            return 0
        first_true_numbers = self.true_numbers[true_first[true_place]]
        offsets = first_true_numbers - factor * self.numbers[first[place]]
        values, counts = np.unique(offsets, return_counts=True)
        return int(values[counts.argmax()])


def find_renumbering(
    names: Collection[str], true_names: Collection[str]
) -> tuple[Numbering, Spelling] | None:
    """Return how the numbers in names are counted otherwise, and the change of names that follows from it.

    The numbers are the last ones of the names, or those before, if this makes more names known. How many
    digits a number is written with does not matter. None if no change makes 90 % of the names known.
    """
    true_set = set(true_names)
    best = None
    most_known = len(true_set.intersection(names))
    for place in (-1, -2):
        numbered = _NumberedNames.of(names, true_set, place)
        numbering = numbered.find_numbering()
        if numbering is None:
            continue
        spelling = Spelling(f"with {numbering.formula()} for n", numbered.changed_by(numbering))
        n_known = spelling.n_known(names, true_set)
        least = _LEAST_SHARE * min(len(names), len(true_set))
        if n_known > most_known and n_known >= least:
            best, most_known = (numbering, spelling), n_known
    return best


class _NumberedName(NamedTuple):
    """A name with a number: what is before and after it."""

    number: int
    rest: tuple[str, str]


def _split_number(name: str, place: int) -> _NumberedName | None:
    """Return the last number of a name (``place`` -1) or the one before (-2), None without one."""
    runs = list(_NUMBER.finditer(name[-_LONGEST_END:]))
    if len(runs) < -place or len(runs[place][0]) > _MOST_DIGITS:
        return None
    begin = max(0, len(name) - _LONGEST_END)
    first, last = begin + runs[place].start(), begin + runs[place].end()
    return _NumberedName(int(name[first:last]), (name[:first], name[last:]))


class _NumberedNames(NamedTuple):
    """Names of a submission and of the data, by what is around their numbers."""

    split: Mapping[str, _NumberedName]
    name_of_number: Mapping[tuple[tuple[str, str], int], str]
    place: int

    @classmethod
    def of(cls, names: Collection[str], true_names: Collection[str], place: int) -> _NumberedNames:
        """Split all names that have a number."""
        split = {}
        for name in names:
            parts = _split_number(name, place)
            if parts is not None:
                split[name] = parts
        name_of_number = {}
        for name in true_names:
            parts = _split_number(name, place)
            if parts is not None:
                name_of_number[parts.rest, parts.number] = name
        return cls(split, name_of_number, place)

    def find_numbering(self) -> Numbering | None:
        """Return how the numbers are counted otherwise; names that differ elsewhere do not count."""
        group_of_rest: dict[tuple[str, str], int] = {}
        for rest, _ in self.name_of_number:
            group_of_rest.setdefault(rest, len(group_of_rest))
        parts = [parts for parts in self.split.values() if parts.rest in group_of_rest]
        return find_numbering(
            numbers=np.array([part.number for part in parts], np.int64),
            true_numbers=np.array([number for _, number in self.name_of_number], np.int64),
            groups=np.array([group_of_rest[part.rest] for part in parts], np.int64),
            true_groups=np.array([group_of_rest[rest] for rest, _ in self.name_of_number], np.int64),
        )

    def changed_by(self, numbering: Numbering) -> Change:
        """Return the change of names with other numbers."""

        def change(name: str) -> str:
            parts = _split_number(name, self.place)
            if parts is None:
                return name
            number = numbering.factor * parts.number + numbering.offset
            return self.name_of_number.get((parts.rest, number), name)

        return change
