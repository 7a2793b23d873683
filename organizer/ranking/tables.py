"""The tables of a ranking as CSV, and its changes since the last run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from organizer.files import write_durable
from organizer.ranking import statistics
from organizer.ranking.statistics import MOST_TEAMS, Ranking
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.report.outputs import plain_number
from validator.texts import quote

# Spreadsheets evaluate text that begins so, and participants choose the names of files.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LONGEST = 1000
Cell = Union[str, int, float, None]
# A run, as it is stored in JSON.
_State = dict[str, Any]
_NOT_RANKED = {"rank": None, "score": None, "digest": None}


def csv_table(header: str, rows: Iterable[Sequence[Cell]]) -> str:
    """Return CSV: numbers with up to 10 decimals, nothing for None and NaN, no text that is evaluated."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split(", "))
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Cell) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return quote(f"'{value}" if value.startswith(_FORMULA) else value, longest=_LONGEST)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else plain_number(value)


def _path(name: str) -> str:
    """Return the name of a submission as a path that no spreadsheet evaluates."""
    return f"./{name}" if name.startswith(_FORMULA) else name


def scores_csv(records: Sequence[Record], keys: Sequence[str]) -> str:
    """Return a row for each submission: all its scores, or its first problem."""
    rows: list[list[Cell]] = []
    for record in records:
        entry, submission = record.entry, record.submission
        numbers = (entry.scores.get(key) for key in keys)
        whose = [_path(submission.name), submission.team, entry.outcome]
        rows.append([*whose, *numbers, entry.signature, entry.problem])
    return csv_table(", ".join(["submission, team, outcome", *keys, "signature, problem"]), rows)


def timing_csv(records: Sequence[Record]) -> str:
    """Return the time and memory of each submission, which differ from run to run."""
    rows = ((_path(own.submission.name), own.entry.seconds, own.entry.peak_mb) for own in records)
    return csv_table("submission, seconds, peak_mb", rows)


def ranking_csv(ranking: Ranking) -> str:
    """Return a row for each team, the best first."""
    compared, ends = ranking.comparison, ranking.intervals
    columns = compared.rank, compared.rank_low, compared.rank_high, compared.may_be_best
    unknown = np.full(len(ranking.records), np.nan)
    low, high = (unknown, unknown) if ends is None else (ends.low, ends.high)
    rows: list[list[Cell]] = []
    for i, (*numbers, record) in enumerate(zip(*(column.tolist() for column in columns), ranking.records)):
        scores, submission = record.entry.scores, record.submission
        whose = [submission.team, _path(submission.name), ranking.submissions[i]]
        rows.append([*numbers, *whose, scores["score"], float(low[i]), float(high[i]), scores["coverage"]])
    header = "rank, rank_low, rank_high, may_be_best, team, submission, submissions, score, score_low"
    return csv_table(f"{header}, score_high, coverage", rows)


def pairs_csv(ranking: Ranking) -> str:
    """Return a row for each pair of the first teams."""
    pairs, teams = ranking.comparison.pairs, ranking.teams
    shown = np.flatnonzero(pairs.second < MOST_TEAMS)
    names = ("difference", "low", "high", "low_all", "high_all", "p", "p_adjusted")
    numbers = np.stack([getattr(pairs, name)[shown] for name in names], axis=1).tolist()
    named = zip(pairs.first[shown].tolist(), pairs.second[shown].tolist(), numbers)
    rows = ([teams[i], teams[j], *row] for i, j, row in named)
    return csv_table(", ".join(["first, second", *names]), rows)


def stability_csv(ranking: Ranking) -> str:
    """Return for each of the first teams the share of random halves in which it has each rank."""
    header = ", ".join(["team", *map(str, range(1, len(ranking.records) + 1))])
    rows = zip(ranking.teams, ranking.stability.shares.tolist())
    return csv_table(header, ([team, *shares] for team, shares in rows))


def hardest_items(ranking: Ranking) -> list[tuple[str, float, float, int]]:
    """Return (item, mean, spread, teams), the worst mean first, items without a score last."""
    sign = 1 if ranking.higher_is_better else -1
    order = np.argsort(sign * ranking.item_mean, kind="stable")
    columns = ranking.item_mean, ranking.item_spread, ranking.item_teams
    numbers = (values[order].tolist() for values in columns)
    return list(zip((ranking.items[i] for i in order.tolist()), *numbers))


def items_csv(ranking: Ranking) -> str:
    """Return a row for each item of the reference, the hardest first."""
    return csv_table("item, mean, spread, teams", hardest_items(ranking))


class Change(NamedTuple):
    """The change of a team since the last run; None where it was not ranked, then ``why`` is new or gone."""

    team: str
    rank_before: int | None
    rank: int | None
    score_before: float | None
    score: float | None
    why: str


class History:
    """The last completed run, and the last one before it with another signature or other submissions."""

    def __init__(self, path: Path, records: Sequence[Record], ranking: Ranking | None) -> None:
        self._path = path
        self._now = _state(records, ranking)
        kept = _read(path)
        last: _State | None = kept.get("last")
        self._before = kept.get("before") if last == self._now else last

    def save(self) -> None:
        """Make this run the last completed one."""
        write_durable(self._path, json.dumps({"last": self._now, "before": self._before}))

    def changes(self) -> list[Change]:
        """Return the changes in the order of the ranking; none if there was no run before."""
        if not self._before:
            return []
        before, now = self._before["teams"], self._now["teams"]
        parts = _differing(self._before["signature"], self._now["signature"])
        changes = []
        for team in {**now, **before}:
            old, new = before.get(team, _NOT_RANKED), now.get(team, _NOT_RANKED)
            why = (["submission"] if old["digest"] != new["digest"] else []) + parts
            if old["rank"] is None or new["rank"] is None:
                why = ["new" if old["rank"] is None else "gone"]
            changes.append(Change(team, old["rank"], new["rank"], old["score"], new["score"], ", ".join(why)))
        return changes

    def tau_b(self) -> float:
        """Return Kendall's tau-b between the ranking and the one before, over the teams of both."""
        both = [(c.rank_before, c.rank) for c in self.changes() if c.rank_before and c.rank]
        before, now = np.array(both, dtype=np.int64).reshape(-1, 2).T
        return statistics.tau_b(before, now)


def _read(path: Path) -> dict[str, Any]:
    """Return what an earlier run left, nothing if it cannot be read."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        states = [state for state in (kept["last"], kept["before"]) if state is not None]
        teams = [team for state in states for team in state["teams"].values()]
        is_whole = all(isinstance(state["signature"], str) for state in states)
        return kept if is_whole and all(_NOT_RANKED.keys() <= team.keys() for team in teams) else {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def _state(records: Sequence[Record], ranking: Ranking | None) -> _State:
    ranked = zip(ranking.records, ranking.comparison.rank.tolist()) if ranking else ()
    signatures = (record.entry.signature for record in records if record.entry.outcome == SCORED)
    return {
        "signature": next(signatures, ""),
        "submissions": {r.submission.name: [r.submission.team, r.digest] for r in records},
        "teams": {
            r.submission.team: {"rank": rank, "score": r.entry.scores["score"], "digest": r.digest}
            for r, rank in ranked
        },
    }


def _differing(before: str, now: str) -> list[str]:
    """Return the names of the parts of two signatures that differ; those of two versions are not compared."""
    if not before or not now:
        return []
    old, new = (dict(part.partition(":")[::2] for part in text.split("|")) for text in (before, now))
    if old.get("version") != new.get("version"):
        return ["version"]
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]
