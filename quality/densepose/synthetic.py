"""Synthetic data for DensePose: a body template, annotated persons, detections; a seed always gives the same.

The template is no real body: 24 patches in space, with straight distances.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer.files import Files
from people_in_video.references import densepose as prepare
from people_in_video.references import part_masks
from quality.task import write_json
from scoring_program.metrics import geodesic
from validator.arrays import Bools, Floats
from validator.formats.densepose.read import Box
from validator.formats.densepose.write import DetectionList, encode_detection, encode_submission, file_name

Person = dict[str, Any]
_HEADER_TEXT_BYTES = 116
# Distances that are written at once: 16 MB.
_BLOCK = 1 << 22
# The chessboard of parts, and the masks of a person.
_ROWS, _COLUMNS = 8, 3
_MASKS = 14


class Detection(NamedTuple):
    """A detected person: box x, y, width, height; part, U and V of its pixels, shape (3, height, width)."""

    image_id: int
    box: Box
    score: float
    iuv: np.ndarray
    category_id: int = 1

    def encoded(self) -> str:
        """Return the entry of a submission."""
        return encode_detection(int(self.image_id), self.box, self.score, self.iuv, self.category_id)


class Errors(NamedTuple):
    """How wrong detections are: pixels, U and V in 255ths, shares of parts, missed, and found twice.

    ``doubt`` says how little their scores know of it: at 0 the score is the quality of a detection.
    """

    offset: float
    noise: float
    wrong: float
    missed: float
    doubt: float
    extra: float = 0.0

    def at(self, quality: float) -> Errors:
        """Return the errors of a detection: twice the usual ones at quality 0, none at 1."""
        usual = 2 * (1 - quality)
        return self._replace(offset=self.offset * usual, noise=self.noise * usual, wrong=self.wrong * usual)


def write_template(folder: Path, n: int, rng: np.random.Generator) -> None:
    """Write a template of ``n`` vertices and the distances of all pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    part = np.arange(n) % geodesic.PARTS + 1
    u, v = rng.random(n), rng.random(n)
    center = np.stack([(part - 1) % _COLUMNS * 0.4, (part - 1) // _COLUMNS * 0.2], axis=1)
    position = (center + 0.3 * np.stack([u, v], axis=1)).astype(np.float32)
    # Some subdivided vertices share a unique one, as on the seams of the real template.
    seams = rng.integers(1, n + 1, n // 8)
    unique = np.concatenate([np.arange(1, n + 1), seams])
    columns = {
        "U_subdiv": u[unique - 1][:, None],
        "V_subdiv": v[unique - 1][:, None],
        "Part_ID_subdiv": part[unique - 1][:, None].astype(np.uint8),
    }
    _save_mat(folder / prepare.SUBDIVIDED_FILE, columns)
    _save_mat(folder / prepare.TRANSFORM_FILE, {"index": unique[:, None].astype(np.int32)})
    _write_distances(folder / prepare.OFFICIAL_DISTANCES_FILE, position)


def _write_distances(path: Path, position: Floats) -> None:
    """Write the distances of all pairs of vertices at these positions, in blocks."""
    import h5py

    n = len(position)
    with h5py.File(path, "w", track_order=False) as file:
        data = file.create_dataset("Pdist_matrix", (n * (n - 1) // 2, 1), "<f4", track_times=False)
        block: list[np.ndarray] = []
        begin = size = 0
        for i in range(1, n):
            block.append(np.hypot(*(position[:i] - position[i]).T))
            size += i
            if size >= _BLOCK or i == n - 1:
                data[begin : begin + size, 0] = np.concatenate(block)
                begin, size, block = begin + size, 0, []


def _save_mat(path: Path, columns: dict[str, np.ndarray]) -> None:
    import scipy.io

    scipy.io.savemat(path, columns)
    # The header names the time of writing; this text is the same each time.
    header = b"MATLAB 5.0 MAT-file, synthetic data".ljust(_HEADER_TEXT_BYTES)
    path.write_bytes(header + path.read_bytes()[_HEADER_TEXT_BYTES:])


def write_annotations(
    folder: Path, n_images: int, points: tuple[int, int], sides: tuple[int, int], rng: np.random.Generator
) -> None:
    """Write images of a few persons; ``points`` and ``sides`` of boxes are ranges."""
    images: list[dict[str, Any]] = []
    annotations: list[Person] = []
    most_persons = 3 if n_images < 100 else 5
    for number in range(1, n_images + 1):
        images.append({"id": number, "width": 640, "height": 480, "file_name": f"{number:012d}.jpg"})
        for _ in range(rng.integers(1, most_persons + 1)):
            width = int(rng.integers(*sides))
            height = int(rng.integers(*sides))
            left = int(rng.integers(0, 640 - width))
            top = int(rng.integers(0, 480 - height))
            box = [left, top, width, height]
            n_points = int(rng.integers(*points))
            annotations.append(_person(len(annotations) + 1, number, box, n_points, rng))
    categories = [{"id": 1, "name": "person", "supercategory": "person"}]
    content = {"images": images, "annotations": annotations, "categories": categories}
    write_json(folder / prepare.ANNOTATIONS_FILE, content)


def _person(number: int, image: int, box: list[int], n_points: int, rng: np.random.Generator) -> Person:
    angle, radius = rng.random(n_points) * 2 * np.pi, np.sqrt(rng.random(n_points)) * 120
    x, y = 127.5 + radius * np.cos(angle), 127.5 + radius * np.sin(angle)
    part, u, v = _body(x, y)
    return {
        "id": number,
        "image_id": image,
        "category_id": 1,
        "iscrowd": 0,
        "bbox": box,
        "area": box[2] * box[3] * 0.7,
        "dp_x": x.round(2).tolist(),
        "dp_y": y.round(2).tolist(),
        "dp_I": part.astype(float).tolist(),
        "dp_U": u.round(4).tolist(),
        "dp_V": v.round(4).tolist(),
        "dp_masks": _stripes(),
    }


def _stripes() -> list[dict[str, Any]]:
    """Return the masks of the 14 parts of a body: stripes from top to bottom."""
    grid = np.arange(part_masks.MAP_SIZE) + 0.0
    part, _, _ = _body(*np.meshgrid(grid, grid))
    stripe_of_row = np.arange(part_masks.MAP_SIZE) * _MASKS // part_masks.MAP_SIZE
    stripes = []
    for stripe in range(_MASKS):
        mask = (part > 0) & (stripe_of_row == stripe)[:, None]
        stripes.append({"counts": encode_counts(mask), "size": [256, 256]})
    return stripes


def encode_counts(mask: Bools) -> str:
    """Return COCO's compressed run-length code of a bool mask of shape (h, w).

    Examples
    --------
    >>> encode_counts(np.array([[False, True], [False, True]]))
    '22'
    """
    runs = part_masks.mask_to_runs(mask.T).tolist()
    text = []
    for place, run in enumerate(runs):
        value = run - runs[place - 2] if place > 2 else run
        while True:
            code = value & 31
            value >>= 5
            more = value != (-1 if code & 16 else 0)
            text.append(chr(code + (32 if more else 0) + 48))
            if not more:
                break
    return "".join(text)


def _body(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Return part, U and V of points whose box is 0..255: a chessboard of 24 parts in a disc, 0 around it."""
    inside = (x - 127.5) ** 2 + (y - 127.5) ** 2 <= 126**2
    column = np.clip(x * _COLUMNS / 256, 0, _COLUMNS - 0.01)
    row = np.clip(y * _ROWS / 256, 0, _ROWS - 0.01)
    part = np.floor(row) * _COLUMNS + np.floor(column) + 1
    return np.where(inside, part, 0).astype(np.int64), column % 1, row % 1


def read_persons(reference: Path) -> list[Person]:
    """Return the annotated persons of a reference."""
    text = (reference / prepare.ANNOTATIONS_FILE).read_text(encoding="utf-8")
    return json.loads(text)["annotations"]  # type: ignore[no-any-return]


def write_prediction(reference: Path, folder: Path, errors: Errors) -> None:
    """Write a submission, a detection at a time: at full size it has 300 MB."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(11)
    with (folder / file_name("demo")).open("wb") as stream:
        detections = DetectionList(stream)
        for person in read_persons(reference):
            for copy in range(1 + (rng.random() < errors.extra)):
                if rng.random() < errors.missed:
                    continue
                # Copies are worse.
                copy_errors = errors._replace(offset=errors.offset * (1 + 3 * copy))
                detections.add(detection(person, copy_errors, rng).encoded())
        detections.close()


def detection(person: Person, errors: Errors, rng: np.random.Generator) -> Detection:
    """Return a detection of a person: moved, with noise in U and V, a share of the parts wrong.

    All of this varies from detection to detection with a quality of its own, which its score hints at.
    """
    quality = rng.random()
    score = (quality + errors.doubt * rng.random()) / (1 + errors.doubt)
    errors = errors.at(quality)
    offset = errors.offset
    x, y, width, height = person["bbox"]
    left = x + rng.uniform(-offset, offset)
    top = y + rng.uniform(-offset, offset)
    n_columns = int(max(width + rng.uniform(-offset, offset), 2.0))
    n_rows = int(max(height + rng.uniform(-offset, offset), 2.0))
    columns, rows = np.meshgrid(np.arange(n_columns) + left, np.arange(n_rows) + top)
    part, u, v = _body((columns - x) * 255 / width, (rows - y) * 255 / height)
    is_swapped = rng.random(geodesic.PARTS + 1) < errors.wrong
    part = np.where(is_swapped[part] & (part > 0), part % geodesic.PARTS + 1, part)
    channels = [part]
    for values in (u, v):
        noisy_values = np.clip(values * 255 + rng.normal(0, errors.noise, part.shape), 0, 255)
        channels.append(np.where(part > 0, noisy_values, 0))
    box = (round(float(left), 2), round(float(top), 2), n_columns + 0.5, n_rows + 0.5)
    iuv = np.stack(channels).astype(np.uint8)
    return Detection(person["image_id"], box, round(float(score), 6), iuv)


def results(entries: Sequence[str]) -> Files:
    """Return the file of a submission of these entries."""
    return encode_submission("made", entries)
