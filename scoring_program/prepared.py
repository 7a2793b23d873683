"""Reading prepared reference data: arrays in numpy's own archive form."""

from __future__ import annotations

import math
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
        with path.open("rb") as stream:
            with zipfile.ZipFile(stream) as archive:
                for info in archive.infolist():
                    _check_size(archive, info)
            stream.seek(0)
            with np.load(stream, allow_pickle=False) as data:
                return {name: data[name] for name in data.files}
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError) as error:
        raise ValueError("the file cannot be read") from error


def _check_size(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Raise ValueError unless an array has as many bytes as it declares: numpy would allocate what it declares."""
    with archive.open(info) as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise ValueError("not as numpy writes plain arrays")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        if math.prod(shape) * dtype.itemsize != info.file_size - member.tell():
            raise ValueError("an array is larger or smaller than it declares")
