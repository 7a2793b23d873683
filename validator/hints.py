"""Notes that tasks share: likely mistakes that need no reference, and what a submission lacks."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.findings import Note
from validator.texts import counted, quote

_LEAST_ROWS = 4
_LEAST_SCORES = 10
_EMPTY = "the submission contains no predictions. Was it written too early?"
_MISSING = ("N-FILE-EMPTY", "N-FILE-MISSING", "N-FRAMES-MISSING", "N-IMAGES-MISSING", "N-SEGMENTS-MISSING")
_MOST_REPEATED = 0.1


def empty_note() -> Note:
    """Return the note on a submission without predictions."""
    return Note("N-EMPTY", _EMPTY, _MISSING)


def repeat_hints(rows: Floats | Ints, row_noun: str, effect: str) -> list[Note]:
    """Return a note if more than a tenth of the rows (n, k) repeat another: "30 things of 90 repeat ..."."""
    sorted_rows = rows[np.lexsort(rows.T)]
    n_repeated = int((sorted_rows[1:] == sorted_rows[:-1]).all(axis=1).sum())
    if n_repeated <= _MOST_REPEATED * len(rows):
        return []
    return [Note("N-REPEATED", f"{counted(n_repeated, row_noun)} of {len(rows):,} {effect}")]


def label_hints(n: int, labels: Collection[object], label_noun: str, item_noun: str = "row") -> list[Note]:
    """Return a note if all ``n`` items have the same of ``labels``: "all 4 rows have the class 1"."""
    if n < _LEAST_ROWS or len(labels) != 1:
        return []
    (label,) = labels
    # Names may be empty, or hold blanks.
    name = f"'{quote(label)}'" if isinstance(label, str) else label
    text = f"all {counted(n, item_noun)} have the {label_noun} {name}"
    return [Note("N-LOOKS-CONSTANT", text)]


def score_hints(n: int, lowest: float, highest: float) -> list[Note]:
    """Return a note if all ``n`` predictions have the same score: "all 20 scores are 1"."""
    if n < _LEAST_SCORES or lowest != highest:
        return []
    text = f"all {counted(n, 'score')} are {lowest:g}. They rank detections: give each its own"
    return [Note("N-LOOKS-CONSTANT", text)]


def missing_notes(code: str, nothing: str, is_missing: Bools, item_noun: str, effect: str = "") -> list[Note]:
    """Return a note on the items, (n,), of which a submission has ``nothing``; none if it has all."""
    n_missing = int(is_missing.sum())
    if not n_missing:
        return []
    return [Note(code, f"{nothing} for {n_missing:,} of {counted(len(is_missing), item_noun)}{effect}")]
