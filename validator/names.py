"""Names that the data does not have: the one change with which all are known, or both sides to compare.

It needs no labels: only names that are public. A *folding* maps all spellings of a name to one text: names
that fold alike differ only in what the folding drops, such as upper case, or an ending. Names of a submission
are hostile: all patterns take linear time, and what is compared is limited in number and length.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from validator.texts import counted, folded, quote

EXPLAINED_BY_NAMES = ("N-LOW",)
"""The codes of notes on low scores, which say nothing more where another spelling explains unknown names."""
# Comparing more names of the data would take longer than reading them.
_MOST_COMPARED = 20_000
_LONGEST_COMPARED = 200
_LONGEST_SHOWN = 40
_SHOWN_OF_SIDE = 3
# Of names that belong to others, as frames to videos, those of so many are looked at first.
_GROUPS_LOOKED_AT = 50
_MOST_MEMBERS = 200_000
# One name is always the neighbor of another.
_LEAST_SHIFTED = 2
# A number is looked for in so many characters at the end of a name.
_LONGEST_END = 60
# The nearest name: its least similarity, as `difflib` measures it, and what bounds the time.
_LEAST_SIMILARITY = 0.7
_MOST_NEAREST = 2_000
_LONGEST_NEAREST = 60

# All ASCII characters but digits and lowercase letters.
_MARKS = re.compile(r"[\0-/:-`{-\x7f]+")
# Zeros in front of a number: "007" has two.
_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
# The ending of a file name, after at least one other character: ".mp4".
_ENDING = re.compile(r"(?<=[^./\\])\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
# Start and end of a clip in seconds, as names of Kinetics have them: "_000012_000022".
_CLIP_TIMES = re.compile(r"_[0-9]{6}_[0-9]{6}\Z")
# The last number of a name; longer ones are ids.
_LAST_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,9}(?=[^0-9]{0,40}\Z)")

Fold = Callable[[str], str]
# What a name belongs to, as the video of a frame, "" for nothing, and the name.
Member = tuple[str, str]


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


def without_zeros(name: str) -> str:
    """Return a name whose numbers have no zeros in front."""
    return _ZEROS.sub("", name)


def without_marks(name: str) -> str:
    """Return a name without blanks, punctuation and other marks of ASCII."""
    return _MARKS.sub("", name)


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

    fold: Fold
    dropped: str
    added: str


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
)
"""In the order in which all of them are applied to a name."""


def fold_all(name: str) -> str:
    """Return a name without anything that spellings differ in, "" if nothing else is left."""
    for folding in FOLDINGS:
        name = folding.fold(name)
    return name


def unique_folds(fold: Fold, names: Iterable[str]) -> dict[str, str]:
    """Return the name that folds to each text, "" where several do, or where nothing of a name is left."""
    name_of_fold: dict[str, str] = {"": ""}
    for name in names:
        text = fold(name)
        name_of_fold[text] = "" if text in name_of_fold else name
    return name_of_fold


def describe_change(before: str, after: str, foldings: Sequence[Folding] = FOLDINGS) -> str:
    """Return what foldings do to a name so that it becomes another one.

    Examples
    --------
    >>> describe_change("abc.mp4", "v_abc")
    'without their ending and with v_ in front of them'
    >>> describe_change("Play Drums", "play_drums")
    'in lower case and with blanks and marks as in the data'
    """
    words = []
    for folding in foldings:
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


def explain_unknown_names(names: Collection[str], known_names: Collection[str]) -> str:
    """Return the one change with which all names are names of the data, no two the same; "" if none is sure.

    Parameters
    ----------
    names : collection of str
        What a submission names, each once; known and unknown ones.
    known_names : collection of str
        What the public data names.

    Examples
    --------
    >>> explain_unknown_names(["ab", "cd"], ["v_ab", "v_cd", "v_ef"])
    "with v_ in front of them, as 'v_ab' for 'ab'"
    >>> explain_unknown_names(["2", "3", "4"], ["1", "2", "3"])
    "with n - 1 for n, as '1' for '2'"
    >>> explain_unknown_names(["231", "232"], ["1", "2"])
    ''
    """
    if max(len(names), len(known_names)) > _MOST_COMPARED:
        return ""
    change = find_sure_change([("", name) for name in names], [("", name) for name in known_names])
    return change.text() if change else ""


def explain_unknown_members(
    members: Collection[Member], known_members: Collection[Member], group_noun: str
) -> str:
    """Return the same for names which belong to something, as frames to videos.

    Only those of what both sides have (a ``group_noun``, as "video") are compared.

    Examples
    --------
    >>> frames, known_frames = [("v", "1"), ("v", "2"), ("v", "3")], [("v", "0"), ("v", "1"), ("v", "2")]
    >>> explain_unknown_members(frames, known_frames, "video")
    "with n - 1 for n, as '0' for '1'"
    """
    groups = sorted({group for group, _ in members}.intersection(group for group, _ in known_members))
    if max(len(members), len(known_members)) > _MOST_MEMBERS:
        return ""
    few_groups = groups[:: -(-len(groups) // _GROUPS_LOOKED_AT) or 1]
    change = None
    for some_groups in (set(few_groups), set(groups)):
        some_members = [member for member in members if member[0] in some_groups]
        some_known = [member for member in known_members if member[0] in some_groups]
        change = find_sure_change(some_members, some_known, by_number=True)
        if change is None or len(few_groups) == len(groups):
            break
    if change is None:
        return ""
    is_part = len({group for group, _ in members}) > len(groups)
    return f"{change.text()}, in {counted(len(groups), group_noun)}" if is_part else change.text()


def some_of_each(names: Iterable[str], known_names: Iterable[str]) -> str:
    """Return the first names of both sides.

    Examples
    --------
    >>> some_of_each(["b", "a"], ["x1", "x2", "x3", "x4"])
    "yours are 'a', 'b', the data's 'x1', 'x2', 'x3' ..."
    """
    return f"yours are {_first_names(names)}, the data's {_first_names(known_names)}"


def _first_names(names: Iterable[str]) -> str:
    # Shorter names first: 2 is before 10.
    ordered = sorted(names, key=lambda name: (len(name), name))
    text = ", ".join(f"'{quote(name, _LONGEST_SHOWN)}'" for name in ordered[:_SHOWN_OF_SIDE])
    return f"{text} ..." if len(ordered) > _SHOWN_OF_SIDE else text


class Change(NamedTuple):
    """What is done to names, "" for what an example tells, and the member of the data that each then is."""

    words: str
    member_of_member: Mapping[Member, Member]

    def text(self) -> str:
        """Return the words with an example."""
        before, after = self.example()
        example = f"as '{quote(after, _LONGEST_SHOWN)}' for '{quote(before, _LONGEST_SHOWN)}'"
        return f"{self.words}, {example}" if self.words else example

    def example(self) -> tuple[str, str]:
        """Return the first name that changes, before and after."""
        changed = ((mine[1], true[1]) for mine, true in self.member_of_member.items() if mine != true)
        return next(changed)


def find_sure_change(
    members: Sequence[Member], known_members: Sequence[Member], by_number: bool = False
) -> Change | None:
    """Return the change with which every member is one of the data, no two the same; None unless it is the
    only such change.

    ``by_number`` says whether the number of a name tells it alone, as those of frames do.
    """
    known = dict.fromkeys(known_members)
    is_too_long = any(len(name) > _LONGEST_COMPARED for _, name in members)
    if is_too_long or known.keys() >= set(members):
        return None
    changes = list(_changes(members, list(known), by_number))
    if not changes or any(change.member_of_member != changes[0].member_of_member for change in changes):
        return None
    return changes[0]


def _changes(members: Sequence[Member], known: Sequence[Member], by_number: bool) -> Iterator[Change]:
    """Yield the changes with which every member is one of the data, the simplest first."""
    for folding in FOLDINGS:
        yield from _Sides(members, known, folding.fold).respelled()
    as_they_are = _Sides(members, known, str)
    for words, change in as_they_are.affixes():
        yield from as_they_are.changed(words, change)
    all_folded = _Sides(members, known, fold_all)
    yield from all_folded.respelled()
    for _, change in all_folded.affixes():
        yield from all_folded.changed("", change)
    if by_number:
        yield from _Sides(members, known, _number_alone).changed("", str)
    shifted_sides = _Sides(members, known, _number_alone if by_number else without_zeros)
    for amount, words in ((1, "with n + 1 for n"), (-1, "with n - 1 for n")):
        yield from shifted_sides.shifted(words, amount)


class _Sides:
    """The members of a submission, and those of the data by what they fold to, None where several do."""

    def __init__(self, members: Sequence[Member], known: Sequence[Member], fold: Fold) -> None:
        self._members = members
        self._known = set(known)
        self._fold = fold
        self._member_of_fold: dict[Member, Member | None] = {}
        for group, name in known:
            key = group, fold(name)
            if not key[1]:
                continue
            self._member_of_fold[key] = None if key in self._member_of_fold else (group, name)

    def respelled(self) -> Iterator[Change]:
        """Yield the change into what folds alike, if it makes every member one of the data."""
        for change in self.changed("", str):
            yield change._replace(words=describe_change(*change.example()))

    def changed(self, words: str, change: Fold) -> Iterator[Change]:
        """Yield a change of folded names if every member becomes one of the data, no two the same.

        Those of the data stay.
        """
        member_of_member: dict[Member, Member] = {}
        for group, name in self._members:
            true = group, name
            if true not in self._known:
                meant = self._member_of_fold.get((group, change(self._fold(name))))
                if meant is None:
                    return
                true = meant
            member_of_member[group, name] = true
        if len(set(member_of_member.values())) == len(member_of_member):
            yield Change(words, member_of_member)

    def shifted(self, words: str, amount: int) -> Iterator[Change]:
        """Yield the change of the last numbers by ``amount`` if the members become those of the data, all of
        them."""
        if len(set(self._members)) != len(self._known) or len(self._known) < _LEAST_SHIFTED:
            return
        member_of_member: dict[Member, Member] = {}
        for group, name in self._members:
            meant = self._member_of_fold.get((group, self._fold(_with_shifted_number(name, amount))))
            if meant is None:
                return
            member_of_member[group, name] = meant
        if set(member_of_member.values()) == self._known:
            yield Change(words, member_of_member)

    def affixes(self) -> Iterator[tuple[str, Fold]]:
        """Yield what the first unknown member has too much, or too little, in front or at its end, and the
        change of all folded names by it."""
        group, name = next(member for member in self._members if member not in self._known)
        text = self._fold(name)
        for place in range(1, len(text)):
            if (group, text[place:]) in self._member_of_fold and not _splits_number(text, place):
                start = text[:place]
                yield f"without '{quote(start)}' in front of them", _without_start(start)
            if (group, text[:place]) in self._member_of_fold and not _splits_number(text, place):
                end = text[place:]
                yield f"without '{quote(end)}' at their end", _without_end(end)
        for true_group, true_text in self._member_of_fold:
            if true_group != group or not text or len(true_text) <= len(text):
                continue
            place = len(true_text) - len(text)
            if true_text.endswith(text) and not _splits_number(true_text, place):
                yield f"with '{quote(true_text[:place])}' in front of them", _with_start(true_text[:place])
            place = len(text)
            if true_text.startswith(text) and not _splits_number(true_text, place):
                yield f"with '{quote(true_text[place:])}' at their end", _with_end(true_text[place:])


def _splits_number(text: str, place: int) -> bool:
    """Return whether a place is between two digits: what is taken off or added there makes another number."""
    return text[place - 1].isdigit() and text[place].isdigit()


def _without_start(start: str) -> Fold:
    # Without anything left it is no name of the data.
    return lambda name: name[len(start) :] if name.startswith(start) else ""


def _without_end(end: str) -> Fold:
    return lambda name: name[: -len(end)] if name.endswith(end) else ""


def _with_start(start: str) -> Fold:
    return lambda name: start + name


def _with_end(end: str) -> Fold:
    return lambda name: name + end


def _number_alone(name: str) -> str:
    """Return the last number of a name, or the name if it has none."""
    match = _LAST_NUMBER.search(name, max(0, len(name) - _LONGEST_END))
    return str(int(match[0])) if match else name


def _with_shifted_number(name: str, amount: int) -> str:
    """Return a name with its last number changed by ``amount``, "" without one or below 0."""
    match = _LAST_NUMBER.search(name, max(0, len(name) - _LONGEST_END))
    if match is None or int(match[0]) + amount < 0:
        return ""
    return f"{name[: match.start()]}{int(match[0]) + amount}{name[match.end() :]}"


class NearestNames:
    """Finds the nearest of some names to one that is not among them.

    Parameters
    ----------
    names : collection of str
        What is public. Of more than 2,000 names only those that fold alike are found.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._name_of_fold = unique_folds(fold_all, names)
        self._nearest_of_name: dict[str, str] = {}
        self._name_of_text: dict[str, str] = {}
        if len(names) <= _MOST_NEAREST:
            for name in sorted(names):
                self._name_of_text.setdefault(folded(name[:_LONGEST_NEAREST]), name)

    def find(self, name: str) -> str:
        """Return the nearest name, "" if none is near."""
        if len(name) > _LONGEST_NEAREST:
            return ""
        if name not in self._nearest_of_name:
            self._nearest_of_name[name] = self._search(name)
        return self._nearest_of_name[name]

    def _search(self, name: str) -> str:
        name_that_folds_alike = self._name_of_fold.get(fold_all(name), "")
        if name_that_folds_alike:
            return name_that_folds_alike
        matches = difflib.get_close_matches(folded(name), self._name_of_text, n=1, cutoff=_LEAST_SIMILARITY)
        return self._name_of_text[matches[0]] if matches else ""

    def words(self, name: str) -> str:
        """Return half a sentence on the nearest name, " (the nearest is 'robin')", "" if none is near."""
        nearest = self.find(name)
        return f" (the nearest is '{quote(nearest, _LONGEST_NEAREST)}')" if nearest else ""
