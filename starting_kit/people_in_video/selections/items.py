"""Some items of a task with a value for each."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from scoring_program.challenges.items.reference import Reference
from validator.formats.items.arrays import Items, PlainValues, Values


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return the ground truth of some items."""
    return reference._replace(items=_select(reference.items, set(items)))


def _select(items: Items, wanted: set[str]) -> Items:
    """Return some items, in their order."""
    is_selected = np.array([key in wanted for key in items.keys], dtype=bool)
    selected_keys = [key for key in items.keys if key in wanted]
    if isinstance(items, PlainValues):
        return items._replace(
            keys=selected_keys,
            values=[value for key, value in zip(items.keys, items.values) if key in wanted],
            is_submitted=items.is_submitted[is_selected],
        )
    if isinstance(items, Values):
        return items._replace(keys=selected_keys, values=items.values[is_selected])
    is_kept = is_selected[items.item]
    new_number = np.cumsum(is_selected) - 1
    return items._replace(
        keys=selected_keys,
        item=new_number[items.item[is_kept]],
        label=items.label[is_kept],
        extent=items.extent[is_kept],
        score=items.score[is_kept],
        is_submitted=items.is_submitted[is_selected],
    )
