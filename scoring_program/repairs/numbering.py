"""Numbers, and names with numbers, that are counted otherwise than in the data: from 0, or every fifth.

As in `spelling`, only names that are public are looked at, and names of a submission are hostile: numbers of
more than 9 digits, and those far from the end of a name, are left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Ints
from validator.texts import quote

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


# What a name belongs to, as the video of a frame, "" for nothing, and the name.
Member = tuple[str, str]
# What has to be equal on both sides, and a number.
_Place = tuple[Hashable, int]


class Reading(NamedTuple):
    """Where the numbers are in names of a submission and of the data; None for names without a place.

    ``is_in_any_text`` says whether what is around the numbers may differ.
    """

    place: Callable[[Member], _Place | None]
    true_place: Callable[[Member], _Place | None]
    is_in_any_text: bool = False


def _last_in_same_text(member: Member) -> _Place | None:
    return _place_in_text(member, -1)


def _one_before_in_same_text(member: Member) -> _Place | None:
    return _place_in_text(member, -2)


def _place_in_text(member: Member, number_place: int) -> _Place | None:
    group, name = member
    parts = _split_number(name, number_place)
    return None if parts is None else ((group, parts.rest), parts.number)


def _last_in_any_text(member: Member) -> _Place | None:
    group, name = member
    number = last_number(name)
    return None if number is None else (group, number)


def _whole_name(member: Member) -> _Place | None:
    return _last_in_any_text(member) if member[1].isdecimal() else None


_IN_SAME_TEXT = Reading(_last_in_same_text, _last_in_same_text)
NAME_READINGS = (
    _IN_SAME_TEXT,
    Reading(_one_before_in_same_text, _one_before_in_same_text),
    Reading(_whole_name, _last_in_any_text, is_in_any_text=True),
)
"""For names of items: other text beside the number may mean another item, but a number alone is meant."""
MEMBER_READINGS = (_IN_SAME_TEXT, Reading(_last_in_any_text, _last_in_any_text, is_in_any_text=True))
"""For names of what belongs to an item, as its frames, which the number tells alone."""


class Renumbering(NamedTuple):
    """A change of names in which numbers are counted otherwise, or written otherwise.

    ``change`` returns the name of the data that a member of a submission stands for, or its name as it is;
    ``words`` say what is done to names.
    """

    numbering: Numbering
    change: Callable[[Member], str]
    words: str


def find_renumbering(
    members: Collection[Member], true_members: Collection[Member], readings: Sequence[Reading]
) -> Renumbering | None:
    """Return the change of the numbers in names that makes most names known.

    How many digits a number is written with does not matter. None if no change makes 90 % of the names known,
    and more than are known as they are.
    """
    true_set = set(true_members)
    best = None
    most_known = len(true_set.intersection(members))
    least = _LEAST_SHARE * min(len(members), len(true_set))
    for reading in readings:
        numbered = _NumberedNames.of(members, true_set, reading)
        numbering = numbered.find_numbering()
        if numbering is None:
            continue
        n_known = numbered.n_known(numbering)
        renumbering = numbered.renumbering(numbering)
        # Without words only zeros in front of numbers differ, which is another spelling.
        if n_known > most_known and n_known >= least and renumbering.words:
            best, most_known = renumbering, n_known
    return best


class _NumberedNames(NamedTuple):
    """The places of a submission's members, and the names of the data by their place."""

    place_of_member: Mapping[Member, _Place]
    name_of_place: Mapping[_Place, str]
    reading: Reading

    @classmethod
    def of(
        cls, members: Collection[Member], true_members: Collection[Member], reading: Reading
    ) -> _NumberedNames:
        """Read all names that have a number; in the data none of which two names have the same place.

        Where what is around numbers may differ, it must be the same in all names of the data: then a message
        that shows it tells how names are formed, and of no name that it is there.
        """
        place_of_member = {}
        for member in members:
            place = reading.place(member)
            if place is not None:
                place_of_member[member] = place
        name_of_place: dict[_Place, str] = {}
        for member in true_members:
            place = reading.true_place(member)
            if place is not None:
                name_of_place[place] = "" if place in name_of_place else member[1]
        unique_names = {place: name for place, name in name_of_place.items() if name}
        if reading.is_in_any_text and len({_text_around(name) for name in unique_names.values()}) > 1:
            unique_names = {}
        return cls(place_of_member, unique_names, reading)

    def find_numbering(self) -> Numbering | None:
        """Return how the numbers are counted; names that differ elsewhere do not count."""
        number_of_group: dict[Hashable, int] = {}
        for group, _ in self.name_of_place:
            number_of_group.setdefault(group, len(number_of_group))
        places = [place for place in self.place_of_member.values() if place[0] in number_of_group]
        true_places = list(self.name_of_place)
        return find_numbering(
            numbers=np.array([number for _, number in places], np.int64),
            true_numbers=np.array([number for _, number in true_places], np.int64),
            groups=np.array([number_of_group[group] for group, _ in places], np.int64),
            true_groups=np.array([number_of_group[group] for group, _ in true_places], np.int64),
        )

    def n_known(self, numbering: Numbering) -> int:
        """Return how many names of the data occur in a submission so changed."""
        names = {(member[0], self._changed(member, numbering)) for member in self.place_of_member}
        true_members = {(member_group, name) for member_group, name in names if name}
        return len(true_members)

    def _changed(self, member: Member, numbering: Numbering) -> str:
        """Return the name of the data that a member stands for, "" for none."""
        place = self.place_of_member.get(member) or self.reading.place(member)
        if place is None:
            return ""
        group, number = place
        meant_number = numbering.number(number)
        return "" if meant_number is None else self.name_of_place.get((group, meant_number), "")

    def renumbering(self, numbering: Numbering) -> Renumbering:
        """Return the change of names with other numbers."""

        def change(member: Member) -> str:
            return self._changed(member, numbering) or member[1]

        words = []
        if not numbering.is_as_in_data:
            words.append(f"with {numbering.formula()} for n (numbers look {numbering.words()})")
        if self.reading.is_in_any_text:
            words += self._example(numbering)
        return Renumbering(numbering, change, ", ".join(words))

    def _example(self, numbering: Numbering) -> list[str]:
        """Return how the first name is to be written whose text differs beside its number, as a list."""
        for member in self.place_of_member:
            true_name = self._changed(member, numbering)
            if not true_name:
                continue
            has_same_text = _text_around(member[1]) == _text_around(true_name)
            return [] if has_same_text else [f"written as '{quote(true_name)}' for '{quote(member[1])}'"]
        return []
