"""CSV files with a header: a key column, and columns of text, labels, whole numbers and decimals.

Columns are found by their names, in any order. The csv module reads a whole file; each column is then checked
at once, and only a column with a problem is checked field by field.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Union

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.csv_files import decode
from validator.findings import Findings, Note, Read, Refused, counted, quote
from validator.hints import EMPTY, label_hints
from validator.keys import match_keys, refuse_repeated
from validator.limits import collector_off

# Python accepts more spellings of numbers than other programs do; those of these characters are common.
_CHARACTERS = {"integer": frozenset("+-0123456789"), "decimal": frozenset("+-0123456789.eE")}
_NUMBERS = {
    "integer": ("is not a whole number", "write digits only, at most 18"),
    "decimal": ("is not a finite number", "write it like 0.5 or 5e-1"),
}
_MOST_DIGITS = 18

if TYPE_CHECKING:
    from _csv import Reader

Values = Union["list[str]", Ints, Floats]


@dataclass(frozen=True)
class TableColumn:
    """A column of a CSV file with a header.

    ``type`` is ``text``, ``integer`` or ``decimal``, the numbers with a range (both ends allowed). A column
    with ``labels`` holds one of these in each row.
    """

    name: str
    type: str = "text"
    labels: tuple[str, ...] = ()
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class TableRules:
    """Rules of one CSV file with a header: the name of its first column is that of the key.

    Commas and line ends together may be as many as ``values``.
    """

    file: str
    columns: tuple[TableColumn, ...]
    values: int = 20_000_000

    @property
    def key(self) -> str:
        """The name of the key column."""
        return self.columns[0].name


@dataclass(frozen=True)
class Table:
    """The rows of a file, in the order of the keys that were asked for, otherwise in that of the file.

    ``columns`` holds the columns of the rules by name: text as a list of str, labels as int64 numbers in the
    order of the rules, whole numbers as int64, decimals as float64; all as long as ``keys``.
    """

    keys: list[str]
    columns: Mapping[str, Values]


def read_table(
    data: bytes,
    name: str,
    rules: TableRules,
    reference_keys: Sequence[str] | None = None,
    name_missing: bool = False,
) -> Read[Table]:
    """Read and check a CSV file with a header. Raises Refused, with lines and columns.

    Parameters
    ----------
    data, name : bytes, str
        The file and its name.
    rules : TableRules
        What it must look like.
    reference_keys, name_missing
        The keys that are asked for, as for `validator.keys.match_keys`; None at home, where they are not
        known.
    """
    accepted: Counter[str] = Counter()
    with Findings.collect() as findings, collector_off():
        text = decode(data, name, accepted, findings)
        for note in accepted:
            findings.note("N-CSV-READ", f"{note} in 1 file")
        if data.count(b"\n") + data.count(b"\r") + data.count(b",") > rules.values:
            problem = f"there are more values (commas and line ends) than {rules.values:,}"
            findings.add("E-CSV-COUNT", problem, "submit only what is asked for", file=name)
        findings.refuse_problems()
        file = _File(text, name, findings)
        places = file.places(rules)
        columns = {column.name: file.values(column, at) for column, at in zip(rules.columns, places)}
        keys = columns[rules.key]
        assert isinstance(keys, list)  # noqa: S101 - the key column is text
        file.at = places[0]
        with findings.part():
            if reference_keys is None:
                refuse_repeated(keys, name, file.place)
            else:
                order = match_keys(keys, reference_keys, name, file.place, name_missing)
    if reference_keys is None:
        return Read(Table(keys, columns), findings.notes)
    ordered = {column: _ordered(values, order) for column, values in columns.items() if column != rules.key}
    return Read(Table(list(reference_keys), {rules.key: list(reference_keys), **ordered}), findings.notes)


def _ordered(values: Values, order: Ints) -> Values:
    return values[order] if isinstance(values, np.ndarray) else [values[row] for row in order.tolist()]


def table_facts(tables: Mapping[str, Table]) -> list[Note]:
    """Return notes on tables by file that have no row, or one value in all rows."""
    notes = [] if any(table.keys for table in tables.values()) else [EMPTY]
    for table in tables.values():
        for name, values in table.columns.items():
            if isinstance(values, np.ndarray) and label_hints(values, name):
                text = f"all {counted(len(values), 'row')} have the same {name}. Is it the right column?"
                notes.append(Note("N-LOOKS-CONSTANT", text))
    return notes


class _File:
    """A file that is being read: its fields column by column, and the line of each row for messages."""

    def __init__(self, text: str, name: str, findings: Findings) -> None:
        self._text, self._name, self._findings = text, name, findings
        self._lines: list[int] = []
        self._rows: list[list[str]] = []
        self.at = 0
        """The column, from 0, that places point to."""

    def places(self, rules: TableRules) -> list[int]:
        """Split the file into columns; return where those of the rules are. Raises Refused."""
        reader = self._reader()
        try:
            rows = [row for row in reader if row]
        except csv.Error as error:
            problem = f"the file cannot be split into fields: {error}"
            self._add(
                "E-CSV-SYNTAX", problem, 'quote a field as "a ""quoted"" word"', f"line {reader.line_num}"
            )
            raise Refused(self._findings) from None
        names = [column.name for column in rules.columns]
        header = [field.strip() for field in rows[0]] if rows else []
        self._check_header(header, names)
        self._findings.refuse_problems()
        self._check_lengths(rows)
        self._findings.refuse_problems()
        others = [quote(field, 30) or "(no name)" for field in header if field not in names]
        if others:
            text = (
                f"{quote(self._name)} has columns that are not needed and were ignored: "
                f"{', '.join(others[:5])}"
            )
            self._findings.note("N-CSV-COLUMNS", text + (" …" if len(others) > 5 else ""))
        self._rows = rows[1:]
        return [header.index(name) for name in names]

    def place(self, row: int) -> str:
        """Return line and column of a row, for messages."""
        if not self._lines:
            reader = self._reader()
            self._lines = [reader.line_num for fields in reader if fields]
        return f"line {self._lines[row + 1]} column {self.at + 1}"

    def values(self, column: TableColumn, at: int) -> Values:
        """Return the checked values of a column; do not use them after a problem."""
        self.at = at
        fields = list(map(str.strip, map(itemgetter(at), self._rows)))
        if column.labels:
            number = {label: index for index, label in enumerate(column.labels)}
            codes = np.fromiter(map(number.get, fields, repeat(-1)), np.int64, len(fields))
            some = ", ".join(column.labels[:5]) + (", …" if len(column.labels) > 5 else "")
            said = "is not a label", f"write one of {some}"
            self._refuse("E-CSV-LABEL", column, fields, codes < 0, said)
            return codes
        if column.type == "text":
            empty = np.array([not field for field in fields], bool)
            self._refuse("E-CSV-EMPTY", column, fields, empty, ("is empty", "fill it in"))
            return fields
        numbers = _numbers(fields, column.type)
        if numbers is None:
            bad = np.array([_numbers([field], column.type) is None for field in fields], bool)
            self._refuse("E-CSV-NUMBER", column, fields, bad, _NUMBERS[column.type])
            return np.zeros(0)
        low, high = (
            (-np.inf if column.min is None else column.min),
            (np.inf if column.max is None else column.max),
        )
        said = f"is not in {low:g}..{high:g}", "correct it"
        self._refuse("E-CSV-RANGE", column, fields, (numbers < low) | (numbers > high), said)
        return numbers

    def _reader(self) -> Reader:
        return csv.reader(io.StringIO(self._text, newline=""), strict=True)

    def _add(self, code: str, problem: str, hint: str, where: str, rule: str = "") -> None:
        self._findings.add(code, problem, hint, file=self._name, where=where, rule=rule)

    def _check_header(self, header: list[str], names: list[str]) -> None:
        missing = [name for name in names if name not in header]
        double = sorted({name for name in names if header.count(name) > 1})
        for mark, what in ((";", "semicolons"), ("\t", "tabs")):
            if len(header) == 1 and set(names) <= {name.strip() for name in header[0].split(mark)}:
                problem = f"the fields are separated by {what}"
                self._add("E-CSV-SEPARATOR", problem, f"write {','.join(names)}", "line 1 column 1")
                return
        if missing:
            problem = f"the header has no {' and no '.join(missing)}: it is '{quote(','.join(header))}'"
            self._add(
                "E-CSV-HEADER", problem, f"begin the file with the line {','.join(names)}", "line 1 column 1"
            )
        for name in double:
            self._add(
                "E-CSV-HEADER", f"there are several columns {name}", "keep one of them", "line 1 column 1"
            )

    def _check_lengths(self, rows: list[list[str]]) -> None:
        n_columns = len(rows[0])
        lengths = np.fromiter(map(len, rows[1:]), np.int64, len(rows) - 1)
        wrong = lengths != n_columns
        for row in self._findings.first_of(wrong):
            self.at = min(int(lengths[row]), n_columns)
            problem = f"the row has {counted(int(lengths[row]), 'field')} instead of {n_columns}"
            hint = "write as many as the header has; quote fields that hold commas"
            self._add("E-CSV-COLUMNS", problem, hint, self.place(row))

    def _refuse(
        self, code: str, column: TableColumn, fields: list[str], wrong: Bools, said: tuple[str, str]
    ) -> None:
        """Add the fields that are wrong; ``said`` is what is wrong with each, and how to fix it."""
        for row in self._findings.first_of(wrong):
            shown = "" if code == "E-CSV-EMPTY" else f" '{quote(fields[row], 40)}'"
            self._add(code, f"{column.name}{shown} {said[0]}", said[1], self.place(row), column.name)


def _numbers(fields: list[str], type_name: str) -> Ints | Floats | None:
    """Return the numbers that fields hold, None if any holds none that is finite and fits into 64 bits."""
    if not _CHARACTERS[type_name].issuperset("".join(fields)):
        return None
    if type_name == "integer" and max(map(len, fields), default=0) > _MOST_DIGITS:
        return None
    try:
        if type_name == "integer":
            return np.array(list(map(int, fields)), np.int64)
        values = np.array(list(map(float, fields)), np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
