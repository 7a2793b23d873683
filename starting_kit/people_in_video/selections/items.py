"""Some items of a task with a value for each."""

from __future__ import annotations

from collections.abc import Collection

from scoring_program.challenges.items.reference import Reference
from validator.formats.items.arrays import select


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return the ground truth of some items."""
    return reference._replace(items=select(reference.items, items))
