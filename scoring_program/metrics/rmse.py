"""RMSE: the square root of the mean squared error; 0 is perfect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring_program.metrics import resampling
from scoring_program.metrics.item_statistics import PairStatistics, of_items
from validator.arrays import Floats
from validator.formats.items.arrays import Values

KINDS = ("number", "columns")
SORTING = "asc"
RANGE = (0.0, None)


def weighted(truth: Floats, predicted: Floats, weights: Floats) -> Floats:
    """Return the root of the mean squared error for each row of weights.

    Shapes: (n,), (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted(np.array([0.0, 2.0]), np.array([3.0, -2.0]), np.ones((1, 2))).round(4)
    array([3.5355])
    """
    return np.sqrt(resampling.weighted_mean((truth - predicted) ** 2, weights))


@dataclass(frozen=True)
class NumberStatistics(PairStatistics):
    """Numbers of each item; ``columns`` names those of an item with several, and is empty for one."""

    columns: tuple[str, ...] = ()


def measure(truth: Values, predicted: Values) -> NumberStatistics:
    """Return the numbers of both sides; the score of an item is the mean of its absolute errors."""
    errors = np.abs(predicted.values - truth.values).reshape(len(truth.keys), -1)
    return NumberStatistics(
        **of_items(errors.mean(axis=1), 0.0),
        truth=truth.values,
        predicted=predicted.values,
        columns=truth.names,
    )


def reduce(statistics: NumberStatistics, weights: Floats) -> Floats:
    """Return the mean over the columns for each row of weights."""
    return _of_columns(statistics, weights).mean(axis=1)


def scores(statistics: NumberStatistics) -> dict[str, float]:
    """Return the score, and the number of each column; that of one column by the name of the metric."""
    numbers = _of_columns(statistics, statistics.once)[0]
    names = [f"rmse_{column}" for column in statistics.columns] or ["rmse"]
    return {"score": float(numbers.mean()), **dict(zip(names, numbers.tolist()))}


def _of_columns(statistics: NumberStatistics, weights: Floats) -> Floats:
    """Return the number of each column for each row of weights: (n_rows, n_columns)."""
    n_items = len(statistics.truth)
    true_columns = statistics.truth.reshape(n_items, -1).T
    predicted_columns = statistics.predicted.reshape(n_items, -1).T
    numbers = [weighted(true, predicted, weights) for true, predicted in zip(true_columns, predicted_columns)]
    return np.column_stack(numbers)
