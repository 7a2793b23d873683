"""Matching the keys of a submission with those that the reference asks for: each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import eq

import numpy as np

from validator.arrays import Ints
from validator.findings import Findings, quote

_NAMED_MISSING = 20


def match_keys(
    keys: Sequence[str],
    reference_keys: Sequence[str],
    file: str,
    place: Callable[[int], str],
    name_missing: bool = False,
) -> Ints:
    """Return where each key of the reference is in ``keys``.

    Parameters
    ----------
    keys : sequence of n str
        The keys of the submission.
    reference_keys : sequence of m str
        The keys of the reference, each once.
    file : str
        The name of the file, for messages.
    place : callable
        Returns the place of a key in it.
    name_missing : bool
        Whether messages may name missing keys, which reveals the keys of the reference.

    Returns
    -------
    int64 array of shape (m,)

    Raises
    ------
    Refused
        With unknown and repeated keys and their places, and the number of missing ones.
    """
    matched = _one_to_one(keys, reference_keys)
    if matched is not None:
        return matched
    number = dict(zip(reference_keys, range(len(reference_keys))))
    numbers = np.fromiter(map(number.get, keys, repeat(-1)), np.int64, len(keys))
    known = numbers >= 0
    with Findings.collect() as findings:
        for index in findings.first_of(~known):
            problem = f"'{quote(keys[index], 40)}' is not one of the requested keys"
            findings.add("E-KEY-UNKNOWN", problem, "correct or drop it", file=file, where=place(index))
        with findings.part():
            refuse_repeated(keys, file, place)
        missing = np.flatnonzero(np.bincount(numbers[known], minlength=len(reference_keys)) == 0).tolist()
        if missing:
            problem = f"keys are missing: {len(missing):,} of {len(reference_keys):,}"
            if name_missing:
                names = (quote(reference_keys[index], 40) for index in missing[:_NAMED_MISSING])
                problem += f", as {', '.join(names)}"
            findings.add("E-KEY-MISSING", problem, "predict every item exactly once", file=file)
    positions = np.zeros(len(reference_keys), np.int64)
    positions[numbers[known]] = np.flatnonzero(known)
    return positions


def _one_to_one(keys: Sequence[str], reference_keys: Sequence[str]) -> Ints | None:
    """Return where each key of the reference is if both sides hold the same keys once, otherwise None."""
    if len(keys) != len(reference_keys):
        return None
    if all(map(eq, keys, reference_keys)):
        return np.arange(len(keys))
    # Sorting hashes takes half the time of a million look-ups, which wait for memory.
    order, reference_order = (
        np.argsort(np.fromiter(map(hash, side), np.int64, len(side))) for side in (keys, reference_keys)
    )
    positions = np.empty(len(keys), np.int64)
    positions[reference_order] = order
    return positions if all(map(eq, map(keys.__getitem__, positions.tolist()), reference_keys)) else None


def refuse_repeated(keys: Sequence[str], file: str, place: Callable[[int], str]) -> None:
    """Raise Refused if keys occur more than once, with the place of the first."""
    if len(set(keys)) == len(keys):
        return
    first: dict[str, int] = {}
    earlier = np.fromiter(map(first.setdefault, keys, range(len(keys))), np.int64, len(keys))
    with Findings.collect() as findings:
        for index in findings.first_of(earlier < np.arange(len(keys))):
            problem = f"'{quote(keys[index], 40)}' is also in {place(first[keys[index]])}"
            findings.add("E-KEY-TWICE", problem, "keep one of them", file=file, where=place(index))
