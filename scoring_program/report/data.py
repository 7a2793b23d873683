"""The machine-readable outputs: ``detailed_results.json`` says what the page says, ``per_item.csv`` more, at
home.

The form of the first is ``detailed_results.schema.json``. It is made of the same `Result` as the page: what
the detail level hides from one is not in the other.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from scoring_program.disclosure import round_floats
from scoring_program.report.files import DECIMALS
from scoring_program.report.html import clean
from scoring_program.result import Matrix, Result, Section, Statistics
from validator.findings import Findings

_NOT_SHOWN = ("key", "support", "from_total", "level")


def result_json(result: Result, signature: str, stages: Mapping[str, float]) -> str:
    """Return ``detailed_results.json`` of a scored submission.

    ``stages`` are the seconds that each stage of the run took; all other numbers have at most 10 decimals.
    """
    shown = {
        "signature": signature,
        "scores": dict(result.scores),
        "interval": asdict(result.interval) if result.interval else None,
        "losses": [asdict(loss) for loss in result.losses],
        "notes": [asdict(note) for note in result.notes],
        "tables": {section.key: _section(section) for section in result.sections},
    }
    return _document({"outcome": "scored", "exit_code": 0, **round_floats(shown, DECIMALS)}, stages)


def failed_json(outcome: str, exit_code: int, findings: Findings, stages: Mapping[str, float]) -> str:
    """Return ``detailed_results.json`` of a submission without a score; ``findings`` hold no reference data.

    ``outcome`` is one of invalid, time, memory and broken.
    """
    shown = {
        "problems": [asdict(problem) for problem in findings.chosen()],
        "more_problems": findings.unshown(),
        "notes": [asdict(note) for note in findings.notes],
    }
    return _document({"outcome": outcome, "exit_code": exit_code, **shown}, stages)


def per_item_csv(statistics: Statistics) -> str:
    """Return the score of each single item as CSV, empty where it has none. Only for ``detail: full``."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["item", "score"])
    for item, score in zip(statistics.items, statistics.item_scores.tolist()):
        table.writerow([item, "" if math.isnan(score) else f"{score:.{DECIMALS}f}"])
    return text.getvalue()


def _document(data: Mapping[str, Any], stages: Mapping[str, float]) -> str:
    """Return JSON with one line for each key; a run without a score has the same keys, empty."""
    empty = {"outcome": "", "exit_code": 0, "signature": None, "scores": {}, "interval": None, "losses": []}
    empty |= {"notes": [], "tables": {}, "problems": [], "more_problems": 0}
    whole = {**empty, **data, "stages": {stage: round(spent, 3) for stage, spent in stages.items()}}
    values = {key: json.dumps(value, ensure_ascii=False, allow_nan=False) for key, value in whole.items()}
    lines = (f' "{key}": {value}' for key, value in values.items())
    return clean("{\n" + ",\n".join(lines) + "\n}\n")


def _section(section: Section) -> dict[str, Any]:
    """Return what a section shows as plain data; its kind is the name of its class."""
    shown = {
        field.name: getattr(section, field.name) for field in fields(section) if field.name not in _NOT_SHOWN
    }
    if isinstance(section, Matrix):
        shown["counts"] = [
            [count if count >= 0 else None for count in row] for row in section.counts.tolist()
        ]
    for name in ("columns", "lines", "lanes"):
        if name in shown:
            shown[name] = [asdict(entry) for entry in shown[name]]
    return {"kind": type(section).__name__, **shown}
