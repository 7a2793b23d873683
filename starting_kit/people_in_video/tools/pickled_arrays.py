"""Reading pickles of numpy arrays, also those that Python 2 wrote, without running anything of the file.

Not even numpy may restore its own types: it trusts what a pickle says of them, so that a hostile one could
let numpy take any bytes for addresses of objects. So only arrays of numbers and of strings are read, and
checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.tools.pickle_program import GlobalName, PickleProgramError, load
from validator.kinds import HEAD_BYTES, PICKLE, kind_of
from validator.texts import quote

_NUMBERS_OR_STRINGS = re.compile("[biufc][0-9]{1,2}|[SU][1-9][0-9]{0,5}")
_BYTE_ORDERS = ("<", ">", "=", "|")
# More than any array of predictions has; numpy has 32 or 64.
_MOST_DIMENSIONS = 16
# More numbers than any file holds; `math.prod` of larger sizes is slow.
_LARGEST_SIZE = 1 << 48
_LARGEST_CODE_POINT = 0x10FFFF
# A pickle writes the numbers of each array once, those of protocol 2 as text, which is copied once more.
_MOST_BYTES_PER_BYTE_OF_FILE = 4


class PickledArraysError(ValueError):
    """A file is no pickle of arrays; the message says why, and after a semicolon what to do."""


def read_pickled_arrays(path: Path) -> object:
    """Return the content of a pickle of arrays, dicts, lists, strings and numbers.

    Raises PickledArraysError if the pickle holds anything else or is damaged, OSError if there is no file.
    """
    data = path.read_bytes()
    kind = kind_of(data[:HEAD_BYTES])
    if kind not in (None, PICKLE):
        raise PickledArraysError(f"this is {kind.name}; {kind.how('a pickle')}")
    try:
        return load(data, _ArrayBuilder(_MOST_BYTES_PER_BYTE_OF_FILE * len(data)))
    except PickleProgramError as error:
        remedy = "load it where it was made, and use the writer"
        raise PickledArraysError(f"{error}; {remedy}") from None


class _ArrayBuilder:
    """Builds arrays of numbers and of strings, and refuses everything else, which could be any program.

    Parameters
    ----------
    n_bytes_left : int
        How many bytes the arrays may have together. A pickle can name the same bytes again and again.
    """

    def __init__(self, n_bytes_left: int) -> None:
        self._n_bytes_left = n_bytes_left

    def call(self, name: GlobalName, arguments: tuple[Any, ...]) -> object:
        """Return an array, a type or a number; see `people_in_video.tools.pickle_program.Builder`."""
        make = _MAKERS.get(str(name))
        if make is None:
            problem = f"it holds {quote(str(name))}, which is not an array or a plain container"
            raise PickleProgramError(problem)
        try:
            return make(self, *arguments)
        except TypeError:
            raise PickleProgramError(f"it calls {name} otherwise than numpy does") from None

    def persistent(self, identifier: object) -> object:
        """Refuse an object outside of the pickle."""
        raise PickleProgramError("it refers to something outside of the file")

    def set_state(self, instance: object, state: object) -> None:
        """Set the numbers of an array, or the order of bytes of a type."""
        if not isinstance(state, tuple):
            raise PickleProgramError("it sets attributes of something else than an array")
        if isinstance(instance, _Type) and len(state) > 1:
            instance.set_byte_order(state[1])
        elif isinstance(instance, _Array) and len(state) == 5:
            _, shape, number_type, is_fortran, data = state
            dtype, content = self._checked_numbers(number_type, shape, data)
            instance.__setstate__((1, shape, dtype, is_fortran is True, content))  # type: ignore[arg-type]
        else:
            raise PickleProgramError("it sets attributes of something else than an array")

    def make_array(self, array_class: object, shape: object, type_code: object) -> _Array:
        """Return an array that gets its shape and its numbers later."""
        return _Array(0)

    def make_whole_array(self, data: object, number_type: object, shape: Any, order: Any) -> np.ndarray:
        """Return an array of numbers, as protocol 5 of pickles makes it at once."""
        if not isinstance(order, str) or order not in ("C", "F"):
            raise PickleProgramError("the order of the numbers of an array is not known")
        dtype, content = self._checked_numbers(number_type, shape, data)
        array = np.ndarray(shape, dtype, content, order=order)  # type: ignore[arg-type]
        return array.astype(dtype.newbyteorder("="))

    def make_type(self, name: object, *flags: object) -> _Type:
        """Return a type of numbers or strings."""
        if not isinstance(name, str) or not _NUMBERS_OR_STRINGS.fullmatch(name):
            raise PickleProgramError("it holds an array of something else than numbers and strings")
        return _Type(np.dtype(name))

    def make_scalar(self, number_type: object, data: object) -> Any:
        """Return a number or a string of numpy."""
        dtype, content = self._checked_numbers(number_type, (), data)
        return np.frombuffer(content, dtype)[0]

    def make_bytes(self, text: object = "", encoding: object = "latin1") -> bytes:
        """Return bytes that Python 3 wrote for Python 2."""
        if not isinstance(encoding, str) or encoding != "latin1":
            raise PickleProgramError("its bytes are written otherwise than as latin1")
        return self._encoded(text)

    def _checked_numbers(self, number_type: object, shape: Any, data: object) -> tuple[np.dtype[Any], bytes]:
        """Return the type and the bytes of numbers, which must be as many as the shape says.

        Python 2 wrote bytes as a string.
        """
        content = self._encoded(data) if isinstance(data, str) else data
        if not isinstance(number_type, _Type) or not isinstance(content, bytes) or not _is_shape(shape):
            raise PickleProgramError("an array has no type, no shape or no numbers")
        if math.prod(shape) * number_type.dtype.itemsize != len(content):
            raise PickleProgramError("an array has more or fewer numbers than its shape says")
        self._count_bytes(len(content))
        if number_type.dtype.kind == "U" and content:
            _check_code_points(content, number_type.dtype)
        return number_type.dtype, content

    def _encoded(self, text: object) -> bytes:
        if not isinstance(text, str):
            raise PickleProgramError("its bytes are written otherwise than as latin1")
        self._count_bytes(len(text))
        try:
            return text.encode("latin1")
        except UnicodeEncodeError:
            raise PickleProgramError("its bytes are written otherwise than as latin1") from None

    def _count_bytes(self, n_bytes: int) -> None:
        self._n_bytes_left -= n_bytes
        if self._n_bytes_left < 0:
            raise PickleProgramError(
                "its arrays are larger than the file, because they repeat the same numbers"
            )


_MAKERS: dict[str, Callable[..., object]] = {
    "numpy.dtype": _ArrayBuilder.make_type,
    "numpy.core.multiarray._reconstruct": _ArrayBuilder.make_array,
    "numpy._core.multiarray._reconstruct": _ArrayBuilder.make_array,
    "numpy.core.numeric._frombuffer": _ArrayBuilder.make_whole_array,
    "numpy._core.numeric._frombuffer": _ArrayBuilder.make_whole_array,
    "numpy.core.multiarray.scalar": _ArrayBuilder.make_scalar,
    "numpy._core.multiarray.scalar": _ArrayBuilder.make_scalar,
    "_codecs.encode": _ArrayBuilder.make_bytes,
    "__builtin__.bytes": _ArrayBuilder.make_bytes,
}


class _Type:
    """A type of numbers or strings, whose order of bytes a pickle sets after it is made."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def set_byte_order(self, byte_order: object) -> None:
        if not isinstance(byte_order, str) or byte_order not in _BYTE_ORDERS:
            raise PickleProgramError("the order of bytes of an array is not known")
        self.dtype = self.dtype.newbyteorder(byte_order)  # type: ignore[arg-type]


class _Array(np.ndarray):
    """An array, whose shape and numbers a pickle sets after it is made."""


def _check_code_points(content: bytes, dtype: np.dtype[Any]) -> None:
    """Raise PickleProgramError if strings hold numbers that are no characters, which Python cannot print."""
    code_points = np.frombuffer(content, np.dtype("u4").newbyteorder(dtype.byteorder))
    if code_points.max() > _LARGEST_CODE_POINT:
        raise PickleProgramError("a string holds a number that is no character")


def _is_shape(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) > _MOST_DIMENSIONS:
        return False
    return all(isinstance(size, int) and 0 <= size < _LARGEST_SIZE for size in value)
