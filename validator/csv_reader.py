"""Reading CSV files: files of integers, one for each item, without a header; tables with a header and a key.

Both are split into fields, whose columns are checked at once; only a column with a problem is checked field
by field. Why a line is no row, and a field no number, is in `validator.csv_words`.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from typing import NamedTuple, Union

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Read
from validator.formats.rules import CsvRules, Field
from validator.keys import match_keys, refuse_repeated
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.limits import collector_off
from validator.texts import counted, numpy_words, quote, some_words

# Empty lines at the end are accepted.
_SPARE_LINES = 1000
# A note names this many columns that are not needed.
_NAMED_COLUMNS = 5
# Blanks are taken off fields.
_BLANKS = " \t"
# Other programs treat some of these characters as line ends.
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# So many lines that are no rows are explained; further ones are only counted.
_MOST_WRONG_LINES = 200_000
# 18 digits always fit into a signed 64-bit integer.
_MOST_DIGITS = 18
_DIGITS = frozenset("0123456789")
_CHARACTERS = {"integer": _DIGITS | set("+-"), "number": _DIGITS | set("+-.eE")}
# Where the last rows of so many items all end in the first part of them, most of each may be missing: of few
# items at the very beginning, of many in the first half, or many of them at nearly one frame.
_FEW_ITEMS, _SHARE_OF_FEW = 3, 0.1
_MANY_ITEMS, _SHARE_OF_MANY = 10, 0.5
_SHARE_OF_CUT = 0.67
_NEAR_CUT = 0.95
_LEAST_NEAR_CUT = 0.5

Values = Union["list[str]", Ints, Floats]


class CsvRows(NamedTuple):
    """The rows of files of items.

    Attributes
    ----------
    keys : list of str, length n_files
        The key of each file, in ascending order: a file without rows is listed too.
    file_index : int64 array, shape (n_rows,)
        The position in ``keys`` of each row's file, ascending.
    columns : mapping of str to int64 array, shape (n_rows,)
        The fields of the rules by name.
    """

    keys: list[str]
    file_index: Ints
    columns: Mapping[str, Ints]


class ItemFrames(NamedTuple):
    """Items in ascending order and their numbers of frames, int64 of the same length; frames count from 1."""

    items: Sequence[str]
    n_frames: Ints


class Table(NamedTuple):
    """The rows of a file with a header, in the order of the reference's keys, otherwise in that of the file.

    ``columns`` holds the fields of the rules by name, as long as ``keys``: strings as a list, labels as int64
    positions in ``enum``, integers as int64, and numbers as float64.
    """

    keys: list[str]
    columns: Mapping[str, Values]


def read_csv_files(
    files: Iterable[tuple[str, str, bytes]],
    rules: CsvRules,
    item_frames: ItemFrames | None = None,
) -> Read[CsvRows]:
    """Read and check files of items. Raises Refused with the problems of all files.

    Parameters
    ----------
    files : iterable of (key, file name, bytes)
        The files; keys are unique.
    rules : CsvRules
        Fields, ranges and order.
    item_frames : ItemFrames, optional
        The frames of the items, those of all files among them. If given, rows must start within them; rows
        that run past them get a note and are left as they are: where to cut is the metric's business. And a
        file has at most as many rows as there are pairs of a frame and values of the other fields.
    """
    with Findings.collect() as findings, collector_off():
        files = sorted(files)
        keys = [key for key, _, _ in files]
        reader = _Reader([name for _, name, _ in files], findings, rules)
        contents = [data for _, _, data in files]
        if item_frames is None or not rules.frames:
            columns = reader.read_files(contents)
        else:
            index_of_item = {item: index for index, item in enumerate(item_frames.items)}
            n_frames = item_frames.n_frames[np.array([index_of_item[key] for key in keys], np.int64)]
            columns = reader.read_files(reader.with_few_rows(contents, n_frames))
            reader.check_frames(columns, n_frames)
    return Read(CsvRows(keys, reader.file_index, columns), findings.notes)


def read_table(
    data: bytes,
    name: str,
    rules: CsvRules,
    reference_keys: Sequence[str] | None = None,
    name_missing: bool = False,
) -> Read[Table]:
    """Read and check a file with a header. Raises Refused.

    Parameters
    ----------
    data, name : bytes, str
        The file and its name.
    rules : CsvRules
        Its fields and key.
    reference_keys, name_missing
        As for `validator.keys.match_keys`; None at home, where the keys are not known.
    """
    with Findings.collect() as findings, collector_off():
        reader = _Reader([name], findings, rules)
        columns = reader.read_table(data)
        keys = columns[rules.key]
        assert isinstance(keys, list)  # noqa: S101 - the key is a string
        place = partial(reader.place, name=rules.key)
        with findings.part():
            if reference_keys is None or reader.has_left_out_rows:
                refuse_repeated(keys, name, place)
            else:
                order = findings.take(match_keys(keys, reference_keys, name, place, name_missing))
    if reference_keys is not None:
        keys = list(reference_keys)
        for column, values in columns.items():
            columns[column] = keys if column == rules.key else _take_rows(values, order)
    return Read(Table(keys, columns), findings.notes)


def _take_rows(values: Values, rows: Ints) -> Values:
    """Return the values of a column in some rows."""
    if isinstance(values, np.ndarray):
        return values[rows]
    return [values[row] for row in rows.tolist()]


class _Rows(NamedTuple):
    """The rows of a file of integers that have the right number of fields.

    Attributes
    ----------
    lines : int64 array, shape (n_rows,)
        The line of each, from 1.
    numbers : int64 array, shape (n_rows, n_columns)
        The fields, 0 where they are no integers.
    texts : list of dict of int to str, length n_columns
        The fields of each column that are no integers, by row.
    """

    lines: Ints
    numbers: Ints
    texts: list[dict[int, str]]


class _TableRows(NamedTuple):
    """The rows of a table that have the right number of fields, one after the other, and the line of each."""

    fields: list[str]
    width: int
    lines: Ints

    def column(self, index: int) -> list[str]:
        """Return the fields of a column without outer blanks."""
        return list(map(str.strip, self.fields[index :: self.width], repeat(_BLANKS)))


class _WrongFields(NamedTuple):
    """Which fields of a column break a constraint of the rules, and what to say of them.

    ``problem`` may hold {} for the field.
    """

    is_wrong: Bools
    code: str
    constraint: str
    problem: str
    remedy: str


class _CheckedColumn(NamedTuple):
    """The values of a column, of no use where ``is_value`` is false, and what is wrong in it."""

    values: Values
    is_value: Bools
    wrong: list[_WrongFields]


class _Reader:
    """Files that are being read: the places of their rows, and what was found.

    Attributes
    ----------
    columns : list of str
        The names of the columns in the order of the files.
    file_index : int64 array, shape (n_rows,)
        The position of each row's file, ascending.
    has_left_out_rows : bool
        Whether rows have a wrong number of fields, in which keys may be that seem to be missing.
    """

    def __init__(self, names: Sequence[str], findings: Findings, rules: CsvRules) -> None:
        self._names = names
        self._findings = findings
        self._rules = rules
        # In how many files something unusual was accepted, by the words of the note on it.
        self._accepted: Counter[str] = Counter()
        self.columns = [field.name for field in rules.fields]
        self.file_index: Ints = np.zeros(0, np.int64)
        self.has_left_out_rows = False
        self._line: Ints = np.zeros(0, np.int64)

    def read_files(self, contents: Iterable[bytes]) -> dict[str, Ints]:
        """Return the checked columns of files without a header; do not use them after a problem."""
        files = self._split_files(contents)
        self.file_index = np.repeat(np.arange(len(files)), [len(rows.lines) for rows in files])
        self._line = np.concatenate([self._line, *(rows.lines for rows in files)])
        self._note_accepted()
        columns: dict[str, Ints] = {}
        is_row = np.ones(len(self.file_index), bool)
        starts = np.searchsorted(self.file_index, np.arange(len(files))).tolist()
        numbers = np.concatenate(
            [np.zeros((0, len(self.columns)), np.int64), *(rows.numbers for rows in files)]
        )
        for index, field in enumerate(self._rules.fields):
            columns[field.name] = numbers[:, index]
            text_of_row = {}
            for start, rows in zip(starts, files):
                text_of_row.update({start + row: text for row, text in rows.texts[index].items()})
            is_value = np.ones(len(is_row), bool)
            is_value[list(text_of_row)] = False
            self._refuse_integers(field.name, text_of_row, "E-CSV-INTEGER")
            self._check_range(field, columns[field.name], is_value)
            is_row &= is_value
        if self._rules.order:
            self._check_order(columns, is_row)
        return columns

    def read_table(self, data: bytes) -> dict[str, Values]:
        """Return the checked columns of a file with a header; do not use them after a problem. Raises Refused
        unless it has the columns of the rules."""
        (name,) = self._names
        text = self._decode(data, name)
        self._note_accepted()
        if data.count(b"\n") + data.count(b"\r") + data.count(b",") > self._rules.values:
            problem = f"there are more values (commas and line ends) than {self._rules.values:,}"
            self._findings.add("E-CSV-COUNT", problem, "submit only what is asked for", file=name)
        self._findings.refuse_problems()
        rows = self._split_table(text)
        self.file_index = np.zeros(len(rows.lines), np.int64)
        self._line = rows.lines
        columns = {}
        for field in self._rules.fields:
            texts = rows.column(self.columns.index(field.name))
            columns[field.name] = self._checked_values(texts, field)
        return columns

    def _decode(self, data: bytes, name: str) -> str:
        """Return the text of a file with line ends as newlines, "" after a problem."""
        with self._findings.part():
            refuse_other_kind(data[:HEAD_BYTES], name, "CSV")
            return self._decode_text(data, name)
        return ""

    def _decode_text(self, data: bytes, name: str) -> str:
        """Return the text of a file of the right kind, "" after a problem."""
        n_mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        try:
            text = data[n_mark:].decode("utf-8")
        except UnicodeDecodeError as error:
            byte = n_mark + error.start
            line = data.count(b"\n", 0, byte) + 1
            problem = f"byte {byte} is not valid UTF-8"
            self._refuse_text(problem, "save the file as plain ASCII or UTF-8", name, f"line {line} column 1")
            return ""
        if n_mark:
            self._accepted["a byte order mark was skipped"] += 1
        if "\r" in text:
            kind_of_ends = "Windows line ends" if "\r\n" in text else "line ends of old Macs (CR)"
            self._accepted[f"{kind_of_ends} were accepted"] += 1
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        control = None if self._rules.key and "\0" not in text else _CONTROL.search(text)
        if control is not None:
            before = text[: control.start()]
            line_start = before.rfind("\n") + 1
            what = "a NUL byte" if control[0] == "\0" else f"the control character '{quote(control[0])}'"
            column = before.count(",", line_start) + 1
            where = f"line {before.count(chr(10)) + 1} column {column}"
            self._refuse_text(f"there is {what}", "write plain text", name, where)
            return ""
        return text

    def _refuse_text(self, problem: str, remedy: str, name: str, where: str) -> None:
        self._findings.add("E-CSV-ENCODING", problem, remedy, file=name, where=where)

    def _note_accepted(self) -> None:
        for note, count in self._accepted.items():
            self._findings.note("N-CSV-READ", f"{note} in {counted(count, 'file')}")

    def _split_files(self, contents: Iterable[bytes]) -> list[_Rows]:
        """Return the rows of files without a header, and add a problem for each line that is none."""
        width = len(self.columns)
        # A line that is no row of integers; one with more blanks than these is read as well, but later.
        row = ",".join(["[ \t]{0,9}[0-9]{1,18}[ \t]{0,9}"] * width)
        no_row = re.compile(rf"^(?!{row}$|\Z)", re.MULTILINE)
        files = []
        wrong_lines: list[tuple[str, int, str]] = []
        for name, data in zip(self._names, contents):
            text = self._without_empty_end(self._decode(data, name))
            if self._rules.further_columns:
                text = "\n".join(",".join(line.split(",")[:width]) for line in text.split("\n"))
            if no_row.search(text):
                rows, wrong_lines_of_file = self._rows_apart(text)
                files.append(rows)
                n_left = _MOST_WRONG_LINES - len(wrong_lines)
                wrong_lines += ((name, *line) for line in wrong_lines_of_file[:n_left])
                if len(wrong_lines_of_file) > n_left:
                    self._findings.count_unread(len(wrong_lines_of_file) - n_left, name)
            else:
                numbers = np.fromstring(text.replace("\n", ","), np.int64, sep=",").reshape(-1, width)
                files.append(_Rows(np.arange(1, len(numbers) + 1), numbers, [{}] * width))
        if wrong_lines:
            from validator.csv_words import refuse_lines

            files_with_rows = {name for name, rows in zip(self._names, files) if len(rows.lines)}
            refuse_lines(wrong_lines, self._rules, self._findings, files_with_rows)
        return files

    def _without_empty_end(self, text: str) -> str:
        """Return a text without empty lines at its end; one newline there is ordinary."""
        body = text.rstrip(f"{_BLANKS}\n")
        kept = body + text[len(body) :].partition("\n")[0] if body else ""
        if text[len(kept) :] not in ("", "\n"):
            self._accepted["an empty line at the end was accepted"] += 1
        return kept

    def _rows_apart(self, text: str) -> tuple[_Rows, list[tuple[int, str]]]:
        """Return the lines of a file that have the fields of a row, and the others with their numbers."""
        from validator.csv_words import is_header, is_separated_otherwise

        width = len(self.columns)
        rows, numbers, wrong_lines = [], [], []
        for number, line in enumerate(text.split("\n"), start=1):
            is_wrong = line.count(",") != width - 1
            if not is_wrong and (";" in line or "\uff0c" in line):
                is_wrong = is_separated_otherwise(line, width)
            if is_wrong or (number == 1 and is_header(line)):
                wrong_lines.append((number, line))
            else:
                rows.append(line)
                numbers.append(number)
        fields = ",".join(rows).split(",") if rows else []
        columns, texts = [], []
        for index in range(width):
            column = list(map(str.strip, fields[index::width], repeat(_BLANKS)))
            numbers_of_column, is_integer = _numbers_apart(column, "integer", _DIGITS)
            columns.append(numbers_of_column.astype(np.int64))
            texts.append({row: column[row] for row in np.flatnonzero(~is_integer).tolist()})
        return _Rows(np.array(numbers, np.int64), np.stack(columns, axis=1), texts), wrong_lines

    def _split_table(self, text: str) -> _TableRows:
        """Return the rows of a file with a header, and add a problem for each that has other fields. Raises
        Refused unless it has the columns of the rules."""
        rows, lines = [], []
        reader = csv.reader(io.StringIO(text), strict=True)
        try:
            # Empty lines are no rows.
            for row in filter(None, reader):
                rows.append(row)
                lines.append(reader.line_num)
        except csv.Error as error:
            self._findings.refuse(
                "E-CSV-SYNTAX",
                f"the file cannot be split into fields: {error}",
                'quote a field as "a ""quoted"" word"',
                file=self._names[0],
                where=f"line {reader.line_num}",
            )
        wanted_columns = self.columns
        self.columns = [field.strip() for field in rows[0]] if rows else []
        self._check_header(wanted_columns)
        self._note_other_columns(wanted_columns)
        return self._with_right_lengths(rows[1:], lines[1:])

    def _check_header(self, wanted_columns: list[str]) -> None:
        """Raise Refused unless the header names each wanted column once."""
        wanted = ",".join(wanted_columns)
        mark = other_separator(self.columns, wanted_columns)
        if mark:
            self._refuse_header("E-CSV-SEPARATOR", f"the fields are separated by {mark}", f"write {wanted}")
            self._findings.refuse_problems()
        missing_columns = [name for name in wanted_columns if name not in self.columns]
        if missing_columns:
            header = quote(",".join(self.columns))
            problem = f"the header has no {' and no '.join(missing_columns)}: it is '{header}'"
            problem += numpy_words(self.columns)
            remedy = f"begin the file with the line {wanted}"
            self._refuse_header("E-CSV-HEADER", problem, remedy, "missing")
        for name in sorted(wanted_columns):
            if self.columns.count(name) > 1:
                problem = f"there are several columns {name}"
                self._refuse_header("E-CSV-HEADER", problem, "keep one of them", f"{name} repeated")
        self._findings.refuse_problems()

    def _refuse_header(self, code: str, problem: str, remedy: str, rule: str = "") -> None:
        self._findings.add(code, problem, remedy, file=self._names[0], where="line 1 column 1", rule=rule)

    def _with_right_lengths(self, rows: Sequence[list[str]], lines: Sequence[int]) -> _TableRows:
        """Return the rows that have as many fields as the header; add a problem for each of the others."""
        n_columns = len(self.columns)
        is_wrong = np.array([len(row) != n_columns for row in rows], bool)
        if not is_wrong.any():
            return self._table_of(rows, lines)
        self.has_left_out_rows = True
        remedy = "write as many as the header has, and quote fields that hold commas"
        if all(len(row) == n_columns + 1 and not row[-1].strip(_BLANKS) for row in rows):
            remedy = "delete the comma at the end of each row"
        for index in self._findings.first_of(is_wrong):
            n_fields = len(rows[index])
            self._findings.add(
                "E-CSV-COLUMNS",
                f"the row has {counted(n_fields, 'field')} instead of {n_columns}",
                remedy,
                file=self._names[0],
                where=f"line {lines[index]} column {min(n_fields, n_columns) + 1}",
            )
        kept = np.flatnonzero(~is_wrong).tolist()
        return self._table_of([rows[index] for index in kept], [lines[index] for index in kept])

    def _table_of(self, rows: Sequence[list[str]], lines: Sequence[int]) -> _TableRows:
        return _TableRows(list(chain.from_iterable(rows)), len(self.columns), np.array(lines, np.int64))

    def _note_other_columns(self, wanted_columns: list[str]) -> None:
        other_columns = [name for name in self.columns if name not in wanted_columns]
        if other_columns:
            quoted_names = [quote(name, 30) or "(no name)" for name in other_columns]
            listed = ", ".join(quoted_names[:_NAMED_COLUMNS])
            if len(quoted_names) > _NAMED_COLUMNS:
                listed += " …"
            text = f"{quote(self._names[0])} has columns that are not needed and were ignored: {listed}"
            self._findings.note("N-CSV-COLUMNS", text)

    def _checked_values(self, texts: list[str], field: Field) -> Values:
        """Return the values of a column of a table, and add what is wrong."""
        checked = _check_column(texts, field)
        if field.type == "integer":
            text_of_row = {row: texts[row] for row in np.flatnonzero(~checked.is_value).tolist()}
            self._refuse_integers(field.name, text_of_row, "E-CSV-NUMBER", has_sign=True)
        for wrong in checked.wrong:
            self._refuse_fields(field, texts, wrong)
        if field.unique:
            with self._findings.part():
                refuse_repeated(texts, self._names[0], partial(self.place, name=field.name), field.name)
        return checked.values

    def place(self, row: int, name: str) -> str:
        """Return line and column of a field."""
        return f"line {self._line[row]} column {self.columns.index(name) + 1}"

    def _refuse(
        self,
        code: str,
        rule: tuple[str, str],
        is_wrong: Bools,
        problem: Callable[[int], str],
        remedy: str,
        is_of_all_fields: bool = False,
    ) -> None:
        """Add what is wrong in rows, of each file in the first ones; the others are counted.

        ``rule`` is a field and its constraint; problems begin with the name of the field. Those that are
        ``is_of_all_fields`` are one kind in all of them.
        """
        if not is_wrong.any():
            return
        field, constraint = rule
        for file in np.unique(self.file_index[is_wrong]).tolist():
            begin = int(np.searchsorted(self.file_index, file))
            end = int(np.searchsorted(self.file_index, file + 1))
            for index in self._findings.first_of(is_wrong[begin:end]):
                row = begin + index
                self._findings.add(
                    code,
                    f"{field} {problem(row)}",
                    remedy,
                    file=self._names[file],
                    where=self.place(row, field),
                    rule=constraint if is_of_all_fields else " ".join(rule),
                )

    def _refuse_fields(self, field: Field, texts: list[str], wrong: _WrongFields) -> None:
        """Add fields of a column that break a constraint."""
        if not wrong.is_wrong.any():
            return
        from validator.names import NearestNames

        nearest_label = NearestNames(field.enum)

        def problem_text(row: int) -> str:
            problem = wrong.problem.format(quote(texts[row], 40))
            return problem + (numpy_words([texts[row]]) or nearest_label.words(texts[row]))

        self._refuse(wrong.code, (field.name, wrong.constraint), wrong.is_wrong, problem_text, wrong.remedy)

    def _refuse_integers(
        self, name: str, text_of_row: Mapping[int, str], code: str, has_sign: bool = False
    ) -> None:
        """Add fields of a column that are no integers, by what they are instead."""
        if not text_of_row:
            return
        from validator.csv_words import FORMS, why_no_integer

        reason_of_text = {
            text: why_no_integer(text, has_sign) for text in dict.fromkeys(text_of_row.values())
        }
        for rule, remedy in dict.fromkeys((reason.rule, reason.remedy) for reason in reason_of_text.values()):
            rows = [row for row, text in text_of_row.items() if reason_of_text[text].rule == rule]
            is_of_rule = np.zeros(len(self.file_index), bool)
            is_of_rule[rows] = True
            self._refuse(
                code,
                (name, rule),
                is_of_rule,
                lambda row: reason_of_text[text_of_row[row]].problem,
                remedy,
                is_of_all_fields=rule in FORMS,
            )

    def with_few_rows(self, contents: Sequence[bytes], n_frames: Ints) -> list[bytes]:
        """Return the contents of the files, b"" for those with more rows than can differ in what counts.

        ``n_frames`` (n_files,) are those of the items. The number of rows is told before anything is read.
        """
        rules = self._rules
        others = [field for field in rules.fields if field.name not in rules.frames]
        n_values = [int(field.maximum - field.minimum) + 1 for field in others if np.isfinite(field.maximum)]
        most_a_frame = math.prod(n_values)
        factors = [f"{number} {field.name}s" for number, field in zip(n_values, others)]
        few_rows = []
        for name, data, frames in zip(self._names, contents, n_frames.tolist()):
            n_lines = max(data.count(b"\n"), data.count(b"\r"))
            if n_lines > frames * most_a_frame + _SPARE_LINES:
                limit = " x ".join([f"the frames of the {rules.item}", *factors])
                problem = f"the file has {n_lines:,} lines, more rows than {limit}"
                self._findings.add("E-CSV-COUNT", problem, "write each row once", file=name, rule="rows")
                few_rows.append(b"")
            else:
                few_rows.append(data)
        return few_rows

    def _check_range(self, field: Field, values: Ints, is_value: Bools) -> None:
        """Add values out of range, beside the range of all values."""
        low = max(field.minimum, 0)
        is_wrong = is_value & ((values < low) | (values > field.maximum))
        if not is_wrong.any():
            return
        limits = f"less than {low}" if field.maximum == np.inf else f"not in {low}..{field.maximum}"
        allowed = (
            f"they start at {low}" if field.maximum == np.inf else f"allowed are {low} to {field.maximum}"
        )
        lowest, highest = values[is_value].min(), values[is_value].max()
        remedy = f"all your {field.name}s are {_range_text(lowest, highest)}, {allowed}"
        self._refuse(
            "E-CSV-RANGE", (field.name, "range"), is_wrong, lambda row: f"{values[row]} is {limits}", remedy
        )

    def _check_order(self, columns: Mapping[str, Ints], is_row: Bools) -> None:
        """Add rows that end before they begin."""
        left, right = self._rules.order
        low, high = columns[left], columns[right]
        remedy = f"write {','.join(self.columns)}, with {left} <= {right}"
        self._refuse(
            "E-CSV-RANGE",
            (right, "order"),
            is_row & (high < low),
            lambda row: f"{high[row]} is before {left} {low[row]}",
            remedy,
        )

    def check_frames(self, columns: Mapping[str, Ints], n_frames: Ints) -> None:
        """Refuse rows that start after the last frame of their item; note those that end after it.

        ``n_frames`` (n_files,) are those of the items.
        """
        start_field, end_field = self._rules.frames
        start, end = columns[start_field], columns[end_field]
        n_frames_of_row = n_frames[self.file_index]
        last = np.zeros(len(n_frames), np.int64)
        np.maximum.at(last, self.file_index, end)
        noun = self._rules.item

        def problem(row: int) -> str:
            return f"{start[row]} is after the last frame, {n_frames_of_row[row]}"

        is_late = last > n_frames
        remedy = f"write frames of this {noun}, counted from 1; rows of {int(is_late.sum()):,} of "
        remedy += f"{counted(len(n_frames), noun)} end after the last frame"
        if is_late.any():
            remedy += f", up to {np.max(last / np.maximum(n_frames, 1)):,.2f} times as late"
        self._refuse("E-CSV-FRAME", (start_field, "frames"), start > n_frames_of_row, problem, remedy)
        self._note_early_ends(last[last > 0], n_frames[last > 0])
        n_long = int((end > n_frames_of_row).sum())
        if n_long:
            text = f"{counted(n_long, 'row')} cut at the last frame: the end frame is after it"
            self._findings.note("N-CSV-CUT", text)

    def _note_early_ends(self, last: Ints, n_frames: Ints) -> None:
        """Note if no row reaches the second half of its item, or many items end at one frame long before."""
        most = _SHARE_OF_FEW if len(last) < _MANY_ITEMS else _SHARE_OF_MANY
        is_early = len(last) >= _FEW_ITEMS and bool((last <= most * n_frames).all())
        if not is_early and not _end_at_one_frame(last, n_frames):
            return
        noun = self._rules.item
        text = f"the last rows of the {noun}s end at frame {_range_text(last.min(), last.max(), ',')}; these "
        text += f"{noun}s have {_range_text(n_frames.min(), n_frames.max(), ',')} frames"
        self._findings.note("N-CSV-EARLY", text)


def _end_at_one_frame(last: Ints, n_frames: Ints) -> bool:
    """Return whether no item ends long after the middle of most, and many at nearly the same frame."""
    if len(last) < _MANY_ITEMS or last.max() > _SHARE_OF_CUT * np.median(n_frames):
        return False
    return bool((last >= _NEAR_CUT * last.max()).mean() >= _LEAST_NEAR_CUT)


def _range_text(low: np.int64, high: np.int64, number_format: str = "") -> str:
    """Return "2 to 21", or "2" if both are the same."""
    ends = [format(low, number_format)]
    if high != low:
        ends.append(format(high, number_format))
    return " to ".join(ends)


def other_separator(header: Sequence[str], wanted_columns: Sequence[str]) -> str:
    """Return what separates the fields of a header in place of commas, "" if nothing does."""
    if len(header) == 1:
        for mark, mark_name in ((";", "semicolons"), ("\t", "tabs"), ("\uff0c", "full-width commas")):
            names = {name.strip() for name in header[0].split(mark)}
            if names.issuperset(wanted_columns):
                return mark_name
    return ""


def _check_column(texts: list[str], field: Field) -> _CheckedColumn:
    """Return the fields of a column as values, with what is wrong in them."""
    if field.enum:
        return _check_labels(texts, field)
    if field.type == "string":
        is_given = np.array(list(map(bool, texts)), bool)
        empty = _WrongFields(
            is_wrong=~is_given,
            code="E-CSV-EMPTY",
            constraint="required",
            problem="is empty",
            remedy="fill it in",
        )
        return _CheckedColumn(texts, is_given, [empty])
    return _check_numbers(texts, field)


def _check_labels(texts: list[str], field: Field) -> _CheckedColumn:
    number_of_label = dict(zip(field.enum, range(len(field.enum))))
    numbers = np.fromiter(map(number_of_label.get, texts, repeat(-1)), np.int64, len(texts))
    unknown = _WrongFields(
        is_wrong=numbers < 0,
        code="E-CSV-LABEL",
        constraint="enum",
        problem="'{}' is not a label",
        remedy=f"write one of {some_words(field.enum)}",
    )
    return _CheckedColumn(numbers, numbers >= 0, [unknown])


def _check_numbers(texts: list[str], field: Field) -> _CheckedColumn:
    """Return numbers, which of the fields are numbers, and those out of range.

    Fields of integers that are none are explained elsewhere.
    """
    numbers, is_number = _numbers_apart(texts, field.type, _CHARACTERS[field.type])
    wrong = []
    if field.type == "number":
        no_number = _WrongFields(
            is_wrong=~is_number,
            code="E-CSV-NUMBER",
            constraint="type",
            problem="'{}' is not a finite number",
            remedy="write it like 0.5 or 5e-1",
        )
        wrong.append(no_number)
    out_of_range = _WrongFields(
        is_wrong=is_number & ((numbers < field.minimum) | (numbers > field.maximum)),
        code="E-CSV-RANGE",
        constraint="range",
        problem=f"'{{}}' is not in {field.minimum:g}..{field.maximum:g}",
        remedy="correct it",
    )
    return _CheckedColumn(numbers, is_number, [*wrong, out_of_range])


def _numbers_apart(
    texts: list[str], type_name: str, characters: frozenset[str]
) -> tuple[Ints | Floats, Bools]:
    """Return the numbers that texts hold, 0 for texts that hold none, and which texts hold one."""
    numbers = _numbers(texts, type_name, characters)
    if numbers is not None:
        return numbers, np.ones(len(texts), bool)
    is_number_of_text = {
        text: _numbers([text], type_name, characters) is not None for text in dict.fromkeys(texts)
    }
    is_number = np.array([is_number_of_text[text] for text in texts], bool)
    convert: Callable[[str], float] = int if type_name == "integer" else float
    values: list[float] = [0] * len(texts)
    for row in np.flatnonzero(is_number).tolist():
        values[row] = convert(texts[row])
    return np.array(values), is_number


def _numbers(texts: list[str], type_name: str, characters: frozenset[str]) -> Ints | Floats | None:
    """Return the numbers that texts hold, None if any holds none that is finite and fits into 64 bits.

    Python accepts spellings with characters that other programs do not.
    """
    if not characters.issuperset("".join(texts)):
        return None
    try:
        if type_name == "integer":
            longest = max(texts, key=len, default="")
            if len(longest) > _MOST_DIGITS + 1 or len(longest.lstrip("+-")) > _MOST_DIGITS:
                return None
            return np.fromiter(map(int, texts), np.int64, len(texts))
        values = np.fromiter(map(float, texts), np.float64, len(texts))
        return values if np.isfinite(values).all() else None
    except ValueError:
        return None
