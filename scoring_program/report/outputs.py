"""The outputs of a run, each one written as a whole or not at all.

``scores.txt`` and ``scores.json`` hold the numbers. ``detailed_results.json``, whose schema is
``detailed_results.schema.json``, says what the page says, for programs: it is made from the same `Result`, so
what the detail level hides from one is not in the other. ``per_item.csv`` is written at home.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.disclosure import MIN_GROUP, round_floats
from scoring_program.metrics.resampling import LEVEL
from scoring_program.report.html import cut
from scoring_program.result import DECIMALS, SCORE_LIMIT, Interval, Section, Shown
from validator.console import OutputError
from validator.findings import Findings, Note
from validator.texts import visible

SCORES_TXT = "scores.txt"
SCORES_JSON = "scores.json"
DETAIL_HTML = "detailed_results.html"
PER_ITEM = "per_item.csv"
DETAIL_JSON = "detailed_results.json"
_FORMAT = 2
# Images are files of the participant.
_NOT_SHOWN = (
    "key",
    "support",
    "level",
    "image",
    "item",
    "item_columns",
    "open_rows",
    "is_of_groups",
    "anchor",
)


def write_atomic(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 so that a reader sees the old file or the new one, never a part.

    Raises OutputError if that cannot be done.
    """
    with _output_errors(f"{path.name} cannot be written"), replacing(path) as temporary:
        temporary.write_bytes(text.encode("utf-8", "replace"))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of another file, which takes the place of ``path`` at the end. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def begin(folder: Path, html: str) -> None:
    """Make a folder for outputs without earlier scores, and write a first page. Raises OutputError."""
    remove_scores(folder)
    write_atomic(folder / DETAIL_HTML, html)


def write_scored(folder: Path, html: str, detail: str, scores: Mapping[str, float]) -> None:
    """Write all outputs of a scored submission; scores.txt has ``key: value`` lines. Raises OutputError."""
    write_atomic(folder / DETAIL_HTML, html)
    write_atomic(folder / DETAIL_JSON, detail)
    numbers = {key: plain_number(value) for key, value in scores.items()}
    lines = [f"{key}: {number}\n" for key, number in numbers.items()]
    write_atomic(folder / SCORES_TXT, "".join(lines))
    # The JSON is put together from the same decimal texts: no second rounding can make the files differ.
    members = [f" {json.dumps(key)}: {number}" for key, number in numbers.items()]
    body = ",\n".join(members)
    write_atomic(folder / SCORES_JSON, f"{{\n{body}\n}}\n")


def write_failed(folder: Path, html: str, detail: str) -> None:
    """Write the outputs of a run without a score. Raises OutputError."""
    remove_scores(folder)
    write_atomic(folder / DETAIL_HTML, html)
    write_atomic(folder / DETAIL_JSON, detail)


def remove_scores(folder: Path) -> None:
    """Remove the scores of an earlier run, so that a failed run leaves none. Raises OutputError."""
    clear(folder, (SCORES_TXT, SCORES_JSON, DETAIL_JSON, PER_ITEM))


def clear(folder: Path, names: Iterable[str]) -> None:
    """Make a folder if needed, and remove earlier files of these names. Raises OutputError."""
    with _output_errors("the output folder cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        with _output_errors(f"an earlier {name} cannot be removed"):
            (folder / name).unlink(missing_ok=True)


@contextmanager
def _output_errors(problem: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{problem} ({error.strerror})") from None


def plain_number(value: float) -> str:
    """Return a finite number as a plain decimal with at most 10 decimals, without exponent.

    Raises
    ------
    ValueError
        The number is not finite, or too large for the platform (1e10).
    """
    if not math.isfinite(value) or abs(value) >= SCORE_LIMIT:
        raise ValueError(f"a score must be finite and below {SCORE_LIMIT:g}")
    text = f"{value:.{DECIMALS}f}".rstrip("0")
    text += "0" if text.endswith(".") else ""
    return "0.0" if text == "-0.0" else text


def result_json(shown: Shown, notes: Sequence[Note], stages: Mapping[str, float]) -> str:
    """Return ``detailed_results.json`` of a scored submission.

    ``stages`` are the seconds that each stage of the run took; all other numbers have at most 10 decimals.
    The ends of the interval have more of them than in the scores.
    """
    data = {"outcome": "scored", "exit_code": 0, **plain_result(shown, notes)}
    return _document(data, stages)


def plain_result(shown: Shown, notes: Sequence[Note]) -> dict[str, Any]:
    """Return what is shown of a result as plain data; numbers have at most 10 decimals."""
    data = {
        "signature": shown.signature,
        "scores": dict(shown.scores),
        "interval": _interval(shown.interval) if shown.interval else None,
        "marks": [mark._asdict() for mark in shown.marks],
        "error_costs": [
            {"type": cost.error_type, "score_if_fixed": cost.score_if_fixed, "points": cost.points}
            for cost in shown.error_costs
        ],
        "notes": [note.as_dict() for note in notes],
        "tables": {section.key: _section(section) for section in shown.sections},
    }
    rounded: dict[str, Any] = round_floats(data, DECIMALS)
    return rounded


def failed_json(outcome: str, exit_code: int, findings: Findings, stages: Mapping[str, float]) -> str:
    """Return ``detailed_results.json`` of a submission without a score; ``findings`` hold no reference data.

    ``outcome`` is one of invalid, time, memory, broken and nothing_to_score.
    """
    summary = findings.summary()
    data = {
        "outcome": outcome,
        "exit_code": exit_code,
        "problems": [problem.as_dict() for problem in summary.problems()],
        "more_problems": summary.not_shown(),
        "notes": [note.as_dict() for note in findings.notes],
    }
    return _document(data, stages)


def _interval(interval: Interval) -> dict[str, object]:
    data: dict[str, object] = {
        "low": interval.low,
        "high": interval.high,
        "standard_error": interval.standard_error,
        "half_samples": interval.half_samples,
        "items": interval.items,
        "level": LEVEL,
    }
    if interval.is_grouped:
        data["item_type"] = "group"
    if interval.few:
        few = interval.few
        data["few_items"] = {"that": few.property, "fewer_than": MIN_GROUP, "number": few.number}
    return data


def _document(data: Mapping[str, object], stages: Mapping[str, float]) -> str:
    """Return JSON with one line for each key; a run without a score has the same keys, empty."""
    empty = {
        "outcome": "",
        "exit_code": 0,
        "signature": None,
        "scores": {},
        "interval": None,
        "marks": [],
        "error_costs": [],
        "notes": [],
        "tables": {},
        "problems": [],
        "more_problems": 0,
    }
    seconds = {stage: round(duration, 3) for stage, duration in stages.items()}
    return json_text({"format": _FORMAT, **empty, **data, "stages": seconds})


def json_text(data: Mapping[str, object]) -> str:
    """Return JSON with one line for each key; numbers are finite."""
    lines = []
    for key, value in data.items():
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        lines.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(map(visible, lines)) + "\n}\n"


def _section(section: Section) -> dict[str, object]:
    """Return what a section shows as plain data; its kind is the name of its class."""
    data: dict[str, object] = {"kind": type(section).__name__}
    for field in fields(section):
        if field.name not in _NOT_SHOWN:
            data[field.name] = _plain(getattr(section, field.name))
    return data


def _plain(value: object) -> object:
    """Return a value of a section as plain data: named tuples as objects, arrays as lists.

    Names are cut as on the page: those of a submission may be long, and stand in many rows.
    """
    if hasattr(value, "_asdict"):
        fields_of_record = value._asdict().items()
        return {name: _plain(entry) for name, entry in fields_of_record if name not in _NOT_SHOWN}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [cut(entry) if isinstance(entry, str) else _plain(entry) for entry in value]
    return value
