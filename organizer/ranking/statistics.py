"""The ranking of the teams by one submission of each, and how sure it is.

Ranks, rank sets, intervals and tests are those of `people_in_video.comparing.pairs`. Stability, a picture,
shows how random halves of the items rank the teams (Wiesenfarth et al., "Methods and open-source toolkit for
analyzing and visualizing challenge results", Scientific Reports 11, 2021, who draw bootstrap samples).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from organizer.ranking.selection import expected_drop
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from people_in_video.comparing.pairs import Comparison, compare, ranks
from scoring_program.metrics.resampling import HalfScores, Intervals, intervals, rounded
from scoring_program.task import Declaration
from validator.arrays import Floats, Ints

MOST_TEAMS = 100
"""How many teams the table of pairs and stability show."""


@dataclass(frozen=True)
class Stability:
    """How random halves of the items rank m teams.

    Attributes
    ----------
    shares : float64 array of shape (min(m, 100), m)
        The share of halves in which team i has rank j + 1; shared ranks count for each. Without rows if
        there are no halves.
    tau : float
        The mean of Kendall's tau-b between the ranking of a half and the ranking; NaN if it is never defined.
    first_on_both : int array of shape (m,)
        In how many divisions each team is first on both halves; shared firsts count.
    """

    shares: Floats
    tau: float
    first_on_both: Ints


def stability(
    submissions: Sequence[HalfScores], higher_is_better: bool, most_teams: int = MOST_TEAMS
) -> Stability:
    """Return how random halves of the items rank the submissions; shares of the first ``most_teams``."""
    scores = np.array([halves.score for halves in submissions])
    half_scores = np.array([[*halves.first, *halves.second] for halves in submissions]).T
    ranking = ranks(scores, higher_is_better)
    m = len(ranking)
    if not len(half_scores):
        return Stability(np.zeros((0, m)), np.nan, np.zeros(m, dtype=np.int64))
    ranking_of_half = np.array([ranks(scores_of_half, higher_is_better) for scores_of_half in half_scores])
    # Few teams have the same ranking in many halves.
    different_rankings, number_of_ranking = np.unique(ranking_of_half, axis=0, return_inverse=True)
    different_taus = np.array([tau_b(ranking, half_ranking) for half_ranking in different_rankings])
    taus = different_taus[number_of_ranking.ravel()]
    defined_taus = taus[~np.isnan(taus)]
    is_first_on_first, is_first_on_second = np.split(ranking_of_half == 1, 2)
    return Stability(
        first_on_both=(is_first_on_first & is_first_on_second).sum(axis=0),
        shares=_rank_shares(ranking_of_half[:, :most_teams], m),
        tau=float(defined_taus.mean()) if len(defined_taus) else np.nan,
    )


def _rank_shares(ranking_of_half: Ints, n_ranks: int) -> Floats:
    """Return the share of halves in which team i has rank j + 1. Shapes: (n_halves, n) -> (n, n_ranks)."""
    n_halves, n_teams = ranking_of_half.shape
    # A cell of the table of teams and ranks for each rank that a half gives to a team.
    cell = np.arange(n_teams) * n_ranks + ranking_of_half - 1
    counts = np.bincount(cell.ravel(), minlength=n_teams * n_ranks)
    return counts.reshape(-1, n_ranks) / n_halves


def tau_b(first: Ints, second: Ints) -> float:
    """Return Kendall's tau-b between two rankings, NaN where it is undefined."""
    if len(first) < 2 or (first == first[0]).all() or (second == second[0]).all():
        return np.nan
    from scipy.stats import kendalltau  # takes a second to import

    # The p value is not used; its approximation is the fast one, and does not exist for two.
    return float(kendalltau(first, second, method="asymptotic" if len(first) > 2 else "auto").statistic)


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
    stability: Stability
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
        stability=stability(submissions, task.higher_is_better),
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
