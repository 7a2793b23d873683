"""Turning the official DensePose files into what the scoring program loads fast and in little memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Sized
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scoring_program.challenges.densepose.reference import (
    DISTANCES_FILE,
    HASH_FILE,
    PERSONS_FILE,
    TEMPLATE_FILE,
    content_hash,
)
from scoring_program.metrics import geodesic, masks
from scoring_program.prepared import require_files, save_prepared
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Refused
from validator.strict_json import JsonValue, strict_loads
from validator.texts import counted, quote

ANNOTATIONS_FILE = "annotations.json"
SUBDIVIDED_FILE = "SMPL_subdiv.mat"
TRANSFORM_FILE = "SMPL_SUBDIV_TRANSFORM.mat"
OFFICIAL_DISTANCES_FILE = "Pdist_matrix.mat"
OFFICIAL_FILES = (ANNOTATIONS_FILE, SUBDIVIDED_FILE, TRANSFORM_FILE, OFFICIAL_DISTANCES_FILE)
_BLOCK = 1 << 22
_GRID_BLOCK = 1 << 12
_LARGEST_MASK = 10_000
_OFFICIAL, _ONE_TEMPLATE = "take the official file", "take all files of one template"

# Height and width by image id.
Sizes = dict[int, tuple[int, int]]
# Called with problem, remedy, a pointer below the annotation, and perhaps a rule other than the pointer.
Problem = Callable[..., None]


class _Vertices:
    """The subdivided template: for each part its vertices in UV, and their unique vertices."""

    def __init__(self, u: Floats, v: Floats, part: Ints, unique: Ints) -> None:
        self.part, self.unique = part, unique
        self.of_part = [np.flatnonzero(part == number) for number in range(geodesic.PARTS + 1)]
        self._uv = np.stack([u, v], axis=1)

    def nearest(self, part: int, uv: Floats) -> Ints:
        """Return the first of the vertices of a part nearest to each (U, V); -1 if it has none."""
        from scipy.spatial.distance import cdist

        vertices = self.of_part[part]
        if not len(vertices):
            return np.full(len(uv), -1)
        blocks = [uv[begin : begin + _GRID_BLOCK] for begin in range(0, len(uv), _GRID_BLOCK)]
        nearest = [vertices[np.argmin(cdist(block, self._uv[vertices]), axis=1)] for block in blocks]
        return np.concatenate([np.zeros(0, np.int64), *nearest])


class _Person(NamedTuple):
    """A checked annotation.

    ``points`` has rows of x, y, part, U and V, or is None; ``mask_place`` and ``runs`` are as in `Persons`.
    """

    image_id: int
    category: int
    box: list[float]
    area: float
    crowd: bool
    points: Floats | None
    mask_place: list[int]
    runs: Ints


def prepare(source: Path, output: Path) -> None:
    """Check the official files and write the prepared ones to ``output``; needs h5py. Raises Refused."""
    with Findings.collect() as findings:
        try:
            import h5py  # noqa: F401
        except ImportError:
            findings.refuse("E-REF-H5PY", "h5py is not installed", "pip install h5py")
        remedy = f"the official files are {', '.join(OFFICIAL_FILES)}"
        require_files(source, OFFICIAL_FILES, remedy, findings)
        with findings.part():
            vertices = _read_template(source)
        with findings.part():
            sizes, persons = _read_annotations(source / ANNOTATIONS_FILE)
        findings.refuse_problems()
        n_vertices = _write_distances(source / OFFICIAL_DISTANCES_FILE, output / DISTANCES_FILE)
        if int(vertices.unique.max(initial=0)) >= n_vertices:
            problem = f"it names vertex {int(vertices.unique.max()) + 1}, the distances are of {n_vertices}"
            findings.add("E-REF-TEMPLATE", problem, _ONE_TEMPLATE, file=TRANSFORM_FILE, rule="vertices")
    _write_template(vertices, n_vertices, output / TEMPLATE_FILE)
    _write_persons(sizes, persons, vertices, output / PERSONS_FILE)
    (output / HASH_FILE).write_text(content_hash(output) + "\n", encoding="ascii")


def _read_template(source: Path) -> _Vertices:
    with Findings.collect() as findings:
        content = _read_mat(source / SUBDIVIDED_FILE, ("U_subdiv", "V_subdiv", "Part_ID_subdiv"))
        content |= _read_mat(source / TRANSFORM_FILE, ("index",))
        add = partial(findings.add, "E-REF-TEMPLATE")
        if len({len(values) for values in content.values()}) > 1:
            text = f"the arrays differ in length: {_sizes(content)}"
            add(text, _ONE_TEMPLATE, file=SUBDIVIDED_FILE, rule="length")
        u, v, part, index = content.values()
        if not np.isin(part.astype(np.int64), range(1, geodesic.PARTS + 1)).all():
            text, where = "a part is not in 1..24", "Part_ID_subdiv"
            add(text, _OFFICIAL, file=SUBDIVIDED_FILE, where=where, rule="part")
        if not ((u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)).all():
            add("U or V is not in 0..1", _OFFICIAL, file=SUBDIVIDED_FILE, rule="range")
        unique = index.astype(np.int64) - 1
        if (unique < 0).any():
            add("an index is below 1", _OFFICIAL, file=TRANSFORM_FILE, where="index", rule="index")
    return _Vertices(u.astype(np.float64), v.astype(np.float64), part.astype(np.int64), unique)


def _read_mat(path: Path, keys: Sequence[str]) -> dict[str, np.ndarray]:
    """Return arrays of a MATLAB file, flat. Raises Refused."""
    import scipy.io

    with Findings.collect() as findings:
        try:
            data = scipy.io.loadmat(path)
        except Exception as error:
            problem = f"it cannot be read ({type(error).__name__})"
            findings.refuse("E-REF-MAT", problem, _OFFICIAL, file=path.name)
        for key in keys:
            if key not in data:
                findings.refuse("E-REF-MAT", f"there is no {key} in it", _OFFICIAL, file=path.name, rule=key)
    return {key: np.asarray(data[key]).ravel() for key in keys}


def _write_distances(source: Path, output: Path) -> int:
    """Copy the distances as flat float32 in blocks; return the number of vertices. Raises Refused."""
    import h5py

    with Findings.collect() as findings:
        try:
            with h5py.File(source, "r") as file:
                data = next((file[key] for key in file if getattr(file[key], "ndim", 0)), None)
                if data is None:
                    findings.refuse("E-REF-MAT", "there is no array in it", _OFFICIAL, file=source.name)
                return _copy_triangle(data, source.name, output, findings)
        except OSError:
            findings.refuse("E-REF-MAT", "it is not an HDF5 file", _OFFICIAL, file=source.name, rule="HDF5")


def _copy_triangle(data: Any, name: str, output: Path, findings: Findings) -> int:
    """Copy an HDF5 array of the distances of all pairs of vertices; return the number of vertices."""
    n = (1 + math.isqrt(1 + 8 * data.size)) // 2
    if n * (n - 1) // 2 != data.size:
        problem = f"no triangle without its diagonal has {counted(data.size, 'distance')}"
        findings.refuse("E-REF-TEMPLATE", problem, _OFFICIAL, file=name, rule="size")
    before, after = (slice(None),) * int(np.argmax(data.shape)), ...
    with output.open("wb") as stream:
        for begin in range(0, data.size, _BLOCK):
            block = np.asarray(data[(*before, slice(begin, begin + _BLOCK), after)], dtype="<f4").ravel()
            if not (block >= 0).all() or not np.isfinite(block).all():
                problem, where = "a distance is negative or not finite", f"distances from {begin}"
                findings.refuse("E-REF-TEMPLATE", problem, _OFFICIAL, file=name, where=where, rule="distance")
            stream.write(block.tobytes())
    return n


def _write_template(vertices: _Vertices, n_vertices: int, output: Path) -> None:
    n = geodesic.LEVELS
    grid = np.indices((n, n)).reshape(2, -1).T / 255.0
    nearest = np.full((geodesic.PARTS, n, n), geodesic.NO_VERTEX, np.int32)
    for part in range(1, geodesic.PARTS + 1):
        vertex = vertices.nearest(part, grid).reshape(n, n)
        nearest[part - 1] = np.where(vertex >= 0, vertices.unique[vertex], geodesic.NO_VERTEX)
    save_prepared(output, {"n_vertices": n_vertices}, {"nearest": nearest})


def _read_annotations(path: Path) -> tuple[Sizes, list[_Person]]:
    """Return the sizes of the images, and the persons. Raises Refused."""
    with Findings.collect() as findings:
        data = findings.take(strict_loads(path.read_bytes(), path.name))
        members = data if isinstance(data, dict) else {}
        images, annotations = members.get("images"), members.get("annotations")
        if not isinstance(images, list) or not isinstance(annotations, list):
            problem = "there are no lists of images and annotations"
            findings.refuse("E-REF-SHAPE", problem, _OFFICIAL, file=path.name)
        sizes = _read_images(images, path.name, findings)
        persons = []
        seen: set[int] = set()
        for index, annotation in enumerate(annotations):
            where = f"/annotations/{index}"
            with findings.part():
                persons.append(_read_person(annotation, sizes, path.name, where))
                if annotation["id"] in seen:
                    place = {"file": path.name, "where": f"{where}/id", "rule": "twice"}
                    findings.add("E-REF-PERSON", "the id occurs twice", "correct it", **place)
                seen.add(annotation["id"])
        if not persons and findings.ok:
            findings.add("E-REF-EMPTY", "there are no annotations", _OFFICIAL, file=path.name)
    return sizes, persons


def _read_images(entries: list[JsonValue], name: str, findings: Findings) -> Sizes:
    images: Sizes = {}
    for index, entry in enumerate(entries):
        add = partial(findings.add, "E-REF-IMAGE", file=name, where=f"/images/{index}")
        image = entry if isinstance(entry, dict) else {}
        values: list[JsonValue] = [image.get(key) for key in ("id", "height", "width")]
        if not all(type(value) is int and value >= low for value, low in zip(values, (0, 1, 1))):
            problem = "id, height and width must be whole numbers, and none negative or a side of 0"
            add(problem, "correct it", rule="numbers")
        elif values[0] in images:
            add("the id occurs twice", "keep one of the images", rule="id")
        else:
            images[values[0]] = (values[1], values[2])
    return images


def _sizes(lists: Mapping[str, Sized]) -> str:
    return ", ".join(f"{len(values)} {key}" for key, values in lists.items())


def _numbers(value: object, size: int | None = None) -> bool:
    entries = value if isinstance(value, list) else [None]
    return size in (None, len(entries)) and all(type(entry) in (int, float) for entry in entries)


def _read_person(annotation: JsonValue, images: Sizes, name: str, where: str) -> _Person:
    """Check an annotation. Raises Refused."""
    with Findings.collect() as findings:

        def problem(what: str, remedy: str, pointer: str = "", rule: str = "") -> None:
            place = where + pointer
            findings.add("E-REF-PERSON", what, remedy, file=name, where=place, rule=rule or pointer)

        if not isinstance(annotation, dict):
            problem("this is not an object", _OFFICIAL)
            raise Refused(findings)
        if type(annotation.get("id")) is not int or annotation["id"] < 1:
            what = "the id must be a whole number from 1; the released evaluator takes 0 for no match"
            problem(what, "renumber it", "/id")
        if annotation.get("image_id") not in images:
            text = f"there is no image {quote(repr(annotation.get('image_id')), 20)}"
            problem(text, "correct it", "/image_id")
        if not _numbers(annotation.get("bbox"), 4):
            problem("this is not a box of 4 numbers", "write [x, y, width, height]", "/bbox")
        elif min(annotation["bbox"][2:]) < 0 or max(map(abs, annotation["bbox"])) > _LARGEST_MASK:
            problem("the box is negative or too large", "correct it", "/bbox")
        if type(annotation.get("area")) not in (int, float):
            problem("this is not a number", "correct it", "/area")
        points = _read_points(annotation, problem) if "dp_x" in annotation else None
        parts = _read_masks(annotation.get("dp_masks", []), problem)
    # The fourteen masks of a person take a megabyte; only the runs of the one that counts are kept.
    placed = _person_mask(annotation["bbox"], parts, images[annotation["image_id"]])
    return _Person(
        image_id=annotation["image_id"],
        category=annotation.get("category_id", 1),
        box=annotation["bbox"],
        area=annotation["area"],
        crowd=bool(annotation.get("iscrowd", 0)),
        points=points,
        mask_place=[placed.row, placed.column, *placed.mask.shape],
        runs=masks.mask_to_runs(placed.mask).astype(np.int32),
    )


def _read_points(annotation: dict[str, JsonValue], problem: Problem) -> Floats | None:
    """Return rows of x, y, part, U and V; None after a problem."""
    keys = ("dp_x", "dp_y", "dp_I", "dp_U", "dp_V")
    points: dict[str, JsonValue] = {key: annotation.get(key) for key in keys}
    if not all(map(_numbers, points.values())):
        problem("dp_x, dp_y, dp_I, dp_U and dp_V must be lists of numbers", "correct them", "/dp_x")
        return None
    if len({len(values) for values in points.values()}) > 1:
        problem(f"the lists differ in length: {_sizes(points)}", "correct them", "/dp_x", "length")
        return None
    rows = np.array(list(points.values()), dtype=np.float64).reshape(5, -1)
    if not ((rows[3:] >= 0) & (rows[3:] <= 1)).all():
        problem("dp_U or dp_V is not in 0..1", "correct it", "/dp_U")
    return rows


def _read_masks(entries: object, problem: Problem) -> list[Bools | None]:
    """Return the mask of each part, None where there is none."""
    if not isinstance(entries, list):
        problem("this is not a list", "write 14 masks, or an empty list", "/dp_masks")
        return []
    decoded: list[Bools | None] = []
    for index, entry in enumerate(entries):
        decoded.append(None)
        try:
            decoded[-1] = _decode_mask(entry) if entry else None
        except (ValueError, KeyError, TypeError, AttributeError):
            text = "this is not a run-length code of a 256 x 256 mask"
            problem(text, _OFFICIAL, f"/dp_masks/{index}", "mask")
    return decoded


def _decode_mask(entry: JsonValue) -> Bools:
    runs = masks.decode_counts(entry["counts"])
    if int(runs.sum()) != masks.MAP_SIZE**2:
        raise ValueError("another size")
    return masks.runs_to_mask(runs, masks.MAP_SIZE, masks.MAP_SIZE).T


def _write_persons(sizes: Sizes, persons: Sequence[_Person], vertices: _Vertices, output: Path) -> None:
    image_ids = sorted(sizes)
    persons = sorted(persons, key=lambda person: person.image_id)
    points = [_points(person, vertices) for person in persons]
    runs = [person.runs for person in persons]

    def column(name: str, dtype: type) -> np.ndarray:
        return np.array([getattr(person, name) for person in persons], dtype=dtype)

    def joined(key: str, dtype: type) -> np.ndarray:
        return np.concatenate([np.zeros(0, dtype), *(of_person[key] for of_person in points)]).astype(dtype)

    def starts(parts: list[np.ndarray]) -> Ints:
        return np.cumsum([0, *map(len, parts)], dtype=np.int64)

    arrays = {
        "image_id": np.array(image_ids, dtype=np.int64),
        "image_size": np.array([sizes[image_id] for image_id in image_ids], dtype=np.int64).reshape(-1, 2),
        "category": np.unique(column("category", np.int64)),
        "image": np.searchsorted(image_ids, column("image_id", np.int64)),
        "box": column("box", np.float64).reshape(-1, 4),
        "area": column("area", np.float64),
        "crowd": column("crowd", bool),
        "dense": np.array([person.points is not None for person in persons], dtype=bool),
        "point_start": starts([of_person["x"] for of_person in points]),
        **{key: joined(key, np.float64) for key in ("x", "y")},
        "part": joined("part", np.int8),
        "vertex": joined("vertex", np.int32),
        "mask_place": column("mask_place", np.int64).reshape(-1, 4),
        "run_start": starts(runs),
        "run": np.concatenate([np.zeros(0, np.int32), *runs]).astype(np.int32),
    }
    save_prepared(output, {}, arrays)


def _points(person: _Person, vertices: _Vertices) -> dict[str, np.ndarray]:
    """Return the known points: image coordinates, the fine part of their vertex, unique vertex."""
    points = person.points if person.points is not None else np.zeros((5, 0))
    x, y, part, u, v = points
    left, top, width, height = person.box
    nearest = np.full(len(x), -1)
    for number in np.unique(part).tolist():
        if number in range(1, geodesic.PARTS + 1):
            of_part = part == number
            nearest[of_part] = vertices.nearest(int(number), np.stack([u[of_part], v[of_part]], axis=1))
    known = nearest >= 0
    return {
        # In this order of operations, as the released evaluator rounds.
        "x": (x * width / 255.0 + left)[known],
        "y": (y * height / 255.0 + top)[known],
        "part": vertices.part[nearest[known]],
        "vertex": vertices.unique[nearest[known]],
    }


def _person_mask(box: list[float], parts: list[Bools | None], size: tuple[int, int]) -> masks.PlacedMask:
    left, top, width, height = (int(value) for value in box)
    size_of_box = max(height, 1), max(width, 1)
    mask = np.zeros(size_of_box, dtype=bool)
    if any(part is not None for part in parts):
        mask = masks.resized_foreground(masks.label_map(parts), *size_of_box)
    return masks.place_mask(mask, top, left, *size)
