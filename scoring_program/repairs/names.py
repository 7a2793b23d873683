"""Spelling and numbers: foldings under which names are equal, and numbers ``n + k`` and ``a n + b``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from validator.texts import folded

_NUMBER = re.compile("[0-9]+")
_MARKS = re.compile(r"[\0-/:-`{-\x7f]+")
_TIMES = re.compile(r"_[0-9]{6}_[0-9]{6}(?=$|\.)")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_LEADING_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
# A participant may write any number of digits.
_MOST_DIGITS = 9
# Longer names are not folded: none is as long.
LONGEST = 200
_LARGEST_SHIFT = 5


class Folding(NamedTuple):
    """A way to write words under which different spellings are equal.

    ``words`` follow "read" where the submission has more than the reference, as an ending; ``words_if_less``
    where it has less.
    """

    fold: Callable[[str], str]
    words: str
    words_if_less: str = ""


def _lower(word: str) -> str:
    return folded(word)


def _without_marks(word: str) -> str:
    return _MARKS.sub("", folded(word))


def _singular(word: str) -> str:
    letters = _without_marks(word)
    if letters.endswith("ies"):
        return f"{letters[:-3]}y"
    if letters.endswith(("ches", "shes", "sses", "xes")):
        return letters[:-2]
    return letters[:-1] if letters.endswith("s") and not letters.endswith("ss") else letters


def _without_ending(word: str) -> str:
    return _ENDING.sub("", word)


def _without_prefix(word: str) -> str:
    return word[2:] if word.startswith("v_") else word


def _without_times(word: str) -> str:
    return _TIMES.sub("", _without_ending(word))


def _without_folder(word: str) -> str:
    return word.rpartition("/")[2]


def _without_zeros(word: str) -> str:
    return _LEADING_ZEROS.sub("", word)


def _bare(word: str) -> str:
    """Return a word without all that people add or leave out."""
    name = _without_times(_without_folder(word.strip()))
    return _without_marks(_without_zeros(_without_prefix(folded(name))))


def _only_number(word: str) -> str:
    number = last_number(_without_times(_without_folder(word)))
    return word if number is None else str(number)


FOLDINGS = (
    Folding(_lower, "in lower case", "in the letters of the list, which are not all small"),
    Folding(_without_marks, "without regard to capitals, blanks, hyphens and underscores"),
    Folding(_without_ending, "without their ending", "with their ending"),
    Folding(_without_prefix, "without v_ in front", "with v_ in front"),
    Folding(_without_folder, "without their folder", "with their folder"),
    Folding(_without_times, "without times and ending", "with times and ending"),
    Folding(_without_zeros, "without zeros in front of numbers", "with zeros in front of numbers"),
    Folding(_singular, "in the singular", "in the plural"),
    Folding(_bare, "without folders, endings and times, in lower case"),
    Folding(_only_number, "by their numbers alone"),
)


def folding_tables(
    true_words: Sequence[str], more_foldings: Sequence[Folding] = ()
) -> list[tuple[Folding, dict[str, str]]]:
    """Return each folding that keeps true words apart, with the true word of each folded one."""
    tables = []
    words = set(true_words)
    for folding in (*FOLDINGS, *more_foldings):
        table = {folding.fold(word): word for word in sorted(words)}
        if len(table) == len(words):
            tables.append((folding, table))
    return tables


def respell(folding: Folding, table: dict[str, str], word: str) -> str:
    """Return the true word that a word is another spelling of, or the word itself."""
    if len(word) > LONGEST:
        return word
    return table.get(folding.fold(word), word)


def folding_words(folding: Folding, predicted: Iterable[str], true: Iterable[str], what: str) -> str:
    """Return how names are read, by the side that a folding changes more."""
    longer = _mean_change(folding, predicted) >= _mean_change(folding, true)
    words = folding.words if longer or not folding.words_if_less else folding.words_if_less
    return f"with {what} {words}"


def _mean_change(folding: Folding, words: Iterable[str]) -> float:
    changes = [folding.fold(word) != word for word in words if len(word) <= LONGEST]
    return sum(changes) / max(len(changes), 1)


def last_number(word: str) -> int | None:
    """Return the last number in a word, of its last 9 digits; None without any.

    Examples
    --------
    >>> last_number("img_00012.json"), last_number("clip")
    (12, None)
    """
    numbers = _NUMBER.findall(word[-LONGEST:])
    return int(numbers[-1][-_MOST_DIGITS:]) if numbers else None


class NumberMap(NamedTuple):
    """Maps n to ``factor * n + shift``."""

    factor: Fraction
    shift: Fraction

    def number(self, number: int | None) -> int | None:
        """Return the mapped number, None if there is none or it is no whole number."""
        if number is None:
            return None
        mapped = self.factor * number + self.shift
        return int(mapped) if mapped.denominator == 1 else None

    @property
    def words(self) -> str:
        """The formula, as ``5 n - 4``."""
        factor, shift = self.factor, self.shift
        if factor.numerator == 1 and factor.denominator > 1:
            product = f"n / {factor.denominator}"
        elif factor == 1:
            product = "n"
        elif factor == -1:
            return f"{_plain(shift)} - n"
        else:
            product = f"{_plain(factor)} n"
        if not shift:
            return product
        return f"{product} {'+' if shift > 0 else '-'} {_plain(abs(shift))}"


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.4g}"


def shifts(most: int = _LARGEST_SHIFT) -> list[NumberMap]:
    """Return n + k and n - k for each k up to ``most``, the smallest first."""
    maps = []
    for amount in range(1, most + 1):
        for shift in (amount, -amount):
            maps.append(NumberMap(Fraction(1), Fraction(shift)))
    return maps


def line_through(numbers: Sequence[int], true_numbers: Sequence[int]) -> NumberMap | None:
    """Return the map of the first and the last number of one side to those of the other, if there is one."""
    if len(set(numbers)) < 2 or len(set(true_numbers)) < 2:
        return None
    first, last = min(numbers), max(numbers)
    true_first, true_last = min(true_numbers), max(true_numbers)
    factor = Fraction(true_last - true_first, last - first)
    return NumberMap(factor, true_first - factor * first)


def most_frequent_lines(lines: Iterable[NumberMap | None], most: int = 3) -> list[NumberMap]:
    """Return the maps that most groups agree on."""
    counts = Counter(line for line in lines if line is not None)
    frequent = counts.most_common(most)
    return [line for line, _ in frequent]
