"""The prepared DensePose reference: persons with their points and masks, and the template."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring_program.metrics.arrays import Bools, Floats, Ints
from scoring_program.prepared import load_prepared
from validator.findings import Findings

TEMPLATE_FILE = "template.npz"
PERSONS_FILE = "persons.npz"
DISTANCES_FILE = "distances.f32"
HASH_FILE = "reference.sha256"
PREPARED_FILES = (TEMPLATE_FILE, PERSONS_FILE, DISTANCES_FILE)
_WINDOW = 1 << 22
_HASH_BLOCK = 1 << 24


@dataclass(frozen=True)
class Persons:
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


@dataclass(frozen=True)
class Template:
    """The body: ``nearest`` (24, 256, 256) is the unique vertex of each (part - 1, U, V)."""

    nearest: Ints
    n_vertices: int
    distances: Path

    def lookup(self, position: Ints) -> Floats:
        """Return the stored distances at these positions as float32.

        The file is read once from front to back in windows of 16 MB, those without a lookup left out, so that
        memory does not grow with it.
        """
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


@dataclass(frozen=True)
class LoadedTemplate:
    """A template whose distances are in memory, for small ones that were not prepared beforehand."""

    nearest: Ints
    n_vertices: int
    distances: Floats

    def lookup(self, position: Ints) -> Floats:
        """Return the stored distances at these positions as float32."""
        return self.distances[position]


@dataclass(frozen=True)
class Reference:
    """The prepared reference; ``digest`` is the hash that preparation left."""

    persons: Persons
    template: Template | LoadedTemplate
    digest: str


def load_folder(folder: Path, findings: Findings) -> Reference | None:
    """Load a prepared folder; None after a problem."""
    for name in PREPARED_FILES:
        if not (folder / name).is_file():
            hint = "give the official files, which are prepared then, or what was prepared of them"
            findings.add("E-REF-NONE", "the file is missing", hint, file=name)
    if not findings.ok:
        return None
    persons = load_prepared(folder / PERSONS_FILE, lambda _, arrays: Persons(**arrays), findings)
    distances = folder / DISTANCES_FILE
    template = load_prepared(
        folder / TEMPLATE_FILE,
        lambda texts, arrays: Template(arrays["nearest"], texts["n_vertices"], distances),
        findings,
    )
    if persons is None or template is None:
        return None
    n = template.n_vertices
    if distances.stat().st_size != 2 * n * (n - 1):
        problem = "the file of distances has another size"
        findings.add("E-REF-PREPARED", problem, "prepare it again", file=DISTANCES_FILE)
        return None
    digest = folder / HASH_FILE
    return Reference(
        persons, template, digest.read_text(encoding="ascii").strip() if digest.is_file() else ""
    )


def content_hash(folder: Path) -> str:
    """Return the SHA-256 of the prepared files, read in blocks."""
    total = hashlib.sha256()
    for name in PREPARED_FILES:
        with (folder / name).open("rb") as stream:
            while block := stream.read(_HASH_BLOCK):
                total.update(block)
    return total.hexdigest()
