"""The keys of a submission, which identify its items: none may be missing or repeated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from validator.arrays import Bools, Ints
from validator.findings import Findings, Read
from validator.items import LONGEST_KEY, Place, check_items
from validator.texts import quote

_NAMED_MISSING = 5


def match_keys(
    keys: Sequence[str], reference_keys: Sequence[str], file: str, place: Callable[[int], str]
) -> Read[Ints]:
    """Return where each key of the reference is in ``keys``, int64 of the length of ``reference_keys``.

    Other keys are ignored with a note.

    Parameters
    ----------
    keys : sequence of str
        The keys of a submission.
    reference_keys : sequence of str
        The keys of the reference, each once; they are public.
    file : str
        The name of the file that holds the keys of the submission.
    place : callable
        Returns the place of a key in this file, given its index.

    Raises
    ------
    Refused
        With repeated keys and their places. If keys are missing: with their number and the first of them, and
        with unknown keys and their places. With the first key alone if none is known.
    """
    known_keys = frozenset(reference_keys)
    is_unknown = np.array([key not in known_keys for key in keys], bool)
    first_index = _first_indexes(keys)
    missing = [key for key in reference_keys if key not in first_index]

    def place_of_key(key: str) -> Place:
        return Place(file, place(first_index[key]))

    with Findings.collect() as findings:
        with findings.part():
            if missing and not is_unknown.all():
                _refuse_unknown(keys, known_keys, is_unknown, file, place)
            else:
                findings.notes += check_items(first_index, known_keys, "key", place_of_key)
        # Of keys that are none of the data, all have one cause.
        if len(first_index) < len(keys) and not is_unknown.all():
            with findings.part():
                refuse_repeated(keys, file, place)
        if missing and not (is_unknown.size and is_unknown.all()):
            names = ", ".join(quote(key, LONGEST_KEY) for key in missing[:_NAMED_MISSING])
            problem = f"keys are missing: {len(missing):,} of {len(reference_keys):,}, as {names}"
            findings.add("E-KEY-MISSING", problem, "predict every item exactly once", file=file)
        findings.refuse_problems()
        order = np.array([first_index[key] for key in reference_keys], np.int64)
    return Read(order, findings.notes)


def _refuse_unknown(
    keys: Sequence[str],
    known_keys: Collection[str],
    is_unknown: Bools,
    file: str,
    place: Callable[[int], str],
) -> None:
    """Raise Refused with unknown keys, if any: they may be missing keys, misspelled."""
    if not is_unknown.any():
        return
    from validator.names import explain_unknown_names

    remedy = explain_unknown_names(dict.fromkeys(keys), known_keys) or "correct or drop it"
    with Findings.collect() as findings:
        for index in findings.first_of(is_unknown):
            problem = f"'{quote(keys[index], LONGEST_KEY)}' is not one of the requested keys"
            findings.add("E-KEY-UNKNOWN", problem, remedy, file=file, where=place(index))


def refuse_repeated(keys: Sequence[str], file: str, place: Callable[[int], str]) -> None:
    """Raise Refused if keys occur more than once, with the place of the first."""
    first_index = _first_indexes(keys)
    is_repeated = np.array([first_index[key] < index for index, key in enumerate(keys)], bool)
    with Findings.collect() as findings:
        for index in findings.first_of(is_repeated):
            first_place = place(first_index[keys[index]])
            problem = f"'{quote(keys[index], LONGEST_KEY)}' is also in {first_place}"
            findings.add("E-KEY-TWICE", problem, "keep one of them", file=file, where=place(index))


def _first_indexes(keys: Sequence[str]) -> dict[str, int]:
    """Return the index of the first occurrence of each key, in the order of these."""
    first_index: dict[str, int] = {}
    for index, key in enumerate(keys):
        first_index.setdefault(key, index)
    return first_index
