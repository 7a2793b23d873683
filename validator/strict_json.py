"""Reading JSON strictly: what Python's parser lets through (NaN, 1e999, duplicate keys) is a located problem.

This is the authority on what JSON is accepted. It is also slow; `validator.json_files` calls it only where a
faster reader cannot vouch for a file.
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from validator.findings import Findings, quote
from validator.json_syntax import explain_syntax

# A value that was read from JSON: its type is known once its schema is checked.
JsonValue = Any
DEEPEST = 64
# What `strict_loads` returns for a file that could not be parsed at all; null is a value.
UNPARSED = object()
_CHUNK = 4_000_000
_FEWEST_DIGITS_TOO_LARGE = 309
# By how many levels each byte changes the nesting.
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1


class _Unfit(float):
    """A number that float64 cannot hold, or NaN or Infinity; ``text`` is how it was written."""

    text: str


class _Repeating(dict):  # type: ignore[type-arg]
    """An object with a key that occurs twice."""

    key: str


class _Marks:
    """Hooks of the parser that mark what is refused; ``any`` says whether there is any."""

    def __init__(self) -> None:
        self.any = False

    def constant(self, text: str) -> float:
        """Mark NaN or Infinity."""
        return self._unfit(float(text), text)

    def number(self, text: str) -> float:
        """Return a number with a fraction or an exponent."""
        value = float(text)
        return value if math.isfinite(value) else self._unfit(value, text)

    def integer(self, text: str) -> float | int:
        """Return a whole number; a long one as float, because converting it exactly is slow."""
        return int(text) if len(text) < _FEWEST_DIGITS_TOO_LARGE else self.number(text)

    def pairs(self, pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        """Return an object, marked if it has a key twice."""
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        seen: set[str] = set()
        marked = _Repeating(value)
        marked.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        self.any = True
        return marked

    def _unfit(self, value: float, text: str) -> float:
        marked = _Unfit(value)
        marked.text = text
        self.any = True
        return marked


@contextmanager
def collector_off() -> Iterator[None]:
    """Switch the garbage collector off: it visits every new object again and again while a file is parsed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def decode_text(data: bytes, name: str, findings: Findings) -> str | None:
    """Return the text of a JSON file, a byte order mark skipped with a note; None after a problem."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (data[1:2] == b"\0" or data[:1] == b"\0"):
        findings.add("E-JSON-ENCODING", "the file is UTF-16 or UTF-32", "save it as UTF-8", file=name)
        return None
    if data.startswith(b"\xef\xbb\xbf"):
        findings.note("N-JSON-BOM", f"{quote(name)} begins with a byte order mark, which was skipped")
        data = data[3:]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        problem, where = f"byte {error.start} is not valid UTF-8", _place(data[: error.start].decode("utf-8"))
        findings.add("E-JSON-ENCODING", problem, "save the file as UTF-8", file=name, where=where)
        return None


def strict_loads(data: bytes, name: str, findings: Findings, depth: int = 0) -> JsonValue:
    """Parse a JSON file; what is wrong goes to ``findings`` with its place.

    Returns the value, `UNPARSED` if there is none. Do not use it if a problem was reported. ``depth`` is that
    of the value in its file, if it is a part of one.

    Notes
    -----
    Refused: anything that RFC 8259 does not allow, duplicate keys, NaN, Infinity, numbers outside float64,
    nesting deeper than `DEEPEST`, text that is not UTF-8.
    """
    text = decode_text(data, name, findings)
    if text is None:
        return UNPARSED
    if not text.strip(" \t\r\n"):
        findings.add("E-JSON-SYNTAX", "the file is empty", "write JSON into it", file=name)
        return UNPARSED
    deep = _too_deep(data, depth)
    if deep is not None:
        where = _place(data[:deep].decode("utf-8", "replace"))
        problem = f"the nesting is deeper than {DEEPEST} levels"
        findings.add(
            "E-JSON-DEPTH", problem, "see the format's example for the right shape", file=name, where=where
        )
        return UNPARSED
    marks = _Marks()
    try:
        with collector_off():
            value = json.loads(
                text,
                object_pairs_hook=marks.pairs,
                parse_constant=marks.constant,
                parse_float=marks.number,
                parse_int=marks.integer,
            )
    except json.JSONDecodeError:
        at, problem, hint = explain_syntax(text)
        findings.add("E-JSON-SYNTAX", problem, hint, file=name, where=_place(text[:at]))
        return UNPARSED
    if marks.any:
        _report(value, name, findings)
    return value


def _place(before: str) -> str:
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return f"line {line} column {column}"


def _too_deep(data: bytes, depth: int) -> int | None:
    """Return the byte at which the nesting passes `DEEPEST`, None if it never does."""
    # Escape sequences are blanked, so that every quotation mark left begins or ends a string.
    if b"\\" in data:
        data = re.sub(rb"\\.", b"..", data, flags=re.DOTALL)
    inside = 0
    for start in range(0, len(data), _CHUNK):
        chunk = np.frombuffer(data, np.uint8, min(_CHUNK, len(data) - start), start)
        quotes = (np.cumsum(chunk == ord('"'), dtype=np.int64) + inside) & 1
        change = _STEPS[chunk]
        change[quotes == 1] = 0
        depths = np.cumsum(change, dtype=np.int64) + depth
        deep = np.flatnonzero(depths > DEEPEST)
        if deep.size:
            return start + int(deep[0])
        depth, inside = int(depths[-1]), int(quotes[-1])
    return None


def _report(value: JsonValue, name: str, findings: Findings) -> None:
    """Walk the tree for marked objects and numbers and add them with their JSON Pointers."""
    pending: list[tuple[str, JsonValue]] = [("", value)]
    while pending:
        where, current = pending.pop()
        children: Iterable[tuple[object, JsonValue]] = ()
        if isinstance(current, _Unfit):
            problem, hint = (
                f"{quote(current.text, 24)} is not a finite number",
                "write one that fits into 64 bits",
            )
            findings.add("E-JSON-NUMBER", problem, hint, file=name, where=where)
        elif isinstance(current, list):
            children = enumerate(current)
        else:
            children = current.items()
        if isinstance(current, _Repeating):
            problem = f"the key '{quote(current.key, 40)}' occurs twice in this object"
            findings.add("E-JSON-DUPLICATE", problem, "keep one of them", file=name, where=where or "/")
        # The last is popped first: reversed, so that problems come in the order of the file.
        pending += [
            (f"{where}/{pointer_part(key)}", child)
            for key, child in reversed(list(children))
            if isinstance(child, (dict, list, _Unfit))
        ]


def pointer_part(part: object) -> str:
    """Return a key or index as a part of a JSON Pointer (RFC 6901), fit for a log."""
    return quote(str(part).replace("~", "~0").replace("/", "~1"))
