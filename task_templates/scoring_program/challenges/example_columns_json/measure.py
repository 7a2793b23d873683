"""Ground truth and prediction of each item, and the score that they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring_program.result import Statistics
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_columns_json.reference import Reference
from task_templates.scoring_program.metrics import rmse
from task_templates.validator.formats.example_columns_json.read import Items
from validator.arrays import Floats


@dataclass(frozen=True)
class ItemStatistics(Statistics):
    """Ground truth and prediction of each item, arrays of shape (n_items, n_columns), and the columns."""

    truth: Floats
    predicted: Floats
    names: tuple[str, ...]


def measure(reference: Reference, submission: Items, settings: Settings) -> ItemStatistics:
    """Compare both sides item by item."""
    truth, predicted = reference.items.values, submission.values
    item_scores = np.abs(predicted - truth).mean(axis=1)
    n = len(truth)
    return ItemStatistics(
        item_scores=item_scores,
        item_submitted=np.ones(n, bool),
        item_weights=np.ones(n, np.int64),
        item_perfect=item_scores == 0,
        truth=truth,
        predicted=predicted,
        names=reference.items.names,
    )


def reduce(statistics: ItemStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights, the mean over the columns."""
    return reduce_columns(statistics, weights).mean(axis=1)


def reduce_columns(statistics: ItemStatistics, weights: Floats) -> Floats:
    """Return the RMSE of each column for each row of weights, shape (n_rows, n_columns)."""
    errors = []
    for true_numbers, predicted_numbers in zip(statistics.truth.T, statistics.predicted.T):
        errors.append(rmse.weighted(true_numbers, predicted_numbers, weights))
    return np.column_stack(errors)


def scores(statistics: ItemStatistics) -> dict[str, float]:
    """Return the score and that of each column; a submission without all items is refused."""
    weights = np.ones((1, len(statistics.truth)))
    score = float(reduce(statistics, weights)[0])
    numbers = {"score": score, "coverage": 1.0}
    for name, error in zip(statistics.names, reduce_columns(statistics, weights)[0].tolist()):
        numbers[f"rmse_{name}"] = error
    return numbers
