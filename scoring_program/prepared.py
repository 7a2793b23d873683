"""Prepared reference data: arrays, which load fast, and texts as JSON, in one archive of numpy's own form."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np

from validator.findings import Findings
from validator.json_columns import JsonValue

# Raised when the content of prepared files changes.
FORM = 2
# What numpy and its archive raise for a file that is missing or damaged.
_DAMAGES = (OSError, EOFError, zipfile.BadZipFile, zlib.error)

T = TypeVar("T")
Texts = dict[str, JsonValue]
Arrays = dict[str, np.ndarray]


def require_files(folder: Path, names: Iterable[str], remedy: str, findings: Findings) -> None:
    """Add a problem for each file that a folder of a reference lacks. Raises Refused."""
    for name in names:
        if not (folder / name).is_file():
            findings.add("E-REF-NONE", "the file is missing", remedy, file=name)
    findings.refuse_problems()


def load_prepared(path: Path, make: Callable[[Texts, Arrays], T]) -> T:
    """Return what ``make`` builds from the texts and arrays of a prepared file. Raises Refused."""
    try:
        arrays = _load_arrays(path)
        texts = json.loads(arrays.pop("text").tobytes())
        if texts["form"] == FORM:
            return make(texts, arrays)
        problem = f"it was prepared in form {texts['form']}, and this program reads {FORM}"
    except (*_DAMAGES, ValueError, KeyError, TypeError, RecursionError):
        problem = "the prepared reference cannot be read"
    Findings().refuse("E-REF-PREPARED", problem, "prepare it again", file=path.name)


def _load_arrays(path: Path) -> Arrays:
    """Return all arrays of a ``.npz`` file, which holds no pickles."""
    # Opened here, because numpy leaves a damaged file open.
    with path.open("rb") as stream:
        with zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                _check_size(archive, info)
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}


def _check_size(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Raise ValueError unless an array is packed as numpy does, and has the size it declares."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("not as numpy packs arrays")
    with archive.open(info) as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise ValueError("not as numpy writes plain arrays")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        if math.prod(shape) * dtype.itemsize != info.file_size - member.tell():
            raise ValueError("an array is larger or smaller than it declares")
