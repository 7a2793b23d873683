"""Mean average precision of predictions with scores: temporal segments or boxes, each with a label.

Sources: ``eval_detection.py`` of ActivityNet (temporal action localization; THUMOS is evaluated the same
way); for boxes the matching of COCO, without its areas and crowds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints

THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
_MOST_VALUES_AT_ONCE = 4_000_000


class Instances(NamedTuple):
    """Segments or boxes, in the order of the file; arrays of shape (n,).

    Attributes
    ----------
    item, label : int arrays
        Index of the item and of the label.
    extent : float64 array of shape (n, 2) or (n, 4)
        ``start, end`` of segments, ``x1, y1, x2, y2`` of boxes; each end is larger than its start.
    """

    item: Ints
    label: Ints
    extent: Floats


class Ranking(NamedTuple):
    """Predictions in descending score; equal scores by item, then by their place in the file.

    Attributes
    ----------
    item, label : int arrays of shape (n_predictions,)
    match : int array of shape (n_thresholds, n_predictions)
        Index of the true instance that each prediction takes, -1 where it is wrong.
    """

    item: Ints
    label: Ints
    match: Ints


def iou(true: Floats, predicted: Floats) -> Floats:
    """Return the intersection over union of segments or boxes, pair by pair, by their continuous sizes.

    Shapes: (n, 2), (n, 2) -> (n,), or (n, 4), (n, 4) -> (n,).

    Examples
    --------
    >>> iou(np.array([[0.0, 2.0]]), np.array([[1.0, 3.0]])).round(4)
    array([0.3333])
    >>> iou(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 2.0, 1.0]]))
    array([0.25])
    """
    n_axes = true.shape[1] // 2
    starts = np.maximum(true[:, :n_axes], predicted[:, :n_axes])
    ends = np.minimum(true[:, n_axes:], predicted[:, n_axes:])
    shared = np.maximum(ends - starts, 0.0).prod(axis=1)
    true_size = (true[:, n_axes:] - true[:, :n_axes]).prod(axis=1)
    predicted_size = (predicted[:, n_axes:] - predicted[:, :n_axes]).prod(axis=1)
    return shared / (true_size + predicted_size - shared)


def match(true: Instances, predicted: Instances, score: Floats, thresholds: Floats) -> Ranking:
    """Rank the predictions; match each in turn to the instance of its item and label that it overlaps most.

    At each threshold by itself, a prediction takes the instance of largest IoU among those that are not taken
    and reach the threshold; of equal ones the first.

    Parameters
    ----------
    true, predicted : Instances
    score : float64 array of shape (n_predictions,)
    thresholds : float64 array of shape (n_thresholds,)

    Examples
    --------
    >>> true = Instances(np.array([0]), np.array([0]), np.array([[0.0, 10.0]]))
    >>> predicted = Instances(np.array([0, 0]), np.array([0, 0]), np.array([[0.0, 6.0], [0.0, 10.0]]))
    >>> match(true, predicted, np.array([0.9, 0.8]), np.array([0.5, 0.7])).match
    array([[ 0, -1],
           [-1,  0]])
    """
    order = np.lexsort((predicted.item, -score))
    ranked = Instances(
        item=predicted.item[order], label=predicted.label[order], extent=predicted.extent[order]
    )
    result = Ranking(item=ranked.item, label=ranked.label, match=np.full((len(thresholds), len(order)), -1))
    is_taken = np.zeros((len(thresholds), len(true.item)), dtype=bool)
    for prediction, instance, overlap in _turns(true, ranked, thresholds):
        begins = np.flatnonzero(np.diff(prediction, prepend=-1))
        is_possible = ~is_taken[:, instance] & (overlap >= thresholds[:, None])
        # The best one of a prediction comes last.
        best = np.maximum.reduceat(np.where(is_possible, np.arange(len(instance)), -1), begins, axis=1)
        threshold, number = np.nonzero(best >= 0)
        taken = instance[best[threshold, number]]
        result.match[threshold, prediction[begins[number]]] = taken
        is_taken[threshold, taken] = True
    return result


def _turns(true: Instances, ranked: Instances, thresholds: Floats) -> list[tuple[Ints, Ints, Floats]]:
    """Return pairs that overlap enough: of the first prediction of each item and label, of the second, and so
    on.

    Predictions of different items or labels do not compete, so those of one turn are matched at once. The
    pairs of one prediction follow each other, the best last.
    """
    n_labels = max(true.label.max(initial=-1), ranked.label.max(initial=-1)) + 1
    true_group = true.item * n_labels + true.label
    ranked_group = ranked.item * n_labels + ranked.label
    by_group = np.argsort(true_group, kind="stable")
    prediction, place, _ = pairs_in_groups(ranked_group, true_group[by_group])
    instance = by_group[place]
    overlap = iou(true.extent[instance], ranked.extent[prediction])
    turn = _places_in_groups(ranked_group)[prediction]
    order = np.lexsort((-instance, overlap, prediction, turn))
    order = order[overlap[order] >= thresholds.min(initial=np.inf)]
    cuts = np.flatnonzero(np.diff(turn[order])) + 1
    return [(prediction[part], instance[part], overlap[part]) for part in np.split(order, cuts) if len(part)]


def _places_in_groups(group: Ints) -> Ints:
    """Return how many elements of its group stand before each element, (n,) -> (n,)."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    return place


def weighted(true: Instances, ranking: Ranking, n_labels: int, weights: Floats) -> Floats:
    """Return the average precision of each threshold and label for each row of weights of the items.

    A prediction of an item of weight w stands w times in a row, an instance of it counts w times. Precision
    is made monotone from the right; the average precision is the sum of its products with the steps of
    recall, at all points.

    Parameters
    ----------
    true : Instances
    ranking : Ranking
    n_labels : int
    weights : float64 array of shape (n_rows, n_items)

    Returns
    -------
    float64 array of shape (n_rows, n_thresholds, n_labels)
        NaN where a label has no instance of an item with a weight.

    Examples
    --------
    >>> true = Instances(np.array([0, 1]), np.array([0, 0]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    >>> ranking = Ranking(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([[0, -1, 1]]))
    >>> weighted(true, ranking, 1, np.array([[1.0, 1.0], [1.0, 0.0]])).round(4).ravel()
    array([0.8333, 1.    ])
    """
    average = np.full((len(weights), len(ranking.match), n_labels), np.nan)
    for label in range(n_labels):
        instance_weight = weights[:, true.item[true.label == label]].sum(axis=1)
        rows = np.flatnonzero(instance_weight)
        predictions = np.flatnonzero(ranking.label == label)
        item = ranking.item[predictions]
        is_right = ranking.match[:, predictions] >= 0
        n_rows_at_once = max(_MOST_VALUES_AT_ONCE // max(len(predictions), 1), 1)
        for begin in range(0, len(rows), n_rows_at_once):
            block = rows[begin : begin + n_rows_at_once]
            precision_sums = _precision_sums(is_right, weights[block][:, item])
            average[block, :, label] = precision_sums / instance_weight[block, None]
    return average


def _precision_sums(is_right: Bools, weight: Floats) -> Floats:
    """Return the sums over right predictions of weight times monotone precision.

    Shapes: (n_thresholds, n), (n_rows, n) -> (n_rows, n_thresholds).
    """
    sums = np.zeros((len(weight), len(is_right)))
    n_so_far = np.cumsum(weight, axis=1)
    for threshold, is_right_here in enumerate(is_right):
        # Precision is highest at predictions that are right, so the others only count.
        place = np.flatnonzero(is_right_here)
        right_weight = weight[:, place]
        precision = np.cumsum(right_weight, axis=1) / np.maximum(n_so_far[:, place], 1)
        highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        sums[:, threshold] = (right_weight * highest).sum(axis=1)
    return sums
