"""F1: the mean over the items of the F1 of their labels, 1 if neither side has any; 1 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics import resampling
from scoring_program.metrics.item_statistics import PairStatistics, pair_statistics
from validator.arrays import Bools, Floats
from validator.formats.items.arrays import Values

KINDS = ("labels",)
SORTING = "desc"
RANGE = (0.0, 1.0)


def of_items(truth: Bools, predicted: Bools) -> Floats:
    """Return the F1 of each item, 2 |A and B| / (|A| + |B|) of its two sets of labels.

    Shapes: (n, n_labels), (n, n_labels) -> (n,). With ``zero_division=1`` scikit-learn says the same.

    Examples
    --------
    >>> of_items(np.array([[True, True], [False, False]]), np.array([[True, False], [False, False]])).round(2)
    array([0.67, 1.  ])
    """
    total = truth.sum(axis=1) + predicted.sum(axis=1)
    return np.where(total > 0, 2 * (truth & predicted).sum(axis=1) / np.maximum(total, 1), 1.0)


def measure(truth: Values, predicted: Values) -> PairStatistics:
    """Return the F1 of each item."""
    return pair_statistics(truth, predicted, of_items(truth.values, predicted.values))


def reduce(statistics: PairStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return resampling.weighted_mean(statistics.item_scores, weights)
