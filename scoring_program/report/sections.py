"""Sections of a task as cards of a page: tables, charts, drawings, and one card for all timelines."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import groupby
from xml.etree.ElementTree import Element

from scoring_program.report import charts
from scoring_program.report.elements import layout
from scoring_program.report.elements.layout import card, folded, scroll
from scoring_program.report.elements.tables import Heading, table
from scoring_program.report.html import cut, element
from scoring_program.result import (
    GROUND_TRUTH,
    PREDICTION,
    BodyFigure,
    Column,
    Drawings,
    Histogram,
    LineChart,
    Matrix,
    Section,
    StackedBar,
    Table,
    Timeline,
    columns,
)
from validator.texts import counted

OPEN_TIMELINES = 10
_OPEN_DRAWINGS = 2
_MOST_COLUMNS_OF_A_PAIR = 3


class _Layout(Enum):
    """How a section lies on the page: alone, beside its neighbor, or in the card of all timelines."""

    SINGLE = "single"
    PAIR = "pair"
    TIMELINE = "timeline"


def section_cards(sections: Sequence[Section], limit: int) -> list[Element]:
    """Return cards: one for all timelines; charts and narrow tables side by side in pairs.

    ``limit`` is the most entries that any list of a card has.
    """
    elements: list[Element] = []
    for section_layout, group in groupby(sections[:limit], _layout_of):
        members = list(group)
        if section_layout is _Layout.TIMELINE:
            elements.append(_timelines_card(members, limit))
            continue
        cards = [_card(section, limit) for section in members]
        elements += layout.pairs(cards) if section_layout is _Layout.PAIR else cards
    if len(sections) > limit:
        elements.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return elements


def _layout_of(section: Section) -> _Layout:
    if isinstance(section, Timeline):
        return _Layout.TIMELINE
    is_narrow = isinstance(section, Table) and len(section.columns) <= _MOST_COLUMNS_OF_A_PAIR
    if is_narrow or isinstance(section, (Histogram, LineChart)):
        return _Layout.PAIR
    return _Layout.SINGLE


def _card(section: Section, limit: int) -> Element:
    content = _content(section, limit)
    return card(section.key, section.title, section.note, *content)


def _content(section: Section, limit: int) -> list[Element]:
    """Return the content of the card of a section that is no timeline."""
    if isinstance(section, Table):
        return table(headings(section.columns), section.rows, section.title, most=limit)
    if isinstance(section, Histogram):
        return [charts.histogram(section)]
    if isinstance(section, LineChart):
        return charts.lines(section)
    if isinstance(section, StackedBar):
        return charts.stacked_bar(section)
    if isinstance(section, BodyFigure):
        titles = columns(text=["Part"], share=["Value"], count=["Points"])
        numbers = table(headings(titles), section.parts, section.title, most=limit)
        return [element("div", charts.body(section), element("div", *numbers), class_="beside")]
    if isinstance(section, Matrix):
        text = f"Rows: ground truth. Columns: prediction. Numbers: {section.things}."
        if len(section.names) > charts.LARGEST_MATRIX:
            text += f" Only the first {charts.LARGEST_MATRIX} names are shown."
        return [scroll(charts.matrix(section), section.title), element("p", text, class_="after")]
    if isinstance(section, Drawings):
        return _drawings(section, limit)
    raise TypeError(f"no rendering for {type(section).__name__}")


def headings(table_columns: Sequence[Column]) -> list[Heading]:
    """Return the headings of the columns of a section."""
    return [Heading(column.title, column.kind) for column in table_columns]


def _drawings(section: Drawings, limit: int) -> list[Element]:
    # Only pages at full have drawings.
    from scoring_program.report.drawings import drawing, legend

    canvases = [drawing(data, section.points) for data in section.drawings[:limit]]
    return [legend(section), *_grid(canvases, _OPEN_DRAWINGS, "drawing")]


def _timelines_card(sections: Sequence[Section], limit: int) -> Element:
    """Return one card for all timelines; those after the first are folded."""
    timelines = [section for section in sections if isinstance(section, Timeline)]
    drawn_timelines, sides = [], {GROUND_TRUTH}
    for section in timelines:
        title, lanes = element("h3", cut(section.title)), charts.timeline(section, limit)
        drawn_timelines.append(element("div", title, lanes, class_="timeline"))
        if any(lane.prediction for lane in section.lanes):
            sides.add(PREDICTION)
    grid = _grid(drawn_timelines, OPEN_TIMELINES, "timeline")
    return card(sections[0].key, "Timelines", sections[0].note, charts.sides_key(sides), *grid)


def _grid(elements: Sequence[Element], n_open: int, noun: str) -> list[Element]:
    """Return a grid of the first elements, and one of the others, folded."""
    grid = [element("div", *elements[:n_open], class_="drawn")]
    if rest := elements[n_open:]:
        grid.append(folded(counted(len(rest), f"more {noun}"), element("div", *rest, class_="drawn")))
    return grid
