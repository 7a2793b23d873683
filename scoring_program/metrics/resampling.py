"""Resampling of independent items: how uncertain a score is.

The percentile bootstrap (Efron, Annals of Statistics 1979): items are drawn with replacement, as many as
there are. A draw is a vector of weights that says how often each item occurs in it, and all scores are
computed for a matrix of weights at once. The draws depend on the number of items alone, so that the
replicates of two submissions are paired.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Floats

REPLICATES = 1000
_SEED = 20140906
_BLOCK = 4_000_000
_QUANTILES = (0.025, 0.975)


def draw_blocks(n_items: int, n_replicates: int = REPLICATES) -> Iterator[Floats]:
    """Yield the weights of the resamples in blocks of rows of bounded size."""
    # The stream of this generator is frozen: the same draws with every numpy, in blocks or in one go.
    generator = np.random.RandomState(_SEED)
    rows = max(_BLOCK // max(n_items, 1), 1)
    for begin in range(0, n_replicates, rows):
        picks = generator.randint(0, n_items, size=(min(rows, n_replicates - begin), n_items))
        yield np.stack([np.bincount(picked, minlength=n_items) for picked in picks]).astype(np.float64)


def draws(n_items: int, n_replicates: int = REPLICATES) -> Floats:
    """Return the weights of the resamples, float64 whole numbers of shape (n_replicates, n_items)."""
    return np.concatenate(list(draw_blocks(n_items, n_replicates)))


def percentile_interval(replicates: Floats) -> tuple[float, float]:
    """Return the 2.5 % and the 97.5 % quantile of the replicates, interpolated linearly."""
    low, high = np.quantile(replicates, _QUANTILES)
    return float(low), float(high)


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Return the mean of values for each row of weights, 0 where the weights add up to 0.

    Shapes: (n,), (n_replicates, n) -> (n_replicates,).
    """
    total = weights.sum(axis=1)
    return weights @ values / np.where(total > 0, total, 1)
