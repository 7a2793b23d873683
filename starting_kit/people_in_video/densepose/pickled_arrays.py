"""Write densepose results from the pickle of arrays that Detectron-era tools wrote.

python densepose_convert.py body_uv.pkl densepose_mymodel_results.json
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.writing import naming
from validator import console
from validator.texts import counted


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
        hint = "Load it where it was made and use people_in_video.densepose.writer on the arrays."
        console.say(what, hint, to=sys.stderr)
    except OSError as error:
        console.say(f"{error.filename or options.source}: {error.strerror}", to=sys.stderr)
    except ValueError as error:
        console.say(f"{options.source}: {error}", to=sys.stderr)
    else:
        console.say(f"{counted(count, 'detection')} written to {options.output}")
        return 0
    return 1
