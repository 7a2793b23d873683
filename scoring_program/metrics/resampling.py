"""Resampling of independent items: how sure a score is.

The percentile bootstrap (Efron, Annals of Statistics 1979): items are drawn with replacement, as many as there are. A
draw is a vector of weights that says how often each item occurs in it, and all scores are computed for a matrix of
weights at once. The draws depend on the number of items alone, so that the replicates of two submissions are paired.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

REPLICATES = 1000
_SEED = 20140906
_QUANTILES = (0.025, 0.975)


def draws(n_items: int, n_replicates: int = REPLICATES) -> NDArray[np.float64]:
    """Return the weights of the resamples, float64 whole numbers of shape (n_replicates, n_items).

    Raises
    ------
    ValueError
        There is no item.
    """
    # The stream of this generator is frozen: the same draws with every version of numpy.
    picks = np.random.RandomState(_SEED).randint(0, n_items, size=(n_replicates, n_items))
    weights = np.empty((n_replicates, n_items))
    for row, picked in zip(weights, picks):
        row[:] = np.bincount(picked, minlength=n_items)
    return weights


def percentile_interval(replicates: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 2.5 % and the 97.5 % quantile of the replicates, interpolated linearly."""
    low, high = np.quantile(replicates, _QUANTILES)
    return float(low), float(high)


def weighted_mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of values for each row of weights, 0 where the weights add up to 0.

    Shapes: (n,), (n_replicates, n) -> (n_replicates,).
    """
    total = weights.sum(axis=1)
    return weights @ values / np.where(total > 0, total, 1)
