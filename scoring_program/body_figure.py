"""A section of the detail page that is a drawn body, colored by the values of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from scoring_program.report.elements.colors import color_scale
from scoring_program.report.elements.svg import with_title
from scoring_program.report.elements.tables import table
from scoring_program.report.html import element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section, columns

# The tag of a shape, and its place.
_Shape = tuple[str, dict[str, int]]


def _circle(x: int, y: int, radius: int) -> _Shape:
    return "circle", {"cx": x, "cy": y, "r": radius, "stroke_width": 0}


def _limb(x1: int, y1: int, x2: int, y2: int, width: int) -> _Shape:
    return "line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke_width": width}


_BODY = {
    "head": _circle(100, 30, 20),
    "torso": _limb(x1=100, y1=72, x2=100, y2=125, width=46),
    "right upper arm": _limb(x1=72, y1=66, x2=52, y2=104, width=15),
    "left upper arm": _limb(x1=128, y1=66, x2=148, y2=104, width=15),
    "right lower arm": _limb(x1=50, y1=112, x2=42, y2=148, width=12),
    "left lower arm": _limb(x1=150, y1=112, x2=158, y2=148, width=12),
    "right hand": _circle(40, 162, 8),
    "left hand": _circle(160, 162, 8),
    "right upper leg": _limb(x1=88, y1=150, x2=84, y2=190, width=20),
    "left upper leg": _limb(x1=112, y1=150, x2=116, y2=190, width=20),
    "right lower leg": _limb(x1=83, y1=202, x2=81, y2=236, width=15),
    "left lower leg": _limb(x1=117, y1=202, x2=119, y2=236, width=15),
    "right foot": _limb(x1=80, y1=249, x2=70, y2=251, width=10),
    "left foot": _limb(x1=120, y1=249, x2=130, y2=251, width=10),
}


@dataclass(frozen=True)
class BodyFigure(Section):
    """A drawn body whose parts are colored by their value: (part, value 0..1 or None, number of points)."""

    level = FULL
    parts: Sequence[tuple[str, float | None, int]]

    def render(self, look: Look) -> list[Element]:
        """Return the body beside a table of its parts."""
        titles = columns(text=["Part"], share=["Value"], count=["Points"])
        numbers = table(titles, self.parts, self.title, most=look.limit)
        return [element("div", self._body(), element("div", *numbers), class_="beside")]

    def _body(self) -> Element:
        """Return a figure whose parts are colored by their value from 0 to 1, over the scale of colors."""
        value_of_part = {name: value for name, value, _ in self.parts if value is not None}
        description = ", ".join(f"{name} {value:.2f}" for name, value in value_of_part.items())
        label = f"{self.title}: {description}"
        chart = element("svg", viewBox="20 0 160 260", role="img", aria_label=label)
        for name, (tag, place) in _BODY.items():
            title, look = name, {"class": "limb none"}
            if name in value_of_part:
                value = value_of_part[name]
                title = f"{name} {value:.3f}"
                # Only the stroke or fill color differs, so that overlapping limbs do not show through.
                look = {"class": "limb", "style": f"--s:{min(max(value, 0.0), 1.0):.3f}"}
            chart.append(with_title(element(tag, **place, **look), title))
        sides = element("div", element("span", "right"), element("span", "left"), class_="sides")
        return element("div", chart, sides, color_scale("0", "1"), class_="body")
