#!/usr/bin/env python3
"""Write densepose results from arrays, or from the pickle that Detectron-era tools wrote.

    python densepose_convert.py body_uv.pkl densepose_mymodel_results.json

In Python, with arrays of your own:

    with DensePoseWriter("my.zip", "mymodel") as writer:
        writer.add(785, [278.7, 42.6, 215, 342], 0.99, iuv)     # iuv: uint8 (3, 342, 215)
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO

import numpy as np

from writing import Key, Predictions, checked_file, naming, numbers, refuse_fractions, steps, whole

# isort: split
from scoring_program.challenges.densepose.reference import Gathered, check_images, gather, joined_in_order
from scoring_program.task import AnyLoaded
from validator import console
from validator.findings import Read, Refused
from validator.formats.densepose.read import PARTS, Box
from validator.formats.densepose.write import DetectionList, array_entry, encode_detection, file_name
from validator.formats.rules import load_rules
from validator.texts import counted


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


class _ArraysOnly(pickle.Unpickler):
    """Refuses everything but numpy arrays and plain containers: other pickles can run any program."""

    _ALLOWED = {
        (module, name)
        for module in ("numpy.core.multiarray", "numpy._core.multiarray")
        for name in ("_reconstruct", "scalar")
    } | {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}

    def find_class(self, module: str, name: str) -> object:
        """Return an allowed class; raises UnpicklingError for others."""
        if (module, name) not in self._ALLOWED:
            problem = f"it holds {module}.{name}, which is not an array or a plain container"
            raise pickle.UnpicklingError(problem)
        if module == "numpy._core.multiarray" and not hasattr(np, "_core"):
            module = "numpy.core.multiarray"
        return super().find_class(module, name)


def read_pickle(path: Path) -> object:
    """Return the content of a pickle of arrays, dicts, lists and numbers, also one written by Python 2.

    Raises pickle.UnpicklingError if the pickle holds anything else.
    """
    return _ArraysOnly(io.BytesIO(path.read_bytes()), encoding="latin-1").load()


def detections(data: object) -> Iterator[tuple[int, list[float], float, np.ndarray]]:
    """Yield image id, box, score and uint8 array of the detections of a list of dicts with these keys.

    The array is found under ``uv`` or ``iuv``: (3, h, w); floats have whole parts, and U and V in 0..1.

    Raises
    ------
    ValueError
        There is no such list, or an array's values are out of range; the message says in which detection.
    """
    if not isinstance(data, (list, tuple)):
        raise ValueError(f"it holds a {type(data).__name__} instead of a list of dicts")
    for index, entry in enumerate(data):
        keys = entry.keys() if isinstance(entry, dict) else set()
        if not {"image_id", "bbox", "score"} <= keys or not {"uv", "iuv"} & keys:
            needed = json.dumps(["image_id", "bbox", "score", "uv"])
            raise ValueError(f"detection {index} is not a dict with the keys {needed}")
        with naming(f"detection {index}"):
            array = _as_bytes(np.asarray(entry["uv"] if "uv" in entry else entry["iuv"]))
        yield entry["image_id"], entry["bbox"], entry["score"], array


def _as_bytes(array: np.ndarray) -> np.ndarray:
    """Return parts and coordinates as uint8; nothing is clipped."""
    if array.dtype == np.uint8:
        return array
    if array.ndim != 3 or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        kind = f"{array.dtype} {array.shape}"
        raise ValueError(f"the array is {kind}; it must hold finite numbers of shape (3, h, w)")
    if array.dtype.kind == "f":
        if array[1:].min(initial=0) < 0 or array[1:].max(initial=0) > 1:
            low, high = array[1:].min(), array[1:].max()
            problem = f"U and V are floats from {low:.4g} to {high:.4g}"
            raise ValueError(f"{problem}; give 0..1, or for 0..255 np.rint(iuv).astype(np.uint8)")
        array = np.concatenate([array[:1], np.rint(255 * array[1:])])
    if (array % 1 != 0).any() or array.min(initial=0) < 0 or array.max(initial=0) > 255:
        problem = "parts must be whole numbers 0..24, whole U and V 0..255"
        raise ValueError(f"{problem}; if all were divided by 255, write np.rint(255 * iuv).astype(np.uint8)")
    return array.astype(np.uint8)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    what = "Convert a pickle of detections with arrays to densepose results."
    parser = argparse.ArgumentParser(description=what)
    what = "a pickled list of dicts: image_id, bbox, score, uv (3, h, w)"
    parser.add_argument("source", type=Path, help=what)
    parser.add_argument("output", type=Path, help="densepose_..._results.json, or a .zip for uploading")
    options = parser.parse_args(arguments)
    count = 0
    try:
        with DensePoseWriter(options.output) as writer:
            for count, detection in enumerate(detections(read_pickle(options.source)), start=1):
                with naming(f"detection {count - 1}"):
                    writer.add(*detection)
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError) as error:
        what = f"{options.source}: it cannot be read as a pickle of arrays ({error})."
        hint = "Load it where it was made and use DensePoseWriter of this file on the arrays."
        console.say(what, hint, to=sys.stderr)
    except OSError as error:
        console.say(f"{error.filename or options.source}: {error.strerror}", to=sys.stderr)
    except ValueError as error:
        console.say(f"{options.source}: {error}", to=sys.stderr)
    else:
        console.say(f"{counted(count, 'detection')} written to {options.output}")
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
