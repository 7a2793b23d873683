"""The other interpretations of a submission to DensePose."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.densepose.reference import Gathered, Kept, Persons, Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, sample, with_sizes
from scoring_program.metrics.average_precision import box_iou
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints

# A point agrees if U and V are this near; a detection agrees if this share of its points does.
_NEAR = 0.2
_SHARE = 0.25
_IOU = 0.5
_STRIDE = 4
# Each entry is a detection with many points, and few are needed.
_DEVIATIONS = 2.5


def checks(reference: Reference, submission: Gathered) -> list[Check]:
    """Return what to compare with the reference, in the order of scoring."""
    kept = sorted(submission.kept, key=lambda detection: detection.index)
    kept = [kept[index] for index in sample(len(kept)).tolist()]
    return [_boxes(reference.persons, kept), _points(reference, kept)]


class _Coordinates:
    """Looks up U and V of vertices: the middle of their cells, from every fourth cell each way."""

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


def _boxes(persons: Persons, kept: list[Kept]) -> Check:
    image = np.array([detection.image for detection in kept], dtype=np.int64)
    entry, person, _ = pairs_in_groups(image, persons.image)
    raw = np.array([detection.box for detection in kept], dtype=np.float64).reshape(-1, 4)[entry]
    pairs = BoxPairs(len(kept), entry, with_sizes(raw), with_sizes(persons.box[person]))
    others = [
        ("N-LOOKS-XYXY", "as [x1, y1, x2, y2]", raw),
        ("N-LOOKS-SWAPPED", "as [y, x, width, height]", with_sizes(raw[:, [1, 0, 2, 3]])),
        ("N-LOOKS-SWAPPED", "as [y, x, height, width]", with_sizes(raw[:, [1, 0, 3, 2]])),
    ]
    remedy = "Write the box as [x, y, width, height]"
    interpretations = pairs.interpretations(pairs.prediction, others, remedy)
    claim = "of your boxes meet an annotated person"
    return Check(claim, pairs.find_overlapping(pairs.prediction), interpretations, len(np.unique(person)))


def _on_persons(persons: Persons, kept: list[Kept]) -> tuple[list[int], Ints, Ints]:
    """Return the persons that detections are on; entry and point; part and vertex of their points."""
    met_persons: list[int] = []
    columns: list[Ints] = [np.zeros((4, 0), np.int64)]
    for detection in kept:
        first, last = np.searchsorted(persons.image, [detection.image, detection.image + 1]).tolist()
        dense = np.arange(first, last)[persons.dense[first:last]]
        iou = box_iou(np.array(detection.box), persons.box[dense], persons.crowd[dense])
        if iou.max(initial=0) > _IOU:
            person = int(dense[iou.argmax()])
            points = np.arange(*persons.point_start[[person, person + 1]].tolist())
            seen = points - int(persons.point_start[first])
            predicted = detection.part[seen], detection.vertex[seen]
            columns.append(np.stack([np.full_like(points, len(met_persons)), points, *predicted]))
            met_persons.append(person)
    rows = np.concatenate(columns, axis=1)
    return met_persons, rows[:2], rows[2:]


def _points(reference: Reference, kept: list[Kept]) -> Check:
    """Return the check of parts and coordinates at the points of the person that each detection is on."""
    persons = reference.persons
    met_persons, (entry, point), (part, vertex) = _on_persons(persons, kept)
    coordinates = _Coordinates(reference.template.nearest)
    true_part = persons.part[point].astype(np.int64)
    ground_truth, prediction = coordinates(true_part, persons.vertex[point]), coordinates(part, vertex)
    total = np.bincount(entry, minlength=len(met_persons))

    def near(uv: Floats, read_part: Ints) -> Bools:
        return (np.abs(uv - ground_truth) < _NEAR).all(axis=1) & (read_part == true_part) & (part > 0)

    def agrees(points: Bools) -> Bools:
        return np.bincount(entry[points], minlength=len(met_persons)) >= _SHARE * np.maximum(total, 1)

    # After the torso, parts 1 and 2, each odd part and the next are those of the two sides.
    mirrored = np.where(part > 2, (part - 1 ^ 1) + 1, part)
    remedy = "Write part 1..24 (0 is background), left and right of the person, then U, then V"
    others = [
        ("N-LOOKS-SWAPPED", "with U and V swapped", near(prediction[:, ::-1], part)),
        ("N-LOOKS-SWAPPED", "with left and right parts swapped", near(prediction, mirrored)),
        ("N-LOOKS-SHIFTED", "with parts plus 1", near(prediction, part + 1)),
    ]
    # Plus 1 fits half of the swapped parts, too. Of interpretations that fit equally, the first is reported.
    others.sort(key=lambda other: -int(other[2].sum()))
    interpretations = [Interpretation(code, how, agrees(points), remedy) for code, how, points in others]
    claim, as_is = "of your detections have many points of their person near", agrees(near(prediction, part))
    return Check(claim, as_is, interpretations, len(set(met_persons)), deviations=_DEVIATIONS)
