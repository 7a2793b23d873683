"""One reader for all CSV files: files of one item each without a header, and tables with a header and a key.

Files of items hold integers. One regular expression decides the syntax of each; only a file that fails it is
walked line by line, to say where and why. The csv module splits tables, and columns are found by their names.
Whole columns are then checked at once; only one with a problem is checked field by field.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from validator.texts import counted, quote, some_words

# 18 digits always fit into a signed 64-bit integer.
_INTEGER = "[ \t]*[0-9]{1,18}[ \t]*"
# Columns that are not read must be plain text as well: other programs treat some of these characters as line
# ends.
_PLAIN = "[^\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]*"
# The start of a word: a letter, perhaps in quotes. Like all patterns in this module it takes linear time:
# what may repeat is followed by other characters.
_WORD = re.compile(r'[ \t]*"?[^\0-@\[-^`{-\x7f]')
# Fields that are no integers, without blanks: their pattern, what is wrong, the remedy, and the rule.
_NOT_INTEGERS = (
    ("", "is empty", "write a whole number", "empty"),
    ("[0-9]+", "has too many digits", "write a number of at most 18 digits", "digits"),
    (r"[0-9]+\.0*", "is written as a decimal fraction", "write {}", "fraction"),
    (r"([\"'])[^\"']*\1", "is quoted", "write the number without quotes", "quoted"),
    ("[+-][0-9]+", "has a sign", "write a plain whole number", "sign"),
)
# The reasons are given for this many bad lines of a file; further ones are only counted.
_EXPLAINED_LINES = 2000
# Where this many, and this share, of the rows end before they begin, their last column may hold lengths.
_LEAST_ROWS, _MANY = 3, 0.2
# Where more than this share is out of range, the columns may have another order.
_MOST = 0.5
_LENGTHS = "if it is a length, write start + length - 1; otherwise "
# Numbers in tables: their characters (Python accepts spellings that other programs do not), and what is wrong
# with other fields and the remedy.
_NUMBERS = {
    "integer": (frozenset("+-0123456789"), "'{}' is not a whole number", "write digits only, at most 18"),
    "number": (frozenset("+-0123456789.eE"), "'{}' is not a finite number", "write it like 0.5 or 5e-1"),
}

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
    """Items and their numbers of frames, int64 of the same length; frames count from 1."""

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
        that run past them get a note and are left as they are: where to cut is the metric's business.
    name_frames : bool
        Whether messages may quote numbers of frames; never true for messages that participants see.
    """
    with Findings.collect() as findings:
        files = sorted(files)
        keys = [key for key, _, _ in files]
        reader = _ItemReader([name for _, name, _ in files], findings, rules)
        columns = reader.read([data for _, _, data in files])
        if item_frames is not None and rules.frames:
            n_frames = _frames_of(keys, item_frames)[reader.file_index]
            reader.check_frames(columns, n_frames, name_frames)
    return Read(CsvRows(keys, reader.file_index, columns), findings.notes)


def _frames_of(keys: Sequence[str], item_frames: ItemFrames) -> Ints:
    """Return the number of frames of each key's item."""
    position = {item: index for index, item in enumerate(item_frames.items)}
    return item_frames.n_frames[np.array([position[key] for key in keys], np.int64)]


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
        reader = _TableReader([name], findings, rules)
        reader.split(data)
        columns = {field.name: reader.values(field) for field in rules.fields}
        keys = columns[rules.key]
        assert isinstance(keys, list)  # noqa: S101 - the key is a string
        place = partial(reader.place, name=rules.key)
        with findings.part():
            if reference_keys is None:
                refuse_repeated(keys, name, place)
            else:
                order = findings.take(match_keys(keys, reference_keys, name, place, name_missing))
    if reference_keys is not None:
        keys = list(reference_keys)
        columns = {key: keys if key == rules.key else _ordered(columns[key], order) for key in columns}
    return Read(Table(keys, columns), findings.notes)


def _ordered(values: Values, order: Ints) -> Values:
    return values[order] if isinstance(values, np.ndarray) else [values[row] for row in order.tolist()]


class _Reader:
    """Files that are being read: their text, and the places of their rows, for problems."""

    def __init__(self, names: Sequence[str], findings: Findings, rules: CsvRules) -> None:
        self.names, self.findings, self.rules = names, findings, rules
        self.accepted: Counter[str] = Counter()
        self.columns = [field.name for field in rules.fields]
        self.file_index: Ints = np.zeros(0, np.int64)

    def decode(self, data: bytes, name: str) -> str:
        """Return the text of a file with line ends as newlines, "" after a problem."""
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (data[1:2] == b"\0" and data[3:4] == b"\0"):
            self.findings.add(
                "E-CSV-ENCODING", "the file is UTF-16", "save it as plain ASCII or UTF-8", file=name
            )
            return ""
        at, problem, remedy = data.find(b"\0"), "there is a NUL byte", "write plain text"
        if at < 0:
            if data.startswith(b"\xef\xbb\xbf"):
                self.accepted["a byte order mark was skipped"] += 1
                data = data[3:]
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                at, problem = error.start, f"byte {error.start} is not valid UTF-8"
                remedy = "save the file as plain ASCII or UTF-8"
        if at >= 0:
            line = data.count(b"\n", 0, at) + 1
            self.findings.add("E-CSV-ENCODING", problem, remedy, file=name, where=f"line {line} column 1")
            return ""
        if "\r" in text:
            kind = "Windows line ends" if "\r\n" in text else "line ends of old Macs (CR)"
            self.accepted[f"{kind} were accepted"] += 1
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text

    def note_accepted(self) -> None:
        for note, count in self.accepted.items():
            self.findings.note("N-CSV-READ", f"{note} in {counted(count, 'file')}")

    def line(self, row: int) -> int:
        """Return the line of a row in its file, from 1."""
        return row + 1 - int(np.searchsorted(self.file_index, self.file_index[row]))

    def place(self, row: int, name: str) -> str:
        """Return line and column of a field."""
        return f"line {self.line(row)} column {self.columns.index(name) + 1}"

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


class _ItemReader(_Reader):
    """Files of items that are being read."""

    def read(self, contents: Iterable[bytes]) -> dict[str, Ints]:
        """Return the checked columns by name; do not use them after a problem."""
        texts = self._texts(contents)
        n_rows = [text.count("\n") for text in texts]
        self.file_index = np.repeat(np.arange(len(texts)), n_rows)
        numbers = np.fromstring("".join(texts).replace("\n", ","), np.int64, sep=",")
        columns: dict[str, Ints] = dict(zip(self.columns, numbers.reshape(-1, len(self.columns)).T))
        for field in self.rules.fields:
            self._check_range(field, columns[field.name])
        if self.rules.order:
            self._check_order(columns)
        return columns

    def _texts(self, contents: Iterable[bytes]) -> list[str]:
        """Return the text of each file, a line for each row; "" after a problem."""
        line_pattern = ",".join([_INTEGER] * len(self.columns))
        if self.rules.further_columns:
            line_pattern += f"(?:,{_PLAIN})?"
        line = re.compile(line_pattern)
        whole = re.compile(f"(?:{line_pattern}\n)*(?:{line_pattern})?")
        texts = []
        for name, data in zip(self.names, contents):
            text = self.decode(data, name)
            if not whole.fullmatch(text):
                text = self._without_empty_end(text)
                if not whole.fullmatch(text):
                    self._explain(text, name, line)
                    text = ""
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

    def _explain(self, text: str, name: str, pattern: re.Pattern[str]) -> None:
        """Add a problem for each line that does not match."""
        bad = ((at, line) for at, line in enumerate(text.split("\n"), 1) if not pattern.fullmatch(line))
        for number, line in islice(bad, _EXPLAINED_LINES):
            code, column, problem, remedy, rule = self._line_problem(line, number)
            where = f"line {number} column {column}"
            self.findings.add(code, problem, remedy, file=name, where=where, rule=rule)
        if more := sum(1 for _ in bad):
            self.findings.count_unread(more, name)

    def _line_problem(self, line: str, number: int) -> tuple[str, int, str, str, str]:
        """Return the code of a problem, its column from 1, what is wrong, the remedy, and the rule."""
        names, fields = self.columns, line.split(",")
        write, n_more = f"write {','.join(names)}", len(fields) - len(names)
        if not line.strip(" \t"):
            return "E-CSV-EMPTY-LINE", 1, "the line is empty", "delete it", ""
        if number == 1 and all(map(_WORD.match, fields)):
            problem = f"'{quote(line)}' looks like a header"
            return "E-CSV-HEADER", 1, problem, "delete the line: the files have none", ""
        if len(fields) == 1 < len(names) == len(re.split(r"[;\t]", line)):
            return "E-CSV-SEPARATOR", 1, "the fields are not separated by commas", write, ""
        if n_more < 0 or (n_more > 0 and not self.rules.further_columns):
            problem = f"the row has {counted(len(fields), 'field')} instead of {len(names)}"
            return "E-CSV-COLUMNS", min(len(fields), len(names) + 1), problem, write, ""
        for column, (name, field) in enumerate(zip(names, fields), start=1):
            if not re.fullmatch(_INTEGER, field):
                problem, remedy, rule = _integer_problem(field.strip(" \t"))
                return "E-CSV-INTEGER", column, f"{name} {problem}", remedy, f"{name} {rule}"
        column = next(at for at, field in enumerate(fields, start=1) if not re.fullmatch(_PLAIN, field))
        problem = f"'{quote(fields[column - 1], 30)}' holds control characters"
        return "E-CSV-ENCODING", column, problem, "delete them", ""

    def _check_range(self, field: Field, values: Ints) -> None:
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
        correct = "correct or drop the line"
        if is_wrong.sum() >= _LEAST_ROWS and is_wrong.mean() > _MOST:
            correct = f"write the columns in the order {','.join(self.columns)}; otherwise {correct}"
        self.refuse("E-CSV-RANGE", (name, "from 1"), is_from_0, problem, f"count {what_to_count}")
        self.refuse("E-CSV-RANGE", (name, "range"), is_wrong & ~is_from_0, problem, correct)

    def _check_order(self, columns: Mapping[str, Ints]) -> None:
        left, right = self.rules.order
        low, high = columns[left], columns[right]
        is_wrong = high < low

        def problem(row: int) -> str:
            return f"{high[row]} is before {left} {low[row]}"

        remedy = "swap them or drop the line"
        if is_wrong.sum() >= _LEAST_ROWS and is_wrong.mean() > _MANY:
            remedy = f"{_LENGTHS}{remedy}"
        self.refuse("E-CSV-RANGE", (right, "order"), is_wrong, problem, remedy)

    def check_frames(self, columns: Mapping[str, Ints], n_frames: Ints, name_frames: bool) -> None:
        """Refuse rows that start after the last frame of their item; note those that end after it."""
        start_field, end_field = self.rules.frames
        start, end = columns[start_field], columns[end_field]

        def problem(row: int) -> str:
            last_frame = f" ({n_frames[row]})" if name_frames else ""
            return f"{start[row]} is after the last frame{last_frame}"

        remedy = "write numbers of frames from 1, no milliseconds; correct or drop the line"
        self.refuse("E-CSV-FRAME", (start_field, "frames"), start > n_frames, problem, remedy)
        n_long = int((end > n_frames).sum())
        if n_long:
            text = f"{counted(n_long, 'row')} cut at the last frame: the end frame is after it"
            self.findings.note("N-CSV-CUT", text)


def _integer_problem(field: str) -> tuple[str, str, str]:
    """Return what is wrong with a field that is no integer, the remedy, and the rule."""
    for pattern, problem, remedy, rule in _NOT_INTEGERS:
        if re.fullmatch(pattern, field):
            return f"{quote(field, 30)} {problem}".lstrip(), remedy.format(field.split(".")[0][:18]), rule
    return f"'{quote(field, 30)}' is not a whole number", "write digits only", "integer"


class _TableReader(_Reader):
    """A file with a header that is being read: its fields column by column, and the line of each row."""

    def split(self, data: bytes) -> None:
        """Split the file into rows. Raises Refused unless they have the columns of the rules."""
        (name,), names = self.names, self.columns
        self._text = self.decode(data, name)
        self.note_accepted()
        if sum(map(data.count, (b"\n", b"\r", b","))) > self.rules.values:
            problem = f"there are more values (commas and line ends) than {self.rules.values:,}"
            self.findings.add("E-CSV-COUNT", problem, "submit only what is asked for", file=name)
        self.findings.refuse_problems()
        reader = csv.reader(io.StringIO(self._text), strict=True)
        try:
            header, *self._rows = [row for row in reader if row] or [[]]
        except csv.Error as error:
            problem = f"the file cannot be split into fields: {error}"
            remedy = 'quote a field as "a ""quoted"" word"'
            where = f"line {reader.line_num}"
            self.findings.refuse("E-CSV-SYNTAX", problem, remedy, file=name, where=where)
        self.columns = [field.strip() for field in header]
        for code, rule, problem, remedy in _header_problems(self.columns, names):
            self.findings.add(code, problem, remedy, file=name, where="line 1 column 1", rule=rule)
        self.findings.refuse_problems()
        self._check_lengths()
        others = [quote(field, 30) or "(no name)" for field in self.columns if field not in names]
        if others:
            text = f"{quote(name)} has columns that are not needed and were ignored: {', '.join(others[:5])}"
            self.findings.note("N-CSV-COLUMNS", text + (" …" if len(others) > 5 else ""))

    def _check_lengths(self) -> None:
        n, lengths = len(self.columns), np.fromiter(map(len, self._rows), np.int64, len(self._rows))
        for row in self.findings.first_of(lengths != n):
            problem = f"the row has {counted(int(lengths[row]), 'field')} instead of {n}"
            where = f"line {self.line(row)} column {min(lengths[row], n) + 1}"
            remedy = "write as many as the header has; quote fields that hold commas"
            self.findings.add("E-CSV-COLUMNS", problem, remedy, file=self.names[0], where=where)
        self.findings.refuse_problems()
        self.file_index = np.zeros(len(lengths), np.int64)

    @cached_property
    def _lines(self) -> list[int]:
        reader = csv.reader(io.StringIO(self._text), strict=True)
        return [reader.line_num for row in reader if row]

    def line(self, row: int) -> int:
        """Return the line on which a row ends, from 1."""
        return self._lines[row + 1]

    def values(self, field: Field) -> Values:
        """Return the checked values of a column; do not use them after a problem."""
        values: Values
        name = field.name
        values = texts = list(map(str.strip, map(itemgetter(self.columns.index(name)), self._rows)))
        if field.enum:
            codes = dict(zip(field.enum, range(len(field.enum))))
            values = np.fromiter(map(codes.get, texts, repeat(-1)), np.int64, len(texts))
            code, constraint, problem, wrong = "E-CSV-LABEL", "enum", "'{}' is not a label", values < 0
            remedy = f"write one of {some_words(field.enum)}"
        elif field.type == "string":
            code, constraint, problem, remedy = "E-CSV-EMPTY", "required", "is empty", "fill it in"
            wrong = np.array([not text for text in texts], bool)
        elif (numbers := _numbers(texts, field.type)) is None:
            code, constraint, (_, problem, remedy) = "E-CSV-NUMBER", "type", _NUMBERS[field.type]
            wrong = np.array([_numbers([text], field.type) is None for text in texts], bool)
        else:
            code, constraint, remedy, values = "E-CSV-RANGE", "range", "correct it", numbers
            problem = f"'{{}}' is not in {field.minimum:g}..{field.maximum:g}"
            wrong = (numbers < field.minimum) | (numbers > field.maximum)
        rule = name, constraint
        self.refuse(code, rule, wrong, lambda row: problem.format(quote(texts[row], 40)), remedy)
        if field.unique:
            with self.findings.part():
                refuse_repeated(texts, self.names[0], partial(self.place, name=name), name)
        return values


def _header_problems(header: list[str], names: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield code, rule, what is wrong, and the remedy."""
    for mark, what in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and set(names) <= {name.strip() for name in header[0].split(mark)}:
            yield "E-CSV-SEPARATOR", "", f"the fields are separated by {what}", f"write {','.join(names)}"
            return
    if missing := [name for name in names if name not in header]:
        problem = f"the header has no {' and no '.join(missing)}: it is '{quote(','.join(header))}'"
        yield "E-CSV-HEADER", "missing", problem, f"begin the file with the line {','.join(names)}"
    for name in sorted(name for name in names if header.count(name) > 1):
        yield "E-CSV-HEADER", f"{name} repeated", f"there are several columns {name}", "keep one of them"


def _numbers(texts: list[str], type_name: str) -> Ints | Floats | None:
    """Return the numbers that texts hold, None if any holds none that is finite and fits into 64 bits."""
    if not _NUMBERS[type_name][0].issuperset("".join(texts)):
        return None
    try:
        if type_name == "integer":
            fit = max(map(len, texts), default=0) <= 18
            return np.fromiter(map(int, texts), np.int64, len(texts)) if fit else None
        values = np.fromiter(map(float, texts), np.float64, len(texts))
        return values if np.isfinite(values).all() else None
    except ValueError:
        return None
