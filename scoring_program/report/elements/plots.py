"""Plots: marks over a pair of axes.

Marks are SVG that stretches with the card; texts are HTML that keeps its size on a phone. Colors are CSS
classes (``fill-f``, ``line-f``) that ``style.css`` defines for light and dark mode: ground truth has color a,
prediction b, costs d, and values f.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.svg import line
from scoring_program.report.html import element


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
