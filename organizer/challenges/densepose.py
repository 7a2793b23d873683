"""Annotations of DensePose: persons with points on the body's surface, and masks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from organizer.challenges import Annotations, Guess, Pools, ragged
from organizer.content import Content, Place, Values, check_boxes, check_same, drawings, repeated, warn_where
from organizer.files import Files
from scoring_program.challenges.densepose.drawings import image_drawing, person_shape
from scoring_program.challenges.densepose.prepare import ANNOTATIONS_FILE
from scoring_program.challenges.densepose.reference import (
    DISTANCES_FILE,
    HASH_FILE,
    PERSONS_FILE,
    TEMPLATE_FILE,
    Persons,
    Reference,
    content_hash,
)
from scoring_program.challenges.densepose.task import TASKS
from scoring_program.hints import with_sizes
from scoring_program.metrics import geodesic
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from scoring_program.prepared import save_prepared
from scoring_program.result import Drawing, DrawnObject
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded
from validator.arrays import Bools, Ints, Pixels
from validator.findings import Findings
from validator.formats.densepose.write import encode_detection, encode_submission
from validator.texts import counted

_PART, _PERSON = "part", "person"
# A box may leave the image by so much of its side.
_MARGIN = 0.02
_SEARCHED = 64


class _Drawing(NamedTuple):
    """A person: part, U and V of its pixels (height, width, 3) from a corner (left, top) on.

    ``is_exact``: each known point has its vertex; ``has_all``: there are known points and a mask.
    """

    person: int
    corner: tuple[int, int]
    pixels: Pixels
    is_exact: bool
    has_all: bool


class DensePoseAnnotations(Annotations[Reference, list[str]]):
    """The annotations of the task; a prediction is a list of detections as JSON texts."""

    shared = (TEMPLATE_FILE, DISTANCES_FILE)

    def pools(self, reference: Reference) -> Pools:
        """Return the parts, by how many points they have, and the boxes of persons."""
        persons = reference.persons
        parts = Counter({str(part): 0 for part in range(1, geodesic.PARTS + 1)})
        parts.update(map(str, persons.part.tolist()))
        return Pools({_PART: parts}, {_PERSON: with_sizes(persons.box[persons.dense])})

    def predicted(self, reference: Reference, guess: Guess) -> list[str]:
        """Return a detection of each densely annotated person."""
        found = []
        for drawing in _drawings(reference):
            if not guess.keeps():
                continue
            (left, top), (height, width, _) = drawing.corner, drawing.pixels.shape
            x1, y1, x2, y2 = guess.box([left, top, left + width, top + height], _PERSON)
            size = [max(int(y2 - y1), 1), max(int(x2 - x1), 1)]
            rows, columns = (np.arange(n) * old // n for n, old in zip(size, (height, width)))
            parts = [0, *(int(guess.label(str(part), _PART)) for part in range(1, geodesic.PARTS + 1))]
            pixels = drawing.pixels[rows[:, None], columns]
            pixels[..., 0] = np.array(parts, np.uint8)[pixels[..., 0]]
            image = int(reference.persons.image_id[reference.persons.image[drawing.person]])
            category = int(reference.persons.category[0])
            box = (x1, y1, float(size[1]), float(size[0]))
            found.append(encode_detection(image, box, 1.0, np.moveaxis(pixels, -1, 0), category))
        return found

    def files(self, prediction: list[str]) -> Files:
        """Return the one JSON file."""
        return encode_submission("baseline", prediction)

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return the images with persons that no detection can suit exactly."""
        persons = reference.persons
        drawings = list(_drawings(reference))
        dense = np.bincount(persons.image[persons.dense], minlength=len(persons.image_id))
        reasons = {
            "a person has no mask or no known point": [d.person for d in drawings if not d.has_all],
            "8-bit U and V, or points that share a pixel": [d.person for d in drawings if not d.is_exact],
        }
        images = {reason: persons.image[of] for reason, of in reasons.items()}
        many = f"only {MOST_DETECTIONS} detections of an image count"
        images[many] = np.flatnonzero(dense > MOST_DETECTIONS)
        return {reason: {str(persons.image_id[n]) for n in of.tolist()} for reason, of in images.items()}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return for each image whether each of its persons is densely annotated."""
        persons = reference.persons
        found: dict[str, list[str]] = {str(image): [] for image in persons.image_id.tolist()}
        for image, dense in zip(persons.image_id[persons.image].tolist(), persons.dense.tolist()):
            found[str(image)].append("dense person" if dense else "other person")
        return found

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the persons of some images."""
        persons = reference.persons
        images = np.array([str(image) in names for image in persons.image_id.tolist()])
        kept = images[persons.image]
        point_start, points = ragged(persons.point_start, kept)
        run_start, runs = ragged(persons.run_start, kept)
        columns = {
            ("image_id", "image_size"): images,
            ("box", "area", "crowd", "dense", "mask_place"): kept,
            ("x", "y", "part", "vertex"): points,
        }
        chosen = {name: getattr(persons, name)[own] for names, own in columns.items() for name in names}
        chosen["image"] = (np.cumsum(images) - 1)[persons.image[kept]]
        part = persons._replace(point_start=point_start, run_start=run_start, run=persons.run[runs], **chosen)
        save_prepared(output / PERSONS_FILE, {}, part._asdict())
        (output / HASH_FILE).write_text(content_hash(output) + "\n", encoding="ascii")


def _drawings(reference: Reference) -> Iterator[_Drawing]:
    """Yield the densely annotated persons, each point as exact as 8 bits allow."""
    from scipy.ndimage import distance_transform_edt

    persons, cells = reference.persons, _cells(reference)
    nearest = reference.template.nearest.ravel()
    for person in np.flatnonzero(persons.dense).tolist():
        points = slice(*persons.point_start[person : person + 2].tolist())
        left, top, width, height = (int(value) for value in persons.box[person])
        # One more than the box: a point at its end is in the pixel after the last.
        mask = np.zeros((max(height, 1) + 2, max(width, 1) + 2), dtype=bool)
        placed = persons.mask(person)
        row, column = placed.row - top, placed.column - left
        mask[row : row + placed.mask.shape[0], column : column + placed.mask.shape[1]] = placed.mask
        x, y = persons.x[points] - left, persons.y[points] - top
        at = (y.astype(np.int64).clip(0, len(mask) - 1), x.astype(np.int64).clip(0, mask.shape[1] - 1))
        cell = np.full(mask.shape, -1)
        cell[at] = cells[persons.vertex[points]]
        hit = cell >= 0
        if hit.any():
            rows, columns = distance_transform_edt(~hit, return_distances=False, return_indices=True)
            cell = cell[rows, columns]
        part, u, v = np.unravel_index(np.maximum(cell, 0), reference.template.nearest.shape)
        pixels = np.where((mask | hit)[..., None], np.stack([part + 1, u, v], axis=-1), 0).astype(np.uint8)
        is_exact = bool((nearest[cell[at]] == persons.vertex[points]).all())
        yield _Drawing(person, (left, top), pixels, is_exact, bool(mask.any() and hit.any()))


def _cells(reference: Reference) -> Ints:
    """Return for each vertex a flat index of (part - 1, U, V) with it, or with the nearest there is."""
    template = reference.template
    flat = template.nearest.ravel()
    cells = np.full(template.n_vertices, -1)
    on_body = np.flatnonzero(flat != geodesic.NO_VERTEX)
    cells[flat[on_body]] = on_body
    known = np.flatnonzero(cells >= 0)
    needed = np.unique(reference.persons.vertex)
    missing = needed[cells[needed] < 0]
    for begin in range(0, len(missing), _SEARCHED):
        block = missing[begin : begin + _SEARCHED]
        positions = geodesic.pair_position(block[:, None], known)
        distances = template.lookup(positions.ravel()).reshape(positions.shape)
        cells[block] = cells[known[distances.argmin(axis=1)]]
    return cells


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
    boxes = with_sizes(persons.box)
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
    _check_ranges(persons, n_points, at, warnings)
    size = np.sqrt(persons.box[:, 2:].prod(axis=1))
    values = [
        Values("persons in an image", np.diff(first), ids.__getitem__),
        Values("points of a person", n_points[dense], lambda index: person(int(dense[index]))),
        Values("size of a person (root of the area of the box, pixels)", size, person),
    ]
    n_in_image = np.bincount(image_of_point, minlength=len(ids))
    draw = partial(drawings, "Images", n_in_image, partial(_drawn_image, persons, first))
    return Content(len(dense), counts, {"part of points": parts}, values, warnings, draw)


def _check_ranges(persons: Persons, n_points: Ints, at: tuple[str, Place], warnings: Findings) -> None:
    """Warn of tiny areas, of points outside of the box or in its corner, and other parts and categories."""
    warn_where(persons.area < 1, "R-RANGE", "the area of the person is less than a pixel", at, warnings)
    owner = np.repeat(np.arange(len(n_points)), n_points)
    place = np.column_stack([persons.x, persons.y]) - persons.box[owner, :2]
    step = persons.box[owner, 2:] / 255

    def n_where(points: Bools) -> Ints:
        return np.bincount(owner[points.any(axis=1)], minlength=len(n_points))

    in_corner = (n_points > 1) & (n_where(place > step) == 0)
    # The box is scaled to 256 pixels, so a point at its end may be a little beyond 255.
    outside = n_where((place < -1e-9) | (place > 256.001 * step)) > 0
    run = "they run from 0 to 255 across the box"
    warn_where(in_corner, "R-RANGE", f"dp_x and dp_y are all in 0..1, but {run}", at, warnings)
    warn_where(outside, "R-RANGE", f"dp_x or dp_y is outside of the box, but {run}", at, warnings)
    if np.setdiff1d(range(1, geodesic.PARTS + 1), persons.part).tolist() == [geodesic.PARTS]:
        problem, remedy = "all parts occur but 24: they may count from 0", "count parts in dp_I from 1"
        warnings.add("R-RANGE", problem, remedy, file=at[0], rule="parts")
    if persons.category.tolist() != [1]:
        problem, remedy = f"persons have the categories {', '.join(map(str, persons.category))}", "write 1"
        warnings.add("R-RANGE", problem, remedy, file=at[0], rule="categories")


def _drawn_image(persons: Persons, first: Ints, image: int) -> Drawing:
    """Return the persons of an image, and the points of each part; ``first`` are the first of each image."""
    objects = list[DrawnObject]()
    for number, person in enumerate(range(*first[image : image + 2].tolist()), 1):
        points = np.arange(*persons.point_start[person : person + 2].tolist())
        outcome = counted(len(points), "point") if persons.dense[person] else "not scored"
        objects.append(DrawnObject(f"person {number}", outcome, False, [person_shape(persons, person)]))
        for part in np.unique(persons.part[points]).tolist():
            own = points[persons.part[points] == part]
            marks = [(x, y, part / 24) for x, y in zip(persons.x[own].tolist(), persons.y[own].tolist())]
            objects.append(DrawnObject(f"person {number}", f"part {part}", False, (), marks))
    text = "; ".join(f"{drawn.label}: {drawn.outcome}" for drawn in objects if drawn.shapes)
    return image_drawing(persons, image, f"{text}. The color of points is their part.", objects)


ANNOTATIONS = {task_id: DensePoseAnnotations() for task_id in TASKS}
