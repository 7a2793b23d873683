"""What the search for the simplest repair compares for DensePose: images, boxes, and arrays of part, U, V."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.decision import Family
from people_in_video.diagnosis.readings import from_sizes
from people_in_video.diagnosis.regions import Form, Regions
from people_in_video.diagnosis.sampled_pixels import (
    ARRAY_READINGS,
    SampledKept,
    SampledPixels,
    SamplingKeeper,
)
from people_in_video.diagnosis.samples import Arrays, Ids, Kind
from people_in_video.diagnosis.sampling import Spread, ranks_in_groups
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.challenges.densepose.measure import ImageStatistics
from scoring_program.challenges.densepose.reference import Gathered, Kept, Persons, Reference, Template
from scoring_program.metrics import geodesic
from scoring_program.notes import missing_notes
from scoring_program.scoring import AnyLoaded
from validator.arrays import Floats, Ints
from validator.messages import Note

_IMAGE = "Write the image ids of the annotation file"
_BOX = "Write boxes as [x, y, width, height], x and y of the upper left corner, in pixels of the image"
_OWN_IMAGE = "Write each detection with the id of its own image"
_ARRAY = "Write part, U and V as channels 0, 1 and 2, row by row from the upper left corner of the box"
_PART = "Parts count from 1; 0 is background"
_SIDE = "Left and right are those of the person, not of the image"
_REMEDIES_OF_ARRAYS = {Family.NUMBERS: _PART, Family.ORDER: _SIDE}
# Torso parts have no other side; each odd part after them and the next one are those of the two sides.
_FIRST_PART_WITH_SIDE = 3
# U and V of vertices are looked up in every fourth cell each way.
_CELL_STEP = 4


def comparisons(reference: Reference, submission: Gathered) -> list[Comparison]:
    """Return what is compared, in the order of scoring."""
    evidence = _Evidence(reference, submission)
    return [
        Comparison(Kind.IDS, "images", evidence.images, _IMAGE),
        Comparison(
            kind=Kind.BOXES,
            what="boxes",
            sample=evidence.boxes,
            remedy=_BOX,
            remedies={Family.ITEMS: _OWN_IMAGE},
            explains=("N-BOXES-OUTSIDE",),
        ),
        Comparison(Kind.ARRAYS, "arrays", evidence.arrays, _ARRAY, remedies=_REMEDIES_OF_ARRAYS),
    ]


class _Evidence:
    """Both sides, and what is compared of them."""

    def __init__(self, reference: Reference, submission: Gathered) -> None:
        self._persons = reference.persons
        self._template = reference.template
        self._submission = submission

    def images(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the ids of images."""
        predicted = [str(image_id) for image_id in self._submission.first_of_image]
        true = [str(image_id) for image_id in self._persons.image_id.tolist()]
        return Ids(predicted=predicted, true=true, what="images") if predicted else None

    def boxes(self, repairs: Repairs, spread: Spread) -> Regions | None:
        """Return the boxes of the best detections of each image, as many as it has persons."""
        persons = self._persons
        n_images = len(persons.image_id)
        detections, image = self._best_detections
        item = self._meant_images(image, repairs)
        candidates = np.flatnonzero(item >= 0)
        if not len(candidates):
            return None
        # Items ascend, so that entries do not depend on the order of the file.
        candidates = candidates[np.argsort(item[candidates], kind="stable")]
        entries = candidates[spread.choose(item[candidates])]
        needed_images = spread.items_nearby(item[entries], n_images)
        true_entries = np.flatnonzero(np.isin(persons.image, needed_images))
        return Regions(
            columns=np.array([detections[entry].box for entry in entries.tolist()], dtype=np.float64),
            item=item[entries],
            true_corners=from_sizes(persons.box[true_entries]),
            true_item=persons.image[true_entries].astype(np.int64),
            n_items=n_images,
            form=Form.SIZES,
            item_noun="image",
        )

    def arrays(self, repairs: Repairs, spread: Spread) -> Arrays | None:
        """Return parts, U and V at points of persons, of the best detection that is on each."""
        sampled = [pixels for pixels in self._best_pixels_of_persons() if len(pixels.point)]
        if not sampled:
            return None
        image = self._persons.image[[pixels.person for pixels in sampled]].astype(np.int64)
        entries = spread.choose(image)
        sampled = [sampled[entry] for entry in entries.tolist()]
        points = _Points.joined(sampled, self._persons, self._template)
        return Arrays(
            item=image[entries],
            entry=points.entry,
            readings=dict(zip(ARRAY_READINGS, points.values.astype(np.int64))),
            true_values=points.true_values,
            mirrored_parts=_mirrored_parts(),
        )

    @cached_property
    def _best_detections(self) -> tuple[list[Kept], Ints]:
        """The best detections of each image, as many as it has persons, and their images (n,)."""
        kept = self._submission.kept
        image = np.array([detection.image for detection in kept], dtype=np.int64)
        score = np.array([detection.score for detection in kept], dtype=np.float64)
        n_persons = np.bincount(self._persons.image, minlength=len(self._persons.image_id))
        order = np.lexsort((-score, image))
        in_order = image[order]
        rank, _ = ranks_in_groups(in_order)
        best = order[rank < n_persons[in_order]]
        return [kept[number] for number in best.tolist()], image[best]

    def _meant_images(self, image: Ints, repairs: Repairs) -> Ints:
        """Return the image of the reference that each detection is meant for, -1 without one."""
        if Kind.IDS not in repairs:
            return image
        image_ids = self._persons.image_id.tolist()
        index_of_id = {str(image_id): index for index, image_id in enumerate(image_ids)}
        meant_ids = [repairs.word("images", image_id) for image_id in index_of_id]
        return np.array([index_of_id.get(meant, -1) for meant in meant_ids], dtype=np.int64)[image]

    def _best_pixels_of_persons(self) -> list[SampledPixels]:
        """Return the pixels of the detection with the best score on each person, in the order of persons."""
        best_of_person: dict[int, SampledKept] = {}
        for detection in self._submission.kept:
            # Detections that the program read have none.
            if not isinstance(detection, SampledKept):
                continue
            pixels = detection.sampled_pixels
            if pixels is None:
                continue
            best = best_of_person.get(pixels.person)
            if best is None or detection.score > best.score:
                best_of_person[pixels.person] = detection
        best_pixels = [best_of_person[person].sampled_pixels for person in sorted(best_of_person)]
        return [pixels for pixels in best_pixels if pixels is not None]


class _Points(NamedTuple):
    """Points of sampled detections, (p,) each: the detection, what it has there, and what is annotated.

    ``values`` (n_readings, p, 3) and ``true_values`` (p, 3) are part, and U and V times 255.
    """

    entry: Ints
    values: Ints
    true_values: Floats

    @classmethod
    def joined(cls, sampled: Sequence[SampledPixels], persons: Persons, template: Template) -> _Points:
        """Join the points of detections, without the few whose vertex is at no cell that is looked up."""
        point = np.concatenate([pixels.point for pixels in sampled])
        entry = np.repeat(np.arange(len(sampled)), [len(pixels.point) for pixels in sampled])
        true_values = _true_values(persons, point, template)
        has_values = ~np.isnan(true_values).any(axis=1)
        values = np.concatenate([pixels.values for pixels in sampled], axis=1)
        return cls(entry[has_values], values[:, has_values], true_values[has_values])


def _true_values(persons: Persons, point: Ints, template: Template) -> Floats:
    """Return the part, and U and V times 255, of annotated points (p,), shape (p, 3).

    A prepared reference holds the nearest vertex of each point: U and V are those of the middle of its cells
    in the table of vertices, NaN if no cell that is looked up has it.
    """
    part = persons.part[point].astype(np.int64)
    key = (part - 1) * template.n_vertices + persons.vertex[point]
    cells = template.nearest[:, ::_CELL_STEP, ::_CELL_STEP].astype(np.int64)
    cell_part, cell_u, cell_v = np.indices(cells.shape)
    cell_key = (cell_part * template.n_vertices + cells).ravel()
    n_keys = geodesic.PARTS * template.n_vertices
    n_cells = np.bincount(cell_key, minlength=n_keys)[key]
    columns = [part.astype(np.float64)]
    for cell_coordinate in (cell_u, cell_v):
        sums = np.bincount(cell_key, _CELL_STEP * cell_coordinate.ravel(), n_keys)[key]
        columns.append(np.where(n_cells > 0, sums / np.maximum(n_cells, 1), np.nan))
    return np.stack(columns, axis=1)


def _mirrored_parts() -> Ints:
    """Return the part on the other side of the body for each part 0..24."""
    part = np.arange(geodesic.PARTS + 1)
    other_side = (part - 1 ^ 1) + 1
    return np.where(part >= _FIRST_PART_WITH_SIDE, other_side, part)


COMPARISONS = {"densepose": comparisons}
make_keeper = SamplingKeeper


def _missing_image_notes(loaded: AnyLoaded, submission: object, statistics: ImageStatistics) -> list[Note]:
    """Return a note on the densely annotated images without a detection."""
    pairing = statistics.pairing
    is_missing = pairing.n_detections()[pairing.n_annotated() > 0] == 0
    return missing_notes("N-IMAGES-MISSING", "no detection", is_missing, "densely annotated image")


FULL_NOTES = {"densepose": _missing_image_notes}
