"""Reading a JSON file that is one long list, one entry at a time: memory does not grow with the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple, NoReturn

from validator.findings import Findings
from validator.items import LIMIT_OF_REFERENCE
from validator.json_marks import iter_marks, string_end
from validator.strict_json import BOM, DEEPEST, refuse_utf_16
from validator.texts import counted

# Takes a number of bytes; returns the next ones, at most so many, none at the end.
ReadBytes = Callable[[int], bytes]
_SPACE = b" \t\r\n"
# Within strings there are no line breaks, and in a list a comma stands between two objects.
_NEXT_LINE = re.compile(rb"\}[ \t\r]*\n[ \t\r\n]*\{")
_RULE = "list"
_LIST = "write a list of entries: [{...}, ...]"
# The ends of entries with more brackets and strings than usual are found by numpy, in blocks.
_MOST_STEPS, _BLOCK_BYTES = 100, 8192
# An entry with more brackets, commas and quotation marks than this is not looked through to its end.
_MOST_MARKS = 100_000
_STRUCTURE = re.compile(rb'["\[\]{}]')
_STRUCTURE_OR_COMMA = re.compile(rb'["\[\]{},]')


class StreamSizes(NamedTuple):
    """``chunk`` is the least number of bytes that are read at once."""

    chunk: int = 4_000_000


_STREAM_SIZES = StreamSizes()


class EntryLimit(NamedTuple):
    """How many entries a list may have.

    ``origin`` says, after a blank, what the number is made of if it grows with the reference.
    """

    number: int
    origin: str = ""


def iter_entries(
    read: ReadBytes,
    name: str,
    largest: int,
    most: EntryLimit,
    sizes: StreamSizes = _STREAM_SIZES,
) -> Iterator[bytes]:
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
    most : EntryLimit
        Entries that the list may have.
    sizes : StreamSizes, optional

    Raises
    ------
    Refused
        The file is not a list, ends too early, has too many entries or blanks, or an entry that is too large,
        nested too deep, or has too many parts.
    """
    buffer = _after_bracket(read, name, largest, sizes.chunk)
    position, entry = 0, 0
    is_open = True
    while is_open:
        end = _entry_end(buffer, position, name, entry)
        if end is None:
            buffer, position = buffer[position:], 0
            _check_size(len(buffer), largest, name, entry)
            next_bytes = read(max(sizes.chunk, len(buffer)))
            if not next_bytes:
                problem = f"the file ends too early, after {counted(entry, 'whole entry', 'whole entries')}"
                _refuse(name, None, problem, "write it again; it may have been cut off")
            buffer += next_bytes
            continue
        _check_size(end - position, largest, name, entry)
        text = buffer[position:end].strip(_SPACE)
        is_open = buffer[end : end + 1] != b"]"
        if text and entry == most.number:
            problem = f"there are more entries than {most.number:,}{most.origin}"
            rule = LIMIT_OF_REFERENCE if most.origin else _RULE
            _refuse(name, entry, problem, "submit only what is asked for", rule=rule)
        if text:
            yield text
            entry += 1
        elif is_open:
            _refuse(name, entry, "an entry is missing before the comma", "delete the comma")
        elif entry:
            problem = "there is a comma before the closing bracket"
            _refuse(name, entry, problem, "delete it: JSON has none")
        position = end + 1
    if _skip_space(buffer[position:], read, name, largest, sizes.chunk):
        problem = "there is more text after the end of the list"
        _refuse(name, entry, problem, "write one list into the file")


def _refuse(
    name: str,
    entry: int | None,
    problem: str,
    remedy: str,
    code: str = "E-JSON-SYNTAX",
    rule: str = _RULE,
) -> NoReturn:
    """Refuse a text that is no list; ``entry`` is None if the whole file is wrong."""
    where = "" if entry is None else f"/{entry}"
    Findings().refuse(code, problem, remedy, file=name, where=where, rule=rule)


def _after_bracket(read: ReadBytes, name: str, most_blanks: int, chunk_bytes: int) -> bytes:
    """Return what was read after the opening bracket of the list."""
    buffer = read(chunk_bytes)
    refuse_utf_16(buffer, name)
    if buffer.startswith(BOM):
        buffer = buffer[len(BOM) :]
    buffer = _skip_space(buffer, read, name, most_blanks, chunk_bytes)
    if not buffer:
        _refuse(name, None, "the file is empty", _LIST)
    if buffer.startswith(b"{") and _is_json_lines(buffer, read, chunk_bytes):
        problem = "there is a JSON value on each line, as in JSON Lines"
        _refuse(name, None, problem, "make one list of all lines: [{...}, {...}, ...]")
    if buffer.startswith(b"{"):
        _refuse(name, None, "the file holds an object instead of a list", _LIST, "E-JSON-SCHEMA")
    if not buffer.startswith(b"["):
        _refuse(name, None, "the file holds something else instead of a list", _LIST)
    return buffer[1:]


def _is_json_lines(buffer: bytes, read: ReadBytes, chunk_bytes: int) -> bool:
    """Return whether an object is followed by another one on the next line, as far as one chunk shows."""
    while len(buffer) < chunk_bytes and (next_bytes := read(chunk_bytes)):
        buffer += next_bytes
    return _NEXT_LINE.search(buffer) is not None


def _check_size(size: int, largest: int, name: str, entry: int) -> None:
    if size > largest:
        problem = f"the entry has more than {largest:,} bytes"
        _refuse(name, entry, problem, "check what you wrote into it")


def _skip_space(buffer: bytes, read: ReadBytes, name: str, most_blanks: int, chunk_bytes: int) -> bytes:
    """Return the rest of the buffer, or of what is read next, from the first character that is no space.

    Raises Refused if there are too many spaces.
    """
    n_blanks = len(buffer)
    buffer = buffer.lstrip(_SPACE)
    while not buffer and (next_bytes := read(chunk_bytes)):
        if n_blanks > most_blanks:
            problem = f"there are more than {most_blanks:,} blanks around the list"
            _refuse(name, None, problem, "delete them")
        n_blanks += len(next_bytes)
        buffer = next_bytes.lstrip(_SPACE)
    return buffer


def _entry_end(buffer: bytes, position: int, name: str, entry: int) -> int | None:
    """Return where the entry ends that begins at ``position``: at a comma or the list's bracket.

    None if that is beyond the buffer.
    """
    depth = 0
    for _ in range(_MOST_STEPS):
        match = (_STRUCTURE if depth else _STRUCTURE_OR_COMMA).search(buffer, position)
        if not match:
            return None
        mark, position = match.group(), match.end()
        if mark == b'"':
            end = string_end(buffer, position)
            if end is None:
                return None
            position = end
        elif mark in b"[{":
            depth += 1
            if depth >= DEEPEST:
                _refuse_depth(name, entry)
        elif depth == 0:
            return match.start()
        else:
            depth -= 1
    return _end_after_many_marks(buffer, position, depth, name, entry)


def _end_after_many_marks(buffer: bytes, position: int, depth: int, name: str, entry: int) -> int | None:
    """Return what `_entry_end` does, for an entry in which ``depth`` brackets are open at ``position``."""
    n_marks = 0
    block_starts = count(position, _BLOCK_BYTES)
    for block_start, marks in zip(block_starts, iter_marks(buffer, position, _BLOCK_BYTES)):
        mark_depth = depth + marks.depth
        is_end = (mark_depth < 0) | ((mark_depth == 0) & (marks.mark == ord(",")))
        n_before_end = int(is_end.argmax()) if is_end.any() else len(is_end)
        is_opening = (marks.mark == ord("[")) | (marks.mark == ord("{"))
        is_too_deep = is_opening & (mark_depth + 1 >= DEEPEST)
        if is_too_deep[:n_before_end].any():
            _refuse_depth(name, entry)
        if n_before_end < len(is_end):
            return int(marks.position[n_before_end])
        n_marks += len(is_end) + buffer.count(b'"', block_start, block_start + _BLOCK_BYTES)
        if n_marks > _MOST_MARKS:
            problem = f"the entry has more than {_MOST_MARKS:,} brackets, commas and quotation marks"
            _refuse(name, entry, problem, "see the format's example for the right shape", "E-JSON-COUNT")
    return None


def _refuse_depth(name: str, entry: int) -> NoReturn:
    problem = f"the nesting is deeper than {DEEPEST} levels"
    _refuse(name, entry, problem, "see the format's example for the right shape", "E-JSON-DEPTH")
