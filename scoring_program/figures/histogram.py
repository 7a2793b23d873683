"""A section of the detail page that is a histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.report.elements import plots
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section
from validator.arrays import Floats


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
