"""What metrics of tasks with a value for each item gather of it.

A metric is a module of this package that a task names, ``metric: accuracy``. Its docstring begins with its
title and what the score is. It has

- ``KINDS``: what an item may have (`validator.formats.values.Kind`);
- ``SORTING``: ``desc`` where more is better, else ``asc``, and ``RANGE`` of the score, None for an open end;
- ``measure(truth, predicted)``, which returns the statistics of each item, once;
- ``reduce(statistics, weights)``, which returns the score for each row of weights, how often each item
  occurs.

It may have

- ``scores(statistics)``, which returns ``score`` and the other numbers of the leaderboard; without it, these
  are the score, also by the name of the metric;
- ``SCORES``, true if predictions have scores;
- ``THRESHOLDS``, the default of those that a task may declare; ``measure`` then takes them, too;
- ``ERROR_TYPES``, as a declaration holds them, and ``error_costs(statistics)``, which returns the score if
  all errors of a type were right, by the key of the type;
- ``NEEDS``, packages that it imports besides numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring_program.result import Statistics
from validator.arrays import Bools, Floats
from validator.formats.items.arrays import Values


@dataclass(frozen=True)
class ItemStatistics(Statistics):
    """The score of each item."""

    @property
    def once(self) -> Floats:
        """One row of weights with each item once."""
        return np.ones((1, len(self.item_scores)))


@dataclass(frozen=True)
class PairStatistics(ItemStatistics):
    """Ground truth and prediction of each item, arrays of shape (n_items,) or (n_items, n_names)."""

    truth: np.ndarray
    predicted: np.ndarray


@dataclass(frozen=True)
class SegmentStatistics(ItemStatistics):
    """Which true segments are matched, in their order in the ground truth."""

    is_matched: Bools


@dataclass(frozen=True)
class LabelStatistics(ItemStatistics):
    """The score of each label over all items, NaN where the ground truth lacks the label."""

    label_scores: Floats


def of_items(item_scores: Floats, perfect: float, is_submitted: Bools | None = None) -> dict[str, Any]:
    """Return what all statistics have, where every item counts once.

    Parameters
    ----------
    item_scores : float64 array of shape (n,)
    perfect : float
        The score of an item without an error.
    is_submitted : bool array of shape (n,), optional
        Whether an item has a prediction; without it, all have.

    Examples
    --------
    >>> of_items(np.array([0.5, 1.0]), 1.0)["item_perfect"]
    array([False,  True])
    """
    n = len(item_scores)
    return {
        "item_scores": item_scores,
        "item_submitted": np.ones(n, bool) if is_submitted is None else is_submitted,
        "item_weights": np.ones(n, np.int64),
        "item_perfect": item_scores == perfect,
    }


def pair_statistics(truth: Values, predicted: Values, item_scores: Floats) -> PairStatistics:
    """Return the statistics of items with a value each, whose scores are 1 if they are right.

    Examples
    --------
    >>> truth = Values(["a", "b"], np.array([0, 1]), ("robin", "wren"))
    >>> statistics = pair_statistics(truth, truth, np.array([1.0, 1.0]))
    >>> statistics.item_submitted
    array([ True,  True])
    """
    return PairStatistics(**of_items(item_scores, 1.0), truth=truth.values, predicted=predicted.values)
