"""Sections of the detail page that are figures: histograms, matrices, lines, bars. Each renders itself.

Ground truth has color a, prediction b, costs d, and values f, as `style.css` defines them. Only pages with
figures need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.report.elements import plots, tables
from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.layout import scroll
from scoring_program.report.elements.plots import Line
from scoring_program.report.elements.svg import key, rect, stretched_svg, with_title
from scoring_program.report.html import cut, element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section
from validator.arrays import Floats, Ints

LARGEST_MATRIX = 20
_LONGEST_LABEL = 24
_MOST_NAMES_OF_A_HALF = 10


@dataclass(frozen=True)
class Histogram(Section):
    """How many ``things`` have a value in each bin; ``edges`` has one entry more than ``counts``.

    ``threshold`` is a value that matters, which the chart marks.
    """

    level = FULL
    edges: Sequence[float]
    counts: Sequence[int]
    value: str
    things: str
    threshold: float | None = None

    def is_narrow(self) -> bool:
        """Return True: it fits into half of the width."""
        return True

    def render(self, look: Look) -> list[Element]:
        """Return the histogram with its counts."""
        chart = plots.histogram(
            title=self.title,
            axis_title=self.value,
            items_title=self.things,
            edges=self.edges,
            counts=self.counts,
            threshold=self.threshold,
        )
        return [chart]


def share_histogram(
    section: Section, values: Floats, n_bins: int, titles: tuple[str, str], threshold: float | None = None
) -> Histogram:
    """Return a histogram of values in 0..1 in equal bins, with key, title and note of ``section``.

    ``values`` (n,) are float64; ``titles`` are what the values are called, and what has them, in the plural.
    """
    # Each edge is the float64 next to k / n, as a score of that value is.
    edges = np.arange(n_bins + 1) / n_bins
    index = np.clip(np.searchsorted(edges, values, "right") - 1, 0, n_bins - 1)
    counts = np.bincount(index, minlength=n_bins)
    value_title, item_title = titles
    return Histogram(
        key=section.key,
        title=section.title,
        note=section.note,
        edges=edges.tolist(),
        counts=counts.tolist(),
        value=value_title,
        things=item_title,
        threshold=threshold,
    )


@dataclass(frozen=True)
class Matrix(Section):
    """Counts of pairs of ``things``: rows are ground truth, columns are predictions, both called ``names``.

    ``counts`` has shape (n, n), or (n + 1, n + 1) where ``unpaired`` names a last row, of predictions, and a
    last column, of ground truth, without a counterpart.
    """

    level = FULL
    names: Sequence[str]
    counts: Ints
    things: str
    unpaired: tuple[str, str] | None = None

    def is_narrow(self) -> bool:
        """Return whether the names fit into half of the width."""
        return len(self.names) <= _MOST_NAMES_OF_A_HALF

    def render(self, look: Look) -> list[Element]:
        """Return a table of counts colored by size, and what its rows and columns are."""
        text = f"Rows: ground truth. Columns: prediction. Numbers: {self.things}."
        if len(self.names) > LARGEST_MATRIX:
            text += f" Only the first {LARGEST_MATRIX} names are shown."
        return [scroll(self._table(), self.title), element("p", text, class_="after")]

    def _table(self) -> Element:
        """Return a table of counts colored by size: one scale for the diagonal, one for the rest."""
        n_names = min(len(self.names), LARGEST_MATRIX)
        row_names = [cut(name, _LONGEST_LABEL) for name in self.names[:n_names]]
        column_names = list(row_names)
        indexes = list(range(n_names))
        if self.unpaired:
            last_row_name, last_column_name = self.unpaired
            row_names.append(last_row_name)
            column_names.append(last_column_name)
            indexes.append(len(self.names))
        counts = self.counts[indexes][:, indexes].tolist()
        largest_same, largest_other = 1, 1
        for i, row in enumerate(counts):
            # The corner belongs to neither: there is no pair of two things that are missing.
            largest_same = max(largest_same, row[i] if i < n_names else 1)
            largest_other = max([largest_other, *row[:i], *row[i + 1 :]])
        cells: list[list[Element]] = []
        for i, row in enumerate(counts):
            cells.append([])
            for j, count in enumerate(row):
                kind, largest = ("same", largest_same) if i == j else ("other", largest_other)
                attributes = {}
                if count:
                    title = f"{row_names[i]}, {column_names[j]}: {count:,}"
                    attributes = {"class": kind, "style": f"--s:{count / largest:.2f}", "title": title}
                cells[i].append(element("td", f"{count:,}" if count else "", **attributes))
        return tables.matrix(row_names, column_names, cells)


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
            chart = plots.ordered_line_chart(description, x_axis, y_axis, self.lines)
            meanings = plots.ordered_lines_key(self.lines)
        else:
            chart = plots.line_chart(description, x_axis, y_axis, self.lines, is_filled=self.filled)
            meanings = plots.lines_key(self.lines)
        return [chart, meanings] if len(self.lines) > 1 else [chart]


@dataclass(frozen=True)
class StackedBar(Section):
    """Shares of a whole, totals of the whole run: (label, share); they need not add up to 1."""

    shares: Sequence[tuple[str, float]]

    def render(self, look: Look) -> list[Element]:
        """Return one bar of shares side by side, and what its colors mean; shares of 0 are not named."""
        names = [f"{label} {share:.3f}" for label, share in self.shares]
        description = f"{self.title}: {', '.join(names)}"
        chart = stretched_svg(100, 10, description, class_="stack")
        left = 0.0
        meanings = []
        for name, (_, share), color in zip(names, self.shares, plots.series_colors()):
            width = 100 * min(max(share, 0.0), 1.0)
            chart.append(with_title(rect(left, 0, width, 10, f"fill-{color}"), name))
            left += width
            if round(share, 3):
                meanings.append((name, f"fill-{color}"))
        return [chart, key(meanings)]
