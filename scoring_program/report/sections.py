"""Sections of a task as cards of a page: tables, figures, and sections that share a card."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import groupby
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scoring_program.report.elements import layout, tables
from scoring_program.report.elements.layout import card
from scoring_program.report.elements.tables import Heading, table
from scoring_program.report.html import element
from scoring_program.result import Column, Section, Table
from validator.texts import counted


class Look(NamedTuple):
    """How sections look.

    Attributes
    ----------
    limit : int
        The most entries that any list of a card has.
    n_open : int
        How many drawings or timelines show at once, 0 for their usual number; the others are folded.
    """

    limit: int
    n_open: int = 0


class _Layout(Enum):
    """How a section lies on the page: alone, in one of two columns, or in a card with its neighbors."""

    SINGLE = "single"
    HALF = "half"
    SHARED = "shared"


def section_cards(sections: Sequence[Section], look: Look) -> list[Element]:
    """Return cards: one for sections that share it; narrow ones in two columns."""
    elements: list[Element] = []
    limit = look.limit
    for section_layout, group in groupby(sections[:limit], _layout_of):
        members = list(group)
        if section_layout is _Layout.SHARED:
            first = members[0]
            content = first.render_shared(members, look)
            elements.append(card(first.key, first.shared_title, first.note, *content))
            continue
        cards = [_card(section, look) for section in members]
        elements += layout.in_columns(cards) if section_layout is _Layout.HALF else cards
    if len(sections) > limit:
        elements.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return elements


def _layout_of(section: Section) -> _Layout:
    if section.shared_title:
        return _Layout.SHARED
    return _Layout.HALF if section.is_narrow() else _Layout.SINGLE


def _card(section: Section, look: Look) -> Element:
    content = _content(section, look)
    return card(section.key, section.title, section.note, *content)


def _content(section: Section, look: Look) -> list[Element]:
    """Return the content of the card of a section."""
    if isinstance(section, Table):
        return _table(section, look)
    elements: list[Element] = section.render(look)
    return elements


def _table(section: Table, look: Look) -> list[Element]:
    """Return a table, or its only row in words."""
    titles = headings(section.columns)
    if len(section.rows) == 1:
        return [tables.row_in_words(titles, section.rows[0])]
    return table(titles, section.rows, section.title, n_open=section.open_rows, most=look.limit)


def headings(table_columns: Sequence[Column]) -> list[Heading]:
    """Return the headings of the columns of a section."""
    return [Heading(column.title, column.kind) for column in table_columns]
