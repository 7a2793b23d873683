"""A folder with a CSV file for each item, as the JSON of a task with an evaluator of one's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from people_in_video.tools.csv_file import read_csv
from people_in_video.writing import naming

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
    with naming(path.name):
        header, lines = read_csv(path)
        if len(set(header)) < len(header) or any(_value(name) != name for name in header):
            raise ValueError("the first line is no header; write the name of each column there")
        for _, line in lines:
            yield {name: _value(field) for name, field in zip(header, line)}


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
