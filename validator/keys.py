"""The keys of a submission, which identify the rows of a table: none may be missing or repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import eq

import numpy as np

from validator.arrays import Ints
from validator.findings import Findings, Read
from validator.items import LONGEST_KEY, Place, check_items
from validator.texts import quote

_NAMED_MISSING = 20


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
                names = (quote(reference_keys[index], LONGEST_KEY) for index in missing[:_NAMED_MISSING])
                problem += f", as {', '.join(names)}"
            findings.add("E-KEY-MISSING", problem, "predict every item exactly once", file=file)
    # Unknown keys, whose number is -1, come first.
    n_unknown = int((numbers < 0).sum())
    return Read(np.argsort(numbers)[n_unknown:], findings.notes)


def _refuse_unknown(keys: Sequence[str], numbers: Ints, file: str, place: Callable[[int], str]) -> None:
    """Raise Refused with the keys whose number is -1, if any: they may be missing keys, misspelled."""
    with Findings.collect() as findings:
        for index in findings.first_of(numbers < 0):
            problem = f"'{quote(keys[index], LONGEST_KEY)}' is not one of the requested keys"
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
            problem = f"'{quote(keys[index], LONGEST_KEY)}' is also in {first_place}"
            findings.add("E-KEY-TWICE", problem, "keep one of them", file=file, where=place(index), rule=rule)


def _first_indexes(keys: Sequence[str]) -> dict[str, int]:
    """Return the index of the first occurrence of each key, in the order of these."""
    first_index: dict[str, int] = {}
    for index, key in enumerate(keys):
        first_index.setdefault(key, index)
    return first_index
