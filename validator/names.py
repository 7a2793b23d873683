"""Names that the data does not have: the one change with which all are known, both sides, the nearest name.

It needs no labels: only names that are public. A *folding* maps all spellings of a name to one text: names
that fold alike differ only in what the folding drops, such as upper case, or an ending. Names of a submission
are hostile: what is compared is limited in number and length.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from validator.texts import folded, quote, without_unprintable

EXPLAINED_BY_NAMES = ("N-LOW",)
"""The codes of notes on low scores, which say nothing more where another spelling explains unknown names."""
# Comparing more names of the data would take longer than reading them.
_MOST_COMPARED = 200_000
_LONGEST_COMPARED = 200
REMEDY = "write them as in the data, "
"""What explanations begin with."""
_LONGEST_SHOWN = 40
_SHOWN_OF_SIDE = 3
# What does not explain the members of so many groups, as frames of videos, does not explain all.
_GROUPS_LOOKED_AT = 50
# The least similarity to the nearest name, as `difflib` measures it, and what bounds the time.
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
# What ActivityNet writes in front of the ids of videos.
_BEFORE_ID = re.compile(r"\A[vV]_")
# The last number of a name; longer ones are ids.
_LAST_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,9}(?=[^0-9]{0,40}\Z)")

Fold = Callable[[str], str]
# The letters of Cyrillic, Greek, Armenian and Turkish, the dashes and the quotation marks that look like each
# of ASCII. Some small letters look like a small capital.
_LOOK_ALIKES = {
    "A": "\u0391\u0410", "a": "\u03b1\u0430", "B": "\u0392\u0412\u0432", "C": "\u0421", "c": "\u0441",
    "d": "\u0501", "E": "\u0395\u0415", "e": "\u0435", "g": "\u0581", "H": "\u0397\u041d\u043d",
    "h": "\u04bb", "I": "\u0399\u0406\u04c0", "i": "\u0131\u03b9\u0456", "J": "\u0408",
    "j": "\u03f3\u0458", "K": "\u039a\u041a", "k": "\u03ba\u043a", "l": "\u04cf",
    "M": "\u039c\u041c\u043c", "N": "\u039d", "n": "\u0578", "O": "\u039f\u041e\u0555",
    "o": "\u03bf\u043e\u0585", "P": "\u03a1\u0420", "p": "\u03c1\u0440", "Q": "\u051a", "q": "\u051b",
    "S": "\u0405", "s": "\u0455", "T": "\u03a4\u0422\u03c4\u0442", "U": "\u054d", "u": "\u03c5\u057d",
    "v": "\u03bd\u0475", "W": "\u051c", "w": "\u051d", "X": "\u03a7\u0425", "x": "\u03c7\u0445",
    "Y": "\u03a5\u0423\u04ae", "y": "\u03b3\u0443\u04af", "Z": "\u0396", '"': "\u201c\u201d",
    "'": "\u2018\u2019", "-": "\u2010\u2012\u2013\u2014\u2015\u2212",
}  # fmt: skip
ASCII_OF_LOOK_ALIKE = {ord(mark): ascii_mark for ascii_mark, marks in _LOOK_ALIKES.items() for mark in marks}
"""What `str.translate` takes to write characters that only look like ASCII in ASCII."""
# What a name belongs to, as the video of a frame, "" for nothing, and the name.
Member = tuple[str, str]


def _without_folder(name: str) -> str:
    return re.split(r"[/\\]", name)[-1] or name


_without_zeros = partial(_ZEROS.sub, "")


def _look(name: str) -> str:
    """Return a name without what is hard to see: accents, and characters that look like others or like none.

    Examples
    --------
    >>> _look("\\uff4d\\u00e1n\\u200b"), _look("d\\u043eg")
    ('man', 'dog')
    """
    name = without_unprintable(name)
    if name.isascii():
        return name
    parts = unicodedata.normalize("NFKD", name)
    return "".join(part for part in parts if not unicodedata.combining(part)).translate(ASCII_OF_LOOK_ALIKE)


FOLDINGS = (
    _look,
    _without_folder,
    partial(_ENDING.sub, ""),
    partial(_CLIP_TIMES.sub, ""),
    partial(_BEFORE_ID.sub, ""),
    _without_zeros,
    folded,
    partial(_MARKS.sub, ""),
)
"""What names may differ in, in the order in which all are applied to a name; each returns it without that."""


def fold_all(name: str) -> str:
    """Return a name without anything that spellings differ in, "" if nothing else is left."""
    for folding in FOLDINGS:
        name = folding(name)
    return name


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
    "write them as in the data, as 'v_ab' for 'ab'"
    >>> explain_unknown_names(["2", "3", "4"], ["1", "2", "3"])
    "write them as in the data, with n - 1 for n, as '1' for '2'"
    >>> explain_unknown_names(["231", "232"], ["1", "2"])
    ''
    """
    change = find_sure_change([("", name) for name in names], [("", name) for name in known_names])
    return f"{REMEDY}{change.text()}" if change else ""


def explain_unknown_members(members: Collection[Member], known_members: Collection[Member]) -> str:
    """Return the one change with which all names are names of the data, no two the same; "" if none is sure.

    Only those of what both sides have are compared, and the number of a name may tell it alone.

    Examples
    --------
    >>> frames, known_frames = [("v", "1"), ("v", "2"), ("v", "3")], [("v", "0"), ("v", "1"), ("v", "2")]
    >>> explain_unknown_members(frames, known_frames)
    "write them as in the data, with n - 1 for n, as '0' for '1'"
    """
    known_set = set(known_members)
    unknown_groups = {group for group, name in members if (group, name) not in known_set}
    known_groups = {group for group, _ in known_set}
    few_groups = set(sorted(unknown_groups & known_groups)[:_GROUPS_LOOKED_AT])
    for groups in (few_groups, known_groups):
        some_members = [member for member in members if member[0] in groups]
        some_known = [member for member in known_members if member[0] in groups]
        change = find_sure_change(some_members, some_known, by_number=True)
        if change is None:
            return ""
        explanation = f"{REMEDY}{change.text()}"
    return explanation


def some_of_each(names: Iterable[str], known_names: Iterable[str]) -> str:
    """Return the first names of both sides.

    Examples
    --------
    >>> some_of_each(["b", "a"], ["x1", "x2", "x3", "x4"])
    "yours are 'a', 'b', the data's 'x1', 'x2', 'x3' ..."
    >>> some_of_each(["a"], [])
    "yours are 'a', the data has none"
    """
    first_known_names = first_names(known_names)
    data_text = f"the data's {first_known_names}" if first_known_names else "the data has none"
    return f"yours are {first_names(names)}, {data_text}"


def first_names(names: Iterable[str]) -> str:
    """Return the first names, those of few characters before longer ones: 2 before 10."""
    sorted_names = sorted(names, key=lambda name: (len(name), name))
    text = ", ".join(f"'{quote(name, _LONGEST_SHOWN)}'" for name in sorted_names[:_SHOWN_OF_SIDE])
    return f"{text} ..." if len(sorted_names) > _SHOWN_OF_SIDE else text


class Change(NamedTuple):
    """The member of the data that each is meant to be, and what is done to numbers, "" for nothing."""

    words: str
    member_of_member: Mapping[Member, Member]

    def text(self) -> str:
        """Return the first name that changes as an example."""
        changes = ((name, true_name) for (_, name), (_, true_name) in self.member_of_member.items())
        name, true_name = next(change for change in changes if change[0] != change[1])
        example = f"as '{quote(true_name, _LONGEST_SHOWN)}' for '{quote_beside(name, true_name)}'"
        return f"{self.words}, {example}" if self.words else example


def quote_beside(name: str, true_name: str) -> str:
    """Return a name, quoted, with escapes for the characters that only look like those of another one.

    Examples
    --------
    >>> quote_beside("\\u0441at\\u00e9", "cat")
    '\\\\u0441at\u00e9'
    """
    text = quote(name, _LONGEST_SHOWN)
    odd_characters = {mark for mark in text if mark not in true_name and _look(mark) in true_name}
    return "".join(ascii(mark)[1:-1] if mark in odd_characters else mark for mark in text)


def find_sure_change(
    members: Sequence[Member], known_members: Sequence[Member], by_number: bool = False
) -> Change | None:
    """Return the change with which every member is one of the data, no two the same; None unless it is the
    only such change.

    ``by_number`` says whether the number of a name tells it alone, as those of frames do.
    """
    known_set = set(known_members)
    is_too_long = any(len(name) > _LONGEST_COMPARED for _, name in members)
    is_too_much = max(len(members), len(known_set)) > _MOST_COMPARED
    if is_too_long or is_too_much or known_set.issuperset(members):
        return None
    sure_change = None
    for change in filter(None, _changes(members, known_set, by_number)):
        if sure_change and change.member_of_member != sure_change.member_of_member:
            return None
        sure_change = sure_change or change
    return sure_change


def _changes(
    members: Sequence[Member], known_members: set[Member], by_number: bool
) -> Iterator[Change | None]:
    """Yield the changes with which every member is one of the data, the simplest first, None for others."""
    same_members = known_members.intersection(members)
    unknown_members = [member for member in members if member not in known_members]
    group, name = unknown_members[0]
    for folding in FOLDINGS:
        yield _changed("", unknown_members, same_members, unique_folds(known_members, folding), folding)
    for fold in (str, _without_zeros, fold_all):
        member_of_fold = unique_folds(known_members, fold)
        yield _changed("", unknown_members, same_members, member_of_fold, fold)
        true_texts = [text for true_group, text in member_of_fold if true_group == group]
        for change_affix in _affixes(fold(name), true_texts):
            yield _changed("", unknown_members, same_members, member_of_fold, _both(fold, change_affix))
    fold = _number_alone if by_number else _without_zeros
    member_of_fold = unique_folds(known_members, fold)
    if by_number:
        yield _changed("", unknown_members, same_members, member_of_fold, fold)
    for amount, words in ((1, "with n + 1 for n"), (-1, "with n - 1 for n")):
        shift = _both(partial(_with_shifted_number, amount), fold)
        change = _changed(words, members, set(), member_of_fold, shift)
        # One name is always the neighbor of another, and a part of the data may be any other part.
        if change and len(known_members) > 1 and known_members == set(change.member_of_member.values()):
            yield change


def unique_folds(members: Iterable[Member], fold: Fold) -> dict[Member, Member | None]:
    """Return the member that folds to each text, None where several do; none where nothing is left."""
    member_of_fold: dict[Member, Member | None] = {}
    for group, name in members:
        text = fold(name)
        if text:
            is_taken = (group, text) in member_of_fold
            member_of_fold[group, text] = None if is_taken else (group, name)
    return member_of_fold


def _changed(
    words: str,
    members: Sequence[Member],
    same_members: set[Member],
    member_of_fold: Mapping[Member, Member | None],
    respell: Fold,
) -> Change | None:
    """Return the change of members into those that fold to what ``respell`` makes of names, None unless there
    is one for each, no two the same and none of ``same_members``."""
    member_of_member: dict[Member, Member] = {}
    true_members: set[Member] = set()
    for group, name in members:
        true = member_of_fold.get((group, respell(name)))
        # The second of two that are the same ends it: thousands of names may be spellings of one.
        if true is None or true in same_members or true in true_members:
            return None
        true_members.add(true)
        member_of_member[group, name] = true
    return Change(words, {**dict(zip(same_members, same_members)), **member_of_member})


def _both(first: Fold, second: Fold) -> Fold:
    return lambda name: second(first(name))


def _affixes(text: str, true_texts: Iterable[str]) -> Iterator[Fold]:
    """Yield the change of texts by what one has too much, or too little, in front or at its end, beside each
    text of the data."""
    for true_text in true_texts:
        shorter, longer = sorted((text, true_text), key=len)
        n_more = len(longer) - len(shorter)
        is_added = longer is true_text
        if not shorter or not n_more:
            continue
        if longer.endswith(shorter) and not _splits_number(longer, n_more):
            yield partial(_change_affixes, longer[:n_more], "", is_added)
        if longer.startswith(shorter) and not _splits_number(longer, len(shorter)):
            yield partial(_change_affixes, "", longer[len(shorter) :], is_added)


def _splits_number(text: str, place: int) -> bool:
    """Return whether a place is between two digits: what is taken off or added there makes another number."""
    return text[place - 1].isdigit() and text[place].isdigit()


def _change_affixes(start: str, end: str, is_added: bool, name: str) -> str:
    """Return a name with a start and an end, or without them, "" if it does not have them."""
    if is_added:
        return f"{start}{name}{end}"
    has_affixes = name.startswith(start) and name.endswith(end)
    return name[len(start) : len(name) - len(end)] if has_affixes else ""


def _number_alone(name: str) -> str:
    """Return the last number of a name, or the name if it has none."""
    match = _LAST_NUMBER.search(name)
    return str(int(match[0])) if match else name


def _with_shifted_number(amount: int, name: str) -> str:
    """Return a name with its last number changed by ``amount``, "" without one or below 0."""
    match = _LAST_NUMBER.search(name)
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
        self._member_of_fold = unique_folds((("", name) for name in names), fold_all)
        few_names = sorted(names, reverse=True) if len(names) <= _MOST_NEAREST else ()
        self._name_of_text = {folded(name[:_LONGEST_NEAREST]): name for name in few_names}

    def find(self, name: str) -> str:
        """Return the nearest name, "" if none is near."""
        if len(name) > _LONGEST_NEAREST:
            return ""
        member = self._member_of_fold.get(("", fold_all(name)))
        if member is not None:
            return member[1]
        matches = difflib.get_close_matches(folded(name), self._name_of_text, n=1, cutoff=_LEAST_SIMILARITY)
        return self._name_of_text[matches[0]] if matches else ""

    def words(self, name: str) -> str:
        """Return half a sentence on the nearest name, " (the nearest is 'robin')", "" if none is near.

        Characters of the name that only look like those of the nearest are shown by their numbers.
        """
        nearest = self.find(name)
        if not nearest:
            return ""
        text = f"the nearest is '{quote(nearest, _LONGEST_NEAREST)}'"
        odd_text = quote_beside(name, nearest)
        is_odd = odd_text != quote(name, _LONGEST_SHOWN)
        return f" ({text}, yours '{odd_text}')" if is_odd else f" ({text})"
