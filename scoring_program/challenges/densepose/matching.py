"""From kept detections to similarities of all pairs, and to matches in each image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring_program.challenges.densepose.gathering import Kept
from scoring_program.challenges.densepose.reference import Persons, Reference
from scoring_program.metrics import average_precision, geodesic
from scoring_program.metrics.average_precision import Detections, People
from scoring_program.result import Numbers

MEASURES = ("gpsm", "gps", "iou")


@dataclass(frozen=True)
class Points:
    """All pairs of a kept detection and a person of its image, point by point; arrays of shape (n_points,).

    ``part`` is the predicted part, 0 for background; ``pair`` numbers the pairs, image by image.
    """

    similarity: Numbers
    part: np.ndarray
    true_part: np.ndarray
    pair: np.ndarray
    n_pairs: int

    def gps(self, similarity: Numbers) -> Numbers:
        """Return the GPS of each pair, shape (n_pairs,), for other similarities of the points."""
        return geodesic.mean_similarity(similarity, self.pair, self.n_pairs)


@dataclass(frozen=True)
class Image:
    """One image: its detections in descending score and its persons in file order.

    Attributes
    ----------
    detections : Detections
    people : People
    overlap, mask_iou, gps : float64 arrays of shape (n_detections, n_persons)
        IoU of the boxes, of the masks, and geodesic point similarity.
    first_pair : int
        Number of the first pair of a detection and a person; the others follow row by row.
    matches : ImageMatches
        For all measures.
    """

    detections: Detections
    people: People
    overlap: np.ndarray
    mask_iou: np.ndarray
    gps: np.ndarray
    first_pair: int
    matches: average_precision.ImageMatches


def right(image: Image, main: int) -> np.ndarray:
    """Return which detections are matched at 0.5, area all, and not ignored; bool, shape (n_detections,)."""
    return (image.matches.matched[0, main, 0] >= 0) & ~image.matches.ignored[0, main, 0]


def matched_pairs(images: Sequence[Image], main: int, n_pairs: int) -> np.ndarray:
    """Return which pairs of a detection and a person are matched at 0.5, area all; bool, shape (n_pairs,)."""
    is_match = np.zeros(n_pairs, dtype=bool)
    for image in images:
        chosen = np.flatnonzero(right(image, main))
        person = image.matches.matched[0, main, 0, chosen]
        is_match[image.first_pair + chosen * len(image.people.area) + person] = True
    return is_match


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
    parts, vertices, true_points, pairs = [], [], [], []
    n_pairs = 0
    for image, detections in enumerate(by_image):
        first, last = int(firsts[image]), int(firsts[image + 1])
        points = np.arange(*persons.point_start[[first, last]].tolist())
        sizes = np.diff(persons.point_start[first : last + 1])
        for kept in detections:
            parts.append(kept.part)
            vertices.append(kept.vertex)
            true_points.append(points)
            pairs.append(n_pairs + np.repeat(np.arange(last - first), sizes))
            n_pairs += last - first
    empty = np.zeros(0, np.int64)
    part, vertex = np.concatenate([empty, *parts]), np.concatenate([empty, *vertices])
    true_point, pair = np.concatenate([empty, *true_points]), np.concatenate([empty, *pairs])
    true_vertex, true_part = persons.vertex[true_point], persons.part[true_point].astype(np.int64)
    distance = np.where(vertex == true_vertex, 0.0, np.inf)
    stored = (vertex != geodesic.NO_VERTEX) & (vertex != true_vertex)
    distance[stored] = reference.template.lookup(geodesic.pair_position(vertex[stored], true_vertex[stored]))
    normalizer = np.full(len(pair), kappa) if kappa else geodesic.MEAN_DISTANCES[geodesic.COARSE_PART[true_part]]
    similarity = geodesic.point_similarity(distance, stored, normalizer, pair, n_pairs)
    return Points(similarity, part, true_part, pair, n_pairs)


def match_images(persons: Persons, by_image: list[list[Kept]], gps: Numbers) -> list[Image]:
    """Match the detections of each image for all measures; ``gps`` has shape (n_pairs,)."""
    images, first_pair = [], 0
    firsts = np.searchsorted(persons.image, np.arange(len(by_image) + 1)).tolist()
    for detections, first, last in zip(by_image, firsts, firsts[1:]):
        shape = len(detections), last - first
        own = slice(first, last)
        boxes = np.array([kept.box for kept in detections], dtype=np.float64).reshape(-1, 4)
        scores = np.array([kept.score for kept in detections], dtype=np.float64)
        found = Detections(scores, boxes[:, 2] * boxes[:, 3])
        people = People(persons.area[own], persons.dense[own], persons.crowd[own])
        overlap = average_precision.box_iou(boxes, persons.box[own], persons.crowd[own])
        mask_iou = np.array([kept.mask_iou for kept in detections]).reshape(shape)
        own_gps = gps[first_pair : first_pair + shape[0] * shape[1]].reshape(shape)
        measures = np.stack([similarity(name, own_gps, mask_iou) for name in MEASURES])
        matches = average_precision.match_image(measures, overlap, found, people)
        images.append(Image(found, people, overlap, mask_iou, own_gps, first_pair, matches))
        first_pair += shape[0] * shape[1]
    return images


def similarity(measure: str, gps: Numbers, mask_iou: Numbers) -> Numbers:
    """Return the similarity by which pairs are matched: GPSm, GPS or mask IoU."""
    return {"gpsm": np.sqrt(gps * mask_iou), "gps": gps, "iou": mask_iou}[measure]
