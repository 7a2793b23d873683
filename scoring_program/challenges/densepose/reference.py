"""Reading for DensePose: the prepared reference, and what matching needs of each submitted detection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.metrics import geodesic, masks
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from scoring_program.prepared import Arrays, Texts, load_prepared, require_files
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Note, Read
from validator.formats.densepose import read as submissions
from validator.formats.densepose.read import Box, Detection, DetectionHints
from validator.formats.rules import Rules
from validator.items import Place, check_items
from validator.submission import Source

TEMPLATE_FILE = "template.npz"
PERSONS_FILE = "persons.npz"
DISTANCES_FILE = "distances.f32"
HASH_FILE = "reference.sha256"
PREPARED_FILES = (TEMPLATE_FILE, PERSONS_FILE, DISTANCES_FILE)
CHALLENGE_VERTICES = 27_554
"""The unique vertices of the challenge's body template, to which its normalizers belong."""
# Distances that are read at once: 16 MB.
WINDOW = 1 << 22
# How distances are stored.
_STORED = np.dtype("<f4")
_MASKS_KEPT = 256
_NO_NUMBERS, _NO_SHARES = np.zeros(0, np.int64), np.zeros(0)
_TEMPLATE_DIGITS = 12


class Persons(NamedTuple):
    """Annotated persons of all images.

    Attributes
    ----------
    image_id : int array of shape (n_images,), ascending
    image_size : int array of shape (n_images, 2)
        Height and width.
    category : int array
        The categories that are scored.
    image : int array of shape (n_persons,), ascending
        Index of the person's image; persons of an image in file order.
    box : float64 array of shape (n_persons, 4)
        ``x, y, w, h``.
    area : float64 array; crowd, dense : bool arrays
        Whether the person is a crowd, and whether it is densely annotated.
    point_start : int array of shape (n_persons + 1,)
        The known points of person i are those from ``point_start[i]`` up to ``point_start[i + 1]``.
    x, y : float64 arrays of shape (n_points,)
        In image coordinates.
    part, vertex : int arrays of shape (n_points,)
        Fine part of the ground-truth vertex, and its unique vertex.
    mask_place : int array of shape (n_persons, 4)
        Row, column, height and width of the mask, which is cut at the image's border.
    run_start : int array of shape (n_persons + 1,)
    run : int array
        Run lengths of the masks along the rows, beginning with background.
    """

    image_id: Ints
    image_size: Ints
    category: Ints
    image: Ints
    box: Floats
    area: Floats
    crowd: Bools
    dense: Bools
    point_start: Ints
    x: Floats
    y: Floats
    part: Ints
    vertex: Ints
    mask_place: Ints
    run_start: Ints
    run: Ints

    def mask(self, person: int) -> masks.PlacedMask:
        """Return the mask of a person."""
        row, column, height, width = self.mask_place[person].tolist()
        runs = self.run[slice(*self.run_start[person : person + 2].tolist())]
        return masks.PlacedMask(row, column, masks.runs_to_mask(runs, height, width))


class Template(NamedTuple):
    """The body: ``nearest`` (24, 256, 256) is the unique vertex of each (part - 1, U, V).

    ``distances`` is the file of distances, and ``distances_hash`` its SHA-256 in hex, "" if an earlier
    version prepared the reference.
    """

    nearest: Ints
    n_vertices: int
    distances: Path
    distances_hash: str = ""

    def lookup(self, positions: Ints, window_size: int = WINDOW) -> Floats:
        """Return the stored distances at these positions as float32.

        The file is read once from front to back in windows of so many distances, those without a lookup left
        out, so that memory does not grow with it.
        """
        order = np.argsort(positions, kind="stable")
        distances = np.empty(len(positions), np.float32)
        distances[order] = _read_ascending(self.distances, positions[order], window_size)
        return distances


def _read_ascending(path: Path, positions: Ints, window_size: int) -> Floats:
    """Return the distances in a file at ascending positions."""
    distances = np.empty(len(positions), np.float32)
    window = np.empty(window_size, _STORED)
    window_bytes = window.view(np.uint8)
    begin = 0
    with path.open("rb", buffering=0) as stream:
        while begin < len(positions):
            first = int(positions[begin])
            end = int(np.searchsorted(positions, first + window_size))
            last = int(positions[end - 1])
            stream.seek(_STORED.itemsize * first)
            buffer = window_bytes[: _STORED.itemsize * (last - first + 1)].data
            if stream.readinto(buffer) != len(buffer):
                raise EOFError("the file of distances is too short")
            distances[begin:end] = window[positions[begin:end] - first]
            begin = end
    return distances


class Reference(NamedTuple):
    """The prepared reference; ``digest`` is the hash that preparation left."""

    persons: Persons
    template: Template
    digest: str


def load_prepared_folder(folder: Path, settings: Settings) -> Reference:
    """Load a prepared folder. Raises Refused."""
    with Findings.collect() as findings:
        remedy = "give the official files, which are prepared then, or what was prepared of them"
        require_files(folder, PREPARED_FILES, remedy, findings)
        distances = folder / DISTANCES_FILE
        with findings.part():
            persons = load_prepared(folder / PERSONS_FILE, lambda texts, arrays: Persons(**arrays))
        with findings.part():
            template = load_prepared(folder / TEMPLATE_FILE, partial(_make_template, distances))
        findings.refuse_problems()
        n_pairs = template.n_vertices * (template.n_vertices - 1) // 2
        if distances.stat().st_size != _STORED.itemsize * n_pairs:
            problem = "the file of distances has another size"
            findings.add("E-REF-PREPARED", problem, "prepare it again", file=DISTANCES_FILE)
    path = folder / HASH_FILE
    digest = path.read_text(encoding="ascii").strip() if path.is_file() else ""
    return Reference(persons, template, digest)


def _make_template(distances: Path, texts: Texts, arrays: Arrays) -> Template:
    return Template(
        nearest=arrays["nearest"],
        n_vertices=texts["n_vertices"],
        distances=distances,
        distances_hash=texts.get("distances_hash", ""),
    )


def needs_normalizers(template: Template, settings: Settings) -> bool:
    """Return whether the challenge's normalizers are used with another body template than the challenge's."""
    has_normalizers = settings["kappa"] or settings["mean_distances"]
    return template.n_vertices != CHALLENGE_VERTICES and not has_normalizers


def items(reference: Reference) -> list[str]:
    """Return the ids of the images."""
    return [str(number) for number in reference.persons.image_id.tolist()]


def identity(reference: Reference, settings: Settings) -> dict[str, str]:
    """Return the hash that preparation left: hashing the files would take long in each run.

    A template that is not the challenge's and has no normalizers of its own adds its hash.
    """
    digest = {"ref": reference.digest} if reference.digest else {}
    template = reference.template
    if not needs_normalizers(template, settings):
        return digest
    return {"template": template.distances_hash[:_TEMPLATE_DIGITS] or "unknown", **digest}


class Images(NamedTuple):
    """The images of a reference, which are public.

    Attributes
    ----------
    image_id : int array of shape (n_images,), ascending
    image_size : int array of shape (n_images, 2)
        Height and width.
    category : int array
        The categories that are scored.
    """

    image_id: Ints
    image_size: Ints
    category: Ints

    @property
    def items(self) -> frozenset[str]:
        """The ids of the images."""
        return frozenset(map(str, self.image_id.tolist()))

    @property
    def vocabulary(self) -> dict[str, list[str]]:
        """No names."""
        return {}


@dataclass(frozen=True)
class Kept:
    """What matching needs of a detection; the last three are empty where no reference is at hand.

    Attributes
    ----------
    index : int
        Position of the detection in the file.
    image : int
        Index of its image.
    box : tuple of 4 float
        ``x, y, width, height`` in pixels.
    score : float
    part, vertex : int arrays of shape (n_points,)
        What it predicts at the points of all persons of the image.
    mask_iou : float64 array of shape (n_persons,)
        IoU of its mask with that of each person of the image.
    """

    index: int
    image: int
    box: Box
    score: float
    part: Ints
    vertex: Ints
    mask_iou: Floats


class Gathered(NamedTuple):
    """Detections, of which at most 20 an image are kept.

    Attributes
    ----------
    kept : list of Kept
        In the order of the file.
    n_detections : int
        How many there are, on images that the reference does not have, too.
    n_other_categories, n_other_images : int
        How many are of categories that are not scored; how many others are on images that the reference does
        not have.
    hints : DetectionHints
    first_of_image : dict of int to int
        The position of the first detection of each image id that is named.
    path : Path, optional
        The submission, if it is a file.
    """

    kept: list[Kept]
    n_detections: int
    n_other_categories: int
    n_other_images: int
    hints: DetectionHints
    first_of_image: dict[int, int]
    path: Path | None = None

    def uncompared(self) -> Gathered:
        """Return the same without what depends on the persons of a reference."""
        uncompared = [
            replace(detection, part=_NO_NUMBERS, vertex=_NO_NUMBERS, mask_iou=_NO_SHARES)
            for detection in self.kept
        ]
        return self._replace(kept=uncompared)


def read_submission(rules: Rules, source: Source, public: Images, keep: Keep | None) -> Read[Gathered]:
    """Check all detections and keep what ``keep`` returns of each. Raises Refused."""
    gatherer = Gatherer(public, keep or keep_box)
    read_file = submissions.read_detections(source, rules, gatherer.keep, len(public.image_id))
    gathered = gatherer.gathered()
    if isinstance(source, Path):
        gathered = gathered._replace(path=source)
    return Read(gathered, [*read_file.notes, *check_images(gathered, public, read_file.content)])


def check_images(gathered: Gathered, public: Images, name: str) -> list[Note]:
    """Return a note on images that the data does not have; ``name`` is that of the file.

    Raises Refused if it has none of them.
    """
    in_order = sorted(gathered.first_of_image.items(), key=lambda entry: entry[1])
    first_of_image = {str(image_id): first for image_id, first in in_order}

    def place(image_id: str) -> Place:
        return Place(name, f"/{first_of_image[image_id]}/image_id")

    return check_items(first_of_image, public.items, "image", place)


def best_of_images(detections: Iterable[Kept]) -> list[Kept]:
    """Return the best detections of each image, at most `MOST_DETECTIONS`: image by image, the best first."""
    best_of_image: dict[int, list[Kept]] = {}
    for detection in sorted(detections, key=_rank):
        best = best_of_image.setdefault(detection.image, [])
        if len(best) < MOST_DETECTIONS:
            best.append(detection)
    return [detection for image in sorted(best_of_image) for detection in best_of_image[image]]


def _rank(detection: Detection | Kept) -> tuple[float, int]:
    """Return by what detections are sorted: the best comes first, of equal scores the first of the file."""
    return -detection.score, detection.index


def in_order(detections: Iterable[Kept]) -> list[Kept]:
    """Return detections in the order of the file."""
    return sorted(detections, key=lambda detection: detection.index)


def keep_box(detection: Detection, image: int) -> Kept:
    """Return what is kept of a detection where it is compared with no person."""
    return Kept(
        index=detection.index,
        image=image,
        box=detection.box,
        score=detection.score,
        part=_NO_NUMBERS,
        vertex=_NO_NUMBERS,
        mask_iou=_NO_SHARES,
    )


class Keeper:
    """Keeps of a detection what it predicts at the points of its image's persons, and the mask IoU."""

    def __init__(self, reference: Reference) -> None:
        self.persons = reference.persons
        self._nearest = reference.template.nearest
        self._person_mask = lru_cache(maxsize=_MASKS_KEPT)(self.persons.mask)

    def __call__(self, detection: Detection, image: int) -> Kept:
        """Return what is kept of a detection on an image, which is given by its number."""
        first, last = np.searchsorted(self.persons.image, [image, image + 1]).tolist()
        points = slice(*self.persons.point_start[[first, last]].tolist())
        x, y = self.persons.x[points], self.persons.y[points]
        part, vertex = geodesic.predicted_parts_and_vertices(
            detection.pixels, self._nearest, x, y, detection.box[:2]
        )
        return replace(
            keep_box(detection, image),
            part=part.astype(np.int8),
            vertex=vertex.astype(np.int32),
            mask_iou=self._mask_ious(detection, image, range(first, last)),
        )

    def _mask_ious(self, detection: Detection, image: int, people: range) -> Floats:
        """Return the IoU of the mask of a detection with those of some persons."""
        left, top = int(detection.box[0]), int(detection.box[1])
        height, width = self.persons.image_size[image].tolist()
        predicted_mask = masks.place_mask(detection.pixels[..., 0] > 0, top, left, height, width)
        ious = []
        for person in people:
            is_crowd = bool(self.persons.crowd[person])
            ious.append(masks.mask_iou(predicted_mask, self._person_mask(person), is_crowd))
        return np.array(ious)


# Returns what is kept of a detection on the image with a number.
Keep = Callable[[Detection, int], Kept]


class Gatherer:
    """Keeps the best detections of each image, as they are read."""

    def __init__(self, public: Images, keep: Keep) -> None:
        image_ids = public.image_id.tolist()
        self._keep = keep
        self._index_of_image = {image_id: index for index, image_id in enumerate(image_ids)}
        self._categories = set(public.category.tolist())
        self._best_of_images: dict[int, list[Kept]] = {}
        self._n_detections = 0
        self._n_other_categories = 0
        self._n_other_images = 0
        self._first_of_image: dict[int, int] = {}
        self._hints = DetectionHints()

    def keep(self, detection: Detection) -> None:
        """Keep what is needed of a detection."""
        self._n_detections += 1
        self._hints.take(detection)
        self._first_of_image.setdefault(detection.image_id, detection.index)
        if detection.category_id not in self._categories:
            self._n_other_categories += 1
            return
        if detection.image_id not in self._index_of_image:
            self._n_other_images += 1
            return
        image = self._index_of_image[detection.image_id]
        best = self._best_of_images.setdefault(image, [])
        if len(best) < MOST_DETECTIONS or _rank(detection) < _rank(best[-1]):
            best.append(self._keep(detection, image))
            best.sort(key=_rank)
            del best[MOST_DETECTIONS:]

    def gathered(self) -> Gathered:
        """Return what was kept."""
        return Gathered(
            kept=in_order(chain.from_iterable(self._best_of_images.values())),
            n_detections=self._n_detections,
            n_other_categories=self._n_other_categories,
            n_other_images=self._n_other_images,
            hints=self._hints,
            first_of_image=self._first_of_image,
        )
