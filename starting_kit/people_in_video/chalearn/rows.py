"""The rows of tables of all sequences: CSV files with a header, data frames, and the JSON of ActivityNet.

Columns have the names that temporal detectors give them; those of seconds tell the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from people_in_video.tools.conversion import ConversionError, is_table
from people_in_video.tools.csv_file import read_csv
from people_in_video.tools.json_file import read_json
from validator.csv_text import other_separator, printed_words
from validator.findings import Note
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.texts import quote, some_words

COLUMNS = ("item", "class", "start", "end")
"""The columns that a table must have."""
ACTOR, SCORE = "actor", "score"
"""The columns that it may have."""
# Capitals, and - and blanks in place of _, make no difference.
_NAMES = {
    "item": ("item", "video_id", "video_name", "video", "sequence"),
    "class": ("class", "label", "action", "gesture"),
    "start": ("start", "start_frame"),
    "end": ("end", "end_frame", "stop_frame"),
    ACTOR: (ACTOR, "actor_id"),
    SCORE: (SCORE, "confidence", "probability"),
}
_NAMES_OF_SECONDS = {
    "start": ("t_start", "start_time", "start_seconds"),
    "end": ("t_end", "end_time", "end_seconds"),
}
_RECIPE = "rows from labels of frames: the page of the task has five lines for it"
_TAKES = "give a CSV file with the columns item, class, start, end, or the JSON of ActivityNet"


class RowTable(NamedTuple):
    """A table of rows.

    Attributes
    ----------
    in_seconds : bool or None
        Whether starts and ends are in seconds; None where the names of the columns do not tell.
    name_of_column : dict of str to str
        What the file calls the columns that are read.
    rows : iterator of (str, mapping)
        The place of each row, for messages, and its values by the names of the columns.
    notes : list of Note
    """

    in_seconds: bool | None
    name_of_column: Mapping[str, str]
    rows: Iterator[tuple[str, Mapping[str, Any]]]
    notes: list[Note]


def read_rows(source: Any) -> RowTable:
    """Return the rows of a CSV file, a JSON file, or a data frame. Raises ConversionError, Refused."""
    if is_table(source):
        return _table_of_frame(source)
    if not isinstance(source, Path):
        raise ConversionError(f"this is no table; {_TAKES}")
    if source.is_dir():
        raise ConversionError(f"this is a folder; {_TAKES}; {_RECIPE}")
    if source.suffix == ".json":
        return _table_of_json(source)
    with source.open("rb") as stream:
        form = f" with the columns {', '.join(COLUMNS)}"
        refuse_other_kind(stream.read(HEAD_BYTES), source.name, "CSV", form)
    return _table_of_csv(source)


def _table_of_frame(frame: Any) -> RowTable:
    def records() -> Iterator[dict[str, Any]]:
        for record in frame.to_dict("records"):
            yield {str(name): value for name, value in record.items()}

    return _table([str(column) for column in frame.columns], records())


def _table_of_csv(path: Path) -> RowTable:
    header, lines = read_csv(path)
    _check_header(header, path)
    return _table(header, (dict(zip(header, line)) for _, line in lines))


def _table(names: Sequence[str], records: Iterable[Mapping[str, Any]]) -> RowTable:
    """Return the table of records by the names of its columns."""
    name_of_column = _name_columns(names)
    rows = (
        (f"row {number}", {column: record[name] for column, name in name_of_column.items()})
        for number, record in enumerate(records, start=1)
    )
    return RowTable(_in_seconds(name_of_column), name_of_column, rows, [])


def _check_header(names: Sequence[str], path: Path) -> None:
    """Raise ConversionError if the first line is a row, or is not separated by commas."""
    separator = other_separator(names, COLUMNS)
    if separator:
        problem = f"the columns are separated by {separator}"
        raise ConversionError(f"{problem}; separate them by commas, and decimals by a point")
    # Blanks may separate the fields of rows.
    fields = names[0].split() if len(names) == 1 else names
    is_header = any(_plain_name(name) in _ALL_NAMES for name in names)
    if is_header or not any(re.fullmatch(r"[0-9.]+", field) for field in fields):
        return
    # Both endings are read.
    file_of_sequence = re.fullmatch("(.+)_predictions?[.]csv", path.name)
    if file_of_sequence:
        problem = f"this is the file of one sequence, {quote(file_of_sequence[1])}"
        raise ConversionError(f"{problem}; zip the files of all sequences and give the zip")
    remedy = f"write the names of the columns above it: {','.join(COLUMNS)}, or the order that yours have"
    if len(fields) > len(names):
        remedy += ", and commas between all fields"
    elif len(names) < len(COLUMNS):
        remedy = (
            f"write {','.join(COLUMNS)} of all sequences below these names, or zip a file for each sequence"
        )
    raise ConversionError(f"the first line is a row, {quote(','.join(names))}; {remedy}")


def _name_columns(names: Sequence[str]) -> dict[str, str]:
    """Return the names of the columns of a table by what they hold.

    Raises ConversionError if one is missing, or two are one.
    """
    name_of_column: dict[str, str] = {}
    for column, column_names in _NAMES.items():
        in_seconds = _NAMES_OF_SECONDS.get(column, ())
        matching = [name for name in names if _plain_name(name) in (*column_names, *in_seconds)]
        if len(matching) > 1:
            problem = f"the column {column} is there twice: {some_words(matching)}"
            raise ConversionError(f"{problem}; keep one")
        if matching:
            name_of_column[column] = matching[0]
    missing_columns = [column for column in COLUMNS if column not in name_of_column]
    if missing_columns:
        header = some_words([quote(name) for name in names]) or "an empty table"
        problem = f"the column {missing_columns[0]} is missing from {header}{printed_words(names)}"
        remedy = f"name the columns {', '.join(COLUMNS)} and, for actions, {ACTOR}"
        if "frame" in map(_plain_name, names):
            remedy += f"; {_RECIPE}"
        raise ConversionError(f"{problem}; {remedy}")
    return name_of_column


def _in_seconds(name_of_column: Mapping[str, str]) -> bool | None:
    """Return whether columns of a table are in seconds by their names, None if these do not tell."""
    units = {_plain_name(name_of_column[column]) in names for column, names in _NAMES_OF_SECONDS.items()}
    if len(units) > 1:
        pair = f"{name_of_column['start']} and {name_of_column['end']}"
        raise ConversionError(f"the columns {pair} are of two units; keep two of one unit")
    return True if units == {True} else None


def _plain_name(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


_ALL_NAMES = {name for names in (*_NAMES.values(), *_NAMES_OF_SECONDS.values()) for name in names}


def _table_of_json(path: Path) -> RowTable:
    """Return the segments of an ActivityNet JSON, those of ``results`` or the whole; always in seconds."""
    content, notes = read_json(path)
    if isinstance(content, dict) and isinstance(content.get("results"), dict):
        content = content["results"]
    if not isinstance(content, dict) or not all(isinstance(segments, list) for segments in content.values()):
        problem = "it is no JSON of ActivityNet, which maps videos to lists of segments"
        raise ConversionError(f'{problem}; write {{"results": {{video: [{_SEGMENT}, ...]}}}}')
    # A file of another form is told before what its seconds need.
    next(_rows_of_json(content), None)
    some_segment: Any = next((segment for segments in content.values() for segment in segments), {})
    has_score = isinstance(some_segment, dict) and SCORE in some_segment
    names = {SCORE: SCORE} if has_score else {}
    return RowTable(True, names, _rows_of_json(content), notes)


_SEGMENT = '{"segment": [start, end], "label": class, "score": number}'


def _rows_of_json(content: Mapping[str, list[Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for video, segments in content.items():
        for index, segment in enumerate(segments):
            place = f"{quote(video)}, segment {index}"
            interval = segment.get("segment") if isinstance(segment, dict) else None
            if not isinstance(interval, list) or len(interval) != 2 or "label" not in segment:
                raise ConversionError(f"{place}: it is no segment; write {_SEGMENT}")
            row = {"item": video, "class": segment["label"], "start": interval[0], "end": interval[1]}
            yield place, {**row, SCORE: segment[SCORE]} if SCORE in segment else row
