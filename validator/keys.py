"""The keys of a submission, which identify its items: none may be missing or repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from validator.arrays import Ints
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
    missing_keys = [key for key in reference_keys if key not in first_index]
    is_of_other_data = bool(len(keys)) and bool(is_unknown.all())
    with Findings.collect() as findings:
        if is_of_other_data or not missing_keys:
            with findings.part():
                findings.notes += check_items(
                    first_index, known_keys, "key", lambda key: Place(file, place(first_index[key]))
                )
        elif is_unknown.any():
            from validator.names import explain_unknown_names

            # They may be missing keys, misspelled.
            remedy = explain_unknown_names(first_index, known_keys) or "correct or drop it"
            for index in findings.first_of(is_unknown):
                problem = f"'{quote(keys[index], LONGEST_KEY)}' is not one of the requested keys"
                findings.add("E-KEY-UNKNOWN", problem, remedy, file=file, where=place(index))
        # Of keys that are none of the data, all have one cause.
        if not is_of_other_data:
            add_repeated(keys, file, place, findings)
            if missing_keys:
                names = ", ".join(quote(key, LONGEST_KEY) for key in missing_keys[:_NAMED_MISSING])
                problem = f"keys are missing: {len(missing_keys):,} of {len(reference_keys):,}, as {names}"
                findings.add("E-KEY-MISSING", problem, "predict every item exactly once", file=file)
        findings.refuse_problems()
        order = np.array([first_index[key] for key in reference_keys], np.int64)
    return Read(order, findings.notes)


def add_repeated(keys: Sequence[str], file: str, place: Callable[[int], str], findings: Findings) -> None:
    """Add a problem for each key that occurs again, with the place of the first."""
    first_index = _first_indexes(keys)
    is_repeated = np.array([first_index[key] < index for index, key in enumerate(keys)], bool)
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
