"""Balanced accuracy: the mean over the labels of the share of their items that are right; 1 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics.item_statistics import PairStatistics, pair_statistics
from validator.arrays import Floats, Ints
from validator.formats.items.arrays import Values

KINDS = ("label",)
SORTING = "desc"
RANGE = (0.0, 1.0)


def weighted(truth: Ints, predicted: Ints, weights: Floats) -> Floats:
    """Return the mean recall of the labels in ``truth`` for each row of weights.

    Shapes: (n,), (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), np.ones((1, 4))).round(4)
    array([0.8333])
    """
    of_label = (truth[:, None] == np.unique(truth)).astype(np.float64)
    total = weights @ of_label
    right = weights @ (of_label * (truth == predicted)[:, None])
    recalls: Floats = right / np.where(total > 0, total, 1)
    return recalls.sum(axis=1) / np.maximum((total > 0).sum(axis=1), 1)


def measure(truth: Values, predicted: Values) -> PairStatistics:
    """Return which items are right."""
    return pair_statistics(truth, predicted, (truth.values == predicted.values).astype(np.float64))


def reduce(statistics: PairStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return weighted(statistics.truth, statistics.predicted, weights)
