"""The sections of a result as cards: tables folded after their first rows, charts, and timelines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import singledispatch
from itertools import groupby
from xml.etree.ElementTree import Element

from scoring_program import result
from scoring_program.report import charts
from scoring_program.report.html import Child, append, cut, element
from scoring_program.result import Cell, Column, Section, Table, Timeline, columns
from validator.findings import counted

OPEN_ROWS = 20
OPEN_TIMELINES = 10
_MOST_COLUMNS_OF_A_PAIR = 3


def cards(sections: Sequence[Section], limit: int) -> list[Element]:
    """Return cards: one for all timelines; charts and narrow tables side by side in pairs.

    ``limit`` is the most entries that any list of a card has.
    """
    elements: list[Element] = []
    for layout, group in groupby(sections[:limit], _layout):
        members = list(group)
        if layout == "timelines":
            elements.append(_timelines(members, limit))
            continue
        bodies = [(section, _body(section, limit)) for section in members]
        drawn = [card(section.key, section.title, section.note, *body) for section, body in bodies]
        if layout == "pairs":
            drawn = [element("div", *drawn[i : i + 2], class_="pair") for i in range(0, len(drawn), 2)]
        elements += drawn
    if len(sections) > limit:
        elements.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return elements


def _layout(section: Section) -> str:
    if isinstance(section, Timeline):
        return "timelines"
    narrow = isinstance(section, Table) and len(section.columns) <= _MOST_COLUMNS_OF_A_PAIR
    return "pairs" if narrow or isinstance(section, (result.Histogram, result.LineChart)) else "single"


def card(key: str, title: str, note: str, *children: Child) -> Element:
    """Return a card with a heading that the table of contents can point to."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", cut(key)) or "section"
    section = element("section", element("h2", cut(title, 120)), id=name)
    if note:
        append(section, element("p", cut(note, 600)))
    section.extend(child if isinstance(child, Element) else element("p", child) for child in children)
    return section


def contents(cards: Sequence[Element]) -> Element:
    """Return the table of contents of cards."""
    entries = element("ul")
    for section in (section for part in cards for section in part.iter("section")):
        title = section[0].text or ""
        entries.append(element("li", element("a", cut(title), href=f"#{section.get('id')}")))
    return element("nav", entries, aria_label="Contents")


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], title: str, limit: int) -> list[Element]:
    """Return a table of the first rows, and what follows them folded."""
    if not rows:
        return [element("p", "Nothing to show.")]
    parts = [scroll(_table(columns, rows[:OPEN_ROWS]), title)]
    if more := rows[OPEN_ROWS:limit]:
        rest = scroll(_table(columns, more), f"{title}, more rows")
        parts.append(folded(counted(len(more), "more row"), rest))
    hidden = len(rows) - min(len(rows), max(limit, OPEN_ROWS))
    return [*parts, element("p", f"and {hidden:,} more")] if hidden else parts


def folded(summary: str, *children: Child) -> Element:
    """Return children that show after a click on their summary."""
    return element("details", element("summary", summary), *children)


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Element:
    titles = (element("th", cut(column.title), class_=column.kind, scope="col") for column in columns)
    head = element("tr", *titles)
    body = [element("tr", *(_cell(value, column) for value, column in zip(row, columns))) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))


def _cell(value: Cell, column: Column) -> Element:
    if value is None:
        return element("td", "–", class_=column.kind)
    if column.kind == "share":
        return element("td", f"{float(value):.3f}", bar(float(value)), class_="share")
    if column.kind == "text":
        return element("td", cut(str(value)))
    text = f"{value:,}" if column.kind == "count" else f"{round(float(value), 3) + 0.0:,.3f}"
    return element("td", text, class_=column.kind)


def bar(share: float) -> Element:
    """Return a bar that is filled up to a share from 0 to 1."""
    width = 100 * min(max(share, 0.0), 1.0)
    return element("span", element("span", style=f"width:{width:.1f}%"), class_="bar")


def scroll(content: Element, title: str) -> Element:
    """Return an area that scrolls sideways where it must, within reach of the keyboard."""
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=cut(title, 120))


@singledispatch
def _body(section: Section, limit: int) -> list[Element]:
    raise TypeError(f"no rendering for {type(section).__name__}")


@_body.register
def _(section: Table, limit: int) -> list[Element]:
    return table(section.columns, section.rows, section.title, limit)


@_body.register
def _(section: result.Histogram, limit: int) -> list[Element]:
    return [charts.histogram(section)]


@_body.register
def _(section: result.LineChart, limit: int) -> list[Element]:
    return [charts.lines(section), *([charts.lines_key(section)] if len(section.lines) > 1 else [])]


@_body.register
def _(section: result.StackedBar, limit: int) -> list[Element]:
    shares = zip(section.shares, charts.colors())
    entries = [(f"{label} {share:.3f}", f"fill-{color}") for (label, share), color in shares]
    return [charts.stacked_bar(section), charts.key(entries)]


@_body.register
def _(section: result.BodyFigure, limit: int) -> list[Element]:
    titles = columns(text=["Part"], share=["Value"], count=["Points"])
    numbers = element("div", *table(titles, section.parts, section.title, limit))
    return [element("div", charts.body(section), numbers, class_="beside")]


@_body.register
def _(section: result.Matrix, limit: int) -> list[Element]:
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
    shown, more = (
        element("div", *part, class_="timelines") for part in (drawn[:OPEN_TIMELINES], drawn[OPEN_TIMELINES:])
    )
    children = [charts.key([("ground truth", "fill-a"), ("prediction", "fill-b")]), shown]
    if len(more):
        children.append(folded(counted(len(more), "more timeline"), more))
    return card(sections[0].key, "Timelines", sections[0].note, *children)
