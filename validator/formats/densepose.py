"""COCO DensePose: a list of detections, each with a box, a score and a PNG of body parts and UV coordinates.

Files are large, so they are read as a stream, and the detections are decoded in worker processes; a consumer
takes what it needs from each one's pixels, which are then dropped.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from validator import forks, limits
from validator.archive import Submission
from validator.array_stream import ArrayError, iter_entries
from validator.arrays import Pixels
from validator.facts import EMPTY
from validator.findings import REPORTED_PER_KIND_AND_FILE, Findings, Note, Problem, counted
from validator.json_files import check_value
from validator.png import ImageError, decode_base64, decode_png
from validator.rules import Rules
from validator.strict_json import JsonValue, collector_off

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

SCHEMA = "densepose.json"
PARTS = 24
_LARGEST_ENTRY = 32_000_000
_MOST_PIXELS = 25_000_000
# Large: each change between processes on a core makes it slower.
_BATCH_BYTES = 8_000_000
_PARALLEL_FROM_BYTES = 8_000_000
_MOST_WORKERS = 4
_FEWEST_SCORES = 10
_DETECTIONS_SEEN = 200
_MOST_PROBLEMS = 500
# Explaining a bad entry takes far longer than reading a good one.
_MOST_BAD_IN_A_BATCH = REPORTED_PER_KIND_AND_FILE


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
    box: tuple[float, float, float, float]
    score: float
    pixels: Pixels


class Consumer(Protocol):
    """Takes detections in one process; its result must be picklable."""

    def take(self, detection: Detection) -> None:
        """Look at a detection; its pixels are gone afterwards."""

    def result(self) -> object:
        """Return what was gathered."""


@dataclass
class _Answer:
    """What a worker found: problems with the index of their detection, and the consumer's result."""

    problems: list[tuple[int, Problem]]
    total: int
    complete: bool
    result: object


def read(
    submission: Submission,
    files: dict[str, str],
    rules: Rules,
    findings: Findings,
    image_ids: frozenset[int] | None = None,
    make_consumer: Callable[[], Consumer] | None = None,
) -> list[object] | None:
    """Check all detections and pass them to consumers; return these consumers' results, None after a problem.

    Parameters
    ----------
    image_ids : frozenset of int, optional
        The images that exist. Without it (a participant at home) every id is accepted.
    make_consumer : callable, optional
        Makes a consumer; it is called once in each process. By default `DetectionFacts`.
    """
    make_consumer = make_consumer or DetectionFacts
    assert rules.json is not None  # noqa: S101 - these rules are for JSON
    (name,) = files.values()
    size = submission.size(name)
    with (
        submission.open(name) as stream,
        collector_off(),
        closing(_Pool(image_ids, make_consumer, size)) as pool,
    ):
        try:
            for batch in _batches(iter_entries(stream, _LARGEST_ENTRY, rules.json.entries)):
                pool.send(batch)
        except ArrayError as error:
            where = "" if error.entry is None else f"/{error.entry}"
            findings.add(error.code, error.problem, error.hint, file=name, where=where)
        answers = pool.finish()
    problems = sorted((entry for answer in answers for entry in answer.problems), key=lambda entry: entry[0])
    for _, problem in problems:
        findings.add(problem.code, problem.problem, problem.hint, file=name, where=problem.where)
    unread = sum(answer.total for answer in answers) - len(problems)
    if unread or not all(answer.complete for answer in answers):
        findings.count_unread(unread, name)
    return [answer.result for answer in answers] if findings.ok else None


def _batches(entries: Iterator[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    batch: list[tuple[int, bytes]] = []
    size = 0
    for index, text in enumerate(entries):
        batch.append((index, text))
        size += len(text)
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Pool:
    """Worker processes for large files; this process reads small ones, and all where the system cannot
    fork."""

    def __init__(
        self, image_ids: frozenset[int] | None, make_consumer: Callable[[], Consumer], size: int
    ) -> None:
        self._local = _Worker(image_ids, make_consumer)
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        self._next = 0
        workers = min(forks.usable_cores(), _MOST_WORKERS)
        if size < _PARALLEL_FROM_BYTES or workers < 2:
            return
        for _ in range(workers):
            try:
                process, pipe = forks.start(_serve, list(self._pipes), self._local)
            except OSError:  # the system allows no further process
                return
            self._pipes.append(pipe)
            self._processes.append(process)

    def send(self, batch: list[tuple[int, bytes]]) -> None:
        """Pass a batch to the next worker; waits while that one is busy."""
        if not self._pipes:
            self._local.take(batch)
            return
        pipe = self._pipes[self._next]
        self._next = (self._next + 1) % len(self._pipes)
        with _ended_without_answer():
            pipe.send(len(batch))
            for index, text in batch:
                pipe.send(index)
                pipe.send_bytes(text)

    def finish(self) -> list[_Answer]:
        """Return what all workers found."""
        if not self._pipes:
            return [self._local.finish()]
        with _ended_without_answer():
            for pipe in self._pipes:
                pipe.send(0)
            answers = [pipe.recv() for pipe in self._pipes]
        for process in self._processes:
            process.join()
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def close(self) -> None:
        """End the workers that still run at once."""
        for process in self._processes:
            process.kill()


@contextmanager
def _ended_without_answer() -> Iterator[None]:
    """Treat a worker that died silently as out of memory."""
    try:
        yield
    except (EOFError, ConnectionError):
        raise MemoryError from None


def _serve(pipe: Connection, others: list[Connection], worker: _Worker) -> None:
    """Work until an empty batch comes; answer with what was found, or with the exception."""
    for other in others:
        # Otherwise a worker would hold the pipes of those started before it open.
        other.close()
    failure: Exception | None = None
    while count := pipe.recv():
        # Also after a failure batches are received as they were sent: what participants wrote is never
        # unpickled.
        batch = [(pipe.recv(), pipe.recv_bytes()) for _ in range(count)]
        try:
            if not failure:
                worker.take(batch)
        except Exception as error:
            failure = _without_message(error)
    try:
        pipe.send(failure or worker.finish())
    except Exception as error:
        pipe.send(_without_message(error))


def _without_message(error: Exception) -> Exception:
    """Return an exception to raise in place of ``error``, whose message may hold data."""
    return MemoryError() if limits.is_out_of_memory(error) else RuntimeError(type(error).__name__)


class _Worker:
    """Checks detections and passes them to its consumer."""

    def __init__(self, image_ids: frozenset[int] | None, make_consumer: Callable[[], Consumer]) -> None:
        self._image_ids = image_ids
        self._make_consumer = make_consumer
        self._problems: list[tuple[int, Problem]] = []
        self._total = 0
        self._complete = True

    @cached_property
    def _consumer(self) -> Consumer:
        # Made at its first use, so that each process has its own.
        return self._make_consumer()

    def take(self, batch: list[tuple[int, bytes]]) -> None:
        bad = 0
        for index, text in batch:
            if bad == _MOST_BAD_IN_A_BATCH:
                self._complete = False
                break
            findings = Findings()
            detection = self._check(index, text, findings)
            if detection is not None and not self._total:
                self._consumer.take(detection)
            self._total += findings.total
            self._complete &= findings.complete
            bad += not findings.ok
            if len(self._problems) < _MOST_PROBLEMS:
                self._problems += [(index, problem) for problem in findings.problems]

    def finish(self) -> _Answer:
        return _Answer(self._problems, self._total, self._complete, self._consumer.result())

    def _check(self, index: int, text: bytes, findings: Findings) -> Detection | None:
        value = check_value(text, SCHEMA, findings, f"/{index}")
        if value is None:
            return None
        box = value["bbox"]
        image_id = int(value["image_id"])
        if self._image_ids is not None and image_id not in self._image_ids:
            hint = "take the image ids of the challenge's image list"
            findings.add("E-DP-IMAGE", f"there is no image {image_id}", hint, where=f"/{index}/image_id")
        height, width = int(box[3]), int(box[2])
        _check_shape(value, height, width, index, findings)
        if not findings.ok:
            return None
        pixels = _read_pixels(value["uv_data"], (height, width), f"/{index}/uv_data", findings)
        if pixels is None:
            return None
        corner = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
        return Detection(index, image_id, int(value["category_id"]), corner, float(value["score"]), pixels)


def _check_shape(
    value: dict[str, JsonValue], height: int, width: int, index: int, findings: Findings
) -> None:
    if height < 1 or width < 1:
        problem = f"the box is {value['bbox'][2]:g} x {value['bbox'][3]:g} pixels"
        findings.add("E-DP-BOX", problem, "leave out boxes smaller than a pixel", where=f"/{index}/bbox")
    elif [int(number) for number in value["uv_shape"]] != [3, height, width]:
        shape = "{} x {} x {}".format(*(int(number) for number in value["uv_shape"]))
        hint = f"write [3, {height}, {width}]: 3, then the integer parts of the box's height and width"
        if _are_corners(value):
            hint = "bbox looks like two corners; write x, y, width, height"
        findings.add(
            "E-DP-SHAPE", f"the shape {shape} does not fit the box", hint, where=f"/{index}/uv_shape"
        )
    elif height * width > _MOST_PIXELS:
        problem = f"{height} x {width} pixels are more than {_MOST_PIXELS:,}"
        findings.add("E-DP-SHAPE", problem, "cut the box at the image", where=f"/{index}/uv_shape")


def _are_corners(value: dict[str, JsonValue]) -> bool:
    """Return whether the shape is that of a box ``x1, y1, x2, y2``; both ends may be included."""
    x1, y1, x2, y2 = value["bbox"]
    _, height, width = value["uv_shape"]
    return 0 <= height - int(y2 - y1) <= 1 and 0 <= width - int(x2 - x1) <= 1


def _read_pixels(data: str | bytes, size: tuple[int, int], where: str, findings: Findings) -> Pixels | None:
    """Return the pixels of an image of (height, width), given in base64 or decoded; None after a problem."""
    code = "E-DP-BASE64"
    try:
        png = data if isinstance(data, bytes) else decode_base64(data)
        code = "E-DP-PNG"
        pixels = decode_png(png, *size)
    except ImageError as error:
        findings.add(code, error.problem, error.hint, where=where)
        return None
    largest = int(pixels[..., 0].max())
    if largest > PARTS:
        problem = f"the first channel holds {largest}"
        hint = "parts are 0 (background) to 24"
        if int(pixels[..., 2].max()) <= PARTS:
            hint = "channels look like B, G, R; write R, G, B = I, U, V"
        findings.add("E-DP-PART", problem, hint, where=where)
        return None
    return pixels


def encode_detection(
    image_id: int, box: tuple[float, float, float, float], score: float, iuv: Pixels, category_id: int = 1
) -> str:
    """Return a detection as JSON text; ``iuv`` is uint8 of shape (3, int(height), int(width))."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(np.moveaxis(iuv, 0, -1))).save(stream, format="PNG")
    return json.dumps(
        {
            "image_id": int(image_id),
            "category_id": int(category_id),
            "bbox": [float(number) for number in box],
            "score": float(score),
            "uv_shape": list(iuv.shape),
            "uv_data": base64.b64encode(stream.getvalue()).decode("ascii"),
        }
    )


@dataclass
class DetectionFacts:
    """What DensePose detections have in common: a consumer of detections that keeps a few extremes."""

    count: int = 0
    scores: tuple[float, float] = (np.inf, -np.inf)
    corners: tuple[float, float] = (np.inf, -np.inf)
    whole_corners: bool = True
    largest_uv: int = 0

    def take(self, detection: Detection) -> None:
        """Look at a detection; at the pixels of the first 200 only."""
        self.count += 1
        self.scores = _extremes(self.scores, detection.score)
        for value in detection.box[:2]:
            self.corners = _extremes(self.corners, value)
            self.whole_corners &= value.is_integer()
        if detection.index < _DETECTIONS_SEEN:
            self.largest_uv = max(self.largest_uv, int(detection.pixels[..., 1:].max()))

    def result(self) -> DetectionFacts:
        """Return itself: what was gathered in one process."""
        return self

    @staticmethod
    def joined(parts: Sequence[DetectionFacts]) -> DetectionFacts:
        """Return the facts of all processes as one."""
        return DetectionFacts(
            sum(part.count for part in parts),
            (min(part.scores[0] for part in parts), max(part.scores[1] for part in parts)),
            (min(part.corners[0] for part in parts), max(part.corners[1] for part in parts)),
            all(part.whole_corners for part in parts),
            max(part.largest_uv for part in parts),
        )

    def notes(self) -> list[Note]:
        """Return notes on coordinates in 0..1 and on scores that rank nothing."""
        if not self.count:
            return [EMPTY]
        notes = []
        if self.corners[0] >= 0 and self.corners[1] <= 1 and not self.whole_corners:
            boxes = counted(self.count, "box", "boxes")
            text = f"x and y of every box lie between 0 and 1 ({boxes}). Write pixels of the image"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        if self.largest_uv <= 1:
            seen = min(self.count, _DETECTIONS_SEEN)
            text = f"U and V are 0 or 1 in the first {counted(seen, 'detection')}. Write round(255 * u)"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        if self.count >= _FEWEST_SCORES and self.scores[0] == self.scores[1]:
            same = f"{counted(self.count, 'score')} are {self.scores[0]:g}"
            text = f"all {same}. AP ranks detections: give each its own score"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        return notes


def _extremes(known: tuple[float, float], value: float) -> tuple[float, float]:
    return min(known[0], value), max(known[1], value)


def facts(content: Sequence[DetectionFacts]) -> list[Note]:
    """Return notes that need no reference, from what `read` returns without another consumer."""
    return DetectionFacts.joined(content).notes()
