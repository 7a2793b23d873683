"""Average precision in COCO's protocol, with the matching of DensePose's released evaluator.

Source: ``densepose_cocoeval.py`` (COCO DensePose 2019), itself after COCO's ``cocoeval.py``. All images,
measures, area ranges and thresholds are matched at once: the best detection of every image, the second, ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
AREAS = {"all": (0.0, 1e5**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e5**2)}
MOST_DETECTIONS = 20
SECOND_PASS_IOU = 0.8
_ROW_BLOCK = 50


class Detections(NamedTuple):
    """Detections, image by image, those of an image in descending score; shape (n_detections,).

    ``image`` is the index of the image, ``score`` and ``area`` are float64.
    """

    image: Ints
    score: Floats
    area: Floats


class People(NamedTuple):
    """The annotated persons, image by image in file order; arrays of shape (n_persons,).

    ``dense`` says who is densely annotated (others are ignored), ``crowd`` what is a crowd.
    """

    n_images: int
    image: Ints
    area: Floats
    dense: Bools
    crowd: Bools

    def per_image(self, is_selected: Bools) -> Ints:
        """Return how many of some persons each image has, shape (n_images,); ``is_selected`` says which."""
        return np.bincount(self.image[is_selected], minlength=self.n_images)


class Pairs(NamedTuple):
    """Each detection with each person of its image; int arrays of shape (n_pairs,)."""

    detection: Ints
    person: Ints

    @classmethod
    def of_images(cls, detection: Ints, person: Ints) -> Pairs:
        """Return all pairs, detection by detection, from the ascending images of detections and persons."""
        return cls(*pairs_in_groups(detection, person)[:2])


class Matches(NamedTuple):
    """How the detections of all images were matched.

    Attributes
    ----------
    image, score : arrays of shape (n_detections,)
        As in `Detections`.
    matched : int array of shape (n_areas, n_measures, n_thresholds, n_detections)
        Index of the matched person, -1 where there is none.
    ignored : bool array of the same shape
        Detections that count neither as right nor as wrong.
    n_persons : int array of shape (n_areas, n_images)
        Persons that count.
    """

    image: Ints
    score: Floats
    matched: Ints
    ignored: Bools
    n_persons: Ints


def box_iou(detections: Floats, persons: Floats, crowd: Bools) -> Floats:
    """Return the IoU of boxes ``x, y, w, h`` as COCO computes it: against a crowd, over the detection's area.

    Shapes: (n, 4) or (4,), (n, 4), (n,) -> (n,), float64.

    Examples
    --------
    >>> box_iou(np.array([0.0, 0, 2, 2]), np.array([[0.0, 0, 2, 4], [0, 0, 2, 4]]), np.array([False, True]))
    array([0.5, 1. ])
    """
    d, p = detections, persons
    width = np.minimum(d[..., 0] + d[..., 2], p[..., 0] + p[..., 2]) - np.maximum(d[..., 0], p[..., 0])
    height = np.minimum(d[..., 1] + d[..., 3], p[..., 1] + p[..., 3]) - np.maximum(d[..., 1], p[..., 1])
    shared = np.where((width > 0) & (height > 0), width * height, 0.0)
    detection_area = d[..., 2] * d[..., 3]
    person_area = p[..., 2] * p[..., 3]
    union = np.where(crowd, detection_area, detection_area + person_area - shared)
    return np.where(union > 0, shared / np.where(union > 0, union, 1), 0.0)


def match(
    measures: Floats, overlap: Floats, detections: Detections, people: People, areas: Iterable[str] = AREAS
) -> Matches:
    """Match the detections of each image greedily, then in the second pass of the released evaluator.

    Parameters
    ----------
    measures : float64 array of shape (n_measures, n_pairs)
        Similarities of all pairs, in the order of `Pairs.of_images`.
    overlap : float64 array of shape (n_pairs,)
        As `box_iou` gives it.
    detections : Detections
    people : People
    areas : iterable of str
        The area ranges to match for; keys of `AREAS`.

    Examples
    --------
    >>> detections = Detections(np.array([0, 0]), np.array([0.9, 0.8]), np.array([5000.0, 5000.0]))
    >>> people = People(1, np.array([0]), np.array([5000.0]), np.array([True]), np.array([False]))
    >>> matches = match(np.array([[0.6, 0.9]]), np.array([0.7, 0.7]), detections, people, ["all"])
    >>> matches.matched[0, 0, [0, -1]]
    array([[ 0, -1],
           [-1, -1]])
    """
    bounds = np.array([AREAS[name] for name in areas])
    person_outside = (people.area < bounds[:, :1]) | (people.area > bounds[:, 1:])
    ignored_person = person_outside | ~people.dense
    shape = (len(bounds), len(measures), len(THRESHOLDS))
    matching = _Matching(
        pairs=Pairs.of_images(detections.image, people.image),
        ignored_person=ignored_person,
        crowd=people.crowd,
        matched=np.full((*shape, len(detections.score)), -1),
        ignored=np.zeros((*shape, len(detections.score)), dtype=bool),
        is_taken=np.zeros((*shape, len(people.area)), dtype=bool),
    )
    rank = np.arange(len(detections.image)) - np.searchsorted(detections.image, detections.image)
    matching.first_pass(measures, rank)
    matching.second_pass(overlap, rank)
    ignored = matching.ignored
    detection_outside = (detections.area < bounds[:, :1]) | (detections.area > bounds[:, 1:])
    ignored |= (matching.matched < 0) & detection_outside[:, None, None, :]
    n_persons = np.stack([people.per_image(~of_area) for of_area in ignored_person])
    # Where no person counts, no detection does.
    ignored |= (n_persons[:, detections.image] == 0)[:, None, None, :]
    return Matches(
        image=detections.image,
        score=detections.score,
        matched=matching.matched,
        ignored=ignored,
        n_persons=n_persons,
    )


class _Matching(NamedTuple):
    """The state of matching: the fields of `Matches`, and who is taken; the arrays change as it goes on.

    ``ignored_person`` is (n_areas, n_persons), ``is_taken`` (n_areas, n_measures, n_thresholds, n_persons).
    """

    pairs: Pairs
    ignored_person: Bools
    crowd: Bools
    matched: Ints
    ignored: Bools
    is_taken: Bools

    def first_pass(self, measures: Floats, rank: Ints) -> None:
        """Match each detection in turn to the most similar person that is left, at every threshold."""
        least = THRESHOLDS[:, None]
        order = self._first_pass_order(measures)
        place = _places(order)
        for pair, begins in self._turns(rank, (measures >= least[0]).any(axis=0)):
            person = self.pairs.person[pair]
            is_free = ~self.is_taken[..., person] | self.crowd[person]
            is_possible = is_free & (measures[:, None, pair] >= least)
            best = _last_possible(place[:, :, None, pair], is_possible, begins)
            # Area, measure, threshold, and number of the detection in this turn, of each match.
            a, m, t, number = np.nonzero(best >= 0)
            detection = self.pairs.detection[pair[begins]][number]
            matched_person = self.pairs.person[order[a, m, best[a, m, t, number]]]
            self.matched[a, m, t, detection] = matched_person
            self.ignored[a, m, t, detection] = self.ignored_person[a, matched_person]
            self.is_taken[a, m, t, matched_person] = True

    def _first_pass_order(self, measures: Floats) -> Ints:
        """Return the pairs from the worst to the best, shape (n_areas, n_measures, n_pairs).

        Ignored persons are looked at only while no other is held; the later one wins a tie.
        """
        order = np.empty((len(self.ignored_person), *measures.shape), dtype=np.int64)
        for area, ignored_person in enumerate(self.ignored_person):
            counts = ~ignored_person[self.pairs.person]
            for measure, similarity in enumerate(measures):
                order[area, measure] = np.lexsort((similarity, counts))
        return order

    def second_pass(self, overlap: Floats, rank: Ints) -> None:
        """Give detections unmatched at the last threshold the ignore flag of the person they cover."""
        # Ignored persons come last, so on a tie they are the later ones.
        ignored_of_pairs = self.ignored_person[:, self.pairs.person]
        order = np.array([np.lexsort((is_ignored, overlap)) for is_ignored in ignored_of_pairs])
        place = _places(order)
        matched = self.matched[:, :, -1]
        is_taken = self.is_taken[:, :, -1]
        for pair, begins in self._turns(rank, overlap >= SECOND_PASS_IOU):
            person = self.pairs.person[pair]
            is_free = ~is_taken[..., person] | self.crowd[person]
            is_possible = is_free & (matched[..., self.pairs.detection[pair]] < 0)
            best = _last_possible(place[:, None, pair], is_possible, begins)
            # Area, measure, and number of the detection in this turn, of each that covers a person.
            a, m, number = np.nonzero(best >= 0)
            detection = self.pairs.detection[pair[begins]][number]
            covered_person = self.pairs.person[order[a, best[a, m, number]]]
            is_ignored = self.ignored_person[a, covered_person]
            self.ignored[a, m, :, detection] = is_ignored[:, None]
            a, m = a[is_ignored], m[is_ignored]
            matched[a, m, detection[is_ignored]] = covered_person[is_ignored]
            is_taken[a, m, covered_person[is_ignored]] = True

    def _turns(self, rank: Ints, is_selected: Bools) -> Iterator[tuple[Ints, Ints]]:
        """Yield the selected pairs of the first detection of every image, then of the second, and so on.

        With the pairs, in their order, come the places where those of another detection begin.
        """
        pairs = np.flatnonzero(is_selected)
        pairs = pairs[np.argsort(rank[self.pairs.detection[pairs]], kind="stable")]
        turn = rank[self.pairs.detection[pairs]]
        for pair in np.split(pairs, np.flatnonzero(np.diff(turn)) + 1):
            if len(pair):
                yield pair, np.flatnonzero(np.diff(self.pairs.detection[pair], prepend=-1))


def _places(order: Ints) -> Ints:
    """Return the place of each pair, where ``order`` names the pairs of the places along the last axis."""
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.broadcast_to(np.arange(order.shape[-1]), order.shape), -1)
    return places


def _last_possible(place: Ints, is_possible: Bools, begins: Ints) -> Ints:
    """Return for each detection the last place of its possible pairs, -1 where there are none."""
    return np.maximum.reduceat(np.where(is_possible, place, -1), begins, axis=-1)


class PrecisionCurves(NamedTuple):
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

    precision: Floats
    recall: Floats
    n_persons: Ints

    def average(self, values: Floats, area: int) -> float:
        """Return the mean of values of one area range, 0 if no person counts in it."""
        return float(values.mean()) if self.n_persons[area] else 0.0


def accumulate(matches: Matches) -> PrecisionCurves:
    """Gather the images, in ascending image id, into precision at 101 recalls.

    Examples
    --------
    >>> matched, ignored = np.array([[[[-1, 0]]]]), np.zeros((1, 1, 1, 2), bool)
    >>> matches = Matches(np.zeros(2, int), np.array([0.9, 0.8]), matched, ignored, np.array([[1]]))
    >>> accumulate(matches).precision.mean(axis=-1)
    array([[[0.5]]])
    """
    shape = matches.matched.shape[:3]
    n_persons = matches.n_persons.sum(axis=1)
    precision, recall = np.zeros((*shape, len(RECALLS))), np.zeros(shape)
    order = np.argsort(-matches.score, kind="stable")
    matched, ignored = matches.matched[..., order] >= 0, matches.ignored[..., order]
    n_right = np.cumsum(matched & ~ignored, axis=3, dtype=np.float64)
    n_wrong = np.cumsum(~matched & ~ignored, axis=3, dtype=np.float64)
    for place in np.ndindex(shape):
        count = n_persons[place[0]]
        if not count or not len(order):
            continue
        reached = n_right[place] / count
        share = n_right[place] / (n_right[place] + n_wrong[place] + np.spacing(1))
        share = np.maximum.accumulate(share[::-1])[::-1]
        index = np.searchsorted(reached, RECALLS, side="left")
        inside = index < len(share)
        precision[place][inside] = share[index[inside]]
        recall[place] = reached[-1]
    return PrecisionCurves(precision, recall, n_persons)


class Ranked(NamedTuple):
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

    image: Ints
    right: Bools
    counted: Bools
    n_persons: Ints


def ranked(matches: Matches, area: int, measure: int) -> Ranked:
    """Gather the images, in ascending image id, into one ranking of their detections.

    Examples
    --------
    >>> matched, ignored = np.array([[[[0, -1]]]]), np.zeros((1, 1, 1, 2), bool)
    >>> matches = Matches(np.zeros(2, int), np.array([0.8, 0.9]), matched, ignored, np.array([[1]]))
    >>> ranked(matches, 0, 0).right
    array([[False,  True]])
    """
    order = np.argsort(-matches.score, kind="stable")
    counted = ~matches.ignored[area, measure][:, order]
    right = (matches.matched[area, measure][:, order] >= 0) & counted
    return Ranked(matches.image[order], right, counted, matches.n_persons[area])


def weighted(detections: Ranked, weights: Floats, rows_at_once: int = _ROW_BLOCK) -> Floats:
    """Return the average precision for each row of weights of the images.

    An image of weight w counts as w separate images, whose detections follow each other in the ranking.

    Parameters
    ----------
    detections : Ranked
    weights : float64 array of shape (n_rows, n_images)
        Whole numbers.
    rows_at_once : int
        Memory grows with it.

    Returns
    -------
    float64 array of shape (n_rows,)
        The mean over the thresholds and the 101 recalls; 0 where no person counts.

    Examples
    --------
    >>> right, counted = np.full((10, 2), [True, False]), np.ones((10, 2), bool)
    >>> detections = Ranked(np.array([0, 1]), right, counted, np.array([1, 1]))
    >>> weighted(detections, np.array([[1.0, 0.0], [1.0, 1.0]])).round(4)
    array([1.   , 0.505])
    """
    # Only what has a weight: a sample may leave most images out.
    has_weight = np.flatnonzero(weights.sum(axis=0)[detections.image])
    detections = Ranked(
        image=detections.image[has_weight],
        right=detections.right[:, has_weight],
        counted=detections.counted[:, has_weight],
        n_persons=detections.n_persons,
    )
    total = np.zeros(len(weights))
    for begin in range(0, len(weights), rows_at_once):
        block = slice(begin, begin + rows_at_once)
        total[block] = _weighted(detections, weights[block])
    return total / len(THRESHOLDS)


def _weighted(detections: Ranked, weights: Floats) -> Floats:
    n_persons = np.maximum(weights @ detections.n_persons, 1)[:, None]
    sums = np.zeros(len(weights))
    weight = weights[:, detections.image]
    counted, counts_so_far = None, np.zeros((len(weights), 0))
    for right, now_counted in zip(detections.right, detections.counted):
        if counted is None or not np.array_equal(counted, now_counted):
            counted = now_counted
            counts_so_far = np.cumsum(weight * counted, axis=1)
        # Precision is highest at detections that are right, so the others only count.
        place = np.flatnonzero(right)
        if not len(place):
            continue
        right_so_far = np.cumsum(weight[:, place], axis=1)
        precision = right_so_far / (counts_so_far[:, place] + np.spacing(1))
        # The highest precision from each detection on, and 0 after the last one.
        highest = np.zeros((len(weights), len(place) + 1))
        highest[:, :-1] = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        index = np.array([recall.searchsorted(RECALLS) for recall in right_so_far / n_persons])
        sums += np.take_along_axis(highest, index, axis=1).sum(axis=1) / len(RECALLS)
    return np.where(weights @ detections.n_persons > 0, sums, 0.0)
