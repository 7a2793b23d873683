"""The items of a submission beside those of the reference.

Items that the reference does not have are ignored with a note, so that one file serves two phases whose
references are parts of one. A submission in which no item is known is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from validator.findings import Findings, Note
from validator.texts import counted, quote

# The code of the problem that a submission has in which no item is known.
ITEMS_NONE = "E-ITEMS-NONE"
# The code of the note on items that are not known.
ITEMS_UNKNOWN = "N-ITEMS-UNKNOWN"
# What notes say of items that do not count.
IGNORED = "not in this data, ignored"
# The rule of problems with limits that grow with the reference.
LIMIT_OF_REFERENCE = "limit of the reference"
LONGEST_KEY = 40
"""So many characters of an item that is not the first are quoted."""
_MOST_NAMED = 5


class Place(NamedTuple):
    """Where a submission names an item: a file, and a place in it, which may be empty."""

    file: str
    where: str = ""


def check_items(
    items: Collection[str],
    reference_items: Collection[str],
    noun: str,
    place: Callable[[str], Place],
    verdict: str = IGNORED,
    items_of_files: Sequence[Collection[str]] = (),
) -> list[Note]:
    """Return a note on the items that the reference does not have: how many, and the first with its place.

    Parameters
    ----------
    items : collection of str
        The items that a submission names, each once, in their order; none if it is empty.
    reference_items : collection of str
        The items that are known, with or without annotations.
    noun : str
        What an item is, as ``video``.
    place : callable
        Returns the place in the submission where an item is named first.
    verdict : str
        What the note says of these items.
    items_of_files : sequence of collections of str
        The items that each file names, where one of several may spell them otherwise.

    Raises
    ------
    Refused
        If the submission names items and none of them is known.
    """
    unknown_items = [item for item in items if item not in reference_items]
    if not unknown_items:
        return []
    from validator.names import EXPLAINED_BY_NAMES, explain_unknown_names, some_of_each

    first, first_place = unknown_items[0], place(unknown_items[0])
    explanations = (explain_unknown_names(part, reference_items) for part in (items, *items_of_files))
    explanation = next(filter(None, explanations), "")
    if len(unknown_items) == len(items):
        problem = f"none of your {counted(len(items), noun)} is in this data"
        if len(items) == 1:
            problem = f"your {noun} is not in this data"
        remedy = f"{some_of_each(items, reference_items)}; they may belong to another phase or task"
        if explanation:
            remedy = explanation
        Findings().refuse(ITEMS_NONE, problem, remedy, file=first_place.file, where=first_place.where)
    where = " ".join(filter(None, (quote(first_place.file), first_place.where)))
    text = f"{verdict}: {counted(len(unknown_items), noun)}; the first is '{quote(first)}' ({where})"
    if len(unknown_items) > 1:
        other_items = (f"'{quote(item, LONGEST_KEY)}'" for item in unknown_items[1:_MOST_NAMED])
        more = ", ..." if len(unknown_items) > _MOST_NAMED else ""
        text += f", then {', '.join(other_items)}{more}"
    if explanation:
        return [Note(ITEMS_UNKNOWN, f"{text}; {explanation}", EXPLAINED_BY_NAMES)]
    return [Note(ITEMS_UNKNOWN, text)]
