"""One reader for all CSV files: files of one item each without a header, and tables with a header and a key.

Files of items hold integers. One regular expression decides the syntax of each; only a file that fails it is
walked line by line, to say where and why. The csv module splits tables, and columns are found by their names.
Whole columns are then checked at once; only one with a problem is checked field by field.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, repeat
from operator import itemgetter
from typing import NamedTuple, Union

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Read
from validator.formats.rules import CsvRules, Field
from validator.items import match_keys, refuse_repeated
from validator.limits import collector_off
from validator.nearest_names import NearestNames
from validator.other_tasks import task_with_columns
from validator.public_facts import LastFrames, explain_late_frames
from validator.texts import counted, quote, some_words

# 18 digits always fit into a signed 64-bit integer.
_INTEGER = "[ \t]*[0-9]{1,18}[ \t]*"
# Columns that are not read must be plain text as well: other programs treat some of these characters as line
# ends.
_PLAIN = "[^\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]*"
# The start of a word: a letter, perhaps in quotes. Like all patterns in this module it takes linear time:
# what may repeat is followed by other characters.
_WORD = re.compile(r'[ \t]*"?[^\0-@\[-^`{-\x7f]')
# The reasons are given for this many bad lines of a file; further ones are only counted.
_EXPLAINED_LINES = 2000
# Empty lines at the end are accepted.
_SPARE_LINES = 1000
# A note names this many columns that are not needed.
_NAMED_COLUMNS = 5
# Files of Excel are zips.
_EXCEL_START = b"PK\x03\x04"
# Where this many, and this share, of the rows end before they begin, their last column may hold lengths.
_LEAST_ROWS = 3
_SHARE_OF_LENGTHS = 0.2
# Where more than this share is out of range, the columns may have another order.
_SHARE_OF_OTHER_ORDER = 0.5
Values = Union["list[str]", Ints, Floats]


class _NotInteger(NamedTuple):
    """A field that is no integer: its pattern, what is wrong, the remedy, and the rule."""

    pattern: str
    problem: str
    remedy: str
    rule: str


# Blanks around a field are taken off before.
_NOT_INTEGERS = (
    _NotInteger("", "is empty", "write a whole number", "empty"),
    _NotInteger("[0-9]+", "has too many digits", "write a number of at most 18 digits", "digits"),
    _NotInteger(
        r"[0-9]+\.0*",
        "is written as a decimal fraction",
        "write whole numbers without a point, in pandas with .astype(int)",
        "fraction",
    ),
    _NotInteger(r"([\"'])[^\"']*\1", "is quoted", "write the number without quotes", "quoted"),
    _NotInteger("[+-][0-9]+", "has a sign", "write a plain whole number", "sign"),
)
# What Python, numpy and pandas write where there is no number.
_MISSING_NUMBER = "(?i:nan|none|null|<na>)"


class _NumberSyntax(NamedTuple):
    """The characters of numbers in tables, and what is wrong with other fields and the remedy.

    Python accepts spellings with further characters, which other programs do not.
    """

    characters: frozenset[str]
    problem: str
    remedy: str


_NUMBERS = {
    "integer": _NumberSyntax(
        frozenset("+-0123456789"), "'{}' is not a whole number", "write digits only, at most 18"
    ),
    "number": _NumberSyntax(
        frozenset("+-0123456789.eE"), "'{}' is not a finite number", "write it like 0.5 or 5e-1"
    ),
}


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
    """Items in ascending order and their numbers of frames, int64 of the same length; frames count from 1.

    ``frames_a_second``, float64 of the same length, is NaN where it is not known.
    """

    items: Sequence[str]
    n_frames: Ints
    frames_a_second: Floats | None = None


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
    name_frames: bool = False,
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
    name_frames : bool
        Whether messages may quote numbers of frames; never true for messages that participants see.
    """
    with Findings.collect() as findings:
        files = sorted(files)
        keys = [key for key, _, _ in files]
        reader = _ItemReader([name for _, name, _ in files], findings, rules)
        contents = [data for _, _, data in files]
        if item_frames is None or not rules.frames:
            columns = reader.read(contents)
        else:
            item_of_file = _find_items(keys, item_frames)
            contents = reader.with_few_rows(contents, item_frames.n_frames[item_of_file])
            columns = reader.read(contents)
            reader.check_frames(columns, item_of_file, item_frames, name_frames)
    return Read(CsvRows(keys, reader.file_index, columns), findings.notes)


def _find_items(keys: Sequence[str], item_frames: ItemFrames) -> Ints:
    """Return the position of each key's item, shape (n_files,)."""
    index_of_item = {item: index for index, item in enumerate(item_frames.items)}
    return np.array([index_of_item[key] for key in keys], np.int64)


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
        As for `validator.items.match_keys`; None at home, where the keys are not known.
    """
    with Findings.collect() as findings, collector_off():
        reader = _TableReader(name, findings, rules)
        reader.split(data)
        columns = {field.name: reader.values(field) for field in rules.fields}
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


class _Reader:
    """Files that are being read: their text, and the places of their rows, for problems.

    Attributes
    ----------
    names : sequence of str
        The names of the files.
    findings : Findings
        Where problems and notes are added.
    rules : CsvRules
        What the files must look like.
    accepted : Counter of str
        In how many files something unusual was accepted, by the words of the note on it.
    columns : list of str
        The names of the columns in the order of the files.
    file_index : int64 array, shape (n_rows,)
        The position in ``names`` of each row's file, ascending.
    """

    def __init__(self, names: Sequence[str], findings: Findings, rules: CsvRules) -> None:
        self.names = names
        self.findings = findings
        self.rules = rules
        self.accepted: Counter[str] = Counter()
        self.columns = [field.name for field in rules.fields]
        self.file_index: Ints = np.zeros(0, np.int64)

    def decode(self, data: bytes, name: str) -> str:
        """Return the text of a file with line ends as newlines, "" after a problem."""
        if _is_utf16(data):
            self.findings.add(
                "E-CSV-ENCODING", "the file is UTF-16", "save it as plain ASCII or UTF-8", file=name
            )
            return ""
        if data.startswith(_EXCEL_START):
            problem = "this is an Excel file (or a zip) that is named like CSV"
            self.findings.add("E-CSV-ENCODING", problem, "save it as CSV", file=name, rule="Excel")
            return ""
        nul = data.find(b"\0")
        if nul >= 0:
            self._refuse_byte(data, nul, "there is a NUL byte", "write plain text", name)
            return ""
        if data.startswith(codecs.BOM_UTF8):
            self.accepted["a byte order mark was skipped"] += 1
            data = data[len(codecs.BOM_UTF8) :]
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"byte {error.start} is not valid UTF-8"
            self._refuse_byte(data, error.start, problem, "save the file as plain ASCII or UTF-8", name)
            return ""
        return self._with_newlines(text)

    def _refuse_byte(self, data: bytes, index: int, problem: str, remedy: str, name: str) -> None:
        """Add what is wrong with the byte of a file at ``index``."""
        line = data.count(b"\n", 0, index) + 1
        self.findings.add("E-CSV-ENCODING", problem, remedy, file=name, where=f"line {line} column 1")

    def _with_newlines(self, text: str) -> str:
        """Return text with other line ends as newlines."""
        if "\r" not in text:
            return text
        kind = "Windows line ends" if "\r\n" in text else "line ends of old Macs (CR)"
        self.accepted[f"{kind} were accepted"] += 1
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def note_accepted(self) -> None:
        """Note what was accepted, and in how many files."""
        for note, count in self.accepted.items():
            self.findings.note("N-CSV-READ", f"{note} in {counted(count, 'file')}")

    def line(self, row: int) -> int:
        """Return the line of a row in its file, from 1."""
        return row + 1 - int(np.searchsorted(self.file_index, self.file_index[row]))

    def place(self, row: int, name: str) -> str:
        """Return line and column of a field."""
        column = self.columns.index(name) + 1
        return f"line {self.line(row)} column {column}"

    def refuse(
        self, code: str, rule: tuple[str, str], is_wrong: Bools, problem: Callable[[int], str], remedy: str
    ) -> None:
        """Add what is wrong in rows, of each file in the first ones; the others are counted.

        ``rule`` is a field and its constraint; problems begin with the name of the field.
        """
        field, _ = rule
        for file in np.unique(self.file_index[is_wrong]).tolist():
            begin = int(np.searchsorted(self.file_index, file))
            end = int(np.searchsorted(self.file_index, file + 1))
            for index in self.findings.first_of(is_wrong[begin:end]):
                row = begin + index
                self.findings.add(
                    code,
                    f"{field} {problem(row)}",
                    remedy,
                    file=self.names[file],
                    where=self.place(row, field),
                    rule=" ".join(rule),
                )


def _is_utf16(data: bytes) -> bool:
    """Return whether a file begins with a byte order mark of UTF-16, or with two ASCII characters in it."""
    has_mark = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return has_mark or (data[1:2] == b"\0" and data[3:4] == b"\0")


class _LineProblem(NamedTuple):
    """What is wrong with a line of a file without a header; ``column`` counts from 1."""

    code: str
    column: int
    problem: str
    remedy: str
    rule: str = ""


class _ItemReader(_Reader):
    """Files of items that are being read."""

    def read(self, contents: Iterable[bytes]) -> dict[str, Ints]:
        """Return the checked columns by name; do not use them after a problem."""
        texts = self._read_texts(contents)
        n_rows = [text.count("\n") for text in texts]
        self.file_index = np.repeat(np.arange(len(texts)), n_rows)
        numbers = np.fromstring("".join(texts).replace("\n", ","), np.int64, sep=",")
        columns: dict[str, Ints] = dict(zip(self.columns, numbers.reshape(-1, len(self.columns)).T))
        has_other_order = np.zeros(len(self.file_index), bool)
        for field in self.rules.fields:
            has_other_order |= self._check_range(field, columns[field.name])
        if self.rules.order:
            self._check_order(columns, ~has_other_order)
        return columns

    def with_few_rows(self, contents: Sequence[bytes], n_frames: Ints) -> list[bytes]:
        """Return the contents of the files, b"" for those with more rows than can differ in what counts.

        ``n_frames`` (n_files,) are those of the items. The number of rows is told before anything is read.
        """
        others = [field for field in self.rules.fields if field.name not in self.rules.frames]
        n_values = [int(field.maximum - field.minimum) + 1 for field in others if np.isfinite(field.maximum)]
        most_a_frame = math.prod(n_values)
        factors = [f"{number} {field.name}s" for number, field in zip(n_values, others)]
        few_rows = []
        for name, data, frames in zip(self.names, contents, n_frames.tolist()):
            n_lines = max(data.count(b"\n"), data.count(b"\r"))
            if n_lines > frames * most_a_frame + _SPARE_LINES:
                limit = " x ".join([f"the frames of the {self.rules.item}", *factors])
                problem = f"the file has {n_lines:,} lines, more rows than {limit}"
                remedy = "write each row once"
                self.findings.add("E-CSV-COUNT", problem, remedy, file=name, rule="rows")
                few_rows.append(b"")
            else:
                few_rows.append(data)
        return few_rows

    def _read_texts(self, contents: Iterable[bytes]) -> list[str]:
        """Return the text of each file, a line for each row; "" after a problem."""
        row = ",".join([_INTEGER] * len(self.columns))
        if self.rules.further_columns:
            row += f"(?:,{_PLAIN})?"
        row_pattern = re.compile(row)
        file_pattern = re.compile(f"(?:{row}\n)*(?:{row})?")
        texts = []
        for name, data in zip(self.names, contents):
            text = self.decode(data, name)
            if not file_pattern.fullmatch(text):
                text = self._without_empty_end(text)
                if not file_pattern.fullmatch(text):
                    self._explain(text, name, row_pattern)
                    text = self._with_stand_ins(text, row_pattern)
            if text and not text.endswith("\n"):
                text += "\n"
            if self.rules.further_columns:
                text = self._without_further_columns(text)
            texts.append(text)
        self.note_accepted()
        return texts

    def _without_further_columns(self, text: str) -> str:
        lines = []
        for line in text.split("\n")[:-1]:
            fields = line.split(",")[: len(self.columns)]
            lines.append(",".join(fields) + "\n")
        return "".join(lines)

    def _without_empty_end(self, text: str) -> str:
        body = text.rstrip(" \t\n")
        kept = body + text[len(body) :].partition("\n")[0] if body else ""
        # One newline after the last row is ordinary; anything more is an empty line.
        if text[len(kept) :] not in ("", "\n"):
            self.accepted["an empty line at the end was accepted"] += 1
        return kept

    def _explain(self, text: str, name: str, row_pattern: re.Pattern[str]) -> None:
        """Add a problem for each line that does not match."""
        lines = enumerate(text.split("\n"), start=1)
        wrong_lines = ((number, line) for number, line in lines if not row_pattern.fullmatch(line))
        for number, line in islice(wrong_lines, _EXPLAINED_LINES):
            wrong = self._shape_problem(line, number, name) or self._field_problem(line)
            where = f"line {number} column {wrong.column}"
            self.findings.add(
                wrong.code, wrong.problem, wrong.remedy, file=name, where=where, rule=wrong.rule
            )
        n_further = sum(1 for _ in wrong_lines)
        if n_further:
            self.findings.count_unread(n_further, name)

    def _with_stand_ins(self, text: str, row_pattern: re.Pattern[str]) -> str:
        """Return text with a row that breaks no rule for each line that is none, so that the others are
        checked, too, and each is on its line."""
        stand_in = ",".join(str(int(max(field.minimum, 0))) for field in self.rules.fields)
        lines = []
        for line in text.split("\n"):
            lines.append(line if row_pattern.fullmatch(line) else stand_in)
        return "\n".join(lines)

    def _shape_problem(self, line: str, number: int, name: str) -> _LineProblem | None:
        """Return why a line of a file is no row of the right number of fields, None if it is one."""
        n_wanted, fields = len(self.columns), line.split(",")
        write_row = f"write {','.join(self.columns)}"
        if not line.strip(" \t"):
            return _LineProblem("E-CSV-EMPTY-LINE", column=1, problem="the line is empty", remedy="delete it")
        if number == 1 and all(_WORD.match(field) for field in fields):
            return _LineProblem(
                "E-CSV-HEADER",
                column=1,
                problem=f"'{quote(line)}' looks like a header",
                remedy="delete the line: the files have none",
            )
        if len(fields) == 1 and n_wanted > 1 and len(re.split(r"[;\t]", line)) == n_wanted:
            return _LineProblem(
                "E-CSV-SEPARATOR",
                column=1,
                problem="the fields are not separated by commas",
                remedy=write_row,
            )
        has_too_many = len(fields) > n_wanted and not self.rules.further_columns
        if len(fields) < n_wanted or has_too_many:
            other_task = task_with_columns(name, len(fields))
            choose = (
                f", or choose the task {other_task.id}, whose rows have {len(fields)}" if other_task else ""
            )
            return _LineProblem(
                "E-CSV-COLUMNS",
                column=min(len(fields), n_wanted + 1),
                problem=f"the row has {counted(len(fields), 'field')} instead of {n_wanted}",
                remedy=f"{write_row}{choose}",
            )
        return None

    def _field_problem(self, line: str) -> _LineProblem:
        """Return the first field of a row that is no integer, or otherwise holds control characters."""
        fields = line.split(",")
        for column, (name, field) in enumerate(zip(self.columns, fields), start=1):
            if not re.fullmatch(_INTEGER, field):
                problem, remedy, rule = _explain_field(field.strip(" \t"))
                return _LineProblem(
                    "E-CSV-INTEGER",
                    column=column,
                    problem=f"{name} {problem}",
                    remedy=remedy,
                    rule=f"{name} {rule}",
                )
        index = next(index for index, field in enumerate(fields) if not re.fullmatch(_PLAIN, field))
        return _LineProblem(
            "E-CSV-ENCODING",
            column=index + 1,
            problem=f"'{quote(fields[index], 30)}' holds control characters",
            remedy="delete them",
        )

    def _check_range(self, field: Field, values: Ints) -> Bools:
        """Add values out of range; return the rows of these if there are so many that columns may have
        another order."""
        name, low = field.name, max(field.minimum, 0)
        limits = f"{low} or more" if field.maximum == np.inf else f"{low}..{field.maximum}"
        is_wrong = (values < low) | (values > field.maximum)
        counts_from_0 = low == 1 and not self.rules.further_columns
        is_from_0 = is_wrong & (values == 0) & counts_from_0

        def problem(row: int) -> str:
            return f"{values[row]} is not in {limits}"

        what_to_count = f"{name}s from 1: add 1 to all"
        if name in self.rules.frames:
            what_to_count = "frames from 1: add 1 to all starts and ends"
        correct = "correct it"
        is_other_order = is_wrong.sum() >= _LEAST_ROWS and is_wrong.mean() > _SHARE_OF_OTHER_ORDER
        if is_other_order:
            correct = f"write the columns in the order {','.join(self.columns)}, or {correct}"
        self.refuse("E-CSV-RANGE", (name, "from 1"), is_from_0, problem, f"count {what_to_count}")
        self.refuse("E-CSV-RANGE", (name, "range"), is_wrong & ~is_from_0, problem, correct)
        return is_wrong if is_other_order else np.zeros_like(is_wrong)

    def _check_order(self, columns: Mapping[str, Ints], is_checked: Bools) -> None:
        """Add rows that end before they begin, of those that are checked."""
        left, right = self.rules.order
        low, high = columns[left], columns[right]
        is_wrong = (high < low) & is_checked

        def problem(row: int) -> str:
            return f"{high[row]} is before {left} {low[row]}"

        remedy = "swap them"
        if is_wrong.sum() >= _LEAST_ROWS and is_wrong.mean() > _SHARE_OF_LENGTHS:
            remedy = f"write start + length - 1 if it is a length, or {remedy}"
        self.refuse("E-CSV-RANGE", (right, "order"), is_wrong, problem, remedy)

    def check_frames(
        self, columns: Mapping[str, Ints], item_of_file: Ints, item_frames: ItemFrames, name_frames: bool
    ) -> None:
        """Refuse rows that start after the last frame of their item; note those that end after it."""
        start_field, end_field = self.rules.frames
        start, end = columns[start_field], columns[end_field]
        n_frames = item_frames.n_frames[item_of_file][self.file_index]

        def problem(row: int) -> str:
            last_frame = f" ({n_frames[row]})" if name_frames else ""
            return f"{start[row]} is after the last frame{last_frame}"

        is_late = start > n_frames
        remedy = self._late_frames_remedy(end, item_of_file, item_frames) if is_late.any() else ""
        self.refuse("E-CSV-FRAME", (start_field, "frames"), is_late, problem, remedy)
        n_long = int((end > n_frames).sum())
        if n_long:
            text = f"{counted(n_long, 'row')} cut at the last frame: the end frame is after it"
            self.findings.note("N-CSV-CUT", text)

    def _late_frames_remedy(self, end: Ints, item_of_file: Ints, item_frames: ItemFrames) -> str:
        """Return what to do about frames after the last one of their item."""
        last_frame = np.zeros(len(item_of_file), np.int64)
        np.maximum.at(last_frame, self.file_index, end)
        has_rows = last_frame > 0
        facts = LastFrames(
            item=item_of_file[has_rows],
            last_frame=last_frame[has_rows],
            n_frames=item_frames.n_frames,
            frames_a_second=item_frames.frames_a_second,
        )
        noun = self.rules.item
        usual = f"write frames of this {noun}, counted from 1 at its own frame rate, no milliseconds"
        return explain_late_frames(facts, noun) or usual


def _explain_field(field: str) -> tuple[str, str, str]:
    """Return what is wrong with a field that is no integer, the remedy, and the rule."""
    for wrong in _NOT_INTEGERS:
        if re.fullmatch(wrong.pattern, field):
            problem = f"{quote(field, 30)} {wrong.problem}".lstrip()
            return problem, wrong.remedy, wrong.rule
    if re.fullmatch(_MISSING_NUMBER, field):
        return (
            f"'{field}' stands for a missing number",
            "write a whole number, or leave out the row",
            "missing",
        )
    if re.match("[A-Za-z]", field):
        return f"'{quote(field, 30)}' is a word", "write its number, in digits", "word"
    return f"'{quote(field, 30)}' is not a whole number", "write digits only", "integer"


class _WrongFields(NamedTuple):
    """Which fields of a column of a table break a constraint of the rules, and what to say of them.

    ``problem`` may hold {} for the field.
    """

    is_wrong: Bools
    code: str
    constraint: str
    problem: str
    remedy: str


class _CheckedColumn(NamedTuple):
    """The values of a column of a table, of no use where they break a constraint."""

    values: Values
    wrong: list[_WrongFields]


class _TableReader(_Reader):
    """A file with a header that is being read: its fields column by column, and the line of each row."""

    def __init__(self, name: str, findings: Findings, rules: CsvRules) -> None:
        super().__init__([name], findings, rules)
        self._name = name
        self._text = ""
        self._rows: list[list[str]] = []
        # Their numbers among all rows, from 0.
        self._row_numbers: Ints = np.arange(0)
        # Keys that seem to be missing may be in such rows.
        self.has_left_out_rows = False

    def split(self, data: bytes) -> None:
        """Split the file into rows. Raises Refused unless they have the columns of the rules."""
        self._text = self.decode(data, self._name)
        self.note_accepted()
        self._check_count(data)
        self.findings.refuse_problems()
        rows = self._split_rows()
        header = rows[0] if rows else []
        self._rows = rows[1:]
        self._row_numbers = np.arange(len(self._rows))
        wanted_columns = self.columns
        self.columns = [field.strip() for field in header]
        self._check_header(wanted_columns)
        self.findings.refuse_problems()
        self._leave_out_wrong_lengths()
        self.file_index = np.zeros(len(self._rows), np.int64)
        self._note_other_columns(wanted_columns)

    def _check_count(self, data: bytes) -> None:
        if data.count(b"\n") + data.count(b"\r") + data.count(b",") > self.rules.values:
            problem = f"there are more values (commas and line ends) than {self.rules.values:,}"
            self.findings.add("E-CSV-COUNT", problem, "submit only what is asked for", file=self._name)

    def _split_rows(self) -> list[list[str]]:
        """Return the fields of all rows, the header too; empty lines are no rows."""
        reader = csv.reader(io.StringIO(self._text), strict=True)
        try:
            return [row for row in reader if row]
        except csv.Error as error:
            self.findings.refuse(
                "E-CSV-SYNTAX",
                f"the file cannot be split into fields: {error}",
                'quote a field as "a ""quoted"" word"',
                file=self._name,
                where=f"line {reader.line_num}",
            )

    def _check_header(self, wanted_columns: list[str]) -> None:
        mark = _other_separator(self.columns, wanted_columns)
        if mark:
            problem = f"the fields are separated by {mark}"
            self._refuse_header("E-CSV-SEPARATOR", "", problem, f"write {','.join(wanted_columns)}")
            return
        missing_columns = [name for name in wanted_columns if name not in self.columns]
        if missing_columns:
            header = quote(",".join(self.columns))
            problem = f"the header has no {' and no '.join(missing_columns)}: it is '{header}'"
            remedy = f"begin the file with the line {','.join(wanted_columns)}"
            self._refuse_header("E-CSV-HEADER", "missing", problem, remedy)
        for name in sorted(wanted_columns):
            if self.columns.count(name) > 1:
                problem = f"there are several columns {name}"
                self._refuse_header("E-CSV-HEADER", f"{name} repeated", problem, "keep one of them")

    def _refuse_header(self, code: str, rule: str, problem: str, remedy: str) -> None:
        self.findings.add(code, problem, remedy, file=self._name, where="line 1 column 1", rule=rule)

    def _leave_out_wrong_lengths(self) -> None:
        """Add a problem for each row that has more or fewer fields than the header, and keep the others."""
        n_columns = len(self.columns)
        lengths = np.fromiter(map(len, self._rows), np.int64, len(self._rows))
        for row in self.findings.first_of(lengths != n_columns):
            n_fields = int(lengths[row])
            self.findings.add(
                "E-CSV-COLUMNS",
                f"the row has {counted(n_fields, 'field')} instead of {n_columns}",
                "write as many as the header has, and quote fields that hold commas",
                file=self._name,
                where=f"line {self.line(row)} column {min(n_fields, n_columns) + 1}",
            )
        self.has_left_out_rows = bool((lengths != n_columns).any())
        if not self.has_left_out_rows:
            return
        self._row_numbers = np.flatnonzero(lengths == n_columns)
        self._rows = [self._rows[row] for row in self._row_numbers.tolist()]

    def _note_other_columns(self, wanted_columns: list[str]) -> None:
        other_columns = [name for name in self.columns if name not in wanted_columns]
        if other_columns:
            quoted_names = [quote(name, 30) or "(no name)" for name in other_columns]
            listed = ", ".join(quoted_names[:_NAMED_COLUMNS])
            if len(quoted_names) > _NAMED_COLUMNS:
                listed += " …"
            text = f"{quote(self._name)} has columns that are not needed and were ignored: {listed}"
            self.findings.note("N-CSV-COLUMNS", text)

    @cached_property
    def _lines(self) -> list[int]:
        """The line on which each row ends, that of the header first."""
        reader = csv.reader(io.StringIO(self._text), strict=True)
        return [reader.line_num for row in reader if row]

    def line(self, row: int) -> int:
        """Return the line on which a row ends, from 1."""
        return self._lines[int(self._row_numbers[row]) + 1]

    def values(self, field: Field) -> Values:
        """Return the checked values of a column; do not use them after a problem."""
        column = self.columns.index(field.name)
        texts = list(map(str.strip, map(itemgetter(column), self._rows)))
        checked = _check_column(texts, field)
        for wrong in checked.wrong:
            self._refuse_fields(field, texts, wrong)
        if field.unique:
            with self.findings.part():
                place = partial(self.place, name=field.name)
                refuse_repeated(texts, self._name, place, field.name)
        return checked.values

    def _refuse_fields(self, field: Field, texts: list[str], wrong: _WrongFields) -> None:
        """Add fields of a column that break a constraint."""
        nearest_label = NearestNames(field.enum)

        def problem(row: int) -> str:
            return wrong.problem.format(quote(texts[row], 40)) + nearest_label.words(texts[row])

        self.refuse(wrong.code, (field.name, wrong.constraint), wrong.is_wrong, problem, wrong.remedy)


def _other_separator(header: list[str], wanted_columns: list[str]) -> str:
    """Return what separates the fields of a header in place of commas, "" if nothing does."""
    if len(header) == 1:
        for mark, mark_name in ((";", "semicolons"), ("\t", "tabs")):
            names = {name.strip() for name in header[0].split(mark)}
            if names.issuperset(wanted_columns):
                return mark_name
    return ""


def _check_column(texts: list[str], field: Field) -> _CheckedColumn:
    """Return the fields of a column as values, with what is wrong in them."""
    if field.enum:
        return _check_labels(texts, field)
    if field.type == "string":
        empty = _WrongFields(
            is_wrong=np.array([not text for text in texts], bool),
            code="E-CSV-EMPTY",
            constraint="required",
            problem="is empty",
            remedy="fill it in",
        )
        return _CheckedColumn(texts, [empty])
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
    return _CheckedColumn(numbers, [unknown])


def _check_numbers(texts: list[str], field: Field) -> _CheckedColumn:
    numbers, is_number = _numbers_apart(texts, field.type)
    syntax = _NUMBERS[field.type]
    no_number = _WrongFields(
        is_wrong=~is_number,
        code="E-CSV-NUMBER",
        constraint="type",
        problem=syntax.problem,
        remedy=syntax.remedy,
    )
    out_of_range = _WrongFields(
        is_wrong=is_number & ((numbers < field.minimum) | (numbers > field.maximum)),
        code="E-CSV-RANGE",
        constraint="range",
        problem=f"'{{}}' is not in {field.minimum:g}..{field.maximum:g}",
        remedy="correct it",
    )
    return _CheckedColumn(numbers, [no_number, out_of_range])


def _numbers_apart(texts: list[str], type_name: str) -> tuple[Ints | Floats, Bools]:
    """Return the numbers that texts hold, 0 for texts that hold none, and which texts hold one."""
    numbers = _numbers(texts, type_name)
    if numbers is not None:
        return numbers, np.ones(len(texts), bool)
    is_number = np.array([_numbers([text], type_name) is not None for text in texts], bool)
    convert: Callable[[str], float] = int if type_name == "integer" else float
    values: list[float] = [0] * len(texts)
    for row in np.flatnonzero(is_number).tolist():
        values[row] = convert(texts[row])
    return np.array(values), is_number


def _numbers(texts: list[str], type_name: str) -> Ints | Floats | None:
    """Return the numbers that texts hold, None if any holds none that is finite and fits into 64 bits."""
    if not _NUMBERS[type_name].characters.issuperset("".join(texts)):
        return None
    try:
        if type_name == "integer":
            # 18 digits always fit.
            if max(map(len, texts), default=0) > 18:
                return None
            return np.fromiter(map(int, texts), np.int64, len(texts))
        values = np.fromiter(map(float, texts), np.float64, len(texts))
        return values if np.isfinite(values).all() else None
    except ValueError:
        return None
