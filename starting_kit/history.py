"""The history of runs: a row of ``runs.csv`` for each, and ``history.html``, which draws score and costs."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import kit_path  # noqa: F401 - makes the scoring code importable

# isort: split
from scoring_program.report import charts
from scoring_program.report.html import element
from scoring_program.report.outputs import clear, plain_number, write_atomic
from scoring_program.report.page import card, document, table
from scoring_program.result import Line, LineChart, columns
from scoring_program.task import AnyTask, load_task
from validator.console import OutputError
from validator.texts import counted

_RUNS, _PAGE = "runs.csv", "history.html"
_COST = "cost_"
_MOST_ROWS = 500
_FIRST = ("run", "signature")
# Larger than any score.
_LARGEST = 1e12


def add_run(folder: str | Path, name: str, result: Mapping[str, Any]) -> None:
    """Append a run to ``runs.csv`` in a folder, and draw ``history.html`` beside it anew.

    Of processes that do this at the same time, one waits for the other, except on Windows.

    Parameters
    ----------
    folder : path
    name : str
        The name of the run, such as ``epoch 3``.
    result : mapping
        What `Score.to_dict` returns, or the content of ``detailed_results.json``.

    Raises
    ------
    OutputError
        A file cannot be written, or ``runs.csv`` is another table, which stays as it is.
    """
    path = Path(folder, _RUNS)
    clear(path.parent, ())
    with _locked(path.parent):
        rows = _read(path)
        costs = {_COST + cost["type"]: cost["points"] for cost in result["error_costs"]}
        texts = {key: plain_number(value) for key, value in {**result["scores"], **costs}.items()}
        rows.append({"run": name, "signature": result["signature"], **texts})
        text = io.StringIO()
        names = list(dict.fromkeys(key for row in rows for key in row))
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_atomic(path, text.getvalue())
        write_atomic(path.with_name(_PAGE), _page(rows))


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes that add a run out of a folder, where the system can lock folders."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def _read(path: Path) -> list[dict[str, str]]:
    """Return the rows of an earlier call, which people may have edited. Raises OutputError."""
    try:
        reader = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
        names = reader.fieldnames or _FIRST
        if not {*_FIRST} <= {*names}:
            raise ValueError(f"its first line does not name {' and '.join(_FIRST)}")
        return list(reader)
    except FileNotFoundError:
        return []
    except (OSError, ValueError, csv.Error) as error:
        raise OutputError(f"{path}: runs cannot be added to this table ({error})") from None


def _page(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the page of the runs that have the signature of the last one."""
    signature = rows[-1]["signature"]
    task = load_task(signature.split("|")[0])
    shown = [row for row in rows if row["signature"] == signature]
    main, ends = task.columns[0], {"score_low": "Interval from", "score_high": "Interval to"}
    costs = {_COST + error_type.key: error_type.title for error_type in task.error_types}
    head = [element("h1", f"{main.title} by run"), element("p", f"{counted(len(shown), 'run')}.")]
    if others := len(rows) - len(shown):
        head.append(element("p", f"{counted(others, 'run')} of other signatures left out: see {_RUNS}."))
    note = "The score with the ends of its 95 % interval. To compare two runs, compare their submissions."
    body = [
        _chart(shown, "score", "Score", note, {"score": main.title, **ends}),
        _chart(shown, "costs", "What errors cost", "The gain if one type of error were fixed.", costs),
        _table(shown, task, {**ends, **costs}),
    ]
    return document(task.title, head, body)


def _number(row: Mapping[str, str], key: str) -> float | None:
    """Return the number in a cell, None if there is none."""
    try:
        value = float(row.get(key) or "")
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None


def _chart(
    rows: Sequence[Mapping[str, str]], key: str, title: str, note: str, titles: Mapping[str, str]
) -> Any:
    lines = []
    for name, label in titles.items():
        points = [(at, value) for at, row in enumerate(rows, 1) if (value := _number(row, name)) is not None]
        if points:
            lines.append(Line(label, *zip(*points)))
    values = [value for line in lines for value in line.y] or [0.0]
    low, high = math.floor(10 * min(values)) / 10, math.ceil(10 * max(values)) / 10
    # With four steps or more, those of the axis are whole runs.
    ranges = (1.0, float(max(len(rows), 5)), low, max(high, low + 0.1))
    chart = LineChart(key, title, note, lines, "run", title.lower(), ranges)
    return card(key, title, note, charts.lines(chart), charts.lines_key(chart))


def _table(rows: Sequence[Mapping[str, str]], task: AnyTask, titles: Mapping[str, str]) -> Any:
    keys = ["score", *titles]
    numbers = ([_number(row, key) for key in keys] for row in rows)
    texts = (["" if value is None else f"{value:.4f}" for value in own] for own in numbers)
    cells = [[f"{at}. {row['run']}", *own] for at, (row, own) in enumerate(zip(rows, texts), 1)]
    heads = columns(text=["Run", task.columns[0].title, *titles.values()])
    return card("runs", "Runs", "The last first.", *table(heads, cells[::-1], "Runs", _MOST_ROWS))
