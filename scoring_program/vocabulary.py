"""Names that a submission uses and the data does not have: classes, parts, states.

The public vocabulary of a reference, ``vocabulary.json``, says which names there are, whether or not they
occur in the reference, so that a message on an unknown name tells nothing of what is hidden. It moves no
score.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scoring_program.task import Vocabulary
from validator.arrays import Ints
from validator.findings import Note
from validator.texts import counted, quote

# How often a submission uses each name, by kind.
NameCounts = Mapping[str, Mapping[str, int]]

_MOST_NAMED = 5
# Where a rule explains the names, which matters more.
_MOST_NAMED_OF_RULE = 2
_LONGEST_NAME = 40
# The share of unknown names that have a known word, from which on this is told.
_LEAST_PHRASES = 0.5
_PLURALS = {"class": "classes"}


def count_names(names: Sequence[str], numbers: Ints) -> dict[str, int]:
    """Return how often each name is used; ``numbers`` (n,) are places in ``names``, -1 stands for no name."""
    counts = np.bincount(numbers[numbers >= 0], minlength=len(names))
    return dict(zip(names, counts.tolist()))


class UnknownNames(NamedTuple):
    """The names of one kind that a submission uses and the data does not have.

    Attributes
    ----------
    kind : str
        What they are: "class", "part" or "state".
    counts : dict of str to int
        How often each is used, the most frequent first.
    n_used : int
        How often any name of the kind is used.
    nearest : dict of str to str
        The nearest name of those that may be told, of the first few where there is one. With a rule, what
        each name is by it; of phrases that all end with a known name, this one.
    explanation : str
        How all unknown names are spelled otherwise, "" if there is no such rule.
    """

    kind: str
    counts: dict[str, int]
    n_used: int
    nearest: dict[str, str]
    explanation: str

    def note(self) -> Note:
        """Return the note on them; it quotes the submission, and names of the data that may be told."""
        plural = _PLURALS.get(self.kind, f"{self.kind}s")
        n_unknown = sum(self.counts.values())
        share = f"{n_unknown:,} of {counted(self.n_used, self.kind, plural)} in the submission"
        most_named = _MOST_NAMED_OF_RULE if self.explanation else _MOST_NAMED
        words = ", ".join(map(self._named, list(self.counts)[:most_named]))
        n_others = len(self.counts) - most_named
        other_names = f" and {counted(n_others, 'other name')}" if n_others > 0 else ""
        text = f"{share}: no {self.kind} of the data has the name {words}{other_names}"
        return Note("N-NAMES-UNKNOWN", f"{text}; {self.explanation}" if self.explanation else text)

    def _named(self, name: str) -> str:
        """Return a name with how often it is used and the nearest one."""
        times = counted(self.counts[name], "time")
        nearest = self.nearest.get(name)
        if not nearest:
            return f"'{quote(name, _LONGEST_NAME)}' ({times})"
        from validator.names import quote_beside

        return f"'{quote_beside(name, nearest)}' ({times}; the nearest is '{quote(nearest, _LONGEST_NAME)}')"


def name_notes(submitted: NameCounts, vocabulary: Vocabulary) -> list[Note]:
    """Return a note on each kind of names that the public vocabulary does not have, or does not list."""
    notes = [unknown.note() for unknown in find_unknown_names(submitted, vocabulary)]
    unlisted_kinds = [kind for kind in submitted if not vocabulary.get(kind)]
    if unlisted_kinds:
        kinds = " and ".join(unlisted_kinds)
        notes.append(Note("N-UNCHECKED", f"the public data does not list the names of each {kinds}"))
    return notes


def find_unknown_names(submitted: NameCounts, vocabulary: Vocabulary) -> list[UnknownNames]:
    """Return the names of each kind that are not in a vocabulary; none of kinds that it does not list.

    ``submitted`` says how often a submission uses each name, by kind.
    """
    all_unknown_names = []
    for kind, count_of_name in submitted.items():
        known_names = set(vocabulary.get(kind, ()))
        if known_names and not known_names.issuperset(count_of_name):
            all_unknown_names.append(_unknown_names_of_kind(kind, count_of_name, known_names))
    return all_unknown_names


def _unknown_names_of_kind(
    kind: str, count_of_name: Mapping[str, int], known_names: Collection[str]
) -> UnknownNames:
    """Return the names of a kind that are not among the known ones; at least one is not."""
    from validator.names import REMEDY, NearestNames, find_sure_change

    unknown_names = [name for name in count_of_name if name not in known_names]
    unknown_names.sort(key=lambda name: -count_of_name[name])
    nearest_names = NearestNames(known_names)
    nearest = {name: nearest_names.find(name) for name in unknown_names[:_MOST_NAMED]}
    explanation = ""
    change = None
    if len(unknown_names) > 1:
        change = find_sure_change(
            [("", name) for name in count_of_name], [("", name) for name in known_names]
        )
    known_words = _known_words(unknown_names, known_names)
    if change:
        nearest = {
            name: nearest_name
            for (_, name), (_, nearest_name) in change.member_of_member.items()
            if name != nearest_name
        }
        explanation = f"{REMEDY}{change.text()}"
    elif len(known_words) >= max(_LEAST_PHRASES * len(unknown_names), 1):
        nearest.update(known_words)
        is_last = all(_plain_words(name)[-1] == word.casefold() for name, word in known_words.items())
        word_text = "the last word" if is_last else "a word"
        names = _some_of_all(len(known_words), len(unknown_names))
        explanation = f"{word_text} of {names} is a {kind} of the data"
    return UnknownNames(
        kind=kind,
        counts={name: count_of_name[name] for name in unknown_names},
        n_used=sum(count_of_name.values()),
        nearest={name: nearest_name for name, nearest_name in nearest.items() if nearest_name},
        explanation=explanation,
    )


def _known_words(phrases: Sequence[str], known_names: Collection[str]) -> dict[str, str]:
    """Return the known name that the last word of a phrase is, or else its only word that is one."""
    name_of_word = {name.casefold(): name for name in known_names}
    known_words = {}
    for phrase in phrases:
        words = _plain_words(phrase)
        words_of_data = [word for word in words if word in name_of_word]
        if len(words) < 2 or not words_of_data:
            continue
        if len(words_of_data) == 1 or words_of_data[-1] == words[-1]:
            known_words[phrase] = name_of_word[words_of_data[-1]]
    return known_words


def _plain_words(phrase: str) -> list[str]:
    """Return the words of a phrase without capitals, and without marks at their ends."""
    return [word.strip(".,;:!?").casefold() for word in phrase.split()]


def _some_of_all(number: int, total: int) -> str:
    if number < total:
        return f"{number:,} of the {total:,} names"
    return "it" if total == 1 else f"each of the {total:,} names"
