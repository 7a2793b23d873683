"""RMSE: the square root of the mean squared error; 0 is perfect."""

from __future__ import annotations

import numpy as np

from scoring_program.metrics import resampling
from validator.arrays import Floats


def weighted(truth: Floats, predicted: Floats, weights: Floats) -> Floats:
    """Return the root of the mean squared error for each row of weights.

    Shapes: (n,), (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted(np.array([0.0, 2.0]), np.array([3.0, -2.0]), np.ones((1, 2))).round(4)
    array([3.5355])
    """
    return np.sqrt(resampling.weighted_mean((truth - predicted) ** 2, weights))
