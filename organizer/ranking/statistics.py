"""Which submission of a team counts, the order of the teams, and how hard the items are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from organizer.ranking.selection import expected_drop
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.metrics.resampling import HalfScores, rounded
from scoring_program.task import Declaration
from validator.arrays import Floats, Ints


def records_of_teams(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Return the records with a score by team, in their order."""
    records_of_team: dict[str, list[Record]] = {}
    for record in records:
        if record.entry.outcome == SCORED:
            records_of_team.setdefault(record.submission.team, []).append(record)
    return records_of_team


def rank_teams(records: Iterable[Record], task: Declaration, keep: str = "best") -> list[Record]:
    """Return the submission of each team that counts, the best first, ties by name.

    ``records`` are in natural order of their names and scored with one signature; ``keep`` says which of a
    team counts: the ``best``, or the ``last`` by date and, on one date, by name.
    """
    sign = 1.0 if task.higher_is_better else -1.0
    counting_records = []
    for team_records in records_of_teams(records).values():
        if keep == "last":
            # On one date the last by name.
            counting = max(reversed(team_records), key=lambda record: record.submission.date)
        else:
            counting = max(team_records, key=lambda record: sign * record.entry.score)
        counting_records.append(counting)
    return best_first(counting_records, task)


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
