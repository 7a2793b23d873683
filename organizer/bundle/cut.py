"""Cutting the bundle of one task out of competition.yaml, and writing it in the older form."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from organizer.bundle.competition import TASK_DATA, Competition, Entry, entries_of, number, sorted_phases, yes
from scoring_program.task import Declaration, task_ids

# Part of a competition.yaml that is made here.
_New = dict[str, Any]
_REFERENCE = "_reference.zip"
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
    """Return the id of the task whose ``<id>_program.zip`` an entry names, None for another program."""
    programs = {f"{known}_program.zip": known for known in task_ids()}
    return programs.get(entry.get("scoring_program", ""))


def reference_name(entry: Entry) -> str | None:
    """Return X if an entry of one of our tasks names ``X_reference.zip``."""
    name = str(entry.get("reference_data", ""))
    return name[: -len(_REFERENCE)] if task_id_of(entry) and name.endswith(_REFERENCE) else None


def one_task(competition: Competition, task: Declaration) -> Competition | None:
    """Cut out the bundle of one task: its entries, the phases that offer them, its page.

    Title and description are those of its first entry; if there is no other task, title, description and
    pages are the competition's. Phases keep their descriptions unless those are of all tasks. Returns None if
    no phase offers the task.
    """
    chosen = [entry for entry in competition["tasks"] if task_id_of(entry) == task.id]
    description = chosen[0].get("description") or task.summary
    new_index = {entry["index"]: index for index, entry in enumerate(chosen)}
    phases: list[_New] = []
    for _, phase in sorted_phases(competition):
        if kept := [new_index[index] for index in phase["tasks"] if index in new_index]:
            text = phase.get("description", _ALL_TASKS_PHASE)
            is_ours = text == _ALL_TASKS_PHASE and len(kept) < len(phase["tasks"])
            cut = {"description": description} if is_ours else {}
            phases.append({**phase, **cut, "index": len(phases), "tasks": kept})
    if not phases:
        return None
    phases[0].pop("auto_migrate_to_this_phase", None)
    solutions: list[_New] = []
    for _, entry in entries_of(competition, "solutions"):
        if kept := [new_index[index] for index in entry["tasks"] if index in new_index]:
            solutions.append({**entry, "tasks": kept, "index": len(solutions)})
    about = {}
    if len(chosen) < len(competition["tasks"]):
        about = {"title": chosen[0].get("name") or task.title, "description": description}
        about["pages"] = _pages(competition, task.id)
    return {
        **competition,
        **about,
        "tasks": [{**entry, "index": index} for index, entry in enumerate(chosen)],
        "solutions": solutions,
        "phases": phases,
        "leaderboards": [_board(competition, phases, task)],
    }


def _pages(competition: Competition, task_id: str) -> list[_New]:
    """Return the page of a task and those that are not of another or of all tasks."""
    pages = competition["pages"]
    stems = [PurePosixPath(page["file"]).stem for page in pages]
    first = [page for page, stem in zip(pages, stems) if stem == task_id]
    shared = [page for page, stem in zip(pages, stems) if stem not in {*task_ids(), _ALL_TASKS_PAGE}]
    first = first or [{"title": "Task", "file": f"pages/{task_id}.md"}]
    return [{key: value for key, value in page.items() if key != "index"} for page in (*first, *shared)]


def _board(competition: Competition, phases: list[_New], task: Declaration) -> _New:
    """Return the leaderboard of one task: its columns, as the competition changes and completes them."""
    board = competition["leaderboards"][0]
    ours = {column["key"]: column for column in board["columns"]}
    columns = [
        {"index": index, "title": c.title, "key": c.key, "sorting": c.sorting, "precision": c.precision}
        for index, c in enumerate(column for column in task.columns if column.leaderboard)
    ]
    alone = all(task_id_of(entry) == task.id for entry in competition["tasks"])
    # The title and the order of a column that other tasks share are not of this one.
    wins = ("hidden", "precision", "title", "sorting") if alone else ("hidden", "precision")
    for column in columns:
        column.update({key: value for key, value in ours.get(column["key"], {}).items() if key in wins})
    written = {column.key for column in task.columns}
    indexes = {str(column["key"]): index for index, column in enumerate(columns)}
    keys = {number(column["index"]): column["key"] for column in board["columns"]}
    for column in board["columns"]:
        based_on = [keys[number(index)] for index in column.get("computation_indexes") or []]
        fits = all(key in indexes for key in based_on) if based_on else column["key"] in written
        if column["key"] not in indexes and fits:
            indexes[column["key"]] = len(columns)
            further = {"computation_indexes": [indexes[key] for key in based_on]} if based_on else {}
            columns.append({**column, **further, "index": len(columns)})
    cut = {**board, "columns": columns}
    primary = keys.get(number(cut.pop("primary_index", 0)))
    if indexes.get(str(primary), 0):
        cut["primary_index"] = indexes[str(primary)]
    # The rule of several tasks would keep every submission; with one task the best counts.
    most = max(len(phase["tasks"]) for phase in phases)
    if board.get("submission_rule") == "Force_Latest_Multiple" and most == 1:
        cut["submission_rule"] = "Force_Best"
    return cut


def classic(data: Competition) -> tuple[Entry, list[str]]:
    """Return a bundle of one task in the older form, and notes on what that form cannot hold."""
    board = data["leaderboards"][0]
    columns, notes = _classic_columns(board)
    rule = str(board.get("submission_rule", "Add"))
    phases, lost = _classic_phases(data)
    if len(phases) > 1:
        notes.append("Codabench ends a phase of a v1.5 bundle 24 hours before the next one starts")
    lost += [key for key in data if key not in _CARRIED_KEYS]
    lost += ["solutions"] if data.get("solutions") else []
    notes += [f"not carried over to v1.5: {', '.join(lost)}"] if lost else []
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
    tasks = {task["index"]: task for task in data["tasks"]}
    phases, lost = {}, []
    for phase_number, (_, phase) in enumerate(sorted_phases(data), start=1):
        task = tasks[phase["tasks"][0]]
        others = [tasks[index]["name"] for index in phase["tasks"][1:]]
        lost += [f"the task {name} of the phase {phase['name']}" for name in others]
        phases[phase_number] = {
            "phasenumber": phase_number,
            "label": phase["name"],
            "start_date": phase["start"],
            **{key: phase[key] for key in _CARRIED_PHASE_KEYS if phase.get(key) is not None},
            **{key: task[key] for key in TASK_DATA if key in task},
        }
        if yes(phase.get("auto_migrate_to_this_phase")):
            phases[phase_number]["auto_migration"] = True
    return phases, lost


def _classic_columns(board: Entry) -> tuple[_New, list[str]]:
    columns = {
        column["key"]: {
            "leaderboard": {"label": board["title"], "rank": 1},
            "label": column["title"],
            "rank": number(column["index"]) + 1,
            "sort": column.get("sorting", "desc"),
            "numeric_format": number(column.get("precision", 2)),
            **({"hidden": True} if yes(column.get("hidden")) else {}),
        }
        for column in board["columns"]
        if not column.get("computation")
    }
    lost = [column["key"] for column in board["columns"] if column.get("computation")]
    return columns, [f"not carried over to v1.5: the computed column {key}" for key in lost]
