"""The colors of series, as lines and shares are, and the scale of values that are colors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from xml.etree.ElementTree import Element

from scoring_program.report.html import cut, element

# The letters of the colors in style.css, in the order in which lines and shares get them. The first six are
# far apart; those with a meaning in other charts come last.
SERIES_COLORS = (
    "f",  # blue: values
    "c",  # purple
    "g",  # yellow-brown
    "i",  # pink
    "h",  # green
    "j",  # petrol
    "e",  # gray
    "d",  # red: costs
    "a",  # teal: ground truth
    "b",  # orange: prediction
)


def series_colors() -> Iterator[str]:
    """Return the letters of the colors of lines and shares in their order, repeated endlessly."""
    return cycle(SERIES_COLORS)


def color_scale(low: str, high: str) -> Element:
    """Return the scale of colors between the texts for its ends."""
    return element("span", cut(low), element("span", class_="scale"), cut(high), class_="key")
