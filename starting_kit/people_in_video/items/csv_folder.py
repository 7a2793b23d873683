"""A folder with a CSV file for each item, as the JSON of a task with an evaluator of one's own."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ENDING = ".csv"


def read_csv_folder(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each file of a folder, as `read_csv_files` does. Raises ValueError."""
    paths = sorted(folder.glob(f"*{ENDING}"))
    if not paths:
        raise ValueError(f"{folder.name} holds no file *{ENDING}; write one for each item")
    return read_csv_files(paths)


def read_csv_files(paths: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each file by its name without the ending: objects by the header, numbers as such.

    Raises
    ------
    ValueError
        A file is not CSV with a header; the message names the file, and what to do after a semicolon.
    """
    return {path.stem: list(_rows(path)) for path in paths}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file. Raises ValueError."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        try:
            reader = csv.DictReader(stream, strict=True)
            header = reader.fieldnames or []
            if len(set(header)) < len(header) or any(not isinstance(_value(name), str) for name in header):
                problem = f"the first line of {path.name} is no header"
                raise ValueError(f"{problem}; write the name of each column there")
            for row in reader:
                if None in row or None in row.values():
                    problem = f"line {reader.line_num} of {path.name} has not as many fields as the header"
                    raise ValueError(f"{problem}; write {len(header)}")
                yield {name: _value(field) for name, field in row.items()}
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} is no CSV: {error}; write commas between fields") from error


def _value(field: str) -> Any:
    """Return a finite number as such, anything else as text.

    Examples
    --------
    >>> [_value(field) for field in ("7", " 0.5", "robin", "nan", "")]
    [7, 0.5, 'robin', 'nan', '']
    """
    for number_type in (int, float):
        try:
            number = number_type(field)
        except ValueError:
            continue
        return number if math.isfinite(number) else field
    return field
