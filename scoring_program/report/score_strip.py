"""The score with its interval and marks on the scale from 0 to 1, at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from scoring_program.marks import Mark
from scoring_program.report.elements.svg import key, line, rect, stretched_svg, with_title
from scoring_program.report.html import element
from scoring_program.result import Interval

# Of marks, in ascending order: none is that of the band. Their width is in percent of the strip.
_MARK_COLORS = ("fill-e", "fill-c", "fill-b", "fill-d")
_MARK_WIDTH = 0.8


def score_strip(
    score: float, interval: Interval | None, marks: Sequence[Mark], decimals: int
) -> list[Element]:
    """Return the score as a line on the scale from 0 to 1, its interval as a band, and marks beside it.

    Below is what each mark is; marks that cannot be told apart have one color.
    """
    description = f"the score {score:.{decimals}f}"
    if interval:
        description += f" in its interval from {interval.low:.4f} to {interval.high:.4f}"
    svg = stretched_svg(100, 10, f"{description} on a scale from 0 to 1")
    if interval:
        width = 100 * (interval.high - interval.low)
        svg.append(with_title(rect(100 * interval.low, 0, width, 10, "fill-band"), description))
    meanings = []
    colors = iter(_MARK_COLORS)
    color_of_score: dict[str, str] = {}
    for mark in marks:
        score_text = f"{mark.score:.{decimals}f}"
        if score_text not in color_of_score:
            color_of_score[score_text] = next(colors)
        color = color_of_score[score_text]
        text = f"{mark.text} {score_text}"
        # Within the strip at both ends.
        left = min(max(100 * mark.score - _MARK_WIDTH / 2, 0), 100 - _MARK_WIDTH)
        svg.append(with_title(rect(left, 0, _MARK_WIDTH, 10, color), text))
        meanings.append((text, color))
    svg.append(with_title(line(100 * score, 0, 100 * score, 10, "mark"), f"{score:.4f}"))
    strip = element("div", element("span", "0"), svg, element("span", "1"), class_="interval")
    return [strip, key(meanings)] if meanings else [strip]
