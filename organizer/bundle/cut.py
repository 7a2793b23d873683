"""Cutting the bundle of one task out of competition.yaml, and writing it in the older form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from organizer.bundle.competition import (
    TASK_DATA,
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
PUBLIC = "_public.zip"
PUBLIC_DATA = "public_data.zip"
# What the platform takes for a column without a precision.
_DEFAULT_PRECISION = 2
_ALL_TASKS_PAGE = "overview"
# What our competition.yaml says of its phase, which makes no sense where one task is offered.
_ALL_TASKS_PHASE = "All tasks are ticked when you submit. Untick those that your submission is not for."
_CARRIED_PHASE_KEYS = (
    "description", "max_submissions", "max_submissions_per_day", "execution_time_limit", "hide_output",
    "hide_prediction_output", "hide_score_output", "starting_kit", "public_data",
)  # fmt: skip
_CARRIED_KEYS = {
    "version", "title", "description", "image", "terms", "docker_image", "registration_auto_approve",
    "enable_detailed_results", "pages", "tasks", "solutions", "phases", "leaderboards",
}  # fmt: skip
_RULE_LOST = "Codabench puts no result of a v1.5 bundle on the board by itself: set the submission rule in "
_RULE_LOST += "the competition's editor, or upload the v2 bundle"


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
    description = entries[0].get("description") or task.summary
    new_index = {entry["index"]: index for index, entry in enumerate(entries)}
    phases = _phases(competition, new_index, description)
    if not phases:
        return None
    about = {}
    if len(entries) < len(competition["tasks"]):
        about = {
            "title": entries[0].get("name") or task.title,
            "description": description,
            "pages": _pages(competition, task.id),
        }
    return {
        **competition,
        **about,
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
        declared = column_of_key.get(str(entry["key"]).strip())
        if declared is not None and not yes(entry.get("hidden")):
            precision = max(number(entry.get("precision", _DEFAULT_PRECISION)), 0)
            columns.append(declared._replace(title=str(entry["title"]), precision=precision))
    return columns


def _phases(competition: Competition, new_index: Mapping[object, int], description: str) -> list[_New]:
    """Return the phases that offer one of the tasks, whose new indexes are given by the old ones."""
    phases: list[_New] = []
    for _, phase in sorted_phases(competition):
        tasks = [new_index[index] for index in phase["tasks"] if index in new_index]
        if tasks:
            phase_of_task = {**phase, "index": len(phases), "tasks": tasks}
            is_for_all_tasks = phase.get("description", _ALL_TASKS_PHASE) == _ALL_TASKS_PHASE
            if is_for_all_tasks and len(tasks) < len(phase["tasks"]):
                phase_of_task["description"] = description
            phases.append(phase_of_task)
    if phases:
        phases[0].pop("auto_migrate_to_this_phase", None)
    return phases


def _solutions(competition: Competition, new_index: Mapping[object, int]) -> list[_New]:
    """Return the solutions of one of the tasks."""
    solutions: list[_New] = []
    for _, entry in entries_of(competition, "solutions"):
        tasks = [new_index[index] for index in entry["tasks"] if index in new_index]
        if tasks:
            solutions.append({**entry, "tasks": tasks, "index": len(solutions)})
    return solutions


def _pages(competition: Competition, task_id: str) -> list[_New]:
    """Return the page of a task and those that are not of another or of all tasks."""
    pages_of_task, shared_pages = [], []
    for page in competition["pages"]:
        stem = PurePosixPath(page["file"]).stem
        if stem == task_id:
            pages_of_task.append(page)
        elif stem != _ALL_TASKS_PAGE and stem not in task_ids():
            shared_pages.append(page)
    if not pages_of_task:
        pages_of_task = [{"title": "Task", "file": f"pages/{task_id}.md"}]
    # The position of a page among all does not hold here.
    return [
        {key: value for key, value in page.items() if key != "index"} for page in pages_of_task + shared_pages
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
            further = {**column, "index": len(columns)}
            if based_on:
                further["computation_indexes"] = [position[base] for base in based_on]
            position[key] = len(columns)
            columns.append(further)
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
    for declared in task.columns:
        if declared.leaderboard:
            changed = column_of_key.get(declared.key, {})
            column = {
                "index": len(columns),
                "title": declared.title,
                "key": declared.key,
                "sorting": declared.sorting,
                "precision": declared.precision,
            }
            column.update({key: value for key, value in changed.items() if key in changeable})
            columns.append(column)
    return columns


def classic(data: Competition) -> tuple[Entry, list[str]]:
    """Return a bundle of one task in the older form, and notes on what that form cannot hold."""
    board = data["leaderboards"][0]
    rule = str(board.get("submission_rule", "Add"))
    columns, notes = _classic_columns(board)
    phases, left_out = _classic_phases(data)
    if len(phases) > 1:
        notes.append("Codabench ends a phase of a v1.5 bundle 24 hours before the next one starts")
    left_out += [key for key in data if key not in _CARRIED_KEYS]
    if data.get("solutions"):
        left_out.append("solutions")
    if left_out:
        notes.append(f"not carried over to v1.5: {', '.join(left_out)}")
    result = {
        "title": data["title"],
        "description": data.get("description"),
        "image": data["image"],
        "has_registration": not yes(data.get("registration_auto_approve")),
        "competition_docker_image": data.get("docker_image"),
        "enable_detailed_results": yes(data.get("enable_detailed_results")),
        "force_submission_to_leaderboard": rule.startswith("Force"),
        "end_date": sorted_phases(data)[-1][1].get("end"),
        "html": _html(data),
        "phases": phases,
        "leaderboard": {
            "leaderboards": {"RESULTS": {"label": board["title"], "rank": 1}},
            "columns": columns,
        },
    }
    return {key: value for key, value in result.items() if value is not None}, [*notes, _RULE_LOST]


def _html(data: Competition) -> dict[str, str]:
    """Return the pages by their names in the older form, which has no titles."""
    pages: dict[str, str] = {}
    for page in data["pages"]:
        name = PurePosixPath(page["file"]).stem if pages else "overview"
        pages[name if name not in pages else f"{name}_{len(pages)}"] = page["file"]
    return {**pages, "terms": data["terms"]}


def _classic_phases(data: Competition) -> tuple[dict[int, _New], list[str]]:
    """Return the phases by their numbers, and what the older form cannot hold of them."""
    tasks = {task["index"]: task for task in data["tasks"]}
    phases: dict[int, _New] = {}
    left_out: list[str] = []
    for phase_number, (_, phase) in enumerate(sorted_phases(data), start=1):
        task = tasks[phase["tasks"][0]]
        other_tasks = [tasks[index]["name"] for index in phase["tasks"][1:]]
        left_out += [f"the task {name} of the phase {phase['name']}" for name in other_tasks]
        phases[phase_number] = {
            "phasenumber": phase_number,
            "label": phase["name"],
            "start_date": phase["start"],
            **{key: phase[key] for key in _CARRIED_PHASE_KEYS if phase.get(key) is not None},
            **{key: task[key] for key in TASK_DATA if key in task},
        }
        if yes(phase.get("auto_migrate_to_this_phase")):
            phases[phase_number]["auto_migration"] = True
    return phases, left_out


def _classic_columns(board: Entry) -> tuple[_New, list[str]]:
    """Return the columns by their keys, and a note on each that the older form cannot hold."""
    columns = {
        column["key"]: {
            "leaderboard": {"label": board["title"], "rank": 1},
            "label": column["title"],
            "rank": number(column["index"]) + 1,
            "sort": column.get("sorting", "desc"),
            "numeric_format": number(column.get("precision", _DEFAULT_PRECISION)),
            **({"hidden": True} if yes(column.get("hidden")) else {}),
        }
        for column in board["columns"]
        if not column.get("computation")
    }
    computed_keys = [column["key"] for column in board["columns"] if column.get("computation")]
    return columns, [f"not carried over to v1.5: the computed column {key}" for key in computed_keys]
