"""Tables: a CSV file with a header and a row for each item, in any order of rows and columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
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

# So many bytes a table may take when it is split. What each comma and each line end is expected to take; of
# each byte of the file as many, and as many more as a character of its text.
_MOST_MEMORY, _MEMORY_OF_COMMA, _MEMORY_OF_LINE, _MEMORY_OF_BYTE = 1_280_000_000, 75, 375, 2
# The first bytes of characters from which on all characters of a text take 2 or 4 bytes each.
_WIDER, _WIDEST = 0xC4, 0xF0
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
        _refuse_large(data, name)
        text, remarks = decode_csv(data, name)
        note_accepted(remarks, findings)
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


def _refuse_large(data: bytes, name: str) -> None:
    """Raise Refused if a table takes too much memory, before it is decoded."""
    if expected_memory(data) > _MOST_MEMORY:
        values = f"{counted(_n_lines(data), 'line end')} and {counted(data.count(b','), 'comma')}"
        problem = f"{values} in {len(data):,} bytes are more than a whole submission has"
        Findings().refuse("E-CSV-COUNT", problem, "submit only what is asked for", file=name)


def expected_memory(data: bytes) -> int:
    """Return how many bytes a table may take while it is read, the file among them."""
    largest_byte = int(np.frombuffer(data, np.uint8).max(initial=0))
    width = 4 if largest_byte >= _WIDEST else 2 if largest_byte >= _WIDER else 1
    memory = (_MEMORY_OF_BYTE + width) * len(data)
    return memory + _MEMORY_OF_LINE * _n_lines(data) + _MEMORY_OF_COMMA * data.count(b",")


def _n_lines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; a stream of it would take four bytes for each character."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _split(text: str, name: str) -> tuple[list[list[str]], list[int]]:
    """Return the fields of all lines that are not empty, and the numbers of these lines. Raises Refused."""
    records, lines = [], []
    reader = csv.reader(_lines(text), strict=True)
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
    wanted_header = ",".join(wanted_columns)
    with Findings.collect() as findings:
        refuse = partial(findings.add, file=name, where="line 1 column 1")
        missing_columns = [column for column in wanted_columns if column not in header]
        separator = other_separator(header, wanted_columns)
        if separator:
            remedy = f"write {wanted_header}"
            if kind is not Kind.LABEL:
                remedy += ", and numbers with a point for decimals"
            refuse("E-CSV-SEPARATOR", f"the fields are separated by {separator}", remedy)
        elif missing_columns:
            problem = f"the header has no {' and no '.join(missing_columns)}: "
            problem += f"it is '{quote(','.join(header))}'{printed_words(header)}"
            refuse("E-CSV-HEADER", problem, f"the first line must be {wanted_header}")
        for column in wanted_columns:
            if header.count(column) > 1:
                problem = f"there are several columns {column}"
                refuse("E-CSV-HEADER", problem, "keep one of them", rule=column)


def _note_other_columns(header: list[str], wanted_columns: list[str], name: str, findings: Findings) -> None:
    other_columns = [quote(column, 30) or "(no name)" for column in header if column not in wanted_columns]
    if other_columns:
        columns_text = some_words(other_columns, most=_NAMED_COLUMNS)
        text = f"{quote(name)} has columns that are not needed and were ignored: {columns_text}"
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
