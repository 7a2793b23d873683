"""Mean average precision: the mean over IoU thresholds and labels of the average precision; 1 is perfect.

Predictions of a label are ranked by score. In that order each takes the annotated instance of its item and
label that it overlaps most, of those that no earlier one has taken and whose IoU reaches the threshold, and
is right, or else wrong. Average precision is the area under precision, made monotone, over recall.

Sources: ``eval_detection.py`` of ActivityNet (temporal action localization; THUMOS is evaluated the same
way); for boxes the matching of COCO, without its areas and crowds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.group_values import largest_of_items, means
from scoring_program.metrics.item_statistics import LabelStatistics
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints
from validator.formats.items.arrays import Regions

KINDS = ("segments", "boxes")
SCORES = True
SORTING = "desc"
RANGE = (0.0, 1.0)
THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
LEAST_IOU = 0.1
"""A wrong prediction that overlaps an instance of its label less than this is not near it."""
ERROR_TYPES = (
    {
        "key": "localization",
        "title": "Localization",
        "advice": "Predictions near an instance of their label cost {points}: improve their places.",
    },
    {
        "key": "wrong_label",
        "title": "Wrong label",
        "advice": "Predictions in the right place with another label cost {points}: improve the labels.",
    },
    {
        "key": "found_again",
        "title": "Found again",
        "advice": "Predictions of what an earlier one has found cost {points}: keep the best of those that "
        "overlap.",
    },
    {
        "key": "false",
        "title": "False",
        "advice": "Predictions where nothing is annotated cost {points}: give them lower scores.",
    },
    {
        "key": "missed",
        "title": "Missed",
        "advice": "Instances without a prediction near them cost {points}: predict more of them.",
    },
)
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
    shared_start = np.maximum(true[:, :n_axes], predicted[:, :n_axes])
    shared_end = np.minimum(true[:, n_axes:], predicted[:, n_axes:])
    shared = np.maximum(shared_end - shared_start, 0.0).prod(axis=1)
    true_size = (true[:, n_axes:] - true[:, :n_axes]).prod(axis=1)
    predicted_size = (predicted[:, n_axes:] - predicted[:, :n_axes]).prod(axis=1)
    return shared / (true_size + predicted_size - shared)


def _ranked(predicted: Instances, score: Floats) -> Instances:
    """Return predictions in descending score; equal scores by item, then by their place in the file."""
    order = np.lexsort((predicted.item, -score))
    return Instances(item=predicted.item[order], label=predicted.label[order], extent=predicted.extent[order])


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
    ranked = _ranked(predicted, score)
    unmatched = np.full((len(thresholds), len(score)), -1)
    result = Ranking(item=ranked.item, label=ranked.label, match=unmatched)
    is_taken = np.zeros((len(thresholds), len(true.item)), dtype=bool)
    for prediction, instance, overlap in _turns(true, ranked, thresholds):
        begins = np.flatnonzero(np.diff(prediction, prepend=-1))
        is_possible = ~is_taken[:, instance] & (overlap >= thresholds[:, None])
        # The best one of a prediction comes last.
        best = np.maximum.reduceat(np.where(is_possible, np.arange(len(instance)), -1), begins, axis=1)
        threshold, number = np.nonzero(best >= 0)
        matched_instance = instance[best[threshold, number]]
        result.match[threshold, prediction[begins[number]]] = matched_instance
        is_taken[threshold, matched_instance] = True
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
    sorted_group = group[order]
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - np.searchsorted(sorted_group, sorted_group)
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
    instances_of_label = _places_of_labels(true.label, n_labels)
    predictions_of_label = _places_of_labels(ranking.label, n_labels)
    for label, predictions in enumerate(predictions_of_label):
        instance_weight = weights[:, true.item[instances_of_label[label]]].sum(axis=1)
        rows = np.flatnonzero(instance_weight)
        item = ranking.item[predictions]
        is_right = ranking.match[:, predictions] >= 0
        n_rows_at_once = max(_MOST_VALUES_AT_ONCE // max(len(predictions), 1), 1)
        for begin in range(0, len(rows), n_rows_at_once):
            block = rows[begin : begin + n_rows_at_once]
            precision_sums = _precision_sums(is_right, weights[block][:, item])
            average[block, :, label] = precision_sums / instance_weight[block, None]
    return average


def _places_of_labels(label: Ints, n_labels: int) -> list[Ints]:
    """Return where each label is, in ascending order."""
    order = np.argsort(label, kind="stable")
    return np.split(order, np.searchsorted(label[order], np.arange(1, n_labels)))


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


@dataclass(frozen=True)
class DetectionStatistics(LabelStatistics):
    """The instances of both sides, the predicted ones in their ranking, and what each is matched to.

    The score of an item is the share of its instances that are found, the mean over the thresholds.
    ``average`` is the average precision of each threshold and label over all items.
    """

    true: Instances
    predicted: Instances
    ranking: Ranking
    average: Floats
    thresholds: Floats
    n_labels: int


def measure(
    truth: Regions, predicted: Regions, thresholds: Sequence[float] = THRESHOLDS
) -> DetectionStatistics:
    """Match the instances of both sides at each threshold."""
    n_items, n_labels = len(truth.keys), len(truth.names)
    true = Instances(truth.item, truth.label, truth.extent)
    all_predicted = Instances(predicted.item, predicted.label, predicted.extent)
    ranking = match(true, all_predicted, predicted.score, np.array(thresholds))
    is_found = _is_found(true, ranking)
    n_true = np.bincount(true.item, minlength=n_items)
    n_found = np.bincount(true.item, is_found.sum(axis=0), n_items)
    # What has a label that the reference lacks changes nothing.
    is_wrong = (ranking.match < 0).any(axis=0) & np.isin(ranking.label, true.label)
    n_wrong = np.bincount(ranking.item[is_wrong], minlength=n_items)
    average = weighted(true, ranking, n_labels, np.ones((1, n_items)))[0]
    return DetectionStatistics(
        item_scores=means(n_found / len(is_found), n_true),
        item_submitted=predicted.is_submitted,
        item_weights=n_true,
        item_perfect=(n_found == len(is_found) * n_true) & (n_wrong == 0),
        label_scores=average.mean(axis=0),
        true=true,
        predicted=_ranked(all_predicted, predicted.score),
        ranking=ranking,
        average=average,
        thresholds=np.array(thresholds),
        n_labels=n_labels,
    )


def reduce(statistics: DetectionStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights."""
    average = weighted(statistics.true, statistics.ranking, statistics.n_labels, weights)
    return _mean_of_labels(average).mean(axis=1)


def scores(statistics: DetectionStatistics) -> dict[str, float]:
    """Return the score, also by its name, and that of each threshold."""
    of_thresholds = _mean_of_labels(statistics.average)
    score = float(of_thresholds.mean())
    keys = map(threshold_key, statistics.thresholds.tolist())
    return {"score": score, **dict(zip(keys, of_thresholds.tolist())), "map": score}


def threshold_key(threshold: float) -> str:
    """Return the key of the score of a threshold.

    Examples
    --------
    >>> threshold_key(0.55)
    'map_55'
    """
    return f"map_{round(100 * threshold)}"


def _mean_of_labels(average: Floats) -> Floats:
    """Return the mean over the last axis of what is a number, 0 where nothing is."""
    is_number = ~np.isnan(average)
    total: Floats = np.where(is_number, average, 0.0).sum(axis=-1)
    return total / np.maximum(is_number.sum(axis=-1), 1)


def _is_found(true: Instances, ranking: Ranking) -> Bools:
    """Return at which thresholds each instance is matched, shape (n_thresholds, n_instances)."""
    is_found = np.zeros((len(ranking.match), len(true.item)), dtype=bool)
    threshold, prediction = np.nonzero(ranking.match >= 0)
    is_found[threshold, ranking.match[threshold, prediction]] = True
    return is_found


class _Nearest(NamedTuple):
    """The instances of its item that each prediction overlaps most; arrays of shape (n_predictions,).

    Attributes
    ----------
    instance, other_instance : int arrays
        Of its label, and of other labels; -1 for none.
    overlap, other_overlap : float64 arrays
        The IoU with them, 0 without one.
    """

    instance: Ints
    overlap: Floats
    other_instance: Ints
    other_overlap: Floats


def _find_nearest(true: Instances, predicted: Instances) -> _Nearest:
    """Return the instances that each prediction overlaps most, the first of equals."""
    n = len(predicted.item)
    nearest = _Nearest(np.full(n, -1), np.zeros(n), np.full(n, -1), np.zeros(n))
    by_item = np.argsort(true.item, kind="stable")
    n_instances = np.bincount(true.item, minlength=int(predicted.item.max(initial=0)) + 1)
    for block in _blocks(n_instances[predicted.item]):
        place_in_block, place, _ = pairs_in_groups(predicted.item[block], true.item[by_item])
        instance = by_item[place]
        prediction = place_in_block + block.start
        overlap = iou(true.extent[instance], predicted.extent[prediction])
        has_label = true.label[instance] == predicted.label[prediction]
        for is_side, instances, overlaps in (
            (has_label, nearest.instance, nearest.overlap),
            (~has_label, nearest.other_instance, nearest.other_overlap),
        ):
            is_pair = is_side & (overlap > 0)
            best = largest_of_items(place_in_block[is_pair], overlap[is_pair], block.stop - block.start)
            with_one = np.flatnonzero(best >= 0)
            instances[block.start + with_one] = instance[is_pair][best[with_one]]
            overlaps[block.start + with_one] = overlap[is_pair][best[with_one]]
    return nearest


def _blocks(sizes: Ints) -> Iterator[slice]:
    """Yield ranges of elements whose sizes add up to a bounded number, at least one element each."""
    running_total = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        total_before = int(running_total[begin - 1]) if begin else 0
        end = max(
            int(np.searchsorted(running_total, total_before + _MOST_VALUES_AT_ONCE, "right")), begin + 1
        )
        yield slice(begin, end)
        begin = end


def error_costs(statistics: DetectionStatistics) -> dict[str, float]:
    """Return the score if all errors of each type were right; at each threshold by itself.

    A wrong prediction is *found again* if it reaches the threshold with an instance of its label, which is
    taken then; otherwise *localization* if its IoU with one is at least `LEAST_IOU`; otherwise *wrong label*
    if it reaches the threshold with an instance of another label; otherwise *false*. The first that claims a
    free instance by place or label becomes right; all others of the type go. Instances that are neither
    matched nor claimed are *missed*, and go; a label without others scores 1. None of this can lower a score.
    """
    nearest = _find_nearest(statistics.true, statistics.predicted)
    fixed_scores = [
        _fixed_scores(statistics, nearest, threshold) for threshold in range(len(statistics.thresholds))
    ]
    return {key: float(np.mean([scores[key] for scores in fixed_scores])) for key in fixed_scores[0]}


def _fixed_scores(statistics: DetectionStatistics, nearest: _Nearest, number: int) -> dict[str, float]:
    """Return the score at one threshold if all errors of each type were right."""
    true, ranking = statistics.true, statistics.ranking
    threshold = statistics.thresholds[number]
    matched = ranking.match[number]
    is_wrong = matched < 0
    is_again = is_wrong & (nearest.overlap >= threshold)
    is_localization = is_wrong & ~is_again & (nearest.overlap >= LEAST_IOU)
    is_other = is_wrong & ~is_again & ~is_localization
    is_wrong_label = is_other & (nearest.other_overlap >= threshold)
    is_false = is_other & ~is_wrong_label
    is_free = np.ones(len(true.item), dtype=bool)
    is_free[matched[~is_wrong]] = False
    nothing = np.full(len(matched), -1)
    is_missed = is_free.copy()
    fixed_scores = {}
    for key, is_error, target in (
        ("localization", is_localization, nearest.instance),
        ("wrong_label", is_wrong_label, nearest.other_instance),
        ("found_again", is_again, nothing),
        ("false", is_false, nothing),
    ):
        claims = np.flatnonzero(is_error & (target >= 0))
        claims = claims[is_free[target[claims]]]
        instances, first = np.unique(target[claims], return_index=True)
        claims = claims[first]
        is_missed[instances] = False
        new_match, label = matched.copy(), ranking.label.copy()
        new_match[claims] = instances
        label[claims] = true.label[instances]
        is_kept = ~is_error | (new_match >= 0)
        fixed = Ranking(ranking.item[is_kept], label[is_kept], new_match[None, is_kept])
        average = weighted(true, fixed, statistics.n_labels, statistics.once)
        fixed_scores[key] = float(_mean_of_labels(average)[0, 0])
    n_true = np.bincount(true.label, minlength=statistics.n_labels)
    n_left = n_true - np.bincount(true.label[is_missed], minlength=statistics.n_labels)
    average_left = statistics.average[number] * n_true / np.maximum(n_left, 1)
    all_missed = np.where(n_true > 0, 1.0, np.nan)
    without_missed = np.where(n_left > 0, average_left, all_missed)
    fixed_scores["missed"] = float(_mean_of_labels(without_missed))
    return fixed_scores
