"""Matching the keys of a submission with those that the reference asks for: each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import eq

import numpy as np

from validator.findings import REPORTED_PER_KIND_AND_FILE, Findings, quote

_NAMED_MISSING = 20


def match_keys(
    keys: Sequence[str],
    wanted: Sequence[str],
    file: str,
    place: Callable[[int], str],
    findings: Findings,
    name_missing: bool = False,
) -> np.ndarray:
    """Return where each wanted key is in ``keys``.

    Parameters
    ----------
    keys : sequence of n str
        The keys of the submission.
    wanted : sequence of m str
        The keys of the reference, each once.
    file : str
        The name of the file, for messages.
    place : callable
        Returns the place of a key in it.
    findings : Findings
        Gets unknown and double keys with their places, and the number of missing ones.
    name_missing : bool
        Whether messages may name missing keys, which reveals the keys of the reference.

    Returns
    -------
    int64 array of shape (m,)
        Not to be used after a problem.
    """
    matched = _one_to_one(keys, wanted)
    if matched is not None:
        return matched
    number = dict(zip(wanted, range(len(wanted))))
    found = np.fromiter(map(number.get, keys, repeat(-1)), np.int64, len(keys))
    unknown = np.flatnonzero(found < 0)
    for index in unknown[:REPORTED_PER_KIND_AND_FILE].tolist():
        problem = f"'{quote(keys[index], 40)}' is none of the keys that are asked for"
        findings.add("E-KEY-UNKNOWN", problem, "correct or drop it", file=file, where=place(index))
    findings.count_more(max(len(unknown) - REPORTED_PER_KIND_AND_FILE, 0))
    times = np.bincount(found[found >= 0], minlength=len(wanted))
    if len(unknown) or (times > 1).any():
        refuse_doubles(keys, file, place, findings)
    missing = np.flatnonzero(times == 0).tolist()
    if missing:
        named = ", ".join(quote(wanted[index], 40) for index in missing[:_NAMED_MISSING]) if name_missing else ""
        problem = f"keys are missing: {len(missing):,} of {len(wanted):,}" + (f", as {named}" if named else "")
        findings.add("E-KEY-MISSING", problem, "predict every item exactly once", file=file)
    positions = np.zeros(len(wanted), np.int64)
    positions[found] = np.arange(len(keys))
    return positions


def _one_to_one(keys: Sequence[str], wanted: Sequence[str]) -> np.ndarray | None:
    """Return where each wanted key is if both sides hold the same keys once, None if a closer look is needed."""
    if len(keys) != len(wanted):
        return None
    if all(map(eq, keys, wanted)):
        return np.arange(len(keys))
    # Sorting hashes takes half the time of a million look-ups, which wait for memory.
    hashes = [np.fromiter(map(hash, side), np.int64, len(side)) for side in (keys, wanted)]
    order, wanted_order = map(np.argsort, hashes)
    positions = np.empty(len(keys), np.int64)
    positions[wanted_order] = order
    same = (hashes[0][order] == hashes[1][wanted_order]).all()
    return positions if same and all(map(eq, map(keys.__getitem__, positions.tolist()), wanted)) else None


def refuse_doubles(keys: Sequence[str], file: str, place: Callable[[int], str], findings: Findings) -> None:
    """Add the keys that occur more than once, with the place of the first."""
    if len(set(keys)) == len(keys):
        return
    first: dict[str, int] = {}
    shown = 0
    for index, key in enumerate(keys):
        if first.setdefault(key, index) == index:
            continue
        shown += 1
        if shown > REPORTED_PER_KIND_AND_FILE:
            findings.count_more(1)
            continue
        problem = f"'{quote(key, 40)}' is also in {place(first[key])}"
        findings.add("E-KEY-TWICE", problem, "keep one of them", file=file, where=place(index))
