"""Reading a JSON file that is one long list, one entry at a time, so that memory does not grow with the
file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from validator.findings import counted
from validator.strict_json import DEEPEST

_CHUNK = 4_000_000
_SPACE = b" \t\r\n"
_STRUCTURE = re.compile(rb'["\[\]{}]')
_STRUCTURE_OR_COMMA = re.compile(rb'["\[\]{},]')


class ArrayError(Exception):
    """The text is not a list of entries.

    ``problem`` and ``hint`` say why; ``entry`` counts from 0 and is None if the whole file is wrong.
    """

    def __init__(self, entry: int | None, problem: str, hint: str, code: str = "E-JSON-SYNTAX") -> None:
        super().__init__(problem)
        self.entry, self.problem, self.hint, self.code = entry, problem, hint, code


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most ``size``; none at the end."""


def iter_entries(stream: Readable, largest: int, most: int) -> Iterator[bytes]:
    """Yield the text of each entry of the list that ``stream`` holds.

    The entries themselves are not parsed: only strings and brackets are followed.

    Parameters
    ----------
    stream : binary file
        UTF-8; a byte order mark is skipped.
    largest : int
        Bytes that an entry may have, with the blanks around it.
    most : int
        Entries that the list may have.

    Raises
    ------
    ArrayError
        The file is not a list, ends too early, has too many entries, or one that is too large or nested too
        deep.
    """
    buffer = _after_bracket(stream)
    position, entry = 0, 0
    while True:
        end = _entry_end(buffer, position, entry)
        if end is None:
            buffer, position = buffer[position:], 0
            _check_size(len(buffer), largest, entry)
            more = stream.read(max(_CHUNK, len(buffer)))
            if not more:
                problem = f"the file ends too early, after {counted(entry, 'whole entry', 'whole entries')}"
                raise ArrayError(None, problem, "write it again; it may have been cut off")
            buffer += more
            continue
        _check_size(end - position, largest, entry)
        text = buffer[position:end].strip(_SPACE)
        closes = buffer[end : end + 1] == b"]"
        if text and entry == most:
            raise ArrayError(entry, f"there are more entries than {most:,}", "submit only what is asked for")
        if text:
            yield text
            entry += 1
        elif not closes:
            raise ArrayError(entry, "an entry is missing before the comma", "delete the comma")
        elif entry:
            problem = "there is a comma before the closing bracket"
            raise ArrayError(entry, problem, "delete the trailing comma: JSON has none")
        position = end + 1
        if closes:
            break
    if _skip_space(buffer[position:], stream):
        raise ArrayError(
            entry, "there is more text after the end of the list", "write one list into the file"
        )


def _after_bracket(stream: Readable) -> bytes:
    """Return what was read after the opening bracket of the list."""
    buffer = stream.read(_CHUNK)
    buffer = _skip_space(buffer[3:] if buffer.startswith(b"\xef\xbb\xbf") else buffer, stream)
    if not buffer:
        raise ArrayError(None, "the file is empty", "write a list of entries: [{...}, ...]")
    if not buffer.startswith(b"["):
        is_object = buffer.startswith(b"{")
        problem = f"the file holds {'an object' if is_object else 'something else'} instead of a list"
        code = "E-JSON-SCHEMA" if is_object else "E-JSON-SYNTAX"
        raise ArrayError(None, problem, "write a list of entries: [{...}, ...]", code)
    return buffer[1:]


def _check_size(size: int, largest: int, entry: int) -> None:
    if size > largest:
        raise ArrayError(entry, f"the entry has more than {largest:,} bytes", "check what you wrote into it")


def _skip_space(buffer: bytes, stream: Readable) -> bytes:
    buffer = buffer.lstrip(_SPACE)
    while not buffer and (more := stream.read(_CHUNK)):
        buffer = more.lstrip(_SPACE)
    return buffer


def _entry_end(buffer: bytes, position: int, entry: int) -> int | None:
    """Return where the entry ends that begins at ``position``: at a comma or the list's bracket; None if
    beyond."""
    depth = 0
    while True:
        match = (_STRUCTURE if depth else _STRUCTURE_OR_COMMA).search(buffer, position)
        if not match:
            return None
        mark, position = match.group(), match.end()
        if mark == b'"':
            end = _string_end(buffer, position)
            if end is None:
                return None
            position = end
        elif mark in b"[{":
            depth += 1
            if depth >= DEEPEST:
                raise ArrayError(
                    entry, f"the nesting is deeper than {DEEPEST} levels", "see the format's example"
                )
        elif depth == 0:
            return match.start()
        else:
            depth -= 1


def _string_end(buffer: bytes, begin: int) -> int | None:
    """Return the position after the closing quotation mark of a string whose text begins at ``begin``."""
    end = buffer.find(b'"', begin)
    while end >= 0:
        slashes = end
        while slashes > begin and buffer[slashes - 1 : slashes] == b"\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end + 1
        end = buffer.find(b'"', end + 1)
    return None
