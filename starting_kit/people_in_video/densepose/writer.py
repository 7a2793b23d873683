"""Build a densepose submission from arrays.

with DensePoseWriter("my.zip", "mymodel") as writer:
    writer.add(785, [278.7, 42.6, 215, 342], 0.99, iuv)     # iuv: uint8 (3, 342, 215)
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

import numpy as np

from people_in_video.writing import (
    Key,
    Predictions,
    checked_file,
    naming,
    numbers,
    refuse_fractions,
    size_text,
    steps,
    whole,
)
from scoring_program.challenges.densepose.reference import Gathered, check_images, gather, joined_in_order
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from scoring_program.task import AnyLoaded
from validator import console
from validator.findings import Read, Refused
from validator.formats.densepose.read import PARTS, Box
from validator.formats.densepose.write import DetectionList, array_entry, encode_detection, file_name
from validator.formats.rules import load_rules
from validator.texts import counted


class _Written(NamedTuple):
    """Where the text of a detection is in the temporary file."""

    score: float
    digest: bytes
    begin: int
    size: int

    def is_before(self, other: _Written) -> bool:
        """Whether the detection comes before another one of its image in the file."""
        return (-self.score, self.digest) < (-other.score, other.digest)


class DensePoseWriter:
    """Writes detections one at a time: a zip for uploading, or plain JSON if the path ends in .json.

    Of each image the file holds the 20 best detections, all that are scored, and those of equal score in an
    order that depends on their content alone: the order of the calls changes no byte of it. It appears at the
    end of the ``with`` block, once the validator has accepted it; after an exception there is none. The
    block's end raises ValueError if the results are not valid.

    Parameters
    ----------
    path : path
    name : str
        The team or the method, which is part of the name of the file.
    print_size : bool
        Whether the size of the file is printed on stderr.
    """

    def __init__(self, path: str | Path, name: str = "mymodel", print_size: bool = True) -> None:
        self._path = Path(path)
        self._name = file_name(name)
        self._prints_size = print_size
        self._best_of_image: dict[int, list[_Written]] = {}
        self._n_detections = 0

    def __enter__(self) -> DensePoseWriter:
        with ExitStack() as stack:
            self._work = stack.enter_context(checked_file(self._path, "densepose"))
            # Detections wait there, because better ones may come, and memory may be too small for all.
            self._waiting = stack.enter_context(tempfile.TemporaryFile(dir=self._work.parent))
            self._stack = stack.pop_all()
        return self

    def add(self, image_id: int, box: Sequence[float], score: float, iuv: np.ndarray) -> None:
        """Add a detection.

        Parameters
        ----------
        image_id : int
        box : sequence of 4 float
            ``x, y, width, height`` in pixels.
        score : float
        iuv : uint8 array of shape (3, int(height), int(width))
            Part 0..24, then U and V scaled to 0..255: ``np.rint(255 * u)``.

        Raises
        ------
        ValueError
            A value is not finite or not a number; the box is not in pixels; the array does not fit the box,
            is not uint8, holds a part above 24, or U and V in 0..1.
        """
        image = whole(image_id, "the image id", 0)
        checked_box, certainty, array = _checked(box, score, iuv)
        self._n_detections += 1
        best = self._best_of_image.setdefault(image, [])
        detection = _Written(certainty, content_digest(checked_box, array), self._waiting.tell(), 0)
        if len(best) == MOST_DETECTIONS and best[-1].is_before(detection):
            return
        text = encode_detection(image, checked_box, certainty, array).encode("ascii")
        self._waiting.write(text)
        best.append(detection._replace(size=len(text)))
        best.sort(key=lambda written: (-written.score, written.digest))
        del best[MOST_DETECTIONS:]

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error_type is None:
            self._write()
        self._stack.__exit__(error_type, error, trace)
        if error_type is None and self._prints_size:
            self._print_size()

    def _write(self) -> None:
        """Write the best detections of all images."""
        with ExitStack() as stack:
            if self._path.suffix == ".json":
                stream: IO[bytes] = stack.enter_context(self._work.open("wb"))
            else:
                archive = stack.enter_context(zipfile.ZipFile(self._work, "w", zipfile.ZIP_DEFLATED))
                stream = stack.enter_context(archive.open(self._name, "w", force_zip64=True))
            detections = DetectionList(stream)
            for image in sorted(self._best_of_image):
                for written in self._best_of_image[image]:
                    self._waiting.seek(written.begin)
                    detections.add(self._waiting.read(written.size).decode("ascii"))
            detections.close()

    def _print_size(self) -> None:
        n_written = sum(map(len, self._best_of_image.values()))
        n_dropped = self._n_detections - n_written
        line = f"{self._path}: {counted(n_written, 'detection')}, {size_text(self._path.stat().st_size)}"
        if n_dropped:
            line += f"; left out {n_dropped:,} after the {MOST_DETECTIONS} best of an image: they never score"
        console.say(line, to=sys.stderr)


def content_digest(box: Box, iuv: np.ndarray) -> bytes:
    """Return what tells apart, and orders, detections of equal score: a hash of the box and the array."""
    content = hashlib.blake2b(np.array(box, dtype="<f8").tobytes(), digest_size=16)
    content.update(np.ascontiguousarray(iuv).data)
    return content.digest()


class DensePosePredictions(Predictions):
    """Keeps what scoring needs of the detections of images; their arrays are dropped at once."""

    def __init__(self, loaded: AnyLoaded) -> None:
        super().__init__(loaded.task.id)
        self._rules, self._reference = load_rules(self.task_id), loaded.reference

    def update(self, image_id: int, detections: Sequence[tuple[Sequence[float], float, np.ndarray]]) -> None:
        """Set all detections of an image.

        Parameters
        ----------
        image_id : int
        detections : sequence of (box, score, iuv)
            As for `DensePoseWriter.add`.

        Raises
        ------
        ValueError
            As `DensePoseWriter.add`, or there is a prediction for the image already.
        """
        image, entries = whole(image_id, "the image id", 0), []
        for index, (box, score, iuv) in enumerate(detections):
            with naming(f"detections[{index}]"):
                entries.append(array_entry(image, *_checked(box, score, iuv)))
        self.put(image, ())
        try:
            self.entries[image] = gather(entries, self._rules, self._reference)
        except Refused:
            del self.entries[image]
            raise

    def read(self, loaded: AnyLoaded) -> Read[Gathered]:
        """Return the detections of all images, by the ids of the images."""
        gathered = joined_in_order([self.entries[image] for image in sorted(self.entries)])
        return Read(gathered, check_images(gathered, self._reference, ""))

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the argument of a problem in the call that raises it."""
        index, name, *_ = steps(where)
        return "", f"detections[{index}].{_ARGUMENTS.get(name, 'iuv')}"


_ARGUMENTS = {"image_id": "image_id", "bbox": "box", "score": "score"}
WRITERS = {"densepose": DensePosePredictions}


def _checked(box: Sequence[float], score: float, iuv: np.ndarray) -> tuple[Box, float, np.ndarray]:
    """Return box, score and array of a detection. Raises ValueError as `DensePoseWriter.add` does."""
    box_values = numbers(box, (4,), "the box")
    refuse_fractions(box_values, "the box")
    certainty = float(numbers(score, (), "the score"))
    array = np.asarray(iuv)
    _check_pixels(array, (3, int(box_values[3]), int(box_values[2])))
    x, y, width, height = box_values.tolist()
    return (x, y, width, height), certainty, array


def _check_pixels(array: np.ndarray, shape: tuple[int, int, int]) -> None:
    if array.shape != shape:
        hint = "; write np.moveaxis(iuv, -1, 0)" if array.shape == (*shape[1:], 3) else ""
        needed = f"(3, int(height), int(width)) = {shape}"
        raise ValueError(f"the array has shape {array.shape}; the box needs {needed}{hint}")
    if array.size == 0:
        raise ValueError("the box is smaller than a pixel; leave the detection out")
    if array.dtype != np.uint8:
        hint = "parts 0..24, U and V 0..255; for U and V in 0..1 write np.rint(255 * u).astype(np.uint8)"
        raise ValueError(f"the array is of type {array.dtype}; it must be uint8: {hint}")
    if array[0].max() > PARTS:
        raise ValueError(f"part {array[0].max()} is above {PARTS}; parts are 1..{PARTS}, 0 is background")
    if array[0].any() and array[1:].max() == 1:
        raise ValueError("U and V are all 0 or 1: they were in 0..1; write np.rint(255 * u).astype(np.uint8)")
