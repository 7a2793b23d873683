"""Why a line of a CSV file without a header is no row."""

from __future__ import annotations

import re
from typing import NamedTuple

from validator.choose import task_with_columns
from validator.csv_reader import INTEGER, MOST_BLANKS, PLAIN
from validator.formats.rules import CsvRules
from validator.texts import NUMPY_VALUE, counted, quote

# The start of a word: a letter, perhaps in quotes. Like all patterns in this module it takes linear time:
# what may repeat is followed by other characters.
_WORD = re.compile(r'[ \t]*"?[^\0-@\[-^`{-\x7f]')


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
    _NotInteger(
        rf"{NUMPY_VALUE.pattern}(?:\([^()]*\))?",
        "is how numpy prints a value",
        "write the number alone: convert it with int(...) before, a fraction with round(float(...))",
        "numpy",
    ),
)
# A fraction, or hours, minutes and seconds.
_TIME = r"[0-9]*\.[0-9]+|[0-9]+(?::[0-9]+)+(?:\.[0-9]+)?"
# What Python, numpy and pandas write where there is no number.
_MISSING_NUMBER = "(?i:nan|none|null|<na>)"


class LineProblem(NamedTuple):
    """What is wrong with a line of a file without a header; ``column`` counts from 1."""

    code: str
    column: int
    problem: str
    remedy: str
    rule: str = ""


def has_row_numbers(text: str, n_columns: int) -> bool:
    """Return whether each row of a file has one field more than the columns, first its number from 0.

    pandas writes its index so, and a header that begins with an empty field.
    """
    lines = text.rstrip(" \t\n").split("\n")
    if lines[0].startswith(","):
        lines = lines[1:]
    for row, line in enumerate(lines):
        if line.count(",") != n_columns or line.partition(",")[0] != str(row):
            return False
    return bool(lines)


def line_problem(
    line: str, number: int, name: str, rules: CsvRules, is_numbered: bool = False
) -> LineProblem:
    """Return the first thing that is wrong with a line that is no row.

    Parameters
    ----------
    line : str
        The line, without its end.
    number : int
        Its number in the file, from 1.
    name : str
        The name of the file.
    rules : CsvRules
        What the rows of the file must look like.
    is_numbered : bool
        Whether the file has row numbers, as `has_row_numbers` says.
    """
    return _shape_problem(line, number, name, rules, is_numbered) or _field_problem(line, rules)


def _columns(rules: CsvRules) -> list[str]:
    return [field.name for field in rules.fields]


def _shape_problem(
    line: str, number: int, name: str, rules: CsvRules, is_numbered: bool
) -> LineProblem | None:
    """Return why a line of a file is no row of the right number of fields, None if it is one."""
    columns = _columns(rules)
    n_wanted, fields = len(columns), line.split(",")
    write_row = f"write {','.join(columns)}"
    if not line.strip(" \t"):
        return LineProblem("E-CSV-EMPTY-LINE", column=1, problem="the line is empty", remedy="delete it")
    if number == 1 and all(map(_is_word, fields)):
        return LineProblem(
            "E-CSV-HEADER",
            column=1,
            problem=f"'{quote(line)}' looks like a header",
            remedy="delete the line: the files have none",
        )
    if len(fields) == 1 and n_wanted > 1 and len(re.split("[;\t]| +", line.strip(" "))) == n_wanted:
        return LineProblem(
            "E-CSV-SEPARATOR",
            column=1,
            problem="the fields are not separated by commas",
            remedy=write_row,
        )
    has_too_many = len(fields) > n_wanted and not rules.further_columns
    if has_too_many and is_numbered:
        return LineProblem(
            "E-CSV-COLUMNS",
            column=1,
            problem="the first column is an index: it counts the rows from 0",
            remedy=f"{write_row} alone, in pandas with to_csv(..., index=False, header=False)",
            rule="index",
        )
    if len(fields) < n_wanted or has_too_many:
        other_task = task_with_columns(name, len(fields))
        choose = f", or choose the task {other_task.id}, whose rows have {len(fields)}" if other_task else ""
        return LineProblem(
            "E-CSV-COLUMNS",
            column=min(len(fields), n_wanted + 1),
            problem=f"the row has {counted(len(fields), 'field')} instead of {n_wanted}",
            remedy=f"{write_row}{choose}",
        )
    return None


def _is_word(field: str) -> bool:
    """Return whether a field begins like a word, and is no value that numpy printed."""
    return bool(_WORD.match(field)) and not NUMPY_VALUE.match(field.lstrip(" \t"))


def _field_problem(line: str, rules: CsvRules) -> LineProblem:
    """Return the first field of a row that is no integer, or otherwise holds control characters."""
    fields = line.split(",")
    for column, (name, field) in enumerate(zip(_columns(rules), fields), start=1):
        if not re.fullmatch(INTEGER, field):
            problem, remedy, rule = _explain_field(field.strip(" \t"))
            if name in rules.frames and re.fullmatch(_TIME, field.strip(" \t")):
                # A cast alone would make whole seconds of times in seconds.
                remedy += "; multiply times in seconds by the frame rate before, and round"
            return LineProblem(
                "E-CSV-INTEGER",
                column=column,
                problem=f"{name} {problem}",
                remedy=remedy,
                rule=f"{name} {rule}",
            )
    index = next(index for index, field in enumerate(fields) if not re.fullmatch(PLAIN, field))
    return LineProblem(
        "E-CSV-ENCODING",
        column=index + 1,
        problem=f"'{quote(fields[index], 30)}' holds control characters",
        remedy="delete them",
    )


def _explain_field(field: str) -> tuple[str, str, str]:
    """Return what is wrong with a field that is no integer, the remedy, and the rule."""
    if re.fullmatch(INTEGER, field):
        problem = f"{field} has more than {MOST_BLANKS:,} blanks before or after it"
        return problem, "delete them", "blanks"
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
