"""Reading CSV files of whole numbers, one for each item, without a header.

Lines that are rows become arrays, whose columns are checked at once; why the other lines are none is in
`validator.csv_words`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Ints
from validator.csv_text import BLANKS, Line, decode_csv, note_accepted, numbered_header, row_pattern
from validator.findings import Findings, Read
from validator.formats.rules import CsvRules, Field
from validator.texts import counted

# So many empty lines at the end are accepted beside the rows that an item may have.
_SPARE_LINES = 1000
# So many lines that are no rows are explained, and the first of each file; further ones are only counted.
_MOST_WRONG_LINES = 100_000
# Where the last rows of so many items all end in the first part of them, most of each may be missing: of few
# items at the very beginning, of many in the first half, or many of them at nearly one frame.
_FEW_ITEMS, _SHARE_OF_FEW = 3, 0.1
_MANY_ITEMS, _SHARE_OF_MANY = 10, 0.5
_SHARE_OF_CUT = 0.67
_NEAR_CUT = 0.95
_LEAST_NEAR_CUT = 0.5
# Rows of a background begin and end next to others: so many, and this share of those that have others beside.
_LEAST_BESIDE, _LEAST_FILLED = 4, 0.9


class CsvRows(NamedTuple):
    """The rows of files of items, and where each is.

    Attributes
    ----------
    keys : list of str, length n_files
        The key of each file, in ascending order: a file without rows is listed too.
    names : list of str, length n_files
        The names of the files.
    file_index : int64 array, shape (n_rows,)
        The position of each row's file, ascending.
    line : int64 array, shape (n_rows,)
        The line of each row.
    columns : dict of str to int64 array, shape (n_rows,)
        The fields of the rules by name.
    """

    keys: list[str]
    names: list[str]
    file_index: Ints
    line: Ints
    columns: dict[str, Ints]

    def refuse(
        self,
        findings: Findings,
        code: str,
        field: str,
        is_wrong: Bools,
        remedy: str,
        problem: str,
        *values: Ints,
    ) -> None:
        """Add what is wrong with a field in rows, of each file in the first ones; the others are counted.

        ``problem`` has {} for each of the ``values`` of a row.
        """
        place = list(self.columns).index(field) + 1
        for file in np.unique(self.file_index[is_wrong]).tolist():
            begin, end = np.searchsorted(self.file_index, [file, file + 1]).tolist()
            for index in findings.first_of(is_wrong[begin:end]):
                row = begin + index
                findings.add(
                    code,
                    f"{field} {problem.format(*(column[row] for column in values))}",
                    remedy,
                    file=self.names[file],
                    where=f"line {self.line[row]} column {place}",
                    rule=remedy,
                )


def read_csv_files(
    files: Iterable[tuple[str, str, bytes]],
    rules: CsvRules,
    n_frames_of_item: Mapping[str, int] | None = None,
) -> Read[CsvRows]:
    """Read and check files of items. Raises Refused with the problems of all files.

    Parameters
    ----------
    files : iterable of (key, file name, bytes)
        The files; keys are unique.
    rules : CsvRules
        Fields, ranges and order.
    n_frames_of_item : mapping of str to int, optional
        The frames of the items, those of all files among them; frames count from 1. If given, rows must start
        within them; rows that run past them get a note and are left as they are: where to cut is the metric's
        business. And a file has at most as many rows as there are pairs of a frame and values of the other
        fields.
    """
    read_files: list[tuple[str, str]] = []
    # Of each file the lines of its rows, and their fields, (n_rows, n_fields).
    lines: list[Ints] = []
    numbers: list[Ints] = []
    wrong_lines: list[Line] = []
    remarks: list[str] = []
    with Findings.collect() as findings:
        for key, name, data in sorted(files):
            with findings.part():
                if n_frames_of_item is not None:
                    _refuse_many_rows(data, name, n_frames_of_item[key], rules)
                text, remarks_of_file = decode_csv(data, name)
                body = text.rstrip(f"{BLANKS}\n")
                # One newline at the end is ordinary.
                if text.count("\n", len(body)) > 1:
                    remarks_of_file.append("an empty line at the end was accepted")
                remarks += remarks_of_file
                lines_of_file, numbers_of_file = _split(body, name, len(rules.fields), wrong_lines, findings)
                lines.append(lines_of_file)
                numbers.append(numbers_of_file)
                read_files.append((key, name))
        note_accepted(remarks, findings)
        no_rows = np.zeros((0, len(rules.fields)), np.int64)
        values = np.concatenate([no_rows, *numbers])
        rows = CsvRows(
            keys=[key for key, _ in read_files],
            names=[name for _, name in read_files],
            file_index=np.repeat(np.arange(len(lines)), list(map(len, lines))),
            line=np.concatenate([no_rows[:, 0], *lines]),
            columns={field.name: values[:, index] for index, field in enumerate(rules.fields)},
        )
        if wrong_lines:
            from validator.csv_words import refuse_lines

            files_with_rows = {rows.names[index] for index in np.unique(rows.file_index).tolist()}
            refuse_lines(wrong_lines, rules, findings, files_with_rows)
        for field in rules.fields:
            _check_range(rows, field, rules, findings)
        if rules.frames:
            _check_order(rows, rules, findings)
        if n_frames_of_item is not None:
            n_frames = np.array([n_frames_of_item[key] for key in rows.keys], np.int64)
            _check_frames(rows, n_frames, rules, findings)
    return Read(rows, findings.notes)


def _refuse_many_rows(data: bytes, name: str, n_frames: int, rules: CsvRules) -> None:
    """Raise Refused if a file has more rows than can differ in what counts, before it is read."""
    other_fields = [field for field in rules.fields if field.name not in rules.frames]
    n_values = [int(field.maximum - field.minimum) + 1 for field in other_fields]
    n_lines = max(data.count(b"\n"), data.count(b"\r"))
    if n_lines > n_frames * math.prod(n_values) + _SPARE_LINES:
        factors = [f"{number} {field.name}s" for number, field in zip(n_values, other_fields)]
        limit = " x ".join([f"the frames of the {rules.item}", *factors])
        problem = f"the file has {n_lines:,} lines, more rows than {limit}"
        Findings().refuse("E-CSV-COUNT", problem, "write each row once", file=name, rule="rows")


@cache
def _other_line_pattern(n_fields: int) -> re.Pattern[str]:
    """Return the pattern of the beginning of a line that is no row."""
    return re.compile(rf"^(?!{row_pattern(n_fields).pattern}$)", re.MULTILINE)


def _split(
    text: str, name: str, n_fields: int, wrong_lines: list[Line], findings: Findings
) -> tuple[Ints, Ints]:
    """Return the lines of the rows of a file, from 1, and their fields, (n_rows, n_fields).

    Its other lines are added to ``wrong_lines``, or counted if there are many.
    """
    has_header = _has_numbered_header(text, n_fields)
    # A list of millions of lines would take memory.
    if text and not has_header and not _other_line_pattern(n_fields).search(text):
        numbers = _integers(text.replace("\n", ","), n_fields)
        return np.arange(1, len(numbers) + 1), numbers
    is_row = row_pattern(n_fields).fullmatch
    rows, row_lines, n_unread = [], [], 0
    most_wrong_lines = max(_MOST_WRONG_LINES, len(wrong_lines) + 1)
    for number, line in enumerate(text.split("\n") if text else (), start=1):
        if is_row(line) and (number > 1 or not has_header):
            rows.append(line)
            row_lines.append(number)
        elif len(wrong_lines) < most_wrong_lines:
            wrong_lines.append((name, number, line))
        else:
            n_unread += 1
    if n_unread:
        findings.count_unread(n_unread, name)
    return np.array(row_lines, np.int64), _integers(",".join(rows), n_fields)


def _has_numbered_header(text: str, n_fields: int) -> bool:
    """Return whether pandas has numbered the columns in the first line; not where other rows begin with 0."""
    if n_fields < 2:
        return False
    header = numbered_header(n_fields)
    begins_with_it = text.startswith(header) and text[len(header) : len(header) + 1] in ("", "\n")
    return begins_with_it and "\n0," not in text


def _integers(text: str, n_fields: int) -> Ints:
    """Return the fields of rows, one behind the other in a text."""
    return np.fromstring(text, np.int64, sep=",").reshape(-1, n_fields)


def _check_range(rows: CsvRows, field: Field, rules: CsvRules, findings: Findings) -> None:
    """Add values out of range, beside the range of all values."""
    values, low = rows.columns[field.name], field.minimum
    is_wrong = (values < low) | (values > field.maximum)
    if not is_wrong.any():
        return
    limits, range_text = f"not in {low}..{field.maximum}", f"allowed are {low} to {field.maximum}"
    if field.maximum == math.inf:
        limits, range_text = f"less than {low}", f"allowed are {low} and more"
    remedy = f"all yours are {_range_text(values)}, {range_text}"
    wrong_values = np.unique(values[is_wrong])
    if len(wrong_values) == 1 and rules.frames and _fill_gaps(rows, field, is_wrong, rules):
        remedy += f"; rows of {wrong_values[0]} fill the gaps between the others, as a background does: "
        remedy += "leave them out"
    rows.refuse(findings, "E-CSV-RANGE", field.name, is_wrong, remedy, f"{{}} is {limits}", values)


def _fill_gaps(rows: CsvRows, field: Field, is_wrong: Bools, rules: CsvRules) -> bool:
    """Return whether nearly all rows with a wrong value of a field lie between others, next to each of them.

    Rows that differ in a further field, such as the actor, lie apart.
    """
    start_field, end_field = rules.frames
    start, end = rows.columns[start_field], rows.columns[end_field]
    names_apart = [name for name in rows.columns if name not in (start_field, end_field, field.name)]
    groups = [rows.columns[name] for name in names_apart] + [rows.file_index]
    order = np.lexsort((start, *groups))
    is_neighbor = np.ones(max(len(order) - 1, 0), dtype=bool)
    for group in groups:
        is_neighbor &= group[order][1:] == group[order][:-1]
    is_either = is_wrong[order][1:] | is_wrong[order][:-1]
    is_one = is_wrong[order][1:] != is_wrong[order][:-1]
    touches = is_one & (start[order][1:] == end[order][:-1] + 1)
    n_beside = int((is_neighbor & is_either).sum())
    return n_beside >= _LEAST_BESIDE and int((is_neighbor & touches).sum()) >= _LEAST_FILLED * n_beside


def _check_order(rows: CsvRows, rules: CsvRules, findings: Findings) -> None:
    start_field, end_field = rules.frames
    start, end = rows.columns[start_field], rows.columns[end_field]
    remedy = f"write {','.join(rows.columns)}, with {start_field} <= {end_field}"
    problem = f"{{}} is before {start_field} {{}}"
    rows.refuse(findings, "E-CSV-RANGE", end_field, end < start, remedy, problem, end, start)


def _check_frames(rows: CsvRows, n_frames: Ints, rules: CsvRules, findings: Findings) -> None:
    """Add rows that start after the last frame of their item; note those that end after it.

    ``n_frames`` (n_files,) are those of the items.
    """
    start_field, end_field = rules.frames
    start, end = rows.columns[start_field], rows.columns[end_field]
    n_frames_of_row = n_frames[rows.file_index]
    last = np.zeros(len(n_frames), np.int64)
    np.maximum.at(last, rows.file_index, end)
    is_late = last > n_frames
    remedy = f"write frames of this {rules.item}, counted from 1; rows of {int(is_late.sum()):,} of "
    remedy += f"{counted(len(n_frames), rules.item)} end after the last frame"
    if is_late.any():
        remedy += f", up to {np.max(last / np.maximum(n_frames, 1)):,.2f} times as late"
    is_after = start > n_frames_of_row
    problem = "{} is after the last frame, {}"
    rows.refuse(findings, "E-CSV-FRAME", start_field, is_after, remedy, problem, start, n_frames_of_row)
    if not findings.ok:
        return
    has_rows = last > 0
    if _end_early(last[has_rows], n_frames[has_rows]):
        text = f"the last rows of the {rules.item}s end at frame {_range_text(last[has_rows])}; these "
        text += f"{rules.item}s have {_range_text(n_frames[has_rows])} frames"
        findings.note("N-CSV-EARLY", text)
    n_long = int((end > n_frames_of_row).sum())
    if n_long:
        text = f"{counted(n_long, 'row')} cut at the last frame: the end frame is after it"
        findings.note("N-CSV-CUT", text)


def _end_early(last: Ints, n_frames: Ints) -> bool:
    """Return whether the last rows of all items end early in them, or many at one frame long before."""
    if len(last) < _FEW_ITEMS:
        return False
    most = _SHARE_OF_FEW if len(last) < _MANY_ITEMS else _SHARE_OF_MANY
    if (last <= most * n_frames).all():
        return True
    if len(last) < _MANY_ITEMS or last.max() > _SHARE_OF_CUT * np.median(n_frames):
        return False
    return bool((last >= _NEAR_CUT * last.max()).mean() >= _LEAST_NEAR_CUT)


def _range_text(values: Ints) -> str:
    """Return the lowest and the highest value, "2 to 1,021", or "2" if both are the same."""
    low, high = values.min(), values.max()
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
