"""Frame Jaccard: overlap in time of labeled intervals, as in ChaLearn Looking at People 2014, tracks 2 and 3.

Each sequence holds intervals of frames, each with a class. For a sequence and a class the frames of all
intervals form one set; the Jaccard index compares the ground truth's set with the prediction's.

Conventions
-----------
Frames in files count from 1 and both ends of an interval belong to it. In this module intervals are
half-open, ``[start, end)``, on 0-based frames: `inclusive_frames` and `released_slices` convert. A gap
between two intervals of a class belongs to no set: it is not filled. A *cell* is one (sequence, class) pair,
or (sequence, actor, class) where actors are kept apart; cells are numbered ``0..n_cells-1`` and a sequence's
cells are consecutive. Frame sets are never spelled out: unions of intervals
are measured by sorting, so the cost grows with the number of intervals and not with that of frames.

Metrics
-------
* `jaccard_index`: |A ∩ B| / |A ∪ B| per cell
* `sequence_means`: mean over the cells of each sequence that count
* `frame_precision_recall`: over all cells
* `confusions`: frames of one class that are predicted as another

Source: evaluation pages of ChaLearn LAP 2014 (tracks 2 and 3) and the released ChalearnLAPEvaluation.py;
Escalera et al., ECCV Workshops 2014.
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Floats, Ints


class FrameCounts(NamedTuple):
    """Sizes of frame sets, int64 arrays of shape (n_cells,).

    ``ground_truth`` is |A|, ``prediction`` |B|, ``union`` |A ∪ B|, ``intersection`` |A ∩ B|.
    """

    ground_truth: Ints
    prediction: Ints
    union: Ints
    intersection: Ints


def inclusive_frames(rows: Ints, n_frames: Ints) -> Ints:
    """Convert rows of 1-based frames, both ends included, and cut them to their sequence.

    Parameters
    ----------
    rows : int64 array, shape (n, 2)
        First and last frame, ``1 <= first <= last``.
    n_frames : int64 array, shape (n,)
        Number of frames of each row's sequence.

    Returns
    -------
    int64 array, shape (n, 2)
        0-based half-open intervals. This is the published protocol.

    Examples
    --------
    >>> inclusive_frames(np.array([[1, 5], [8, 12]]), np.array([10, 10]))
    array([[ 0,  5],
           [ 7, 10]])
    """
    start = np.minimum(rows[:, 0] - 1, n_frames)
    end = np.minimum(rows[:, 1], n_frames)
    return np.stack([start, end], axis=1)


def released_slices(rows: Ints, n_frames: Ints) -> Ints:
    """Convert rows as the released script does: ``[first - 1 : last - 1]``, without the last frame.

    Parameters and result are those of `inclusive_frames`. A row of one frame covers nothing.

    Examples
    --------
    >>> released_slices(np.array([[1, 5], [8, 12]]), np.array([10, 10]))
    array([[ 0,  4],
           [ 7, 10]])
    """
    return np.minimum(rows - 1, n_frames[:, None])


def covered_frames(intervals: Ints, groups: Ints, n_groups: int) -> Ints:
    """Return the number of frames in the union of each group's intervals.

    Parameters
    ----------
    intervals : int64 array, shape (n, 2)
        Half-open intervals, not negative, in any order; empty ones (end <= start) cover nothing.
    groups : int64 array, shape (n,)
        Group of each interval, ``0..n_groups-1``.

    Returns
    -------
    int64 array, shape (n_groups,)
        The slow equivalent: ``len(set().union(*(range(s, e) for s, e in group)))`` for each group.

    Examples
    --------
    >>> covered_frames(np.array([[0, 5], [3, 8], [0, 2]]), np.array([0, 0, 1]), 2)
    array([8, 2])
    """
    disjoint, group = merge_intervals(intervals, groups)
    # Sums of whole numbers below 2**53 are exact in float64.
    return np.bincount(group, disjoint[:, 1] - disjoint[:, 0], n_groups).astype(np.int64)


def _on_one_axis(intervals: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """Place the groups one after another on one axis of frames; no interval reaches the next group."""
    start, end = intervals[:, 0], intervals[:, 1]
    offset = groups * (int(intervals.max()) + 1)
    return offset + start, offset + np.maximum(start, end)


def count_frames(
    ground_truth: Ints, ground_truth_cells: Ints, prediction: Ints, prediction_cells: Ints, n_cells: int
) -> FrameCounts:
    """Measure the frame sets of each cell.

    Parameters
    ----------
    ground_truth, prediction : int64 arrays, shapes (n, 2) and (m, 2)
        Half-open intervals.
    ground_truth_cells, prediction_cells : int64 arrays, shapes (n,) and (m,)
        Cell of each interval.

    Examples
    --------
    >>> counts = count_frames(np.array([[0, 6]]), np.array([0]), np.array([[3, 9]]), np.array([0]), 1)
    >>> counts.union, counts.intersection
    (array([9]), array([3]))
    """
    true_frames = covered_frames(ground_truth, ground_truth_cells, n_cells)
    predicted_frames = covered_frames(prediction, prediction_cells, n_cells)
    intervals = np.concatenate([ground_truth, prediction])
    cells = np.concatenate([ground_truth_cells, prediction_cells])
    union = covered_frames(intervals, cells, n_cells)
    return FrameCounts(true_frames, predicted_frames, union, true_frames + predicted_frames - union)


def jaccard_index(counts: FrameCounts) -> Floats:
    """Return |A ∩ B| / |A ∪ B| of each cell, float64, shape (n_cells,); 0 where the union is empty.

    Examples
    --------
    >>> jaccard_index(FrameCounts(*np.array([[6, 4], [6, 0], [9, 4], [3, 0]])))
    array([0.33333333, 0.        ])
    """
    return counts.intersection / np.maximum(counts.union, 1)


def sequence_means(
    jaccard: Floats, counts_in: Bools, cell_sequence: Ints, n_sequences: int
) -> tuple[Floats, Bools]:
    """Return the mean Jaccard index of each sequence over the cells that count in it.

    Parameters
    ----------
    jaccard : float64 array, shape (n_cells,)
    counts_in : bool array, shape (n_cells,)
        Which cells count. Published: those in the ground truth or in the prediction, so that a class that is
        only predicted adds a 0. Released: those in the ground truth.
    cell_sequence : int64 array, shape (n_cells,)
        Sequence of each cell, ascending; cells of a sequence in ascending class order.

    Returns
    -------
    means : float64 array, shape (n_sequences,)
        0 for a sequence that is left out.
    kept : bool array, shape (n_sequences,)
        False for a sequence in which no cell counts: it is left out of further means.

    Examples
    --------
    >>> sequence_means(np.array([0.5, 1.0, 0.2]), np.array([True, True, False]), np.array([0, 0, 1]), 2)
    (array([0.75, 0.  ]), array([ True, False]))
    """
    number = np.bincount(cell_sequence[counts_in], minlength=n_sequences)
    total = np.bincount(cell_sequence[counts_in], weights=jaccard[counts_in], minlength=n_sequences)
    return total / np.maximum(number, 1), number > 0


def mean_of(values: Floats) -> float:
    """Return the mean, 0 if there are no values; the exact sum is rounded, whatever the order.

    Examples
    --------
    >>> mean_of(np.array([0.1] * 10))
    0.1
    """
    return fsum(values) / len(values) if len(values) else 0.0


def frame_precision_recall(counts: FrameCounts) -> tuple[float, float]:
    """Return the shares of predicted (cell, frame) pairs that are annotated, and of annotated ones predicted.

    Either is 0 without any.

    Examples
    --------
    >>> frame_precision_recall(FrameCounts(*np.array([[6], [4], [7], [3]])))
    (0.75, 0.5)
    """
    shared = int(counts.intersection.sum())
    predicted = int(counts.prediction.sum())
    annotated = int(counts.ground_truth.sum())
    return shared / max(predicted, 1), shared / max(annotated, 1)


class Labeled(NamedTuple):
    """Disjoint labeled intervals of all sequences; int64 arrays.

    Attributes
    ----------
    frames : shape (n, 2)
        Half-open intervals, as `merge_intervals` gives them: a frame in two of them would count twice.
    sequence, label : shape (n,)
        Sequence and class (``0..n_classes-1``) of each interval.
    """

    frames: Ints
    sequence: Ints
    label: Ints


def confusions(ground_truth: Labeled, prediction: Labeled, n_classes: int) -> Ints:
    """Return how many frames of class i are predicted as class j.

    A class that a frame has on both sides is right there, whatever other classes the frame has: on the border
    of two neighbors that share a frame, predicting both is right. Each other class of the ground truth is
    confused with each other class predicted there, is missed if there is none, or else is false.

    Returns
    -------
    int64 array, shape (n_classes + 1, n_classes + 1)
        Rows are ground truth; the last row has false frames, the last column missed ones.

    Examples
    --------
    >>> true = Labeled(np.array([[0, 6]]), np.array([0]), np.array([0]))
    >>> predicted = Labeled(np.array([[2, 8]]), np.array([0]), np.array([1]))
    >>> confusions(true, predicted, 2)
    array([[0, 4, 2],
           [0, 0, 0],
           [0, 2, 0]])
    """
    intervals = np.concatenate([ground_truth.frames, prediction.frames])
    frames = np.zeros((n_classes + 1, n_classes + 1), dtype=np.int64)
    if not len(intervals):
        return frames
    sequence = np.concatenate([ground_truth.sequence, prediction.sequence])
    start, end = _on_one_axis(intervals, sequence)
    points = np.unique(np.concatenate([start, end]))
    # Between two neighboring points, no side changes.
    covers = np.zeros((len(points), 2, n_classes), dtype=np.int8)
    side = np.repeat([0, 1], [len(ground_truth.label), len(prediction.label)])
    label = np.concatenate([ground_truth.label, prediction.label])
    np.add.at(covers, (np.searchsorted(points, start), side, label), 1)
    np.add.at(covers, (np.searchsorted(points, end), side, label), -1)
    true = np.cumsum(covers[:-1, 0], axis=0, dtype=np.int8) > 0
    predicted = np.cumsum(covers[:-1, 1], axis=0, dtype=np.int8) > 0
    length = np.diff(points)
    missed = true & ~predicted
    false = predicted & ~true
    frames[:-1, :-1] = (missed * length[:, None]).T @ false.astype(np.int64)
    frames[np.arange(n_classes), np.arange(n_classes)] = length @ (true & predicted)
    frames[:-1, -1] = (length * ~false.any(axis=1)) @ missed
    frames[-1, :-1] = (length * ~missed.any(axis=1)) @ false
    return frames


def merge_intervals(intervals: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """Return the union of each group's intervals as disjoint intervals, and the group of each.

    Parameters and conventions are those of `covered_frames`; the result is sorted by group and start.

    Examples
    --------
    >>> merge_intervals(np.array([[3, 8], [0, 5], [9, 9]]), np.array([0, 0, 0]))
    (array([[0, 8]]), array([0]))
    """
    filled = intervals[:, 1] > intervals[:, 0]
    intervals, groups = intervals[filled], groups[filled]
    if not len(intervals):
        return intervals, groups
    start, end = _on_one_axis(intervals, groups)
    order = np.argsort(start, kind="stable")
    start, end, group = start[order], np.maximum.accumulate(end[order]), groups[order]
    opens = np.concatenate([[True], start[1:] > end[:-1]])
    closes = np.concatenate([opens[1:], [True]])
    offset = group[opens] * (int(intervals.max()) + 1)
    return np.stack([start[opens] - offset, end[closes] - offset], axis=1), group[opens]
