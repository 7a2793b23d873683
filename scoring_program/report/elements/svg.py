"""Rectangles, lines and titles of charts, and the meaning of their colors.

Colors are CSS classes that ``style.css`` defines for light and dark mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from scoring_program.report.html import append, cut, element

_LONGEST_MEANING = 120


def key(entries: Sequence[tuple[str, str]]) -> Element:
    """Return the meaning of colors: (text, class of the color), "" for what has none."""
    meanings = element("div", class_="key")
    for text, class_name in entries:
        meaning = element("span")
        if class_name:
            square = element("rect", width=10, height=10, class_=class_name)
            meaning.append(element("svg", square, viewBox="0 0 10 10", aria_hidden="true"))
        append(meaning, cut(text, _LONGEST_MEANING))
        meanings.append(meaning)
    return meanings


def with_title(mark: Element, title: str) -> Element:
    """Return a mark with a text that shows on hover."""
    mark.append(element("title", title))
    return mark


def stretched_svg(width: float, height: float, description: str, **attributes: str) -> Element:
    """Return a canvas that stretches in both directions."""
    box = f"0 0 {width:g} {height:g}"
    attributes |= {"viewBox": box, "preserveAspectRatio": "none", "role": "img"}
    return element("svg", **attributes, aria_label=description)


def rect(x: float, y: float, width: float, height: float, class_name: str) -> Element:
    """Return a rectangle."""
    place = {"x": x, "y": y, "width": width, "height": height}
    texts = {name: f"{value:.6g}" for name, value in place.items()}
    return element("rect", class_=class_name, **texts)


def line(x1: float, y1: float, x2: float, y2: float, class_name: str) -> Element:
    """Return a line."""
    place = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    texts = {name: f"{value:.6g}" for name, value in place.items()}
    return element("line", class_=class_name, **texts)
