"""The JSON of other tools, and of language models, which put it into a fence of Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from people_in_video.tools.conversion import ConversionError
from validator.findings import Note
from validator.json_reader import strict_loads
from validator.json_text import count_values
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.texts import quote

FENCE = b"```"
_MOST_BYTES = 200_000_000
_MOST_VALUES = 10_000_000


def read_json(path: Path) -> tuple[Any, list[Note]]:
    """Return what a JSON file holds, and notes; one fence of Markdown around the whole is taken off.

    Raises ConversionError if there is text beside the JSON, or too much of it; Refused for a file of
    another kind, and for all that a submission may not hold, such as a key that occurs twice.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise ConversionError(f"it is larger than {_MOST_BYTES // 10**6} MB; leave out what is not submitted")
    data = path.read_bytes()
    if not data.lstrip().startswith(FENCE):
        refuse_other_kind(data[:HEAD_BYTES], path.name, "JSON")
    if count_values(data) > _MOST_VALUES:
        raise ConversionError(f"it holds more than {_MOST_VALUES:,} values; leave out what is not submitted")
    inner = without_fence(data)
    _refuse_prose(inner, first_line=1 if inner is data else 2)
    notes = []
    if inner is not data:
        notes.append(Note("N-CONVERTED", "the fence (```) around the JSON was taken off"))
    return strict_loads(inner, path.name).content, notes


def without_fence(data: bytes) -> bytes:
    """Return what is in the one fence of Markdown around a text; the text itself if there is none.

    Examples
    --------
    >>> without_fence(b"```json\\n[1]\\n```\\n")
    b'[1]\\n'
    """
    stripped = data.strip()
    if not stripped.startswith(FENCE):
        return data
    lines = stripped.splitlines(keepends=True)
    if len(lines) < 3 or lines[-1].strip() != FENCE:
        return data
    return b"".join(lines[1:-1])


def _refuse_prose(data: bytes, first_line: int) -> None:
    """Raise ConversionError if there are lines of text before or after the JSON."""
    text = data.decode("utf-8-sig", "replace")
    start = len(text) - len(text.lstrip())
    if start == len(text):
        raise ConversionError("it is empty; give the JSON file")
    if text[start] in "{[":
        if text.rstrip()[-1] in "}]":
            return
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            # What is wrong within the JSON is told when it is read.
            return
        start = end + len(text[end:]) - len(text[end:].lstrip())
    line = text[start:].partition("\n")[0].strip()
    number = first_line + text[:start].count("\n")
    raise ConversionError(f"line {number} is {quote(line)}; delete what is before and after the JSON")
