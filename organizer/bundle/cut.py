"""Cutting the bundle of one task out of competition.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from organizer.bundle.competition import (
    Competition,
    Entry,
    entries_of,
    is_key,
    number,
    sorted_phases,
    yes,
)
from scoring_program.task import Declaration, ScoreColumn, task_ids

# Part of a competition.yaml that is made here.
_New = dict[str, Any]
_PROGRAM = "_program.zip"
_REFERENCE = "_reference.zip"
SEVERAL_TASKS = re.compile(r"\b(?:(?:two|three|four|five|six) tasks|untick|all tasks are ticked)\b", re.I)
"""Words of a text about several tasks, which make no sense where one is offered."""
PUBLIC = "_public.zip"
PUBLIC_DATA = "public_data.zip"
# What the platform takes for a column without a precision.
DEFAULT_PRECISION = 2
_OVERVIEW = "overview"


def task_id_of(entry: Entry) -> str | None:
    """Return the id of the task that an entry is of, None for one that is not ours.

    Its program is ``<id>_program.zip``; of a program that the server holds, which the entry names by a key,
    the reference tells it, ``<id>_reference.zip``.
    """
    program = entry.get("scoring_program", "")
    name, ending = (entry.get("reference_data", ""), _REFERENCE) if is_key(program) else (program, _PROGRAM)
    return {f"{task_id}{ending}": task_id for task_id in task_ids()}.get(name)


def reference_name(entry: Entry) -> str | None:
    """Return X if an entry of one of our tasks names ``X_reference.zip``."""
    name = str(entry.get("reference_data", ""))
    return name[: -len(_REFERENCE)] if task_id_of(entry) and name.endswith(_REFERENCE) else None


def public_names(competition: Competition, path: str) -> dict[str, str]:
    """Return the references whose public data a file of a phase holds, with the folder of each in it.

    ``X_public.zip`` holds that of ``X_reference.zip``. ``public_data.zip``, or any name that ends so, holds a
    folder for each task of the phases that name it.
    """
    if path.endswith(PUBLIC_DATA):
        indexes = set()
        for _, phase in entries_of(competition, "phases"):
            if phase.get("public_data") == path:
                indexes.update(phase["tasks"])
        entries = [entry for _, entry in entries_of(competition, "tasks") if entry["index"] in indexes]
        return {name: name for name in filter(None, map(reference_name, entries))}
    name = path.removesuffix(PUBLIC)
    return {name: ""} if path.endswith(PUBLIC) else {}


def one_task(competition: Competition, task: Declaration) -> Competition | None:
    """Cut out the bundle of one task: its entries, the phases that offer them, its page.

    Title and description are those of its first entry; if there is no other task, title, description and
    pages are the competition's. Phases keep their descriptions unless those are of all tasks. Returns None if
    no phase offers the task.
    """
    entries = [entry for entry in competition["tasks"] if task_id_of(entry) == task.id]
    if not entries:
        return None
    # YAML reads some texts as numbers.
    description = str(entries[0].get("description") or task.summary)
    new_index = {entry["index"]: index for index, entry in enumerate(entries)}
    phases = _phases(competition, new_index, description)
    if not phases:
        return None
    texts = {}
    if len(entries) < len(competition["tasks"]):
        texts = {
            "title": entries[0].get("name") or task.title,
            "description": description,
            "pages": _pages(competition, task.id),
        }
    return {
        **competition,
        **texts,
        "tasks": [{**entry, "index": index} for index, entry in enumerate(entries)],
        "solutions": _solutions(competition, new_index),
        "phases": phases,
        "leaderboards": [_board(competition, phases, task)],
    }


def leaderboard_columns(competition: Competition, task: Declaration) -> list[ScoreColumn]:
    """Return the columns that the bundle of one task shows and that its program fills, in their order.

    Titles and precisions are those of the bundle. Where no phase offers the task, the columns are its own.
    """
    bundle = one_task(competition, task)
    if bundle is None:
        return [column for column in task.columns if column.leaderboard]
    column_of_key = {column.key: column for column in task.columns}
    columns = []
    entries = bundle["leaderboards"][0]["columns"]
    for entry in sorted(entries, key=lambda entry: number(entry["index"])):
        declared_column = column_of_key.get(str(entry["key"]).strip())
        if declared_column is not None and not yes(entry.get("hidden")):
            precision = max(number(entry.get("precision", DEFAULT_PRECISION)), 0)
            columns.append(declared_column._replace(title=str(entry["title"]), precision=precision))
    return columns


def _phases(competition: Competition, new_index: Mapping[object, int], description: str) -> list[_New]:
    """Return the phases that offer one of the tasks, whose new indexes are given by the old ones."""
    phases: list[_New] = []
    for _, phase in sorted_phases(competition):
        tasks = [new_index[index] for index in phase["tasks"] if index in new_index]
        if tasks:
            phase_of_task = {**phase, "index": len(phases), "tasks": tasks}
            is_for_all_tasks = "description" not in phase or SEVERAL_TASKS.search(str(phase["description"]))
            if is_for_all_tasks and len(tasks) < len(phase["tasks"]):
                phase_of_task["description"] = without_math(description)
            phases.append(phase_of_task)
    if phases:
        phases[0].pop("auto_migrate_to_this_phase", None)
    return phases


def without_math(text: str) -> str:
    """Return text for a page or the description of a phase in which no ``$`` begins a formula on the site."""
    return text.replace("$", "&#36;")


def _solutions(competition: Competition, new_index: Mapping[object, int]) -> list[_New]:
    """Return the solutions of one of the tasks."""
    solutions: list[_New] = []
    for _, entry in entries_of(competition, "solutions"):
        tasks = [new_index[index] for index in entry["tasks"] if index in new_index]
        if tasks:
            solutions.append({**entry, "tasks": tasks, "index": len(solutions)})
    return solutions


def _pages(competition: Competition, task_id: str) -> list[_New]:
    """Return the pages that are not of another task, that of the task first: the site opens it."""
    pages_of_task, overviews, shared_pages = [], [], []
    for page in competition["pages"]:
        stem = PurePosixPath(page["file"]).stem
        if stem == task_id:
            pages_of_task.append(page)
        elif stem == _OVERVIEW:
            overviews.append(page)
        elif stem not in task_ids():
            shared_pages.append(page)
    if not pages_of_task:
        pages_of_task = [{"title": "Task", "file": f"pages/{task_id}.md"}]
    # The position of a page among all does not hold here.
    return [
        {key: value for key, value in page.items() if key != "index"}
        for page in [*pages_of_task, *overviews, *shared_pages]
    ]


def _board(competition: Competition, phases: list[_New], task: Declaration) -> _New:
    """Return the leaderboard of one task.

    Its columns are those of the task, as the competition changes and completes them; where there is no other
    task, those of the competition.
    """
    board_of_task = dict(competition["leaderboards"][0])
    if any(task_id_of(entry) != task.id for entry in competition["tasks"]):
        board_of_task = _board_with_columns_of(competition, task)
    # The rule of several tasks would keep every submission; with one task the best counts.
    most_tasks = max(len(phase["tasks"]) for phase in phases)
    if board_of_task.get("submission_rule") == "Force_Latest_Multiple" and most_tasks == 1:
        board_of_task["submission_rule"] = "Force_Best"
    return board_of_task


def _board_with_columns_of(competition: Competition, task: Declaration) -> _New:
    """Return the leaderboard with the columns of one of several tasks."""
    board = competition["leaderboards"][0]
    columns = _columns_of_task(competition, task)
    position = {str(column["key"]): index for index, column in enumerate(columns)}
    key_of_index = {number(column["index"]): column["key"] for column in board["columns"]}
    written_keys = {column.key for column in task.columns}
    for column in board["columns"]:
        key = column["key"]
        based_on = [key_of_index[number(index)] for index in column.get("computation_indexes") or []]
        can_be_filled = all(base in position for base in based_on) if based_on else key in written_keys
        if key not in position and can_be_filled:
            new_column = {**column, "index": len(columns)}
            if based_on:
                new_column["computation_indexes"] = [position[base] for base in based_on]
            position[key] = len(columns)
            columns.append(new_column)
    board_of_task = {**board, "columns": columns}
    primary_key = key_of_index.get(number(board_of_task.pop("primary_index", 0)))
    if position.get(str(primary_key), 0):
        board_of_task["primary_index"] = position[str(primary_key)]
    return board_of_task


def _columns_of_task(competition: Competition, task: Declaration) -> list[_New]:
    """Return the columns that a task declares, as the competition changes them."""
    # The title and the order of a column that other tasks share are not of this one.
    changeable = {"hidden", "precision"}
    column_of_key = {column["key"]: column for column in competition["leaderboards"][0]["columns"]}
    columns: list[_New] = []
    for declared_column in task.columns:
        if declared_column.leaderboard:
            changed_column = column_of_key.get(declared_column.key, {})
            column = {
                "index": len(columns),
                "title": declared_column.title,
                "key": declared_column.key,
                "sorting": declared_column.sorting,
                "precision": declared_column.precision,
            }
            column.update({key: value for key, value in changed_column.items() if key in changeable})
            columns.append(column)
    return columns
