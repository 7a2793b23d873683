"""Tables of rows of all sequences, and the JSON of temporal detectors, as submissions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from people_in_video.chalearn.public_data import DATA_ENDING
from people_in_video.chalearn.rows import ACTOR, SCORE, RowTable, read_rows
from people_in_video.public_data import read_public_files
from people_in_video.references.loading import load
from people_in_video.tools.conversion import (
    ConversionError,
    ConversionOptions,
    Converter,
    Purpose,
    is_table,
)
from people_in_video.writing import InvalidFileError, naming, save_zip
from scoring_program.challenges.chalearn.task import TRACKS
from validator.csv_text import printed_words
from validator.findings import Findings, Note
from validator.formats.chalearn.write import encode_files, prediction_name, sequence_of
from validator.kinds import HEAD_BYTES
from validator.names import NearestNames, explain_unknown_names, some_of_each
from validator.texts import counted, quote, some_words

_TRACK_WITH_ACTORS = "chalearn_action"
_BACKGROUND = "background"
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
# A start or an end that is a frame but for the rounding of seconds is that frame.
_DECIMALS = 6
# No video is as long; what is longer would be a number of endless digits.
_MOST_SECONDS = 1e9
# Ten times those of a detector that keeps a thousand rows of each sequence.
_MOST_ROWS = 2_000_000
# The score below which a note counts rows; where scores are no probabilities, it is the median.
_LOW_SCORE = 0.3
# How the place of a problem begins in the file of a sequence.
_LINE = re.compile("line ([0-9]+)")


class _Video(NamedTuple):
    """How many frames a video has, and how many a second."""

    number: float
    rate: float


class _Videos(NamedTuple):
    """The videos of the data by their names; ``find`` returns None for others."""

    names: frozenset[str]
    find: Callable[[str], _Video | None]


def _is_needed(source: Any) -> bool:
    if not isinstance(source, Path) or not source.is_file():
        return is_table(source)
    if source.suffix != ".json":
        return source.suffix == ".csv"
    with source.open("rb") as stream:
        return b'"segment"' in stream.read(HEAD_BYTES)


@dataclass
class _Conversion:
    """The rows of sequences, with the places that they come from, and what was left out."""

    values: dict[str, list[list[int]]] = field(default_factory=dict)
    places: dict[str, list[str]] = field(default_factory=dict)
    n_background: int = 0
    n_uncertain: int = 0
    n_unknown: int = 0
    unknown_items: set[str] = field(default_factory=set)
    scores: list[float] = field(default_factory=list)

    def add(self, item: str, values: list[int], place: str) -> None:
        """Add a row of a sequence."""
        self.values.setdefault(item, []).append(values)
        self.places.setdefault(prediction_name(item), []).append(place)


def _convert(
    task_id: str, source: Any, output: Path, options: ConversionOptions, purpose: Purpose
) -> Sequence[Note]:
    """Write a CSV file for each sequence of a table. Raises ValueError, which names the row."""
    table = read_rows(source)
    if options.min_score is not None and SCORE not in table.name_of_column:
        raise ConversionError("there is no column score; leave out --min-score")
    in_seconds = table.in_seconds or options.unit == "seconds"
    videos = _videos(task_id, options.public, purpose.reference) if in_seconds else None
    conversion = _converted_rows(task_id, table, options, videos)
    if not conversion.values:
        remedy = "a submission has at least one"
        if videos and conversion.unknown_items:
            remedy = _names_remedy(conversion.unknown_items, videos.names)
        raise ConversionError(f"no row is left{_reason(conversion)}; {remedy}")
    name = source.name if isinstance(source, Path) else "table"
    _save(task_id, conversion, output, name)
    return [*table.notes, *_notes(task_id, table, conversion, options)]


def _names_remedy(items: Collection[str], names: Collection[str]) -> str:
    """Return how items that are none of the data are to be named, or the first names of both."""
    return explain_unknown_names(items, names) or some_of_each(items, names)


def _reason(conversion: _Conversion) -> str:
    """Return why no row is left, "" if there was none."""
    if conversion.unknown_items:
        first = quote(min(conversion.unknown_items))
        n_items = counted(len(conversion.unknown_items), "sequence")
        return f": none of {n_items} is in the data, the first is {first}"
    if conversion.n_uncertain:
        return f": {counted(conversion.n_uncertain, 'row')} have a lower score than --min-score"
    return f": {counted(conversion.n_background, 'row')} of background" if conversion.n_background else ""


def _converted_rows(
    task_id: str, table: RowTable, options: ConversionOptions, videos: _Videos | None
) -> _Conversion:
    """Return the rows of a table, or those of them that are to be kept. Raises ValueError."""
    classes = TRACKS[task_id].classes
    has_actors = task_id == _TRACK_WITH_ACTORS
    conversion = _Conversion()
    for number, (place, row) in enumerate(table.rows):
        if number == _MOST_ROWS:
            raise ConversionError(
                f"there are more than {_MOST_ROWS:,} rows; leave out the least certain ones"
            )
        with naming(place):
            item = _item(row)
            label = _text(row, "class")
            if label.casefold() == _BACKGROUND:
                conversion.n_background += 1
                continue
            if SCORE in row:
                score = _number(row, SCORE)
                if options.min_score is not None and score < options.min_score:
                    conversion.n_uncertain += 1
                    continue
                conversion.scores.append(score)
            start, end = _number(row, "start"), _number(row, "end")
            frames = _frames(start, end) if videos is None else _frames_at(videos.find(item), start, end)
            if frames is None:
                conversion.n_unknown += 1
                conversion.unknown_items.add(item)
                continue
            values = [_class_number(label, classes, options.first_class), *frames]
            if has_actors:
                actor = _number(row, ACTOR) if ACTOR in row else 1.0
                values.insert(0, _whole(actor, ACTOR))
        conversion.add(item, values, place)
    return conversion


def _save(task_id: str, conversion: _Conversion, output: Path, table_name: str) -> None:
    """Write the zip. Raises InvalidFileError with the places in the table."""
    values = conversion.values
    files = encode_files({item: values[item] for item in sorted(values)})
    try:
        save_zip(output, task_id, files)
    except InvalidFileError as error:
        raise InvalidFileError(_findings_in_table(error.findings, table_name, conversion.places)) from None


def _notes(task_id: str, table: RowTable, conversion: _Conversion, options: ConversionOptions) -> list[Note]:
    """Return what was left out or assumed."""
    texts = []
    if conversion.n_background:
        texts.append(f"{counted(conversion.n_background, 'row')} of background left out")
    if conversion.n_uncertain:
        rows = counted(conversion.n_uncertain, "row")
        texts.append(f"{rows} with a score below {options.min_score:g} left out")
    if conversion.n_unknown:
        sequences = counted(len(conversion.unknown_items), "sequence")
        rows = counted(conversion.n_unknown, "row")
        texts.append(
            f"{rows} of {sequences} left out that are not in the data, which has no frame rate for them"
        )
    if task_id == _TRACK_WITH_ACTORS and ACTOR not in table.name_of_column:
        texts.append("no actors are given, so all actions are those of actor 1")
    if options.min_score is None and len(conversion.scores):
        texts.append(_unread_scores(table.name_of_column[SCORE], np.array(conversion.scores)))
    return [Note("N-CONVERTED", text) for text in texts]


def _unread_scores(name: str, scores: np.ndarray) -> str:
    """Return what a threshold on scores, which are not submitted, would do."""
    text = f"{name} is not read: all {counted(len(scores), 'row')} count alike"
    if scores.min() == scores.max():
        return f"{text}; all have {scores[0]:g}"
    are_probabilities = scores.min() >= 0 and scores.max() <= 1
    threshold = _LOW_SCORE if are_probabilities else float(f"{np.median(scores):.3g}")
    n_low = int((scores < threshold).sum())
    if n_low in (0, len(scores)):
        return f"{text}; scores go from {scores.min():g} to {scores.max():g}"
    option = f"--min-score {threshold:g}, in Python min_score={threshold:g},"
    return f"{text}; {n_low:,} have less than {threshold:g}, and {option} leaves them out"


def _findings_in_table(
    findings: Findings, table_name: str, places_of_file: Mapping[str, Sequence[str]]
) -> Findings:
    """Return problems of files of sequences at the rows of the table from which the files were made.

    ``places_of_file`` are those of the lines of each file.
    """
    in_table = findings.with_files(lambda _: table_name)
    for index, problem in enumerate(findings.problems):
        line = _LINE.match(problem.where)
        if line and problem.file in places_of_file:
            where = places_of_file[problem.file][int(line[1]) - 1]
        else:
            where = sequence_of(problem.file)
        in_table.problems[index] = in_table.problems[index]._replace(where=where)
    return in_table


def _item(row: Mapping[str, Any]) -> str:
    """Return the name of the sequence of a row, which becomes that of a file."""
    item = _text(row, "item")
    if "/" in item or "\\" in item:
        raise ConversionError(f"item is {item[:80]!r}; write the name of the sequence without folders")
    return item


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row[column]
    text = str(value).strip()
    if not text or value is None or (isinstance(value, float) and math.isnan(value)):
        raise ConversionError(f"{column} is empty; fill it in, or delete the row")
    return text


def _number(row: Mapping[str, Any], column: str) -> float:
    """Return the finite number in a cell. Raises ConversionError."""
    text = _text(row, column)
    if not _is_finite_number(text):
        problem = f"{column} is {text[:40]!r}{printed_words([text])}"
        raise ConversionError(f"{problem}; write a number, with a point for decimals")
    return float(text)


def _is_finite_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def _whole(value: float, column: str) -> int:
    if not value.is_integer():
        raise ConversionError(f"{column} is {value:g}; write a whole number")
    return int(value)


def _class_number(text: str, classes: Sequence[str], first_class: int) -> int:
    """Return the number of a class from 1, which is given by its name, or by its number from the first."""
    names = [name.casefold() for name in classes]
    if text.casefold() in names:
        return names.index(text.casefold()) + 1
    if not _is_finite_number(text):
        problem = f"the class is {text[:40]!r}{NearestNames(classes).words(text)}"
        raise ConversionError(f"{problem}; write 1 to {len(classes)}, or {some_words(classes)}")
    number = _whole(float(text), "the class")
    from_0, from_1 = f"0 to {len(classes) - 1}", f"1 to {len(classes)}"
    if number == 0 and first_class == 1:
        raise ConversionError(
            f"the class is 0, and classes are {from_1}; if yours are {from_0}, say --first-class 0, "
            "in Python first_class=0"
        )
    if number == len(classes) and first_class == 0:
        problem = f"the class is {number}, and with --first-class 0 classes are {from_0}"
        raise ConversionError(f"{problem}; if yours are {from_1}, leave the option out")
    return number + 1 - first_class


def _frames(start: float, end: float) -> tuple[int, int]:
    """Return a start and an end that are frames."""
    if not start.is_integer() or not end.is_integer():
        option = "--unit seconds, in Python unit='seconds'"
        raise ConversionError(f"{start:g} to {end:g} are no frames; for seconds say {option}")
    return int(start), int(end)


def _frames_at(video: _Video | None, start: float, end: float) -> tuple[int, int] | None:
    """Return the frames of seconds from the start of a video, None if it is not known.

    Frame k, from 1, is shown from (k - 1) / rate to k / rate seconds; a row has all frames that are shown at
    some time from its start to its end.
    """
    if not 0 <= start <= end <= _MOST_SECONDS:
        raise ConversionError(f"{start:g} to {end:g} seconds; write 0 <= start <= end")
    if video is None:
        return None
    first = math.floor(round(start * video.rate, _DECIMALS)) + 1
    last = math.ceil(round(end * video.rate, _DECIMALS))
    if first > video.number:
        problem = (
            f"{start:g} to {end:g} seconds are after the end of the video, {video.number / video.rate:.6g}"
        )
        raise ConversionError(f"{problem}; write start and end in seconds")
    return first, max(first, last)


def _videos(task_id: str, public: Path | None, reference: Path | None) -> _Videos:
    """Return the videos of the files ``numFrames,fps,maxDepth``."""
    if public is not None:
        files = read_public_files(task_id, public)
    elif reference is not None:
        files = load(task_id, reference, None, {}).reference.contents
    else:
        problem = "seconds need the frame rate of each video"
        remedy = "name the public data as --public, or a folder with {Id}_data.csv files as --reference, "
        remedy += "in Python public= or reference="
        raise ConversionError(f"{problem}; {remedy}")
    return _Videos(
        names=frozenset(name[: -len(DATA_ENDING)] for name in files if name.endswith(DATA_ENDING)),
        find=cache(lambda item: _read_video(f"{item}{DATA_ENDING}", files)),
    )


def _read_video(name: str, files: Mapping[str, bytes]) -> _Video | None:
    """Return the video of a file, None if there is no such file."""
    if name not in files:
        return None
    lines = files[name].decode("utf-8", errors="replace").split()
    fields = lines[-1].split(",") if lines else []
    if (
        len(fields) < 2
        or not all(map(_is_finite_number, fields[:2]))
        or not 0 < float(fields[1]) < _MOST_SECONDS
    ):
        raise ConversionError(f"{name} holds no frame rate; write numFrames,fps,maxDepth")
    return _Video(number=float(fields[0]), rate=float(fields[1]))


CONVERTER = Converter(
    takes="CSV or a data frame with item, class, start, end; JSON of ActivityNet",
    options=frozenset({"unit", "public", "min_score", "first_class"}),
    is_needed=_is_needed,
    convert=_convert,
)
