"""Reading for DensePose: the prepared reference, and what matching needs of each submitted detection."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.metrics import geodesic, masks
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from scoring_program.prepared import load_prepared, require_files
from validator.archive import Source
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Read
from validator.formats.densepose import read as submissions
from validator.formats.densepose.read import Box, Checked, Checker, Detection, DetectionHints, Entry
from validator.formats.rules import Rules

TEMPLATE_FILE = "template.npz"
PERSONS_FILE = "persons.npz"
DISTANCES_FILE = "distances.f32"
HASH_FILE = "reference.sha256"
PREPARED_FILES = (TEMPLATE_FILE, PERSONS_FILE, DISTANCES_FILE)
_WINDOW = 1 << 22
_HASH_BLOCK = 1 << 24
_MASKS_KEPT = 256


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

    ``distances`` are in a file, or in memory for a small template that was not prepared beforehand.
    """

    nearest: Ints
    n_vertices: int
    distances: Path | Floats

    def lookup(self, position: Ints) -> Floats:
        """Return the stored distances at these positions as float32.

        A file is read once from front to back in windows of 16 MB, those without a lookup left out, so that
        memory does not grow with it.
        """
        if not isinstance(self.distances, Path):
            return self.distances[position]
        order = np.argsort(position, kind="stable")
        ranked = position[order]
        distances = np.empty(len(ranked), np.float32)
        window = np.empty(_WINDOW, "<f4")
        begin = 0
        with self.distances.open("rb", buffering=0) as stream:
            while begin < len(ranked):
                first = int(ranked[begin])
                end = int(np.searchsorted(ranked, first + _WINDOW))
                count = int(ranked[end - 1]) - first + 1
                stream.seek(4 * first)
                view = window.view(np.uint8)[: count * 4].data
                if stream.readinto(view) != len(view):
                    raise EOFError("the file of distances is too short")
                distances[begin:end] = window[ranked[begin:end] - first]
                begin = end
        result = np.empty_like(distances)
        result[order] = distances
        return result


class Reference(NamedTuple):
    """The prepared reference; ``digest`` is the hash that preparation left."""

    persons: Persons
    template: Template
    digest: str


def load_folder(folder: Path) -> Reference:
    """Load a prepared folder. Raises Refused."""
    with Findings.collect() as findings:
        remedy = "give the official files, which are prepared then, or what was prepared of them"
        require_files(folder, PREPARED_FILES, remedy, findings)
        distances = folder / DISTANCES_FILE
        with findings.part():
            persons = load_prepared(folder / PERSONS_FILE, lambda _, arrays: Persons(**arrays))
        with findings.part():
            template = folder / TEMPLATE_FILE
            nearest, n = load_prepared(template, lambda texts, own: (own["nearest"], texts["n_vertices"]))
        findings.refuse_problems()
        if distances.stat().st_size != 2 * n * (n - 1):
            problem = "the file of distances has another size"
            findings.add("E-REF-PREPARED", problem, "prepare it again", file=DISTANCES_FILE)
    path = folder / HASH_FILE
    digest = path.read_text(encoding="ascii").strip() if path.is_file() else ""
    return Reference(persons, Template(nearest, n, distances), digest)


def content_hash(folder: Path) -> str:
    """Return the SHA-256 of the prepared files, read in blocks."""
    total = hashlib.sha256()
    for name in PREPARED_FILES:
        with (folder / name).open("rb") as stream:
            while block := stream.read(_HASH_BLOCK):
                total.update(block)
    return total.hexdigest()


@dataclass(frozen=True)
class Kept:
    """What matching needs of a detection."""

    index: int
    image: int
    box: Box
    score: float
    part: Ints
    vertex: Ints
    mask_iou: Floats


class Gathered(NamedTuple):
    """Detections, of which at most 20 an image are kept; ``path`` is the submission, if it is a file."""

    kept: list[Kept]
    n_detections: int
    n_other_categories: int
    hints: DetectionHints
    path: Path | None = None


def read_submission(path: Source, rules: Rules, reference: Reference) -> Read[Gathered]:
    """Check all detections and keep what matching needs. Raises Refused."""
    make = partial(_Gatherer, reference, rules.json[0].schema)
    parts = submissions.read_folded(path, rules, make)
    gathered = _joined(parts.content)
    return Read(gathered._replace(path=path if isinstance(path, Path) else None), parts.notes)


def _joined(parts: Sequence[Gathered]) -> Gathered:
    return Gathered(
        [kept for part in parts for kept in part.kept],
        sum(part.n_detections for part in parts),
        sum(part.n_other_categories for part in parts),
        DetectionHints.joined([part.hints for part in parts]),
    )


def gather(entries: Sequence[Entry], rules: Rules, reference: Reference) -> Gathered:
    """Check detections in memory and keep what matching needs. Raises Refused."""
    gatherer = _Gatherer(reference, rules.json[0].schema)
    gatherer.take(enumerate(entries))
    checked, gathered = gatherer.result()
    with Findings.collect() as findings:
        submissions.report([checked], "", findings)
    return gathered


def joined_in_order(parts: Sequence[Gathered]) -> Gathered:
    """Return detections that were gathered apart as those of one file, which has them in this order."""
    numbered, n_before = [], 0
    for part in parts:
        kept = [replace(own, index=n_before + own.index) for own in part.kept]
        numbered.append(part._replace(kept=kept))
        n_before += part.n_detections
    return _joined([*numbered, Gathered([], 0, 0, DetectionHints())])


class _Gatherer:
    """Keeps what each detection predicts at the points of its image's persons, and the mask IoU."""

    def __init__(self, reference: Reference, schema: Path) -> None:
        self._checker = Checker(schema, frozenset(reference.persons.image_id.tolist()))
        self._persons = reference.persons
        self._nearest = reference.template.nearest
        self._image = {image_id: index for index, image_id in enumerate(self._persons.image_id.tolist())}
        self._categories = set(self._persons.category.tolist())
        self._best: dict[int, list[tuple[float, int, Kept]]] = {}
        self._count = self._others = 0
        self._hints = DetectionHints()
        self._mask = lru_cache(maxsize=_MASKS_KEPT)(self._persons.mask)

    def take(self, batch: Iterable[tuple[int, Entry]]) -> None:
        """Check the detections of a batch, and gather what is needed of each."""
        for detection in self._checker.good(batch):
            self._gather(detection)

    def _gather(self, detection: Detection) -> None:
        self._count += 1
        self._hints.take(detection)
        if detection.category_id not in self._categories:
            self._others += 1
            return
        image = self._image[detection.image_id]
        best = self._best.setdefault(image, [])
        rank = (detection.score, -detection.index)
        if len(best) == MOST_DETECTIONS and rank < best[0][:2]:
            return
        first, last = np.searchsorted(self._persons.image, [image, image + 1]).tolist()
        points = slice(*self._persons.point_start[[first, last]].tolist())
        x, y = self._persons.x[points], self._persons.y[points]
        pixels, corner = detection.pixels, detection.box[:2]
        part, vertex = geodesic.predicted_parts_and_vertices(pixels, self._nearest, x, y, corner)
        left, top = map(int, corner)
        height, width = self._persons.image_size[image].tolist()
        mask = masks.place_mask(pixels[..., 0] > 0, top, left, height, width)
        crowd = self._persons.crowd[first:last].tolist()
        people = zip(map(self._mask, range(first, last)), crowd)
        overlap = np.array([masks.mask_iou(mask, person, is_crowd) for person, is_crowd in people])
        part, vertex = part.astype(np.int8), vertex.astype(np.int32)
        kept = Kept(detection.index, image, detection.box, detection.score, part, vertex, overlap)
        push = heapq.heappush if len(best) < MOST_DETECTIONS else heapq.heappushpop
        push(best, (*rank, kept))

    def result(self) -> tuple[Checked, Gathered]:
        """Return the problems, and what was kept."""
        kept = [entry[2] for best in self._best.values() for entry in best]
        return self._checker.result(), Gathered(kept, self._count, self._others, self._hints)
