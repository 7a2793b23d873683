"""The public table of items, of tasks whose challenge has no form of its own: one column, a row for each."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import NoReturn

from validator.findings import Findings
from validator.texts import quote

ITEMS_FILE = "items.csv"


_HEADER = ["item"]


def encode_items(items: Sequence[str]) -> bytes:
    """Return the table of items, which are in quotes where they hold commas, quotes or ends of lines."""
    lines = [*_HEADER, *map(_quoted, items)]
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(item: str) -> str:
    """Return an item as CSV, in quotes where it needs them; csv.writer leaves carriage returns without."""
    if not item or any(character in item for character in ',"\r\n'):
        escaped_item = item.replace('"', '""')
        return f'"{escaped_item}"'
    return item


def parse_items(content: bytes) -> list[str]:
    """Return the items of a table, ascending. Raises Refused if it is not such a table."""
    try:
        text = content.decode("utf-8-sig")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    except (ValueError, csv.Error):
        _refuse("this is not a table of items in UTF-8")
    if header != _HEADER:
        _refuse(f"the first line is '{quote(','.join(header))}', not 'item'")
    items = set()
    for number, row in enumerate(rows, 2):
        if len(row) != 1:
            _refuse(f"row {number:,} has {len(row)} values, not one")
        items.add(row[0])
    if not items:
        _refuse("it names no item")
    return sorted(items)


def _refuse(problem: str) -> NoReturn:
    remedy = "ask the organizers for the file, or make it with organizer public-data"
    Findings().refuse("E-PUBLIC-DATA", problem, remedy, file=ITEMS_FILE)
