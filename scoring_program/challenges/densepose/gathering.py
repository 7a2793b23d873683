"""Keeping of each detection what matching needs, while the submission is read."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scoring_program.challenges.densepose.reference import Reference
from scoring_program.metrics import geodesic, masks
from scoring_program.metrics.arrays import Floats, Ints
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from validator.formats.densepose import Detection, DetectionFacts

_MASKS_KEPT = 256


@dataclass(frozen=True)
class Kept:
    """What matching needs of a detection."""

    index: int
    image: int
    box: tuple[float, float, float, float]
    score: float
    part: Ints
    vertex: Ints
    mask_iou: Floats


@dataclass(frozen=True)
class Gathered:
    """The detections that one process read, of which at most 20 an image are kept."""

    kept: list[Kept]
    n_detections: int
    n_other_categories: int
    facts: DetectionFacts


class Gatherer:
    """Keeps of each detection what it predicts at the points of its image's persons, and the IoU with
    their masks."""

    def __init__(self, reference: Reference) -> None:
        self._persons = reference.persons
        self._nearest = reference.template.nearest
        self._image = {image_id: index for index, image_id in enumerate(self._persons.image_id.tolist())}
        self._categories = set(self._persons.category.tolist())
        self._best: dict[int, list[tuple[float, int, Kept]]] = {}
        self._count = self._others = 0
        self._facts = DetectionFacts()
        self._mask = lru_cache(maxsize=_MASKS_KEPT)(self._person_mask)

    def take(self, detection: Detection) -> None:
        """Look at one detection."""
        self._count += 1
        self._facts.take(detection)
        if detection.category_id not in self._categories:
            self._others += 1
            return
        image = self._image[detection.image_id]
        best = self._best.setdefault(image, [])
        rank = (detection.score, -detection.index)
        if len(best) == MOST_DETECTIONS and rank < best[0][:2]:
            return
        first, last = np.searchsorted(self._persons.image, [image, image + 1]).tolist()
        points = slice(*self._persons.point_start[[first, last]].tolist())
        part, vertex = geodesic.predicted_parts_and_vertices(
            detection.pixels,
            self._nearest,
            self._persons.x[points],
            self._persons.y[points],
            detection.box[:2],
        )
        left, top = int(detection.box[0]), int(detection.box[1])
        height, width = self._persons.image_size[image].tolist()
        mask = masks.place_mask(detection.pixels[..., 0] > 0, top, left, height, width)
        overlap = np.array(
            [masks.mask_iou(mask, self._mask(p), bool(self._persons.crowd[p])) for p in range(first, last)]
        )
        part, vertex = part.astype(np.int8), vertex.astype(np.int32)
        kept = Kept(detection.index, image, detection.box, detection.score, part, vertex, overlap)
        push = heapq.heappush if len(best) < MOST_DETECTIONS else heapq.heappushpop
        push(best, (*rank, kept))

    def _person_mask(self, person: int) -> masks.PlacedMask:
        row, column, height, width = self._persons.mask_place[person].tolist()
        runs = self._persons.run[slice(*self._persons.run_start[person : person + 2].tolist())]
        return masks.PlacedMask(row, column, masks.runs_to_mask(runs, height, width))

    def result(self) -> Gathered:
        """Return what was kept."""
        kept = [entry[2] for best in self._best.values() for entry in best]
        return Gathered(kept, self._count, self._others, self._facts)
