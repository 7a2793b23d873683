"""Other spellings of words, with those that only the search for repairs tries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from scoring_program.repairs.numbering import last_number
from scoring_program.repairs.spelling import Spelling, find_spellings
from validator.names import unique_folds, without_clip_times, without_folder

# Longer words are no names.
_LONGEST = 200

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
    """Return the same change, which leaves words alone that are too long to be names."""
    return lambda word: change(word) if len(word) <= _LONGEST else word


def _only_number(word: str) -> str:
    number = last_number(without_clip_times(without_folder(word)))
    return word if number is None else str(number)
