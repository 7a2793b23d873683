"""The reference: a file like that of a submission."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np

from task_templates.validator.formats.example_segments_json.read import Items, read_file
from validator.findings import Findings
from validator.formats.rules import Rules

TRUTH = "truth.json"


class Reference(NamedTuple):
    """The ground truth, its keys ascending; messages may name items if it ``is_open``."""

    items: Items
    is_open: bool


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return the ground truth of some items."""
    segments = reference.items
    is_selected = np.array([key in items for key in segments.keys], dtype=bool)
    is_kept = is_selected[segments.item]
    # The numbers of the items that are left.
    new_number = np.cumsum(is_selected) - 1
    selected = segments._replace(
        keys=[key for key in segments.keys if key in items],
        item=new_number[segments.item[is_kept]],
        label=segments.label[is_kept],
        times=segments.times[is_kept],
    )
    return reference._replace(items=selected)


def load_reference(folder: Path, rules: Rules, is_open: bool) -> Reference:
    """Read the ground truth. Raises Refused."""
    path = folder / TRUTH
    with Findings.collect() as findings:
        keys: list[str] = []
        if path.is_file():
            items = findings.take(read_file(path.read_bytes(), TRUTH, rules))
            keys = items.keys if len(items.item) else []
        if not keys:
            remedy = "write at least one item with a segment into it"
            findings.add("E-REF-NONE", "there is no ground truth", remedy, file=TRUTH)
    return Reference(read_file(path.read_bytes(), TRUTH, rules, sorted(keys)).content, is_open)
