"""Plots: marks over a pair of axes, and histograms.

Marks are SVG that stretches with the card; texts are HTML that keeps its size on a phone. Colors are CSS
classes (``fill-f``, ``line-f``) that ``style.css`` defines for light and dark mode: ground truth has color a,
prediction b, costs d, and values f.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.svg import line, rect, with_title
from scoring_program.report.html import element
from validator.texts import counted

# A histogram with more edges has round numbers on its axis instead.
_MOST_EDGES = 12
# Numbers above more bars would run into each other: they have an axis instead.
_MOST_NUMBERED_BARS = 12
# In percent of the height of a histogram, so that there is room for a count above the highest bar.
_HIGHEST_BAR = 92
# In percent of the width of a histogram.
_GAP, _NARROWEST_BAR = 0.3, 0.1


def plot(
    description: str, x_axis: Axis, y_axis: Axis, marks: Sequence[Element], texts: Sequence[Element] = ()
) -> Element:
    """Return a field of marks, in percent from its upper left, with texts upon it and its two axes."""
    svg = element("svg", viewBox="0 0 100 100", preserveAspectRatio="none")
    field = element("div", svg, *texts, class_="field")
    for percent, text in x_axis.ticks():
        field.append(element("span", text, class_="x", style=f"left:{percent:.2f}%"))
    for percent, text in y_axis.ticks():
        svg.append(line(0, 100 - percent, 100, 100 - percent, "grid"))
        field.append(element("span", text, class_="y", style=f"bottom:{percent:.2f}%"))
    svg.append(line(0, 100, 100, 100, "axis"))
    svg.extend(marks)
    y_title = element("div", y_axis.title)
    x_title = element("div", x_axis.title, class_="x-title")
    return element("div", y_title, field, x_title, class_="plot", role="img", aria_label=description)


def histogram(
    title: str,
    axis_title: str,
    items_title: str,
    edges: Sequence[float],
    counts: Sequence[int],
    threshold: float | None = None,
) -> Element:
    """Return a histogram with the number of items in each bin above its bar, or beside many bars.

    ``items_title`` is a plural that says what is counted. ``edges`` has one entry more than ``counts``;
    ``threshold`` is a value that matters, which is marked. Bins around one whole number each, such as 2.5 to
    3.5, are named by that number.
    """
    # Round numbers take the place of many edges.
    numbers: Sequence[float] | None = edges if len(edges) <= _MOST_EDGES else None
    is_around_whole_numbers = all(edge % 1 == 0.5 for edge in edges) and edges[1] - edges[0] == 1
    if is_around_whole_numbers:
        numbers = [(low + high) / 2 for low, high in zip(edges, edges[1:])]
    x_axis = Axis(axis_title, edges[0], edges[-1], numbers)
    highest = 100 * max([1, *counts]) / _HIGHEST_BAR
    is_numbered = len(counts) <= _MOST_NUMBERED_BARS
    y_axis = Axis(items_title, 0, highest, numbers=() if is_numbered else None, is_whole=True)
    noun = re.sub("(?<=x)es$|s$", "", items_title)
    marks, texts = [], []
    for count, low, high in zip(counts, edges, edges[1:]):
        left, right = x_axis.percent(low), x_axis.percent(high)
        height = y_axis.percent(count)
        width = max(right - left - 2 * _GAP, _NARROWEST_BAR)
        bar = rect(left + _GAP, 100 - height, width, height, "fill-f")
        bin_text = f"{(low + high) / 2:g}" if is_around_whole_numbers else f"{low:g} to {high:g}"
        marks.append(with_title(bar, f"{bin_text}: {counted(count, noun, items_title)}"))
        if count and is_numbered:
            place = f"left:{(left + right) / 2:.2f}%;bottom:{height:.2f}%"
            texts.append(element("span", f"{count:,}", class_="value", style=place))
    if threshold is not None:
        percent = x_axis.percent(threshold)
        marks.append(line(percent, 0, percent, 100, "mark"))
        place = f"left:{percent:.2f}%"
        texts.append(element("span", f"needs {threshold:g}", class_="threshold", style=place))
    description = f"{title}: {', '.join(str(count) for count in counts)} {items_title}"
    return plot(description, x_axis, y_axis, marks, texts)
