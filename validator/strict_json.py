"""Reading JSON strictly: what Python's parser lets through (NaN, 1e999, duplicate keys) is a located problem.

This is the authority on what JSON is accepted. It is also slow; the other readers call it only where
they cannot vouch for a text.
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np

from validator.findings import Findings, Read, Refused
from validator.json_marks import first_too_deep
from validator.json_syntax import LINES, explain_syntax
from validator.texts import quote

# A value that was read from JSON: its type is known once its schema is checked.
JsonValue = Any
DEEPEST = 64
NO_VALUE = "x-no-value"
"""The keyword of a schema that says what to write where a prediction has no number."""
BOM = b"\xef\xbb\xbf"
_LEAST_DIGITS_TOO_LARGE = 309
_BLOCK = 1 << 20


class Origin(NamedTuple):
    """The place in a file of the first character of a text, both from 1."""

    line: int = 1
    column: int = 1

    def place(self, before: str) -> str:
        """Return the place of what comes after the beginning ``before`` of the text."""
        n_lines = before.count("\n")
        column = len(before) - before.rfind("\n") if n_lines else self.column + len(before)
        return f"line {self.line + n_lines} column {column}"

    def before(self, n_characters: int) -> Origin:
        """Return the place so many characters before, on the same line, where it may begin before the
        first."""
        return Origin(self.line, self.column - n_characters)


START = Origin()


class ParseSizes(NamedTuple):
    """``chunk`` is the number of bytes whose nesting is counted at once."""

    chunk: int = 4_000_000


_PARSE_SIZES = ParseSizes()


class Advice(NamedTuple):
    """What a format says in remedies.

    ``no_value`` is what it has where a prediction has no number, ``whole`` what the file is as a whole, ""
    if that is not known.
    """

    no_value: str = "leave out the entry that it belongs to"
    whole: str = ""

    @classmethod
    def of(cls, schema: Mapping[str, JsonValue]) -> Advice:
        """Return what a schema says."""
        description = schema.get("description", "")
        whole = description[:1].lower() + description[1:]
        return cls(schema.get(NO_VALUE, _NO_ADVICE.no_value), whole)


_NO_ADVICE = Advice()


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
        marked = _Repeating(value)
        marked.key = _first_repeated([key for key, _ in pairs])
        self.any = True
        return marked

    def _unfit(self, value: float, text: str) -> float:
        marked = _Unfit(value)
        marked.text = text
        self.any = True
        return marked


def _first_repeated(keys: list[str]) -> str:
    """Return the first key that occurred before; one does."""
    seen_keys: set[str] = set()
    for key in keys:
        if key in seen_keys:
            break
        seen_keys.add(key)
    return key


def decode_text(data: bytes, name: str) -> Read[str]:
    """Return the text of a JSON file, a byte order mark skipped with a note. Raises Refused."""
    with Findings.collect() as findings:
        text = findings.take(check_encoding(data, name)).decode("utf-8")
    return Read(text, findings.notes)


def check_encoding(data: bytes, name: str) -> Read[bytes]:
    """Return the bytes of a JSON file without a byte order mark, which gets a note.

    Raises Refused unless they are UTF-8. This takes no memory for the text.
    """
    with Findings.collect() as findings:
        refuse_utf_16(data, name)
        if data.startswith(BOM):
            findings.note("N-JSON-BOM", f"{quote(name)} begins with a byte order mark, which was skipped")
            data = data[len(BOM) :]
        position = None if data.isascii() else _first_undecodable(data)
        if position is not None:
            place = origin_of(data, position).place("")
            problem = f"byte {position} is not valid UTF-8"
            findings.add(
                "E-JSON-ENCODING", problem, "save the file as UTF-8", file=name, where=place, rule="UTF-8"
            )
        elif data.startswith(BOM):
            # A second one is no blank; without the first it would be skipped when the file is parsed.
            add_syntax_problem(data[:_BLOCK].decode("utf-8", "replace"), name, findings)
    return Read(data, findings.notes)


def _first_undecodable(data: bytes) -> int | None:
    """Return the position of the first byte that is not UTF-8, None if all are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _BLOCK):
        n_pending = len(decoder.getstate()[0])
        try:
            decoder.decode(data[start : start + _BLOCK], final=start + _BLOCK >= len(data))
        except UnicodeDecodeError as error:
            return start - n_pending + error.start
    return None


def origin_of(data: bytes, position: int) -> Origin:
    """Return the place of a byte of a file in UTF-8."""
    line_start = data.rfind(b"\n", 0, position) + 1
    n_characters = 0
    for start in range(line_start, position, _BLOCK):
        block = np.frombuffer(data, np.uint8, min(_BLOCK, position - start), start)
        # All bytes of a character but its first begin with the bits 10.
        n_characters += int(np.count_nonzero(block & 0b1100_0000 != 0b1000_0000))
    return Origin(line=data.count(b"\n", 0, position) + 1, column=n_characters + 1)


def refuse_utf_16(data: bytes, name: str) -> None:
    """Raise Refused for the begin of a file in UTF-16 or UTF-32."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        Findings().refuse("E-JSON-ENCODING", "the file is UTF-16 or UTF-32", "save it as UTF-8", file=name)


def strict_loads(data: bytes, name: str, sizes: ParseSizes = _PARSE_SIZES) -> Read[JsonValue]:
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
        value = parse(data, name, findings, sizes)
    return Read(value, findings.notes)


def parse(
    data: bytes,
    name: str,
    findings: Findings,
    sizes: ParseSizes = _PARSE_SIZES,
    advice: Advice = _NO_ADVICE,
    origin: Origin = START,
) -> JsonValue:
    """Parse as `strict_loads`, and go on after duplicate keys and numbers that are not finite.

    These problems are added to ``findings``, so that others can be reported together with them; after all
    others Refused is raised. Where ``data`` is a part of a file, ``origin`` is its place there.
    """
    text = findings.take(decode_text(data, name))
    if not text.strip(" \t\r\n"):
        findings.refuse("E-JSON-SYNTAX", "the file is empty", "write JSON into it", file=name, rule="empty")
    position = first_too_deep(data, DEEPEST, sizes.chunk)
    if position is not None:
        refuse_depth(origin.place(data[:position].decode("utf-8", "replace")), name)
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
        add_syntax_problem(text, name, findings, advice, origin)
        raise Refused(findings) from None
    if marks.any:
        _report(value, name, findings, advice)
    return value


def add_syntax_problem(
    text: str, name: str, findings: Findings, advice: Advice = _NO_ADVICE, origin: Origin = START
) -> None:
    """Add where and why a text, which begins at ``origin``, is no JSON."""
    at, rule, problem, remedy = explain_syntax(text)
    if rule == LINES and advice.whole:
        remedy = f"{remedy}: {advice.whole}"
    where = origin.place(text[:at])
    findings.add("E-JSON-SYNTAX", problem, remedy, file=name, where=where, rule=rule)


def refuse_depth(where: str, name: str) -> NoReturn:
    """Refuse a file that is nested too deeply at a place."""
    problem = f"the nesting is deeper than {DEEPEST} levels"
    remedy = "see the format's example for the right shape"
    Findings().refuse("E-JSON-DEPTH", problem, remedy, file=name, where=where)


def _report(value: JsonValue, name: str, findings: Findings, advice: Advice) -> None:
    """Add the marked objects and numbers in a value, with their JSON Pointers, in the order of the file."""
    pending: list[tuple[str, JsonValue]] = [("", value)]
    while pending:
        where, current = pending.pop()
        if isinstance(current, _Unfit):
            _report_number(current.text, name, where, findings, advice)
            continue
        if isinstance(current, _Repeating):
            problem = f"the key '{quote(current.key, 40)}' occurs twice in this object"
            findings.add("E-JSON-DUPLICATE", problem, "keep one of them", file=name, where=where or "/")
        # The last is popped first: reversed, so that problems come in the order of the file.
        children = enumerate(current) if isinstance(current, list) else current.items()
        for key, child in reversed(list(children)):
            if isinstance(child, (dict, list, _Unfit)):
                pending.append((f"{where}/{pointer_part(key)}", child))


def _report_number(text: str, name: str, where: str, findings: Findings, advice: Advice) -> None:
    """Add a number that is not finite, as it is written."""
    problem = f"{quote(text, 24)} is not a finite number"
    remedy, rule = "write one that fits into 64 bits", "too large"
    if text == "NaN":
        # What numpy and pandas write where there is no number.
        problem, remedy, rule = (
            "NaN stands for a missing number",
            f"write a number, or {advice.no_value}",
            text,
        )
    elif text.endswith("Infinity"):
        remedy, rule = f"write a finite number, or {advice.no_value}", text
    findings.add("E-JSON-NUMBER", problem, remedy, file=name, where=where, rule=rule)


def pointer_part(part: object) -> str:
    """Return a key or index as a part of a JSON Pointer (RFC 6901), fit for a log."""
    return quote(str(part).replace("~", "~0").replace("/", "~1"))
