"""The items of a submission beside those of the reference, and the public table of items.

Items that the reference does not have are ignored with a note, so that one file serves two phases whose
references are parts of one. A submission in which no item is known is refused. Of keys, which identify the
rows of a table, none may be missing or repeated.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Sequence
from itertools import repeat
from operator import eq
from typing import NamedTuple, NoReturn

import numpy as np

from validator.arrays import Ints
from validator.findings import Findings, Note, Read
from validator.texts import counted, quote

ITEMS_FILE = "items.csv"
"""The public table of items of tasks whose challenge has no form of its own: one column, a row for each."""
_HEADER = ["item"]
_NAMED_MISSING = 20
# The code of the problem that a submission has in which no item is known.
ITEMS_NONE = "E-ITEMS-NONE"
# The code of the note on items that are not known.
ITEMS_UNKNOWN = "N-ITEMS-UNKNOWN"
# What notes say of items that do not count.
IGNORED = "not in this data, ignored"
# The rule of problems with limits that grow with the reference.
LIMIT_OF_REFERENCE = "limit of the reference"
_MOST_NAMED = 5
_LONGEST_KEY = 40


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
    unknown = [item for item in items if item not in reference_items]
    if not unknown:
        return []
    from validator.names import EXPLAINED_BY_NAMES, explain_unknown_names, some_of_each

    first, first_place = unknown[0], place(unknown[0])
    explanations = (explain_unknown_names(part, reference_items) for part in (items, *items_of_files))
    explanation = next(filter(None, explanations), "")
    if len(unknown) == len(items):
        problem = f"none of your {counted(len(items), noun)} is in this data"
        if len(items) == 1:
            problem = f"your {noun} is not in this data"
        remedy = f"{some_of_each(items, reference_items)}; they may belong to another phase or task"
        if explanation:
            remedy = f"write each {noun} as in the data: {explanation}"
        Findings().refuse(ITEMS_NONE, problem, remedy, file=first_place.file, where=first_place.where)
    where = " ".join(filter(None, (quote(first_place.file), first_place.where)))
    text = f"{verdict}: {counted(len(unknown), noun)}; the first is '{quote(first)}' ({where})"
    if len(unknown) > 1:
        others = (f"'{quote(item, _LONGEST_KEY)}'" for item in unknown[1:_MOST_NAMED])
        more = ", ..." if len(unknown) > _MOST_NAMED else ""
        text += f", then {', '.join(others)}{more}"
    if explanation:
        return [Note(ITEMS_UNKNOWN, f"{text}; {explanation}", EXPLAINED_BY_NAMES)]
    return [Note(ITEMS_UNKNOWN, text)]


def match_keys(
    keys: Sequence[str],
    reference_keys: Sequence[str],
    file: str,
    place: Callable[[int], str],
    name_missing: bool = False,
) -> Read[Ints]:
    """Return where each key of the reference is in ``keys``, int64 of the length of ``reference_keys``.

    Other keys are ignored with a note.

    Parameters
    ----------
    keys : sequence of str
        The keys of a submission.
    reference_keys : sequence of str
        The keys of the reference, each once.
    file : str
        The name of the file that holds the keys of the submission.
    place : callable
        Returns the place of a key in this file, given its index.
    name_missing : bool
        Whether messages may name missing keys, which reveals the keys of the reference.

    Raises
    ------
    Refused
        With repeated keys and their places. If keys are missing: with their number, and unknown keys and
        their places, or the first of them if no key is known.
    """
    matched = _one_to_one(keys, reference_keys)
    if matched is not None:
        return Read(matched, [])
    number_of_key = {key: number for number, key in enumerate(reference_keys)}
    # The number of each submitted key, -1 if the reference does not have it.
    numbers = np.fromiter(map(number_of_key.get, keys, repeat(-1)), np.int64, len(keys))
    missing = np.setdiff1d(np.arange(len(reference_keys)), numbers).tolist()
    first_index = _first_indexes(keys)

    def place_of_key(key: str) -> Place:
        return Place(file, place(first_index[key]))

    with Findings.collect() as findings:
        with findings.part():
            if missing and (numbers >= 0).any():
                _refuse_unknown(keys, numbers, file, place)
            else:
                findings.notes += check_items(first_index, number_of_key, "key", place_of_key)
        with findings.part():
            refuse_repeated(keys, file, place)
        if missing:
            problem = f"keys are missing: {len(missing):,} of {len(reference_keys):,}"
            if name_missing:
                names = (quote(reference_keys[index], _LONGEST_KEY) for index in missing[:_NAMED_MISSING])
                problem += f", as {', '.join(names)}"
            findings.add("E-KEY-MISSING", problem, "predict every item exactly once", file=file)
    # Unknown keys, whose number is -1, come first.
    n_unknown = int((numbers < 0).sum())
    return Read(np.argsort(numbers)[n_unknown:], findings.notes)


def _refuse_unknown(keys: Sequence[str], numbers: Ints, file: str, place: Callable[[int], str]) -> None:
    """Raise Refused with the keys whose number is -1, if any: they may be missing keys, misspelled."""
    with Findings.collect() as findings:
        for index in findings.first_of(numbers < 0):
            problem = f"'{quote(keys[index], _LONGEST_KEY)}' is not one of the requested keys"
            findings.add("E-KEY-UNKNOWN", problem, "correct or drop it", file=file, where=place(index))


def _one_to_one(keys: Sequence[str], reference_keys: Sequence[str]) -> Ints | None:
    """Return where each key of the reference is if both sides hold the same keys once, otherwise None."""
    if len(keys) != len(reference_keys):
        return None
    if all(map(eq, keys, reference_keys)):
        return np.arange(len(keys))
    # Sorting hashes takes half the time of a million look-ups, which wait for memory.
    order = np.argsort(_hashes(keys))
    reference_order = np.argsort(_hashes(reference_keys))
    positions = np.empty(len(keys), np.int64)
    positions[reference_order] = order
    keys_in_order = map(keys.__getitem__, positions.tolist())
    return positions if all(map(eq, keys_in_order, reference_keys)) else None


def _hashes(keys: Sequence[str]) -> Ints:
    return np.fromiter(map(hash, keys), np.int64, len(keys))


def refuse_repeated(keys: Sequence[str], file: str, place: Callable[[int], str], rule: str = "") -> None:
    """Raise Refused if keys occur more than once, with the place of the first."""
    if len(set(keys)) == len(keys):
        return
    first_index = _first_indexes(keys)
    earlier = np.fromiter(map(first_index.__getitem__, keys), np.int64, len(keys))
    with Findings.collect() as findings:
        for index in findings.first_of(earlier < np.arange(len(keys))):
            first_place = place(first_index[keys[index]])
            problem = f"'{quote(keys[index], _LONGEST_KEY)}' is also in {first_place}"
            findings.add("E-KEY-TWICE", problem, "keep one of them", file=file, where=place(index), rule=rule)


def _first_indexes(keys: Sequence[str]) -> dict[str, int]:
    """Return the index of the first occurrence of each key, in the order of these."""
    first_index: dict[str, int] = {}
    for index, key in enumerate(keys):
        first_index.setdefault(key, index)
    return first_index


def encode_items(items: Sequence[str]) -> bytes:
    """Return the table of items, which are in quotes where they hold commas, quotes or ends of lines."""
    lines = [*_HEADER, *map(_quoted, items)]
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(item: str) -> str:
    """Return an item as CSV, in quotes where it needs them; csv.writer leaves carriage returns without."""
    if not item or any(character in item for character in ',"\r\n'):
        escaped = item.replace('"', '""')
        return f'"{escaped}"'
    return item


def parse_items(content: bytes) -> list[str]:
    """Return the items of a table, ascending. Raises Refused if it is not such a table."""
    try:
        text = content.decode("utf-8-sig")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    except (ValueError, csv.Error):
        _refuse("this is not a table of items in UTF-8")
    if header != _HEADER:
        _refuse(f"the first line is '{quote(','.join(header))}', not 'item'")
    items = set()
    for number, row in enumerate(rows, 2):
        if len(row) != 1:
            _refuse(f"row {number:,} has {len(row)} values, not one")
        items.add(row[0])
    if not items:
        _refuse("it names no item")
    return sorted(items)


def _refuse(problem: str) -> NoReturn:
    remedy = "ask the organizers for the file, or make it with organizer public-data"
    Findings().refuse("E-PUBLIC-DATA", problem, remedy, file=ITEMS_FILE)
