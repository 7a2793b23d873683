"""A section of the detail page that is a histogram."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.plots import plot
from scoring_program.report.elements.svg import line, rect, with_title
from scoring_program.report.html import element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section
from validator.arrays import Floats
from validator.texts import counted

# A histogram with more edges has round numbers on its axis instead.
_MOST_EDGES = 12
# Numbers above more bars would run into each other: they have an axis instead.
_MOST_NUMBERED_BARS = 12
# In percent of the height of a histogram, so that there is room for a count above the highest bar.
_HIGHEST_BAR = 92
# In percent of the width of a histogram.
_GAP, _NARROWEST_BAR = 0.3, 0.1


@dataclass(frozen=True)
class Histogram(Section):
    """How many ``things``, a plural, have a value in each bin; ``edges`` has one entry more than ``counts``.

    ``threshold`` is a value that matters, which is marked. Bins around one whole number each, such as 2.5 to
    3.5, are named by that number.
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
        """Return the histogram with the number of things in each bin above its bar, or beside many bars."""
        edges, counts = self.edges, self.counts
        # Round numbers take the place of many edges.
        numbers: Sequence[float] | None = edges if len(edges) <= _MOST_EDGES else None
        is_around_whole_numbers = all(edge % 1 == 0.5 for edge in edges) and edges[1] - edges[0] == 1
        if is_around_whole_numbers:
            numbers = [(low + high) / 2 for low, high in zip(edges, edges[1:])]
        x_axis = Axis(self.value, edges[0], edges[-1], numbers)
        highest = 100 * max([1, *counts]) / _HIGHEST_BAR
        is_numbered = len(counts) <= _MOST_NUMBERED_BARS
        y_axis = Axis(self.things, 0, highest, numbers=() if is_numbered else None, is_whole=True)
        noun = re.sub("(?<=x)es$|s$", "", self.things)
        marks, texts = [], []
        for count, low, high in zip(counts, edges, edges[1:]):
            left, right = x_axis.percent(low), x_axis.percent(high)
            height = y_axis.percent(count)
            width = max(right - left - 2 * _GAP, _NARROWEST_BAR)
            bar = rect(left + _GAP, 100 - height, width, height, "fill-f")
            bin_text = f"{(low + high) / 2:g}" if is_around_whole_numbers else f"{low:g} to {high:g}"
            marks.append(with_title(bar, f"{bin_text}: {counted(count, noun, self.things)}"))
            if count and is_numbered:
                place = f"left:{(left + right) / 2:.2f}%;bottom:{height:.2f}%"
                texts.append(element("span", f"{count:,}", class_="value", style=place))
        if self.threshold is not None:
            percent = x_axis.percent(self.threshold)
            marks.append(line(percent, 0, percent, 100, "mark"))
            place = f"left:{percent:.2f}%"
            texts.append(element("span", f"needs {self.threshold:g}", class_="threshold", style=place))
        description = f"{self.title}: {', '.join(map(str, counts))} {self.things}"
        return [plot(description, x_axis, y_axis, marks, texts)]


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
