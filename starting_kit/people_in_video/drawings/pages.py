"""Drawings at home: the first are on the detail page, the others on pages of their own beside it.

The rows of the table of items link to them. Nothing here runs a script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from people_in_video.drawings.scenes import Drawing, drawings_style
from people_in_video.drawings.svg import Drawings
from people_in_video.drawings.timelines import Timeline
from scoring_program.report import outputs
from scoring_program.report.elements.layout import document
from scoring_program.report.html import append, cut, element
from scoring_program.report.sections import Look, section_cards
from scoring_program.result import Cell, Section, Table

FOLDER = "detailed_results_files"
# The addresses of drawings, by the first cells of the row about their item.
Addresses = Mapping[tuple[str, ...], str]
# How many drawings the detail page has, and each further page.
IN_DETAIL_PAGE = 24
ON_A_PAGE = 50


class DividedSections(NamedTuple):
    """Sections, and where the drawings of items are.

    Attributes
    ----------
    sections : list of Section
        Those of the detail page.
    pages : list of lists of Section
        Those of each further page, drawings alone.
    addresses : mapping of tuple of str to str
        The address of the first drawing of each item, by the first cells of the row about it.
    """

    sections: list[Section]
    pages: list[list[Section]]
    addresses: Addresses


def number_of_pages(sections: Sequence[Section]) -> int:
    """Return on how many pages the drawings of sections are, the detail page among them."""
    n_drawings = 0
    for section in sections:
        if isinstance(section, Drawings):
            n_drawings += len(section.drawings)
        elif isinstance(section, Timeline):
            n_drawings += 1
    return 1 + _page_of(n_drawings)


def divide(sections: Sequence[Section]) -> DividedSections:
    """Return sections with at most 24 drawings or timelines, and the others on pages of 50."""
    pages: list[list[Section]] = [[] for _ in range(number_of_pages(sections))]
    more = " The rows of the table link to these, and to more on further pages." if len(pages) > 1 else ""
    addresses: dict[tuple[str, ...], str] = {}
    numbers = count(1)
    for section in sections:
        if isinstance(section, Timeline):
            number = next(numbers)
            page = _page_of(number)
            addresses.setdefault((section.title,), _address(number))
            note = section.note + (more if not page else "")
            pages[page].append(replace(section, anchor=_anchor(number), note=note))
        elif isinstance(section, Drawings):
            drawings_of_page: dict[int, list[Drawing]] = {}
            for drawing, number in zip(section.drawings, numbers):
                addresses.setdefault(tuple(drawing.item), _address(number))
                drawings = drawings_of_page.setdefault(_page_of(number), [])
                drawings.append(drawing._replace(anchor=_anchor(number)))
            for page, drawings in drawings_of_page.items():
                note = section.note + (more if not page else "")
                pages[page].append(replace(section, drawings=drawings, note=note))
        else:
            pages[0].append(section)
    return DividedSections(pages[0], pages[1:], addresses)


def _anchor(number: int) -> str:
    """Return what links to the drawing with a number point to."""
    return f"drawing-{number}"


def _address(number: int) -> str:
    """Return the address that the detail page has for the drawing with a number."""
    page = _page_of(number)
    return f"{FOLDER}/{_page_name(page)}#{_anchor(number)}" if page else f"#{_anchor(number)}"


def with_links(divided: DividedSections, items_text: str) -> list[Section]:
    """Return the sections of the detail page; rows about items link to their drawings.

    ``items_text`` ends the notes on tables of items.
    """
    sections = list[Section]()
    for section in divided.sections:
        if isinstance(section, Table) and section.item_columns:
            rows = [_linked_row(row, section.item_columns, divided.addresses) for row in section.rows]
            section = replace(section, rows=rows, note=f"{section.note} {items_text}".strip())
        sections.append(section)
    return sections


def _linked_row(row: Sequence[Cell], n_item_columns: int, addresses: Addresses) -> list[Any]:
    """Return a row whose first cell is a link to the drawing of its item, if there is one."""
    item = tuple(str(cell) for cell in row[:n_item_columns])
    first_cell = element("a", cut(item[0]), href=addresses[item]) if item in addresses else row[0]
    return [first_cell, *row[1:]]


def _page_of(number: int) -> int:
    """Return the page of the drawing with a number, 0 for the detail page."""
    return -(-max(number - IN_DETAIL_PAGE, 0) // ON_A_PAGE)


def write_pages(output: Path, title: str, pages: Sequence[Sequence[Section]]) -> None:
    """Write the further pages into a folder beside the detail page, and remove those of an earlier run.

    Raises OutputError if they cannot be written.
    """
    folder = output / FOLDER
    if pages or folder.is_dir():
        earlier_pages = [path.name for path in folder.glob(_page_name("*"))]
        outputs.clear(folder, earlier_pages)
    for number, sections in enumerate(pages, start=1):
        html = _further_page(title, sections, number, len(pages))
        outputs.write_atomic(folder / _page_name(number), html)


def _page_name(number: int | str) -> str:
    return f"drawings-{number}.html"


def _further_page(title: str, sections: Sequence[Section], number: int, n_pages: int) -> str:
    """Return a page of drawings, all open, with links to the detail page and to its neighbors."""
    links = element("p", element("a", "Detail page", href=f"../{outputs.DETAIL_HTML}"))
    if number > 1:
        append(links, " · ")
        links.append(element("a", "previous drawings", href=_page_name(number - 1)))
    if number < n_pages:
        append(links, " · ")
        links.append(element("a", "next drawings", href=_page_name(number + 1)))
    head = [element("h1", f"More drawings, page {number} of {n_pages}"), links]
    look = Look(ON_A_PAGE, n_open=ON_A_PAGE)
    return document(title, head, section_cards(sections, look), drawings_style())
