"""The matched segments of each item, and the score that they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring_program.result import Statistics
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_segments_json.reference import Reference
from task_templates.scoring_program.metrics import segment_f1
from task_templates.validator.formats.example_segments_json.read import Items
from validator.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class ItemStatistics(Statistics):
    """Numbers of segments of each item, arrays of shape (n_items,), and which true segments are matched."""

    n_matched: Ints
    n_true: Ints
    n_predicted: Ints
    is_matched: Bools


def measure(reference: Reference, submission: Items, settings: Settings) -> ItemStatistics:
    """Match the segments of both sides item by item."""
    true, n = reference.items, len(reference.items.keys)
    matched = segment_f1.match(_groups(true), true.times, _groups(submission), submission.times)
    is_matched = matched >= 0
    n_matched = np.bincount(true.item[is_matched], minlength=n)
    n_true = np.bincount(true.item, minlength=n)
    n_predicted = np.bincount(submission.item, minlength=n)
    item_scores = segment_f1.of_items(n_matched, n_true, n_predicted)
    return ItemStatistics(
        item_scores=item_scores,
        item_submitted=np.ones(n, bool),
        item_weights=np.ones(n, np.int64),
        item_perfect=item_scores == 1,
        n_matched=n_matched,
        n_true=n_true,
        n_predicted=n_predicted,
        is_matched=is_matched,
    )


def _groups(segments: Items) -> Ints:
    """Return a number for the item and the label of each segment."""
    return segments.item * len(segments.names) + segments.label


def reduce(statistics: ItemStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return segment_f1.weighted(statistics.n_matched, statistics.n_true, statistics.n_predicted, weights)


def scores(statistics: ItemStatistics) -> dict[str, float]:
    """Return the score; a submission without all items is refused."""
    score = float(reduce(statistics, np.ones((1, len(statistics.n_true))))[0])
    return {"score": score, "coverage": 1.0, "segment_f1": score}
