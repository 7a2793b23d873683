"""Values of a training loop as plain ones: tensors, series and scalars become arrays, lists and numbers.

Nothing is imported for it: tensors of torch and columns of pandas are known by what they can do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

# Values that stay as they are; those of their subclasses, such as strings of numpy, do not.
_PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})
_HALF_TYPES = ("float16", "bfloat16")


class PlainValues:
    """Turns values into plain ones, and remembers which types of half precision were among them.

    Attributes
    ----------
    half_types : set of str
        ``float16`` and ``bfloat16``, if there were such numbers.
    """

    def __init__(self) -> None:
        self.half_types: set[str] = set()

    def of(self, value: Any) -> Any:
        """Return a value without anything that only torch or pandas knows.

        Tensors, on any device and with gradients, become arrays; those without dimensions, and numbers of
        numpy, become numbers of Python; columns of data frames become lists or arrays. This is done within
        lists, tuples and dicts, too, with their keys; named tuples become tuples. Numbers of half precision
        become float32.

        Examples
        --------
        >>> PlainValues().of({np.int64(1): (np.float32(0.5), ["a"])})
        {1: (0.5, ['a'])}
        """
        if type(value) in _PLAIN_TYPES:
            return value
        if isinstance(value, list):
            # Coordinates are most of all lists.
            is_plain = _PLAIN_TYPES.issuperset(map(type, value))
            return value if is_plain else [self.of(entry) for entry in value]
        if isinstance(value, tuple):
            return tuple([self.of(entry) for entry in value])
        if isinstance(value, Mapping):
            return {self.of(key): self.of(entry) for key, entry in value.items()}
        return self._plain_numbers(value)

    def _plain_numbers(self, value: Any) -> Any:
        """Return an array, a tensor, a column or a single number as a plain one; other values as they are."""
        if isinstance(value, np.ndarray):
            return self._plain_array(value)
        if isinstance(value, np.generic):
            return self._plain_array(np.asarray(value)).item()
        if hasattr(value, "detach") and hasattr(value, "cpu"):
            return self._plain_tensor(value)
        if hasattr(value, "to_numpy"):
            return self.of(value.to_numpy())
        if hasattr(value, "__array__"):
            return self.of(np.asarray(value))
        return value

    def _plain_tensor(self, tensor: Any) -> Any:
        on_cpu = tensor.detach().cpu()
        type_name = str(on_cpu.dtype).rpartition(".")[2]
        if type_name in _HALF_TYPES:
            self.half_types.add(type_name)
            on_cpu = on_cpu.float()
        array = on_cpu.numpy()
        return array if array.ndim else array.item()

    def _plain_array(self, array: np.ndarray) -> Any:
        if array.dtype == np.float16:
            self.half_types.add("float16")
            return array.astype(np.float32)
        if array.dtype == object:
            return self.of(array.tolist())
        return array


def half_precision_text(half_types: Iterable[str]) -> str:
    """Return what is lost in numbers of half precision, for a note.

    Examples
    --------
    >>> half_precision_text({"bfloat16"})
    'some numbers are bfloat16, which rounds 357 to 356. Turn predictions into float32 before the last step'
    """
    losses = {
        "float16": "float16, which rounds 357.3 to 357.25",
        "bfloat16": "bfloat16, which rounds 357 to 356",
    }
    types = " and ".join(losses[name] for name in sorted(half_types))
    return f"some numbers are {types}. Turn predictions into float32 before the last step"
