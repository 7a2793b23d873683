"""Macro F1: the mean F1 of the labels that are annotated or predicted; 1 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics.item_statistics import PairStatistics, pair_statistics
from validator.arrays import Floats, Ints
from validator.formats.items.arrays import Values

KINDS = ("label",)
SORTING = "desc"
RANGE = (0.0, 1.0)


def weighted(truth: Ints, predicted: Ints, weights: Floats) -> Floats:
    """Return the mean F1 of the labels on either side for each row of weights.

    Shapes: (n,), (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted(np.array([0, 0, 1]), np.array([0, 0, 0]), np.ones((1, 3)))
    array([0.4])
    """
    labels = np.union1d(truth, predicted)
    is_true = (truth[:, None] == labels).astype(np.float64)
    is_predicted = (predicted[:, None] == labels).astype(np.float64)
    shared = weights @ (is_true * is_predicted)
    total = weights @ is_true + weights @ is_predicted
    f1: Floats = 2 * shared / np.where(total > 0, total, 1)
    return f1.sum(axis=1) / np.maximum((total > 0).sum(axis=1), 1)


def measure(truth: Values, predicted: Values) -> PairStatistics:
    """Return which items are right."""
    return pair_statistics(truth, predicted, (truth.values == predicted.values).astype(np.float64))


def reduce(statistics: PairStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return weighted(statistics.truth, statistics.predicted, weights)
