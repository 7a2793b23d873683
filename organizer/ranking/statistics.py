"""The ranking of the teams by one submission of each, and how sure it is.

Ranks, rank sets, intervals and tests are those of `people_in_video.comparing.pairs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from organizer.ranking.selection import expected_drop
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from people_in_video.comparing.pairs import Comparison, compare
from scoring_program.metrics.resampling import HalfScores, Intervals, intervals, rounded
from scoring_program.task import Declaration
from validator.arrays import Floats, Ints

MOST_TEAMS = 100
"""How many teams the table of pairs shows."""


def item_difficulty(item_scores: Floats) -> tuple[Floats, Floats, Ints]:
    """Return mean and standard deviation (ddof 0) of each item over the submissions that have a score for it.

    Parameters
    ----------
    item_scores : float64 array of shape (m, n)
        Rounded; NaN where a submission has no score for an item.

    Returns
    -------
    mean, spread : float64 arrays of shape (n,)
        NaN for an item that no submission has a score for.
    number : int array of shape (n,)
        Submissions that have a score for the item.
    """
    without_nan = np.ma.masked_invalid(item_scores)
    mean = rounded(without_nan.mean(axis=0).filled(np.nan))
    spread = rounded(without_nan.std(axis=0).filled(np.nan))
    number = (~np.isnan(item_scores)).sum(axis=0)
    return mean, spread, number


@dataclass(frozen=True)
class Ranking:
    """The teams, the best first, ties by name; arrays have one entry for each team unless a shape is given.

    Attributes
    ----------
    records : sequence of Record
        The submission of each team that counts.
    submissions : sequence of int
        How many submissions of each team were scored.
    expected_drops : sequence of float or None
        By how much the score of each team is expected to be worse on new items at most, because the best of
        its submissions counts; None where that is not known, see `organizer.ranking.selection`.
    comparison : Comparison
        Ranks, rank sets, and all pairs.
    intervals : Intervals or None
        Those of the scores; None with fewer than 2 items.
    items : sequence of n str
    item_mean, item_spread, item_teams : arrays of shape (n,)
        Of the scores that the teams have for an item by itself; NaN where none has one.
    """

    records: Sequence[Record]
    submissions: Sequence[int]
    expected_drops: Sequence[float | None]
    comparison: Comparison
    intervals: Intervals | None
    items: Sequence[str]
    item_mean: Floats
    item_spread: Floats
    item_teams: Ints
    higher_is_better: bool

    @property
    def teams(self) -> list[str]:
        """The names of the teams."""
        return [record.submission.team for record in self.records]

    @property
    def n_different_neighbors(self) -> int:
        """How many pairs of teams next to each other differ significantly, by Holm over all pairs."""
        pairs = self.comparison.pairs
        return int(pairs.is_significant[pairs.second == pairs.first + 1].sum())

    @property
    def signature(self) -> str:
        """What makes the scores comparable."""
        return self.records[0].entry.signature

    @property
    def half_samples(self) -> int:
        """How often the items were divided into halves."""
        return len(self.records[0].entry.first)


def ranking_of(records: Sequence[Record], task: Declaration, keep: str = "best") -> Ranking | None:
    """Rank the teams of scored submissions; None if there is none.

    ``records`` are in natural order of their names and scored with one signature; ``keep`` says which of a
    team counts: the ``best``, or the ``last`` by date and, on one date, by name.
    """
    records_of_team: dict[str, list[Record]] = {}
    for record in records:
        if record.entry.outcome == SCORED:
            records_of_team.setdefault(record.submission.team, []).append(record)
    if not records_of_team:
        return None
    sign = 1.0 if task.higher_is_better else -1.0
    pick = _last if keep == "last" else partial(_best, sign)
    counting = [pick(team_records) for team_records in records_of_team.values()]
    ranked = sorted(counting, key=lambda record: (-sign * record.entry.score, record.submission.team))
    submissions = [half_scores_of(record) for record in ranked]
    item_scores = np.array([record.entry.item_scores for record in ranked], dtype=np.float64)
    item_mean, item_spread, item_teams = item_difficulty(rounded(item_scores))
    return Ranking(
        records=ranked,
        submissions=[len(records_of_team[record.submission.team]) for record in ranked],
        expected_drops=[
            _expected_drop(records_of_team[record.submission.team], task, keep) for record in ranked
        ],
        comparison=compare(submissions, task.higher_is_better),
        intervals=intervals(submissions, task.range) if submissions[0].n_items > 1 else None,
        items=ranked[0].entry.items,
        item_mean=item_mean,
        item_spread=item_spread,
        item_teams=item_teams,
        higher_is_better=task.higher_is_better,
    )


def _best(sign: float, records: Sequence[Record]) -> Record:
    """Return the record with the best score, of equal ones the first."""
    return max(records, key=lambda record: sign * record.entry.score)


def _expected_drop(records: Sequence[Record], task: Declaration, keep: str) -> float | None:
    """Return what choosing the best of a team's submissions has won; equal files are one submission."""
    if keep == "last":
        return None
    record_of_file: dict[str, Record] = {}
    for record in records:
        record_of_file.setdefault(record.digest, record)
    return expected_drop(
        [half_scores_of(record) for record in record_of_file.values()], task.higher_is_better
    )


def _last(records: Sequence[Record]) -> Record:
    """Return the record with the last date, on one date the last by name."""
    return max(reversed(records), key=lambda record: record.submission.date)


def team_facts(ranking: Ranking, records: Sequence[Record]) -> dict[str, dict[str, str]]:
    """Return what organizers say of each team by title, of the submission that counts before others."""
    facts_of_team: dict[str, dict[str, str]] = {team: {} for team in ranking.teams}
    for record in [*ranking.records, *records]:
        facts = facts_of_team.get(record.submission.team, {})
        for title, text in record.submission.facts.items():
            if not facts.get(title):
                facts[title] = text
    return facts_of_team


def half_scores_of(record: Record) -> HalfScores:
    """Return the score of a submission and those of halves of the items."""
    entry = record.entry
    return HalfScores(entry.score, np.array(entry.first), np.array(entry.second), entry.n_items)
