"""What changed in a ranking since the last run, which ``ranking.json`` remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from organizer.runs.download_names import read_download_names
from organizer.runs.submissions import natural


class Row(NamedTuple):
    """A submission in a run; ``rank`` and ``score`` are None unless it is the one of its team that counts."""

    name: str
    team: str
    digest: str
    rank: int | None
    score: float | None


class Deleted(NamedTuple):
    """A submission of an earlier run that is no longer there; another team that came with its file, or ""."""

    name: str
    team: str
    digest: str
    renamed: str = ""


class Change(NamedTuple):
    """The change of a team since the last run; None where it was not ranked, then ``why`` is new or gone."""

    team: str
    rank_before: int | None
    rank: int | None
    score_before: float | None
    score: float | None
    why: str

    @property
    def has_effect(self) -> bool:
        """Whether anything about the team differs."""
        is_moved = self.rank_before != self.rank
        is_rescored = self.score_before != self.score
        return is_moved or is_rescored or self.why != ""

    @property
    def is_in_both(self) -> bool:
        """Whether the team was ranked before and is now."""
        return self.rank_before is not None and self.rank is not None


class Run(NamedTuple):
    """A run: its submissions, what had changed since the one before, and what earlier runs had.

    ``n_changed_items`` is how many items had another score for the same files. ``text`` tells the run from
    others, ``run_before`` is that of the one before.
    """

    signature: str
    rows: Sequence[Row]
    changes: Sequence[Change]
    deleted: Sequence[Deleted]
    n_changed_items: int
    run_before: str
    text: str


def deleted_since(run_before: Run, run_now: Run) -> list[Deleted]:
    """Return the submissions of any earlier run that are not in this one.

    One whose team still has the same file, as a rerun with another id, is there; those of phases that this
    run is not about are not missed.
    """
    names_now = {row.name for row in run_now.rows}
    files_now = {(row.team, row.digest) for row in run_now.rows}
    names_before = {row.name for row in run_before.rows}
    new_team_of_file = {row.digest: row.team for row in run_now.rows if row.name not in names_before}
    entry_of_name = {entry.name: entry for entry in run_before.deleted}
    for row in run_before.rows:
        new_team = new_team_of_file.get(row.digest, "")
        entry_of_name[row.name] = Deleted(row.name, row.team, row.digest, new_team)
    download_names = read_download_names([*names_now, *entry_of_name])
    phase_of_name = {name: reading.phase for name, reading in download_names.items()}
    phases_now = {phase_of_name.get(name) for name in names_now}
    deleted = []
    for name, entry in entry_of_name.items():
        is_there = name in names_now or (entry.team, entry.digest) in files_now
        if not is_there and phase_of_name.get(name) in phases_now:
            deleted.append(entry)
    return sorted(deleted, key=lambda entry: natural(entry.name))


def changes_since(run_before: Run, run_now: Run) -> list[Change]:
    """Return the changes in the order of the ranking, those of teams that are gone last."""
    rows_before, rows_now = _row_of_team(run_before.rows), _row_of_team(run_now.rows)
    differing_parts = _differing_parts(run_before.signature, run_now.signature)
    changes = []
    for team in {**rows_now, **rows_before}:
        row_before, row_now = rows_before.get(team), rows_now.get(team)
        change = Change(
            team=team,
            rank_before=row_before.rank if row_before else None,
            rank=row_now.rank if row_now else None,
            score_before=row_before.score if row_before else None,
            score=row_now.score if row_now else None,
            why=_why(row_before, row_now, differing_parts),
        )
        changes.append(change)
    return changes


def _row_of_team(rows: Sequence[Row]) -> dict[str, Row]:
    """Return the row of each team, in the order of the ranking."""
    ranked_rows = [row for row in rows if row.rank is not None]
    return {row.team: row for row in sorted(ranked_rows, key=lambda row: (row.rank or 0, row.team))}


def _why(row_before: Row | None, row_now: Row | None, differing_parts: Sequence[str]) -> str:
    """Return what may have changed a team: new, gone, or what differs, "" if nothing does."""
    if row_before is None:
        return "new"
    if row_now is None:
        return "gone"
    is_other_file = row_before.digest != row_now.digest
    return ", ".join([*(["submission"] if is_other_file else []), *differing_parts])


def _differing_parts(signature_before: str, signature_now: str) -> list[str]:
    """Return the names of the parts of two signatures that differ; those of two versions are not compared."""
    if not signature_before or not signature_now:
        return []
    parts_before, parts_now = _signature_parts(signature_before), _signature_parts(signature_now)
    if parts_before.get("version") != parts_now.get("version"):
        return ["version"]
    names = {**parts_before, **parts_now}
    return [name for name in names if parts_before.get(name) != parts_now.get(name)]


def _signature_parts(signature: str) -> dict[str, str]:
    """Return the parts of a signature by name: ``task|protocol:published|ref:...``."""
    parts = {}
    for part in signature.split("|"):
        name, _, value = part.partition(":")
        parts[name] = value
    return parts
