"""competition.yaml of this repository, or of another folder: what bundles are built from."""

from __future__ import annotations

from pathlib import Path

from organizer.bundle import COMPETITION, SOURCE
from organizer.bundle.competition import (
    Competition,
    LintReport,
    entries_of,
    form_of,
    read_competition,
    refused,
)
from organizer.bundle.cut import reference_name
from organizer.bundle.dates import with_dates_in_utc
from organizer.bundle.own_tasks import complete_competition
from organizer.bundle.rules import check_competition
from organizer.runs.phase import folder_name, quote_names
from scoring_program.task import task_ids
from validator.findings import Refused


def load_competition(source: Path | None = None, report: LintReport | None = None) -> Competition:
    """Return competition.yaml, its dates in UTC; a ``report`` gets the warnings that no bundle shows.

    Raises Refused if it is not one of Codabench's v2, or wrong.
    """
    report, path = report or LintReport(), (source or SOURCE) / COMPETITION
    if not path.is_file():
        raise refused("no competition", folder=path.parent)
    data = read_competition(path.read_bytes(), report)
    if data is None:
        raise Refused(report.errors)
    data = with_dates_in_utc(data)
    check_buildable(data)
    return with_dates_in_utc(complete_competition(path.read_text(encoding="utf-8"), data))


def check_buildable(data: Competition) -> None:
    """Raise Refused if bundles cannot be built from a competition.yaml."""
    if form_of(data) == "v1.5":
        raise refused("built from v2", "/version")
    report = LintReport()
    check_competition(data, report)
    report.errors.refuse_problems()
    names_of_folder: dict[str, list[str]] = {}
    for _, phase in entries_of(data, "phases"):
        names_of_folder.setdefault(folder_name(phase["name"]), []).append(phase["name"])
    for names in names_of_folder.values():
        if len(names) > 1:
            raise refused("phases of one folder", "/phases", names=quote_names(names))


def task_names(competition: Competition) -> set[str]:
    """Return the names that a folder of REFERENCE may have: those of tasks and of references."""
    return {*task_ids(), *filter(None, (reference_name(task) for task in competition["tasks"]))}
