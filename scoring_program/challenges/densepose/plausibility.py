"""The other readings of a submission to DensePose."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.densepose.gathering import Gathered, Kept
from scoring_program.challenges.densepose.reference import Persons, Reference
from scoring_program.metrics import average_precision as ap
from scoring_program.metrics.arrays import Bools, Floats, Ints
from scoring_program.plausibility import BoxPairs, Facet, Reading, sample, with_sizes
from validator.facts import EMPTY
from validator.findings import Note

# A point agrees if U and V are this near; a detection agrees if this share of its points does.
_NEAR = 0.2
_SHARE = 0.25
_IOU = 0.5
_STRIDE = 4
# Each entry is a detection with many points, and few are needed.
_DEVIATIONS = 2.5


def facts(submission: Gathered) -> list[Note]:
    """Return notes that need no reference."""
    return submission.facts.notes() if submission.n_detections else [EMPTY]


def facets(reference: Reference, submission: Gathered) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    kept = sorted(submission.kept, key=lambda own: own.index)
    kept = [kept[place] for place in sample(len(kept)).tolist()]
    return [_boxes(reference.persons, kept), _points(reference, kept)]


class _Places:
    """Looks up where vertices are in U and V: the middle of their cells, from every fourth cell each way."""

    def __init__(self, nearest: Ints) -> None:
        cells = nearest[:, ::_STRIDE, ::_STRIDE].astype(np.int64)
        self._n = int(cells.max()) + 1
        part, u, v = np.indices(cells.shape)
        key = (part * self._n + cells).ravel()
        count = np.bincount(key, minlength=len(nearest) * self._n)
        with np.errstate(invalid="ignore"):
            self._middle = [np.bincount(key, c.ravel(), len(count)) / count / cells.shape[1] for c in (u, v)]

    def __call__(self, part: Ints, vertex: Ints) -> Floats:
        """Return U and V in 0..1, shape (n, 2); not a number for the background."""
        key = np.maximum(part - 1, 0) * self._n + np.clip(vertex, 0, self._n - 1)
        return np.stack([np.where(part > 0, middle[key], np.nan) for middle in self._middle], axis=1)


def _boxes(persons: Persons, kept: list[Kept]) -> Facet:
    image = np.array([own.image for own in kept], dtype=np.int64)
    first, last = np.searchsorted(persons.image, [image, image + 1])
    entry = np.repeat(np.arange(len(kept)), last - first)
    person = np.concatenate([np.zeros(0, np.int64), *map(np.arange, first.tolist(), last.tolist())])
    raw = np.array([own.box for own in kept], dtype=np.float64).reshape(-1, 4)[entry]
    pairs = BoxPairs(len(kept), entry, with_sizes(raw), with_sizes(persons.box[person]))
    fix = "Write the box as [x, y, width, height]"
    readings = pairs.readings(
        with_sizes(raw),
        [
            ("N-LOOKS-XYXY", "as [x1, y1, x2, y2]", raw, fix),
            ("N-LOOKS-SWAPPED", "as [y, x, width, height]", with_sizes(raw[:, [1, 0, 2, 3]]), fix),
            ("N-LOOKS-SWAPPED", "as [y, x, height, width]", with_sizes(raw[:, [1, 0, 3, 2]]), fix),
        ],
    )
    causes = "Boxes are [x, y, width, height] in pixels of the original image"
    return Facet(
        "of your boxes meet an annotated person", pairs.met(pairs.guess), readings, len(np.unique(person)), causes
    )


def _on_persons(persons: Persons, kept: list[Kept]) -> tuple[list[int], Ints, Ints]:
    """Return the persons that detections lie on, and for each of their points: entry and point, part and vertex."""
    met: list[int] = []
    columns: list[Ints] = [np.zeros((4, 0), np.int64)]
    for own in kept:
        first, last = np.searchsorted(persons.image, [own.image, own.image + 1]).tolist()
        here = np.arange(first, last)[persons.dense[first:last]]
        iou = ap.box_iou(np.array(own.box), persons.box[here], persons.crowd[here])
        if iou.max(initial=0) > _IOU:
            person = int(here[iou.argmax()])
            points = np.arange(*persons.point_start[[person, person + 1]].tolist())
            seen = points - int(persons.point_start[first])
            columns.append(np.stack([np.full_like(points, len(met)), points, own.part[seen], own.vertex[seen]]))
            met.append(person)
    found = np.concatenate(columns, axis=1)
    return met, found[:2], found[2:]


def _points(reference: Reference, kept: list[Kept]) -> Facet:
    """Return the facet of parts and coordinates at the points of the person that each detection lies on."""
    persons = reference.persons
    met, (entry, point), (part, vertex) = _on_persons(persons, kept)
    places = _Places(reference.template.nearest)
    true_part = persons.part[point].astype(np.int64)
    truth, guess = places(true_part, persons.vertex[point]), places(part, vertex)
    total = np.bincount(entry, minlength=len(met))

    def agrees(coordinates: Floats, own_part: Ints) -> Bools:
        near = (np.abs(coordinates - truth) < _NEAR).all(axis=1) & (own_part == true_part) & (part > 0)
        return np.bincount(entry[near], minlength=len(met)) >= _SHARE * np.maximum(total, 1)

    fix = "Write part 1..24 (0 is background), then U, then V"
    readings = [
        Reading("N-LOOKS-SWAPPED", "with U and V changed", agrees(guess[:, ::-1], part), fix),
        Reading("N-LOOKS-SHIFTED", "with parts plus 1", agrees(guess, part + 1), fix),
    ]
    claim = "of your detections have many points of their person near"
    return Facet(claim, agrees(guess, part), readings, len(set(met)), fix, deviations=_DEVIATIONS)
