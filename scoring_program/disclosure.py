"""What a run may disclose: the one place that decides, for the page, the log and the JSON.

At ``detail: summary`` a row, bin or cell rests on at least `MIN_GROUP` instances of the reference and as many
of the submission. Smaller ones are merged into one row; if that row would still be too small, the smallest of
the others joins it, so that nothing can be computed by subtraction. Where there is no such row, as in a
matrix, the same groups are left out. A line changes in steps of as many instances. Shares have 3 decimals,
because the more digits a sum with weights of the submission's choice has, the more it reveals about single
items. ``full`` shows everything, ``none`` no section at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from scoring_program import result as records
from scoring_program.result import FULL, SUMMARY, Cell, Deferred, Groups, Line, Result, Section, Table
from validator.arrays import Ints

MIN_GROUP = 5
_DECIMALS = 3
OTHERS = "(others)"
LEVELS: dict[str, tuple[str, ...]] = {"none": (), SUMMARY: (SUMMARY,), FULL: (SUMMARY, FULL)}


def disclosed(sections: Iterable[Section | Deferred], detail: str) -> list[Section]:
    """Return the sections that a detail level shows, groups turned into tables and small ones merged."""
    minimum = min_group(detail)
    shown: list[Section] = []
    for entry in sections:
        if entry.level in LEVELS[detail]:
            built = entry.build() if isinstance(entry, Deferred) else [entry]
            merged = (_merged(section, minimum) for section in built)
            shown += [section for section in merged if section is not None]
    return round_floats(shown, _DECIMALS) if minimum else shown


def min_group(detail: str) -> int:
    """Return the minimum group size at a detail level: how many instances anything shown must rest on."""
    return 0 if detail == FULL else MIN_GROUP


def shows_comparisons(detail: str) -> bool:
    """Return whether a detail level shows more than scores, such as error costs and hints."""
    return bool(LEVELS[detail])


def _merged(section: Section, minimum: int) -> Section | None:
    if isinstance(section, Groups):
        return _group_table(section, minimum)
    if not minimum:
        return section
    if isinstance(section, Table):
        return _large_rows(section, minimum)
    if isinstance(section, records.Histogram):
        return _merged_bins(section, minimum)
    if isinstance(section, records.Matrix):
        return _large_cells(section, minimum)
    if isinstance(section, records.LineChart):
        return _large_steps(section, minimum)
    if isinstance(section, records.BodyFigure):
        # A person has several parts.
        large, _ = merge_small(section.support, minimum, overlapping=True)
        parts = [part if number in large else (part[0], None, 0) for number, part in enumerate(section.parts)]
        return replace(section, parts=parts) if len(large) else None
    return section


def merge_small(support: Ints, minimum: int, overlapping: bool = False) -> tuple[Ints, Ints]:
    """Return the numbers of the groups that are large enough, and of those that must be merged into one row.

    Parameters
    ----------
    support : int64 array of shape (n, 2)
        Instances of the reference and of the submission.
    minimum : int
        The fewest of each that a row may rest on.
    overlapping : bool
        Whether an instance may be in several groups: merged groups rest on as many as the largest then.

    Returns
    -------
    large, small : int arrays
        Together the groups that rest on anything. ``small`` has at least ``minimum`` of each kind, or is
        empty; if the groups do not suffice for one row, both are empty.
    """
    some = np.flatnonzero(support.any(axis=1))
    is_small = (support[some] < minimum).any(axis=1)
    large, small = some[~is_small], some[is_small]
    # The smallest of the large groups follow until the merged row is large itself.
    large = large[np.argsort(support[large].min(axis=1), kind="stable")]
    taken = 0
    while len(small) and (_together(support[small], overlapping) < minimum).any():
        if taken == len(large):
            return large[:0], small[:0]
        small = np.append(small, large[taken])
        taken += 1
    return np.sort(large[taken:]), np.sort(small)


def _together(support: Ints, overlapping: bool) -> Ints:
    """Return what groups rest on together, at least."""
    return support.max(axis=0) if overlapping else support.sum(axis=0)


def _large_cells(section: records.Matrix, minimum: int) -> records.Matrix | None:
    """Return a matrix without small cells; the sum of the diagonal is known, so more than one goes."""
    shown = section.support.min(axis=2) >= minimum
    diagonal = np.arange(len(section.names))
    large, _ = merge_small(section.support[diagonal, diagonal], minimum)
    shown[diagonal, diagonal] &= np.isin(diagonal, large)
    return replace(section, counts=np.where(shown, section.counts, -1)) if shown.any() else None


def _group_table(section: Groups, minimum: int) -> Table | None:
    large, small = merge_small(section.support, minimum, section.overlapping)
    rows: list[Sequence[Cell]] = [(section.names[i], *section.row(np.array([i]))) for i in large.tolist()]
    support = section.support[large]
    if section.worst_first is not None:
        key = section.worst_first
        order = sorted(range(len(rows)), key=lambda i: (rows[i][key] is None, rows[i][key]))
        rows, support = [rows[i] for i in order], support[order]
    if len(small):
        rows.append((OTHERS, *section.row(small)))
        support = np.concatenate([support, _together(section.support[small], section.overlapping)[None]])
    if not rows:
        return None
    return Table(section.key, section.title, section.note, section.columns, rows, support, SUMMARY)


def _large_rows(section: Table, minimum: int) -> Table | None:
    """Return a table without its small rows; one without support holds facts about the submission alone."""
    if section.support is None:
        return section
    kept = section.support.min(axis=1) >= minimum
    rows = [row for row, stays in zip(section.rows, kept.tolist()) if stays]
    return replace(section, rows=rows, support=section.support[kept]) if rows else None


def _merged_bins(section: records.Histogram, minimum: int) -> records.Histogram | None:
    """Return a histogram whose neighboring bins are joined until each is empty or large."""
    edges, counts, support = [section.edges[0]], list[int](), list[Ints]()
    pending, size = 0, np.zeros(2, np.int64)
    for right, count, instances in zip(section.edges[1:], section.counts, section.support):
        pending, size = pending + count, size + instances
        if not pending or (size >= minimum).all():
            edges.append(right)
            counts.append(pending)
            support.append(size)
            pending, size = 0, np.zeros(2, np.int64)
    if pending:
        # What is left over joins the last bins that hold anything.
        while counts and not ((size >= minimum).all() and pending):
            pending, size = pending + counts.pop(), size + support.pop()
            edges.pop()
        if (size < minimum).any():
            return None
        edges.append(section.edges[-1])
        counts.append(pending)
        support.append(size)
    return replace(section, edges=edges, counts=counts, support=np.array(support)) if any(counts) else None


def _large_steps(section: records.LineChart, minimum: int) -> records.LineChart | None:
    """Return a chart whose lines change only after ``minimum`` more instances."""
    if section.support is None:
        return section
    step = _stepped_from_total if section.from_total else _stepped
    lines = [step(line, instances, minimum) for line, instances in zip(section.lines, section.support)]
    return replace(section, lines=lines) if any(any(line.y) for line in lines) else None


def _steps(instances: Ints, minimum: int) -> list[int]:
    """Return the points at which at least ``minimum`` instances have come since the point before."""
    steps, reached = [], 0
    for index, count in enumerate(instances.tolist()):
        if count - reached >= minimum:
            steps.append(index)
            reached = count
    return steps


def _stepped(line: Line, instances: Ints, minimum: int) -> Line:
    """Return a line that has in each step the value of the step's end, and 0 after the last step."""
    y, begin = [0.0] * len(line.y), 0
    for index in _steps(instances, minimum):
        y[begin : index + 1] = [line.y[index]] * (index + 1 - begin)
        begin = index + 1
    return replace(line, y=y)


def _stepped_from_total(line: Line, instances: Ints, minimum: int) -> Line:
    """Return a line that changes when enough instances have left; the last step goes to its end."""
    steps = [0, *_steps(instances, minimum)]
    values = [line.y[index] for index in steps]
    if len(steps) > 1:
        values[-1] = line.y[-1]
    return replace(line, y=np.repeat(values, np.diff([*steps, len(line.y)])).tolist())


def rounded(result: Result) -> Result:
    """Return a result whose shown numbers have at most `Result.decimals` decimals.

    What is not shown, `Result.statistics` and `Result.halves`, stays as it is.
    """
    shown = ("scores", "interval", "error_costs", "sections")
    return replace(result, **{name: round_floats(getattr(result, name), result.decimals) for name in shown})


def round_floats(value: Any, decimals: int) -> Any:
    """Return plain data or a record with rounded floats and without scalar types of numpy; arrays stay."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        # Adding zero turns a rounded -0.0 into 0.0.
        return round(value, decimals) + 0.0
    if isinstance(value, Mapping):
        return {key: round_floats(entry, decimals) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(round_floats(entry, decimals) for entry in value)
    if is_dataclass(value) and not isinstance(value, type):
        values = {field.name: round_floats(getattr(value, field.name), decimals) for field in fields(value)}
        return replace(value, **values)
    return value
