"""Tables as CSV, of texts that no spreadsheet evaluates."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from scoring_program.result import DECIMALS, Cell, Result

# What a spreadsheet takes for a formula at the beginning of a cell, in ASCII and in full width.
_FORMULA = re.compile(" {0,20}[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


_AFTER_SEPARATOR = re.compile(rf"([;\t])(?={_FORMULA.pattern})")


_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def per_item_csv(result: Result) -> str:
    """Return the rows of `Result.item_rows` as CSV without formulas. Only for ``detail: full``."""
    rows = result.item_rows()
    header = rows[0] if rows else ["item", "submitted", "score", "weight"]
    return csv_text(header, ([_item_cell(value) for value in row.values()] for row in rows))


def _item_cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{DECIMALS}f}" if isinstance(value, float) else str(value)


def csv_text(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return CSV, of texts what no spreadsheet evaluates; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([without_formulas(value) if isinstance(value, str) else value for value in row])
    return text.getvalue()


def without_formulas(text: str) -> str:
    """Return text for a cell of a table that no spreadsheet evaluates; numbers stay as they are.

    Some spreadsheets split lines at semicolons or tabs, whatever the separator is.

    Examples
    --------
    >>> without_formulas("=1+1"), without_formulas("a;=HYPERLINK(1)"), without_formulas("a=1")
    ("'=1+1", "a;'=HYPERLINK(1)", 'a=1')
    >>> without_formulas("-0.5"), without_formulas("-a")
    ('-0.5', "'-a")
    """
    if _NUMBER.fullmatch(text):
        return text
    text = _AFTER_SEPARATOR.sub(r"\1'", text)
    return f"'{text}" if _FORMULA.match(text) else text
