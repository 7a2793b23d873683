"""What a run may disclose: the one place that decides, for the page, the log and the JSON.

At ``detail: summary`` groups are made by the reference alone, so that the difference of two pages reveals
nothing that one page hides. A row rests on at least `MIN_GROUP` instances of the reference. Smaller groups
are merged into one row; if that row would still be too small, the smallest of the others joins it, so that
nothing can be computed by subtraction. Floats have 2 decimals, because the more digits a sum with weights of
the submission's choice has, the more it reveals about single items. Sections whose rows, cells or bins the
submission chooses, and columns with sums of such weights, are shown at ``full``, which shows everything;
``none`` shows no section at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from scoring_program.result import (
    DECIMALS,
    FULL,
    HAVE_ERRORS,
    HAVE_SCORES,
    SUMMARY,
    Column,
    Deferred,
    FewItems,
    Groups,
    Interval,
    Section,
    Shown,
    Table,
)
from scoring_program.settings import Settings
from validator.arrays import Bools, Ints

MIN_GROUP = 5
_DECIMALS = 2
# Decimals of intervals that are equal on every machine.
_INTERVAL_DECIMALS = 6
OTHERS = "(others)"
LEVELS: dict[str, tuple[str, ...]] = {"none": (), SUMMARY: (SUMMARY,), FULL: (SUMMARY, FULL)}


def disclosed(numbers: Shown, sections: Iterable[Section | Deferred], settings: Settings) -> Shown:
    """Return what may be shown of the numbers of a run, rounded.

    Parameters
    ----------
    numbers : Shown
        As they were computed, without sections.
    sections : iterable of Section or Deferred
        All sections of the task.
    settings : mapping of str to object
        Those of the reference; ``detail`` is the level, ``score_decimals`` the most decimals.
    """
    detail, decimals = settings["detail"], settings["score_decimals"]
    interval = numbers.interval
    if interval and round(interval.low, decimals) == round(interval.high, decimals):
        # That all halves score the same, and not only nearly so, would tell hidden digits.
        interval = None
    costs = numbers.error_costs if LEVELS[detail] else ()
    marks = [mark for mark in numbers.marks if detail == FULL or mark.name in settings["marks"]]
    shown = replace(
        numbers,
        scores=_with_ends(numbers.scores, interval),
        interval=interval,
        # By what is shown: the order of equal costs must not depend on hidden digits.
        error_costs=sorted(costs, key=lambda cost: -round(cost.points, decimals)),
        sections=visible_sections(sections, detail),
        marks=marks,
        decimals=decimals,
    )
    # All outputs have at most 10 decimals anyway.
    rounded: Shown = round_floats(shown, decimals) if decimals < DECIMALS else shown
    return rounded


def _with_ends(scores: Mapping[str, float], interval: Interval | None) -> dict[str, float]:
    """Return scores with the ends of an interval, equal on every machine."""
    if interval is None:
        return dict(scores)
    score_of_end = {"score_low": interval.low, "score_high": interval.high}
    return {**scores, **{key: round(end, _INTERVAL_DECIMALS) for key, end in score_of_end.items()}}


def visible_sections(sections: Iterable[Section | Deferred], detail: str) -> list[Section]:
    """Return the sections that a detail level shows, groups turned into tables and small ones merged."""
    minimum = min_group(detail)
    shown_sections: list[Section] = []
    for entry in sections:
        if entry.level not in LEVELS[detail]:
            continue
        built_sections = entry.build() if isinstance(entry, Deferred) else [entry]
        for section in built_sections:
            shown_section = _group_table(section, minimum) if isinstance(section, Groups) else section
            if shown_section is not None:
                shown_sections.append(shown_section)
    return round_floats(shown_sections, _DECIMALS) if minimum else shown_sections


def min_group(detail: str) -> int:
    """Return the minimum group size at a detail level: how many instances anything shown must rest on."""
    return 0 if detail == FULL else MIN_GROUP


def shown_seconds(seconds_of_stage: Mapping[str, float], detail: str) -> dict[str, float]:
    """Return how long a run took, as a detail level shows it: each stage at ``full``, otherwise whole seconds
    in total.

    What is compared takes time, and so times tell of labels, even where the scores do not.

    Examples
    --------
    >>> shown_seconds({"reference": 0.25, "score": 1.5}, "summary")
    {'total': 2}
    """
    if detail == FULL:
        return dict(seconds_of_stage)
    return {"total": round(sum(seconds_of_stage.values()))}


def few_items(has_errors: Bools, has_score: Bools, starts_at_zero: bool) -> FewItems | None:
    """Return why an interval is rough: fewer than `MIN_GROUP` items have errors, or any score; else None.

    A submission can be made so that one item decides it, so it is shown at ``full`` only.

    Parameters
    ----------
    has_errors, has_score : bool arrays of shape (n,)
        Whether an independent item has errors, and whether its score is above 0.
    starts_at_zero : bool
        Whether 0 is the worst score.
    """
    n_imperfect, n_scored = int(has_errors.sum()), int(has_score.sum())
    if n_imperfect < MIN_GROUP:
        return FewItems(HAVE_ERRORS, n_imperfect)
    if starts_at_zero and n_scored < MIN_GROUP:
        return FewItems(HAVE_SCORES, n_scored)
    return None


def merge_small(support: Ints, minimum: int, overlapping: bool = False) -> tuple[Ints, Ints]:
    """Return the numbers of the groups that are large enough, and of those that must be merged into one row.

    Parameters
    ----------
    support : int64 array of shape (n,)
        Instances of the reference.
    minimum : int
        The smallest number that a row may rest on.
    overlapping : bool
        Whether an instance may be in several groups: merged groups rest on as many as the largest then.

    Returns
    -------
    large, small : int arrays
        Together the groups that rest on anything. ``small`` has at least ``minimum`` instances, or is empty;
        if the groups do not suffice for one row, both are empty.
    """
    groups = np.flatnonzero(support)
    is_small = support[groups] < minimum
    large, small = groups[~is_small], groups[is_small]
    # The smallest of the large groups follow until the merged row is large itself.
    large = large[np.argsort(support[large], kind="stable")]
    n_taken = 0
    while len(small) and _merged_support(support[small], overlapping) < minimum:
        if n_taken == len(large):
            return large[:0], small[:0]
        small = np.append(small, large[n_taken])
        n_taken += 1
    return np.sort(large[n_taken:]), np.sort(small)


def _merged_support(support: Ints, overlapping: bool) -> int:
    """Return on how many instances at least a row rests that is merged from groups of these sizes."""
    return int(support.max() if overlapping else support.sum())


def _group_table(section: Groups, minimum: int) -> Table | None:
    """Return the table of groups that may be shown, None if it has no row."""
    support = section.support
    if not minimum and section.named is not None:
        support = np.maximum(support, section.named)
    large, small = merge_small(support, minimum, section.overlapping)
    rows = [_row(section, section.names[i], np.array([i]), minimum) for i in large.tolist()]
    if (key := section.worst_first) is not None:
        # By what is shown: the order of equal rows must not depend on hidden digits.
        rows.sort(key=lambda row: (row[key] is None, row[key]))
    if len(small):
        rows.append(_row(section, OTHERS, small, minimum))
    if not rows:
        return None
    columns = [Column(section.names_title), *(number.column() for number in section.numbers)]
    visible_columns = [i for i, column in enumerate(columns) if column.level == SUMMARY or not minimum]
    note = section.note if minimum else f"{section.note} {section.full_note}".strip()
    return Table(
        key=section.key,
        title=section.title,
        note=note,
        columns=[columns[i] for i in visible_columns],
        rows=[[row[i] for i in visible_columns] for row in rows],
        level=section.level,
        is_of_groups=True,
    )


def _row(section: Groups, name: str, members: Ints, minimum: int) -> list[Any]:
    """Return a row of a table, rounded as it may be shown."""
    cells = [name, *(number.cell(members) for number in section.numbers)]
    return round_floats(cells, _DECIMALS) if minimum else cells


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
        entries = (round_floats(entry, decimals) for entry in value)
        return value._make(entries) if hasattr(value, "_make") else type(value)(entries)
    if is_dataclass(value) and not isinstance(value, type):
        values = {field.name: round_floats(getattr(value, field.name), decimals) for field in fields(value)}
        return replace(value, **values)
    return value
