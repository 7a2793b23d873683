"""Average precision in COCO's protocol, with the matching of DensePose's released evaluator.

Source: ``densepose_cocoeval.py`` (COCO DensePose 2019), itself after COCO's ``cocoeval.py``. Everything is done for
several measures, area ranges and thresholds at once; only images and detections are looped over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
AREAS = {"all": (0.0, 1e5**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e5**2)}
MOST_DETECTIONS = 20
SECOND_PASS_IOU = 0.8
_LARGEST = 1 - 1e-10
_REPLICATE_BLOCK = 50


@dataclass(frozen=True)
class ImageMatches:
    """How the detections of one image were matched.

    Attributes
    ----------
    score : float64 array of shape (n_detections,), descending
    matched : int array of shape (n_areas, n_measures, n_thresholds, n_detections)
        Index of the matched person, -1 where there is none.
    ignored : bool array of the same shape
        Detections that count neither as right nor as wrong.
    n_persons : int array of shape (n_areas,)
        Persons that count.
    """

    score: np.ndarray
    matched: np.ndarray
    ignored: np.ndarray
    n_persons: np.ndarray

    def only(self, measure: int) -> ImageMatches:
        """Return the matches of the first area range by one measure."""
        own = np.s_[:1, measure : measure + 1]
        return ImageMatches(self.score, self.matched[own], self.ignored[own], self.n_persons[:1])


@dataclass(frozen=True)
class Detections:
    """The detections of an image in descending score; float64 arrays of shape (n_detections,)."""

    score: np.ndarray
    area: np.ndarray


@dataclass(frozen=True)
class People:
    """The annotated persons of an image in file order; arrays of shape (n_persons,).

    ``dense`` says who is densely annotated (others are ignored), ``crowd`` what is a crowd.
    """

    area: np.ndarray
    dense: np.ndarray
    crowd: np.ndarray


def box_iou(detections: np.ndarray, persons: np.ndarray, crowd: np.ndarray) -> np.ndarray:
    """Return the IoU of boxes ``x, y, w, h`` as COCO computes it: against a crowd, over the detection's area.

    Shapes: (n_detections, 4), (n_persons, 4), (n_persons,) -> (n_detections, n_persons), float64.
    """
    d, p = detections[:, None, :], persons[None, :, :]
    width = np.minimum(d[..., 0] + d[..., 2], p[..., 0] + p[..., 2]) - np.maximum(d[..., 0], p[..., 0])
    height = np.minimum(d[..., 1] + d[..., 3], p[..., 1] + p[..., 3]) - np.maximum(d[..., 1], p[..., 1])
    shared = np.where((width > 0) & (height > 0), width * height, 0.0)
    own = d[..., 2] * d[..., 3]
    union = np.where(crowd[None, :], own, own + p[..., 2] * p[..., 3] - shared)
    return np.where(union > 0, shared / np.where(union > 0, union, 1), 0.0)


def match_image(
    measures: np.ndarray,
    overlap: np.ndarray,
    detections: Detections,
    people: People,
    areas: Sequence[str] = tuple(AREAS),
) -> ImageMatches:
    """Match the detections of one image greedily, then in the second pass of the released evaluator.

    Parameters
    ----------
    measures : float64 array of shape (n_measures, n_detections, n_persons)
        Similarities; detections in descending score, persons in file order.
    overlap : float64 array of shape (n_detections, n_persons)
        As `box_iou` gives it.
    detections : Detections
    people : People
    areas : sequence of str
        The area ranges to match for; keys of `AREAS`.
    """
    person_area, dense, crowd = people.area, people.dense, people.crowd
    bounds = np.array([AREAS[name] for name in areas])
    outside = (person_area < bounds[:, :1]) | (person_area > bounds[:, 1:])
    ignored_person = outside | ~dense
    n_detections, n_persons = overlap.shape
    shape = (len(bounds), len(measures), len(THRESHOLDS))
    matched = np.full((*shape, n_detections), -1)
    ignored = np.zeros((*shape, n_detections), dtype=bool)
    taken = np.zeros((*shape, n_persons), dtype=bool)
    if n_persons:
        _first_pass(measures, ignored_person, crowd, matched, ignored, taken)
        _second_pass(overlap, ignored_person, crowd, matched, ignored, taken)
    area = detections.area
    too_small = (area < bounds[:, :1]) | (area > bounds[:, 1:])
    ignored |= (matched < 0) & too_small[:, None, None, :]
    # Where no person counts, no detection does.
    ignored[ignored_person.all(axis=1)] = True
    return ImageMatches(detections.score, matched, ignored, (~ignored_person).sum(axis=1))


def last_argmax(values: np.ndarray) -> np.ndarray:
    """Return the index of the largest entry along the last axis, the last one on a tie."""
    return values.shape[-1] - 1 - np.argmax(values[..., ::-1], axis=-1)


def _first_pass(
    measures: np.ndarray,
    ignored_person: np.ndarray,
    crowd: np.ndarray,
    matched: np.ndarray,
    ignored: np.ndarray,
    taken: np.ndarray,
) -> None:
    """Match each detection in turn to the most similar person that is left, at every threshold."""
    least = np.minimum(THRESHOLDS, _LARGEST)[None, None, :, None]
    ignored_here = np.broadcast_to(ignored_person[:, None, None, :], taken.shape)
    for d in range(measures.shape[1]):
        value = measures[None, :, None, d, :]
        possible = (~taken | crowd) & (value >= least)
        if not possible.any():
            continue
        # The ignored persons come last and are looked at only while no other is held; the later one wins a tie.
        counting = possible & ~ignored_here
        among = np.where(counting.any(axis=3, keepdims=True), counting, possible)
        best = last_argmax(np.where(among, value, -1.0))
        hit = among.any(axis=3)
        matched[..., d] = np.where(hit, best, -1)
        ignored[..., d] = hit & np.take_along_axis(ignored_here, best[..., None], 3)[..., 0]
        a, m, t = np.nonzero(hit)
        taken[a, m, t, best[a, m, t]] = True


def _second_pass(
    overlap: np.ndarray,
    ignored_person: np.ndarray,
    crowd: np.ndarray,
    matched: np.ndarray,
    ignored: np.ndarray,
    taken: np.ndarray,
) -> None:
    """Give detections without a match at the last threshold the ignore flag of the person that their box covers."""
    close = overlap >= SECOND_PASS_IOU
    for d in np.flatnonzero(close.any(axis=1)).tolist():
        possible = (~taken[:, :, -1, :] | crowd) & close[d]
        possible &= (matched[:, :, -1, d] < 0)[..., None]
        if not possible.any():
            continue
        value = np.where(possible, overlap[d], -1.0)
        largest = value == value.max(axis=2, keepdims=True)
        flags = np.broadcast_to(ignored_person[:, None, :], largest.shape)
        # Ignored persons come last in the order, so on a tie they are the later ones.
        last = np.where((largest & flags).any(axis=2, keepdims=True), largest & flags, largest)
        person = last_argmax(last.astype(np.int8))
        a, m = np.nonzero(possible.any(axis=2))
        found = person[a, m]
        flag = ignored_person[a, found]
        ignored[a, m, :, d] = flag[:, None]
        a, m, found = a[flag], m[flag], found[flag]
        matched[a, m, -1, d] = found
        taken[a, m, -1, found] = True


@dataclass(frozen=True)
class PrecisionCurves:
    """Results over all images; arrays begin with the axes (n_areas, n_measures, n_thresholds).

    Attributes
    ----------
    precision : float64 array of shape (..., 101)
        At the 101 recalls.
    recall : float64 array of shape (...,)
        The largest recall reached.
    n_persons : int array of shape (n_areas,)
        Persons that count; where it is 0 nothing is defined.
    """

    precision: np.ndarray
    recall: np.ndarray
    n_persons: np.ndarray

    def average(self, values: np.ndarray, area: int) -> float:
        """Return the mean of values of one area range, 0 if no person counts in it."""
        return float(values.mean()) if self.n_persons[area] else 0.0


def accumulate(images: list[ImageMatches], n_measures: int) -> PrecisionCurves:
    """Gather the images, in ascending image id, into precision at 101 recalls."""
    shape = (len(AREAS), n_measures, len(THRESHOLDS))
    n_persons = sum((image.n_persons for image in images), np.zeros(len(AREAS), dtype=np.int64))
    precision, recall = np.zeros((*shape, len(RECALLS))), np.zeros(shape)
    if not images:
        return PrecisionCurves(precision, recall, n_persons)
    score = np.concatenate([image.score for image in images])
    order = np.argsort(-score, kind="stable")
    matched = np.concatenate([image.matched for image in images], axis=3)[..., order] >= 0
    ignored = np.concatenate([image.ignored for image in images], axis=3)[..., order]
    right = np.cumsum(matched & ~ignored, axis=3, dtype=np.float64)
    wrong = np.cumsum(~matched & ~ignored, axis=3, dtype=np.float64)
    for place in np.ndindex(shape):
        count = n_persons[place[0]]
        if not count or not len(score):
            continue
        reached = right[place] / count
        share = right[place] / (right[place] + wrong[place] + np.spacing(1))
        share = np.maximum.accumulate(share[::-1])[::-1]
        index = np.searchsorted(reached, RECALLS, side="left")
        inside = index < len(share)
        precision[place][inside] = share[index[inside]]
        recall[place] = reached[-1]
    return PrecisionCurves(precision, recall, n_persons)


@dataclass(frozen=True)
class Ranked:
    """The detections of all images in descending score, for one area range and one measure.

    Attributes
    ----------
    image : int array of shape (n_detections,)
        Index of the image of each detection.
    right, counted : bool arrays of shape (n_thresholds, n_detections)
        Which detections are matched and count, and which count at all.
    n_persons : int array of shape (n_images,)
        Persons that count.
    """

    image: np.ndarray
    right: np.ndarray
    counted: np.ndarray
    n_persons: np.ndarray


def ranked(images: Sequence[ImageMatches], area: int, measure: int) -> Ranked:
    """Gather the images, in ascending image id, into one ranking of their detections."""
    empty = np.zeros((len(THRESHOLDS), 0), dtype=bool)
    sizes = [len(image.score) for image in images]
    order = np.argsort(-np.concatenate([np.zeros(0), *(image.score for image in images)]), kind="stable")
    counted = np.concatenate([empty, *(~image.ignored[area, measure] for image in images)], axis=1)[:, order]
    matched = np.concatenate([empty, *(image.matched[area, measure] >= 0 for image in images)], axis=1)[:, order]
    return Ranked(
        np.repeat(np.arange(len(images)), sizes)[order],
        matched & counted,
        counted,
        np.array([image.n_persons[area] for image in images], dtype=np.int64),
    )


def weighted(detections: Ranked, weights: np.ndarray) -> np.ndarray:
    """Return the average precision for each row of weights of the images.

    An image of weight w counts as w separate images, whose detections follow each other in the ranking.

    Parameters
    ----------
    detections : Ranked
    weights : float64 array of shape (n_replicates, n_images)
        Whole numbers.

    Returns
    -------
    float64 array of shape (n_replicates,)
        The mean over the thresholds and the 101 recalls; 0 where no person counts.
    """
    total = np.zeros(len(weights))
    for begin in range(0, len(weights), _REPLICATE_BLOCK):
        block = slice(begin, begin + _REPLICATE_BLOCK)
        total[block] = _weighted(detections, weights[block])
    return total / len(THRESHOLDS)


def _weighted(detections: Ranked, weights: np.ndarray) -> np.ndarray:
    n_persons = np.maximum(weights @ detections.n_persons, 1)[:, None]
    sums = np.zeros(len(weights))
    own = weights[:, detections.image]
    counted, counts_so_far = None, np.zeros((len(weights), 0))
    for right, now_counted in zip(detections.right, detections.counted):
        if counted is None or not np.array_equal(counted, now_counted):
            counted = now_counted
            counts_so_far = np.cumsum(own * counted, axis=1)
        # Precision is highest at detections that are right, so the others only count.
        place = np.flatnonzero(right)
        if not len(place):
            continue
        found = np.cumsum(own[:, place], axis=1)
        precision = found / (counts_so_far[:, place] + np.spacing(1))
        precision = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        for row, recall in enumerate(found / n_persons):
            index = np.searchsorted(recall, RECALLS)
            index = index[: np.searchsorted(index, len(place))]
            sums[row] += precision[row, index].sum() / len(RECALLS)
    return np.where(weights @ detections.n_persons > 0, sums, 0.0)
