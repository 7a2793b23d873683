"""A small tree builder over the standard library's ElementTree: text and attributes are always escaped."""

from __future__ import annotations

import re
from typing import Union
from xml.etree.ElementTree import Element, tostring

from validator.texts import visible

Child = Union[Element, str]

# The elements that a page may consist of. None of them runs code or fetches anything.
_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "div", "span"),
    *("p", "h1", "h2", "h3", "ol", "ul", "li", "a", "code", "nav", "small", "strong", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "rect", "line", "path", "circle", "g", "text", "image"),
}
# The one resource of a page, within it.
_IMAGE = re.compile(r"data:image/jpeg;base64,[A-Za-z0-9+/]+=*")
# Within the page; or to a page beside it, one folder below or above, as rankings and drawings have.
_LINK = re.compile(r"#.*|(\.\./|[A-Za-z0-9_-]+/)?[A-Za-z0-9_-]+\.html(#[a-z0-9-]+)?", re.DOTALL)


def element(tag: str, *children: Child, **attributes: str | int | float) -> Element:
    """Return an element; an attribute name ends in "_" where Python reserves the word, "_" within means "-".

    Raises
    ------
    ValueError
        The element is not one of the static ones that pages consist of, or a link to elsewhere.
    """
    reference = str(attributes.get("href", "#"))
    if tag not in _TAGS or not (_IMAGE if tag == "image" else _LINK).fullmatch(reference):
        raise ValueError(f"pages hold no <{tag}> like this")
    names = {name.rstrip("_").replace("_", "-"): visible(str(value)) for name, value in attributes.items()}
    root = Element(tag, names)
    if tag == "style":
        # Ours, with line breaks.
        root.text = "".join(map(str, children))
        return root
    for child in children:
        append(root, child)
    return root


def append(parent: Element, child: Child) -> None:
    """Append an element or a text to ``parent``."""
    if not isinstance(child, str):
        parent.append(child)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + visible(child)
    else:
        parent.text = (parent.text or "") + visible(child)


def cut(text: str, longest: int = 60) -> str:
    """Return the text, shortened to ``longest`` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def cut_middle(text: str, longest: int = 60, n_last: int = 29) -> str:
    """Return the text, shortened to ``longest`` characters before its last ones.

    Names differ at both ends, and the end of a note says what to do.
    """
    return text if len(text) <= longest else f"{text[: longest - 1 - n_last]}…{text[-n_last:]}"


def render(root: Element) -> str:
    """Return the HTML document of a tree."""
    return "<!DOCTYPE html>\n" + tostring(root, encoding="unicode", method="html") + "\n"
