"""A section of the detail page that is one bar of shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from scoring_program.report.elements.colors import series_colors
from scoring_program.report.elements.svg import key, rect, stretched_svg, with_title
from scoring_program.report.sections import Look
from scoring_program.result import Section


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
        for name, (_, share), color in zip(names, self.shares, series_colors()):
            width = 100 * min(max(share, 0.0), 1.0)
            chart.append(with_title(rect(left, 0, width, 10, f"fill-{color}"), name))
            left += width
            if round(share, 3):
                meanings.append((name, f"fill-{color}"))
        return [chart, key(meanings)]
