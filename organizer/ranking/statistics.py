"""The ranking of the teams by one submission of each, and how sure it is, from the scores of each for
the same resamples of the items.

Ranks over bootstrap replicates follow Wiesenfarth et al., "Methods and open-source toolkit for analyzing and
visualizing challenge results", Scientific Reports 11 (2021). Pairs are compared by Student's t with the
standard error of the bootstrap, which is the paired t-test where the score is a mean over items, corrected as
by Holm, Scandinavian Journal of Statistics 6 (1979).

All scores are rounded to `DECIMALS` before anything is compared: matrix products differ in their last bits
between machines, and ties, ranks and files must not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.metrics.resampling import percentile_interval

MOST_PAIRED = 100
DECIMALS = 10
SIGNIFICANT = 0.05
_QUANTILES = (0.025, 0.975)
_LEAST_ITEMS = 10

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


def rounded(values: Numbers) -> Numbers:
    """Return the values with `DECIMALS` decimals, without a negative zero."""
    return np.round(values, DECIMALS) + 0.0


def ranks(scores: Numbers) -> Counts:
    """Return 1 + the number of better scores in each row; equal scores share a rank.

    Parameters
    ----------
    scores : float64 array of shape (..., m)
        Rounded; higher is better.

    Returns
    -------
    int64 array of shape (..., m)
    """
    from scipy.stats import rankdata  # takes a second to import

    return rankdata(-scores, method="min", axis=-1).astype(np.int64)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Stability:
    """How the replicates rank m submissions.

    Attributes
    ----------
    low, high : int64 arrays of shape (m,)
        The 2.5 % and the 97.5 % quantile of the rank of each.
    firsts : float64 array of shape (m,)
        The share of replicates in which it has rank 1.
    shares : float64 array of shape (m, m)
        The share of replicates in which submission i has rank j + 1.
    tau_mean, tau_low : float
        Mean and 5 % quantile of Kendall's tau-b between the ranking of a replicate and the ranking.
    """

    low: Counts
    high: Counts
    firsts: Numbers
    shares: Numbers
    tau_mean: float
    tau_low: float


def stability(scores: Numbers, replicates: Numbers) -> Stability:
    """Return how sure the ranks are. Shapes: (m,), (n_replicates, m); both rounded."""
    drawn = ranks(replicates)
    n, m = drawn.shape
    low, high = np.quantile(drawn, _QUANTILES, axis=0, method="inverted_cdf").astype(np.int64)
    shares = np.bincount((np.arange(m) * m + drawn - 1).ravel(), minlength=m * m).reshape(m, m) / n
    ranking = ranks(scores)
    taus = np.array([tau_b(ranking, row) for row in drawn])
    return Stability(low, high, shares[:, 0], shares, float(taus.mean()), float(np.quantile(taus, 0.05)))


def tau_b(first: Counts | Numbers, second: Counts | Numbers) -> float:
    """Return Kendall's tau-b between two rankings, 0 where it is undefined."""
    if len(first) < 2 or len(np.unique(first)) < 2 or len(np.unique(second)) < 2:
        return 0.0
    from scipy.stats import kendalltau

    # The p value is not used; its approximation is the fast one, and does not exist for two.
    return float(kendalltau(first, second, method="asymptotic" if len(first) > 2 else "auto").statistic)


@dataclass(frozen=True)
class Pairs:
    """All pairs i < j of the submissions; arrays of shape (n_pairs,), in the order of i, then j.

    Attributes
    ----------
    first, second : int arrays
        i and j.
    difference : float64 array
        Score of i minus score of j.
    low, high : float64 arrays
        The 95 % percentile interval of the difference.
    p, p_holm : float64 arrays
        The two-sided p value, and the same corrected for all pairs.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    difference: Numbers
    low: Numbers
    high: Numbers
    p: Numbers
    p_holm: Numbers


def pairs(scores: Numbers, replicates: Numbers, n_items: int) -> Pairs:
    """Compare each submission with each. Shapes: (m,), (n_replicates, m); both rounded."""
    first, second = np.triu_indices(len(scores), k=1)
    difference = rounded(scores[first] - scores[second])
    drawn = rounded(replicates[:, first] - replicates[:, second])
    low, high = np.quantile(drawn, _QUANTILES, axis=0)
    p = _p_values(difference, drawn.std(axis=0, ddof=1), n_items)
    return Pairs(first, second, difference, low, high, p, holm(p))


def _p_values(difference: Numbers, spread: Numbers, n_items: int) -> Numbers:
    if n_items < _LEAST_ITEMS:
        return np.ones_like(difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(difference) / (spread * np.sqrt(n_items / (n_items - 1)))
    p = np.where(spread > 0, 2 * stdtr(n_items - 1, -t), 0.0)
    return np.where(difference == 0, 1.0, p)


def holm(p: Numbers) -> Numbers:
    """Return p values corrected by Holm's step-down method; array of shape (n,)."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def item_difficulty(item_scores: Numbers) -> tuple[Numbers, Numbers]:
    """Return mean and standard deviation (ddof 0) of each item over the submissions that have a score for it.

    Parameters
    ----------
    item_scores : float64 array of shape (m, n)
        Rounded; NaN where a submission has no score for an item.

    Returns
    -------
    mean, spread : float64 arrays of shape (n,)
        NaN for an item that no submission has a score for.
    """
    known = np.ma.masked_invalid(item_scores)
    return rounded(known.mean(axis=0).filled(np.nan)), rounded(known.std(axis=0).filled(np.nan))


@dataclass(frozen=True)
class Ranking:
    """The teams, the best first, ties by name; arrays have one entry for each team unless a shape is given.

    Attributes
    ----------
    records : sequence of Record
        The submission of each team that counts.
    rank : int64 array
    intervals : float64 array of shape (m, 2)
        The 95 % percentile interval of each score.
    pairs : Pairs
        Of the first `MOST_PAIRED` teams.
    items : sequence of n str
    item_mean, item_spread : float64 arrays of shape (n,)
        Of the scores that the teams have for an item by itself; NaN where none has one.
    replicates : int
        Number of resamples.
    higher_is_better : bool
        The order of scores, also of those of items.
    """

    records: Sequence[Record]
    rank: Counts
    intervals: Numbers
    stability: Stability
    pairs: Pairs
    items: Sequence[str]
    item_mean: Numbers
    item_spread: Numbers
    replicates: int
    higher_is_better: bool

    @property
    def teams(self) -> list[str]:
        """The names of the teams."""
        return [record.submission.team for record in self.records]

    def is_different(self) -> list[bool | None]:
        """Return whether each team is significantly different from the first, None if it was not compared."""
        m = len(self.records)
        first = self.pairs.p_holm[: min(m, MOST_PAIRED) - 1] < SIGNIFICANT
        return [False, *first.tolist(), *[None] * (m - 1 - len(first))]


def ranking_of(
    records: Sequence[Record], keep: str = "best", higher_is_better: bool = True
) -> Ranking | None:
    """Rank the teams of scored submissions; None if there is none.

    ``records`` are in natural order of their names and scored with one signature; ``keep`` says which of a
    team counts: the ``best``, or the ``last``.
    """
    sign = 1.0 if higher_is_better else -1.0
    chosen: dict[str, Record] = {}
    for record in records:
        if record.entry.outcome == SCORED:
            before = chosen.get(record.submission.team)
            if keep == "last" or before is None or sign * record.entry.score > sign * before.entry.score:
                chosen[record.submission.team] = record
    if not chosen:
        return None
    order = sorted(chosen.values(), key=lambda record: (-sign * record.entry.score, record.submission.team))
    scores = rounded(np.array([record.entry.score for record in order]))
    replicates = rounded(np.array([record.entry.replicates for record in order]).T)
    items = order[0].entry.items
    item_scores = np.array([record.entry.item_scores for record in order], dtype=np.float64)
    mean, spread = item_difficulty(rounded(item_scores))
    few = slice(MOST_PAIRED)
    return Ranking(
        order,
        ranks(sign * scores),
        np.array([percentile_interval(column) for column in replicates.T]),
        stability(sign * scores, sign * replicates),
        pairs(scores[few], replicates[:, few], len(items)),
        *(items, mean, spread, len(replicates), higher_is_better),
    )
