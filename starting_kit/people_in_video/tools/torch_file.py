"""Reading what `torch.save` wrote, by torch itself, which runs nothing of the file (``weights_only``).

torch is no dependency of the kit: who has such a file has torch.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.tools.conversion import ConversionError, kind_of_file
from validator.kinds import PICKLE
from validator.texts import quote

LEAST_TORCH = (2, 6)
"""Of earlier versions, files can have code run also with ``weights_only`` (CVE-2025-32434)."""

# What `torch.save` wrote before version 1.6 begins with this number in a pickle.
_OLDER_FORMAT = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_ZIP_BEGIN = b"PK\x03\x04"
_LONGEST_REASON = 200
# The functions that pickles of numpy's arrays and numbers call, by the names of numpy 2 and of numpy 1.
_NUMPY_MODULES = ("numpy._core.multiarray", "numpy.core.multiarray")
_NUMPY_KINDS = "?bhilqBHILQefd"


def is_torch_file(path: Path) -> bool:
    """Return whether `torch.save` may have written a file, in its present or its older format."""
    with path.open("rb") as stream:
        begin = stream.read(len(_OLDER_FORMAT))
    if not begin.startswith(_ZIP_BEGIN):
        return begin == _OLDER_FORMAT
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.partition("/")[2] == "data.pkl" for name in archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return False


def read_torch_file(path: Path, class_names: Collection[str]) -> Any:
    """Return the content of a file of `torch.save`: containers, tensors, and arrays of numpy.

    Parameters
    ----------
    path : Path
    class_names : collection of str
        Classes, with their modules, whose objects are read as plain ones with the same attributes.

    Raises
    ------
    ConversionError
        The file is another one, holds anything else, or there is no torch of a safe version.
    """
    if not is_torch_file(path):
        raise ConversionError(_why_no_torch_file(path))
    torch = _import_torch()
    safe_globals = [*_numpy_globals(), *((_stand_in(name), name) for name in class_names)]
    # Large files are read as their tensors are used; those of the older format cannot be.
    is_zip = zipfile.is_zipfile(path)
    try:
        with torch.serialization.safe_globals(safe_globals):
            return torch.load(path, map_location="cpu", weights_only=True, mmap=is_zip)
    except (MemoryError, OSError):
        raise
    except Exception as error:  # damaged files have torch raise many kinds
        # Its own message says how to run code of the file all the same; the one before says what is wrong.
        first_sentence, _, _ = str(error.__context__ or error).strip().partition(". ")
        reason = quote(first_sentence.partition("\n")[0], longest=_LONGEST_REASON)
        remedy = "save lists and dicts of tensors, arrays and numbers only"
        raise ConversionError(f"torch cannot load it ({reason}); {remedy}") from None


def _why_no_torch_file(path: Path) -> str:
    """Return what another file is, and how to save its content."""
    kind = kind_of_file(path)
    if kind is not None and kind.is_archive:
        return f"it is {kind.name}; {kind.how('')}"
    is_plain = kind in (None, PICKLE)
    problem = "it is no file of torch.save, and a plain pickle could run code"
    if kind is not None and not is_plain:
        problem = f"it is {kind.name}, no file of torch.save"
    return f"{problem}; save it with torch.save, or give the detections to DensePoseWriter.add"


def _import_torch() -> Any:
    """Return torch. Raises ConversionError without one that reads files safely."""
    version = ".".join(map(str, LEAST_TORCH))
    remedy = f"install torch {version} or later, or give the detections to DensePoseWriter.add"
    try:
        import torch
    except ImportError:
        raise ConversionError(f"it is read with torch, which is not installed; {remedy}") from None
    major, minor, *_ = torch.__version__.split(".")
    if (int(major), int(minor)) < LEAST_TORCH:
        raise ConversionError(f"torch {torch.__version__} does not read files safely; {remedy}")
    return torch


def _stand_in(name: str) -> type:
    """Return an empty class in place of one that is not installed."""
    module, _, class_name = name.rpartition(".")
    return type(class_name, (), {"__module__": module})


def _numpy_globals() -> list[Any]:
    """Return what pickles of arrays and numbers name."""
    safe_globals: list[Any] = [np.ndarray, np.dtype, *{type(np.dtype(kind)) for kind in _NUMPY_KINDS}]
    # Each array and number of numpy is pickled by one of these.
    functions: list[Any] = [np.zeros(1).__reduce__()[0], np.float64(0).__reduce__()[0]]
    for function in functions:
        for module in _NUMPY_MODULES:
            safe_globals.append((function, f"{module}.{function.__name__}"))
    return safe_globals
