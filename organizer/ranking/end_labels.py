"""Labels beside the right ends of the lines of a chart, instead of a list of what their colors mean."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.plots import Line, series_colors
from scoring_program.report.elements.svg import key
from scoring_program.report.html import element

# In percent of the height of a plot.
_LABEL_HEIGHT = 9.0


def end_labels(lines: Sequence[Line], y_axis: Axis) -> list[Element]:
    """Return the labels of the lines of a `plots.line_chart`, the lowest end first.

    Each line has at least one point. Labels that would overlap are moved apart.
    """
    end_heights = [y_axis.percent(line.y[-1]) for line in lines]
    upwards = sorted(range(len(lines)), key=lambda number: (end_heights[number], -number))
    label_heights = _move_apart([end_heights[number] for number in upwards])
    colors = dict(zip(range(len(lines)), series_colors()))
    labels = []
    for number, height in zip(upwards, label_heights):
        label = key([(lines[number].label, f"fill-{colors[number]}")])
        labels.append(element("div", label, class_="end", style=f"bottom:{height:.2f}%"))
    return labels


def _move_apart(heights: Sequence[float]) -> list[float]:
    """Return ascending heights in percent, each at least that of a label above the one before."""
    apart = list(heights)
    for i in reversed(range(len(apart) - 1)):
        apart[i] = min(apart[i], apart[i + 1] - _LABEL_HEIGHT)
    lowest_free = 0.0
    for i, height in enumerate(apart):
        apart[i] = max(height, lowest_free)
        lowest_free = apart[i] + _LABEL_HEIGHT
    return apart
