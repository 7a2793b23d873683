"""A section of the detail page that is a chart of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from scoring_program.report.elements import lines as elements
from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.lines import Line
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
        """Return the lines of a section, and what their colors mean if there are several."""
        low_x, high_x, low_y, high_y = self.ranges
        x_axis = Axis(self.x_title, low_x, high_x)
        y_axis = Axis(self.y_title, low_y, high_y)
        description = f"{self.title}: {self.y_title} against {self.x_title}"
        if self.ordered:
            chart = elements.ordered_line_chart(description, x_axis, y_axis, self.lines)
            meanings = elements.ordered_lines_key(self.lines)
        else:
            chart = elements.line_chart(description, x_axis, y_axis, self.lines, is_filled=self.filled)
            meanings = elements.lines_key(self.lines)
        return [chart, meanings] if len(self.lines) > 1 else [chart]
