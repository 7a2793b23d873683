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
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import kit_path  # noqa: F401 - makes the validator importable

# isort: split
from validator.formats.densepose import encode_detection


class DensePoseWriter:
    """Writes detections one at a time: a zip for uploading, or plain JSON if the path ends in .json."""

    def __init__(self, path: str | Path, name: str = "mymodel") -> None:
        self._path = Path(path)
        self._name = f"densepose_{name}_results.json"
        self._separator = "[\n"

    def __enter__(self) -> DensePoseWriter:
        if self._path.suffix == ".json":
            self._archive = None
            self._stream: Any = self._path.open("wb")
        else:
            self._archive = zipfile.ZipFile(self._path, "w", zipfile.ZIP_DEFLATED)
            self._stream = self._archive.open(self._name, "w", force_zip64=True)
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
            Part 0..24, then U and V scaled to 0..255.

        Raises
        ------
        ValueError
            The array does not fit the box, or holds a part above 24.
        """
        array = np.asarray(iuv)
        shape = (3, int(box[3]), int(box[2]))
        if array.shape != shape or array.dtype != np.uint8:
            raise ValueError(f"the array is {array.dtype} {array.shape}; the box needs uint8 {shape}")
        if int(array[0].max()) > 24:
            raise ValueError(f"part {int(array[0].max())} is above 24")
        corners = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
        self._stream.write(f"{self._separator}{encode_detection(image_id, corners, score, array)}".encode())
        self._separator = ",\n"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.write(b"[]\n" if self._separator == "[\n" else b"\n]\n")
        self._stream.close()
        if self._archive:
            self._archive.close()


class _ArraysOnly(pickle.Unpickler):
    """Refuses everything but numpy arrays and plain containers: other pickles can run any program."""

    _ALLOWED = {
        (module, name)
        for module in ("numpy.core.multiarray", "numpy._core.multiarray")
        for name in ("_reconstruct", "scalar")
    } | {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}

    def find_class(self, module: str, name: str) -> Any:
        """Return an allowed class; raises UnpicklingError for others."""
        if (module, name) not in self._ALLOWED:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, which is not an array or a plain container")
        if module == "numpy._core.multiarray" and not hasattr(np, "_core"):
            module = "numpy.core.multiarray"
        return super().find_class(module, name)


def read_pickle(path: Path) -> Any:
    """Return the content of a pickle of arrays, dicts, lists and numbers, also one written by Python 2.

    Raises
    ------
    pickle.UnpicklingError
        The pickle holds anything else.
    """
    return _ArraysOnly(io.BytesIO(path.read_bytes()), encoding="latin-1").load()


def detections(data: Any) -> Iterator[tuple[int, list[float], float, np.ndarray]]:
    """Yield image id, box, score and array of the detections of a list of dicts with these keys.

    The array is found under ``uv`` or ``iuv``: (3, h, w); U and V may be 0..1 floats.
    """
    for entry in data:
        array = np.asarray(entry["uv"] if "uv" in entry else entry["iuv"])
        if array.dtype != np.uint8:
            array = np.concatenate([array[:1], array[1:] * (255 if array[1:].max(initial=0) <= 1 else 1)])
            array = np.clip(np.rint(array), 0, 255).astype(np.uint8)
        yield int(entry["image_id"]), [float(v) for v in entry["bbox"]], float(entry["score"]), array


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description="Convert a pickle of detections with arrays to densepose results.")
    parser.add_argument("source", type=Path, help="a pickled list of dicts: image_id, bbox, score, uv (3, h, w)")
    parser.add_argument("output", type=Path, help="densepose_..._results.json, or a .zip for uploading")
    options = parser.parse_args(arguments)
    try:
        found = list(detections(read_pickle(options.source)))
    except pickle.UnpicklingError as error:
        print(f"{options.source}: {error}.", file=sys.stderr)
        print("Load it where it was made and use DensePoseWriter of this file on the arrays.", file=sys.stderr)
        return 1
    except (KeyError, TypeError, ValueError) as error:
        needed = json.dumps(["image_id", "bbox", "score", "uv"])
        print(f"{options.source}: it is not a list of dicts with the keys {needed} ({error!r}).", file=sys.stderr)
        return 1
    with DensePoseWriter(options.output) as writer:
        for detection in found:
            writer.add(*detection)
    print(f"{len(found)} detections written to {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
