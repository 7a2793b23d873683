"""What makes a ranking doubtful as a whole: submissions of another phase, and labels that are inverted."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from organizer.files import MALFORMED, folder_with
from organizer.ranking.eligibility import Rule, Violation
from organizer.ranking.stored import RANKING, saved_rankings
from organizer.runs.download_names import read_download_names
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from organizer.runs.submissions import Submission, SubmissionsError
from organizer.runs.worker import BuiltTask
from scoring_program.marks import MARKS_FILE, read_marks
from scoring_program.settings import SETTINGS_FILE
from scoring_program.task import load_task
from validator.texts import counted, quote

_CHANCE = "random"
_LEAST_TEAMS = 2


def refuse_other_phase(built: BuiltTask, submissions: Sequence[Submission], output: Path) -> None:
    """Raise SubmissionsError if a ranking beside ``output`` has ranked this PhaseId for another phase."""
    if built.phase is None:
        return
    ids = _phase_ids([submission.name for submission in submissions])
    for path in sorted(output.resolve().parent.glob(f"*/{RANKING}")):
        if path.parent == output.resolve():
            continue
        phase, other_ids = _phase_ranked(path.parent, built.id)
        if phase and phase != built.phase.name and ids & other_ids:
            shared_ids = ", ".join(sorted(ids & other_ids))
            problem = f"PhaseId {shared_ids} was ranked for the phase '{quote(phase)}' in {path.parent}"
            remedy = f"rank it for one of them alone; if this one is right, delete {path.parent} first"
            raise SubmissionsError(f"{problem}, and this is '{quote(built.phase.name)}'; {remedy}")


def _phase_ids(names: Sequence[str]) -> set[str]:
    """Return the ids of phases in the names of a download."""
    readings = read_download_names(name for name in names if "/" not in name)
    return {reading.phase for reading in readings.values() if reading.phase}


def _phase_ranked(folder: Path, task_id: str) -> tuple[str, set[str]]:
    """Return the phase of a task's ranking in a folder, and the ids of its submissions; "" without one."""
    with contextlib.suppress(*MALFORMED):
        ranking = saved_rankings(folder, task_id)[0]
        names = [str(row["name"]) for row in ranking["submissions"]]
        return str(ranking["facts"]["phase"]), _phase_ids(names)
    return "", set()


def doubts_of(
    built: BuiltTask, protocol: str, records: Sequence[Record], violations: Sequence[Violation]
) -> list[str]:
    """Return warnings on scored submissions that are all out of time, or all worse than chance."""
    scored_records = [record for record in records if record.entry.outcome == SCORED]
    if not scored_records:
        return []
    warnings = []
    names_out_of_time = {
        violation.record.submission.name
        for violation in violations
        if violation.rule in (Rule.EARLY, Rule.LATE)
    }
    if len(names_out_of_time) == len(scored_records):
        phase = quote(built.phase.name) if built.phase else ""
        number = counted(len(scored_records), "scored submission")
        problem = f"{number}, and none was made during the phase '{phase}'"
        warnings.append(f"warning | {problem}: are they of another phase?")
    chance = _chance_score(built, protocol)
    if chance is not None and _are_worse(scored_records, chance, load_task(built.id).higher_is_better):
        problem = f"all teams are below chance: random answers score {chance:.4f}"
        warnings.append(f"warning | {problem}; are the labels inverted, or is it another reference?")
    return warnings


def _are_worse(records: Sequence[Record], chance: float, higher_is_better: bool) -> bool:
    """Return whether several teams have a score, and none reaches that of random answers."""
    teams = {record.submission.team for record in records}
    scores = [record.entry.score for record in records]
    reaches_chance = max(scores) >= chance if higher_is_better else min(scores) <= chance
    return len(teams) >= _LEAST_TEAMS and not reaches_chance


def _chance_score(built: BuiltTask, protocol: str) -> float | None:
    """Return what random answers score on the reference, None if its marks do not say. Raises Refused."""
    task = load_task(built.id)
    with folder_with({MARKS_FILE, SETTINGS_FILE}, built.reference) as folder:
        settings = task.settings(folder, {"protocol": protocol} if protocol else {})
        marks = read_marks(folder, settings, task.known_settings)
    return next((mark.score for mark in marks if mark.name == _CHANCE), None)
