"""The tables of a ranking as CSV, and its changes since the last run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np

from organizer.ranking import statistics
from organizer.ranking.ranking import Ranking
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.report.outputs import plain_number, write_atomic
from validator.findings import quote

# Spreadsheets evaluate text that begins so, and participants choose the names of files.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LONGEST = 1000
Cell = Union[str, int, float, None]


def csv_table(header: str, rows: Iterable[Sequence[Cell]]) -> str:
    """Return CSV: numbers with up to 10 decimals, nothing for None and NaN, text that no spreadsheet
    evaluates."""
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
    return str(value) if isinstance(value, int) else plain_number(value)


def _path(name: str) -> str:
    """Return the name of a submission as a path that no spreadsheet evaluates."""
    return f"./{name}" if name.startswith(_FORMULA) else name


def scores_csv(records: Sequence[Record], keys: Sequence[str]) -> str:
    """Return a row for each submission: all its scores, or its first problem."""
    rows: list[list[Cell]] = []
    for record in records:
        entry, submission = record.entry, record.submission
        numbers: list[Cell] = [entry.scores.get(key) for key in keys]
        first = [_path(submission.name), submission.team, entry.outcome]
        rows.append([*first, *numbers, entry.signature, entry.problem])
    return csv_table(", ".join(["submission, team, outcome", *keys, "signature, problem"]), rows)


def timing_csv(records: Sequence[Record]) -> str:
    """Return the time and memory of each submission, which differ from run to run."""
    entries = ((record.submission.name, record.entry) for record in records)
    rows: list[list[Cell]] = [[_path(name), entry.seconds, entry.peak_mb] for name, entry in entries]
    return csv_table("submission, seconds, peak_mb", rows)


def ranking_csv(ranking: Ranking) -> str:
    """Return a row for each team, the best first."""
    stability = ranking.stability
    columns = ranking.rank, stability.low, stability.high, stability.firsts, ranking.intervals
    rows: list[list[Cell]] = []
    for record, rank, low, high, firsts, interval in zip(
        ranking.records, *(column.tolist() for column in columns)
    ):
        entry, submission = record.entry, record.submission
        whose = [submission.team, _path(submission.name), entry.scores["score"]]
        rows.append([rank, low, high, firsts, *whose, *interval, entry.scores["coverage"]])
    header = "rank, rank_low, rank_high, firsts, team, submission, score, score_low, score_high, coverage"
    return csv_table(header, rows)


def pairs_csv(ranking: Ranking) -> str:
    """Return a row for each pair of the first teams."""
    pairs, teams = ranking.pairs, ranking.teams
    numbers = np.stack([pairs.difference, pairs.low, pairs.high, pairs.p, pairs.p_holm], axis=1).tolist()
    named = zip(pairs.first.tolist(), pairs.second.tolist(), numbers)
    rows = ([teams[i], teams[j], *row] for i, j, row in named)
    return csv_table("first, second, difference, low, high, p, p_holm", rows)


def hardest_items(ranking: Ranking) -> list[tuple[str, float, float]]:
    """Return (item, mean, spread), the worst mean first, items without a score last."""
    sign = 1 if ranking.higher_is_better else -1
    order = np.argsort(sign * ranking.item_mean, kind="stable").tolist()
    return [(ranking.items[i], float(ranking.item_mean[i]), float(ranking.item_spread[i])) for i in order]


def items_csv(ranking: Ranking) -> str:
    """Return a row for each item of the reference, the hardest first."""
    return csv_table("item, mean, spread", hardest_items(ranking))


@dataclass(frozen=True)
class Change:
    """The change of a team since the last run; None where it was not ranked."""

    team: str
    rank_before: int | None
    rank: int | None
    score_before: float | None
    score: float | None
    why: str


def changes_csv(changes: Sequence[Change]) -> str:
    """Return a row for each team of this run or the one before."""
    header = "team, rank_before, rank, score_before, score, why"
    return csv_table(
        header, ([c.team, c.rank_before, c.rank, c.score_before, c.score, c.why] for c in changes)
    )


class History:
    """The last completed run, and the last one before it with another signature or other submissions."""

    def __init__(self, path: Path, records: Sequence[Record], ranking: Ranking | None) -> None:
        self._path = path
        self._now = _state(records, ranking)
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        last = kept.get("last")
        self._before = kept.get("before") if last == self._now else last

    def save(self) -> None:
        """Make this run the last completed one."""
        write_atomic(self._path, json.dumps({"last": self._now, "before": self._before}))

    def changes(self) -> list[Change]:
        """Return the changes in the order of the ranking; none if there was no run before."""
        if not self._before:
            return []
        before, now = self._before["teams"], self._now["teams"]
        parts = _differing(self._before["signature"], self._now["signature"])
        nothing = {"rank": None, "score": None, "digest": None}
        changes = []
        for team in [*now, *(team for team in before if team not in now)]:
            old, new = before.get(team, nothing), now.get(team, nothing)
            why = (["submission"] if old["digest"] != new["digest"] else []) + parts
            changes.append(Change(team, old["rank"], new["rank"], old["score"], new["score"], ", ".join(why)))
        return changes

    def tau_b(self) -> float:
        """Return Kendall's tau-b between the ranking and the one before, over the teams of both."""
        both = [(c.rank_before, c.rank) for c in self.changes() if c.rank_before and c.rank]
        before, now = np.array(both, dtype=np.int64).reshape(-1, 2).T
        return statistics.tau_b(before, now)


def _state(records: Sequence[Record], ranking: Ranking | None) -> dict[str, Any]:
    ranked = zip(ranking.records, ranking.rank.tolist()) if ranking else ()
    return {
        "signature": next(
            (record.entry.signature for record in records if record.entry.outcome == SCORED), ""
        ),
        "submissions": {
            record.submission.name: [record.submission.team, record.digest] for record in records
        },
        "teams": {
            record.submission.team: {
                "rank": rank,
                "score": record.entry.scores["score"],
                "digest": record.digest,
            }
            for record, rank in ranked
        },
    }


def _differing(before: str, now: str) -> list[str]:
    """Return the names of the parts of two signatures that differ."""
    if not before or not now:
        return []
    old, new = (
        dict(part.partition(":")[::2] for part in signature.split("|")) for signature in (before, now)
    )
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]
