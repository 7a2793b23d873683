"""Labels on a canvas, of which none lies on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scoring_program.report.html import element

# The width of a letter as a share of its height, rather more than less.
_LETTER = 0.6

Corner = tuple[float, float]


class _Place(NamedTuple):
    """Where a text is on the canvas."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: _Place) -> bool:
        """Return whether both share a point inside."""
        is_beside = self.right <= other.left or other.right <= self.left
        is_above = self.bottom <= other.top or other.bottom <= self.top
        return not is_beside and not is_above


class Labels:
    """Texts of one height on a canvas of (width, height) pixels."""

    def __init__(self, size: tuple[int, int], text_height: float) -> None:
        self._size = size
        self._text_height = text_height
        self._taken: list[_Place] = []
        self.texts: list[Element] = []

    def add_at_corners(self, text: str, box: Sequence[float], class_name: str) -> None:
        """Add a text inside or outside of the first corner of a box that has room for it."""
        left, top, right, bottom = box
        inner_left, inner_top = right - self._width(text), bottom - self._text_height
        inner_corners = [(left, top), (inner_left, top), (left, inner_top), (inner_left, inner_top)]
        above, outer_left = top - self._text_height, left - self._width(text)
        outer_corners = [(left, above), (left, bottom), (right, top), (outer_left, top), (inner_left, bottom)]
        self.add(text, [*inner_corners, *outer_corners], class_name)

    def add(self, text: str, corners: Sequence[Corner], class_name: str) -> None:
        """Add a text with its upper left corner at the first of some places that has room for it; without
        any it is left out."""
        for corner in corners:
            place = self._place(text, corner)
            if not any(place.overlaps(taken_place) for taken_place in self._taken):
                self._taken.append(place)
                self.texts.append(self._element(text, place, class_name))
                return

    def _width(self, text: str) -> float:
        return self._text_height * max(1.0, _LETTER * len(text))

    def _place(self, text: str, corner: Corner) -> _Place:
        """Return where a text is whose upper left corner is at a place, or as near to it as it stays on the
        canvas."""
        width, height = self._size
        left = max(min(corner[0], width - self._width(text)), 0.0)
        top = min(max(corner[1], 0.0), height - self._text_height)
        return _Place(left, top, left + self._width(text), top + self._text_height)

    def _element(self, text: str, place: _Place, class_name: str) -> Element:
        return element(
            "text",
            text,
            x=f"{place.left + 0.15 * self._text_height:.5g}",
            y=f"{place.top + 0.9 * self._text_height:.5g}",
            font_size=f"{self._text_height:.4g}",
            class_=class_name,
        )
