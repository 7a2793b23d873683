"""What the search for the simplest repair compares for DensePose: boxes, arrays of part, U, V, and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from people_in_video.diagnosis.sampled_pixels import (
    READINGS,
    SampledKept,
    SampledPixels,
    SamplingKeeper,
)
from people_in_video.diagnosis.samples import (
    Arrays,
    Regions,
    choose_entries,
    from_sizes,
    ranks_in_groups,
)
from people_in_video.diagnosis.search import Comparison, Explanation, Measured
from people_in_video.diagnosis.trials import Change, Family, Trial
from scoring_program.challenges.densepose.measure import ImageStatistics
from scoring_program.challenges.densepose.reference import Gathered, Kept, Persons, Template
from scoring_program.metrics import geodesic
from scoring_program.scoring import AnyLoaded
from validator.arrays import Floats, Ints
from validator.findings import Note
from validator.hints import missing_notes

_BOX = "Write boxes as [x, y, width, height], x and y of the upper left corner, in pixels of the image"
_OWN_IMAGE = "Write each detection with the id of its own image"
_ARRAY = "Write part, U and V of the own box as channels 0, 1 and 2, row by row from its upper left corner"
_PART = "Parts count from 1; 0 is background"
_SIDE = "Left and right are those of the person, not of the image"
_REMEDIES_OF_ARRAYS = {Family.NUMBERS: _PART, Family.ORDER: _SIDE}
_SCORE = "The detection that is most certain has the highest score"
_LEAST_SIMILARITY = 0.5
# Torso parts have no other side; each odd part after them and the next one are those of the two sides.
_FIRST_PART_WITH_SIDE = 3
# U and V of vertices are looked up in every fourth cell each way.
_CELL_STEP = 4


def _boxes(measured: Measured) -> Iterator[Regions]:
    """Yield the boxes of the best detections of sampled images, as many as each has persons."""
    persons: Persons = measured.reference.persons
    n_images = len(persons.image_id)
    detections: list[Kept] = measured.rows.kept
    image = np.array([detection.image for detection in detections], dtype=np.int64)
    score = np.array([detection.score for detection in detections], dtype=np.float64)
    order = np.lexsort((-score, image))
    n_persons = np.bincount(persons.image, minlength=n_images)
    best = order[ranks_in_groups(image[order]) < n_persons[image[order]]]
    boxes = np.array([detections[entry].box for entry in best.tolist()], np.float64)
    regions = Regions(
        corners=from_sizes(boxes.reshape(-1, 4)),
        item=image[best],
        true_corners=from_sizes(persons.box),
        true_item=persons.image.astype(np.int64),
        n_items=n_images,
        has_sizes=True,
        item_noun="image",
    )
    yield regions.sampled()


def _arrays(measured: Measured) -> Iterator[Arrays]:
    """Yield parts, U and V at points of persons, of the best detection that is on each."""
    persons: Persons = measured.reference.persons
    pixels_of_persons = [
        pixels for pixels in _best_pixels_of_persons(measured.rows.kept) if len(pixels.point)
    ]
    if not pixels_of_persons:
        return
    image = persons.image[[pixels.person for pixels in pixels_of_persons]].astype(np.int64)
    entries = choose_entries(image)
    pixels_of_persons = [pixels_of_persons[entry] for entry in entries.tolist()]
    point = np.concatenate([pixels.point for pixels in pixels_of_persons])
    entry = np.repeat(np.arange(len(pixels_of_persons)), [len(pixels.point) for pixels in pixels_of_persons])
    values = np.concatenate([pixels.values for pixels in pixels_of_persons], axis=1).astype(np.int64)
    true_values = _true_values(persons, point, measured.reference.template)
    # But for the few whose vertex is at no cell that is looked up.
    has_values = ~np.isnan(true_values).any(axis=1)
    yield Arrays(
        item=image[entries],
        entry=entry[has_values],
        readings=dict(zip(READINGS, values[:, has_values])),
        true_values=true_values[has_values],
        mirrored_parts=_mirrored_parts(),
        has_coarse_parts=measured.rows.hints.has_coarse_parts,
    )


def _best_pixels_of_persons(detections: Sequence[Kept]) -> list[SampledPixels]:
    """Return the pixels of the detection with the best score on each person, in the order of persons."""
    best_of_person: dict[int, tuple[float, SampledPixels]] = {}
    for detection in detections:
        # Detections that the program read have none.
        pixels = detection.sampled_pixels if isinstance(detection, SampledKept) else None
        if pixels is None:
            continue
        best_score, _ = best_of_person.get(pixels.person, (-np.inf, pixels))
        if detection.score > best_score:
            best_of_person[pixels.person] = (detection.score, pixels)
    return [pixels for _, (_, pixels) in sorted(best_of_person.items(), key=lambda entry: entry[0])]


def _scores(measured: Measured) -> Iterator[Trial]:
    """Yield the trial of scores in reverse order, of the images with detections that fit and others: whether
    the first of them fits."""
    statistics: ImageStatistics = measured.statistics
    detections, pairs = statistics.pairing.detections, statistics.pairing.pairs
    similarity = np.zeros(len(detections.image))
    np.maximum.at(similarity, pairs.detection, statistics.similarity)
    fits = similarity > _LEAST_SIMILARITY
    order = np.lexsort((-detections.score, detections.image))
    image, fits = detections.image[order], fits[order]
    images, first, n_detections = np.unique(image, return_index=True, return_counts=True)
    n_fitting = np.add.reduceat(fits.astype(np.int64), first) if len(first) else np.zeros(0, np.int64)
    is_compared = (n_fitting > 0) & (n_fitting < n_detections)
    last = first + n_detections - 1
    if is_compared.any():
        yield Trial(
            family=Family.ORDER,
            words="with scores in reverse order",
            before=fits[first[is_compared]],
            after=fits[last[is_compared]],
            item=images[is_compared],
            change=Change(),
            least_share=0.5,
        )


def _with_reversed_scores(measured: Measured, change: Change) -> Gathered:
    submission: Gathered = measured.rows
    return submission._replace(
        kept=[replace(detection, score=-detection.score) for detection in submission.kept]
    )


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


def _missing_image_notes(loaded: AnyLoaded, submission: object, statistics: ImageStatistics) -> list[Note]:
    """Return a note on the densely annotated images without a detection."""
    pairing = statistics.pairing
    is_missing = pairing.n_detections()[pairing.n_annotated() > 0] == 0
    return missing_notes("N-IMAGES-MISSING", "no detection", is_missing, "densely annotated image")


EXPLANATIONS = {
    "densepose": Explanation(
        [
            # The best detections are compared next.
            Comparison("scores", "first detections", _scores, _SCORE, repaired=_with_reversed_scores),
            Comparison(
                kind="places",
                noun="boxes",
                samples=_boxes,
                remedy=_BOX,
                remedies={Family.ITEMS: _OWN_IMAGE},
                explains=("N-BOXES-OUTSIDE",),
            ),
            Comparison("arrays", "arrays", _arrays, _ARRAY, remedies=_REMEDIES_OF_ARRAYS),
        ],
        count_notes=_missing_image_notes,
        make_keeper=SamplingKeeper,
    )
}
