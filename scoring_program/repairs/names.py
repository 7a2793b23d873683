"""Spelling and numbers: changes under which words are those of the reference, n + k, and a n + b."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from validator.spelling import Spelling, find_spellings, unique_folds, without_clip_times, without_folder

_NUMBER = re.compile("[0-9]+")
# A participant may write any number of digits.
_MOST_DIGITS = 9
# Longer words are no names.
_LONGEST = 200
_LARGEST_SHIFT = 5

Fold = Callable[[str], str]


def find_respellings(
    words: Collection[str], true_words: Collection[str], more_folds: Mapping[str, Fold]
) -> list[Spelling]:
    """Return the changes of spelling that make words true ones, the simplest first.

    Parameters
    ----------
    words, true_words : collections of str
    more_folds : mapping of str to callable
        Further functions under which words are equal that differ in spelling, by the words for what they do:
        "as lemmas".
    """
    short_words = [word for word in words if len(word) <= _LONGEST]
    spellings = find_spellings(short_words, true_words)
    for description, fold in {**more_folds, "by their numbers alone": _only_number}.items():
        spellings.append(_folded_spelling(description, fold, true_words))
    return [Spelling(spelling.words, _bounded(spelling.change)) for spelling in spellings]


def _folded_spelling(description: str, fold: Fold, true_words: Iterable[str]) -> Spelling:
    word_of_fold = unique_folds(fold, true_words)

    def change(word: str) -> str:
        return word_of_fold.get(fold(word)) or word

    return Spelling(description, change)


def _bounded(change: Fold) -> Fold:
    """Return a change that leaves words as they are which are too long to be names."""
    return lambda word: change(word) if len(word) <= _LONGEST else word


def _only_number(word: str) -> str:
    number = last_number(without_clip_times(without_folder(word)))
    return word if number is None else str(number)


def last_number(word: str) -> int | None:
    """Return the last number in a word, of its last 9 digits; None without any.

    Examples
    --------
    >>> last_number("img_00012.json"), last_number("clip")
    (12, None)
    """
    numbers = _NUMBER.findall(word[-_LONGEST:])
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
