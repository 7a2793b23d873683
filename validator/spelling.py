"""Names in another spelling, and names whose numbers are counted otherwise.

A *folding* maps all spellings of a name to one text: names that fold alike differ only in what the folding
drops, such as upper case, or an ending. `find_spellings` and `find_numbering` look for the change under which
names of a submission are names of the data; what they return can be applied to any name. They need no labels:
only names that are public. Names of a submission are hostile: all patterns take linear time, what is compared
name by name is limited in number and length.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Ints
from validator.texts import folded, quote

# Names that are looked at to find what is added in front of all, or at their end.
_SAMPLED_NAMES = 40
_LONGEST_AFFIX = 40
# A later change wins if so many more names of the data occur under it.
_CLEARLY_MORE = 0.2
_LEAST_SHARE = 0.9
_SMALL_SHIFT = 5
_FACTORS = (2, 3, 4, 5, 6, 8, 10)
_MOST_DIGITS = 9
# For `difflib`: the least similarity of the nearest name, and what bounds the time.
_NEAR = 0.7
_MOST_COMPARED = 2_000
_LONGEST_COMPARED = 60

_MARKS = re.compile(r"[\0-/:-`{-\x7f]+")
_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
_ENDING = re.compile(r"(?<=[^./\\])\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
_CLIP_TIMES = re.compile(r"_[0-9]{6}_[0-9]{6}\Z")
# A minus is a sign where a number is all of a name, or of its last part.
_NUMBER = re.compile("(?:(?<![^/])-)?[0-9]+")

Change = Callable[[str], str]


def without_marks(name: str) -> str:
    """Return a name without blanks, punctuation and other marks of ASCII."""
    return _MARKS.sub("", name)


def without_zeros(name: str) -> str:
    """Return a name whose numbers have no zeros in front."""
    return _ZEROS.sub("", name)


def without_folder(name: str) -> str:
    """Return what follows the last slash or backslash of a name."""
    return re.split(r"[/\\]", name)[-1] or name


def without_ending(name: str) -> str:
    """Return a name without an ending such as ``.mp4``."""
    # Endings are short, and a pattern that is searched for in a long text begins at each of its characters.
    end = name[-8:]
    return name[: len(name) - len(end)] + _ENDING.sub("", end)


def without_clip_times(name: str) -> str:
    """Return the name of a video without the times of a clip, as ``_000001_000010``."""
    end = name[-14:]
    return name[: len(name) - len(end)] + _CLIP_TIMES.sub("", end)


def without_v(name: str) -> str:
    """Return the name of a video without the ``v_`` that ActivityNet writes in front of it."""
    return name[2:] if name[:2] in ("v_", "V_") else name


def singular(name: str) -> str:
    """Return a name whose last word, an English noun in lower case, is in the singular."""
    if name.endswith("men"):
        return name[:-3] + "man"
    if name.endswith("ies") and len(name) > 4:
        return name[:-3] + "y"
    if name.endswith(("ses", "xes", "zes", "ches", "shes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name[:-1]
    return name


class Folding(NamedTuple):
    """What names may differ in.

    Attributes
    ----------
    fold : callable
        Returns a name without it.
    dropped, added : str
        What is to be done to names of a submission if only they have it, and otherwise: "without their
        ending".
    """

    fold: Change
    dropped: str
    added: str


# In the order in which all of them are applied to a name. Folding of case also finds None for none.
FOLDINGS = (
    Folding(without_folder, "without the folder in front of them", "with their folder in front of them"),
    Folding(without_ending, "without their ending", "with the ending that they have in the data"),
    Folding(without_clip_times, "without the times at their end", "with times at their end, as in the data"),
    Folding(without_v, "without v_ in front of them", "with v_ in front of them"),
    Folding(
        without_zeros, "without zeros in front of numbers", "with as many digits in numbers as in the data"
    ),
    Folding(folded, "in lower case", "in upper and lower case as in the data"),
    Folding(without_marks, "without blanks and marks", "with blanks and marks as in the data"),
    Folding(singular, "in the singular", "in the plural"),
)


def fold_all(name: str) -> str:
    """Return a name without anything that spellings differ in, "" if nothing else is left."""
    for folding in FOLDINGS:
        name = folding.fold(name)
    return name


class Spelling(NamedTuple):
    """A change of the spelling of names; ``words`` say what is done to them: "with v_ in front of them".

    ``change`` returns the name of the data that a name of a submission stands for, or the name as it is.
    """

    words: str
    change: Change

    def n_known(self, names: Collection[str], true_names: Collection[str]) -> int:
        """Return how many of ``true_names`` occur among the names of a submission so changed."""
        return len({self.change(name) for name in names}.intersection(true_names))


def find_spellings(names: Collection[str], true_names: Collection[str]) -> list[Spelling]:
    """Return changes of spelling under which more names of a submission are known, the simplest first.

    Parameters
    ----------
    names : collection of str
        Those of a submission, each once.
    true_names : collection of str
        All names of the data; a set, or the keys of a dict, is fastest.

    Returns
    -------
    list of Spelling
        Each folding alone, what is added in front of or behind all names, and all foldings together, of
        those that change an unknown name into a known one.
    """
    true_set = set(true_names)
    unknown_names = [name for name in names if name not in true_set]
    spellings = []
    for spelling in _candidates(unknown_names, true_set):
        if any(spelling.change(name) in true_set for name in unknown_names):
            spellings.append(spelling)
    return spellings


def best_spelling(names: Collection[str], true_names: Collection[str]) -> Spelling | None:
    """Return the simplest of `find_spellings` that no other exceeds by far, None if there is none."""
    true_set = set(true_names)
    best = None
    most_known = 0
    for spelling in find_spellings(names, true_set):
        n_known = spelling.n_known(names, true_set)
        if best is None or n_known > most_known + _CLEARLY_MORE * min(len(names), len(true_set)):
            best, most_known = spelling, n_known
    return best


def _candidates(unknown_names: Sequence[str], true_names: Collection[str]) -> Iterator[Spelling]:
    """Yield all changes of spelling that are tried."""
    for folding in FOLDINGS:
        if any(folding.fold(name) != name for name in (*unknown_names, *true_names)):
            yield _folding_spelling(folding.fold, unknown_names, true_names)
    yield from _affix_spellings(unknown_names, true_names)
    yield _folding_spelling(fold_all, unknown_names, true_names)


def _folding_spelling(fold: Change, unknown_names: Sequence[str], true_names: Collection[str]) -> Spelling:
    """Return the change of names into the names of the data that fold alike."""
    name_of_fold = unique_folds(fold, true_names)

    def change(name: str) -> str:
        return name_of_fold.get(fold(name)) or name

    pairs = ((name, change(name)) for name in unknown_names)
    changed_pairs = ((before, after) for before, after in pairs if before != after)
    descriptions = Counter(describe_change(*pair) for pair in islice(changed_pairs, _SAMPLED_NAMES))
    words = max(descriptions, key=lambda description: descriptions[description], default="")
    return Spelling(words, change)


def unique_folds(fold: Change, names: Iterable[str]) -> dict[str, str]:
    """Return the name that folds to each text, "" where several do, or where nothing of a name is left."""
    name_of_fold: dict[str, str] = {"": ""}
    for name in names:
        text = fold(name)
        name_of_fold[text] = "" if text in name_of_fold else name
    return name_of_fold


def describe_change(before: str, after: str) -> str:
    """Return what foldings do to a name so that it becomes another one: "in lower case, in the singular".

    Examples
    --------
    >>> describe_change("abc.mp4", "v_abc")
    'without their ending and with v_ in front of them'
    >>> describe_change("Play Drums", "play_drums")
    'in lower case and with blanks and marks as in the data'
    """
    words = []
    for folding in FOLDINGS:
        folded_before, folded_after = folding.fold(before), folding.fold(after)
        if before == after:
            break
        if folded_before != before and folded_after == after:
            words.append(folding.dropped)
        elif folded_after != after and folded_before in (before, folded_after):
            words.append(folding.added)
        before, after = folded_before, folded_after
    *first_words, last_words = words or [""]
    return f"{', '.join(first_words)} and {last_words}" if first_words else last_words


class _Affixes(NamedTuple):
    """What is taken off the front and the end of a name, and what is then put there."""

    old_start: str = ""
    new_start: str = ""
    old_end: str = ""
    new_end: str = ""

    def change(self, name: str) -> str:
        """Return a changed name, or the name as it is if it has not what is to be taken off."""
        if not (name.startswith(self.old_start) and name.endswith(self.old_end)):
            return name
        middle = name[len(self.old_start) : len(name) - len(self.old_end)]
        return f"{self.new_start}{middle}{self.new_end}"

    def words(self) -> str:
        """Return what is done to names."""
        parts = (
            ("without", self.old_start, "in front of them"),
            ("with", self.new_start, "in front of them"),
            ("without", self.old_end, "at their end"),
            ("with", self.new_end, "at their end"),
        )
        words = [f"{how} {quote(affix)} {place}" for how, affix, place in parts if affix]
        return " and ".join(words)


def _affix_spellings(names: Sequence[str], true_names: Collection[str]) -> Iterator[Spelling]:
    """Yield the change of what all names have in front or at their end that makes most names known, if any.

    One text is taken off or added, which is found by trying all lengths on a few names.
    """
    start = _common_start(list(true_names))
    end = _common_start([name[::-1] for name in true_names])[::-1]
    counts: Counter[_Affixes] = Counter()
    for name in islice(names, _SAMPLED_NAMES):
        for length in range(1, min(len(name), _LONGEST_AFFIX)):
            if name[length:] in true_names:
                counts[_Affixes(old_start=name[:length])] += 1
            if name[:-length] in true_names:
                counts[_Affixes(old_end=name[-length:])] += 1
        for length in range(1, len(start) + 1):
            if start[:length] + name in true_names:
                counts[_Affixes(new_start=start[:length])] += 1
        for length in range(1, len(end) + 1):
            if name + end[-length:] in true_names:
                counts[_Affixes(new_end=end[-length:])] += 1
    for affixes, _ in counts.most_common(1):
        yield Spelling(affixes.words(), affixes.change)


def _common_start(names: Sequence[str]) -> str:
    """Return what all names begin with, at most `_LONGEST_AFFIX` characters."""
    if not names:
        return ""
    # What the first and the last name in order have in common, all between them have, too.
    first, last = min(names)[:_LONGEST_AFFIX], max(names)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[:length]


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
    runs = list(_NUMBER.finditer(name[-_LONGEST_COMPARED:]))
    if len(runs) < -place or len(runs[place][0]) > _MOST_DIGITS:
        return None
    begin = max(0, len(name) - _LONGEST_COMPARED)
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


class NearestNames:
    """Finds the nearest of some names to one that is not among them.

    Parameters
    ----------
    names : collection of str
        What is public. Of more than 2,000 names only those that fold alike are found.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._name_of_fold = unique_folds(fold_all, names)
        self._nearest: dict[str, str] = {}
        self._compared: dict[str, str] = {}
        if len(names) <= _MOST_COMPARED:
            for name in sorted(names):
                self._compared.setdefault(folded(name[:_LONGEST_COMPARED]), name)

    def find(self, name: str) -> str:
        """Return the nearest name, "" if none is near."""
        if len(name) > _LONGEST_COMPARED:
            return ""
        if name not in self._nearest:
            self._nearest[name] = self._search(name)
        return self._nearest[name]

    def _search(self, name: str) -> str:
        alike = self._name_of_fold.get(fold_all(name), "")
        if alike:
            return alike
        close = difflib.get_close_matches(folded(name), self._compared, n=1, cutoff=_NEAR)
        return self._compared[close[0]] if close else ""

    def words(self, name: str) -> str:
        """Return half a sentence on the nearest name, " (the nearest is 'robin')", "" if none is near."""
        nearest = self.find(name)
        return f" (the nearest is '{quote(nearest, _LONGEST_COMPARED)}')" if nearest else ""
