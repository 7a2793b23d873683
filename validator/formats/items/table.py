"""Tables: a CSV file with a header and a row for each item, in any order of rows and columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.collector import collector_off
from validator.csv_text import BLANKS, decode_csv, note_accepted, other_separator, printed_words
from validator.findings import Findings, Read
from validator.formats.items.arrays import Values
from validator.formats.values import Form, Kind
from validator.keys import add_repeated, match_keys
from validator.texts import counted, quote, some_words

# A table has at most as many commas and line ends together.
_MOST_VALUES = 20_000_000
# A note names this many columns that are not needed.
_NAMED_COLUMNS = 5
# Python reads further spellings, which other programs do not.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class _Rows(NamedTuple):
    """The rows of a table with as many fields as the header, and their lines in the file."""

    name: str
    columns: list[str]
    rows: list[list[str]]
    lines: list[int]

    def texts(self, column: str) -> list[str]:
        """Return the fields of a column without outer blanks."""
        index = self.columns.index(column)
        return [row[index].strip(BLANKS) for row in self.rows]

    def place(self, row: int, column: str) -> str:
        """Return line and column of a field."""
        return f"line {self.lines[row]} column {self.columns.index(column) + 1}"

    def refuse(
        self,
        code: str,
        column: str,
        is_wrong: Bools,
        problem: Callable[[int], str],
        remedy: str,
        findings: Findings,
    ) -> None:
        """Add what is wrong with fields of a column."""
        for row in findings.first_of(is_wrong):
            findings.add(
                code,
                f"{column} {problem(row)}",
                remedy,
                file=self.name,
                where=self.place(row, column),
                rule=column,
            )


def read_table(
    data: bytes, name: str, form: Form, reference_keys: Sequence[str] | None = None
) -> Read[Values]:
    """Read and check a table. Raises Refused.

    The items are in the order of ``reference_keys``; at home, where these are not known, in that of the file.
    """
    wanted_columns = [form.key, *form.columns]
    with Findings.collect() as findings, collector_off():
        text, accepted = decode_csv(data, name)
        note_accepted(accepted, findings)
        if text.count("\n") + text.count(",") > _MOST_VALUES:
            problem = f"there are more values (commas and line ends) than {_MOST_VALUES:,}"
            findings.refuse("E-CSV-COUNT", problem, "submit only what is asked for", file=name)
        records, lines = _split(text, name)
        header = [field.strip() for field in records[0]] if records else []
        _check_header(header, wanted_columns, name, form.kind)
        _note_other_columns(header, wanted_columns, name, findings)
        rows = _with_right_lengths(_Rows(name, header, records[1:], lines[1:]), findings)
        keys = rows.texts(form.key)
        is_empty = np.array([not key for key in keys], bool)
        rows.refuse("E-CSV-EMPTY", form.key, is_empty, lambda row: "is empty", "fill it in", findings)
        read_column = _read_labels if form.kind is Kind.LABEL else _read_numbers
        columns = [read_column(rows, column, form, findings) for column in form.columns]
        place = partial(rows.place, column=form.key)
        # Keys that seem to be missing may be in rows that were left out.
        if reference_keys is None or len(rows.lines) < len(lines) - 1:
            add_repeated(keys, name, place, findings)
        else:
            with findings.part():
                order = findings.take(match_keys(keys, reference_keys, name, place))
    values = np.column_stack(columns) if form.kind is Kind.COLUMNS else columns[0]
    if reference_keys is not None:
        keys, values = list(reference_keys), values[order]
    return Read(Values(keys, values, form.names), findings.notes)


def _split(text: str, name: str) -> tuple[list[list[str]], list[int]]:
    """Return the fields of all lines that are not empty, and the numbers of these lines. Raises Refused."""
    records, lines = [], []
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for record in reader:
            if record:
                records.append(record)
                lines.append(reader.line_num)
    except csv.Error as error:
        problem = f"the file cannot be split into fields: {error}"
        remedy = 'quote a field as "a ""quoted"" word"'
        Findings().refuse("E-CSV-SYNTAX", problem, remedy, file=name, where=f"line {reader.line_num}")
    return records, lines


def _check_header(header: list[str], wanted_columns: list[str], name: str, kind: Kind) -> None:
    wanted = ",".join(wanted_columns)
    with Findings.collect() as findings:
        refuse = partial(findings.add, file=name, where="line 1 column 1")
        missing_columns = [column for column in wanted_columns if column not in header]
        separator = other_separator(header, wanted_columns)
        if separator:
            remedy = f"write {wanted}"
            if kind is not Kind.LABEL:
                remedy += ", and numbers with a point for decimals"
            refuse("E-CSV-SEPARATOR", f"the fields are separated by {separator}", remedy)
        elif missing_columns:
            problem = f"the header has no {' and no '.join(missing_columns)}: "
            problem += f"it is '{quote(','.join(header))}'{printed_words(header)}"
            refuse("E-CSV-HEADER", problem, f"the first line must be {wanted}")
        for column in wanted_columns:
            if header.count(column) > 1:
                problem = f"there are several columns {column}"
                refuse("E-CSV-HEADER", problem, "keep one of them", rule=column)


def _note_other_columns(header: list[str], wanted_columns: list[str], name: str, findings: Findings) -> None:
    other_columns = [quote(column, 30) or "(no name)" for column in header if column not in wanted_columns]
    if other_columns:
        listed = some_words(other_columns, most=_NAMED_COLUMNS)
        text = f"{quote(name)} has columns that are not needed and were ignored: {listed}"
        findings.note("N-CSV-COLUMNS", text)


def _with_right_lengths(rows: _Rows, findings: Findings) -> _Rows:
    """Return the rows that have as many fields as the header, one of which is not empty; add a problem for
    each of the others."""
    n_columns = len(rows.columns)
    is_empty = np.array([not any(field.strip(BLANKS) for field in row) for row in rows.rows], bool)
    for row in findings.first_of(is_empty):
        where = f"line {rows.lines[row]} column 1"
        findings.add("E-CSV-EMPTY", "the row is empty", "delete it", file=rows.name, where=where, rule="row")
    is_wrong = np.array([len(row) != n_columns for row in rows.rows], bool) & ~is_empty
    remedy = "write as many as the header has, and quote fields that hold commas"
    if all(len(row) == n_columns + 1 and not row[-1].strip(BLANKS) for row in rows.rows):
        remedy = "delete the comma at the end of each row"
    for row in findings.first_of(is_wrong):
        n_fields = len(rows.rows[row])
        text = quote(",".join(rows.rows[row]), 40)
        problem = f"the row '{text}' has {counted(n_fields, 'field')} instead of {n_columns}"
        where = f"line {rows.lines[row]} column {min(n_fields, n_columns) + 1}"
        findings.add("E-CSV-COLUMNS", problem, remedy, file=rows.name, where=where)
    right_rows = np.flatnonzero(~is_wrong & ~is_empty).tolist()
    return rows._replace(
        rows=[rows.rows[row] for row in right_rows], lines=[rows.lines[row] for row in right_rows]
    )


def _read_labels(rows: _Rows, column: str, form: Form, findings: Findings) -> Ints:
    """Return the positions of labels in those of the form, and add what is none of them."""
    texts = rows.texts(column)
    number_of_label = {label: number for number, label in enumerate(form.names)}
    numbers = np.array([number_of_label.get(text, -1) for text in texts], np.int64)
    if (numbers < 0).any():
        from validator.names import NearestNames

        nearest_label = NearestNames(form.names)

        def problem(row: int) -> str:
            words = printed_words([texts[row]]) or nearest_label.words(texts[row])
            return f"'{quote(texts[row], 40)}' is not a label{words}"

        remedy = f"write one of {some_words(form.names)}"
        rows.refuse("E-CSV-LABEL", column, numbers < 0, problem, remedy, findings)
    return numbers


def _read_numbers(rows: _Rows, column: str, form: Form, findings: Findings) -> Floats:
    """Return the numbers of a column, and add what is none or out of range."""
    texts = rows.texts(column)
    numbers = np.array([float(text) if _NUMBER.fullmatch(text) else np.nan for text in texts], np.float64)
    is_number = np.isfinite(numbers)
    low, high = form.range

    def no_number(row: int) -> str:
        return f"'{quote(texts[row], 40)}' is not a finite number{printed_words([texts[row]])}"

    def out_of_range(row: int) -> str:
        return f"'{quote(texts[row], 40)}' is not in {low:g}..{high:g}"

    rows.refuse("E-CSV-NUMBER", column, ~is_number, no_number, "write it like 0.5 or 5e-1", findings)
    is_wrong = is_number & ((numbers < low) | (numbers > high))
    rows.refuse("E-CSV-RANGE", column, is_wrong, out_of_range, "correct it", findings)
    return numbers
