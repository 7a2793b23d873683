"""Turning the official DensePose files into what the scoring program loads fast and in little memory."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence, Sized
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from people_in_video.references import part_masks
from people_in_video.references.preparation import Notes, Options, Preparation, save_prepared
from scoring_program.challenges.densepose.reference import (
    CHALLENGE_VERTICES,
    DISTANCES_FILE,
    HASH_FILE,
    PERSONS_FILE,
    PREPARED_FILES,
    TEMPLATE_FILE,
    Persons,
    Reference,
    Template,
    load_prepared_folder,
    needs_normalizers,
)
from scoring_program.metrics import geodesic, masks
from scoring_program.metrics.pairs import pairs_of_ranges
from scoring_program.prepared import require_files
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import SETTINGS_FILE, Settings
from scoring_program.task import Task
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Note, Refused
from validator.json_columns import JsonValue
from validator.json_reader import strict_loads
from validator.limits import shortage_of
from validator.texts import counted, quote

ANNOTATIONS_FILE = "annotations.json"
SUBDIVIDED_FILE = "SMPL_subdiv.mat"
TRANSFORM_FILE = "SMPL_SUBDIV_TRANSFORM.mat"
OFFICIAL_DISTANCES_FILE = "Pdist_matrix.mat"
OFFICIAL_FILES = (ANNOTATIONS_FILE, SUBDIVIDED_FILE, TRANSFORM_FILE, OFFICIAL_DISTANCES_FILE)
_BLOCK = 1 << 22
_HASH_BLOCK = 1 << 24
_GRID_BLOCK = 1 << 12
_LARGEST_MASK = 10_000
_OFFICIAL, _ONE_TEMPLATE = "take the official file", "take all files of one template"

# Height and width by image id.
Sizes = dict[int, tuple[int, int]]
# Called with problem, remedy, a pointer below the annotation, and perhaps a rule other than the pointer.
AddProblem = Callable[..., None]


class _Vertices(NamedTuple):
    """The vertices of the subdivided template; arrays of shape (n,).

    ``part`` is 1..24; ``unique`` is the unique vertex that each vertex stands for: those on seams share one.
    """

    u: Floats
    v: Floats
    part: Ints
    unique: Ints


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
        for package in ("h5py", "scipy"):
            if find_spec(package) is None:
                remedy = f"python -m pip install {package}"
                findings.refuse("E-REF-H5PY", f"{package} is not installed", remedy)
        remedy = f"the official files are {', '.join(OFFICIAL_FILES)}"
        require_files(source, OFFICIAL_FILES, remedy, findings)
        with findings.part():
            vertices = _read_template(source)
        with findings.part():
            sizes, persons = read_annotations(source / ANNOTATIONS_FILE)
        findings.refuse_problems()
        n_vertices, sha256 = _write_distances(source / OFFICIAL_DISTANCES_FILE, output / DISTANCES_FILE)
        if int(vertices.unique.max(initial=0)) >= n_vertices:
            last_vertex = int(vertices.unique.max()) + 1
            problem = f"it names vertex {last_vertex}, the distances are of {n_vertices}"
            findings.add("E-REF-TEMPLATE", problem, _ONE_TEMPLATE, file=TRANSFORM_FILE, rule="vertices")
    texts = {"n_vertices": n_vertices, "distances_hash": sha256}
    nearest_of_grid = _nearest_of_grid(*(column.tobytes() for column in vertices))
    save_prepared(output / TEMPLATE_FILE, texts, {"nearest": nearest_of_grid})
    _write_persons(sizes, persons, vertices, output / PERSONS_FILE)
    (output / HASH_FILE).write_text(content_hash(output) + "\n", encoding="ascii")


def _read_template(source: Path) -> _Vertices:
    """Read and check the vertices of the subdivided template. Raises Refused."""
    with Findings.collect() as findings:
        columns = _read_mat(source / SUBDIVIDED_FILE, ("U_subdiv", "V_subdiv", "Part_ID_subdiv"))
        columns |= _read_mat(source / TRANSFORM_FILE, ("index",))
        add = partial(findings.add, "E-REF-TEMPLATE")
        if len({len(values) for values in columns.values()}) > 1:
            text = f"the arrays differ in length: {_lengths(columns)}"
            add(text, _ONE_TEMPLATE, file=SUBDIVIDED_FILE, rule="length")
        part = columns["Part_ID_subdiv"].astype(np.int64)
        if not np.isin(part, range(1, geodesic.PARTS + 1)).all():
            place = {"file": SUBDIVIDED_FILE, "where": "Part_ID_subdiv"}
            add("a part is not in 1..24", _OFFICIAL, **place, rule="part")
        if not (_in_unit_range(columns["U_subdiv"]) and _in_unit_range(columns["V_subdiv"])):
            add("U or V is not in 0..1", _OFFICIAL, file=SUBDIVIDED_FILE, rule="range")
        unique = columns["index"].astype(np.int64) - 1
        if (unique < 0).any():
            add("an index is below 1", _OFFICIAL, file=TRANSFORM_FILE, where="index", rule="index")
    u = columns["U_subdiv"].astype(np.float64)
    v = columns["V_subdiv"].astype(np.float64)
    return _Vertices(u, v, part, unique)


def _in_unit_range(values: np.ndarray) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


def _read_mat(path: Path, keys: Sequence[str]) -> dict[str, np.ndarray]:
    """Return arrays of a MATLAB file, flat. Raises Refused."""
    import scipy.io

    try:
        data = scipy.io.loadmat(path)
    except Exception as error:
        problem = f"it cannot be read ({type(error).__name__})"
        Findings().refuse("E-REF-MAT", problem, _OFFICIAL, file=path.name)
    for key in keys:
        if key not in data:
            Findings().refuse("E-REF-MAT", f"there is no {key} in it", _OFFICIAL, file=path.name, rule=key)
    return {key: np.asarray(data[key]).ravel() for key in keys}


def _write_distances(source: Path, output: Path) -> tuple[int, str]:
    """Copy the distances as flat float32 in blocks; return of how many vertices they are, and their hash.

    Raises Refused.
    """
    import h5py

    try:
        with h5py.File(source, "r") as file:
            arrays = [file[key] for key in file if getattr(file[key], "ndim", 0)]
            if not arrays:
                Findings().refuse("E-REF-MAT", "there is no array in it", _OFFICIAL, file=source.name)
            return _copy_triangle(arrays[0], source.name, output)
    except OSError as error:
        # A copy of the distances has several hundred megabytes: the disk may be full.
        if shortage_of(error) is not None:
            raise
        Findings().refuse("E-REF-MAT", "it is not an HDF5 file", _OFFICIAL, file=source.name, rule="HDF5")


def _copy_triangle(data: Any, name: str, output: Path) -> tuple[int, str]:
    """Copy an HDF5 array of the distances of all pairs of vertices; return as `_write_distances`."""
    total = hashlib.sha256()
    n = (1 + math.isqrt(1 + 8 * data.size)) // 2
    if n * (n - 1) // 2 != data.size:
        problem = f"no triangle without its diagonal has {counted(data.size, 'distance')}"
        Findings().refuse("E-REF-TEMPLATE", problem, _OFFICIAL, file=name, rule="size")
    # The distances go along one axis; the others have length 1.
    axes_before = (slice(None),) * int(np.argmax(data.shape))
    with output.open("wb") as stream:
        for begin in range(0, data.size, _BLOCK):
            stored_block = data[(*axes_before, slice(begin, begin + _BLOCK), ...)]
            block = np.asarray(stored_block, dtype="<f4").ravel()
            if not (block >= 0).all() or not np.isfinite(block).all():
                problem, where = "a distance is negative or not finite", f"distances from {begin}"
                place = {"file": name, "where": where, "rule": "distance"}
                Findings().refuse("E-REF-TEMPLATE", problem, _OFFICIAL, **place)
            stream.write(block.tobytes())
            total.update(block.tobytes())
    return n, total.hexdigest()


@lru_cache(maxsize=1)
def _nearest_of_grid(u: bytes, v: bytes, part: bytes, unique: bytes) -> Ints:
    """Return the nearest unique vertex of each part, U and V in 0..255; the vertices are given as bytes.

    It takes most of the time of preparing, and is kept: the parts of a reference have the same template.
    """
    vertices = _Vertices(
        u=np.frombuffer(u),
        v=np.frombuffer(v),
        part=np.frombuffer(part, np.int64),
        unique=np.frombuffer(unique, np.int64),
    )
    shape = (geodesic.PARTS, geodesic.LEVELS, geodesic.LEVELS)
    grid_part, grid_u, grid_v = np.indices(shape).reshape(3, -1)
    nearest = _nearest_vertices(vertices, grid_part + 1, grid_u / 255.0, grid_v / 255.0)
    unique_of_grid = np.where(nearest >= 0, vertices.unique[nearest], geodesic.NO_VERTEX)
    return unique_of_grid.reshape(shape).astype(np.int32)


def _nearest_vertices(vertices: _Vertices, part: Floats | Ints, u: Floats, v: Floats) -> Ints:
    """Return the first of the vertices of its part that are nearest to each point (n,), -1 without any."""
    from scipy.spatial.distance import cdist

    uv, vertex_uv = np.stack([u, v], axis=1), np.stack([vertices.u, vertices.v], axis=1)
    nearest = np.full(len(uv), -1)
    for number in np.unique(vertices.part).tolist():
        vertices_of_part = np.flatnonzero(vertices.part == number)
        points_of_part = np.flatnonzero(part == number)
        for begin in range(0, len(points_of_part), _GRID_BLOCK):
            points = points_of_part[begin : begin + _GRID_BLOCK]
            distances = cdist(uv[points], vertex_uv[vertices_of_part])
            nearest[points] = vertices_of_part[np.argmin(distances, axis=1)]
    return nearest


def read_annotations(path: Path) -> tuple[Sizes, list[_Person]]:
    """Return the sizes of the images, and the persons. Raises Refused."""
    with Findings.collect() as findings:
        data = findings.take(strict_loads(path.read_bytes(), path.name))
        members = data if isinstance(data, dict) else {}
        images, annotations = members.get("images"), members.get("annotations")
        if not isinstance(images, list) or not isinstance(annotations, list):
            problem = "there are no lists of images and annotations"
            findings.refuse("E-REF-SHAPE", problem, _OFFICIAL, file=path.name)
        sizes = _read_images(images, path.name, findings)
        persons = _read_persons(annotations, sizes, path.name, findings)
        if not persons and findings.ok:
            findings.add("E-REF-EMPTY", "there are no annotations", _OFFICIAL, file=path.name)
    return sizes, persons


def _read_persons(annotations: list[JsonValue], sizes: Sizes, name: str, findings: Findings) -> list[_Person]:
    """Return the annotations that are right; problems of the others are added to ``findings``."""
    persons = []
    seen_ids: set[int] = set()
    for index, annotation in enumerate(annotations):
        where = f"/annotations/{index}"
        with findings.part():
            persons.append(_read_person(annotation, sizes, name, where))
            if annotation["id"] in seen_ids:
                place = {"file": name, "where": f"{where}/id", "rule": "twice"}
                findings.add("E-REF-PERSON", "the id occurs twice", "correct it", **place)
            seen_ids.add(annotation["id"])
    return persons


def _read_images(entries: list[JsonValue], name: str, findings: Findings) -> Sizes:
    images: Sizes = {}
    for index, entry in enumerate(entries):
        add = partial(findings.add, "E-REF-IMAGE", file=name, where=f"/images/{index}")
        image = entry if isinstance(entry, dict) else {}
        image_id: Any = image.get("id")
        height: Any = image.get("height")
        width: Any = image.get("width")
        if not (_is_whole(image_id, 0) and _is_whole(height, 1) and _is_whole(width, 1)):
            problem = "id, height and width must be whole numbers, and none negative or a side of 0"
            add(problem, "correct it", rule="numbers")
        elif image_id in images:
            add("the id occurs twice", "keep one of the images", rule="id")
        else:
            images[image_id] = (height, width)
    return images


def _is_whole(value: JsonValue, least: int) -> bool:
    """Whether a value is an integer, no bool, of at least ``least``."""
    return type(value) is int and value >= least


def _lengths(lists: Mapping[str, Sized]) -> str:
    return ", ".join(f"{len(values)} {key}" for key, values in lists.items())


def _are_numbers(value: object, length: int | None = None) -> bool:
    """Whether a value is a list of numbers, of this length if it is given."""
    if not isinstance(value, list) or length not in (None, len(value)):
        return False
    return all(type(entry) in (int, float) for entry in value)


def _read_person(annotation: JsonValue, images: Sizes, name: str, where: str) -> _Person:
    """Check an annotation. Raises Refused."""
    with Findings.collect() as findings:

        def problem(text: str, remedy: str, pointer: str = "", rule: str = "") -> None:
            place = where + pointer
            findings.add("E-REF-PERSON", text, remedy, file=name, where=place, rule=rule or pointer)

        if not isinstance(annotation, dict):
            problem("this is not an object", _OFFICIAL)
            raise Refused(findings)
        if type(annotation.get("id")) is not int or annotation["id"] < 1:
            text = "the id must be a whole number from 1; the released evaluator takes 0 for no match"
            problem(text, "renumber it", "/id")
        if annotation.get("image_id") not in images:
            text = f"there is no image {quote(repr(annotation.get('image_id')), 20)}"
            problem(text, "correct it", "/image_id")
        if not _are_numbers(annotation.get("bbox"), 4):
            problem("this is not a box of 4 numbers", "write [x, y, width, height]", "/bbox")
        elif min(annotation["bbox"][2:]) < 0 or max(map(abs, annotation["bbox"])) > _LARGEST_MASK:
            problem("the box is negative or too large", "correct it", "/bbox")
        if type(annotation.get("area")) not in (int, float):
            problem("this is not a number", "correct it", "/area")
        points = _read_points(annotation, problem) if "dp_x" in annotation else None
        parts = _read_masks(annotation.get("dp_masks", []), problem)
    # The fourteen masks of a person take a megabyte; only the runs of the one that counts are kept.
    placed_mask = _person_mask(annotation["bbox"], parts, images[annotation["image_id"]])
    return _Person(
        image_id=annotation["image_id"],
        category=annotation.get("category_id", 1),
        box=annotation["bbox"],
        area=annotation["area"],
        crowd=bool(annotation.get("iscrowd", 0)),
        points=points,
        mask_place=[placed_mask.row, placed_mask.column, *placed_mask.mask.shape],
        runs=part_masks.mask_to_runs(placed_mask.mask).astype(np.int32),
    )


def _read_points(annotation: dict[str, JsonValue], problem: AddProblem) -> Floats | None:
    """Return rows of x, y, part, U and V; None after a problem."""
    keys = ("dp_x", "dp_y", "dp_I", "dp_U", "dp_V")
    points: dict[str, JsonValue] = {key: annotation.get(key) for key in keys}
    if not all(map(_are_numbers, points.values())):
        problem("dp_x, dp_y, dp_I, dp_U and dp_V must be lists of numbers", "correct them", "/dp_x")
        return None
    if len({len(values) for values in points.values()}) > 1:
        problem(f"the lists differ in length: {_lengths(points)}", "correct them", "/dp_x", "length")
        return None
    rows = np.array(list(points.values()), dtype=np.float64).reshape(5, -1)
    if not ((rows[3:] >= 0) & (rows[3:] <= 1)).all():
        problem("dp_U or dp_V is not in 0..1", "correct it", "/dp_U")
    return rows


def _read_masks(entries: object, problem: AddProblem) -> list[Bools | None]:
    """Return the mask of each part, None where there is none."""
    if not isinstance(entries, list):
        problem("this is not a list", "write 14 masks, or an empty list", "/dp_masks")
        return []
    masks_of_parts: list[Bools | None] = []
    for index, entry in enumerate(entries):
        masks_of_parts.append(None)
        try:
            masks_of_parts[-1] = _decode_mask(entry) if entry else None
        except (ValueError, KeyError, TypeError, AttributeError):
            text = "this is not a run-length code of a 256 x 256 mask"
            problem(text, _OFFICIAL, f"/dp_masks/{index}", "mask")
    return masks_of_parts


def _decode_mask(entry: JsonValue) -> Bools:
    runs = part_masks.decode_counts(entry["counts"])
    if int(runs.sum()) != part_masks.MAP_SIZE**2:
        raise ValueError("another size")
    return masks.runs_to_mask(runs, part_masks.MAP_SIZE, part_masks.MAP_SIZE).T


def _write_persons(sizes: Sizes, persons: Sequence[_Person], vertices: _Vertices, output: Path) -> None:
    """Write all persons as `Persons`, by image; those of an image in file order."""
    image_ids = sorted(sizes)
    persons = sorted(persons, key=lambda person: person.image_id)
    category = np.array([person.category for person in persons], dtype=np.int64)
    image_id = np.array([person.image_id for person in persons], dtype=np.int64)
    box = np.array([person.box for person in persons], dtype=np.float64).reshape(-1, 4)
    runs = [person.runs for person in persons]
    arrays = {
        "image_id": np.array(image_ids, dtype=np.int64),
        "image_size": np.array([sizes[image_id] for image_id in image_ids], dtype=np.int64).reshape(-1, 2),
        "category": np.unique(category),
        "image": np.searchsorted(image_ids, image_id),
        "box": box,
        "area": np.array([person.area for person in persons], dtype=np.float64),
        "crowd": np.array([person.crowd for person in persons], dtype=bool),
        "dense": np.array([person.points is not None for person in persons], dtype=bool),
        **_point_columns(persons, box, vertices),
        "mask_place": np.array([person.mask_place for person in persons], dtype=np.int64).reshape(-1, 4),
        "run_start": _starts([len(runs_of_person) for runs_of_person in runs]),
        "run": np.concatenate([np.zeros(0, np.int32), *runs]),
    }
    save_prepared(output, {}, arrays)


def _point_columns(persons: Sequence[_Person], box: Floats, vertices: _Vertices) -> dict[str, np.ndarray]:
    """Return the points that have a vertex: where those of each person begin, image coordinates, fine part
    and unique vertex."""
    points = [person.points if person.points is not None else np.zeros((5, 0)) for person in persons]
    person = np.repeat(np.arange(len(persons)), [points_of_person.shape[1] for points_of_person in points])
    x, y, part, u, v = np.concatenate([np.zeros((5, 0)), *points], axis=1)
    nearest = _nearest_vertices(vertices, part, u, v)
    has_vertex = nearest >= 0
    person, vertex = person[has_vertex], nearest[has_vertex]
    left, top, width, height = box[person].T
    return {
        "point_start": _starts(np.bincount(person, minlength=len(persons))),
        # In this order of operations, as the released evaluator rounds.
        "x": x[has_vertex] * width / 255.0 + left,
        "y": y[has_vertex] * height / 255.0 + top,
        "part": vertices.part[vertex].astype(np.int8),
        "vertex": vertices.unique[vertex].astype(np.int32),
    }


def _starts(sizes: Sequence[int] | Ints) -> Ints:
    """Return where each part of a size begins if all are joined, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _person_mask(box: list[float], parts: list[Bools | None], size: tuple[int, int]) -> masks.PlacedMask:
    """Return the mask of a person, empty without masks of parts; ``size`` is that of the image."""
    left, top, width, height = (int(value) for value in box)
    box_size = max(height, 1), max(width, 1)
    mask = np.zeros(box_size, dtype=bool)
    if any(part is not None for part in parts):
        mask = part_masks.resized_foreground(part_masks.label_map(parts), *box_size)
    return masks.place_mask(mask, top, left, *size)


def _write(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Turn the official files into files that load fast; note a body template of another size."""
    prepare(source, output)
    template = load_prepared_folder(output, settings).template
    return _notes_on_template(source, output, template) if needs_normalizers(template, settings) else []


def _notes_on_template(source: Path, output: Path, template: Template) -> Notes:
    """Return a note on normalizers that are not those of the template, with those that its distances give."""
    text = (
        f"the body template has {template.n_vertices:,} vertices; the normalizers of the similarity are "
        f"those of the challenge's, which has {CHALLENGE_VERTICES:,}. Declare mean_distances or kappa in "
        f"{SETTINGS_FILE}, or take scores as comparable with this template only"
    )
    means = _mean_distances(_read_template(source), template.n_vertices, output / DISTANCES_FILE)
    if all(means):
        text += (
            f"; the means of its distances are mean_distances: [{', '.join(f'{mean:.6g}' for mean in means)}]"
        )
    return [Note("N-REF-TEMPLATE", text)]


def _mean_distances(vertices: _Vertices, number: int, distances: Path) -> list[float]:
    """Return for each coarse part the mean distance of two of its vertices, 0 if it has fewer than two.

    ``number`` is that of all unique vertices, ``distances`` the prepared file.
    """
    n_parts = len(geodesic.MEAN_DISTANCES) - 1
    is_of_part = np.zeros((n_parts, number), np.float32)
    is_of_part[geodesic.COARSE_PART[vertices.part] - 1, vertices.unique] = 1
    triangle = np.memmap(distances, "<f4", "r")
    totals = np.zeros(n_parts)
    for vertex in range(1, number):
        first_pair = vertex * (vertex - 1) // 2
        row = triangle[first_pair : first_pair + vertex]
        parts = np.flatnonzero(is_of_part[:, vertex])
        totals[parts] += is_of_part[parts, :vertex] @ row
    n_vertices = is_of_part.sum(axis=1, dtype=np.float64)
    n_pairs = n_vertices * (n_vertices - 1) / 2
    return np.divide(totals, n_pairs, out=np.zeros(n_parts), where=n_pairs > 0).tolist()


def _check(loaded: AnyLoaded) -> Notes:
    """Compare the prepared files with the hash that preparation left."""
    is_prepared = (loaded.folder / PERSONS_FILE).is_file()
    if is_prepared and content_hash(loaded.folder) != loaded.reference.digest:
        problem = "the prepared files are not those that were prepared"
        Findings().refuse(
            "E-REF-HASH", problem, "prepare the reference again, or upload it again", file=HASH_FILE
        )
    return []


def select_images(persons: Persons, image_ids: Collection[str]) -> Persons:
    """Return the persons of some images, which are all that remain."""
    is_selected = np.array([str(image_id) in image_ids for image_id in persons.image_id.tolist()], dtype=bool)
    person = np.flatnonzero(is_selected[persons.image])
    _, point, point_start = pairs_of_ranges(persons.point_start[person], persons.point_start[person + 1])
    _, run, run_start = pairs_of_ranges(persons.run_start[person], persons.run_start[person + 1])
    new_image = np.cumsum(is_selected) - 1
    return Persons(
        image_id=persons.image_id[is_selected],
        image_size=persons.image_size[is_selected],
        category=persons.category,
        image=new_image[persons.image[person]],
        box=persons.box[person],
        area=persons.area[person],
        crowd=persons.crowd[person],
        dense=persons.dense[person],
        point_start=point_start,
        x=persons.x[point],
        y=persons.y[point],
        part=persons.part[point],
        vertex=persons.vertex[point],
        mask_place=persons.mask_place[person],
        run_start=run_start,
        run=persons.run[run],
    )


def _select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some images."""
    return reference._replace(persons=select_images(reference.persons, items))


PREPARATIONS = {"densepose": Preparation(write=_write, check=_check, select_items=_select_items)}


def content_hash(folder: Path) -> str:
    """Return the SHA-256 of the prepared files, read in blocks."""
    total = hashlib.sha256()
    for name in PREPARED_FILES:
        with (folder / name).open("rb") as stream:
            while block := stream.read(_HASH_BLOCK):
                total.update(block)
    return total.hexdigest()
