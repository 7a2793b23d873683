"""Reading JSON strictly: what Python's parser lets through (NaN, 1e999, duplicate keys) is a located problem.

This is the authority on what JSON is accepted. It is also slow; `validator.json_files` calls it only where a
faster reader cannot vouch for a file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from validator.findings import Findings, Read, Refused
from validator.json_syntax import explain_syntax
from validator.texts import quote

# A value that was read from JSON: its type is known once its schema is checked.
JsonValue = Any
DEEPEST = 64
BOM = b"\xef\xbb\xbf"
_CHUNK = 4_000_000
_LEAST_DIGITS_TOO_LARGE = 309
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
        return int(text) if len(text) < _LEAST_DIGITS_TOO_LARGE else self.number(text)

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


def decode_text(data: bytes, name: str) -> Read[str]:
    """Return the text of a JSON file, a byte order mark skipped with a note. Raises Refused."""
    with Findings.collect() as findings:
        refuse_utf_16(data, name)
        if data.startswith(BOM):
            findings.note("N-JSON-BOM", f"{quote(name)} begins with a byte order mark, which was skipped")
            data = data[len(BOM) :]
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"byte {error.start} is not valid UTF-8"
            where = _place(data[: error.start].decode("utf-8"))
            remedy = "save the file as UTF-8"
            findings.add("E-JSON-ENCODING", problem, remedy, file=name, where=where, rule="UTF-8")
        else:
            # A second one is no blank; without the first it would be skipped when the file is parsed.
            if data.startswith(BOM):
                _add_syntax_problem(text, name, findings)
    return Read(text, findings.notes)


def refuse_utf_16(data: bytes, name: str) -> None:
    """Raise Refused for the begin of a file in UTF-16 or UTF-32."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        Findings().refuse("E-JSON-ENCODING", "the file is UTF-16 or UTF-32", "save it as UTF-8", file=name)


def strict_loads(data: bytes, name: str) -> Read[JsonValue]:
    """Parse a JSON file strictly.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for messages.

    Raises
    ------
    Refused
        The file holds anything that RFC 8259 does not allow, duplicate keys, NaN, Infinity, numbers outside
        float64, nesting deeper than `DEEPEST`, or text that is not UTF-8.
    """
    with Findings.collect() as findings:
        value = parse(data, name, findings)
    return Read(value, findings.notes)


def parse(data: bytes, name: str, findings: Findings) -> JsonValue:
    """Parse as `strict_loads`, and go on after duplicate keys and numbers that are not finite.

    These problems are added to ``findings``, so that others can be reported together with them; after all
    others Refused is raised.
    """
    text = findings.take(decode_text(data, name))
    if not text.strip(" \t\r\n"):
        findings.refuse("E-JSON-SYNTAX", "the file is empty", "write JSON into it", file=name, rule="empty")
    deep = _too_deep(data)
    if deep is not None:
        where = _place(data[:deep].decode("utf-8", "replace"))
        problem = f"the nesting is deeper than {DEEPEST} levels"
        remedy = "see the format's example for the right shape"
        findings.refuse("E-JSON-DEPTH", problem, remedy, file=name, where=where)
    marks = _Marks()
    try:
        value = json.loads(
            text,
            object_pairs_hook=marks.pairs,
            parse_constant=marks.constant,
            parse_float=marks.number,
            parse_int=marks.integer,
        )
    except json.JSONDecodeError:
        _add_syntax_problem(text, name, findings)
        raise Refused(findings) from None
    if marks.any:
        _report(value, name, findings)
    return value


def _add_syntax_problem(text: str, name: str, findings: Findings) -> None:
    at, rule, problem, remedy = explain_syntax(text)
    findings.add("E-JSON-SYNTAX", problem, remedy, file=name, where=_place(text[:at]), rule=rule)


def _place(before: str) -> str:
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return f"line {line} column {column}"


def _too_deep(data: bytes) -> int | None:
    """Return the byte at which the nesting passes `DEEPEST`, None if it never does."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return None
    # Escape sequences are blanked, so that every quotation mark left begins or ends a string.
    if b"\\" in data:
        data = re.sub(rb"\\.", b"..", data, flags=re.DOTALL)
    depth = inside = 0
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
            problem = f"{quote(current.text, 24)} is not a finite number"
            remedy, rule = "write one that fits into 64 bits", "too large"
            if current.text.endswith(("NaN", "Infinity")):
                remedy, rule = "leave out the entry that it belongs to", current.text
            findings.add("E-JSON-NUMBER", problem, remedy, file=name, where=where, rule=rule)
        elif isinstance(current, list):
            children = enumerate(current)
        else:
            children = current.items()
        if isinstance(current, _Repeating):
            problem = f"the key '{quote(current.key, 40)}' occurs twice in this object"
            findings.add("E-JSON-DUPLICATE", problem, "keep one of them", file=name, where=where or "/")
        # The last is popped first: reversed, so that problems come in the order of the file.
        for key, child in reversed(list(children)):
            if isinstance(child, (dict, list, _Unfit)):
                pending.append((f"{where}/{pointer_part(key)}", child))


def pointer_part(part: object) -> str:
    """Return a key or index as a part of a JSON Pointer (RFC 6901), fit for a log."""
    return quote(str(part).replace("~", "~0").replace("/", "~1"))
