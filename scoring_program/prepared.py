"""Reading prepared reference data: arrays in numpy's own archive form."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return all arrays of a ``.npz`` file.

    Raises
    ------
    ValueError
        The file is missing, damaged, or holds pickled objects.
    """
    try:
        # Opened here, because numpy leaves a damaged file open.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError) as error:
        raise ValueError("the file cannot be read") from error
