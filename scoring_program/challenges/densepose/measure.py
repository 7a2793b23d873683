"""DensePose: from kept detections to matches, the statistics of each image, scores, and error costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.densepose.reference import Gathered, Kept, Reference, best_of_images
from scoring_program.metrics import average_precision, geodesic
from scoring_program.metrics.average_precision import (
    Detections,
    Matches,
    Pairs,
    People,
    PrecisionCurves,
    Ranked,
)
from scoring_program.metrics.group_values import group_means, largest_of_items, means
from scoring_program.metrics.pairs import pairs_of_ranges
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints

MEASURES = ("gpsm", "gps", "iou")
_AREAS = ("all",)
_IMAGE_BLOCK = 500
_NO_NUMBERS = np.zeros(0, np.int64)


class Points(NamedTuple):
    """All pairs of a kept detection and a person of its image, point by point; arrays of shape (n_points,).

    ``part`` is the predicted part, 0 for background; ``pair`` is the index of the pair in `Pairing`.
    """

    similarity: Floats
    part: Ints
    true_part: Ints
    pair: Ints
    n_pairs: int

    def gps(self, similarity: Floats) -> Floats:
        """Return the GPS of each pair, shape (n_pairs,): the mean of these similarities of its points."""
        return group_means(similarity, self.pair, self.n_pairs, 0.0)


class Pairing(NamedTuple):
    """All pairs of a detection and a person of its image, and the matches by all measures.

    Attributes
    ----------
    detections : Detections
        Those that are looked at, at most 20 of an image.
    people : People
    pairs : Pairs
    overlap, mask_iou, gps : float64 arrays of shape (n_pairs,)
        IoU of the boxes and of the masks, and geodesic point similarity.
    matches : Matches
        The second axis is that of `MEASURES`.
    """

    detections: Detections
    people: People
    pairs: Pairs
    overlap: Floats
    mask_iou: Floats
    gps: Floats
    matches: Matches

    def at_half(self, measure: str) -> HalfMatches:
        """Return the matches by a measure at 0.5, area all; those with ignored persons do not count."""
        number = MEASURES.index(measure)
        ignored = self.matches.ignored[0, number, 0]
        matched = self.matches.matched[0, number, 0]
        person = np.where(ignored, -1, matched)
        is_pair = person[self.pairs.detection] == self.pairs.person
        matched_pairs = np.flatnonzero(is_pair)
        matched_similarity = similarity(measure, self.gps, self.mask_iou)[matched_pairs]
        matched_person = self.pairs.person[matched_pairs]
        best = largest_of_items(matched_person, matched_similarity, len(self.people.dense))
        return HalfMatches(
            person=person,
            is_no_error=ignored | (matched >= 0),
            is_pair=is_pair,
            best_pairs=matched_pairs[best[best >= 0]],
        )

    def n_detections(self) -> Ints:
        """Return the number of detections of each image, shape (n_images,)."""
        return np.bincount(self.detections.image, minlength=self.people.n_images)

    def n_annotated(self) -> Ints:
        """Return the number of densely annotated persons of each image, shape (n_images,)."""
        return self.people.per_image(self.people.dense)


class HalfMatches(NamedTuple):
    """Matches at a similarity of 0.5.

    ``person`` (n_detections,) is matched with each detection, -1 if there is none or it is ignored;
    ``is_no_error`` (n_detections,) says whether a detection is matched or ignored; ``is_pair`` (n_pairs,)
    says which pairs are matched. Several detections may match a crowd: ``best_pairs`` (n_matched_persons,)
    has the index of one pair for each matched person, the most similar.
    """

    person: Ints
    is_no_error: Bools
    is_pair: Bools
    best_pairs: Ints


@dataclass(frozen=True)
class ImageStatistics(Statistics):
    """What became of the detections of each image; ``measure`` is the similarity that is scored."""

    pairing: Pairing
    ranked: Ranked
    points: Points
    half: HalfMatches
    measure: str

    @cached_property
    def similarity(self) -> Floats:
        """The similarity that is scored, of all pairs; shape (n_pairs,)."""
        return similarity(self.measure, self.pairing.gps, self.pairing.mask_iou)

    def item_columns(self) -> dict[str, Floats]:
        """Return the cost of each image."""
        return {"cost": self.costs}

    @cached_property
    def costs(self) -> Floats:
        """How much higher the score would be without each image, shape (n_images,)."""
        n_images = self.pairing.people.n_images
        score = average(self, np.ones((1, n_images)))[0]
        scores_without = np.zeros(n_images)
        for begin in range(0, n_images, _IMAGE_BLOCK):
            images = np.arange(begin, min(begin + _IMAGE_BLOCK, n_images))
            weights = np.ones((len(images), n_images))
            weights[np.arange(len(images)), images] = 0
            scores_without[images] = average(self, weights)
        return scores_without - score


def measure(reference: Reference, submission: Gathered, settings: Settings) -> ImageStatistics:
    """Compare all detections with the persons of their images and match them."""
    measure_name = settings["measure"]
    pairing, points = pair_and_match(reference, best_of_images(submission.kept), settings)
    half = pairing.at_half(measure_name)
    n_detections, n_annotated = pairing.n_detections(), pairing.n_annotated()
    return ImageStatistics(
        item_scores=_image_scores(pairing, half, measure_name),
        item_submitted=n_detections > 0,
        item_weights=n_annotated,
        item_perfect=_perfect_images(pairing, measure_name),
        pairing=pairing,
        ranked=average_precision.ranked(pairing.matches, 0, MEASURES.index(measure_name)),
        points=points,
        half=half,
        measure=measure_name,
    )


def _perfect_images(pairing: Pairing, measure_name: str) -> Bools:
    """Return the images whose dense persons are all matched at the highest threshold, without a detection
    that is not; bool, shape (n_images,)."""
    number, n_images = MEASURES.index(measure_name), pairing.people.n_images
    matched = pairing.matches.matched[0, number, -1] >= 0
    ignored = pairing.matches.ignored[0, number, -1]
    image = pairing.detections.image
    n_matched = np.bincount(image[matched & ~ignored], minlength=n_images)
    n_wrong = np.bincount(image[~matched & ~ignored], minlength=n_images)
    return (n_matched == pairing.n_annotated()) & (n_wrong == 0)


def _image_scores(pairing: Pairing, half: HalfMatches, measure_name: str) -> Floats:
    """Return for each image the mean similarity of its persons, 0 for those that are not matched at 0.5."""
    matched_similarity = similarity(measure_name, pairing.gps, pairing.mask_iou)[half.best_pairs]
    image = pairing.people.image[pairing.pairs.person[half.best_pairs]]
    sums = np.bincount(image, matched_similarity, pairing.people.n_images)
    return means(sums, pairing.n_annotated())


def normalizers(settings: Settings) -> Floats:
    """Return the normalizer k of each coarse part, shape (9,): the first one is of none."""
    if settings["kappa"]:
        return np.full(len(geodesic.MEAN_DISTANCES), settings["kappa"])
    if settings["mean_distances"]:
        return np.array([0.0, *settings["mean_distances"]])
    return geodesic.MEAN_DISTANCES


def point_similarities(
    reference: Reference, detections: Sequence[Kept], pairs: Pairs, normalizer_of_part: Floats
) -> Points:
    """Return the similarity of all points of all pairs of a detection and a person of its image.

    ``normalizer_of_part`` has the normalizer of each coarse part, shape (9,).
    """
    persons = reference.persons
    first, last = persons.point_start[pairs.person], persons.point_start[pairs.person + 1]
    # A detection predicts at the points of all persons of its image, in the order of its pairs.
    pair, true_point, _ = pairs_of_ranges(first, last)
    part = np.concatenate([_NO_NUMBERS, *(detection.part for detection in detections)])
    vertex = np.concatenate([_NO_NUMBERS, *(detection.vertex for detection in detections)])
    true_part = persons.part[true_point].astype(np.int64)
    true_vertex = persons.vertex[true_point]
    is_exact = vertex == true_vertex
    # Of the other vertices the distances are stored; of none it is infinite.
    is_stored = (vertex != geodesic.NO_VERTEX) & ~is_exact
    distance = np.where(is_exact, 0.0, np.inf)
    positions = geodesic.pair_position(vertex[is_stored], true_vertex[is_stored])
    distance[is_stored] = reference.template.lookup(positions)
    normalizer = normalizer_of_part[geodesic.COARSE_PART[true_part]]
    point_similarity = geodesic.point_similarity(distance, is_stored, normalizer, pair, len(pairs.person))
    return Points(
        similarity=point_similarity,
        part=part,
        true_part=true_part,
        pair=pair,
        n_pairs=len(pairs.person),
    )


def pair_and_match(reference: Reference, kept: Sequence[Kept], settings: Settings) -> tuple[Pairing, Points]:
    """Pair the detections of all images with the persons of their images, and match them for all measures."""
    persons = reference.persons
    predicted_box = np.array([detection.box for detection in kept], dtype=np.float64).reshape(-1, 4)
    detections = Detections(
        image=np.array([detection.image for detection in kept], dtype=np.int64),
        score=np.array([detection.score for detection in kept], dtype=np.float64),
        area=predicted_box[:, 2] * predicted_box[:, 3],
    )
    people = People(
        n_images=len(persons.image_id),
        image=persons.image,
        area=persons.area,
        dense=persons.dense,
        crowd=persons.crowd,
    )
    pairs = Pairs.of_images(detections.image, people.image)
    points = point_similarities(reference, kept, pairs, normalizers(settings))
    overlap = average_precision.box_iou(
        predicted_box[pairs.detection], persons.box[pairs.person], persons.crowd[pairs.person]
    )
    mask_iou = np.concatenate([np.zeros(0), *(detection.mask_iou for detection in kept)])
    gps = points.gps(points.similarity)
    measures = np.stack([similarity(name, gps, mask_iou) for name in MEASURES])
    pairing = Pairing(
        detections=detections,
        people=people,
        pairs=pairs,
        overlap=overlap,
        mask_iou=mask_iou,
        gps=gps,
        matches=average_precision.match(measures, overlap, detections, people),
    )
    return pairing, points


def similarity(measure: str, gps: Floats, mask_iou: Floats) -> Floats:
    """Return the similarity by which pairs are matched: GPSm, GPS or mask IoU."""
    return {"gpsm": np.sqrt(gps * mask_iou), "gps": gps, "iou": mask_iou}[measure]


def average(statistics: ImageStatistics, weights: Floats) -> Floats:
    """Return the average precision for each row of weights."""
    return average_precision.weighted(statistics.ranked, weights)


def scores(statistics: ImageStatistics) -> dict[str, float]:
    """Return AP and AR at the thresholds and areas, and the AP of the two factors of GPSm."""
    pairing = statistics.pairing
    precisions = average_precisions(average_precision.accumulate(pairing.matches), statistics.measure)
    is_covered = pairing.n_detections()[pairing.n_annotated() > 0] > 0
    coverage = float(is_covered.mean()) if len(is_covered) else 0.0
    return {"score": precisions["ap"], "coverage": coverage, **precisions}


def average_precisions(curves: PrecisionCurves, measure: str) -> dict[str, float]:
    """Return AP and AR by one measure: over all thresholds, at 0.5 and 0.75, and of the areas; then more AP.

    The last are the AP at each threshold, and over all thresholds by the two factors of GPSm.
    """
    number = MEASURES.index(measure)
    precisions = _averages("ap", curves, curves.precision[:, number])
    recalls = _averages("ar", curves, curves.recall[:, number])
    at_thresholds = _at_thresholds("ap", curves, curves.precision[0, number])
    factors = {}
    for name in ("gps", "iou"):
        factors[f"ap_{name}"] = curves.average(curves.precision[0, MEASURES.index(name)], 0)
    return {**precisions, **at_thresholds, **recalls, **factors}


def _averages(prefix: str, curves: PrecisionCurves, values: Floats) -> dict[str, float]:
    """Return the means of values whose first axes are area ranges and thresholds."""
    at_thresholds = _at_thresholds(prefix, curves, values[0])
    averages = {prefix: curves.average(values[0], 0)}
    for key in (f"{prefix}50", f"{prefix}75"):
        averages[key] = at_thresholds[key]
    for index, area in enumerate(average_precision.AREAS):
        if index > 0:
            averages[f"{prefix}_{area}"] = curves.average(values[index], index)
    return averages


def _at_thresholds(prefix: str, curves: PrecisionCurves, values: Floats) -> dict[str, float]:
    """Return the mean of values of all areas at each threshold, as ``ap55``."""
    averages = {}
    for threshold, values_there in zip(average_precision.THRESHOLDS, values):
        averages[f"{prefix}{round(100 * threshold)}"] = curves.average(values_there, 0)
    return averages


def corrected_scores(statistics: ImageStatistics) -> dict[str, float]:
    """Return the AP without images without a detection, each type of error of the matched pairs, false
    detections, or missed persons.

    One thing is changed, and all images are matched again.
    """
    weights = np.ones((1, statistics.pairing.people.n_images))
    score_of_type = {}
    for error_type, ranked in _corrected(statistics).items():
        score_of_type[error_type] = float(average_precision.weighted(ranked, weights)[0])
    return score_of_type


def _corrected(statistics: ImageStatistics) -> dict[str, Ranked]:
    """Return the ranked detections of all images without each type of error."""
    pairing = statistics.pairing
    similarities = _corrected_similarities(statistics)
    matches = average_precision.match(
        np.stack(list(similarities.values())), pairing.overlap, pairing.detections, pairing.people, _AREAS
    )
    ranked_of_type = {}
    for number, error_type in enumerate(similarities):
        ranked_of_type[error_type] = average_precision.ranked(matches, 0, number)
    has_no_detection = pairing.n_detections()[pairing.people.image] == 0
    is_matched = np.isin(np.arange(len(pairing.people.dense)), statistics.half.person)
    matches_of_type = {
        "not_submitted": _with_ignored(statistics, has_no_detection),
        "false_positives": _without_false(statistics),
        "missed_persons": _with_ignored(statistics, ~is_matched),
    }
    for error_type, matches in matches_of_type.items():
        ranked_of_type[error_type] = average_precision.ranked(matches, 0, 0)
    return ranked_of_type


def _corrected_similarities(statistics: ImageStatistics) -> dict[str, Floats]:
    """Return the similarity of all pairs, shape (n_pairs,), without each type of error in matches.

    Those of points change nothing if similarity is that of masks.
    """
    pairing, points, measure = statistics.pairing, statistics.points, statistics.measure
    is_match = statistics.half.is_pair
    right_masks = np.where(is_match, 1.0, pairing.mask_iou)
    similarity_of_type = {"masks": similarity(measure, pairing.gps, right_masks)}
    if measure == "iou":
        return similarity_of_type
    on_body = points.part > 0
    same_part = on_body & (points.part == points.true_part)
    has_error = {"background": ~on_body, "wrong_part": on_body & ~same_part, "off_within_part": same_part}
    for error_type, of_type in has_error.items():
        right_points = np.where(is_match[points.pair] & of_type, 1.0, points.similarity)
        similarity_of_type[error_type] = similarity(measure, points.gps(right_points), pairing.mask_iou)
    return similarity_of_type


def _without_false(statistics: ImageStatistics) -> Matches:
    """Match again without the detections that are neither matched nor ignored at 0.5."""
    pairing, detections = statistics.pairing, statistics.pairing.detections
    remains = statistics.half.is_no_error
    remaining_detections = Detections(
        image=detections.image[remains], score=detections.score[remains], area=detections.area[remains]
    )
    pair_remains = remains[pairing.pairs.detection]
    similarities = statistics.similarity[None, pair_remains]
    return average_precision.match(
        similarities, pairing.overlap[pair_remains], remaining_detections, pairing.people, _AREAS
    )


def _with_ignored(statistics: ImageStatistics, ignored: Bools) -> Matches:
    """Match again with some of the persons ignored; bool, shape (n_persons,)."""
    pairing = statistics.pairing
    remaining_people = pairing.people._replace(dense=pairing.people.dense & ~ignored)
    similarities = statistics.similarity[None]
    return average_precision.match(
        similarities, pairing.overlap, pairing.detections, remaining_people, _AREAS
    )
