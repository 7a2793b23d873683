"""Decoding JSON by msgspec with memory to do so, and counting marks in texts that were not decoded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Union

import numpy as np

from validator.limits import require_memory
from validator.strict_json import JsonValue

if TYPE_CHECKING:
    from msgspec import Raw
    from msgspec.json import Decoder

_BLOCK = 65_536
# From this many bytes on numpy counts characters faster than bytes count their own.
_LONG_TEXT = 8_000
# The most that a byte of text takes as objects: {"a":[]} becomes about 400.
_BYTES_A_BYTE = 50
_BYTES_TO_SPARE = 16 << 20
_STRING_WITHOUT_ESCAPES = re.compile(rb'"[^"]*"')

# A text, or a part of one that msgspec cut out.
Text = Union[bytes, "Raw"]


def decode(data: Text, decoder: Decoder) -> JsonValue:
    """Return the decoded value. Raises what `DECODE_ERRORS` lists, and MemoryError."""
    require_memory_to_decode(len(memoryview(data)))
    return decoder.decode(data)


def require_memory_to_decode(n_bytes: int) -> None:
    """Raise MemoryError if there is none for decoding so many bytes: msgspec then ends the process."""
    require_memory(_BYTES_A_BYTE * n_bytes + _BYTES_TO_SPARE)


def count_colons_outside_strings(data: bytes) -> int:
    """Return how many keys the objects of a JSON text have."""
    # Escaped backslashes come first. A pattern with a repeated group would take a record for each escape.
    text = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    return _STRING_WITHOUT_ESCAPES.sub(b"", text).count(b":")


def count_marks(data: Text, marks: bytes = b":") -> int:
    """Return how often some characters occur in a text.

    In JSON a key is followed by a colon, and each value but the first in its list by a comma or a key.
    """
    if isinstance(data, bytes) and len(data) < _LONG_TEXT:
        return sum(data.count(mark) for mark in marks)
    text = np.frombuffer(data, np.uint8)
    n_marks = 0
    # Block by block: what is looked at stays in the processor's cache.
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        for mark in marks:
            n_marks += int(np.count_nonzero(block == mark))
    return n_marks
