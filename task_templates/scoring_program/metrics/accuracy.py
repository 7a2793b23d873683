"""Accuracy: the share of the items whose label is right; 1 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics import resampling
from validator.arrays import Floats, Ints


def weighted(truth: Ints, predicted: Ints, weights: Floats) -> Floats:
    """Return the accuracy for each row of weights: (n,), (n,), (n_rows, n) -> (n_rows,)."""
    return resampling.weighted_mean((truth == predicted).astype(np.float64), weights)
