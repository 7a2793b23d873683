"""Sections of a task as cards of a page: tables, charts, drawings, and one card for all timelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element

from scoring_program.report.elements import layout, tables
from scoring_program.report.elements.layout import card, folded, scroll
from scoring_program.report.elements.tables import Heading, table
from scoring_program.report.html import cut, element
from scoring_program.result import Cell, Column, Section, Table, columns
from validator.texts import counted

if TYPE_CHECKING:
    from scoring_program.figures import Drawings

# How many of a card show at once.
OPEN_TIMELINES = 10
OPEN_DRAWINGS = 2
# What fits into half of the width.
_MOST_COLUMNS_OF_A_HALF = 3
_MOST_NAMES_OF_A_HALF = 10

# The addresses of drawings, by the first cells of the row about their item.
Addresses = Mapping[tuple[str, ...], str]
NO_ADDRESSES: Addresses = MappingProxyType({})


class Look(NamedTuple):
    """How sections look.

    Attributes
    ----------
    limit : int
        The most entries that any list of a card has.
    open_drawings, open_timelines : int
        How many show at once; the others are folded.
    addresses : mapping of tuple of str to str
        What the rows of items link to.
    """

    limit: int
    open_drawings: int = OPEN_DRAWINGS
    open_timelines: int = OPEN_TIMELINES
    addresses: Addresses = NO_ADDRESSES


class _Layout(Enum):
    """How a section lies on the page: alone, in one of two columns, or in the card of all timelines."""

    SINGLE = "single"
    HALF = "half"
    TIMELINE = "timeline"


def section_cards(sections: Sequence[Section], look: Look) -> list[Element]:
    """Return cards: one for all timelines; charts, narrow tables and small matrices in two columns."""
    elements: list[Element] = []
    limit = look.limit
    for section_layout, group in groupby(sections[:limit], _layout_of):
        members = list(group)
        if section_layout is _Layout.TIMELINE:
            elements.append(_timelines_card(members, look))
            continue
        cards = [_card(section, look) for section in members]
        elements += layout.in_columns(cards) if section_layout is _Layout.HALF else cards
    if len(sections) > limit:
        elements.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return elements


def _layout_of(section: Section) -> _Layout:
    if isinstance(section, Table):
        is_narrow = len(section.columns) <= _MOST_COLUMNS_OF_A_HALF
        return _Layout.HALF if is_narrow else _Layout.SINGLE
    from scoring_program.figures import Histogram, LineChart, Matrix, Timeline

    if isinstance(section, Timeline):
        return _Layout.TIMELINE
    is_small_matrix = isinstance(section, Matrix) and len(section.names) <= _MOST_NAMES_OF_A_HALF
    if is_small_matrix or isinstance(section, (Histogram, LineChart)):
        return _Layout.HALF
    return _Layout.SINGLE


def _card(section: Section, look: Look) -> Element:
    content = _content(section, look)
    return card(section.key, section.title, section.note, *content)


def _content(section: Section, look: Look) -> list[Element]:
    """Return the content of the card of a section that is no timeline."""
    if isinstance(section, Table):
        rows = [_linked_row(section, row, look.addresses) for row in section.rows]
        return table(
            headings(section.columns), rows, section.title, n_open=section.open_rows, most=look.limit
        )
    return _figure(section, look)


def _figure(section: Section, look: Look) -> list[Element]:
    from scoring_program.figures import BodyFigure, Drawings, Histogram, LineChart, Matrix, StackedBar
    from scoring_program.report import charts

    if isinstance(section, Drawings):
        return _drawings(section, look)
    if isinstance(section, Histogram):
        return [charts.histogram(section)]
    if isinstance(section, LineChart):
        return charts.lines(section)
    if isinstance(section, StackedBar):
        return charts.stacked_bar(section)
    if isinstance(section, BodyFigure):
        titles = columns(text=["Part"], share=["Value"], count=["Points"])
        numbers = table(headings(titles), section.parts, section.title, most=look.limit)
        return [element("div", charts.body(section), element("div", *numbers), class_="beside")]
    if isinstance(section, Matrix):
        text = f"Rows: ground truth. Columns: prediction. Numbers: {section.things}."
        if len(section.names) > charts.LARGEST_MATRIX:
            text += f" Only the first {charts.LARGEST_MATRIX} names are shown."
        return [scroll(charts.matrix(section), section.title), element("p", text, class_="after")]
    raise TypeError(f"no rendering for {type(section).__name__}")


def _linked_row(section: Table, row: Sequence[Cell], addresses: Addresses) -> Sequence[tables.Cell]:
    """Return a row whose first cell is a link to the drawing of its item, if there is one."""
    item = tuple(str(cell) for cell in row[: section.item_columns])
    if not item or item not in addresses:
        return row
    return [element("a", cut(item[0]), href=addresses[item]), *row[1:]]


def headings(table_columns: Sequence[Column]) -> list[Heading]:
    """Return the headings of the columns of a section."""
    return [Heading(column.title, column.kind) for column in table_columns]


def _drawings(section: Drawings, look: Look) -> list[Element]:
    # Only pages at full have drawings.
    from people_in_video.drawings.svg import drawing, legend

    canvases = [drawing(data, section.points) for data in section.drawings[: look.limit]]
    return [legend(section), *_grid(canvases, look.open_drawings, "drawing")]


def _timelines_card(sections: Sequence[Section], look: Look) -> Element:
    """Return one card for all timelines; those after the first are folded."""
    from scoring_program.figures import GROUND_TRUTH, PREDICTION, Timeline
    from scoring_program.report import charts

    timelines = [section for section in sections if isinstance(section, Timeline)]
    drawn_timelines = []
    sides = {GROUND_TRUTH}
    for section in timelines:
        title = element("h3", cut(section.title))
        lanes = charts.timeline(section, look.limit)
        place = {"id": section.anchor} if section.anchor else {}
        drawn_timelines.append(element("div", title, lanes, class_="timeline", **place))
        if any(lane.prediction for lane in section.lanes):
            sides.add(PREDICTION)
    grid = _grid(drawn_timelines, look.open_timelines, "timeline")
    return card(sections[0].key, "Timelines", sections[0].note, charts.sides_key(sides), *grid)


def _grid(elements: Sequence[Element], n_open: int, noun: str) -> list[Element]:
    """Return a grid of the first elements, and one of the others, folded."""
    grid = [element("div", *elements[:n_open], class_="drawn")]
    if rest := elements[n_open:]:
        grid.append(folded(counted(len(rest), f"more {noun}"), element("div", *rest, class_="drawn")))
    return grid
