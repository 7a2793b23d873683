"""The table of ``--names``: whose submissions are, and when they were made."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from validator.findings import counted, quote

_KEYS = ("submission", "user")
_HEADER = "write a CSV with the header submission,team,date or user,team"
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})([T ]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)Z?)?")
_MOST_LINES = 10
# The column of cells beyond the header.
_MORE = ""

Row = Mapping[str, str]


class SubmissionsError(Exception):
    """The submissions, or the table of their names, cannot be used; the arguments are lines that say why."""


def read_names(table: Path, users: Mapping[str, str]) -> dict[str, Row]:
    """Return what a table says about each submission: ``team`` and ``date``, "" or missing where unknown.

    The table is a CSV in UTF-8 or Latin-1, with commas or semicolons. ``users`` has the user of each
    submission by its name, "" where that is unknown. Raises SubmissionsError, with all wrong lines.
    """
    try:
        data = table.read_bytes()
    except OSError as error:
        raise SubmissionsError(f"{table}: cannot be read ({error.strerror}); {_HEADER}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    rows: dict[str, Row] = {}
    wrong = list[str]()
    try:
        key = ""
        for line, row in _rows(text):
            key = next(name for name in _KEYS if name in row)
            if problem := _problem(row, key, rows, users):
                wrong.append(f"line {line}: {problem}")
            rows[row[key]] = {**row, "date": _iso(row.get("date", ""))}
    except (csv.Error, ValueError) as error:
        raise SubmissionsError(f"{table}: {error}; {_HEADER}") from error
    if wrong:
        more = [f"and {len(wrong) - _MOST_LINES:,} more"] if len(wrong) > _MOST_LINES else []
        raise SubmissionsError(f"{table}: {counted(len(wrong), 'wrong line')}:", *wrong[:_MOST_LINES], *more)
    if key != "user":
        return rows
    for user in sorted(rows.keys() - users.values()):
        print(f"note | {quote(str(table))}: there is no submission of the user '{quote(user)}'")
    return {name: rows[user] for name, user in users.items() if user in rows}


def _rows(text: str) -> Iterator[tuple[int, Row]]:
    """Yield the number of each line and its cells by column. Raises ValueError, csv.Error."""
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = [cell.strip().lower() for cell in next(reader, [])]
    if sum(name in header for name in _KEYS) != 1 or not {"team", "date"} & set(header):
        raise ValueError(f"its header is '{quote(delimiter.join(header))}'")
    for cells in reader:
        if any(cells):
            more = ["".join(cells[len(header) :])]
            padded = [cell.strip() for cell in cells] + [""] * (len(header) - len(cells))
            yield reader.line_num, dict(zip([*header, _MORE], padded[: len(header)] + more))


def _problem(row: Row, key: str, before: Mapping[str, Row], users: Mapping[str, str]) -> str:
    """Return what is wrong with a row, "" if nothing is."""
    name, given = row[key], row.get("date", "")
    if row[_MORE]:
        return "it has more cells than the header; put a name with a comma or semicolon in quotes"
    if name in before:
        return f"the {key} '{quote(name)}' has a line before"
    if key == "submission" and name not in users:
        return f"there is no submission '{quote(name)}'; names are as in scores.csv"
    if key == "user" and not (name and row["team"]):
        return "user or team is empty"
    if given and not _iso(given):
        return f"the date '{quote(given)}' is not written as 2024-05-31 or 2024-05-31T12:30"
    return ""


def _iso(text: str) -> str:
    """Return a date, or a date with a time, so that they sort by time; "" if it is neither."""
    if found := _DATE.fullmatch(text):
        with contextlib.suppress(ValueError):
            date.fromisoformat(found[1])
            return f"{found[1]}T{found[3]}" if found[3] else found[1]
    return ""
