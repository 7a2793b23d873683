"""Tables of rows of all sequences as submissions: CSV files with a header, and data frames."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from people_in_video.chalearn.public_data import DATA_ENDING
from people_in_video.public_data import PublicFiles, read_public_files
from people_in_video.tools.conversion import ConversionError, ConversionOptions, Converter, is_table
from people_in_video.writing import InvalidFileError, naming, save_zip
from scoring_program.challenges.chalearn.task import TRACKS
from scoring_program.task import load_task
from validator.csv_reader import other_separator
from validator.findings import Findings, Note
from validator.formats.chalearn.write import encode_files, prediction_name, sequence_of
from validator.texts import numpy_words, quote, some_words

_COLUMNS = ("item", "class", "start", "end")
_ACTOR = "actor"
_TRACK_WITH_ACTORS = "chalearn_action"
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
# A start or an end that is a frame but for the rounding of seconds is that frame.
_DECIMALS = 6
# How the place of a problem begins in the file of a sequence.
_LINE = re.compile("line ([0-9]+)")
# Turns a start and an end of an item into frames.
_ToFrames = Callable[[str, float, float], tuple[int, int]]


def _is_needed(source: Any) -> bool:
    return is_table(source) or (isinstance(source, Path) and source.is_file() and source.suffix == ".csv")


def _convert(task_id: str, source: Any, output: Path, options: ConversionOptions) -> Sequence[Note]:
    """Write a CSV file for each sequence of a table. Raises ValueError, which names the row."""
    task: Any = load_task(task_id)
    has_actors = task_id == _TRACK_WITH_ACTORS
    classes = TRACKS[task.id].classes
    to_frames = (
        _frames_as_they_are if options.unit == "frames" else _frames_of_seconds(task_id, options.public)
    )
    rows_of_sequence: dict[str, list[list[int]]] = {}
    row_numbers: dict[str, list[int]] = {}
    has_default_actor = False
    for number, row in enumerate(_rows(source), start=1):
        with naming(f"row {number}"):
            item = _item(row)
            start, end = to_frames(item, _number(row, "start"), _number(row, "end"))
            values = [_class_number(_text(row, "class"), classes), start, end]
            if has_actors:
                has_default_actor |= _ACTOR not in row
                actor = _number(row, _ACTOR) if _ACTOR in row else 1.0
                values.insert(0, _whole(actor, _ACTOR))
        rows_of_sequence.setdefault(item, []).append(values)
        row_numbers.setdefault(prediction_name(item), []).append(number)
    files = encode_files({item: rows_of_sequence[item] for item in sorted(rows_of_sequence)})
    try:
        save_zip(output, task_id, files)
    except InvalidFileError as error:
        table_name = source.name if isinstance(source, Path) else "table"
        raise InvalidFileError(_findings_in_table(error.findings, table_name, row_numbers)) from None
    if not has_default_actor:
        return []
    return [Note("N-CONVERTED", "there is no column actor, so all actions are those of actor 1")]


def _findings_in_table(
    findings: Findings, table_name: str, row_numbers: Mapping[str, Sequence[int]]
) -> Findings:
    """Return problems of files of sequences at the rows of the table from which the files were made.

    ``row_numbers`` are those of the lines of each file, from 1.
    """
    in_table = findings.with_files(lambda _: table_name)
    for place, problem in enumerate(findings.problems):
        line = _LINE.match(problem.where)
        if line and problem.file in row_numbers:
            where = f"row {row_numbers[problem.file][int(line[1]) - 1]}"
        else:
            where = sequence_of(problem.file)
        in_table.problems[place] = in_table.problems[place]._replace(where=where)
    return in_table


def _rows(source: Any) -> Iterator[Mapping[str, Any]]:
    """Return the rows of a table by the names of their columns. Raises ConversionError."""
    if is_table(source):
        _check_columns([str(column) for column in source.columns])
        return iter(source.to_dict("records"))
    if not isinstance(source, Path) or source.suffix != ".csv":
        raise ConversionError(f"it is no table; give a CSV file with the columns {', '.join(_COLUMNS)}")
    try:
        text = source.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConversionError("it is not UTF-8; save it as CSV in UTF-8") from None
    return _rows_of_csv(text)


def _rows_of_csv(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a CSV file with a header; lines without a field are passed over."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = [name.strip() for name in next(lines, [])]
        _check_columns(columns)
        for line in lines:
            if not line:
                continue
            if len(line) != len(columns):
                problem = f"line {lines.line_num} has {len(line)} fields and the header {len(columns)}"
                raise ConversionError(f"{problem}; write one for each column, separated by commas")
            yield dict(zip(columns, line))
    except csv.Error as error:
        raise ConversionError(f"line {lines.line_num} is no CSV ({error}); save the table again") from None


def _check_columns(columns: Sequence[str]) -> None:
    """Raise ConversionError if a column is missing or named twice."""
    missing = [column for column in _COLUMNS if column not in columns]
    separator = other_separator(columns, _COLUMNS)
    if separator:
        raise ConversionError(f"the columns are separated by {separator}; separate them by commas")
    if missing:
        names = some_words(list(map(quote, columns))) or "an empty table"
        problem = f"the column {missing[0]} is missing from {names}"
        problem += numpy_words(columns)
        remedy = f"name the columns {', '.join(_COLUMNS)} and, for actions, {_ACTOR}"
        raise ConversionError(f"{problem}; {remedy}")
    twice = [column for column in (*_COLUMNS, _ACTOR) if columns.count(column) > 1]
    if twice:
        raise ConversionError(f"the column {twice[0]} is there twice; keep one")


def _item(row: Mapping[str, Any]) -> str:
    """Return the name of the sequence of a row, which becomes that of a file."""
    item = _text(row, "item")
    if "/" in item or "\\" in item:
        raise ConversionError(f"item is {item[:80]!r}; write the name of the sequence without folders")
    return item


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row[column]
    text = str(value).strip()
    if not text or (isinstance(value, float) and math.isnan(value)):
        raise ConversionError(f"{column} is empty; fill it in, or delete the row")
    return text


def _number(row: Mapping[str, Any], column: str) -> float:
    """Return the finite number in a cell. Raises ConversionError."""
    text = _text(row, column)
    if not _is_finite_number(text):
        problem = f"{column} is {text[:40]!r}{numpy_words([text])}"
        raise ConversionError(f"{problem}; write a number, with a point for decimals")
    return float(text)


def _is_finite_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def _whole(value: float, column: str) -> int:
    if not value.is_integer():
        raise ConversionError(f"{column} is {value:g}; write a whole number")
    return int(value)


def _class_number(text: str, classes: Sequence[str]) -> int:
    """Return the number of a class, which is given by number or by name."""
    if text in classes:
        return classes.index(text) + 1
    if not _is_finite_number(text):
        raise ConversionError(
            f"the class is {text[:40]!r}; write 1 to {len(classes)}, or {some_words(classes)}"
        )
    return _whole(float(text), "the class")


def _frames_as_they_are(item: str, start: float, end: float) -> tuple[int, int]:
    if not start.is_integer() or not end.is_integer():
        raise ConversionError(
            f"{start:g} to {end:g} are no frames; convert seconds first, with convert --unit seconds"
        )
    return int(start), int(end)


def _frames_of_seconds(task_id: str, public: Path | None) -> _ToFrames:
    """Return what turns seconds from the start of a video into frames, at the rate of each video.

    Frame k, from 1, is shown from (k - 1) / rate to k / rate seconds; a row has all frames that are shown at
    some time from its start to its end.
    """
    if public is None:
        problem = "seconds need the frame rate of each video"
        raise ConversionError(f"{problem}; name the public data, with its {{Id}}_data.csv files, as --public")
    files = read_public_files(task_id, public)
    rate_of_item: dict[str, float] = {}

    def to_frames(item: str, start: float, end: float) -> tuple[int, int]:
        if item not in rate_of_item:
            rate_of_item[item] = _frame_rate(files, item)
        rate = rate_of_item[item]
        if not 0 <= start <= end:
            raise ConversionError(f"{start:g} to {end:g} seconds; write 0 <= start <= end")
        first = math.floor(round(start * rate, _DECIMALS)) + 1
        last = math.ceil(round(end * rate, _DECIMALS))
        return first, max(first, last)

    return to_frames


def _frame_rate(files: PublicFiles, item: str) -> float:
    """Return the frames a second of a video, from the file ``numFrames,fps,maxDepth`` of public data."""
    name = f"{item}{DATA_ENDING}"
    if name not in files:
        raise ConversionError(f"{name} is missing in --public; check it, and the name of the item")
    lines = files[name].decode("utf-8", errors="replace").split()
    fields = lines[-1].split(",") if lines else []
    if len(fields) < 2 or not _is_finite_number(fields[1]) or float(fields[1]) <= 0:
        raise ConversionError(f"{name} holds no frame rate; write numFrames,fps,maxDepth")
    return float(fields[1])


CONVERTER = Converter("a CSV file, or a data frame, with item, class, start, end", _is_needed, _convert)
