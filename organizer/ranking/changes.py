"""What changed in a ranking since the last run, and the file that remembers runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from organizer.files import write_durable
from organizer.ranking.statistics import Ranking
from organizer.runs.download_names import read_download_names
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from organizer.runs.submissions import natural

# A run, as it is stored in JSON: signature, submissions by name, and teams by name.
_State = dict[str, Any]
_NOT_RANKED = {"rank": None, "score": None, "digest": None}


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


class History:
    """The last completed run, and the last one before it with another signature or other submissions."""

    def __init__(self, path: Path, records: Sequence[Record], ranking: Ranking | None) -> None:
        self._path = path
        self._now = _state(records, ranking)
        stored = _read(path)
        last: _State | None = stored.get("last")
        # The same run again is compared with what the first one was compared with.
        self._before: _State | None = stored.get("before") if last == self._now else last
        # Earlier versions kept no submissions but those of the last run.
        self._earlier: dict[str, Any] = stored.get("submissions") or (last or {}).get("submissions", {})

    def save(self) -> None:
        """Make this run the last completed one."""
        submissions = {**self._earlier, **self._now["submissions"]}
        content = {"last": self._now, "before": self._before, "submissions": submissions}
        write_durable(self._path, json.dumps(content))

    def deleted(self) -> list[str]:
        """Return the names of the submissions of any earlier run that are no longer there.

        One whose team still has the same file, as a rerun with another id, is there; those of phases that
        this run is not about are not missed.
        """
        now: dict[str, Any] = self._now["submissions"]
        files_now = {tuple(team_and_digest) for team_and_digest in now.values()}
        downloaded = read_download_names([*now, *self._earlier])
        phase_of_name = {name: reading.phase for name, reading in downloaded.items()}
        phases_now = {phase_of_name.get(name) for name in now}
        names = []
        for name, team_and_digest in self._earlier.items():
            is_there = name in now or tuple(team_and_digest) in files_now
            if not is_there and phase_of_name.get(name) in phases_now:
                names.append(name)
        return sorted(names, key=natural)

    def changes(self) -> list[Change]:
        """Return the changes in the order of the ranking; none if there was no run before."""
        if not self._before:
            return []
        teams_before, teams_now = self._before["teams"], self._now["teams"]
        differing_parts = _differing_parts(self._before["signature"], self._now["signature"])
        changes = []
        for team in {**teams_now, **teams_before}:
            before, now = teams_before.get(team, _NOT_RANKED), teams_now.get(team, _NOT_RANKED)
            change = Change(
                team=team,
                rank_before=before["rank"],
                rank=now["rank"],
                score_before=before["score"],
                score=now["score"],
                why=_why(before, now, differing_parts),
            )
            changes.append(change)
        return changes


def _why(before: Mapping[str, Any], now: Mapping[str, Any], differing_parts: Sequence[str]) -> str:
    """Return what may have changed a team: new, gone, or what differs, "" if nothing does."""
    if before["rank"] is None:
        return "new"
    if now["rank"] is None:
        return "gone"
    is_other_file = before["digest"] != now["digest"]
    return ", ".join([*(["submission"] if is_other_file else []), *differing_parts])


def _read(path: Path) -> dict[str, Any]:
    """Return what an earlier run left, nothing if it cannot be read."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        states = [state for state in (stored["last"], stored["before"]) if state is not None]
        is_whole = all(_is_state(state) for state in states) and _are_submissions(stored.get("submissions"))
        return stored if is_whole else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _is_state(state: _State) -> bool:
    """Return whether a stored run has what is read of it."""
    has_teams = all(_NOT_RANKED.keys() <= team.keys() for team in state["teams"].values())
    return has_teams and isinstance(state["signature"], str) and _are_submissions(state["submissions"])


def _are_submissions(submissions: Any) -> bool:
    """Return whether stored submissions have a team and a digest each; those of all runs may be missing."""
    return submissions is None or all(isinstance(values, list) for values in submissions.values())


def _state(records: Sequence[Record], ranking: Ranking | None) -> _State:
    """Return a run as it is stored."""
    signatures = [record.entry.signature for record in records if record.entry.outcome == SCORED]
    submissions = {record.submission.name: [record.submission.team, record.digest] for record in records}
    teams: dict[str, _State] = {}
    if ranking:
        for record, rank in zip(ranking.records, ranking.comparison.rank.tolist()):
            team = {"rank": rank, "score": record.entry.scores["score"], "digest": record.digest}
            teams[record.submission.team] = team
    signature = signatures[0] if signatures else ""
    return {"signature": signature, "submissions": submissions, "teams": teams}


def _differing_parts(before: str, now: str) -> list[str]:
    """Return the names of the parts of two signatures that differ; those of two versions are not compared."""
    if not before or not now:
        return []
    parts_before, parts_now = _signature_parts(before), _signature_parts(now)
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
