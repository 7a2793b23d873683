"""Lines over a pair of axes, and what their colors mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.colors import color_scale, series_colors
from scoring_program.report.elements.plots import plot
from scoring_program.report.elements.svg import key, with_title
from scoring_program.report.html import element

Point = tuple[float, float]


class Line(NamedTuple):
    """A line of a chart: points in order."""

    label: str
    x: Sequence[float]
    y: Sequence[float]


def line_chart(
    description: str,
    x_axis: Axis,
    y_axis: Axis,
    lines: Sequence[Line],
    is_filled: bool = False,
) -> Element:
    """Return lines over a grid, each in a color of its own; lines without points take none.

    With ``is_filled`` the area below the first one is shaded. `lines_key` names the lines.
    """
    drawn_lines = [series for series in lines if series.x]
    colors = dict(zip(range(len(drawn_lines)), series_colors()))
    marks = []
    for number, series in enumerate(drawn_lines):
        points = line_points(series, x_axis, y_axis)
        if is_filled and number == 0:
            area = [(points[0][0], 100.0), *points, (points[-1][0], 100.0)]
            marks.append(element("path", class_=f"area-{colors[0]}", d=f"{path_data(area)} Z"))
        marks.append(with_title(line_mark(points, colors[number]), series.label))
    return plot(description, x_axis, y_axis, marks)


def line_mark(points: Sequence[Point], color: str) -> Element:
    """Return a line through points in the color of a letter; a single point is a dot that can be seen."""
    classes = f"line-{color}" if len(points) > 1 else f"line-{color} dot"
    return element("path", class_=classes, d=path_data(points))


def ordered_line_chart(description: str, x_axis: Axis, y_axis: Axis, lines: Sequence[Line]) -> Element:
    """Return lines in one scale of color, because they are steps of one quantity; the last one stands out."""
    drawn_lines = [series for series in lines if series.x]
    n_steps = max(len(drawn_lines) - 2, 1)
    marks = []
    for number, series in enumerate(drawn_lines):
        look = {"class": "line-step", "style": f"--s:{number / n_steps:.3f}"}
        if series is drawn_lines[-1]:
            look = {"class": "line-last"}
        data = path_data(line_points(series, x_axis, y_axis))
        marks.append(with_title(element("path", **look, d=data), series.label))
    return plot(description, x_axis, y_axis, marks)


def line_points(series: Line, x_axis: Axis, y_axis: Axis) -> list[Point]:
    """Return the points of a line in percent from the upper left of a plot."""
    points = []
    for x, y in zip(series.x, series.y):
        points.append((x_axis.percent(x), 100 - y_axis.percent(y)))
    return points


def lines_key(lines: Sequence[Line]) -> Element:
    """Return what the colors of the lines of `line_chart` mean."""
    entries = []
    for series, color in zip(lines, series_colors()):
        entries.append((series.label, f"fill-{color}"))
    return key(entries)


def ordered_lines_key(lines: Sequence[Line]) -> Element:
    """Return what the colors of the lines of `ordered_line_chart` mean: the scale, and the last line."""
    if len(lines) < 3:
        return lines_key(lines)
    last_key = key([(lines[-1].label, "fill-last")])
    last_key.insert(0, color_scale(lines[0].label, lines[-2].label))
    return last_key


def path_data(points: Sequence[Point]) -> str:
    """Return the ``d`` of a path through points. One point is a line to itself, which is drawn as a dot."""
    if len(points) == 1:
        points = [*points, *points]
    return "M" + " L".join(f"{x:.5g} {y:.5g}" for x, y in points)
