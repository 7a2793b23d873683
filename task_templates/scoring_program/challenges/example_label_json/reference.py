"""The reference: a file like that of a submission."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from task_templates.validator.formats.example_label_json.read import Items, read_file
from validator.findings import Findings
from validator.formats.rules import Rules

TRUTH = "truth.json"


class Reference(NamedTuple):
    """The ground truth, its keys ascending."""

    items: Items


def load_reference(folder: Path, rules: Rules) -> Reference:
    """Read the ground truth. Raises Refused."""
    path = folder / TRUTH
    with Findings.collect() as findings:
        keys: list[str] = []
        if path.is_file():
            keys = findings.take(read_file(path.read_bytes(), TRUTH, rules)).keys
        if not keys:
            findings.add(
                "E-REF-NONE", "there is no ground truth", "write at least one item into it", file=TRUTH
            )
    return Reference(read_file(path.read_bytes(), TRUTH, rules, sorted(keys)).content)
