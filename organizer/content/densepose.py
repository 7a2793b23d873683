"""What of the annotations of DensePose is scored, and what of it is likely a mistake."""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np

from organizer.content import Content, Values, check_boxes, check_same, drawings, repeated, warn_where
from scoring_program.challenges.densepose.drawings import annotated, canvas
from scoring_program.challenges.densepose.prepare import ANNOTATIONS_FILE
from scoring_program.challenges.densepose.read import Persons, Reference
from scoring_program.result import Drawing, DrawnObject
from scoring_program.task import AnyLoaded
from validator.arrays import Ints
from validator.findings import Findings, counted

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
    n_crowds = int(persons.crowd.sum())
    counts |= {"persons": len(rows), "densely annotated persons": len(dense), "crowds": n_crowds}
    counts |= {"densely annotated persons without mask": int(no_mask[dense].sum()), "points": len(points)}
    parts = {str(part): n for part, n in enumerate(np.bincount(persons.part, minlength=25).tolist()) if part}
    size = np.sqrt(persons.box[:, 2:].prod(axis=1))
    values = [
        Values("persons in an image", np.diff(first), ids.__getitem__),
        Values("points of a person", n_points[dense], lambda index: person(int(dense[index]))),
        Values("size of a person (root of the area of the box, pixels)", size, person),
    ]
    n_in_image = np.bincount(image_of_point, minlength=len(ids))
    draw = partial(drawings, "Images", n_in_image, partial(_drawing, persons, first))
    return Content(len(dense), counts, {"part of points": parts}, values, warnings, draw)


def _drawing(persons: Persons, first: Ints, image: int) -> Drawing:
    """Return the persons of an image, and the points of each part; ``first`` are the first of each image."""
    objects = list[DrawnObject]()
    for number, person in enumerate(range(*first[image : image + 2].tolist()), 1):
        points = np.arange(*persons.point_start[person : person + 2].tolist())
        outcome = counted(len(points), "point") if persons.dense[person] else "not scored"
        objects.append(DrawnObject(f"person {number}", outcome, False, [annotated(persons, person)]))
        for part in np.unique(persons.part[points]).tolist():
            own = points[persons.part[points] == part]
            marks = [(x, y, part / 24) for x, y in zip(persons.x[own].tolist(), persons.y[own].tolist())]
            objects.append(DrawnObject(f"person {number}", f"part {part}", False, (), marks))
    text = "; ".join(f"{drawn.label}: {drawn.outcome}" for drawn in objects if drawn.shapes)
    return canvas(persons, image, f"{text}. The color of points is their part.", objects)
