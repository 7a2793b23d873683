"""What of the annotations of DensePose is scored, and what of it is likely a mistake."""

from __future__ import annotations

from typing import cast

import numpy as np

from organizer.content import Content, Values, check_boxes, check_same, repeated, warn_where
from scoring_program.challenges.densepose.prepare import ANNOTATIONS_FILE
from scoring_program.challenges.densepose.read import Reference
from scoring_program.task import AnyLoaded
from validator.findings import Findings

# A box may leave the image by so much of its side.
_MARGIN = 0.02


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: images and densely annotated persons."""
    persons, warnings = cast(Reference, loaded.reference).persons, Findings()
    ids = [f"image {number}" for number in persons.image_id.tolist()]
    first = np.searchsorted(persons.image, np.arange(len(ids) + 1))
    dense, n_points = np.flatnonzero(persons.dense), np.diff(persons.point_start)

    def person(index: int) -> str:
        image = int(persons.image[index])
        return f"{ids[image]} person {index - int(first[image]) + 1}"

    at = (ANNOTATIONS_FILE, person)
    problem = "no point of the densely annotated person is known"
    warn_where(persons.dense & (n_points == 0), "R-EMPTY", problem, at, warnings)
    boxes = np.hstack([persons.box[:, :2], persons.box[:, :2] + persons.box[:, 2:]])
    check_boxes("person", boxes, at, warnings)
    side = persons.image_size[persons.image][:, ::-1]
    margin = np.maximum(1, _MARGIN * side)
    outside = np.logical_or(*((boxes[:, :2] < -margin) | (boxes[:, 2:] > side + margin)).T)
    warn_where(outside, "R-BOX", "the box of the person is outside of the image", at, warnings)
    rows = np.column_stack([persons.image, persons.box])
    warn_where(repeated(rows), "R-REPEATED", "the box of the person repeats an earlier one", at, warnings)
    points = np.column_stack([persons.x, persons.y, persons.part, persons.vertex])
    image_of_point = np.repeat(persons.image, n_points)
    check_same(ids, [(persons.image, persons.box), (image_of_point, points)], warnings)
    n_annotated, no_mask = len(np.unique(persons.image[dense])), np.diff(persons.run_start) < 2
    counts = {"images": len(ids), "images without densely annotated persons": len(ids) - n_annotated}
    counts |= {
        "persons": len(rows),
        "densely annotated persons": len(dense),
        "crowds": int(persons.crowd.sum()),
    }
    counts |= {"densely annotated persons without mask": int(no_mask[dense].sum()), "points": len(points)}
    parts = {str(part): n for part, n in enumerate(np.bincount(persons.part, minlength=25).tolist()) if part}
    size = np.sqrt(persons.box[:, 2:].prod(axis=1))
    values = [
        Values("persons in an image", np.diff(first), ids.__getitem__),
        Values("points of a person", n_points[dense], lambda index: person(int(dense[index]))),
        Values("size of a person (root of the area of the box, pixels)", size, person),
    ]
    return Content(len(dense), counts, {"part of points": parts}, values, warnings)
