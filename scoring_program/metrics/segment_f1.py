"""Segment F1: the mean over the items of the F1 of their segments, 1 if neither side has any; 1 is perfect.

A predicted segment is right if it is matched to a true one of its item and label whose temporal IoU with it
is at least 0.5. Each segment is matched once, and as many as possible are: where segments of one label
overlap, none loses its match to another one that fits elsewhere, too.
"""

from __future__ import annotations

import numpy as np

from scoring_program.metrics import item_statistics, resampling
from scoring_program.metrics.item_statistics import SegmentStatistics
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints
from validator.formats.items.arrays import Regions

KINDS = ("segments",)
SORTING = "desc"
RANGE = (0.0, 1.0)
NEEDS = ("scipy",)
"""Packages that a task needs for it, besides numpy."""
LEAST_IOU = 0.5


def match(true_group: Ints, true_times: Floats, predicted_group: Ints, predicted_times: Floats) -> Ints:
    """Return the predicted segment that each true one is matched to, -1 for none.

    Parameters
    ----------
    true_group, predicted_group : int arrays of shape (n_true,) and (n_predicted,)
        A number for the item and the label of each segment; only segments of one group are matched.
    true_times, predicted_times : float64 arrays of shape (n_true, 2) and (n_predicted, 2)
        Start and end, start < end.

    Examples
    --------
    >>> true_times = np.array([[0.0, 4.0], [2.0, 6.0]])
    >>> predicted_times = np.array([[1.0, 5.0], [0.0, 3.0], [2.0, 6.0]])
    >>> match(np.array([0, 0]), true_times, np.array([0, 0, 1]), predicted_times)
    array([1, 0])
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    order = np.argsort(predicted_group, kind="stable")
    true_index, place, _ = pairs_in_groups(true_group, predicted_group[order])
    predicted_index = order[place]
    is_near = _is_near(true_times[true_index], predicted_times[predicted_index])
    edges = (true_index[is_near], predicted_index[is_near])
    shape = (len(true_group), len(predicted_group))
    graph = csr_matrix((np.ones(len(edges[0]), dtype=np.int8), edges), shape=shape)
    matched: Ints = maximum_bipartite_matching(graph, perm_type="column").astype(np.int64)
    return matched


def _is_near(true_times: Floats, predicted_times: Floats) -> Bools:
    """Return whether the IoU of both segments of each pair is large enough; without a division."""
    shared_start = np.maximum(true_times[:, 0], predicted_times[:, 0])
    shared_end = np.minimum(true_times[:, 1], predicted_times[:, 1])
    intersection = np.maximum(shared_end - shared_start, 0)
    lengths = np.diff(true_times, axis=1)[:, 0] + np.diff(predicted_times, axis=1)[:, 0]
    return intersection >= LEAST_IOU * (lengths - intersection)


def of_items(n_matched: Ints, n_true: Ints, n_predicted: Ints) -> Floats:
    """Return the F1 of each item, 2 * matched / (true + predicted), from its numbers of segments.

    Shapes: (n,), (n,), (n,) -> (n,).

    Examples
    --------
    >>> of_items(np.array([1, 0]), np.array([2, 0]), np.array([1, 0])).round(2)
    array([0.67, 1.  ])
    """
    total = n_true + n_predicted
    return np.where(total > 0, 2 * n_matched / np.maximum(total, 1), 1.0)


def measure(truth: Regions, predicted: Regions) -> SegmentStatistics:
    """Match the segments of both sides; return the F1 of each item."""
    n_labels, n_items = len(truth.names), len(truth.keys)
    true_group = truth.item * n_labels + truth.label
    predicted_group = predicted.item * n_labels + predicted.label
    is_matched = match(true_group, truth.extent, predicted_group, predicted.extent) >= 0
    item_scores = of_items(
        np.bincount(truth.item[is_matched], minlength=n_items),
        np.bincount(truth.item, minlength=n_items),
        np.bincount(predicted.item, minlength=n_items),
    )
    common = item_statistics.of_items(item_scores, 1.0, predicted.is_submitted)
    return SegmentStatistics(**common, is_matched=is_matched)


def reduce(statistics: SegmentStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    return resampling.weighted_mean(statistics.item_scores, weights)
