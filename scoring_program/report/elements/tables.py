"""Tables: rows under headings, the last ones folded; bars of shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union
from xml.etree.ElementTree import Element

from scoring_program.report.elements.layout import folded, scroll
from scoring_program.report.html import Child, append, cut, element
from scoring_program.result import Column
from validator.texts import counted

OPEN_ROWS = 20

MARKUP = "markup"
"""The kind of columns whose cells are shown as they are; the others are those of `result.Column`."""

Value = Union[str, int, float, None]
Cell = Union[Element, Value]


class Heading(NamedTuple):
    """The heading of a column; its kind says how the cells below are shown.

    ``markup``: elements or texts as they are; ``text``: a text that is cut; ``count``: a whole number;
    ``number``: three decimals; ``share``: the same with a bar from 0 to 1. None shows as a dash.
    """

    title: Child
    kind: str = MARKUP


def table(
    headings: Sequence[Heading | Column],
    rows: Sequence[Sequence[Cell]],
    title: str,
    n_open: int = OPEN_ROWS,
    most: int | None = None,
    last_row: Sequence[Cell] = (),
) -> list[Element]:
    """Return a table and what follows it.

    Parameters
    ----------
    headings, rows
    title : str
        What readers of the screen call it.
    n_open : int
        Rows after so many are in a second table, which is folded.
    most : int, optional
        The most rows that are shown; the number of the others is written.
    last_row
        Ends both tables, as an axis does.
    """
    if not rows:
        return [element("p", "Nothing to show.")]
    shown_rows = rows if most is None else rows[: max(most, n_open)]
    parts = [_one_table(headings, [*shown_rows[:n_open], last_row], title)]
    if more_rows := shown_rows[n_open:]:
        more_table = _one_table(headings, [*more_rows, last_row], f"{title}, more rows")
        parts.append(folded(counted(len(more_rows), "more row"), more_table))
    if n_hidden := len(rows) - len(shown_rows):
        parts.append(element("p", f"and {n_hidden:,} more"))
    return parts


def _one_table(headings: Sequence[Heading | Column], rows: Sequence[Sequence[Cell]], title: str) -> Element:
    head = element("tr", *(_heading(heading) for heading in headings))
    body = element("tbody")
    for row in rows:
        if row:
            cells = [_cell(value, heading.kind) for value, heading in zip(row, headings)]
            body.append(element("tr", *cells))
    return scroll(element("table", element("thead", head), body), title)


def _heading(heading: Heading | Column) -> Element:
    if heading.kind == MARKUP:
        return element("th", heading.title, scope="col")
    title = cut(heading.title) if isinstance(heading.title, str) else heading.title
    return element("th", title, class_=heading.kind, scope="col")


def row_in_words(headings: Sequence[Heading | Column], row: Sequence[Cell]) -> Element:
    """Return the only row of a table as a paragraph."""
    words = element("p")
    for number, (heading, value) in enumerate(zip(headings, row)):
        append(words, f"{' · ' if number else ''}{heading.title}: ")
        append(words, value if isinstance(value, Element) else _cell_text(value, heading.kind))
    return words


def _cell(value: Cell, kind: str) -> Element:
    if isinstance(value, Element):
        return element("td", value)
    text = _cell_text(value, kind)
    if kind == "share" and value is not None:
        return element("td", text, bar(float(value)), class_=kind)
    return element("td", text) if kind in (MARKUP, "text") else element("td", text, class_=kind)


def _cell_text(value: Value, kind: str) -> str:
    """Return a value as its kind of column shows it."""
    if kind == MARKUP:
        return str(value)
    if value is None:
        return "–"
    if kind == "count":
        return f"{value:,}"
    if kind in ("number", "share"):
        without_negative_zero = round(float(value), 3) + 0.0
        return f"{without_negative_zero:,.3f}"
    return cut(str(value))


def bar(share: float) -> Element:
    """Return a bar that is filled up to a share from 0 to 1. Its colors are in style.css, at ``.bar``."""
    width = 100 * min(max(share, 0.0), 1.0)
    return element("span", element("span", style=f"width:{width:.1f}%"), class_="bar")
