"""Accuracy: the share of the items whose label is right; 1 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics import resampling
from validator.arrays import Floats, Ints


def weighted(truth: Ints, predicted: Ints, weights: Floats) -> Floats:
    """Return the accuracy for each row of weights: (n,), (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([[1.0, 1.0, 2.0]]))
    array([0.75])
    """
    return resampling.weighted_mean((truth == predicted).astype(np.float64), weights)
