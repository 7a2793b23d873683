"""The columns of the leaderboard, beside the scores that programs write and the ways of the site."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from organizer.bundle import competition
from organizer.bundle.competition import BoardColumn, Competition, LintReport, form_of
from organizer.bundle.rules import columns_of, primary_column
from organizer.runs.dry_run import INTERVAL_KEYS
from scoring_program.task import Declaration
from validator.texts import some_words

_SHOWN_KEYS = 20
_COVERAGE = "coverage"
_COVERAGE_LOOPHOLE = "every submission that leaves nothing out has 1, whatever it predicts"
# Words in the names of measures.
_HIGHER_IS_BETTER = {
    "accuracy", "acc", "ap", "map", "auc", "auroc", "f", "iou", "jaccard", "dice", "precision", "recall",
    "bleu", "ndcg", "correlation", "psnr", "ssim",
}  # fmt: skip
_LOWER_IS_BETTER = {
    "error", "loss", "rmse", "mse", "mae", "time", "duration", "seconds", "runtime", "distance", "perplexity",
    "wer", "cer",
}  # fmt: skip


def check_columns(data: Competition, our_tasks: Collection[Declaration], report: LintReport) -> None:
    """Report columns that two fill, that may be empty and order the board, or that put the worst first."""
    _check_columns_of_site(data, our_tasks, report)
    _check_primary_column(data, our_tasks, report)
    for column in columns_of(data):
        _check_sorting(column, our_tasks, report)


def keys_of_programs(
    data: Competition, our_tasks: Sequence[Declaration], n_tasks: int, report: LintReport
) -> list[str]:
    """Return the keys of the columns that every program fills; report which some or all do not."""
    columns = [column for column in columns_of(data) if not column.computed]
    if len(our_tasks) < n_tasks or not n_tasks:
        return [column.key for column in columns]
    written_keys = [{column.key for column in task.columns} for task in our_tasks]
    by_all, by_any = set.intersection(*written_keys), set.union(*written_keys)
    for rule, faulty_columns in (
        ("column of no program", [column for column in columns if column.key not in by_any]),
        ("column of some programs", [column for column in columns if column.key in by_any - by_all]),
    ):
        if faulty_columns:
            keys = some_words([column.key for column in faulty_columns], most=_SHOWN_KEYS)
            report.add(rule, faulty_columns[0].where, key=keys, known=", ".join(sorted(by_any)))
    return [column.key for column in columns if column.key in by_all]


def _check_columns_of_site(data: Competition, our_tasks: Collection[Declaration], report: LintReport) -> None:
    """Report columns that two fill, and decimals that are lost."""
    column_of_key = {column.key: column for task in our_tasks for column in task.columns}
    for column in columns_of(data):
        if column.computed and form_of(data) == "v2" and column.key in column_of_key:
            report.add("column is computed and written", column.where, key=column.key)
        precision = column.data.get("precision", column.data.get("numeric_format"))
        is_whole = precision is not None and competition.number(precision) == 0
        if is_whole and column.key in column_of_key and column_of_key[column.key].precision > 0:
            report.add("no decimals", column.where, key=column.key)


def _check_primary_column(data: Competition, our_tasks: Collection[Declaration], report: LintReport) -> None:
    """Report a primary column that may be empty, or can be raised without better predictions."""
    primary = primary_column(data)
    if our_tasks and primary.key in INTERVAL_KEYS:
        report.add("interval as primary column", primary.where.rpartition("/")[0], key=primary.key)
    loopholes = [
        column.loophole for task in our_tasks for column in task.columns if column.key == primary.key
    ]
    if our_tasks and primary.key == _COVERAGE:
        loopholes = [_COVERAGE_LOOPHOLE]
    for loophole in filter(None, loopholes):
        report.add("primary column with a loophole", primary.where, key=primary.key, loophole=loophole)


def _check_sorting(column: BoardColumn, our_tasks: Collection[Declaration], report: LintReport) -> None:
    """Report a column that puts the worst of a task first."""
    order = column.data.get(column.sorting_key) or "desc"
    if not our_tasks:
        _check_sorting_by_name(column, order, report)
    sorting_of_task = {}
    for task in our_tasks:
        for declared_column in task.columns:
            if declared_column.key == column.key:
                sorting_of_task[task.id] = declared_column.sorting
    wrong_tasks = sorted(task_id for task_id, sorting in sorting_of_task.items() if sorting != order)
    if wrong_tasks:
        remedy = "correct it"
        if len(wrong_tasks) < len(sorting_of_task):
            remedy = "upload the bundles of one task, or hide the column"
        where = f"{column.where}/{column.sorting_key}"
        tasks = ", ".join(wrong_tasks)
        report.add("sorts the other way", where, key=column.key, tasks=tasks, remedy=remedy)


def _check_sorting_by_name(column: BoardColumn, order: str, report: LintReport) -> None:
    """Report a column of another program that is named like a measure whose best values come last."""
    title = column.data.get("title") or column.data.get("label") or ""
    words = set(re.findall("[a-z]+", f"{column.key} {title}".lower()))
    words |= {word.removesuffix("s") for word in words}
    is_higher_better, is_lower_better = bool(words & _HIGHER_IS_BETTER), bool(words & _LOWER_IS_BETTER)
    better, right_order = ("higher", "desc") if is_higher_better else ("lower", "asc")
    if is_higher_better != is_lower_better and order in {"asc", "desc"} - {right_order}:
        sorting = f"{column.sorting_key}: {right_order}"
        report.add("best is last", column.where, key=column.key, better=better, sorting=sorting)
