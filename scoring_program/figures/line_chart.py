"""A section of the detail page that is a chart of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.colors import color_scale, series_colors
from scoring_program.report.elements.lines import Line, line_mark, line_points, path_data
from scoring_program.report.elements.plots import plot
from scoring_program.report.elements.svg import key, with_title
from scoring_program.report.html import element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section


@dataclass(frozen=True)
class LineChart(Section):
    """Lines over one pair of axes.

    ``ranges`` are (low x, high x, low y, high y); ``filled`` shades the area below the first line;
    ``ordered`` draws the lines in one scale of color, because their labels are steps of one quantity, and the
    last line stands out.
    """

    lines: Sequence[Line]
    x_title: str
    y_title: str
    ranges: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
    filled: bool = False
    ordered: bool = False
    level: str = FULL

    def is_narrow(self) -> bool:
        """Return True: it fits into half of the width."""
        return True

    def render(self, look: Look) -> list[Element]:
        """Return the lines over a grid, and what their colors mean if there are several."""
        low_x, high_x, low_y, high_y = self.ranges
        x_axis = Axis(self.x_title, low_x, high_x)
        y_axis = Axis(self.y_title, low_y, high_y)
        description = f"{self.title}: {self.y_title} against {self.x_title}"
        chart = plot(description, x_axis, y_axis, self._marks(x_axis, y_axis))
        return [chart, self._key()] if len(self.lines) > 1 else [chart]

    def _marks(self, x_axis: Axis, y_axis: Axis) -> list[Element]:
        """Return the lines; those without points take no color."""
        drawn_lines = [series for series in self.lines if series.x]
        n_steps = max(len(drawn_lines) - 2, 1)
        marks = []
        for number, (series, color) in enumerate(zip(drawn_lines, series_colors())):
            points = line_points(series, x_axis, y_axis)
            if self.filled and number == 0:
                area = [(points[0][0], 100.0), *points, (points[-1][0], 100.0)]
                marks.append(element("path", class_=f"area-{color}", d=f"{path_data(area)} Z"))
            if not self.ordered:
                mark = line_mark(points, color)
            elif series is drawn_lines[-1]:
                mark = element("path", class_="line-last", d=path_data(points))
            else:
                step = f"--s:{number / n_steps:.3f}"
                mark = element("path", class_="line-step", style=step, d=path_data(points))
            marks.append(with_title(mark, series.label))
        return marks

    def _key(self) -> Element:
        """Return what the colors of the lines mean; of steps the scale, and the last line."""
        if self.ordered and len(self.lines) > 2:
            last_key = key([(self.lines[-1].label, "fill-last")])
            last_key.insert(0, color_scale(self.lines[0].label, self.lines[-2].label))
            return last_key
        return key([(series.label, f"fill-{color}") for series, color in zip(self.lines, series_colors())])
