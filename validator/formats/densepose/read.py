"""COCO DensePose: a list of detections, each with a box, a score and a PNG of body parts and UV coordinates.

Files are large, so they are read as a stream (`entries`), and folded in worker processes: a fold checks
batches of detections (`Checker`) and takes what it needs from the pixels of each, which are then dropped.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar, Union

import numpy as np

from validator.archive import Source, open_submission
from validator.array_stream import ReadBytes, iter_entries
from validator.arrays import Pixels
from validator.files import choose_named, naming_other_task
from validator.findings import REPORTED_PER_KIND, Findings, Read
from validator.formats.rules import Format, JsonFile, Rules
from validator.hints import EMPTY
from validator.json_files import Budget, check_value
from validator.limits import collector_off
from validator.messages import Note, Problem
from validator.png import ImageError, decode_base64, decode_png
from validator.strict_json import JsonValue
from validator.texts import counted
from validator.workers import Batch, Fold, fold, usable_cores

PARTS = 24
_LARGEST_ENTRY = 32_000_000
_MOST_PIXELS = 25_000_000
# Large: each change between processes on a core makes it slower.
_BATCH_BYTES = 8_000_000
_PARALLEL_FROM_BYTES = 8_000_000
_MOST_WORKERS = 4
_LEAST_SCORES = 10
_DETECTIONS_SEEN = 200
_MOST_PROBLEMS = 500
# Explaining a bad entry takes far longer than reading a good one.
_MOST_BAD_IN_A_BATCH = REPORTED_PER_KIND

ResultT = TypeVar("ResultT")
# ``x, y, width, height`` in pixels.
Box = tuple[float, float, float, float]
# The text of a detection, or a text without pixels and the pixels, for arrays that are in memory.
Entry = Union[bytes, tuple[bytes, Pixels]]


@dataclass(frozen=True)
class Detection:
    """One detection.

    Attributes
    ----------
    index : int
        Its position in the file, from 0.
    image_id, category_id : int
    box : tuple of 4 float
        ``x, y, width, height`` in pixels.
    score : float
    pixels : uint8 array of shape (int(height), int(width), 3)
        Part 0..24 (0 is background), U and V (0..255).
    """

    index: int
    image_id: int
    category_id: int
    box: Box
    score: float
    pixels: Pixels


class Checked(NamedTuple):
    """The problems of the detections that one process checked, with their positions, and their number."""

    problems: list[tuple[int, Problem]]
    total: int
    is_complete: bool


class Checker:
    """Checks detections batch by batch.

    Parameters
    ----------
    schema : Path
        The schema of a detection.
    image_ids : frozenset of int, optional
        The images that exist. Without it (a participant at home) every id is accepted.
    """

    def __init__(self, schema: Path, image_ids: frozenset[int] | None = None) -> None:
        self._schema, self._image_ids = schema, image_ids
        self._problems: list[tuple[int, Problem]] = []
        self._total = 0
        self._is_complete = True

    def good(self, batch: Iterable[tuple[int, Entry]]) -> Iterator[Detection]:
        """Check a batch; yield its detections, none after a problem, when they are of no use."""
        bad, budget = 0, Budget()
        for index, entry in batch:
            if bad == _MOST_BAD_IN_A_BATCH:
                self._is_complete = False
                return
            findings = Findings()
            with findings.part():
                detection = check(index, entry, self._schema, self._image_ids, budget)
            self._total += findings.total
            self._is_complete &= findings.is_complete
            bad += not findings.ok
            if len(self._problems) < _MOST_PROBLEMS:
                self._problems += [(index, problem) for problem in findings.problems]
            if not self._total:
                yield detection

    def result(self) -> Checked:
        """Return the problems so far."""
        return Checked(self._problems, self._total, self._is_complete)


def read(path: Source, rules: Rules) -> Read[DetectionHints]:
    """Check a submission without a reference. Raises Refused."""
    parts = read_folded(path, rules, partial(_HintsFold, rules.json[0].schema))
    return Read(DetectionHints.joined(parts.content), parts.notes)


def read_folded(
    path: Source, rules: Rules, make: Callable[[], Fold[tuple[Checked, ResultT]]]
) -> Read[list[ResultT]]:
    """Pass all detections of a submission to folds, in worker processes for large files.

    Parameters
    ----------
    path : Path, or mapping of str to bytes
        A zip file, or a folder with the submission's file; or its content by name.
    rules : Rules
    make : callable
        Makes the fold of a process; its result is that of its `Checker`, and its own.

    Returns
    -------
    Read of list
        The folds' own results.

    Raises
    ------
    Refused
        With the problems of all detections, in the order of the file.
    """
    (file,) = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()
        n_workers = min(usable_cores(), _MOST_WORKERS) if submission.size(name) >= _PARALLEL_FROM_BYTES else 1
        with submission.open(name) as stream, collector_off():
            results = fold(_batches(entries(stream.read, name, file), findings), make, n_workers)
        report([checked for checked, _ in results], name, findings)
    return Read([own for _, own in results], findings.notes)


def read_chosen(path: Path, rules: Rules, chosen: Collection[int]) -> dict[int, Detection]:
    """Return the detections at these positions of a submission that is valid; only they are decoded.

    Raises Refused.
    """
    (file,) = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        (name,) = findings.take(choose_named(submission, rules)).values()
        with submission.open(name) as stream:
            texts = islice(enumerate(entries(stream.read, name, file)), max(chosen, default=-1) + 1)
            kept = ((index, text) for index, text in texts if index in chosen)
            return {index: check(index, text, file.schema, None, Budget()) for index, text in kept}


def entries(read: ReadBytes, name: str, file: JsonFile) -> Iterator[bytes]:
    """Yield the texts of the detections. Raises Refused where the list breaks off or is damaged."""
    with naming_other_task(name, file.name):
        yield from iter_entries(read, name, _LARGEST_ENTRY, file.entries or 0)


def _batches(texts: Iterable[bytes], findings: Findings) -> Iterator[Batch]:
    """Yield the texts with their positions in batches; what ends them early is a problem in ``findings``.

    The batch in which that happens is dropped: what seems wrong there often only follows from it.
    """
    batch: Batch = []
    size = 0
    with findings.part():
        for index, text in enumerate(texts):
            batch.append((index, text))
            size += len(text)
            if size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def report(parts: Sequence[Checked], name: str, findings: Findings) -> None:
    """Add the problems that all processes found, in the order of the file."""
    problems = sorted((entry for part in parts for entry in part.problems), key=lambda entry: entry[0])
    for _, problem in problems:
        findings.repeat(problem, file=name)
    unread = sum(part.total for part in parts) - len(problems)
    if unread or not all(part.is_complete for part in parts):
        findings.count_unread(unread, name)


def check(
    index: int, entry: Entry, schema: Path, image_ids: frozenset[int] | None, budget: Budget
) -> Detection:
    """Parse, check, and decode the detection at ``index``. Raises Refused; problems name no file."""
    where = f"/{index}"
    text, given = entry if isinstance(entry, tuple) else (entry, None)
    value = check_value(text, schema, where, budget)
    with Findings.collect() as findings:
        box = value["bbox"]
        image_id = int(value["image_id"])
        if image_ids is not None and image_id not in image_ids:
            remedy = "take the image ids of the challenge's image list"
            findings.add("E-DP-IMAGE", f"there is no image {image_id}", remedy, where=f"{where}/image_id")
        height, width = int(box[3]), int(box[2])
        _check_shape(value, height, width, where, findings)
        findings.refuse_problems()
        place = f"{where}/uv_data"
        pixels = _decoded(value["uv_data"], (height, width), place, findings) if given is None else given
        _check_parts(pixels, place, findings)
    corner = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
    return Detection(index, image_id, int(value["category_id"]), corner, float(value["score"]), pixels)


def _check_shape(
    value: dict[str, JsonValue], height: int, width: int, where: str, findings: Findings
) -> None:
    shape_place = f"{where}/uv_shape"
    if height < 1 or width < 1:
        problem = f"the box is {value['bbox'][2]:g} x {value['bbox'][3]:g} pixels"
        remedy = "leave out boxes smaller than a pixel"
        if min(value["bbox"]) >= 0 and max(value["bbox"]) <= 1:
            remedy = "write pixels: x and width times the image's width, y and height times its height"
        findings.add("E-DP-BOX", problem, remedy, where=f"{where}/bbox")
    elif [int(number) for number in value["uv_shape"]] != [3, height, width]:
        shape = "{} x {} x {}".format(*(int(number) for number in value["uv_shape"]))
        problem, rule = f"the shape {shape} does not fit the box", "shape"
        remedy = f"write [3, {height}, {width}]: 3, then the integer parts of the box's height and width"
        if _are_corners(value):
            rule, remedy = "corners", "bbox looks like two corners; write x, y, width, height"
        findings.add("E-DP-SHAPE", problem, remedy, where=shape_place, rule=rule)
    elif height * width > _MOST_PIXELS:
        problem = f"{height} x {width} pixels are more than {_MOST_PIXELS:,}"
        findings.add("E-DP-SHAPE", problem, "cut the box at the image", where=shape_place, rule="pixels")


def _are_corners(value: dict[str, JsonValue]) -> bool:
    """Return whether the shape is that of a box ``x1, y1, x2, y2``; both ends may be included."""
    x1, y1, x2, y2 = value["bbox"]
    _, height, width = value["uv_shape"]
    return 0 <= height - int(y2 - y1) <= 1 and 0 <= width - int(x2 - x1) <= 1


def _decoded(data: str | bytes, size: tuple[int, int], where: str, findings: Findings) -> Pixels:
    """Return the pixels of an image of (height, width), given in base64 or decoded. Raises Refused."""
    code = "E-DP-BASE64"
    try:
        png = data if isinstance(data, bytes) else decode_base64(data)
        code = "E-DP-PNG"
        return decode_png(png, *size)
    except ImageError as error:
        findings.refuse(code, error.problem, error.remedy, where=where, rule=error.rule)


def _check_parts(pixels: Pixels, where: str, findings: Findings) -> None:
    largest = int(pixels[..., 0].max())
    if largest > PARTS:
        rule, remedy = "part", "parts are 0 (background) to 24"
        if int(pixels[..., 2].max()) <= PARTS:
            rule, remedy = "order", "channels look like B, G, R; write R, G, B = I, U, V"
        findings.add("E-DP-PART", f"the first channel holds {largest}", remedy, where=where, rule=rule)


def encode_detection(image_id: int, box: Box, score: float, iuv: Pixels, category_id: int = 1) -> str:
    """Return a detection as JSON text; ``iuv`` is uint8 of shape (3, int(height), int(width))."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(np.moveaxis(iuv, 0, -1))).save(stream, format="PNG")
    return _text(image_id, box, score, iuv, category_id, stream.getvalue())


def array_entry(image_id: int, box: Box, score: float, iuv: Pixels) -> tuple[bytes, Pixels]:
    """Return a detection whose pixels stay an array; parameters as for `encode_detection`."""
    return _text(image_id, box, score, iuv).encode("ascii"), np.moveaxis(iuv, 0, -1)


def _text(image_id: int, box: Box, score: float, iuv: Pixels, category_id: int = 1, png: bytes = b"") -> str:
    members = {
        "image_id": int(image_id),
        "category_id": int(category_id),
        "bbox": [float(number) for number in box],
        "score": float(score),
        "uv_shape": list(iuv.shape),
        "uv_data": base64.b64encode(png).decode("ascii"),
    }
    return json.dumps(members)


@dataclass
class DetectionHints:
    """A few extremes of all detections, for notes on likely mistakes."""

    count: int = 0
    scores: tuple[float, float] = (np.inf, -np.inf)
    corners: tuple[float, float] = (np.inf, -np.inf)
    whole_corners: bool = True
    # -1 if all is background.
    largest_uv: int = -1

    def take(self, detection: Detection) -> None:
        """Look at a detection; at the pixels of the first 200 only."""
        self.count += 1
        self.scores = _extremes(self.scores, detection.score)
        for value in detection.box[:2]:
            self.corners = _extremes(self.corners, value)
            self.whole_corners &= value.is_integer()
        if detection.index < _DETECTIONS_SEEN:
            uv = detection.pixels[..., 1:].max() if detection.pixels[..., 0].any() else -1
            self.largest_uv = max(self.largest_uv, int(uv))

    @staticmethod
    def joined(parts: Sequence[DetectionHints]) -> DetectionHints:
        """Return the facts of all processes as one."""
        return DetectionHints(
            sum(part.count for part in parts),
            (min(part.scores[0] for part in parts), max(part.scores[1] for part in parts)),
            (min(part.corners[0] for part in parts), max(part.corners[1] for part in parts)),
            all(part.whole_corners for part in parts),
            max(part.largest_uv for part in parts),
        )

    def notes(self) -> list[Note]:
        """Return notes on coordinates in 0..1, on background alone, and on scores that rank nothing."""
        if not self.count:
            return [EMPTY]
        notes = []
        if self.corners[0] >= 0 and self.corners[1] <= 1 and not self.whole_corners:
            boxes = counted(self.count, "box", "boxes")
            text = f"x and y of every box lie between 0 and 1 ({boxes}). Write pixels of the image"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        seen = f"the first {counted(min(self.count, _DETECTIONS_SEEN), 'detection')}"
        if self.largest_uv < 0:
            text = f"all pixels of {seen} are background (part 0). Write part 1..24 on the person"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        elif self.largest_uv <= 1:
            notes.append(Note("N-LOOKS-NORMALIZED", f"U and V are 0 or 1 in {seen}. Write round(255 * u)"))
        if self.count >= _LEAST_SCORES and self.scores[0] == self.scores[1]:
            same = f"{counted(self.count, 'score')} are {self.scores[0]:g}"
            text = f"all {same}. AP ranks detections: give each its own score"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        return notes


def _extremes(known: tuple[float, float], value: float) -> tuple[float, float]:
    return min(known[0], value), max(known[1], value)


class _HintsFold:
    """Checks detections and keeps their extremes."""

    def __init__(self, schema: Path) -> None:
        self._checker, self._hints = Checker(schema), DetectionHints()

    def take(self, batch: Batch) -> None:
        for detection in self._checker.good(batch):
            self._hints.take(detection)

    def result(self) -> tuple[Checked, DetectionHints]:
        return self._checker.result(), self._hints


FORMAT = Format(read, DetectionHints.notes)
