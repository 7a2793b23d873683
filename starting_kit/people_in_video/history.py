"""The history of runs: a row of ``runs.csv`` for each, and ``history.html``, which draws their scores."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from people_in_video.csv_table import csv_text
from people_in_video.references.loading import check_task
from people_in_video.result import Score
from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.layout import card, document
from scoring_program.report.elements.lines import Line, line_mark, line_points, path_data
from scoring_program.report.elements.plots import plot
from scoring_program.report.elements.svg import key, line, with_title
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import cut, element
from scoring_program.report.outputs import clear, plain_number, write_atomic
from scoring_program.task import Task, load_task, task_ids
from validator.console import OutputError
from validator.texts import counted

RUNS, _PAGE = "runs.csv", "history.html"
_PAGES = "runs"
# Columns of costs begin so.
_COST = "cost_"
_INTERVAL = {"score_low": "Interval from", "score_high": "Interval to"}
_BAND = "95 % interval"
_REQUIRED = ("run", "signature")
# What the result of a run tells.
_NEEDED = {"signature", "scores", "error_costs"}
_MOST_ROWS = 500
_DECIMALS = 4
# Larger than any score.
_LARGEST = 1e12

Row = Mapping[str, str]
"""A run: the texts of its cells in ``runs.csv`` by column."""


class RunsError(OutputError):
    """No runs can be added to a table, or shown from it."""

    remedy = f"correct {RUNS}, or move it away"


def add_run(folder: str | Path, name: str, result: Score | Mapping[str, Any]) -> None:
    """Append a run to ``runs.csv`` in a folder, and draw ``history.html`` beside it anew, with a link to the
    page of the run, which a `Score` has.

    Of processes that do this at the same time, one waits for the other, except on Windows.

    Parameters
    ----------
    folder : path
    name : str
        The name of the run, such as ``epoch 3``.
    result : Score, or mapping
        The score, what its `to_dict` returns, or the content of ``detailed_results.json``.

    Raises
    ------
    OutputError
        A file cannot be written, or ``runs.csv`` is another table, which stays as it is.
    TypeError
        The result is something else, such as a number.
    ValueError
        It is of a task that this kit does not have.
    """
    content = result.to_dict() if isinstance(result, Score) else result
    if not (isinstance(content, Mapping) and content.keys() >= _NEEDED and content["signature"]):
        remedy = "give what score or compute returns, or the content of detailed_results.json"
        raise TypeError(f"the result is {content!r:.60}, which tells no score with its signature; {remedy}")
    check_task(str(content["signature"]).partition("|")[0])
    record_run(folder, name, content, result.page_text() if isinstance(result, Score) else "")


def record_run(folder: str | Path, name: str, result: Mapping[str, Any], page_text: str) -> None:
    """Add a run as `add_run` does; ``page_text`` is its page, "" without one. Raises OutputError."""
    path = Path(folder, RUNS)
    clear(path.parent, ())
    with _locked(path.parent):
        rows = _read(path)
        page_name = _free_page_name(path.parent) if page_text else ""
        if page_name:
            clear(path.parent / _PAGES, ())
            write_atomic(path.parent / page_name, page_text)
        rows.append({**_row(name, result), "page": page_name})
        write_atomic(path, _csv(rows))
        write_atomic(path.with_name(_PAGE), _page(rows))


def _free_page_name(folder: Path) -> str:
    """Return the address of the next page of a run."""
    names = (f"{_PAGES}/{number}.html" for number in count(1))
    return next(name for name in names if not (folder / name).exists())


def draw_history(folder: Path) -> tuple[Path, list[dict[str, str]]]:
    """Draw ``history.html`` of the runs in a folder anew; return its path, and the runs.

    Raises OutputError if ``runs.csv`` is another table or holds no run of a task that this kit has, or the
    page cannot be written.
    """
    rows = _read(folder / RUNS)
    if not comparable_runs(rows):
        raise RunsError(f"{folder / RUNS} holds no run of a task that this kit has")
    write_atomic(folder / _PAGE, _page(rows))
    return folder / _PAGE, rows


def comparable_runs(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the runs that have the signature of the last one: other scores cannot be compared with it.

    Rows of tasks that this kit does not have, and rows that were cut off, are no runs.
    """
    signatures = [row["signature"] for row in rows if _task_id(row) in task_ids()]
    return [row for row in rows if row["signature"] == signatures[-1]] if signatures else []


def _task_id(row: Row) -> str:
    """Return the id of the task of a run, which its signature begins with."""
    return row["signature"].partition("|")[0]


def text_on_others(n_others: int) -> str:
    """Return how many runs of other signatures are left out."""
    return f"{counted(n_others, 'run')} of other signatures left out: see {RUNS}."


def _row(name: str, result: Mapping[str, Any]) -> dict[str, str]:
    """Return the row of a run: its name, signature, scores and costs."""
    costs = {_COST + cost["type"]: cost["points"] for cost in result["error_costs"]}
    numbers = {**result["scores"], **costs}
    texts = {column: plain_number(value) for column, value in numbers.items()}
    return {"run": name, "signature": result["signature"], **texts}


def _csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV with all columns that any of them has, without formulas.

    People may have edited the table: the cells of a row that has too many are a list.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return csv_text(columns, ([str(row.get(column) or "") for column in columns] for row in rows))


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
        columns = reader.fieldnames or _REQUIRED
        if not {*_REQUIRED} <= {*columns}:
            raise ValueError(f"its first line does not name {' and '.join(_REQUIRED)}")
        # A row that was cut off has no texts in its last columns.
        return [{column: text or "" for column, text in row.items()} for row in reader]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, csv.Error) as error:
        raise RunsError(f"{path}: runs cannot be added to this table ({error})") from None


def _page(rows: Sequence[Row]) -> str:
    """Return the page of the runs that have the signature of the last one: their scores, and a table."""
    runs = comparable_runs(rows)
    task = load_task(_task_id(runs[-1]))
    titles = {_COST + error_type.key: error_type.title for error_type in task.error_types}
    costs = {column: title for column, title in titles.items() if any(_line(runs, column, title).y)}
    cards = [
        _score_card(runs, task),
        _runs_card(runs, {"score": task.columns[0].title, **_INTERVAL, **costs}),
    ]
    return document(task.title, _head(task, runs, n_others=len(rows) - len(runs)), cards)


def _head(task: Task, runs: Sequence[Row], n_others: int) -> list[Element]:
    """Return the title, the number of runs and the best of them, and how many are of other signatures."""
    text = f"{counted(len(runs), 'run')}."
    best = _best_run(runs, task)
    if best is not None:
        score = _number(runs[best - 1], "score")
        text += f" The best is run {best} ({cut(runs[best - 1]['run'])}), with {score:.4f}."
    head = [element("h1", f"{task.columns[0].title} by run"), element("p", text)]
    if n_others:
        text = text_on_others(n_others)
        if task.is_published:
            text += " people_in_video/conventions.md says what moves a number."
        head.append(element("p", text))
    return head


def _best_run(runs: Sequence[Row], task: Task) -> int | None:
    """Return the number of the run with the best score, from 1; the first of equal ones, None without any."""
    scores = _line(runs, "score", "")
    if not scores.x:
        return None
    best_score = max(scores.y) if task.higher_is_better else min(scores.y)
    return int(scores.x[scores.y.index(best_score)])


def _score_card(runs: Sequence[Row], task: Task) -> Element:
    """Return the score run by run, its intervals as a band, and a mark at the best run."""
    title = task.columns[0].title
    scores = _line(runs, "score", title)
    intervals = [_line(runs, column, label) for column, label in _INTERVAL.items()]
    x_axis, y_axis = _axes(runs, "Score", [scores, *intervals])
    marks, texts = [], []
    if intervals[0].x and intervals[0].x == intervals[1].x:
        lower = line_points(intervals[0], x_axis, y_axis)
        upper = line_points(intervals[1], x_axis, y_axis)
        band = element("path", class_="area-f", d=f"{path_data([*lower, *reversed(upper)])} Z")
        marks.append(with_title(band, _BAND))
    best = _best_run(runs, task)
    if best is not None:
        percent = x_axis.percent(best)
        marks.append(line(percent, 0, percent, 100, "mark"))
        texts.append(element("span", "best", class_="threshold", style=f"left:{percent:.2f}%"))
        score_line = line_mark(line_points(scores, x_axis, y_axis), "f")
        marks.append(with_title(score_line, title))
    chart = plot(f"{title} by run, with its 95 % interval", x_axis, y_axis, marks, texts)
    meanings = key([(title, "fill-f"), (_BAND, "area-f")])
    note = "The score with its 95 % interval."
    return card("score", "Score", note, chart, meanings)


def _line(runs: Sequence[Row], column: str, label: str) -> Line:
    """Return the numbers of a column by the numbers of their runs, from 1."""
    run_numbers, values = [], []
    for run_number, row in enumerate(runs, start=1):
        value = _number(row, column)
        if value is not None:
            run_numbers.append(run_number)
            values.append(value)
    return Line(label, run_numbers, values)


def _axes(runs: Sequence[Row], title: str, lines: Sequence[Line]) -> tuple[Axis, Axis]:
    """Return the axis of runs, from the first to the last, and that of their numbers."""
    numbers = list(chain.from_iterable(series.y for series in lines)) or [0.0]
    low = math.floor(10 * min(numbers)) / 10
    high = math.ceil(10 * max(numbers)) / 10
    x_axis = Axis("run", 1.0, float(len(runs)), is_whole=True)
    if len(runs) == 1:
        # An axis needs some length; the one run is in its middle.
        x_axis = Axis("run", 0.0, 2.0, numbers=[1.0])
    return x_axis, Axis(title.lower(), low, max(high, low + 0.1))


def _runs_card(runs: Sequence[Row], titles: Mapping[str, str]) -> Element:
    """Return all numbers of each run, the last run first."""
    has_pages = any(row.get("page") for row in runs)
    rows: list[list[Cell]] = []
    for number, row in enumerate(runs, start=1):
        cells: list[Cell] = [f"{number}. {row['run']}"]
        if has_pages:
            cells.append(_page_link(row.get("page") or ""))
        for column in titles:
            value = _number(row, column)
            cells.append("" if value is None else f"{value:.{_DECIMALS}f}")
        rows.append(cells)
    headings = [
        Heading(title, "text") for title in ("Run", *(["Page"] if has_pages else []), *titles.values())
    ]
    return card("runs", "Runs", "The last first.", *table(headings, rows[::-1], "Runs", most=_MOST_ROWS))


def _page_link(address: str) -> Cell:
    """Return a link to the page of a run, "" without one; people may have edited the table."""
    if not re.fullmatch(rf"{_PAGES}/[0-9]+\.html", address):
        return ""
    return element("a", "page", href=address)


def _number(row: Row, column: str) -> float | None:
    """Return the number in a cell, None if there is none."""
    try:
        value = float(row.get(column) or "")
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None
