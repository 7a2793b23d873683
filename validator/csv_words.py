"""Why a line of a CSV file of whole numbers is no row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from functools import partial
from itertools import chain

from validator.csv_text import BLANKS, SEPARATORS, Line, numbered_header, row_pattern
from validator.findings import Findings, Problem
from validator.formats.rules import CsvRules
from validator.texts import counted, printed_value, quote

# The start of a word: a letter, perhaps in quotes or behind the mark of a comment. Like all patterns in this
# module it takes linear time: what may repeat is followed by other characters.
_WORD = re.compile(r'[ \t]*(?:[#%][ \t]*)?"?[^\W\d_]')
_DIGIT = re.compile("[0-9]")
_SEPARATOR = re.compile(f"[{''.join(SEPARATORS)}]")
_FRACTION = re.compile(r"\.0*[1-9]")
_NO_FRACTION = "write whole numbers without a point, in pandas with .astype(int)"
_NO_POINT = "write a whole number, without a point for thousands or decimals"
# The numbers of so many rows are none of actors.
_LEAST_COUNTED = 3
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
# What a field that fits a pattern is instead of a whole number, and the remedy.
_REASONS = (
    ("[+][0-9]{1,18}", "has a sign", "write a plain whole number"),
    ("-[0-9]{1,18}", "is negative", "write a whole number that is not"),
    ("", "is empty", "write a whole number"),
    ("[+-]?[0-9]+", "has too many digits", "write a number of at most 18 digits"),
    (r"[0-9]+\.(?:0|00|0{4,})?", "is written as a decimal fraction", _NO_FRACTION),
    (r"[0-9]*\.[0-9]+|[0-9]+(?:\.[0-9]{3})+", "has a point", _NO_POINT),
    (
        r"[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+",
        "is written with an exponent",
        "write whole numbers, in numpy with np.savetxt(..., fmt='%d', delimiter=',')",
    ),
    (r"\d+", "has other digits than those of ASCII", "write the digits 0 to 9"),
    (r"\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?", "is a time", "write the number of the frame"),
    ("[\"'][A-Za-z].*", "is a word", "write its number, in digits"),
    (r"([\"'])[^\"']*\1", "is quoted", "write the number without quotes"),
    (
        "(?i:nan|none|null|<na>|na|n/a|#n/a|nat)",
        "stands for a missing number",
        "write a whole number, or leave out the row",
    ),
    ("(?i:inf|infinity)", "is not finite", "write a whole number"),
    ("[A-Za-z].*", "is a word", "write its number, in digits"),
    (r"[\[({].*|.*[\])}]", "has a bracket", "write rows without brackets"),
    (".*[\"'].*", "has a quotation mark", "write the number without quotes"),
    (".*", "is not a whole number", "write digits only, at most 18"),
)


def refuse_lines(
    lines: Sequence[Line], rules: CsvRules, findings: Findings, files_with_rows: Set[str]
) -> None:
    """Add what is wrong with the lines of a submission that are no rows.

    ``files_with_rows`` are the names of the files that have rows, too.
    """
    surplus_column = None
    # Otherwise there are lines that are only counted.
    if findings.is_complete:
        surplus_column = _surplus_column(lines, rules, files_with_rows)
    has_fractions = any(_FRACTION.search(line) for _, _, line in lines)
    for name, number, line in lines:
        for problem in _problems(line, number, rules, surplus_column):
            if has_fractions and problem.remedy == _NO_FRACTION:
                # Some seconds are whole.
                problem = problem._replace(remedy=_NO_POINT)
            # Those with the same remedy are of one kind.
            where = f"line {number} {problem.where}"
            findings.repeat(problem, file=name, where=where, rule=problem.remedy)


def _problems(
    line: str, number: int, rules: CsvRules, surplus_column: tuple[int, str] | None
) -> Iterator[Problem]:
    """Yield what is wrong with a line, or with its fields, each with the column."""
    if not line.strip(BLANKS):
        yield Problem("E-CSV-EMPTY-LINE", "the line is empty", "delete it", where="column 1")
    elif number == 1 and (_is_header(line, rules) or line == numbered_header(len(rules.fields))):
        problem = f"'{quote(line)}' looks like a header"
        remedy = "delete the line: the files have none"
        yield Problem("E-CSV-HEADER", problem, remedy, where="column 1")
    elif _ends_needlessly(line, rules):
        yield _ending_problem(line, rules)
        yield from _field_problems(_without_ending(line), rules)
    elif separators := _separators(line, rules):
        yield _separator_problem(line, separators, rules)
    elif line.count(",") == len(rules.fields) - 1:
        yield from _field_problems(line, rules)
    else:
        yield _columns_problem(line, rules, surplus_column)


def _is_header(line: str, rules: CsvRules) -> bool:
    """Return whether a line names columns: all fields begin like words that no library printed.

    That of the numbers of rows may have no name.
    """
    fields = _without_ending(line).split(",")
    if len(fields) == 1 < len(rules.fields) and fields[0].strip().isidentifier():
        # The label of a frame, where there is one on each line.
        return False
    if len(fields) > 1 and fields[0].strip(BLANKS) == '""':
        fields = fields[1:]
    return all(_WORD.match(field) and not printed_value(field.lstrip(BLANKS)) for field in fields)


def _without_ending(line: str) -> str:
    return line.rstrip(f"{''.join(SEPARATORS)},{BLANKS}")


def _ends_needlessly(line: str, rules: CsvRules) -> bool:
    """Return whether a line has all fields of a row, and separators behind them."""
    body = _without_ending(line)
    return body != line.rstrip(BLANKS) and body.count(",") == len(rules.fields) - 1


def _ending_problem(line: str, rules: CsvRules) -> Problem:
    ending = re.sub(f"[{BLANKS}]", "", line[len(_without_ending(line)) :])
    names = []
    for mark in dict.fromkeys(ending):
        plural = "s" if ending.count(mark) > 1 else ""
        names.append(f"{SEPARATORS.get(mark, 'comma')}{plural}")
    code = "E-CSV-COLUMNS" if set(ending) == {","} else "E-CSV-SEPARATOR"
    remedy = f"delete the {' and the '.join(names)} at the end of each row"
    where = f"column {len(rules.fields) + 1}"
    return Problem(code, f"the row ends with '{quote(ending)}'", remedy, where=where)


def _separators(line: str, rules: CsvRules) -> str:
    """Return what separates the fields of a line if there are as many as in a row, "" if commas alone do.

    Commas may be decimal commas then.
    """
    n_fields = len(rules.fields)
    n_separators = n_fields - 1
    body = _without_ending(line)
    n_commas = body.count(",")
    if n_commas > n_fields:
        # It may have millions of fields; each has at most one decimal comma.
        return ""
    # Blanks may stand beside commas.
    body = ",".join(field.strip() for field in body.split(","))
    separators = _SEPARATOR.findall(body)
    if n_commas == n_separators:
        # They may part thousands.
        separators = [mark for mark in separators if not mark.isspace()]
    names = list(dict.fromkeys(SEPARATORS[mark] for mark in separators))
    if len(separators) != n_separators:
        is_mixed = separators and len(separators) + n_commas == n_separators
        names = ["comma", *names] if is_mixed else []
    has_blanks = n_separators and n_commas in (0, n_fields) and len(body.split()) == n_fields
    if not names and has_blanks and all(map(_DIGIT.search, body.split())):
        names = ["blank"]
    return " and ".join(f"{name}s" for name in names)


def _separator_problem(line: str, separators: str, rules: CsvRules) -> Problem:
    remedy = f"{_write_row(rules)}, in whole numbers without marks for decimals or thousands"
    if separators == "blanks" and re.search("[0-9]e[+-]", line):
        remedy = "write np.savetxt(..., fmt='%d', delimiter=',')"
    addition = " alone" if separators.startswith("commas") else ""
    problem = f"the fields are separated by {separators}, not by commas{addition}"
    return Problem("E-CSV-SEPARATOR", problem, remedy, where="column 1")


def _write_row(rules: CsvRules) -> str:
    return f"write {','.join(field.name for field in rules.fields)}"


def _field_problems(line: str, rules: CsvRules) -> Iterator[Problem]:
    """Yield what is wrong with the fields of a line that are no whole numbers.

    Why, of whatever field, is one kind: it mostly lies in how a program writes numbers.
    """
    is_integer = row_pattern(1).fullmatch
    for column, (text, field) in enumerate(zip(line.split(","), rules.fields), start=1):
        if not is_integer(text):
            text = text.strip(BLANKS)
            problem, remedy = _why_no_integer(text)
            quoted = f" '{quote(text, 30)}'" if text else ""
            problem = f"{field.name}{quoted} {problem}"
            yield Problem("E-CSV-INTEGER", problem, remedy, where=f"column {column}")


def _why_no_integer(text: str) -> tuple[str, str]:
    """Return what a text is instead of a whole number, and the remedy."""
    printed = printed_value(text)
    if printed:
        conversion = "convert it with int(...) before, a fraction with round(float(...))"
        return f"is how {printed.library} prints a value", f"write the number alone: {conversion}"
    reasons = (reason for pattern, *reason in _REASONS if re.fullmatch(pattern, text, re.DOTALL))
    problem, remedy = next(reasons)
    return problem, remedy


def _columns_problem(line: str, rules: CsvRules, surplus_column: tuple[int, str] | None) -> Problem:
    n_fields, n_wanted = line.count(",") + 1, len(rules.fields)
    column = min(n_fields, n_wanted + 1)
    problem = f"the row '{quote(line, 40)}' has {counted(n_fields, 'field')} instead of {n_wanted}"
    remedy = _write_row(rules)
    if n_fields > n_wanted and surplus_column is not None:
        column, advice = surplus_column
        remedy = f"{advice}; {remedy}"
    return Problem("E-CSV-COLUMNS", problem, remedy, where=f"column {column}")


def _surplus_column(
    lines: Sequence[Line], rules: CsvRules, files_with_rows: Set[str]
) -> tuple[int, str] | None:
    """Return the column, from 1, without which all lines with too many fields are rows, and what to do.

    Return None if there is no such one, or several.
    """
    n_wanted = len(rules.fields)
    fields_of_file: dict[str, list[list[str]]] = {}
    for name, number, line in lines:
        is_named = number == 1 and (line.startswith(",") or _is_header(line, rules))
        if line.count(",") < n_wanted or is_named:
            continue
        if not _ends_needlessly(line, rules) and not _separators(line, rules):
            if line.count(",") != n_wanted:
                # It may have millions of fields, which are not kept.
                return None
            fields_of_file.setdefault(name, []).append(line.split(","))
    rows = list(chain.from_iterable(fields_of_file.values()))
    if not rows:
        return None
    remedy = _counting_column(fields_of_file.values()) if files_with_rows.isdisjoint(fields_of_file) else ""
    if remedy:
        return 1, remedy
    is_integer = row_pattern(1).fullmatch
    fitting_columns = []
    for column in range(n_wanted + 1):
        # A column of whole numbers may be one that another task has.
        is_other = not any(is_integer(fields[column]) for fields in rows)
        if is_other and all(_is_row([*fields[:column], *fields[column + 1 :]], rules) for fields in rows):
            fitting_columns.append(column)
    if len(fitting_columns) != 1:
        return None
    return fitting_columns[0] + 1, f"leave out the {_ORDINALS[fitting_columns[0]]} column"


def _is_row(fields: Sequence[str], rules: CsvRules) -> bool:
    """Return whether fields are a row: whole numbers within their ranges and in order."""
    if not all(map(row_pattern(1).fullmatch, fields)):
        return False
    value_of_name = {field.name: int(text) for text, field in zip(fields, rules.fields)}
    for field in rules.fields:
        if not field.minimum <= value_of_name[field.name] <= field.maximum:
            return False
    return not rules.frames or value_of_name[rules.frames[0]] <= value_of_name[rules.frames[1]]


def _counting_column(rows_of_files: Collection[Sequence[Sequence[str]]]) -> str:
    """Return what to do where the first column of all files counts their rows, "" where it does not."""
    if all(map(partial(_count_from, 0), rows_of_files)):
        return "leave out the first column, in pandas with to_csv(..., index=False, header=False)"
    # Numbers of two actors do not count so far.
    is_long = max(map(len, rows_of_files)) >= _LEAST_COUNTED
    if is_long and all(map(partial(_count_from, 1), rows_of_files)):
        return "leave out the first column, which counts the rows"
    return ""


def _count_from(first: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first fields of rows count them, as the index of pandas, or perhaps quoted, of R."""
    numbers = [fields[0].strip(BLANKS).strip('"') for fields in rows]
    return numbers == list(map(str, range(first, first + len(rows))))
