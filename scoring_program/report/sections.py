"""The sections of a result as cards: tables folded after their first rows, charts, and timelines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import singledispatch
from itertools import groupby
from xml.etree.ElementTree import Element

from scoring_program.report import charts
from scoring_program.report.html import Child, append, cut, element
from scoring_program.result import (
    BodyFigure,
    Cell,
    Column,
    Histogram,
    LineChart,
    Matrix,
    Section,
    StackedBar,
    Table,
    Timeline,
)
from validator.findings import counted

OPEN_ROWS = 20
OPEN_TIMELINES = 10
_MOST_COLUMNS_OF_A_PAIR = 3


def cards(sections: Sequence[Section], limit: int) -> list[Element]:
    """Return cards: one for all timelines; charts and narrow tables side by side in pairs.

    ``limit`` is the most entries that any list of a card has.
    """
    made: list[Element] = []
    for layout, group in groupby(sections[:limit], _layout):
        members = list(group)
        if layout == "timelines":
            made.append(_timelines(members, limit))
        elif layout == "pairs":
            for first in range(0, len(members), 2):
                pair = [_card(section, limit) for section in members[first : first + 2]]
                made.append(element("div", *pair, class_="pair"))
        else:
            made.extend(_card(section, limit) for section in members)
    if len(sections) > limit:
        made.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return made


def _layout(section: Section) -> str:
    if isinstance(section, Timeline):
        return "timelines"
    narrow = isinstance(section, Table) and len(section.columns) <= _MOST_COLUMNS_OF_A_PAIR
    return "pairs" if narrow or isinstance(section, (Histogram, LineChart)) else "single"


def card(key: str, title: str, note: str, *children: Child) -> Element:
    """Return a card with a heading that the table of contents can point to."""
    made = element(
        "section", element("h2", cut(title, 120)), id=re.sub(r"[^A-Za-z0-9]+", "-", cut(key)) or "section"
    )
    if note:
        append(made, element("p", cut(note, 600)))
    made.extend(child if isinstance(child, Element) else element("p", child) for child in children)
    return made


def contents(made: Sequence[Element]) -> Element:
    """Return the table of contents of cards."""
    entries = element("ul")
    for section in (section for part in made for section in part.iter("section")):
        title = section[0].text or ""
        entries.append(element("li", element("a", cut(title), href=f"#{section.get('id')}")))
    return element("nav", entries, aria_label="Contents")


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], title: str, limit: int) -> list[Element]:
    """Return a table of the first rows, and what follows them folded."""
    if not rows:
        return [element("p", "Nothing to show.")]
    made = [scroll(_table(columns, rows[:OPEN_ROWS]), title)]
    if more := rows[OPEN_ROWS:limit]:
        made.append(
            folded(counted(len(more), "more row"), scroll(_table(columns, more), f"{title}, more rows"))
        )
    hidden = len(rows) - min(len(rows), max(limit, OPEN_ROWS))
    return [*made, element("p", f"and {hidden:,} more")] if hidden else made


def folded(summary: str, *children: Child) -> Element:
    """Return children that show after a click on their summary."""
    return element("details", element("summary", summary), *children)


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Element:
    head = element(
        "tr", *(element("th", cut(column.title), class_=column.kind, scope="col") for column in columns)
    )
    body = [element("tr", *(_cell(value, column) for value, column in zip(row, columns))) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))


def _cell(value: Cell, column: Column) -> Element:
    if value is None:
        return element("td", "–", class_=column.kind)
    if column.kind == "share":
        return element("td", f"{float(value):.3f}", bar(float(value)), class_="share")
    if column.kind == "text":
        return element("td", cut(str(value)))
    return element(
        "td",
        f"{value:,}" if column.kind == "count" else f"{round(float(value), 3) + 0.0:,.3f}",
        class_=column.kind,
    )


def bar(share: float) -> Element:
    """Return a bar that is filled up to a share from 0 to 1."""
    return element(
        "span", element("span", style=f"width:{100 * min(max(share, 0.0), 1.0):.1f}%"), class_="bar"
    )


def scroll(content: Element, title: str) -> Element:
    """Return an area that scrolls sideways where it must, within reach of the keyboard."""
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=cut(title, 120))


def _card(section: Section, limit: int) -> Element:
    children = _body(section, limit)
    return card(section.key, section.title, section.note, *children)


@singledispatch
def _body(section: Section, limit: int) -> list[Element]:
    raise TypeError(f"no rendering for {type(section).__name__}")


@_body.register
def _(section: Table, limit: int) -> list[Element]:
    return table(section.columns, section.rows, section.title, limit)


@_body.register
def _(section: Histogram, limit: int) -> list[Element]:
    return [charts.histogram(section)]


@_body.register
def _(section: LineChart, limit: int) -> list[Element]:
    return [charts.lines(section), *([charts.lines_key(section)] if len(section.lines) > 1 else [])]


@_body.register
def _(section: StackedBar, limit: int) -> list[Element]:
    colors = charts.colors()
    entries = [
        (f"{label} {share:.3f}", f"fill-{color}") for (label, share), color in zip(section.shares, colors)
    ]
    return [charts.stacked_bar(section), charts.key(entries)]


@_body.register
def _(section: BodyFigure, limit: int) -> list[Element]:
    columns = [Column("Part"), Column("Value", "share"), Column("Points", "count")]
    numbers = element("div", *table(columns, section.parts, section.title, limit))
    return [element("div", charts.body(section), numbers, class_="beside")]


@_body.register
def _(section: Matrix, limit: int) -> list[Element]:
    explained = f"Rows: ground truth. Columns: prediction. Numbers: {section.things}"
    explained += "; – is not shown, because it rests on too little." if (section.counts < 0).any() else "."
    if len(section.names) > charts.LARGEST_MATRIX:
        explained += f" Only the first {charts.LARGEST_MATRIX} names are shown."
    return [scroll(charts.matrix(section), section.title), element("p", explained, class_="after")]


def _timelines(sections: Sequence[Section], limit: int) -> Element:
    """Return one card for all timelines; those after the first are folded."""
    drawn = [
        element("div", element("h3", cut(section.title)), charts.timeline(section, limit), class_="timeline")
        for section in sections
        if isinstance(section, Timeline)
    ]
    children = [charts.key([("ground truth", "fill-a"), ("prediction", "fill-b")])]
    children.append(element("div", *drawn[:OPEN_TIMELINES], class_="timelines"))
    if more := drawn[OPEN_TIMELINES:]:
        children.append(
            folded(counted(len(more), "more timeline"), element("div", *more, class_="timelines"))
        )
    return card(sections[0].key, "Timelines", sections[0].note, *children)
