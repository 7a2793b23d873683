"""The ranking of the teams by one submission of each, with its statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from organizer.ranking import statistics
from organizer.ranking.statistics import Counts, Numbers, Pairs, Stability
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.metrics.resampling import percentile_interval

MOST_PAIRED = 100


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
    stability : Stability
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

    def told_apart(self) -> list[bool | None]:
        """Return whether each team is told apart from the first, None if it was not compared."""
        m = len(self.records)
        first = self.pairs.p_holm[: min(m, MOST_PAIRED) - 1] < statistics.SIGNIFICANT
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
    scores = statistics.rounded(np.array([record.entry.score for record in order]))
    replicates = statistics.rounded(np.array([record.entry.replicates for record in order]).T)
    items = order[0].entry.items
    item_scores = np.array([record.entry.item_scores for record in order], dtype=np.float64)
    mean, spread = statistics.item_difficulty(statistics.rounded(item_scores))
    few = slice(MOST_PAIRED)
    return Ranking(
        order,
        statistics.ranks(sign * scores),
        np.array([percentile_interval(column) for column in replicates.T]),
        statistics.stability(sign * scores, sign * replicates),
        statistics.pairs(scores[few], replicates[:, few], len(items)),
        *(items, mean, spread, len(replicates), higher_is_better),
    )
