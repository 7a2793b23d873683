"""The score with its interval and marks on a scale, at the top of a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from scoring_program.marks import Mark
from scoring_program.report.elements.axis import Axis, round_step, tick_text
from scoring_program.report.elements.svg import key, line, rect, stretched_svg, with_title
from scoring_program.report.html import element
from scoring_program.result import Interval

# Of marks, in ascending order: none is that of the band. Their width is in percent of the strip.
_MARK_COLORS = ("fill-e", "fill-c", "fill-b", "fill-d")
_MARK_WIDTH = 0.8


def score_strip(
    score: float, interval: Interval | None, marks: Sequence[Mark], decimals: int
) -> list[Element]:
    """Return the score as a line, its interval as a band, and marks beside it, on the scale from 0 to 1 or on
    the round part of it that holds the interval.

    Below is what each mark is: marks that look equal are one, and those beyond the strip have no color.
    """
    scale = Axis("", 0.0, 1.0)
    if interval:
        scale = _round_scale(min(interval.low, score), max(interval.high, score))
    low_text, high_text = tick_text(scale.low), tick_text(scale.high)
    description = f"the score {score:.{decimals}f}"
    if interval:
        description += f" in its interval from {interval.low:.{decimals}f} to {interval.high:.{decimals}f}"
    svg = stretched_svg(100, 10, f"{description} on a scale from {low_text} to {high_text}")
    if interval:
        left, right = scale.percent(interval.low), scale.percent(interval.high)
        svg.append(with_title(rect(left, 0, right - left, 10, "fill-band"), description))
    meanings = []
    colors = iter(_MARK_COLORS)
    for text, mark_score in mark_texts(marks, decimals).items():
        color = ""
        if scale.low <= mark_score <= scale.high:
            color = next(colors)
            middle = scale.percent(mark_score)
            # Within the strip at both ends.
            left = min(max(middle - _MARK_WIDTH / 2, 0), 100 - _MARK_WIDTH)
            svg.append(with_title(rect(left, 0, _MARK_WIDTH, 10, color), text))
        meanings.append((text, color))
    place = scale.percent(score)
    svg.append(with_title(line(place, 0, place, 10, "mark"), f"{score:.{decimals}f}"))
    strip = element("div", element("span", low_text), svg, element("span", high_text), class_="interval")
    return [strip, key(meanings)] if meanings else [strip]


def _round_scale(low: float, high: float) -> Axis:
    """Return round numbers in 0..1 around two others.

    Examples
    --------
    >>> scale = _round_scale(0.8836, 0.9039)
    >>> scale.low, scale.high
    (0.88, 0.91)
    """
    step = round_step((high - low) / 3)
    round_low, round_high = step * math.floor(low / step), step * math.ceil(high / step)
    return Axis("", max(round(round_low, 10), 0.0), min(round(round_high, 10), 1.0))


def mark_texts(marks: Sequence[Mark], decimals: int) -> dict[str, float]:
    """Return a text for all marks that look equal, and the score of the first of them.

    Examples
    --------
    >>> mark_texts([Mark("empty", 0.0), Mark("random", 0.00001)], 4)
    {'nothing predicted, random answers: 0.0000': 0.0}
    """
    marks_of_score: dict[str, list[Mark]] = {}
    for mark in marks:
        marks_of_score.setdefault(f"{mark.score:.{decimals}f}", []).append(mark)
    score_of_text = {}
    for score_text, equal_marks in marks_of_score.items():
        answers = ", ".join(mark.text for mark in equal_marks)
        score_of_text[f"{answers}: {score_text}"] = equal_marks[0].score
    return score_of_text
