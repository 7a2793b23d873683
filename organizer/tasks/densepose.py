"""Annotations of DensePose: persons with points on the body's surface, and masks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from organizer.data.content import (
    Content,
    Place,
    Values,
    check_boxes,
    check_reach,
    check_same,
    drawings,
    repeated,
    warn_where,
)
from organizer.files import MALFORMED, Files, json_bytes
from organizer.public_data import Leak, PublicData, PublicPart, PublicSource, breaches
from organizer.tasks import Annotations, Guess, Pools
from people_in_video.diagnosis.samples import from_sizes
from people_in_video.drawings.densepose import image_drawing, person_shape
from people_in_video.drawings.scenes import Drawing, DrawnObject
from people_in_video.references.densepose import (
    ANNOTATIONS_FILE,
    content_hash,
    read_annotations,
    select_images,
)
from people_in_video.references.preparation import save_prepared
from scoring_program.challenges.densepose.page import FINE_PARTS
from scoring_program.challenges.densepose.reference import (
    DISTANCES_FILE,
    HASH_FILE,
    PERSONS_FILE,
    TEMPLATE_FILE,
    Persons,
    Reference,
)
from scoring_program.challenges.densepose.task import TASKS
from scoring_program.metrics import geodesic
from scoring_program.metrics.average_precision import AREAS
from scoring_program.scoring import AnyLoaded
from validator.arrays import Bools, Ints, Pixels
from validator.findings import Findings
from validator.formats.densepose.write import encode_detection, encode_submission
from validator.json_columns import JsonValue
from validator.json_reader import strict_loads
from validator.texts import counted

IMAGES_FILE = "images.json"
_KEYS_OF_IMAGE = ("id", "width", "height", "file_name")
_KEYS_OF_CATEGORY = ("id", "name", "supercategory")
_PART, _PERSON = "part", "person"
# A box may leave the image by so much of its side.
_MARGIN = 0.02
_SEARCHED = 64
# An image with so many persons has some on its right or below.
_JUDGED_PERSONS = 3


class _PaintedPerson(NamedTuple):
    """An annotated person as a detection.

    Attributes
    ----------
    person : int
        Its index in `Persons`.
    corner : (int, int)
        Left and top of the pixels in the image.
    pixels : uint8 array of shape (height, width, 3)
        Part, U and V.
    """

    person: int
    corner: tuple[int, int]
    pixels: Pixels


class DensePoseAnnotations(Annotations[Reference, list[str]]):
    """The annotations of the task; a prediction is a list of detections as JSON texts."""

    shared = (TEMPLATE_FILE, DISTANCES_FILE)

    def pools(self, reference: Reference) -> Pools:
        """Return the parts, by how many points they have, and the boxes of persons."""
        persons = reference.persons
        parts = Counter({str(part): 0 for part in range(1, geodesic.PARTS + 1)})
        parts.update(map(str, persons.part.tolist()))
        return Pools({_PART: parts}, {_PERSON: from_sizes(persons.box[persons.dense])})

    def predicted(self, reference: Reference, guess: Guess) -> list[str]:
        """Return a detection of each densely annotated person."""
        persons = reference.persons
        category = int(persons.category[0])
        detections = []
        for painted in _paint_persons(reference):
            if not guess.keeps():
                continue
            left, top = painted.corner
            height, width, _ = painted.pixels.shape
            x1, y1, x2, y2 = guess.box([left, top, left + width, top + height], _PERSON)
            pixels = _resized(painted.pixels, max(int(y2 - y1), 1), max(int(x2 - x1), 1))
            pixels[..., 0] = _guessed_parts(guess)[pixels[..., 0]]
            box = (x1, y1, float(pixels.shape[1]), float(pixels.shape[0]))
            image_id = int(persons.image_id[persons.image[painted.person]])
            iuv = np.moveaxis(pixels, -1, 0)
            detections.append(encode_detection(image_id, box, 1.0, iuv, category))
        return detections

    def files(self, prediction: list[str]) -> Files:
        """Return the one JSON file."""
        return encode_submission("baseline", prediction)

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return for each image whether each of its persons is densely annotated."""
        persons = reference.persons
        classes: dict[str, list[str]] = {str(image_id): [] for image_id in persons.image_id.tolist()}
        for image_id, is_dense in zip(persons.image_id[persons.image].tolist(), persons.dense.tolist()):
            classes[str(image_id)].append("dense person" if is_dense else "other person")
        return classes

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the persons of some images."""
        part = select_images(reference.persons, names)
        save_prepared(output / PERSONS_FILE, {}, part._asdict())
        (output / HASH_FILE).write_text(content_hash(output) + "\n", encoding="ascii")


def _resized(pixels: Pixels, height: int, width: int) -> Pixels:
    """Return the nearest pixels of an image of another size."""
    old_height, old_width, _ = pixels.shape
    rows = np.arange(height) * old_height // height
    columns = np.arange(width) * old_width // width
    return pixels[rows[:, None], columns]


def _guessed_parts(guess: Guess) -> Pixels:
    """Return the predicted part for each part from 0, background, on."""
    parts = [0]
    for part in range(1, geodesic.PARTS + 1):
        parts.append(int(guess.label(str(part), _PART)))
    return np.array(parts, np.uint8)


def _paint_persons(reference: Reference) -> Iterator[_PaintedPerson]:
    """Yield the densely annotated persons, each point as exact as 8 bits allow."""
    persons = reference.persons
    cells = _cells(reference)
    for person in np.flatnonzero(persons.dense).tolist():
        left, top = int(persons.box[person, 0]), int(persons.box[person, 1])
        mask = _mask_of_box(persons, person)
        points = slice(*persons.point_start[person : person + 2].tolist())
        row = (persons.y[points] - top).astype(np.int64).clip(0, mask.shape[0] - 1)
        column = (persons.x[points] - left).astype(np.int64).clip(0, mask.shape[1] - 1)
        cell = np.full(mask.shape, -1)
        cell[row, column] = cells[persons.vertex[points]]
        has_point = cell >= 0
        filled = _filled(cell, has_point)
        part, u, v = np.unravel_index(np.maximum(filled, 0), reference.template.nearest.shape)
        body = np.stack([part + 1, u, v], axis=-1)
        yield _PaintedPerson(
            person=person,
            corner=(left, top),
            pixels=np.where((mask | has_point)[..., None], body, 0).astype(np.uint8),
        )


def _mask_of_box(persons: Persons, person: int) -> Bools:
    """Return the mask of a person in its box, which is larger by the pixels at its lower right ends."""
    left, top, width, height = (int(value) for value in persons.box[person])
    # One more than the box: a point at its end is in the pixel after the last.
    mask = np.zeros((max(height, 1) + 2, max(width, 1) + 2), dtype=bool)
    placed_mask = persons.mask(person)
    row, column = placed_mask.row - top, placed_mask.column - left
    mask[row : row + placed_mask.mask.shape[0], column : column + placed_mask.mask.shape[1]] = (
        placed_mask.mask
    )
    return mask


def _filled(cell: Ints, has_point: Bools) -> Ints:
    """Return for each pixel the value of the nearest that has a point, if any has."""
    from scipy.ndimage import distance_transform_edt

    if not has_point.any():
        return cell
    rows, columns = distance_transform_edt(~has_point, return_distances=False, return_indices=True)
    return cell[rows, columns]


def _cells(reference: Reference) -> Ints:
    """Return for each vertex a flat index of (part - 1, U, V) with it, or with the nearest there is."""
    template = reference.template
    flat = template.nearest.ravel()
    cells = np.full(template.n_vertices, -1)
    on_body = np.flatnonzero(flat != geodesic.NO_VERTEX)
    cells[flat[on_body]] = on_body
    on_map = np.flatnonzero(cells >= 0)
    used_vertices = np.unique(reference.persons.vertex)
    missing_vertices = used_vertices[cells[used_vertices] < 0]
    for begin in range(0, len(missing_vertices), _SEARCHED):
        block = missing_vertices[begin : begin + _SEARCHED]
        positions = geodesic.pair_position(block[:, None], on_map)
        distances = template.lookup(positions.ravel()).reshape(positions.shape)
        cells[block] = cells[on_map[distances.argmin(axis=1)]]
    return cells


class _PersonPlaces:
    """Names the persons of a reference in warnings: their image, and their number in it."""

    def __init__(self, persons: Persons) -> None:
        self.images = [f"image {image_id}" for image_id in persons.image_id.tolist()]
        # The first person of each image, and one after the last.
        self.first_person = np.searchsorted(persons.image, np.arange(len(self.images) + 1))
        self._image = persons.image

    def __call__(self, person: int) -> str:
        """Return the place of a person."""
        image = int(self._image[person])
        return f"{self.images[image]} person {person - int(self.first_person[image]) + 1}"


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: images and densely annotated persons."""
    persons = cast(Reference, loaded.reference).persons
    place = _PersonPlaces(persons)
    n_points_of_image = np.bincount(_image_of_point(persons), minlength=len(place.images))
    draw_image = partial(_draw_image, persons, place.first_person)
    return Content(
        n_instances=int(persons.dense.sum()),
        counts=_counts(persons),
        names={"body part": _part_counts(persons)},
        values=_values(persons, place),
        warnings=_warnings(persons, place),
        draw=partial(drawings, "Images", n_points_of_image, draw_image),
    )


def _image_of_point(persons: Persons) -> Ints:
    return np.repeat(persons.image, np.diff(persons.point_start))


def _counts(persons: Persons) -> dict[str, int]:
    """Return how many there are of each thing."""
    n_images = len(persons.image_id)
    n_annotated = len(np.unique(persons.image[persons.dense]))
    has_no_mask = np.diff(persons.run_start) < 2
    return {
        "images": n_images,
        "images without densely annotated persons": n_images - n_annotated,
        "persons": len(persons.image),
        "densely annotated persons": int(persons.dense.sum()),
        "crowds": int(persons.crowd.sum()),
        "densely annotated persons without mask": int(has_no_mask[persons.dense].sum()),
        "points": len(persons.part),
    }


def _part_counts(persons: Persons) -> dict[str, int]:
    """Return how many points each of the 24 fine parts has, with the part of the body that it is."""
    counts = np.bincount(persons.part, minlength=geodesic.PARTS + 1).tolist()
    count_of_part = {}
    for body_part, fine_parts in FINE_PARTS.items():
        for part in fine_parts:
            count_of_part[f"{part} ({body_part})"] = counts[part]
    return count_of_part


def _values(persons: Persons, place: _PersonPlaces) -> list[Values]:
    """Return the numbers whose distribution the overview shows."""
    dense = np.flatnonzero(persons.dense)
    n_points = np.diff(persons.point_start)[dense]
    size = np.sqrt(persons.box[:, 2:].prod(axis=1))
    return [
        Values("persons in an image", np.diff(place.first_person), place.images.__getitem__, "images"),
        Values("points of a person", n_points, lambda index: place(int(dense[index])), "persons"),
        Values("size of a person (root of the area of the box, pixels)", size, place, "persons"),
    ]


def _warnings(persons: Persons, place: _PersonPlaces) -> Findings:
    """Return what is likely a mistake in the annotations."""
    warnings = Findings()
    location = (ANNOTATIONS_FILE, place)
    has_no_point = np.diff(persons.point_start) == 0
    problem = "no point of the densely annotated person is known"
    warn_where(persons.dense & has_no_point, "R-EMPTY", problem, location, warnings)
    check_boxes("person", from_sizes(persons.box), location, warnings)
    image_size = persons.image_size[persons.image][:, ::-1]
    reach = from_sizes(persons.box)[:, 2:] / image_size
    check_reach(reach, persons.image, (location[0], "image", place.images), _JUDGED_PERSONS, warnings)
    warn_where(
        _leaves_image(persons), "R-BOX", "the box of the person is outside of the image", location, warnings
    )
    rows = np.column_stack([persons.image, persons.box])
    warn_where(
        repeated(rows), "R-REPEATED", "the box of the person repeats an earlier one", location, warnings
    )
    points = np.column_stack([persons.x, persons.y, persons.part, persons.vertex])
    check_same(place.images, [(persons.image, persons.box), (_image_of_point(persons), points)], warnings)
    _check_ranges(persons, location, warnings)
    return warnings


def _leaves_image(persons: Persons) -> Bools:
    """Return which boxes leave their image by more than the margin."""
    corners = from_sizes(persons.box)
    image_size = persons.image_size[persons.image][:, ::-1]
    margin = np.maximum(1, _MARGIN * image_size)
    leaves = (corners[:, :2] < -margin) | (corners[:, 2:] > image_size + margin)
    return leaves.any(axis=1)


def _check_ranges(persons: Persons, location: tuple[str, Place], warnings: Findings) -> None:
    """Warn of tiny areas, of points outside of the box or in its corner, and other parts and categories."""
    warn_where(persons.area < 1, "R-RANGE", "the area of the person is less than a pixel", location, warnings)
    n_points = np.diff(persons.point_start)
    owner = np.repeat(np.arange(len(n_points)), n_points)
    place_in_box = np.column_stack([persons.x, persons.y]) - persons.box[owner, :2]
    step = persons.box[owner, 2:] / 255

    def n_where(points: Bools) -> Ints:
        """Return how many points of each person satisfy a condition in x or in y."""
        return np.bincount(owner[points.any(axis=1)], minlength=len(n_points))

    is_in_corner = (n_points > 1) & (n_where(place_in_box > step) == 0)
    # The box is scaled to 256 pixels, so a point at its end may be a little beyond 255.
    has_outside = n_where((place_in_box < -1e-9) | (place_in_box > 256.001 * step)) > 0
    run = "they run from 0 to 255 across the box"
    warn_where(is_in_corner, "R-RANGE", f"dp_x and dp_y are all in 0..1, but {run}", location, warnings)
    warn_where(has_outside, "R-RANGE", f"dp_x or dp_y is outside of the box, but {run}", location, warnings)
    _check_parts_and_categories(persons, location[0], warnings)
    _check_areas(persons, location[0], warnings)


def _check_parts_and_categories(persons: Persons, file: str, warnings: Findings) -> None:
    missing_parts = np.setdiff1d(range(1, geodesic.PARTS + 1), persons.part).tolist()
    if missing_parts == [geodesic.PARTS]:
        problem = "all parts occur but 24: they may count from 0"
        warnings.add("R-RANGE", problem, "count parts in dp_I from 1", file=file, rule="parts")
    if persons.category.tolist() != [1]:
        problem = f"persons have the categories {', '.join(map(str, persons.category))}"
        warnings.add("R-RANGE", problem, "write 1", file=file, rule="categories")


def _check_areas(persons: Persons, file: str, warnings: Findings) -> None:
    """Warn of ranges of sizes in which no person counts."""
    area = persons.area[persons.dense & ~persons.crowd]
    empty = [name for name, (low, high) in AREAS.items() if not ((area >= low) & (area <= high)).any()]
    if empty:
        problem = f"no annotated person counts for the areas {', '.join(empty)}; their scores are 0"
        warnings.add("R-AREA-EMPTY", problem, "expect zeros there", file=file)


def _draw_image(persons: Persons, first_person: Ints, image: int) -> Drawing:
    """Return the persons of an image, and the points of each part."""
    objects = list[DrawnObject]()
    outcomes = []
    first, last = first_person[image : image + 2].tolist()
    for person in range(first, last):
        label = f"person {person - first + 1}"
        points = np.arange(*persons.point_start[person : person + 2].tolist())
        outcome = counted(len(points), "point") if persons.dense[person] else "not scored"
        outcomes.append(f"{label}: {outcome}")
        shapes = [person_shape(persons, person)]
        objects.append(DrawnObject(label, outcome, is_wrong=False, shapes=shapes))
        for part in np.unique(persons.part[points]).tolist():
            objects.append(_points_of_part(persons, points, part, label))
    text = f"{'; '.join(outcomes)}. The color of points is their part."
    return image_drawing(persons, image, text, objects)


def _points_of_part(persons: Persons, points: Ints, part: int, label: str) -> DrawnObject:
    """Return the points of a person on one part; their color is that of the part."""
    in_part = points[persons.part[points] == part]
    marks = []
    for x, y in zip(persons.x[in_part].tolist(), persons.y[in_part].tolist()):
        marks.append((x, y, part / geodesic.PARTS))
    return DrawnObject(label=label, outcome=f"part {part}", is_wrong=False, shapes=(), points=marks)


def _public_files(source: PublicSource) -> PublicData:
    """Return ``images.json``: ids and sizes of all images, their file names and the categories if given.

    Raises Refused.
    """
    path = source.folder / ANNOTATIONS_FILE
    read_annotations(path)
    content: JsonValue = strict_loads(path.read_bytes(), path.name).content
    images = [_public_values(image, _KEYS_OF_IMAGE) for image in content["images"]]
    public: dict[str, Any] = {"info": {}, "images": sorted(images, key=lambda image: int(image["id"]))}
    if isinstance(content.get("categories"), list):
        public["categories"] = [
            _public_values(category, _KEYS_OF_CATEGORY) for category in content["categories"]
        ]
    remarks = []
    if not all("file_name" in image for image in images):
        remarks.append("images without a file_name in the source have none here either")
    return PublicData({IMAGES_FILE: json_bytes(public)}, remarks)


def _public_values(entry: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return the values of an image or a category that are public, by their keys."""
    return {key: entry[key] for key in keys if key in entry}


def _public_files_of_items(files: Files, items: Collection[str]) -> Files:
    """Return what is public of some images."""
    public = json.loads(files[IMAGES_FILE])
    images = [image for image in public["images"] if str(image["id"]) in items]
    return {IMAGES_FILE: json_bytes({**public, "images": images})}


def _find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield files of other names, other keys than those that are public, and images of another reference."""
    for name, content in files.items():
        if name != IMAGES_FILE:
            yield Leak(name, "public data has no such file")
        else:
            yield from breaches(name, content, "images")
            reference: Reference = loaded.reference
            persons = reference.persons
            sizes = dict(zip(persons.image_id.tolist(), persons.image_size.tolist()))
            if _sizes_of(content) != sizes:
                yield Leak(name, "its images are not those of the reference")


def _sizes_of(content: bytes) -> dict[int, list[int]]:
    """Return height and width of each image in ``images.json``, nothing if it is not of this form."""
    try:
        images = json.loads(content)["images"]
        return {image["id"]: [image["height"], image["width"]] for image in images}
    except MALFORMED:
        return {}


ANNOTATIONS = {task_id: DensePoseAnnotations() for task_id in TASKS}
PUBLIC_DATA = PublicPart(
    make=_public_files,
    find_leaks=_find_leaks,
    prepared_file=PERSONS_FILE,
    of_items=_public_files_of_items,
)


def labelled_items(name: str, data: bytes) -> set[str]:
    """Return the images with points in a file of COCO's shape, none of other files."""
    if not name.endswith(".json"):
        return set()
    persons = json.loads(data)["annotations"]
    return {str(person["image_id"]) for person in persons if "dp_x" in person}
