"""Names in another spelling.

A *folding* maps all spellings of a name to one text: names that fold alike differ only in what the folding
drops, such as upper case, or an ending. `find_spellings` looks for the changes under which names of a
submission are names of the data; what it returns can be applied to any name. It needs no labels: only names
that are public. Names of a submission are hostile: all patterns take linear time, and what is compared name
by name is limited in number and length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from validator import names as floor_names
from validator.names import Folding, describe_change, unique_folds
from validator.texts import quote

# Names that are looked at to find what is added in front of all, or at their end.
_SAMPLED_NAMES = 40
_LONGEST_AFFIX = 40

_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile("[0-9]")

Change = Callable[[str], str]


def with_sorted_words(name: str) -> str:
    """Return a name with its words in alphabetical order; one with digits, which may be an id, as it is."""
    if _DIGIT.search(name):
        return name
    sorted_words = iter(sorted(_WORD.findall(name)))
    return _WORD.sub(lambda _: next(sorted_words), name)


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


# Words in another order are found before marks between them are dropped.
FOLDINGS = (
    *floor_names.FOLDINGS[:-1],
    Folding(with_sorted_words, "with their words in another order", "with their words in another order"),
    floor_names.FOLDINGS[-1],
    Folding(singular, "in the singular", "in the plural"),
)
"""In the order in which all of them are applied to a name."""
_fold_all = partial(floor_names.fold_all, foldings=FOLDINGS)


class Spelling(NamedTuple):
    """A change of the spelling of names; ``words`` say what is done to them: "with v_ in front of them".

    ``change`` returns the name of the data that a name of a submission stands for, or the name as it is.
    """

    words: str
    change: Change


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


def _candidates(unknown_names: Sequence[str], true_names: Collection[str]) -> Iterator[Spelling]:
    """Yield all changes of spelling that are tried."""
    for folding in FOLDINGS:
        if any(folding.fold(name) != name for name in (*unknown_names, *true_names)):
            yield _folding_spelling(folding.fold, unknown_names, true_names)
    yield from _affix_spellings(unknown_names, true_names)
    yield _folding_spelling(_fold_all, unknown_names, true_names)


def _folding_spelling(fold: Change, unknown_names: Sequence[str], true_names: Collection[str]) -> Spelling:
    """Return the change of names into the names of the data that fold alike."""
    name_of_fold = unique_folds(fold, true_names)

    def change(name: str) -> str:
        return name_of_fold.get(fold(name)) or name

    pairs = ((name, change(name)) for name in unknown_names)
    changed_pairs = ((before, after) for before, after in pairs if before != after)
    descriptions = Counter(describe_change(*pair, FOLDINGS) for pair in islice(changed_pairs, _SAMPLED_NAMES))
    words = max(descriptions, key=lambda description: descriptions[description], default="")
    return Spelling(words, change)


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

    One text is taken off or added, which is found by trying all lengths on a few names, or what all begin
    with is replaced by what all names of the data begin with.
    """
    start = _common_start(list(true_names))
    end = _common_start([name[::-1] for name in true_names])[::-1]
    sample = names[:_SAMPLED_NAMES]
    counts: Counter[_Affixes] = Counter()
    for name in sample:
        counts.update(_affixes_to_drop(name, true_names))
        counts.update(_affixes_to_add(name, start, end, true_names))
    exchanged_start = _exchanged_start(_common_start(names), start)
    counts[exchanged_start] += sum(exchanged_start.change(name) in true_names for name in sample)
    for affixes, _ in counts.most_common(1):
        yield Spelling(affixes.words(), affixes.change)


def _affixes_to_drop(name: str, true_names: Collection[str]) -> Iterator[_Affixes]:
    """Yield each front and end of a name without which it is known."""
    for length in range(1, min(len(name), _LONGEST_AFFIX)):
        if name[length:] in true_names:
            yield _Affixes(old_start=name[:length])
        if name[:-length] in true_names:
            yield _Affixes(old_end=name[-length:])


def _affixes_to_add(name: str, start: str, end: str, true_names: Collection[str]) -> Iterator[_Affixes]:
    """Yield each part of the front and the end of all names of the data with which a name is known."""
    for length in range(1, len(start) + 1):
        if start[:length] + name in true_names:
            yield _Affixes(new_start=start[:length])
    for length in range(1, len(end) + 1):
        if name + end[-length:] in true_names:
            yield _Affixes(new_end=end[-length:])


def _exchanged_start(names_start: str, start: str) -> _Affixes:
    """Return the change of what all names begin with into what all names of the data begin with.

    None of it is changed that both have at their end, nor numbers, which may be counted otherwise.
    """
    n_common = len(_common_start([names_start[::-1], start[::-1]]))
    old_start = names_start[: len(names_start) - n_common]
    new_start = start[: len(start) - n_common]
    if _DIGIT.search(old_start + new_start):
        return _Affixes()
    return _Affixes(old_start=old_start, new_start=new_start)


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
