"""The outcome of scoring at home: `Score`, with its tables as data frames and its page."""

from __future__ import annotations

import html
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from people_in_video.csv_table import csv_text, item_rows
from scoring_program.report import outputs
from scoring_program.report.page import result_page
from scoring_program.result import ErrorCost, Interval, Result, Statistics
from scoring_program.scoring import AnyLoaded
from scoring_program.task import Task, load_task
from validator.findings import Note
from validator.texts import counted

ITEMS = "items"
_FRAME_HEIGHT = 800


@dataclass(frozen=True, repr=False)
class Score:
    """The outcome of scoring one submission; ``result["coverage"]`` is a number of ``scores``.

    A notebook shows it as the page of the server, and ``print`` in two lines.

    Attributes
    ----------
    scores : mapping of str to float
        As in ``scores.json``; holds ``score`` and ``coverage``.
    interval : Interval or None
        ``low`` and ``high`` of the 95 % interval.
    error_costs : sequence of ErrorCost
        What each type of error costs, the largest first.
    items : sequence of dict
        A row for each independent item (video, sequence, image), as in ``per_item.csv``: ``item``,
        ``submitted``, ``score`` (None where it has none), ``weight``.
    notes : sequence of Note
        Remarks, those on likely mistakes first.
    signature : str
        Scores with the same signature are comparable.
    tables : mapping of str to dict
        The sections of the detail page by their keys, as in ``detailed_results.json``.
    """

    scores: Mapping[str, float]
    interval: Interval | None
    error_costs: Sequence[ErrorCost]
    items: Sequence[dict[str, Any]]
    notes: Sequence[Note]
    signature: str
    tables: Mapping[str, Any]
    _plain: Mapping[str, object]
    _result: Result = field(compare=False)

    @property
    def score(self) -> float:
        """The primary score."""
        return self.scores["score"]

    def __getitem__(self, key: str) -> float:
        """Return a number of ``scores``. Raises KeyError."""
        return self.scores[key]

    def __repr__(self) -> str:
        task = self._task()
        main_column = task.columns[0]
        score = f"{main_column.title} {self.scores[main_column.key]:.4f}"
        interval = self.interval or "no interval"
        first_line = f"{task.id}: {score} ({interval}), coverage {self.scores['coverage']:.4f}"
        costs = [f"{cost.error_type} {cost.points:.4f}" for cost in self.error_costs if cost.points > 0]
        n_mistakes = sum(note.is_mistake for note in self.notes)
        mistakes = f", {counted(n_mistakes, 'likely mistake')} among them" if n_mistakes else ""
        notes = f"{counted(len(self.notes), 'note')}{mistakes}"
        return f"{first_line}\nerrors cost most: {', '.join(costs[:3]) or 'nothing'}; {notes}"

    def _repr_html_(self) -> str:
        return page_frame(self.page_text())

    def to_dict(self) -> dict[str, object]:
        """Return all as plain data: what ``detailed_results.json`` holds of a score, and ``items``."""
        return {**self._plain, "items": [dict(row) for row in self.items]}

    def to_frame(self, table: str = ITEMS) -> Any:
        """Return the items, or a table of ``tables`` such as ``classes``, as a data frame of pandas.

        Raises KeyError for a section that is no table, ImportError where pandas is not installed.
        """
        pandas = importlib.import_module("pandas")
        if table == ITEMS:
            return pandas.DataFrame(self.items)
        keys = _keys_of_tables(self.tables)
        if table not in keys:
            raise KeyError(f"there is no table {table!r}; this score has {', '.join([ITEMS, *keys])}")
        columns, rows = _columns_and_rows(self.tables[table])
        return pandas.DataFrame(rows, columns=columns)

    def page(self, path: str | Path = "evaluation/detailed_results.html") -> Path:
        """Write the page of the server, with every detail and without drawings; return its path.

        Raises OutputError if it cannot be written.
        """
        target = Path(path)
        outputs.clear(target.parent, ())
        outputs.write_atomic(target, self.page_text())
        return target

    def write_tables(self, folder: str | Path) -> list[Path]:
        """Write each table as ``<key>.csv`` in a folder; return the paths. Raises OutputError."""
        return write_tables(self.tables, Path(folder))

    def comparable_result(self, name: str, signature: str) -> Result:
        """Return the result behind the score, to compare it with others of the same signature.

        ``name`` is what messages call it. Raises ValueError if it has another signature, or no interval.
        """
        if self.signature != signature:
            text = f"{name} is a score of another reference, or of other settings"
            raise ValueError(f"{text}: its signature is {self.signature}, that of the comparison {signature}")
        if self._result.halves is None:
            raise ValueError(f"{name} was scored with interval=False; score it with an interval")
        return self._result

    def page_text(self) -> str:
        """Return the page that `page` writes."""
        return result_page(self._task(), self._result.shown, self._result.notes)

    def _task(self) -> Task:
        return load_task(self.signature.partition("|")[0])


def page_frame(page_text: str) -> str:
    """Return a page as a frame in a notebook."""
    # The styles of the page must not reach the notebook, nor those of the notebook the page.
    escaped_page = html.escape(page_text, quote=True)
    return f'<iframe srcdoc="{escaped_page}" width="100%" height="{_FRAME_HEIGHT}"></iframe>'


def make_score(loaded: AnyLoaded, result: Result) -> Score:
    """Return what is told of the result of scoring on a reference."""
    data = outputs.plain_result(result.shown, result.notes)
    return Score(
        scores=result.scores,
        interval=result.interval,
        error_costs=result.error_costs,
        items=item_rows(result),
        notes=result.notes,
        signature=loaded.signature,
        tables=data["tables"],
        _plain=data,
        _result=without_large_arrays(result),
    )


def without_large_arrays(result: Result) -> Result:
    """Return a result without the arrays of a task: the results of fifty epochs would fill the memory."""
    statistics = Statistics(
        item_scores=result.statistics.item_scores,
        item_submitted=result.statistics.item_submitted,
        item_weights=result.statistics.item_weights,
        item_perfect=result.statistics.item_perfect,
    )
    return replace(result, statistics=statistics)


def write_tables(tables: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the tables among sections of a page as ``<key>.csv``; return the paths. Raises OutputError."""
    outputs.clear(folder, ())
    paths = []
    for key in _keys_of_tables(tables):
        columns, rows = _columns_and_rows(tables[key])
        path = folder / f"{key}.csv"
        outputs.write_atomic(path, csv_text(columns, rows))
        paths.append(path)
    return paths


def _keys_of_tables(tables: Mapping[str, Any]) -> list[str]:
    """Return the keys of the sections that are tables of rows under columns."""
    return [key for key, section in tables.items() if {"columns", "rows"} <= section.keys()]


def _columns_and_rows(section: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    return [column["title"] for column in section["columns"]], section["rows"]
