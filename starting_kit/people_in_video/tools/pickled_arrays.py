"""Reading pickles of numpy arrays, also those that Python 2 wrote, without running anything of the file.

Not even numpy may restore its own types: it trusts what a pickle says of them, so that a hostile one could
let numpy take any bytes for addresses of objects. So only arrays of numbers and of strings are read, and
checked.
"""

from __future__ import annotations

import io
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np

from validator.texts import quote

_NUMBERS_OR_STRINGS = re.compile("[biufc][0-9]{1,2}|[SU][1-9][0-9]{0,5}")
_BYTE_ORDERS = ("<", ">", "=", "|")
# More than any array of predictions has; numpy has 32 or 64.
_MOST_DIMENSIONS = 16
# What `pickle` and numpy raise for damaged files, and for hostile ones that name impossible sizes.
_PICKLE_ERRORS = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


class PickledArraysError(ValueError):
    """A file is no pickle of arrays; the message says why, and after a semicolon what to do."""


def read_pickled_arrays(path: Path) -> object:
    """Return the content of a pickle of arrays, dicts, lists, strings and numbers.

    Raises PickledArraysError if the pickle holds anything else or is damaged, OSError if there is no file.
    """
    data = path.read_bytes()
    try:
        return _ArraysOnly(io.BytesIO(data), encoding="latin-1").load()
    except _PICKLE_ERRORS as error:
        problem = f"it cannot be read as a pickle of arrays ({error})"
        raise PickledArraysError(f"{problem}; load it where it was made, and use the writer") from None


class _ArraysOnly(pickle.Unpickler):
    """Refuses everything but numpy arrays and plain containers: other pickles can run any program."""

    def find_class(self, module: str, name: str) -> object:
        """Return what takes the place of a class or a function. Raises UnpicklingError for others."""
        full_name = f"{module}.{name}"
        if full_name not in _STAND_INS:
            problem = f"it holds {quote(full_name)}, which is not an array or a plain container"
            raise pickle.UnpicklingError(problem)
        return _STAND_INS[full_name]


class _StandIn:
    """What a pickle may name; it has no attributes that the pickle could set."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError("it changes numpy")


class _ArrayClass(_StandIn):
    """Stands for `numpy.ndarray`, which is only named."""

    __slots__ = ()


class _MakeArray(_StandIn):
    """Stands for numpy's function that begins an array."""

    __slots__ = ()

    def __call__(self, array_class: object, shape: object, type_code: object) -> _Array:
        """Return an array that gets its shape and its numbers later."""
        return _Array(0)


class _MakeWholeArray(_StandIn):
    """Stands for numpy's function that makes an array at once, which protocol 5 of pickles calls."""

    __slots__ = ()

    def __call__(self, data: object, number_type: object, shape: Any, order: Any) -> Any:
        """Return an array of numbers. Raises UnpicklingError."""
        if order not in ("C", "F"):
            raise pickle.UnpicklingError("the order of the numbers of an array is not known")
        content = bytes(data) if isinstance(data, bytearray) else data
        dtype, numbers = _checked_numbers(number_type, shape, content)
        array = np.frombuffer(numbers, dtype).reshape(shape, order=order)
        return array.astype(dtype.newbyteorder("="))


class _MakeType(_StandIn):
    """Stands for `numpy.dtype`."""

    __slots__ = ()

    def __call__(self, name: object, *flags: object) -> _Type:
        """Return a type of numbers or strings. Raises UnpicklingError for other types."""
        if not isinstance(name, str) or not _NUMBERS_OR_STRINGS.fullmatch(name):
            raise pickle.UnpicklingError("it holds an array of something else than numbers and strings")
        return _Type(np.dtype(name))


class _MakeScalar(_StandIn):
    """Stands for numpy's function that makes a single number."""

    __slots__ = ()

    def __call__(self, number_type: object, data: object) -> Any:
        """Return a number or a string of numpy. Raises UnpicklingError."""
        dtype, content = _checked_numbers(number_type, (), data)
        return np.frombuffer(content, dtype)[0]


class _MakeBytes(_StandIn):
    """Stands for `bytes` and `codecs.encode`, with which Python 3 writes bytes for Python 2."""

    __slots__ = ()

    def __call__(self, text: str = "", encoding: str = "latin1") -> bytes:
        """Return the bytes. Raises UnpicklingError for another encoding."""
        if encoding != "latin1":
            raise pickle.UnpicklingError("its bytes are written otherwise than as latin1")
        return text.encode("latin1")


_STAND_INS: dict[str, _StandIn] = {
    "numpy.ndarray": _ArrayClass(),
    "numpy.dtype": _MakeType(),
    "numpy.core.multiarray._reconstruct": _MakeArray(),
    "numpy._core.multiarray._reconstruct": _MakeArray(),
    "numpy.core.numeric._frombuffer": _MakeWholeArray(),
    "numpy._core.numeric._frombuffer": _MakeWholeArray(),
    "numpy.core.multiarray.scalar": _MakeScalar(),
    "numpy._core.multiarray.scalar": _MakeScalar(),
    "_codecs.encode": _MakeBytes(),
    "__builtin__.bytes": _MakeBytes(),
}


class _Type:
    """A type of numbers or strings, whose order of bytes a pickle sets after it is made."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        byte_order = state[1]
        if byte_order not in _BYTE_ORDERS:
            raise pickle.UnpicklingError("the order of bytes of an array is not known")
        self.dtype = self.dtype.newbyteorder(byte_order)


class _Array(np.ndarray):
    """An array, whose shape and numbers a pickle sets after it is made."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:  # type: ignore[override]
        _, shape, number_type, is_fortran, data = state
        dtype, content = _checked_numbers(number_type, shape, data)
        super().__setstate__((1, shape, dtype, bool(is_fortran), content))  # type: ignore[arg-type]


def _checked_numbers(number_type: object, shape: Any, data: object) -> tuple[np.dtype[Any], bytes]:
    """Return the type and the bytes of numbers, which must be as many as the shape says.

    Raises UnpicklingError. Python 2 wrote bytes as a string.
    """
    content = data.encode("latin1") if isinstance(data, str) else data
    if not isinstance(number_type, _Type) or not isinstance(content, bytes) or not _is_shape(shape):
        raise pickle.UnpicklingError("an array has no type, no shape or no numbers")
    if math.prod(shape) * number_type.dtype.itemsize != len(content):
        raise pickle.UnpicklingError("an array has more or fewer numbers than its shape says")
    return number_type.dtype, content


def _is_shape(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) > _MOST_DIMENSIONS:
        return False
    return all(isinstance(size, int) and size >= 0 for size in value)
