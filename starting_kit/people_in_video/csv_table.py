"""Tables as CSV, of texts that no spreadsheet evaluates."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from scoring_program.result import DECIMALS, Cell, Result, cells

# What a spreadsheet takes for a formula at the beginning of a cell, in ASCII and in full width.
_FORMULA = re.compile(" {0,20}[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_AFTER_SEPARATOR = re.compile(rf"([;\t])(?={_FORMULA.pattern})")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def item_rows(result: Result) -> list[dict[str, Any]]:
    """Return ``item``, ``submitted``, ``score``, ``weight``, and what the task adds, for each item.

    A row ``(outside)`` stands for what counts outside of the items. Only for ``detail: full``.
    """
    statistics = result.statistics
    arrays: dict[str, NDArray[Any]] = {
        "submitted": statistics.item_submitted,
        "score": statistics.item_scores,
        "weight": statistics.item_weights,
        **statistics.item_columns(),
    }
    columns = [result.items, *(cells(values) for values in arrays.values())]
    rows = [dict(zip(("item", *arrays), row)) for row in zip(*columns)]
    if outside_weight := statistics.outside_weight():
        submitted = statistics.outside_submitted()
        rows.append({"item": "(outside)", "submitted": submitted, "score": 0.0, "weight": outside_weight})
    return rows


def per_item_csv(result: Result) -> str:
    """Return the rows of `item_rows` as CSV without formulas. Only for ``detail: full``."""
    rows = item_rows(result)
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
