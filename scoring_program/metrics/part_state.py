"""Part State Correctness and the accuracy conditioned on it, as Kinetics-TPS measures them.

Boxes are ``x1, y1, x2, y2`` in pixels with both ends included: the width of a box is ``x2 - x1 + 1``. Source:
evaluation page of Kinetics-TPS (DeeperAction, ICCV 2021) and, where named, the released
``eval_detection.py``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from scoring_program.metrics import group_values, pairs
from validator.arrays import Bools, Floats, Ints

# What a predicted human, and a proposal for a part, must exceed.
HUMAN_IOU = 0.5
PART_IOU = 0.3
# Thresholds of PSC are 0/GRID, 1/GRID, ..., GRID/GRID.
GRID = 10_000
# A PSC that is so near to a threshold, as a multiple of 1/GRID, is compared with it in exact fractions.
_NEAR_GRID = 1e-6
# So many parts are compared with their proposals at once.
_PARTS_OF_A_BLOCK = 1 << 14

# What becomes of an annotated part.
CORRECT, NO_HUMAN, NO_BOX, TOO_FAR, WRONG_STATE = range(5)
N_KINDS = 5


def box_iou(first: Floats, second: Floats) -> Floats:
    """Return the IoU of pairs of boxes, pixels counted inclusively.

    Parameters
    ----------
    first, second : array of shape (n, 4)

    Returns
    -------
    float64 array of shape (n,)
        0 where it is undefined (coordinates so large that areas overflow).

    Examples
    --------
    >>> box_iou(np.array([[0, 0, 9, 9]]), np.array([[0, 0, 9, 4]]))
    array([0.5])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        width = np.minimum(first[:, 2], second[:, 2]) - np.maximum(first[:, 0], second[:, 0]) + 1
        height = np.minimum(first[:, 3], second[:, 3]) - np.maximum(first[:, 1], second[:, 1]) + 1
        shared = np.maximum(width, 0) * np.maximum(height, 0)
        iou = shared / (_area(first) + _area(second) - shared)
    return np.where(np.isfinite(iou), iou, 0.0)


def _area(boxes: Floats) -> Floats:
    return (boxes[:, 2] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 1] + 1)


def match_best(
    true_box: Floats,
    true_frame: Ints,
    predicted_box: Floats,
    predicted_frame: Ints,
    human_iou: float = HUMAN_IOU,
) -> Ints:
    """Match each ground-truth human to the predicted one of largest IoU in its frame (published).

    One prediction may serve several ground-truth humans; the first wins a tie. Predicted humans that are the
    best of none are ignored: a second one near the same ground-truth human changes nothing.

    Parameters
    ----------
    true_box, predicted_box : arrays of shape (n, 4)
    true_frame, predicted_frame : int arrays of shape (n,), ascending
    human_iou : float, optional

    Returns
    -------
    int array of shape (n_true,)
        Index of the predicted human, -1 where no IoU is above ``human_iou``.

    Examples
    --------
    >>> boxes = np.array([[0, 0, 9, 9], [0, 0, 9, 4]])
    >>> match_best(boxes, np.array([0, 1]), boxes[[1, 0]], np.array([0, 0]))
    array([ 1, -1])
    """
    true_human, predicted, _ = pairs.pairs_in_groups(true_frame, predicted_frame)
    iou = box_iou(true_box[true_human], predicted_box[predicted])
    near_pairs = np.flatnonzero(iou > human_iou)
    best = group_values.largest_of_items(true_human[near_pairs], iou[near_pairs], len(true_box))
    # The last one is for humans without a match.
    return np.append(predicted[near_pairs], -1)[best]


def match_assigned(
    true_box: Floats,
    true_frame: Ints,
    predicted_box: Floats,
    predicted_frame: Ints,
    human_iou: float = HUMAN_IOU,
) -> Ints:
    """Match humans one to one as the released script; parameters and result as `match_best`.

    The cost is 1 - IoU, the IoU of disjoint boxes being -1, padded with dummies of IoU 0 to a square.
    Coordinates and IoU are rounded to float32; the cost is float32 where no padding is needed.

    Examples
    --------
    >>> boxes = np.array([[0, 0, 9, 9], [0, 0, 9, 8]])
    >>> match_assigned(boxes, np.array([0, 0]), boxes[:1], np.array([0]))
    array([ 0, -1])
    """
    from scipy.optimize import linear_sum_assignment

    true_human, predicted, starts = pairs.pairs_in_groups(true_frame, predicted_frame)
    iou = _released_iou(true_box[true_human], predicted_box[predicted])
    matched = np.full(len(true_box), -1)
    _, first, n_true = np.unique(true_frame, return_index=True, return_counts=True)
    n_predicted = np.diff(starts)[first]
    for begin, rows, columns in zip(first.tolist(), n_true.tolist(), n_predicted.tolist()):
        if not columns:
            continue
        frame_iou = iou[starts[begin] : starts[begin] + rows * columns].reshape(rows, columns)
        square = frame_iou
        if rows != columns:
            square = np.zeros((max(rows, columns),) * 2)
            square[:rows, :columns] = frame_iou
        row, column = linear_sum_assignment(1 - square)
        real = (row < rows) & (column < columns)
        row, column = row[real], column[real]
        good = frame_iou[row, column] > human_iou
        matched[begin + row[good]] = predicted[starts[begin] + column[good]]
    return matched


def _released_iou(first: Floats, second: Floats) -> Floats:
    """Return the script's human IoU as float32, -1 for boxes without a common pixel."""
    # Far boxes have a "shared" area too here, which may even make the union 0; they are set to -1 below.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        first = first.astype(np.float32).astype(np.float64)
        second = second.astype(np.float32).astype(np.float64)
        width = np.minimum(first[:, 2], second[:, 2]) - np.maximum(first[:, 0], second[:, 0]) + 1
        height = np.minimum(first[:, 3], second[:, 3]) - np.maximum(first[:, 1], second[:, 1]) + 1
        shared = width * height
        iou = (shared / (_area(first) + _area(second) - shared)).astype(np.float32)
    iou[(width <= 0) | (height <= 0) | ~np.isfinite(iou)] = -1
    return iou


class PartOutcomes(NamedTuple):
    """What became of each ground-truth part; all arrays have shape (n_parts,).

    Attributes
    ----------
    kind : int8 array
        CORRECT, NO_HUMAN (its human is unmatched), NO_BOX, TOO_FAR or WRONG_STATE.
    n_proposals : int array
        Number of proposals for it, N_p.
    near_state : int array
        State of the first proposal that is near enough, -1 where there is none.
    """

    kind: Ints
    n_proposals: Ints
    near_state: Ints

    def corrected(self, is_corrected: Bools) -> PartOutcomes:
        """Return the outcomes if some parts (bool, (n_parts,)) were correct with one proposal."""
        kind = np.where(is_corrected, np.int8(CORRECT), self.kind)
        n_proposals = np.where(is_corrected, 1, self.n_proposals)
        return PartOutcomes(kind, n_proposals, self.near_state)

    @property
    def correctness(self) -> Floats:
        """1 / N_p where the part is correct, else 0."""
        return np.where(self.kind == CORRECT, 1 / np.maximum(self.n_proposals, 1), 0.0)


class Parts(NamedTuple):
    """Ground-truth parts; arrays of length n_parts. Names and states are numbers that are not negative.

    ``box`` has shape (n_parts, 4).
    """

    name: Ints
    box: Floats
    state: Ints


class Proposals(NamedTuple):
    """Predicted parts and the proposals for them.

    Attributes
    ----------
    part_human, part_name : int arrays of shape (n_predicted_parts,)
        A name that the ground truth does not have is -1; a human has each name once.
    part : int array of shape (n_proposals,), ascending
        Index of the predicted part that the proposal belongs to.
    box, state : arrays of shape (n_proposals, 4) and (n_proposals,)
        A state that the ground truth does not have is -1.
    """

    part_human: Ints
    part_name: Ints
    part: Ints
    box: Floats
    state: Ints


def judge_parts(
    matched_human: Ints,
    parts: Parts,
    proposals: Proposals,
    part_iou: float = PART_IOU,
    iou_suffices: bool = False,
    block_size: int = _PARTS_OF_A_BLOCK,
) -> PartOutcomes:
    """Compare each ground-truth part with the proposals for the same part of the matched human.

    Parameters
    ----------
    matched_human : int array of shape (n_parts,)
        The predicted human matched to the part's human, -1 if there is none.
    parts : Parts
    proposals : Proposals
    part_iou : float, optional
        The IoU that a proposal must exceed.
    iou_suffices : bool, optional
        Whether an IoU of exactly ``part_iou`` suffices (released protocol).
    block_size : int, optional
        How many parts are compared at once; it changes no result.

    Examples
    --------
    >>> box, zero = np.array([[0, 0, 9, 9]]), np.array([0])
    >>> proposals = Proposals(zero, zero, np.array([0, 0]), box[[0, 0]], np.array([2, 1]))
    >>> judge_parts(zero, Parts(zero, box, np.array([1])), proposals)
    PartOutcomes(kind=array([0], dtype=int8), n_proposals=array([2]), near_state=array([2]))
    """
    first, last = _proposals_of_parts(matched_human, parts.name, proposals)
    n_parts = len(parts.name)
    n_proposals = np.zeros(n_parts, np.int64)
    near_state = np.full(n_parts, -1)
    any_near = np.zeros(n_parts, bool)
    any_right = np.zeros(n_parts, bool)
    # Block by block, so that the arrays of pairs stay small.
    for begin in range(0, n_parts, block_size):
        block = slice(begin, begin + block_size)
        part, proposal, starts = pairs.pairs_of_ranges(first[block], last[block])
        part += begin
        iou = box_iou(parts.box[part], proposals.box[proposal])
        is_near = iou >= part_iou if iou_suffices else iou > part_iou
        near_proposals = np.flatnonzero(is_near)
        near_part, state = part[near_proposals], proposals.state[proposal[near_proposals]]
        n_proposals[block] = np.diff(starts)
        any_near[near_part] = True
        any_right[near_part[state == parts.state[near_part]]] = True
        # Written backwards, so that the first of each part stays.
        near_state[near_part[::-1]] = state[::-1]
    has_error = [matched_human < 0, n_proposals == 0, ~any_near, ~any_right]
    kind = np.select(has_error, [NO_HUMAN, NO_BOX, TOO_FAR, WRONG_STATE], CORRECT)
    return PartOutcomes(kind.astype(np.int8), n_proposals, near_state)


def nearest_proposals(matched_human: Ints, parts: Parts, proposals: Proposals) -> tuple[Ints, Floats]:
    """Return for each ground-truth part the proposal of largest IoU that it is compared with.

    Parameters are those of `judge_parts`.

    Returns
    -------
    proposal : int array of shape (n_parts,)
        Its index, the first of equals; -1 where there is none.
    iou : float64 array of shape (n_parts,)
        0 where there is none.

    Examples
    --------
    >>> box, zero = np.array([[0, 0, 9, 9]]), np.array([0])
    >>> boxes = np.concatenate([box + 5, box])
    >>> proposals = Proposals(zero, zero, np.array([0, 0]), boxes, np.array([2, 1]))
    >>> nearest_proposals(zero, Parts(zero, box, zero), proposals)
    (array([1]), array([1.]))
    """
    first, last = _proposals_of_parts(matched_human, parts.name, proposals)
    part, proposal, _ = pairs.pairs_of_ranges(first, last)
    iou = box_iou(parts.box[part], proposals.box[proposal])
    # The last one is for parts without a proposal.
    nearest = group_values.largest_of_items(part, iou, len(parts.name))
    return np.append(proposal, -1)[nearest], np.append(iou, 0.0)[nearest]


def _proposals_of_parts(matched_human: Ints, part_name: Ints, proposals: Proposals) -> tuple[Ints, Ints]:
    """Return where the proposals for the same part of the matched human begin and end, for each part."""
    n_names = int(max(part_name.max(initial=0), proposals.part_name.max(initial=0))) + 1
    named = np.flatnonzero(proposals.part_name >= 0)
    predicted_key = proposals.part_human[named].astype(np.int64) * n_names + proposals.part_name[named]
    # Negative, and so not found, for parts of unmatched humans.
    true_key = matched_human.astype(np.int64) * n_names + part_name
    predicted_part = np.append(named, -1)[group_values.first_with_key(predicted_key, true_key)]
    # The first place is for parts without a predicted one, which have no proposals.
    n_proposals = np.bincount(proposals.part + 1, minlength=len(proposals.part_name) + 1)
    last = np.cumsum(n_proposals)
    first = last - n_proposals
    return first[predicted_part + 1], last[predicted_part + 1]


def frame_means(correctness: Floats, part_human: Ints, human_frame: Ints, n_frames: int) -> Floats:
    """Return the mean correctness over the ground-truth parts of each frame, NaN for a frame without parts.

    Sums run from left to right: the parts of a human, then the humans of the frame, in float64.

    Parameters
    ----------
    correctness, part_human : arrays of shape (n_parts,)
    human_frame : int array of shape (n_humans,)

    Examples
    --------
    >>> frame_means(np.array([1.0, 0.0]), np.array([0, 0]), np.array([0]), 2)
    array([0.5, nan])
    """
    per_human = np.bincount(part_human, correctness, len(human_frame))
    sums = np.bincount(human_frame, per_human, n_frames)
    counts = np.bincount(human_frame[part_human], minlength=n_frames)
    return group_values.means(sums, counts)


def part_state_correctness(frame_scores: Floats, frame_video: Ints, n_videos: int) -> Floats:
    """Return the PSC of each video: the mean over its frames that are not NaN, 1 where there is none.

    Sums run from left to right. Shapes: (n_frames,), (n_frames,) -> (n_videos,).

    Examples
    --------
    >>> part_state_correctness(np.array([0.5, np.nan, np.nan]), np.array([0, 0, 1]), 2)
    array([0.5, 1. ])
    """
    is_counted = ~np.isnan(frame_scores)
    return group_values.group_means(frame_scores[is_counted], frame_video[is_counted], n_videos, 1.0)


def grid_points_passed(psc: Floats, outcomes: PartOutcomes, part_frame: Ints, frame_video: Ints) -> Ints:
    """Return c = ceil(10000 PSC), the number of grid points T = 0, 0.0001, ... with PSC > T, decided exactly.

    A PSC that floating point puts next to a point of the grid is computed again in fractions.

    Parameters
    ----------
    psc : float64 array of shape (n_videos,)
        In floating point, as `part_state_correctness` gives it.
    outcomes : PartOutcomes
        Of the parts, shape (n_parts,).
    part_frame : int array of shape (n_parts,), ascending
    frame_video : int array of shape (n_frames,), ascending

    Examples
    --------
    >>> outcomes, zero = PartOutcomes(np.array([CORRECT]), np.array([3]), np.array([0])), np.array([0])
    >>> grid_points_passed(np.array([1 / 3]), outcomes, zero, zero)
    array([3334])
    """
    scaled = GRID * psc
    passed = np.ceil(scaled).astype(np.int64)
    part_video = frame_video[part_frame]
    for video in np.flatnonzero(np.abs(scaled - np.rint(scaled)) < _NEAR_GRID).tolist():
        begin, end = np.searchsorted(part_video, [video, video + 1])
        if begin == end:
            passed[video] = GRID
            continue
        exact = GRID * _exact_psc(outcomes, part_frame, int(begin), int(end))
        passed[video] = -(-exact.numerator // exact.denominator)
    return passed


def _exact_psc(outcomes: PartOutcomes, part_frame: Ints, begin: int, end: int) -> Fraction:
    """Return the PSC of the video whose parts are those from ``begin`` up to, not including, ``end``."""
    _, frame, n_parts = np.unique(part_frame[begin:end], return_inverse=True, return_counts=True)
    is_correct = outcomes.kind[begin:end] == CORRECT
    # A correct part adds 1 / (its proposals * parts of its frame); few of these denominators differ.
    denominators = outcomes.n_proposals[begin:end][is_correct] * n_parts[frame[is_correct]]
    values, counts = np.unique(denominators, return_counts=True)
    total = sum(map(Fraction, counts.tolist(), values.tolist()), Fraction(0))
    return total / len(n_parts)


def conditioned_accuracy(passed: Ints, right: Bools) -> Floats:
    """Return accuracy(T) for T = 0, 0.0001, ..., 1: the share of videos that pass T with the right class.

    Parameters
    ----------
    passed : int array of shape (n_videos,)
        As `grid_points_passed` or `released_points_reached` gives it.
    right : bool array of shape (n_videos,)

    Returns
    -------
    float64 array of shape (10001,)

    Examples
    --------
    >>> conditioned_accuracy(np.array([5000, 10000]), np.array([True, True]))[[0, 5000, 10000]]
    array([1. , 0.5, 0. ])
    """
    ended = np.bincount(passed[right], minlength=GRID + 1)[: GRID + 1]
    return (right.sum() - np.cumsum(ended)) / max(len(right), 1)


def area_under_accuracy(passed: Ints, right: Bools) -> Fraction:
    """Return the trapezoid area under `conditioned_accuracy` as an exact fraction.

    A right video counted at c > 0 points adds (c - 1/2) / 10000 / number of videos.

    Examples
    --------
    >>> float(area_under_accuracy(np.array([5000, 10000]), np.array([True, True])))
    0.74995
    """
    counted = passed[right & (passed > 0)]
    return Fraction(int((2 * counted - 1).sum()), 2 * GRID * max(len(right), 1))


def round_half_up(value: Fraction, decimals: int) -> float:
    """Return a fraction rounded half up, decided on the fraction.

    Examples
    --------
    >>> round_half_up(Fraction(1, 8), 2)
    0.13
    """
    scale = 10**decimals
    return (2 * value.numerator * scale + value.denominator) // (2 * value.denominator) / scale


def released_area(psc: Floats, right: Bools) -> float:
    """Return the area of the released script: accuracy(t) / 10000 added for t = 1..9999, PSC >= t counting.

    Shapes: (n_videos,), (n_videos,). The sum runs from left to right.

    Examples
    --------
    >>> round(released_area(np.array([1.0, 0.5]), np.array([True, True])), 6)
    0.74995
    """
    points = np.arange(1, GRID) / GRID
    sorted_psc = np.sort(psc[right])
    reached = len(sorted_psc) - np.searchsorted(sorted_psc, points, "left")
    return float(np.cumsum(reached / max(len(right), 1) * (1.0 / GRID))[-1])


def released_points_reached(psc: Floats) -> Ints:
    """Return how many grid points T = 0, 0.0001, ..., 1 each PSC reaches, as the released script compares.

    Examples
    --------
    >>> released_points_reached(np.array([0.0001, 0.5]))
    array([   2, 5001])
    """
    return np.searchsorted(np.arange(GRID + 1) / GRID, psc, "right")
