"""Numbers, and names with numbers, that are counted otherwise than in the data: from 0, or every fifth.

As in `spelling`, only names that are public are looked at, and names of a submission are hostile: numbers of
more than 9 digits, and those far from the end of a name, are left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Ints

_LEAST_SHARE = 0.9
# A factor wins over a shift if so many more numbers of the data occur under it.
_CLEARLY_MORE = 0.2
_SMALL_SHIFT = 5
_FACTORS = (2, 3, 4, 5, 6, 8, 10)
_MOST_LINES = 3
# Lines through numbers have no larger numerators and denominators.
_LARGEST_TERM = 10_000
_MOST_DIGITS = 9
# Numbers are looked for in so many characters at the end of a name.
_LONGEST_END = 60
# A minus is a sign where a number is all of a name; what has a point is a time, and counts nothing.
_NUMBER = re.compile(r"(?:\A-)?[0-9]+(?:\.[0-9]+)?")


class Numbering(NamedTuple):
    """Number n of a submission is number ``factor`` * n + ``offset`` of the data."""

    factor: Fraction
    offset: Fraction

    def number(self, number: int) -> int | None:
        """Return the number of the data, None if it is no whole number."""
        meant = self.factor * number + self.offset
        return int(meant) if meant.denominator == 1 else None

    def apply(self, numbers: Ints) -> Ints:
        """Return the numbers of the data, -1 for those that are no whole numbers."""
        p, q = self.factor.denominator, self.offset.denominator
        denominator = p * q // gcd(p, q)
        numerators = int(self.factor * denominator) * numbers + int(self.offset * denominator)
        return np.where(numerators % denominator == 0, numerators // denominator, -1)

    @property
    def is_as_in_data(self) -> bool:
        """Whether numbers are counted as in the data."""
        return self == AS_IN_DATA

    def formula(self) -> str:
        """Return what is to be written for n: "n - 1", "5 n + 1", "n / 5"."""
        if self.factor == 1:
            times = "n"
        elif self.factor.numerator == 1:
            times = f"n / {self.factor.denominator}"
        else:
            times = f"{_plain(self.factor)} n"
        sign = "-" if self.offset < 0 else "+"
        return f"{times} {sign} {_plain(abs(self.offset))}" if self.offset else times

    def words(self) -> str:
        """Return how numbers look: "one too high", "12 too low", "like n in place of 5 n + 1"."""
        if self.factor != 1:
            return f"like n in place of {self.formula()}"
        size = "one" if abs(self.offset) == 1 else _plain(abs(self.offset))
        return f"{size} too {'high' if self.offset < 0 else 'low'}"


def _plain(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):.4g}"


def shift_by(amount: int) -> Numbering:
    """Return the numbering n + ``amount``."""
    return Numbering(Fraction(1), Fraction(amount))


AS_IN_DATA = shift_by(0)
"""The numbering n."""


def small_shifts() -> list[Numbering]:
    """Return n + k and n - k for each k from 1 to 5, the smallest first."""
    amounts = [amount for amount in range(-_SMALL_SHIFT, _SMALL_SHIFT + 1) if amount]
    return [shift_by(amount) for amount in sorted(amounts, key=_size_of_shift)]


def _size_of_shift(amount: int) -> tuple[int, int]:
    return abs(amount), amount


def find_numbering(
    numbers: Ints, true_numbers: Ints, groups: Ints | None = None, true_groups: Ints | None = None
) -> Numbering | None:
    """Return how numbers of a submission are counted, which may be as in the data.

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
        The shift under which most numbers are known, the smallest of these, or a factor and an offset under
        which clearly more are known; None if fewer than 90 % are known under each.
    """
    if not len(numbers) or not len(true_numbers):
        return None
    sides = _NumberedSides.of(numbers, true_numbers, groups, true_groups)
    best = max(sides.shifts(), key=sides.n_known)
    most_known = sides.n_known(best)
    for line in sides.lines():
        n_known = sides.n_known(line)
        if n_known > most_known + _CLEARLY_MORE * sides.most_known:
            best, most_known = line, n_known
    return best if most_known >= _LEAST_SHARE * sides.most_known else None


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

    def shifts(self) -> list[Numbering]:
        """Return the shifts to try, the smallest first: none is one of them."""
        aligned = int(self.true_numbers.min() - self.numbers.min())
        aligned_at_end = int(self.true_numbers.max() - self.numbers.max())
        small = range(-_SMALL_SHIFT, _SMALL_SHIFT + 1)
        amounts = {*small, aligned, aligned_at_end, self._usual_offset(1)}
        return [shift_by(amount) for amount in sorted(amounts, key=_size_of_shift)]

    def lines(self) -> Iterator[Numbering]:
        """Yield factors with their usual offsets, and the lines through the first and the last numbers."""
        for factor in _FACTORS:
            yield Numbering(Fraction(factor), Fraction(self._usual_offset(factor)))
        counts = Counter(self._lines_of_groups())
        for line, _ in counts.most_common(_MOST_LINES):
            yield line

    def _lines_of_groups(self) -> Iterator[Numbering]:
        """Yield the line of each group through its first and its last number on both sides."""
        starts, ends, true_starts, true_ends = self._ends_of_common_groups()
        for place, first in enumerate(self.numbers[starts].tolist()):
            last = int(self.numbers[ends[place]])
            true_first = int(self.true_numbers[true_starts[place]])
            true_last = int(self.true_numbers[true_ends[place]])
            if last == first or true_last == true_first:
                continue
            factor = Fraction(true_last - true_first, last - first)
            if max(factor.numerator, factor.denominator) <= _LARGEST_TERM:
                yield Numbering(factor, true_first - factor * first)

    def _usual_offset(self, factor: int) -> int:
        """Return the most frequent offset between the first numbers of groups that both sides have."""
        starts, _, true_starts, _ = self._ends_of_common_groups()
        if not len(starts):
            return 0
        offsets = self.true_numbers[true_starts] - factor * self.numbers[starts]
        values, counts = np.unique(offsets, return_counts=True)
        return int(values[counts.argmax()])

    def _ends_of_common_groups(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return where groups that both sides have begin and end: here, and in the data."""
        group, start = np.unique(self.groups, return_index=True)
        true_group, true_start = np.unique(self.true_groups, return_index=True)
        _, place, true_place = np.intersect1d(group, true_group, return_indices=True)
        end = np.append(start[1:], len(self.groups)) - 1
        true_end = np.append(true_start[1:], len(self.true_groups)) - 1
        return start[place], end[place], true_start[true_place], true_end[true_place]


class _NumberInName(NamedTuple):
    """A number in a name, and what is before and after it."""

    number: int
    rest: tuple[str, str]


def _split_number(name: str, place: int) -> _NumberInName | None:
    """Return the last number of a name (``place`` -1) or the one before (-2), None without one."""
    runs = list(_NUMBER.finditer(name[-_LONGEST_END:]))
    if len(runs) < -place or "." in runs[place][0] or len(runs[place][0].lstrip("-0")) > _MOST_DIGITS:
        return None
    begin = max(0, len(name) - _LONGEST_END)
    first, last = begin + runs[place].start(), begin + runs[place].end()
    return _NumberInName(int(name[first:last]), (name[:first], name[last:]))


def _text_around(name: str) -> tuple[str, str] | None:
    """Return what is before and after the last number of a name, None without one."""
    parts = _split_number(name, -1)
    return None if parts is None else parts.rest


def last_number(name: str) -> int | None:
    """Return the last number in a name; None without any, or if it has more than 9 digits.

    Examples
    --------
    >>> last_number("img_00012.json"), last_number("clip")
    (12, None)
    """
    parts = _split_number(name, -1)
    return None if parts is None else parts.number
