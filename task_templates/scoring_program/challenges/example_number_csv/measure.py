"""Ground truth and prediction of each item, and the score that they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring_program.result import Statistics
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_number_csv.reference import Reference
from task_templates.scoring_program.metrics import rmse
from task_templates.validator.formats.example_number_csv.read import Items
from validator.arrays import Floats


@dataclass(frozen=True)
class ItemStatistics(Statistics):
    """Ground truth and prediction of each item, arrays of shape (n_items,)."""

    truth: Floats
    predicted: Floats


def measure(reference: Reference, submission: Items, settings: Settings) -> ItemStatistics:
    """Compare both sides item by item."""
    truth, predicted = reference.items.values, submission.values
    item_scores = np.abs(predicted - truth)
    n = len(truth)
    return ItemStatistics(
        item_scores=item_scores,
        item_submitted=np.ones(n, bool),
        item_weights=np.ones(n, np.int64),
        item_perfect=item_scores == 0,
        truth=truth,
        predicted=predicted,
    )


def reduce(statistics: ItemStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return rmse.weighted(statistics.truth, statistics.predicted, weights)


def scores(statistics: ItemStatistics) -> dict[str, float]:
    """Return the score; a submission without all items is refused."""
    score = float(reduce(statistics, np.ones((1, len(statistics.truth))))[0])
    return {"score": score, "coverage": 1.0, "rmse": score}
