"""Folders with a CSV file for each item as submissions to tasks with an evaluator of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from people_in_video.items.csv_folder import read_csv_folder
from people_in_video.items.writer import write_submission
from people_in_video.tools.conversion import (
    ConversionError,
    ConversionOptions,
    Converter,
    Purpose,
)
from validator.findings import Note
from validator.formats.items.read import form_of
from validator.formats.rules import load_rules
from validator.formats.values import Kind

_TAKES = "a folder with a CSV file for each item, if the task has an evaluator of its own"


def _is_needed(source: Any) -> bool:
    """Return False: what is in a folder may be a submission as it is."""
    return False


def _convert(
    task_id: str, source: Any, output: Path, options: ConversionOptions, purpose: Purpose
) -> Sequence[Note]:
    """Write the rows of each file. Raises ValueError."""
    is_for_task = form_of(load_rules(task_id)).kind is Kind.VALUE
    if not is_for_task:
        raise ConversionError(f"there is no other file to convert for {task_id}; write what its page shows")
    if not isinstance(source, Path) or not source.is_dir():
        raise ConversionError(f"this cannot be converted for {task_id}; give {_TAKES}")
    write_submission(task_id, output, read_csv_folder(source))
    return []


CONVERTER = Converter(takes=_TAKES, options=frozenset(), is_needed=_is_needed, convert=_convert)
