"""Accuracy: the share of the items whose label is right; 1 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics import resampling
from scoring_program.metrics.item_statistics import PairStatistics, pair_statistics
from validator.arrays import Floats, Ints
from validator.formats.items.arrays import Values

KINDS = ("label",)
SORTING = "desc"
RANGE = (0.0, 1.0)


def weighted(truth: Ints, predicted: Ints, weights: Floats) -> Floats:
    """Return the accuracy for each row of weights: (n,), (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([[1.0, 1.0, 2.0]]))
    array([0.75])
    """
    return resampling.weighted_mean((truth == predicted).astype(np.float64), weights)


def measure(truth: Values, predicted: Values) -> PairStatistics:
    """Return which items are right."""
    return pair_statistics(truth, predicted, (truth.values == predicted.values).astype(np.float64))


def reduce(statistics: PairStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return weighted(statistics.truth, statistics.predicted, weights)
