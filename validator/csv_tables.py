"""Tables: CSV files with a header and a key.

The csv module splits them, and columns are found by their names. Whole columns are then checked at once; only
one with a problem is checked field by field.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple, Union

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.csv_reader import CsvReader
from validator.findings import Findings, Read
from validator.formats.rules import CsvRules, Field
from validator.items import match_keys, refuse_repeated
from validator.limits import collector_off
from validator.nearest_names import NearestNames
from validator.texts import counted, numpy_words, quote, some_words

# A note names this many columns that are not needed.
_NAMED_COLUMNS = 5
Values = Union["list[str]", Ints, Floats]


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


class Table(NamedTuple):
    """The rows of a file with a header, in the order of the reference's keys, otherwise in that of the file.

    ``columns`` holds the fields of the rules by name, as long as ``keys``: strings as a list, labels as int64
    positions in ``enum``, integers as int64, and numbers as float64.
    """

    keys: list[str]
    columns: Mapping[str, Values]


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


class _TableReader(CsvReader):
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
        mark = other_separator(self.columns, wanted_columns)
        if mark:
            problem = f"the fields are separated by {mark}"
            self._refuse_header("E-CSV-SEPARATOR", "", problem, f"write {','.join(wanted_columns)}")
            return
        missing_columns = [name for name in wanted_columns if name not in self.columns]
        if missing_columns:
            header = quote(",".join(self.columns))
            problem = f"the header has no {' and no '.join(missing_columns)}: it is '{header}'"
            problem += numpy_words(self.columns)
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

        def problem_text(row: int) -> str:
            problem = wrong.problem.format(quote(texts[row], 40))
            return problem + (numpy_words([texts[row]]) or nearest_label.words(texts[row]))

        self.refuse(wrong.code, (field.name, wrong.constraint), wrong.is_wrong, problem_text, wrong.remedy)


def other_separator(header: Sequence[str], wanted_columns: Sequence[str]) -> str:
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
