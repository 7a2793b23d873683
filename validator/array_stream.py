"""Reading a JSON file that is one long list, one entry at a time: memory does not grow with the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NoReturn

from validator.findings import Findings
from validator.strict_json import BOM, DEEPEST, refuse_utf_16
from validator.texts import counted

# Takes a number of bytes; returns the next ones, at most so many, none at the end.
ReadBytes = Callable[[int], bytes]
_CHUNK = 4_000_000
_SPACE = b" \t\r\n"
_LIST = "write a list of entries: [{...}, ...]"
_STRUCTURE = re.compile(rb'["\[\]{}]')
_STRUCTURE_OR_COMMA = re.compile(rb'["\[\]{},]')


def iter_entries(read: ReadBytes, name: str, largest: int, most: int) -> Iterator[bytes]:
    """Yield the text of each entry of the list that a file holds.

    The entries themselves are not parsed: only strings and brackets are followed.

    Parameters
    ----------
    read : callable
        Reads UTF-8; a byte order mark is skipped.
    name : str
        The name of the file, for messages.
    largest : int
        Bytes that an entry may have, with the blanks around it.
    most : int
        Entries that the list may have.

    Raises
    ------
    Refused
        The file is not a list, ends too early, has too many entries, or one that is too large or nested too
        deep.
    """
    buffer = _after_bracket(read, name)
    position, entry = 0, 0
    while True:
        end = _entry_end(buffer, position, name, entry)
        if end is None:
            buffer, position = buffer[position:], 0
            _check_size(len(buffer), largest, name, entry)
            more = read(max(_CHUNK, len(buffer)))
            if not more:
                problem = f"the file ends too early, after {counted(entry, 'whole entry', 'whole entries')}"
                _refuse(name, None, problem, "write it again; it may have been cut off")
            buffer += more
            continue
        _check_size(end - position, largest, name, entry)
        text = buffer[position:end].strip(_SPACE)
        closes = buffer[end : end + 1] == b"]"
        if text and entry == most:
            problem = f"there are more entries than {most:,}"
            _refuse(name, entry, problem, "submit only what is asked for")
        if text:
            yield text
            entry += 1
        elif not closes:
            _refuse(name, entry, "an entry is missing before the comma", "delete the comma")
        elif entry:
            problem = "there is a comma before the closing bracket"
            _refuse(name, entry, problem, "delete it: JSON has none")
        position = end + 1
        if closes:
            break
    if _skip_space(buffer[position:], read):
        problem = "there is more text after the end of the list"
        _refuse(name, entry, problem, "write one list into the file")


def _refuse(name: str, entry: int | None, problem: str, remedy: str, code: str = "E-JSON-SYNTAX") -> NoReturn:
    """Refuse a text that is no list; ``entry`` is None if the whole file is wrong."""
    where = "" if entry is None else f"/{entry}"
    Findings().refuse(code, problem, remedy, file=name, where=where, rule="list")


def _after_bracket(read: ReadBytes, name: str) -> bytes:
    """Return what was read after the opening bracket of the list."""
    buffer = read(_CHUNK)
    refuse_utf_16(buffer, name)
    buffer = _skip_space(buffer[len(BOM) :] if buffer.startswith(BOM) else buffer, read)
    if not buffer:
        _refuse(name, None, "the file is empty", _LIST)
    if not buffer.startswith(b"["):
        is_object = buffer.startswith(b"{")
        problem = f"the file holds {'an object' if is_object else 'something else'} instead of a list"
        _refuse(name, None, problem, _LIST, "E-JSON-SCHEMA" if is_object else "E-JSON-SYNTAX")
    return buffer[1:]


def _check_size(size: int, largest: int, name: str, entry: int) -> None:
    if size > largest:
        problem = f"the entry has more than {largest:,} bytes"
        _refuse(name, entry, problem, "check what you wrote into it")


def _skip_space(buffer: bytes, read: ReadBytes) -> bytes:
    buffer = buffer.lstrip(_SPACE)
    while not buffer and (more := read(_CHUNK)):
        buffer = more.lstrip(_SPACE)
    return buffer


def _entry_end(buffer: bytes, position: int, name: str, entry: int) -> int | None:
    """Return where the entry ends that begins at ``position``: at a comma or the list's bracket.

    None if that is beyond the buffer.
    """
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
                problem = f"the nesting is deeper than {DEEPEST} levels"
                _refuse(name, entry, problem, "see the format's example")
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
