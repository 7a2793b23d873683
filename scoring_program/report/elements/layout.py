"""The frame of a page: the document, its cards, and the table of contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from scoring_program.report.html import Child, append, cut, element, render

_STYLE = Path(__file__).parent.parent / "style.css"
# No script, no request; images are part of the page.
_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LONGEST_HEADING = 120
_LONGEST_NOTE = 600


def document(title: str, head: Sequence[Element], body: Sequence[Element], more_style: str = "") -> str:
    """Return a static page: title, header, and cards; ``more_style`` is added to the common CSS."""
    page_head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_CONTENT_POLICY),
        element("title", title),
        element("style", _STYLE.read_text(encoding="utf-8") + more_style),
    )
    page_header = element("header", element("p", title), *head)
    page_body = element("body", page_header, element("main", *body))
    return render(element("html", page_head, page_body, lang="en"))


def with_contents(first_cards: Sequence[Element], other_cards: Sequence[Element]) -> list[Element]:
    """Return the body of a page: the first cards, the table of contents of all if there are several, and the
    other cards.

    Where the page is narrow the contents are between them, so the first cards should be short.
    """
    cards = [section for part in (*first_cards, *other_cards) for section in part.iter("section")]
    contents = [_contents(cards)] if len(cards) > 1 else []
    shown_first = [element("div", *first_cards)] if first_cards else []
    return [*shown_first, *contents, element("div", *other_cards)]


def _contents(cards: Sequence[Element]) -> Element:
    entries = element("ul")
    for section in cards:
        title = section[0].text or ""
        link = element("a", cut(title), href=f"#{section.get('id')}")
        entries.append(element("li", link))
    return element("nav", entries, aria_label="Contents")


def card(key: str, title: str, note: str, *children: Child) -> Element:
    """Return a card with a heading that the table of contents can point to; texts become paragraphs."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", cut(key)) or "section"
    section = element("section", element("h2", cut(title, _LONGEST_HEADING)), id=name)
    if note:
        append(section, element("p", cut(note, _LONGEST_NOTE)))
    for child in children:
        section.append(child if isinstance(child, Element) else element("p", child))
    return section


def in_columns(cards: Sequence[Element]) -> list[Element]:
    """Return cards in two columns of about equal length where the page is wide enough; one alone as it is."""
    if len(cards) < 2:
        return list(cards)
    return [element("div", *cards, class_="columns")]


def folded(summary: str, *children: Child) -> Element:
    """Return children that show after a click on their summary."""
    return element("details", element("summary", summary), *children)


def scroll(content: Element, title: str) -> Element:
    """Return an area that scrolls sideways where it must, within reach of the keyboard."""
    label = cut(title, _LONGEST_HEADING)
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=label)
