"""The older form of competition.yaml, v1.5 of classic CodaLab: writing it, its columns, and its rules."""

from __future__ import annotations

import datetime
from pathlib import PurePosixPath
from typing import Any

from organizer.bundle.competition import (
    TASK_DATA,
    BoardColumn,
    Competition,
    Entry,
    LintReport,
    check_types,
    check_unique,
    entries_of,
    number,
    sorted_phases,
    yes,
)
from organizer.bundle.cut import DEFAULT_PRECISION
from organizer.bundle.dates import read_date
from organizer.bundle.words import WARNINGS
from validator.texts import folded, quote

# Part of a competition.yaml that is made here.
_New = dict[str, Any]
_CARRIED_PHASE_KEYS = (
    "description", "max_submissions", "max_submissions_per_day", "execution_time_limit", "hide_output",
    "hide_prediction_output", "hide_score_output", "starting_kit", "public_data",
)  # fmt: skip
_CARRIED_KEYS = {
    "version", "title", "description", "image", "terms", "docker_image", "registration_auto_approve",
    "enable_detailed_results", "pages", "tasks", "solutions", "phases", "leaderboards",
}  # fmt: skip
_RULE_LOST = f"{WARNINGS['rule is lost'].problem}: {WARNINGS['rule is lost'].remedy}"


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
            "numeric_format": number(column.get("precision", DEFAULT_PRECISION)),
            **({"hidden": True} if yes(column.get("hidden")) else {}),
        }
        for column in board["columns"]
        if not column.get("computation")
    }
    computed_keys = [column["key"] for column in board["columns"] if column.get("computation")]
    return columns, [f"not carried over to v1.5: the computed column {key}" for key in computed_keys]


def columns_of(data: Competition) -> list[BoardColumn]:
    """Return the columns of the leaderboards."""
    return [
        BoardColumn(
            where=f"/leaderboard{where}",
            key=where.rpartition("/")[2],
            data=entry,
            sorting_key="sort",
            computed="computed" in entry,
        )
        for where, entry in entries_of(data["leaderboard"], "columns")
    ]


def check_phases(data: Competition, report: LintReport) -> None:
    """Check phases, and the end of the competition."""
    phases = sorted_phases(data)
    numbers = [phase["phasenumber"] for _, phase in phases]
    check_types(numbers, "/phases", "the phasenumber", report)
    check_unique("position twice", numbers, "/phases", "the phasenumber", report)
    parents = {number(phase["parent_phasenumber"]) for _, phase in phases if "parent_phasenumber" in phase}
    for where, phase in phases:
        if yes(phase.get("is_parallel_parent")) and number(phase["phasenumber"]) not in parents:
            report.add("parent without children", f"{where}/is_parallel_parent")
    previous_start = None
    for where, phase in phases:
        start = read_date(phase["start_date"], f"{where}/start_date", report)
        if start and previous_start and (start - previous_start).days <= 1:
            report.add("classic phases overlap", f"{where}/start_date")
        elif start and previous_start:
            end_of_previous = start - datetime.timedelta(days=1)
            report.add("classic phase ends early", f"{where}/start_date", date=end_of_previous)
        previous_start = start or previous_start
    has_end = data.get("end_date") not in (None, "", "null", False, 0)
    end = read_date(data["end_date"], "/end_date", report, is_end=True) if has_end else None
    if end and previous_start and end <= previous_start:
        report.add("classic end", "/end_date")


def check_board(data: Competition, report: LintReport) -> None:
    """Check the columns of the leaderboards."""
    columns = columns_of(data)
    ranks = [column.data["rank"] for column in columns if "rank" in column.data]
    check_types(ranks, "/leaderboard/columns", "the rank", report)
    labels = [board["label"] for board in data["leaderboard"]["leaderboards"].values()]
    # The platform compares them without case.
    folded_labels = list(dict.fromkeys(map(folded, labels)))
    columns_of_label: dict[str, list[BoardColumn]] = {label: [] for label in folded_labels}
    for column in columns:
        label = column.data["leaderboard"]["label"]
        if folded(label) in folded_labels:
            columns_of_label[folded(label)].append(column)
        else:
            report.add("unknown label", column.where, label=label, known=", ".join(sorted(labels)))
        if "computed" in column.data:
            report.add("computed is ignored", f"{column.where}/computed")
    for columns_of_board in columns_of_label.values():
        # Ranks order the columns of one leaderboard.
        ranks = [column.data["rank"] for column in columns_of_board if "rank" in column.data]
        check_unique("position twice", ranks, "/leaderboard/columns", "the rank", report)
    if yes(data.get("force_submission_to_leaderboard")):
        report.add("rule is lost", "/force_submission_to_leaderboard")
    lost_columns = [column for label in folded_labels[1:] for column in columns_of_label[label]]
    if lost_columns:
        keys = ", ".join(quote(column.key) for column in lost_columns)
        report.add("column of another board", lost_columns[0].where, keys=keys)
