"""The ranking of the teams by one submission of each, and how sure it is.

Ranks, rank sets, intervals and tests are those of `scoring_program.metrics.comparison`. Stability, a picture,
shows how random halves of the items rank the teams (Wiesenfarth et al., "Methods and open-source toolkit for
analyzing and visualizing challenge results", Scientific Reports 11, 2021, who draw bootstrap samples).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.metrics.comparison import Comparison, compare, ranks
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
    """

    shares: Floats
    tau: float


def stability(submissions: Sequence[HalfScores], higher_is_better: bool) -> Stability:
    """Return how random halves of the items rank the submissions."""
    halves = np.array([[*own.first, *own.second] for own in submissions]).T
    ranking = ranks(np.array([own.score for own in submissions]), higher_is_better)
    m = len(ranking)
    if not len(halves):
        return Stability(np.zeros((0, m)), np.nan)
    by_half = np.array([ranks(scores, higher_is_better) for scores in halves])
    shown = by_half[:, :MOST_TEAMS]
    cells = np.arange(shown.shape[1]) * m + shown - 1
    shares = np.bincount(cells.ravel(), minlength=shown.shape[1] * m).reshape(-1, m) / len(halves)
    taus = np.array([tau_b(ranking, row) for row in by_half])
    known = taus[~np.isnan(taus)]
    return Stability(shares, float(known.mean()) if len(known) else np.nan)


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
    known = np.ma.masked_invalid(item_scores)
    mean, spread = (rounded(values.filled(np.nan)) for values in (known.mean(axis=0), known.std(axis=0)))
    return mean, spread, (~np.isnan(item_scores)).sum(axis=0)


@dataclass(frozen=True)
class Ranking:
    """The teams, the best first, ties by name; arrays have one entry for each team unless a shape is given.

    Attributes
    ----------
    records : sequence of Record
        The submission of each team that counts.
    submissions : sequence of int
        How many submissions of each team were scored.
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
    sign = 1.0 if task.higher_is_better else -1.0
    scored: dict[str, list[Record]] = {}
    for record in records:
        if record.entry.outcome == SCORED:
            scored.setdefault(record.submission.team, []).append(record)
    if not scored:
        return None
    # Of equals max takes the first.
    if keep == "last":
        chosen = [max(reversed(own), key=lambda record: record.submission.date) for own in scored.values()]
    else:
        chosen = [max(own, key=lambda record: sign * record.entry.score) for own in scored.values()]
    order = sorted(chosen, key=lambda record: (-sign * record.entry.score, record.submission.team))
    entries = [record.entry for record in order]
    submissions = [
        HalfScores(own.score, np.array(own.first), np.array(own.second), own.n_items) for own in entries
    ]
    item_scores = np.array([entry.item_scores for entry in entries], dtype=np.float64)
    return Ranking(
        order,
        [len(scored[record.submission.team]) for record in order],
        compare(submissions, task.higher_is_better),
        intervals(submissions, task.range) if submissions[0].n_items > 1 else None,
        stability(submissions, task.higher_is_better),
        order[0].entry.items,
        *item_difficulty(rounded(item_scores)),
        task.higher_is_better,
    )
