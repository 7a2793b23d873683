"""Lists of numbers as arrays, also of hostile files, in which a short text can stand for endless lists."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

# A detection in an image of 1,400 x 1,400 pixels has so many; those of COCO have 640 x 640 at most.
_MOST_NUMBERS = 6_000_000
_MOST_DIMENSIONS = 4
_NUMBER_TYPES = (int, float, np.number, np.bool_)


class NumberListError(ValueError):
    """Lists cannot become an array; the message says why."""


def array_of_numbers(value: Any) -> np.ndarray:
    """Return lists of numbers, or of arrays, as one array; an array as it is.

    A pickle can hold the same list in a list many times: each time counts, before anything is copied.
    Raises NumberListError if there is anything but numbers, or too many, or if the lists differ in length.

    Examples
    --------
    >>> array_of_numbers([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if isinstance(value, np.ndarray):
        return value
    values = [value]
    for _ in range(_MOST_DIMENSIONS):
        if not {list, tuple}.issuperset(map(type, values)):
            break
        if len(set(map(len, values))) > 1:
            raise NumberListError("the lists differ in length")
        _check_count(sum(map(len, values)))
        values = list(chain.from_iterable(values))
    _check_entries(values)
    try:
        return np.asarray(value)
    except ValueError:
        raise NumberListError("the arrays differ in shape") from None


def _check_entries(values: list[Any]) -> None:
    """Raise NumberListError unless all are numbers, or all are arrays that have not too many numbers."""
    types = set(map(type, values))
    if types & {list, tuple}:
        raise NumberListError(f"some lists are deeper than others, or than {_MOST_DIMENSIONS} lists")
    if types == {np.ndarray}:
        _check_count(sum(array.size for array in values))
        return
    for entry_type in types:
        if not issubclass(entry_type, _NUMBER_TYPES):
            raise NumberListError(f"there is a {entry_type.__name__} in place of a number")


def _check_count(n_numbers: int) -> None:
    if n_numbers > _MOST_NUMBERS:
        raise NumberListError(f"the lists hold more than {_MOST_NUMBERS:,} numbers")
