"""Why a line of a CSV file without a header is no row, and why a field of any CSV file is no integer."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np

from validator.findings import Findings
from validator.formats.rules import CsvRules
from validator.texts import NUMPY_VALUE, counted, quote

# A line of a file: the name of this, the number of the line from 1, and the line.
Line = tuple[str, int, str]
# The start of a word: a letter, perhaps in quotes or behind the mark of a comment. Like all patterns in this
# module it takes linear time: what may repeat is followed by other characters.
_WORD = re.compile(r'[ \t]*(?:#[ \t]*)?"?[^\W\d_]')
_SEPARATORS = {";": "semicolons", "\t": "tabs", "\uff0c": "full-width commas"}
_DECIMAL_COMMA = re.compile("[0-9]+,[0-9]+")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_INTEGER = re.compile("[ \t]*([0-9]{1,18})[ \t]*")


class Reason(NamedTuple):
    """Why a field is no integer, and the remedy; reasons with the same rule are of one kind."""

    problem: str
    remedy: str
    rule: str


class _Reason(NamedTuple):
    pattern: str
    problem: str
    remedy: str
    rule: str


# Blanks around a field are taken off before.
_REASONS = (
    _Reason("", "is empty", "write a whole number", "empty"),
    _Reason("[+-]?[0-9]+", "has too many digits", "write a number of at most 18 digits", "digits"),
    _Reason(
        r"[0-9]+\.(?:0|00|0{4,})?",
        "is written as a decimal fraction",
        "write whole numbers without a point, in pandas with .astype(int)",
        "fraction",
    ),
    _Reason(
        r"[0-9]*\.[0-9]+|[0-9]+(?:\.[0-9]{3})+",
        "has a point",
        "write a whole number, without a point for thousands or decimals",
        "point",
    ),
    _Reason(
        r"[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+",
        "is written with an exponent",
        "write whole numbers, in numpy with np.savetxt(..., fmt='%d', delimiter=',')",
        "exponent",
    ),
    _Reason(
        "[\uff10-\uff19]+", "is in full-width digits", "write the digits 0 to 9 of ASCII", "full-width digits"
    ),
    _Reason(r"([\"'])[^\"']*\1", "is quoted", "write the number without quotes", "quoted"),
    _Reason(
        rf"{NUMPY_VALUE.pattern}(?:\([^()]*\))?",
        "is how numpy prints a value",
        "write the number alone: convert it with int(...) before, a fraction with round(float(...))",
        "numpy",
    ),
    _Reason(
        "(?i:nan|none|null|<na>)",
        "stands for a missing number",
        "write a whole number, or leave out the row",
        "missing",
    ),
    _Reason("[A-Za-z].*", "is a word", "write its number, in digits", "word"),
)
FORMS = {"fraction", "point", "exponent", "full-width digits", "quoted", "numpy"}
"""The rules of reasons that lie in how a program writes numbers, of whatever column."""
_SIGN = _Reason("[+-][0-9]{1,18}", "has a sign", "write a plain whole number", "sign")
_NO_INTEGER = _Reason("", "is not a whole number", "write digits only, at most 18", "integer")


def why_no_integer(field: str, has_sign: bool) -> Reason:
    """Return why a field is no integer; ``has_sign`` says whether it may have a sign."""
    reasons = _REASONS if has_sign else (_SIGN, *_REASONS)
    fitting = (reason for reason in reasons if re.fullmatch(reason.pattern, field, re.DOTALL))
    reason = next(fitting, _NO_INTEGER)
    named = f"'{quote(field, 30)}' " if field else ""
    return Reason(f"{named}{reason.problem}", reason.remedy, reason.rule)


def is_header(line: str) -> bool:
    """Return whether a line names columns: all fields begin like words, and numpy printed none."""
    fields = line.split(",")
    return all(_WORD.match(field) and not NUMPY_VALUE.match(field.lstrip(" \t")) for field in fields)


def is_separated_otherwise(line: str, n_columns: int) -> bool:
    """Return whether a line has the fields of a row if it is split at another mark than commas."""
    return bool(_separator(line, n_columns))


def _separator(line: str, n_columns: int) -> str:
    """Return what separates the fields of a line in place of commas, "" if nothing does."""
    if n_columns == 1:
        return ""
    for mark, words in _SEPARATORS.items():
        # Blanks and tabs may stand beside commas.
        if mark in line and line.count(mark) == n_columns - 1 and (mark != "\t" or "," not in line):
            return words
    is_blank = "," not in line and len(line.split()) == n_columns
    return "blanks" if is_blank and not _WORD.match(line) else ""


class _Certain(NamedTuple):
    """What is certain of the lines that are no rows, because it makes rows of all that have too many fields.

    ``has_comma_at_end``: each ends with a comma; ``has_row_numbers``: the first column counts the rows of
    each file from 0; ``surplus``: the only column without whole numbers, without which each is a row, or -1.
    """

    has_comma_at_end: bool
    has_row_numbers: bool
    surplus: int


_NOTHING_CERTAIN = _Certain(has_comma_at_end=False, has_row_numbers=False, surplus=-1)


def refuse_lines(
    lines: Sequence[Line], rules: CsvRules, findings: Findings, files_with_rows: Set[str]
) -> None:
    """Add what is wrong with the lines of a submission that are no rows, by file and kind.

    ``files_with_rows`` are the names of the files that have rows, too.
    """
    certain = _NOTHING_CERTAIN
    # Otherwise there are lines that are only counted.
    if findings.is_complete:
        certain = _what_is_certain(lines, rules, files_with_rows)
    first_of_kind: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        first_of_kind.setdefault(_kind(line, rules), []).append(line)
    for kind, lines_of_kind in first_of_kind.items():
        for index in findings.first_of(np.ones(len(lines_of_kind), bool)):
            name, number, text = lines_of_kind[index]
            code, column, problem, remedy = _words(kind, text, rules, certain)
            where = f"line {number} column {column}"
            findings.add(code, problem, remedy, file=name, where=where, rule=" ".join(kind[1:]))


def _kind(line: Line, rules: CsvRules) -> tuple[str, ...]:
    """Return the file of a line, and what it is instead of a row."""
    name, number, text = line
    if not text.strip(" \t"):
        return name, "empty"
    if number == 1 and is_header(text):
        return name, "header"
    separator = _separator(text, len(rules.fields))
    if separator:
        return name, "separator", separator
    has_too_many = text.count(",") >= len(rules.fields)
    return name, "fields", "too many" if has_too_many else "too few"


def _words(kind: tuple[str, ...], text: str, rules: CsvRules, certain: _Certain) -> tuple[str, int, str, str]:
    """Return code, column, problem and remedy of a line."""
    n_wanted = len(rules.fields)
    write_row = f"write {','.join(field.name for field in rules.fields)}"
    if kind[1] == "empty":
        return "E-CSV-EMPTY-LINE", 1, "the line is empty", "delete it"
    if kind[1] == "header":
        return (
            "E-CSV-HEADER",
            1,
            f"'{quote(text)}' looks like a header",
            "delete the line: the files have none",
        )
    if kind[1] == "separator":
        problem = f"the fields are separated by {kind[2]}, not by commas"
        if _DECIMAL_COMMA.search(text):
            return "E-CSV-SEPARATOR", 1, problem, f"{write_row}, in whole numbers without decimals"
        if kind[2] == "blanks" and re.search("[0-9]e[+-]", text):
            write_row = "write np.savetxt(..., fmt='%d', delimiter=',')"
        return "E-CSV-SEPARATOR", 1, problem, write_row
    n_fields = text.count(",") + 1
    problem = f"the row '{quote(text, 40)}' has {counted(n_fields, 'field')} instead of {n_wanted}"
    column = min(n_fields, n_wanted + 1)
    if kind[2] == "too many":
        if certain.has_comma_at_end:
            return (
                "E-CSV-COLUMNS",
                n_wanted + 1,
                "the row ends with a comma",
                "delete the comma at the end of each row",
            )
        if certain.has_row_numbers:
            problem = "the first column is an index: it counts the rows from 0"
            remedy = f"{write_row} alone, in pandas with to_csv(..., index=False, header=False)"
            return "E-CSV-COLUMNS", 1, problem, remedy
        if certain.surplus >= 0:
            which = _ORDINALS[certain.surplus] if certain.surplus < len(_ORDINALS) else "further"
            return "E-CSV-COLUMNS", certain.surplus + 1, problem, f"leave out the {which} column; {write_row}"
    return "E-CSV-COLUMNS", column, problem, write_row


def _what_is_certain(lines: Sequence[Line], rules: CsvRules, files_with_rows: Set[str]) -> _Certain:
    """Return what is certain of all lines with too many fields."""
    n_columns = len(rules.fields)
    rows = []
    for name, number, text in lines:
        is_named = number == 1 and (text.startswith(",") or is_header(text))
        if text.count(",") >= n_columns and not is_named and not is_separated_otherwise(text, n_columns):
            rows.append((name, text.split(",")))
    if not rows or any(len(fields) != n_columns + 1 for _, fields in rows):
        return _NOTHING_CERTAIN
    fitting = []
    for column in range(n_columns + 1):
        # A column of whole numbers may be one that another task has.
        is_other = not any(_INTEGER.fullmatch(fields[column]) for _, fields in rows)
        if is_other and all(_is_row([*fields[:column], *fields[column + 1 :]], rules) for _, fields in rows):
            fitting.append(column)
    return _Certain(
        has_comma_at_end=all(not fields[-1].strip(" \t") for _, fields in rows),
        has_row_numbers=files_with_rows.isdisjoint(name for name, _ in rows) and _count_from_0(rows),
        surplus=fitting[0] if len(fitting) == 1 else -1,
    )


def _is_row(fields: Sequence[str], rules: CsvRules) -> bool:
    """Return whether fields are a row: whole numbers within their ranges and in order."""
    value_of_name = {}
    for text, field in zip(fields, rules.fields):
        match = _INTEGER.fullmatch(text)
        if match is None or not max(field.minimum, 0) <= int(match[1]) <= field.maximum:
            return False
        value_of_name[field.name] = int(match[1])
    return not rules.order or value_of_name[rules.order[0]] <= value_of_name[rules.order[1]]


def _count_from_0(rows: Sequence[tuple[str, list[str]]]) -> bool:
    """Return whether the first fields of the rows of each file are 0, 1, 2 ..., as in the index of pandas."""
    n_rows_of_name: dict[str, int] = {}
    for name, fields in rows:
        number = n_rows_of_name.get(name, 0)
        if fields[0].strip(" \t") != str(number):
            return False
        n_rows_of_name[name] = number + 1
    return True
