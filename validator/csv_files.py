"""One engine for all CSV rules: families of files with integer columns and no header.

Reading goes in two steps. The syntax of each file is decided by one regular expression; only a file that
fails it is walked line by line, to say where and why. Ranges and order are then checked for the rows of all
files at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from validator.arrays import Bools, Ints
from validator.findings import Findings, Read, counted, quote
from validator.formats.rules import CsvRules

# 18 digits always fit into a signed 64-bit integer.
_INTEGER = r"[ \t]*[0-9]{1,18}[ \t]*"
# The reasons are given for this many bad lines of a file; further ones are only counted.
_EXPLAINED_LINES = 2000
# Where this many, and this share, of the rows end before they begin, their last column may hold lengths.
_FEWEST_LENGTHS, _MANY = 3, 0.2
_LENGTHS = "if it is a length, write start + length - 1; otherwise "
_BLANK = re.compile(r"[ \t]*")
# Columns that are not read must be plain text as well: other programs treat some of these characters as line
# ends.
_PLAIN = "[^\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]*"
# The start of a word: a letter, perhaps in quotes. Like all patterns in this module it takes linear time:
# what may repeat is followed by other characters.
_WORD = re.compile(r'[ \t]*"?[^\0-@\[-^`{-\x7f]')


@dataclass(frozen=True)
class CsvRows:
    """The rows of a family of CSV files.

    Attributes
    ----------
    keys : list of str, length n_files
        The key of each file, in ascending order: a file without rows is listed too.
    file_index : int64 array, shape (n_rows,)
        The position in ``keys`` of each row's file, ascending.
    values : int64 array, shape (n_rows, n_columns)
        The columns that the rules name, in their order.
    """

    keys: list[str]
    file_index: Ints
    values: Ints


def read_csv_files(
    files: Iterable[tuple[str, str, bytes]],
    rules: CsvRules,
    last_frames: Mapping[str, int] | None = None,
    reference_words: bool = False,
) -> Read[CsvRows]:
    """Read and check CSV files that share their rules.

    Parameters
    ----------
    files : iterable of (key, file name, bytes)
        The files; keys are unique.
    rules : CsvRules
        Columns, ranges and order.
    last_frames : mapping of key to int, optional
        Number of frames of each key's item, frames counting from 1. If given, rows must start within them;
        rows that run past them get a note and are left as they are: where to cut is the metric's business.
    reference_words : bool
        Whether messages may quote ``last_frames``; never true for messages that participants see.

    Raises
    ------
    Refused
        With all problems of all files.
    """
    with Findings.collect() as findings:
        names, counts, chunks = [], [], []
        accepted: Counter[str] = Counter()
        syntax = _Syntax(rules)
        files = sorted(files)
        for _, name, data in files:
            text = syntax.checked(decode(data, name, accepted, findings), name, accepted, findings)
            names.append(name)
            counts.append(text.count("\n"))
            chunks.append(text)
        for note, count in accepted.items():
            findings.note("N-CSV-READ", f"{note} in {counted(count, 'file')}")
        numbers = "".join(chunks).replace("\n", ",").split(",")[:-1]
        values = np.array(list(map(int, numbers)), dtype=np.int64).reshape(-1, len(rules.columns))
        rows = CsvRows([key for key, _, _ in files], np.repeat(np.arange(len(files)), counts), values)
        _check_ranges(rows, names, rules, findings)
        if last_frames is not None and rules.first_and_last:
            _check_frames(rows, names, rules, last_frames, findings, reference_words)
    return Read(rows, findings.notes)


class _Syntax:
    """The syntax of the files as regular expressions, one for a line and one for a whole file."""

    def __init__(self, rules: CsvRules) -> None:
        self._rules = rules
        n_columns = len(rules.columns)
        line = ",".join([_INTEGER] * n_columns) + (f"(?:,{_PLAIN})?" if rules.extra_columns else "")
        self._line, self._file = re.compile(line), re.compile(f"(?:{line}\n)*(?:{line})?")

    def checked(self, text: str, name: str, accepted: Counter[str], findings: Findings) -> str:
        """Return the lines of a file with the columns of the rules alone, "" after a problem."""
        if not self._file.fullmatch(text):
            text = _drop_empty_end(text, accepted)
            if not self._file.fullmatch(text):
                _explain(text, name, self._rules, self._line, findings)
                return ""
        if text and not text.endswith("\n"):
            text += "\n"
        if self._rules.extra_columns:
            n_columns = len(self._rules.columns)
            text = "".join(",".join(line.split(",")[:n_columns]) + "\n" for line in text.split("\n")[:-1])
        return text


def decode(data: bytes, name: str, accepted: Counter[str], findings: Findings) -> str:
    """Return the text of a file with line ends as newlines, "" after a problem."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (data[1:2] == b"\0" and data[3:4] == b"\0"):
        findings.add("E-CSV-ENCODING", "the file is UTF-16", "save it as plain ASCII or UTF-8", file=name)
        return ""
    if b"\0" in data:
        where = _line_of_byte(data, data.index(b"\0"))
        findings.add("E-CSV-ENCODING", "there is a NUL byte", "write plain text", file=name, where=where)
        return ""
    if data.startswith(b"\xef\xbb\xbf"):
        accepted["a byte order mark was skipped"] += 1
        data = data[3:]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        problem, hint = f"byte {error.start} is not valid UTF-8", "save the file as plain ASCII or UTF-8"
        findings.add("E-CSV-ENCODING", problem, hint, file=name, where=_line_of_byte(data, error.start))
        return ""
    if "\r" in text:
        accepted["Windows line ends were accepted"] += 1
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _line_of_byte(data: bytes, position: int) -> str:
    line = data.count(b"\n", 0, position) + 1
    return f"line {line} column 1"


def _drop_empty_end(text: str, accepted: Counter[str]) -> str:
    lines = text.split("\n")
    end = len(lines)
    while end and _BLANK.fullmatch(lines[end - 1]):
        end -= 1
    kept = "\n".join(lines[:end])
    # One newline after the last row is ordinary; anything more is an empty line.
    if text[len(kept) :] not in ("", "\n"):
        accepted["an empty line at the end was accepted"] += 1
    return kept


def _explain(
    text: str, name: str, rules: CsvRules, line_pattern: re.Pattern[str], findings: Findings
) -> None:
    """Say what is wrong with each line that does not match."""
    shape = ",".join(column.name for column in rules.columns)
    shown = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line_pattern.fullmatch(line):
            continue
        shown += 1
        if shown > _EXPLAINED_LINES:
            findings.count_unread(1, name)
            continue
        code, column, problem, remedy, rule = _line_problem(line, number, rules, shape)
        where = f"line {number} column {column}"
        findings.add(code, problem, remedy, file=name, where=where, rule=rule)


def _line_problem(line: str, number: int, rules: CsvRules, shape: str) -> tuple[str, int, str, str, str]:
    """Return the code of a problem, its column from 1, what is wrong, how to fix it, and the rule."""
    fields = line.split(",")
    n_columns = len(rules.columns)
    if _BLANK.fullmatch(line):
        return "E-CSV-EMPTY-LINE", 1, "the line is empty", "delete it", ""
    if number == 1 and all(map(_WORD.match, fields)):
        problem = f"'{quote(line)}' looks like a header"
        return "E-CSV-HEADER", 1, problem, "delete the line: the files have none", ""
    if len(fields) == 1 < n_columns == len(re.split(r"[;\t]", line)):
        return "E-CSV-SEPARATOR", 1, "the fields are not separated by commas", f"write {shape}", ""
    if len(fields) != n_columns and not (rules.extra_columns and len(fields) > n_columns):
        problem = f"the row has {counted(len(fields), 'field')} instead of {n_columns}"
        return "E-CSV-COLUMNS", min(len(fields), n_columns + 1), problem, f"write {shape}", ""
    for position, (column, field) in enumerate(zip(rules.columns, fields), start=1):
        if not re.fullmatch(_INTEGER, field):
            problem, remedy, rule = _field_problem(column.name, field)
            return "E-CSV-INTEGER", position, problem, remedy, f"{column.name} {rule}"
    position = next(number for number, field in enumerate(fields, start=1) if not re.fullmatch(_PLAIN, field))
    problem = f"'{quote(fields[position - 1], 30)}' holds control characters"
    return "E-CSV-ENCODING", position, problem, "delete them", ""


def _field_problem(name: str, field: str) -> tuple[str, str, str]:
    """Return what is wrong with a field that is no integer, how to fix it, and the rule."""
    field = field.strip(" \t")
    shown = quote(field, 30)
    if not field:
        return f"{name} is empty", "write a whole number", "empty"
    if re.fullmatch(r"[0-9]+", field):
        return f"{name} {shown} has too many digits", "write a number of at most 18 digits", "digits"
    if re.fullmatch(r"[0-9]+\.0*", field):
        remedy = f"write {field.split('.')[0][:18]}"
        return f"{name} {shown} is written as a decimal fraction", remedy, "fraction"
    if re.fullmatch(r"([\"'])[^\"']*\1", field):
        return f"{name} {shown} is quoted", "write the number without quotes", "quoted"
    if re.fullmatch(r"[+-][0-9]+", field):
        return f"{name} {shown} has a sign", "write a plain whole number", "sign"
    return f"{name} '{shown}' is not a whole number", "write digits only", "integer"


def _check_ranges(rows: CsvRows, names: list[str], rules: CsvRules, findings: Findings) -> None:
    for position, column in enumerate(rules.columns):
        values = rows.values[:, position]
        wrong = values < column.min
        ends = f"{column.min} or more"
        if column.max is not None:
            wrong |= values > column.max
            ends = f"{column.min}..{column.max}"
        from_zero = wrong & (values == 0) & (column.min == 1 and not rules.extra_columns)
        count_from_1 = f"count {column.name}s from 1: add 1 to all"
        others = wrong & ~from_zero
        for chosen, remedy in ((from_zero, count_from_1), (others, "correct or drop the line")):
            rule = f"{column.name} {'from 1' if chosen is from_zero else 'range'}"
            for row, place in _places(rows, names, chosen, position, findings):
                problem = f"{column.name} {values[row]} is not in {ends}"
                findings.add("E-CSV-RANGE", problem, remedy, **place, rule=rule)
    for left, right in rules.order:
        low, high = rules.index(left), rules.index(right)
        wrong = rows.values[:, high] < rows.values[:, low]
        often = wrong.sum() >= _FEWEST_LENGTHS and wrong.mean() > _MANY
        remedy = f"{_LENGTHS if often else ''}swap them or drop the line"
        for row, place in _places(rows, names, wrong, high, findings):
            problem = f"{right} {rows.values[row, high]} is before {left} {rows.values[row, low]}"
            findings.add("E-CSV-RANGE", problem, remedy, **place, rule=f"{left} {right}")


def _check_frames(
    rows: CsvRows,
    names: list[str],
    rules: CsvRules,
    last_frames: Mapping[str, int],
    findings: Findings,
    reference_words: bool,
) -> None:
    assert rules.first_and_last is not None  # noqa: S101 - the caller has looked
    first, last = map(rules.index, rules.first_and_last)
    n_frames = np.array([last_frames[key] for key in rows.keys], dtype=np.int64)[rows.file_index]
    for row, place in _places(rows, names, rows.values[:, first] > n_frames, first, findings):
        known = f" ({n_frames[row]})" if reference_words else ""
        problem = f"{rules.first_and_last[0]} {rows.values[row, first]} is after the last frame{known}"
        findings.add("E-CSV-FRAME", problem, "frames count from 1; correct or drop the line", **place)
    n_long = int((rows.values[:, last] > n_frames).sum())
    if n_long:
        findings.note(
            "N-CSV-CUT", f"{counted(n_long, 'row')} cut at the last frame: the end frame is after it"
        )


def _places(
    rows: CsvRows, names: list[str], wrong: Bools, column: int, findings: Findings
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield rows to report as one kind, with file and place; of each file the first ones, the others are
    counted."""
    for file in np.unique(rows.file_index[wrong]).tolist():
        first, end = map(int, np.searchsorted(rows.file_index, (file, file + 1)))
        for row in findings.first_of(wrong[first:end]):
            yield first + row, {"file": names[file], "where": f"line {row + 1} column {column + 1}"}
