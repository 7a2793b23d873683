"""The reference: a file like that of a submission, ``truth.csv`` or ``truth.json``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scoring_program.settings import Settings
from validator.findings import Findings, Read
from validator.formats.items.arrays import Items, has_values
from validator.formats.items.read import form_of, read_file, truth_rules
from validator.formats.rules import Rules
from validator.formats.values import Form, Kind

_WITH = {
    Kind.LABELS: " with a label",
    Kind.SEGMENTS: " with a segment",
    Kind.BOXES: " with a box",
}


class Reference(NamedTuple):
    """The ground truth, its keys ascending, and what an item has in a submission."""

    items: Items
    form: Form


def load_reference(rules: Rules, folder: Path, settings: Settings) -> Reference:
    """Read the ground truth. Raises Refused."""
    form = form_of(rules)
    path, rules = folder / form.truth_file, truth_rules(rules)
    with Findings.collect() as findings:
        keys: list[str] = []
        if path.is_file():
            items = findings.take(_read_truth(path, rules))
            keys = items.keys if has_values(items) else []
        if not keys:
            remedy = f"write at least one item{_WITH.get(form.kind, '')} into it"
            findings.add("E-REF-NONE", "there is no ground truth", remedy, file=path.name)
    # The reader puts items into an order.
    return Reference(_read_truth(path, rules, sorted(keys)).content, form)


def _read_truth(path: Path, rules: Rules, keys: Sequence[str] | None = None) -> Read[Items]:
    with path.open("rb") as stream:
        return read_file(stream.read, path.stat().st_size, path.name, rules, keys)


def items(reference: Reference) -> list[str]:
    """Return the keys of the ground truth."""
    return reference.items.keys
