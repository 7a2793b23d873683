"""Records of submissions by team, in order of time or of scores, and how hard the items are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from organizer.ranking.selection import expected_drop
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from people_in_video.comparing.pairs import Comparison, ranks
from scoring_program.metrics.resampling import HalfScores, rounded
from scoring_program.task import Declaration
from validator.arrays import Floats, Ints

LENGTH_OF_DAY = len("2024-05-31")
"""Of a date without a time."""


def records_of_teams(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Return the records with a score by team, in their order."""
    records_of_team: dict[str, list[Record]] = {}
    for record in records:
        if record.entry.outcome == SCORED:
            records_of_team.setdefault(record.submission.team, []).append(record)
    return records_of_team


def in_order_of_time(records: Iterable[Record]) -> list[Record]:
    """Return records by date where dates are known, then by id, then in their order.

    One without a date is as late as the one before it by id. Of a day on which a time is missing, ids decide.
    """
    by_id = sorted(records, key=lambda record: record.submission.id or 0)
    dates, date = [], ""
    for record in by_id:
        date = record.submission.date or date
        dates.append(date)
    days_without_times = {date for date in dates if len(date) == LENGTH_OF_DAY}
    keys = [date[:LENGTH_OF_DAY] if date[:LENGTH_OF_DAY] in days_without_times else date for date in dates]
    return [by_id[place] for place in sorted(range(len(by_id)), key=keys.__getitem__)]


def best_first(records: Iterable[Record], task: Declaration) -> list[Record]:
    """Return records of different teams, the best first, ties by name."""
    sign = 1.0 if task.higher_is_better else -1.0
    return sorted(records, key=lambda record: (-sign * record.entry.score, record.submission.team))


def expected_drop_of(records: Sequence[Record], task: Declaration) -> float | None:
    """Return what choosing the best of a team's submissions has won; equal files are one submission."""
    record_of_file: dict[str, Record] = {}
    for record in records:
        record_of_file.setdefault(record.digest, record)
    return expected_drop(
        [half_scores_of(record) for record in record_of_file.values()], task.higher_is_better
    )


def with_published_ranks(comparison: Comparison, scores: Floats, higher_is_better: bool) -> Comparison:
    """Return a comparison whose ranks are those of ``scores`` (m,) as they are published: equal ones share a
    rank, which is possible."""
    rank = ranks(scores, higher_is_better)
    return comparison._replace(rank=rank, rank_low=np.minimum(comparison.rank_low, rank))


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


def half_scores_of(record: Record) -> HalfScores:
    """Return the score of a submission and those of halves of the items."""
    entry = record.entry
    return HalfScores(entry.score, np.array(entry.first), np.array(entry.second), entry.n_items)
