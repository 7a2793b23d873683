"""Lines over a pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scoring_program.report.elements.axis import Axis
from scoring_program.report.html import element

Point = tuple[float, float]


class Line(NamedTuple):
    """A line of a chart: points in order."""

    label: str
    x: Sequence[float]
    y: Sequence[float]


def line_mark(points: Sequence[Point], color: str) -> Element:
    """Return a line through points in the color of a letter; a single point is a dot that can be seen."""
    classes = f"line-{color}" if len(points) > 1 else f"line-{color} dot"
    return element("path", class_=classes, d=path_data(points))


def line_points(series: Line, x_axis: Axis, y_axis: Axis) -> list[Point]:
    """Return the points of a line in percent from the upper left of a plot."""
    points = []
    for x, y in zip(series.x, series.y):
        points.append((x_axis.percent(x), 100 - y_axis.percent(y)))
    return points


def path_data(points: Sequence[Point]) -> str:
    """Return the ``d`` of a path through points. One point is a line to itself, which is drawn as a dot."""
    if len(points) == 1:
        points = [*points, *points]
    return "M" + " L".join(f"{x:.5g} {y:.5g}" for x, y in points)
