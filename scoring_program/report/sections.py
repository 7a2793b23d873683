"""Sections of a task as cards of a page: tables, figures, and sections that share a card."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scoring_program.report.elements.layout import card, in_columns
from scoring_program.report.elements.tables import row_in_words, table
from scoring_program.report.html import element
from scoring_program.result import Section, Table
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


def section_cards(sections: Sequence[Section], look: Look) -> list[Element]:
    """Return cards: one for sections that share it; narrow ones in two columns."""
    elements: list[Element] = []
    limit = look.limit
    for (shared_title, is_narrow), group in groupby(sections[:limit], _place_on_page):
        members = list(group)
        if shared_title:
            first = members[0]
            elements.append(card(first.key, shared_title, first.note, *first.render_shared(members, look)))
        else:
            cards = [_card(section, look) for section in members]
            elements += in_columns(cards) if is_narrow else cards
    if len(sections) > limit:
        elements.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return elements


def _place_on_page(section: Section) -> tuple[str, bool]:
    """Return the title of the card that neighbors share, and whether a section is in one of two columns."""
    return section.shared_title, section.is_narrow()


def _card(section: Section, look: Look) -> Element:
    content = _table(section, look) if isinstance(section, Table) else section.render(look)
    return card(section.key, section.title, section.note, *content)


def _table(section: Table, look: Look) -> list[Element]:
    """Return a table, or its only row in words."""
    if len(section.rows) == 1:
        return [row_in_words(section.columns, section.rows[0])]
    return table(section.columns, section.rows, section.title, n_open=section.open_rows, most=look.limit)
