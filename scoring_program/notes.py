"""A note that tasks share: what a submission lacks of what is public."""

from __future__ import annotations

from validator.arrays import Bools
from validator.findings import Note
from validator.texts import counted


def missing_notes(code: str, nothing: str, missing: Bools, item_noun: str, effect: str = "") -> list[Note]:
    """Return a note on the items, (n,), of which a submission has ``nothing``; none if it has all."""
    n_missing = int(missing.sum())
    if not n_missing:
        return []
    return [Note(code, f"{nothing} for {n_missing:,} of {counted(len(missing), item_noun)}{effect}")]
