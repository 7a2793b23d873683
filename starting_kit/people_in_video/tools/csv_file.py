"""CSV files in UTF-8 whose first line names the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from people_in_video.tools.conversion import ConversionError

_MOST_BYTES = 256_000_000


def read_csv(path: Path) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the names in the first line, none of an empty file, and the other lines by their numbers.

    Empty lines are passed over.

    Raises ConversionError, also while lines are read: for another encoding, a quote that is not closed, and a
    line with more or fewer fields than the first.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise ConversionError(f"it is larger than {_MOST_BYTES // 10**6} MB; leave out what is not submitted")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConversionError("it is not UTF-8; save it as CSV in UTF-8") from None
    lines = _lines(csv.reader(io.StringIO(text, newline=""), strict=True))
    _, header = next(lines, (1, list[str]()))
    return [name.strip() for name in header], lines


def _lines(reader: Any) -> Iterator[tuple[int, list[str]]]:
    n_fields = 0
    try:
        for line in reader:
            n_fields = n_fields or len(line)
            if line and len(line) != n_fields:
                problem = f"line {reader.line_num} has {len(line)} fields and the header {n_fields}"
                raise ConversionError(f"{problem}; write one for each column, separated by commas")
            if line:
                yield reader.line_num, line
    except csv.Error as error:
        raise ConversionError(f"line {reader.line_num} is no CSV ({error}); save the table again") from None
