"""Reading pickles of numpy arrays, also those that Python 2 wrote, without running anything of the file."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import numpy as np


class PickledArraysError(ValueError):
    """A file is no pickle of arrays; the message says why, and after a semicolon what to do."""


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


def read_pickled_arrays(path: Path) -> object:
    """Return the content of a pickle of arrays, dicts, lists and numbers.

    Raises PickledArraysError if the pickle holds anything else or is damaged, OSError if there is no file.
    """
    data = path.read_bytes()
    try:
        return _ArraysOnly(io.BytesIO(data), encoding="latin-1").load()
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, ValueError) as error:
        problem = f"it cannot be read as a pickle of arrays ({error})"
        raise PickledArraysError(f"{problem}; load it where it was made, and use the writer") from None
