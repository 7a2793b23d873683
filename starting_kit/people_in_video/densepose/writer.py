"""Build a densepose submission from arrays.

with DensePoseWriter("my.zip", "mymodel") as writer:
    writer.add(785, [278.7, 42.6, 215, 342], 0.99, iuv)     # iuv: uint8 (3, 342, 215)
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO

import numpy as np

from people_in_video.writing import (
    Key,
    Predictions,
    checked_file,
    naming,
    numbers,
    refuse_fractions,
    steps,
    whole,
)
from scoring_program.challenges.densepose.reference import Gathered, check_images, gather, joined_in_order
from scoring_program.task import AnyLoaded
from validator.findings import Read, Refused
from validator.formats.densepose.read import PARTS, Box
from validator.formats.densepose.write import DetectionList, array_entry, encode_detection, file_name
from validator.formats.rules import load_rules


class DensePoseWriter:
    """Writes detections one at a time: a zip for uploading, or plain JSON if the path ends in .json.

    The file appears at the end of the ``with`` block, once the validator has accepted it; after an exception
    there is none. The block's end raises ValueError if the results are not valid.
    """

    def __init__(self, path: str | Path, name: str = "mymodel") -> None:
        self._path = Path(path)
        self._name = file_name(name)

    def __enter__(self) -> DensePoseWriter:
        with ExitStack() as stack:
            work = stack.enter_context(checked_file(self._path, "densepose"))
            if self._path.suffix == ".json":
                stream: IO[bytes] = stack.enter_context(work.open("wb"))
            else:
                archive = stack.enter_context(zipfile.ZipFile(work, "w", zipfile.ZIP_DEFLATED))
                stream = stack.enter_context(archive.open(self._name, "w", force_zip64=True))
            self._detections = DetectionList(stream)
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
        self._detections.add(encode_detection(image, *_checked(box, score, iuv)))

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error_type is None:
            self._detections.close()
        self._stack.__exit__(error_type, error, trace)


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
