"""DensePose: from kept detections to matches, the statistics of each image, scores, and error costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.densepose.reference import Gathered, Kept, Persons, Reference
from scoring_program.metrics import average_precision, geodesic
from scoring_program.metrics.average_precision import Detections, Matches, Pairs, People, Ranked
from scoring_program.metrics.pairs import group_means, means
from scoring_program.result import Statistics, missing_notes
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.messages import Note
from validator.texts import counted

MEASURES = ("gpsm", "gps", "iou")
_AREAS = ("all",)
_IMAGE_BLOCK = 500


class Points(NamedTuple):
    """All pairs of a kept detection and a person of its image, point by point; arrays of shape (n_points,).

    ``part`` is the predicted part, 0 for background; ``pair`` is the index of the pair in `Compared`.
    """

    similarity: Floats
    part: Ints
    true_part: Ints
    pair: Ints
    n_pairs: int

    def gps(self, similarity: Floats) -> Floats:
        """Return the GPS of each pair, shape (n_pairs,): the mean of these similarities of its points."""
        return group_means(similarity, self.pair, self.n_pairs, 0.0)


class Compared(NamedTuple):
    """The detections of all images, compared with the persons of their images, matched for all measures.

    ``overlap``, ``mask_iou``, and ``gps`` are float64 arrays of shape (n_pairs,): IoU of the boxes, of the
    masks, and geodesic point similarity.
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
        ignored, matched = self.matches.ignored[0, number, 0], self.matches.matched[0, number, 0]
        return HalfMatches(self, np.where(ignored, -1, matched), ignored | (matched >= 0))

    def n_detections(self) -> Ints:
        """Return the number of detections of each image, shape (n_images,)."""
        return np.bincount(self.detections.image, minlength=self.people.n_images)

    def n_annotated(self) -> Ints:
        """Return the number of densely annotated persons of each image, shape (n_images,)."""
        return self.people.per_image(self.people.dense)


class HalfMatches(NamedTuple):
    """Matches at a similarity of 0.5; arrays of shape (n_detections,).

    ``person`` is matched with each detection, -1 if there is none or it is ignored; ``is_no_error`` says
    whether a detection is matched or ignored.
    """

    compared: Compared
    person: Ints
    is_no_error: Bools

    def n_right(self) -> Ints:
        """Return how many detections of each image are matched, shape (n_images,)."""
        matched = self.compared.detections.image[self.person >= 0]
        return np.bincount(matched, minlength=self.compared.people.n_images)

    def pairs(self) -> Bools:
        """Return which pairs are matched; bool, shape (n_pairs,)."""
        return self.person[self.compared.pairs.detection] == self.compared.pairs.person


@dataclass(frozen=True)
class ImageStatistics(Statistics):
    """What became of the detections of each image; ``measure`` is the similarity that is scored."""

    compared: Compared
    ranked: Ranked
    points: Points
    half: HalfMatches
    measure: str

    @cached_property
    def similarity(self) -> Floats:
        """The similarity that is scored, of all pairs; shape (n_pairs,)."""
        return similarity(self.measure, self.compared.gps, self.compared.mask_iou)

    def item_columns(self) -> dict[str, Floats]:
        """Return the cost of each image."""
        return {"cost": self.costs}

    @cached_property
    def costs(self) -> Floats:
        """How much higher the score would be without each image, shape (n_images,)."""
        n = self.compared.people.n_images
        score = average(self, np.ones((1, n)))[0]
        blocks = (1.0 - np.eye(n)[begin : begin + _IMAGE_BLOCK] for begin in range(0, n, _IMAGE_BLOCK))
        return np.concatenate([np.zeros(0), *(average(self, block) for block in blocks)]) - score


def measure(reference: Reference, submission: Gathered, settings: Settings) -> ImageStatistics:
    """Compare all detections with the persons of their images and match them."""
    persons, name = reference.persons, settings["measure"]
    by_image = best_of_images(submission.kept, len(persons.image_id))
    points = point_similarities(reference, by_image, settings["kappa"])
    compared = compare(persons, by_image, points)
    half, n_dense = compared.at_half(name), compared.n_annotated()
    is_match = half.pairs()
    values = similarity(name, compared.gps, compared.mask_iou)[is_match]
    image = compared.detections.image[compared.pairs.detection[is_match]]
    sums = np.bincount(image, values, len(n_dense))
    missing = "no detection", compared.n_detections()[n_dense > 0] == 0, "densely annotated image"
    return ImageStatistics(
        item_scores=means(sums, n_dense),
        item_submitted=compared.n_detections() > 0,
        item_weights=n_dense,
        notes=[*_notes(submission, compared), *missing_notes("N-IMAGES-MISSING", *missing)],
        compared=compared,
        ranked=average_precision.ranked(compared.matches, 0, MEASURES.index(name)),
        points=points,
        half=half,
        measure=name,
    )


def best_of_images(kept: Sequence[Kept], n_images: int) -> list[list[Kept]]:
    """Return the detections of each image that are looked at, in descending score."""
    by_image: list[list[Kept]] = [[] for _ in range(n_images)]
    for detection in kept:
        by_image[detection.image].append(detection)
    for detections in by_image:
        detections.sort(key=lambda detection: (-detection.score, detection.index))
        del detections[average_precision.MOST_DETECTIONS :]
    return by_image


def point_similarities(reference: Reference, by_image: list[list[Kept]], kappa: float) -> Points:
    """Return the similarity of all points of all pairs of a detection and a person of its image."""
    persons = reference.persons
    firsts = np.searchsorted(persons.image, np.arange(len(by_image) + 1))
    columns: list[tuple[Ints, Ints, Ints, Ints]] = [(np.zeros(0, np.int64),) * 4]
    n_pairs = 0
    for image, detections in enumerate(by_image):
        first, last = int(firsts[image]), int(firsts[image + 1])
        points = np.arange(*persons.point_start[[first, last]].tolist())
        person = np.repeat(np.arange(last - first), np.diff(persons.point_start[first : last + 1]))
        for kept in detections:
            columns.append((kept.part, kept.vertex, points, n_pairs + person))
            n_pairs += last - first
    part, vertex, true_point, pair = (np.concatenate(column) for column in zip(*columns))
    true_vertex, true_part = persons.vertex[true_point], persons.part[true_point].astype(np.int64)
    distance = np.where(vertex == true_vertex, 0.0, np.inf)
    stored = (vertex != geodesic.NO_VERTEX) & (vertex != true_vertex)
    distance[stored] = reference.template.lookup(geodesic.pair_position(vertex[stored], true_vertex[stored]))
    normalizer = geodesic.MEAN_DISTANCES[geodesic.COARSE_PART[true_part]]
    if kappa:
        normalizer = np.full(len(pair), kappa)
    similarity = geodesic.point_similarity(distance, stored, normalizer, pair, n_pairs)
    return Points(similarity, part, true_part, pair, n_pairs)


def compare(persons: Persons, by_image: Sequence[Sequence[Kept]], points: Points) -> Compared:
    """Match the detections of all images for all measures."""
    kept = [detection for detections in by_image for detection in detections]
    box = np.array([detection.box for detection in kept], dtype=np.float64).reshape(-1, 4)
    detections = Detections(
        np.array([detection.image for detection in kept], dtype=np.int64),
        np.array([detection.score for detection in kept], dtype=np.float64),
        box[:, 2] * box[:, 3],
    )
    people = People(len(by_image), persons.image, persons.area, persons.dense, persons.crowd)
    pairs = Pairs.of_images(detections.image, people.image)
    person = pairs.person
    overlap = average_precision.box_iou(box[pairs.detection], persons.box[person], persons.crowd[person])
    mask_iou = np.concatenate([np.zeros(0), *(detection.mask_iou for detection in kept)])
    gps = points.gps(points.similarity)
    measures = np.stack([similarity(name, gps, mask_iou) for name in MEASURES])
    matches = average_precision.match(measures, overlap, detections, people)
    return Compared(detections, people, pairs, overlap, mask_iou, gps, matches)


def similarity(measure: str, gps: Floats, mask_iou: Floats) -> Floats:
    """Return the similarity by which pairs are matched: GPSm, GPS or mask IoU."""
    return {"gpsm": np.sqrt(gps * mask_iou), "gps": gps, "iou": mask_iou}[measure]


def average(statistics: ImageStatistics, weights: Floats) -> Floats:
    """Return the average precision for each row of weights."""
    return average_precision.weighted(statistics.ranked, weights)


def scores(statistics: ImageStatistics) -> dict[str, float]:
    """Return AP and AR at the thresholds and areas, and the AP of the two factors of GPSm."""
    scores = _scores(average_precision.accumulate(statistics.compared.matches), statistics.measure)
    covered = statistics.compared.n_detections()[statistics.compared.n_annotated() > 0] > 0
    return {"score": scores["ap"], "coverage": float(covered.mean()) if len(covered) else 0.0, **scores}


def error_costs(statistics: ImageStatistics) -> dict[str, float]:
    """Return the AP without images without a detection, each type of error of the matched pairs, false
    detections, or missed persons.

    One thing is changed, and all images are matched again.
    """
    ones = np.ones((1, statistics.compared.people.n_images))
    corrected = _corrected(statistics).items()
    return {key: float(average_precision.weighted(ranked, ones)[0]) for key, ranked in corrected}


def _scores(curves: average_precision.PrecisionCurves, measure: str) -> dict[str, float]:
    number = MEASURES.index(measure)
    precision, recall = curves.precision[:, number], curves.recall[:, number]
    percents = [round(100 * threshold) for threshold in average_precision.THRESHOLDS]
    areas = list(enumerate(average_precision.AREAS))[1:]
    scores: dict[str, float] = {}
    for name, values in (("ap", precision), ("ar", recall)):
        at = {f"{name}{percent}": curves.average(row, 0) for percent, row in zip(percents, values[0])}
        scores |= {name: curves.average(values[0], 0)}
        scores |= {key: at[key] for key in (f"{name}50", f"{name}75")}
        scores |= {f"{name}_{area}": curves.average(values[index], index) for index, area in areas}
        scores |= at if name == "ap" else {}
    for name in ("gps", "iou"):
        scores[f"ap_{name}"] = curves.average(curves.precision[0, MEASURES.index(name)], 0)
    return scores


def _notes(submission: Gathered, compared: Compared) -> list[Note]:
    notes, n_used = [], len(compared.detections.score)
    n_persons = compared.matches.n_persons.sum(axis=1).tolist()
    undefined = [area for area, number in zip(average_precision.AREAS, n_persons) if not number]
    if undefined:
        text = f"no annotated person counts for the areas {', '.join(undefined)}; "
        notes.append(Note("N-AREA-EMPTY", f"{text}their scores are reported as 0"))
    if submission.n_other_categories:
        text = f"{counted(submission.n_other_categories, 'detection')} of other categories ignored; "
        explains = () if submission.kept else ("N-ZERO", "N-IMAGES-MISSING")
        notes.append(Note("N-CATEGORY", f"{text}write category_id 1", explains))
    dropped = submission.n_detections - submission.n_other_categories - n_used
    if dropped:
        most = average_precision.MOST_DETECTIONS
        text = f"{counted(dropped, 'detection')} beyond the {most} best of an image left out"
        notes.append(Note("N-DETECTIONS-MANY", text))
    return notes


def _corrected(statistics: ImageStatistics) -> dict[str, Ranked]:
    """Return the ranked detections of all images without each type of error."""
    compared, people = statistics.compared, statistics.compared.people
    similarities = _corrected_similarities(statistics)
    values = np.stack(list(similarities.values()))
    matches = average_precision.match(values, compared.overlap, compared.detections, people, _AREAS)
    corrected = {key: average_precision.ranked(matches, 0, number) for number, key in enumerate(similarities)}
    is_matched = np.isin(np.arange(len(people.dense)), statistics.half.person)
    rematched = {
        "not_submitted": _with_ignored(statistics, compared.n_detections()[people.image] == 0),
        "false_positives": _without_false(statistics),
        "missed_persons": _with_ignored(statistics, ~is_matched),
    }
    return corrected | {key: average_precision.ranked(own, 0, 0) for key, own in rematched.items()}


def _corrected_similarities(statistics: ImageStatistics) -> dict[str, Floats]:
    """Return the similarity of all pairs, shape (n_pairs,), without each type of error in matches.

    Those of points change nothing if similarity is that of masks.
    """
    compared, points, measure = statistics.compared, statistics.points, statistics.measure
    is_match = statistics.half.pairs()
    corrected = {"masks": (compared.gps, np.where(is_match, 1.0, compared.mask_iou))}
    in_match, on_body = is_match[points.pair], points.part > 0
    same_part = on_body & (points.part == points.true_part)
    errors = {"background": ~on_body, "wrong_part": on_body & ~same_part, "off_within_part": same_part}
    for key, chosen in errors.items() if measure != "iou" else ():
        corrected[key] = (points.gps(np.where(in_match & chosen, 1.0, points.similarity)), compared.mask_iou)
    return {key: similarity(measure, *factors) for key, factors in corrected.items()}


def _without_false(statistics: ImageStatistics) -> Matches:
    """Match again without the detections that are neither matched nor ignored at 0.5."""
    compared, detections = statistics.compared, statistics.compared.detections
    kept = statistics.half.is_no_error
    pair = kept[compared.pairs.detection]
    values = statistics.similarity[None, pair]
    remaining = Detections(detections.image[kept], detections.score[kept], detections.area[kept])
    return average_precision.match(values, compared.overlap[pair], remaining, compared.people, _AREAS)


def _with_ignored(statistics: ImageStatistics, ignored: Bools) -> Matches:
    """Match again with some of the persons ignored; bool, shape (n_persons,)."""
    compared, people = statistics.compared, statistics.compared.people
    remaining = people._replace(dense=people.dense & ~ignored)
    values = statistics.similarity[None]
    return average_precision.match(values, compared.overlap, compared.detections, remaining, _AREAS)
