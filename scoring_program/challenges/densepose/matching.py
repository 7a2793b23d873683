"""From kept detections to similarities of all pairs, and to matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.densepose.read import Kept, Persons, Reference
from scoring_program.metrics import average_precision, geodesic
from scoring_program.metrics.average_precision import Detections, Matches, Pairs, People
from scoring_program.metrics.pairs import group_means, pairs_in_groups
from validator.arrays import Bools, Floats, Ints

MEASURES = ("gpsm", "gps", "iou")


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
    pairs = Pairs(*pairs_in_groups(detections.image, people.image)[:2])
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
