"""Mistakes in the files of a submission, whatever they predict: names, encodings, how rows are written."""

from __future__ import annotations

import gzip
import json
import pickle
import re
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from organizer.files import Files
from quality.task import Mistake, Said

ChangeOfFiles = Callable[[Files], Files]
ChangeOfData = Callable[[bytes], bytes]


def _in_each(change: ChangeOfData) -> ChangeOfFiles:
    """Return the change of the content of each file."""
    return lambda files: {name: change(data) for name, data in files.items()}


def _named(rename: Callable[[str], str]) -> ChangeOfFiles:
    return lambda files: {rename(name): data for name, data in files.items()}


def _in_lines(change: Callable[[str], str]) -> ChangeOfFiles:
    """Return the change of each line of each file."""
    return _in_each(lambda data: "".join(change(line) + "\n" for line in data.decode().splitlines()).encode())


def _pickled(data: bytes) -> bytes:
    return pickle.dumps(data.decode())


def _saved_by_numpy(data: bytes) -> bytes:
    stream = BytesIO()
    np.save(stream, np.arange(60.0).reshape(20, 3))
    return stream.getvalue()


def _in_utf_16(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


def _in_one_file(files: Files) -> Files:
    return {"submission.csv": b"".join(files.values())}


def _with_yesterdays(files: Files) -> Files:
    """Return files beside which lie those of another run, in the plural."""
    return {**files, **_named(lambda name: name.replace("_prediction.", "_predictions."))(files)}


def _with_thousands(line: str) -> str:
    return re.sub(r"([0-9])([0-9]{3})\b", r"\1.\2", line)


def _of_csv(name: str, codes: Sequence[str], change: ChangeOfFiles) -> Mistake[Any]:
    return Mistake(name, lambda prediction: prediction, [Said(code) for code in codes], change_files=change)


_COLUMNS, _INTEGER, _NAME = ["E-CSV-COLUMNS"], ["E-CSV-INTEGER"], ["E-FILE-NONE"]
CSV_MISTAKES: list[Mistake[Any]] = [
    _of_csv("a header", ["E-CSV-HEADER"], _in_each(lambda data: b"class,start,end\n" + data)),
    _of_csv("semicolons", ["E-CSV-SEPARATOR"], _in_lines(lambda line: line.replace(",", ";"))),
    _of_csv("tabs", ["E-CSV-SEPARATOR"], _in_lines(lambda line: line.replace(",", "\t"))),
    _of_csv("blanks between fields", ["E-CSV-SEPARATOR"], _in_lines(lambda line: line.replace(",", " "))),
    _of_csv(
        "decimal commas and semicolons",
        ["E-CSV-SEPARATOR"],
        _in_lines(lambda line: ";".join(f"{field},0" for field in line.split(","))),
    ),
    _of_csv("numbers as 7.0", _INTEGER, _in_lines(lambda line: re.sub("([0-9]+)", r"\1.0", line))),
    _of_csv("points for thousands", _INTEGER, _in_lines(_with_thousands)),
    _of_csv("numbers in quotes", _INTEGER, _in_lines(lambda line: re.sub("([0-9]+)", r'"\1"', line))),
    _of_csv(
        "numpy's representation", _INTEGER, _in_lines(lambda line: re.sub("([0-9]+)", r"np.int64(\1)", line))
    ),
    _of_csv("a comma at the end", _COLUMNS, _in_lines(lambda line: f"{line},")),
    _of_csv("a score as the last column", _COLUMNS, _in_lines(lambda line: f"{line},0.85")),
    _of_csv("the last column left out", _COLUMNS, _in_lines(lambda line: line.rpartition(",")[0])),
    _of_csv("empty lines between rows", ["E-CSV-EMPTY-LINE"], _in_lines(lambda line: f"{line}\n")),
    _of_csv("UTF-16", ["E-CSV-ENCODING", "E-FILE-KIND"], _in_each(_in_utf_16)),
    _of_csv("a pickle", ["E-FILE-KIND"], _in_each(_pickled)),
    _of_csv("an array of numpy", ["E-FILE-KIND"], _in_each(_saved_by_numpy)),
    _of_csv("names without _prediction", _NAME, _named(lambda name: name.replace("_prediction", ""))),
    _of_csv("names of annotations", _NAME, _named(lambda name: name.replace("prediction", "labels"))),
    _of_csv("names with .txt", _NAME, _named(lambda name: name.replace(".csv", ".txt"))),
    _of_csv("names with .csv.csv", _NAME, _named(lambda name: f"{name}.csv")),
    _of_csv("names in other capitals", ["E-FILE-CASE"], _named(lambda name: name.replace("_p", "_P"))),
    _of_csv("files in two folders", ["E-FILE-PLACE"], _named("out/run/{}".format)),
    _of_csv("all sequences in one file", _NAME, _in_one_file),
    _of_csv("files of two runs", ["E-FILE-TWICE"], _with_yesterdays),
]


def _of_json(name: str, codes: Sequence[str], change: ChangeOfData) -> Mistake[Any]:
    return _of_csv(name, codes, _in_each(change))


def _last_number(replacement: str) -> ChangeOfData:
    """Return the change of the last number that has a point."""

    def change(data: bytes) -> bytes:
        matches = list(re.finditer(rb"-?[0-9]+\.[0-9]+", data))
        if not matches:
            return data
        start, end = matches[-1].span()
        return data[:start] + replacement.encode() + data[end:]

    return change


def _zipped_alone(files: Files) -> Files:
    return {f"{name}.gz": gzip.compress(data) for name, data in files.items()}


_KIND = ["E-FILE-KIND"]
JSON_MISTAKES: list[Mistake[Any]] = [
    _of_json("a pickle", _KIND, _pickled),
    _of_json("gzip under the name of JSON", _KIND, gzip.compress),
    _of_json("an array of numpy", _KIND, _saved_by_numpy),
    _of_csv("gzip", ["E-FILE-NONE", "E-FILE-KIND"], _zipped_alone),
    _of_json("UTF-16", ["E-JSON-ENCODING", "E-FILE-KIND"], _in_utf_16),
    _of_json("cut off", ["E-JSON-SYNTAX"], lambda data: data[: len(data) // 2]),
    _of_json("Python's representation", ["E-JSON-SYNTAX"], lambda data: repr(json.loads(data)).encode()),
    _of_json(
        "a fence of Markdown", ["E-JSON-SYNTAX", "E-FILE-KIND"], lambda data: b"```json\n" + data + b"\n```"
    ),
    _of_json("all in a further object", ["E-JSON-SCHEMA"], lambda data: b'{"predictions": ' + data + b"}"),
    _of_json("NaN", ["E-JSON-NUMBER"], _last_number("NaN")),
    _of_json("a number in quotes", ["E-JSON-SCHEMA"], _last_number('"7.5"')),
    _of_json("null for a number", ["E-JSON-SCHEMA"], _last_number("null")),
    _of_csv("names with .txt", _NAME, _named(lambda name: name.replace(".json", ".txt"))),
    _of_csv("files in two folders", ["E-FILE-PLACE", "E-FILE-NONE"], _named("out/run/{}".format)),
]


def mistakes_in_files(files: Files) -> list[Mistake[Any]]:
    """Return the mistakes in files like these, without those that change nothing in them.

    Those in rows are of files without a header.
    """
    (first_name, *_) = files
    mistakes = JSON_MISTAKES if first_name.endswith(".json") else []
    if first_name.endswith("_prediction.csv"):
        mistakes = CSV_MISTAKES
    return [mistake for mistake in mistakes if mistake.change_files(files) != files]
