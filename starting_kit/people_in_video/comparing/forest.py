"""Forest plots: intervals as bands and values as marks, one above the other on a common scale.

Only pages that compare submissions have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.report.elements.axis import round_ticks, tick_text
from scoring_program.report.html import element

# A plot in a table is narrow.
_MOST_TICKS = 4
_LEAST_WIDTH = 1e-9
_FAR = 3


class Band(NamedTuple):
    """A value between the ends of its interval; without an interval both ends are the value."""

    low: float
    value: float
    high: float

    @property
    def has_interval(self) -> bool:
        """Whether the ends differ."""
        return self.low < self.high


class Scale(NamedTuple):
    """The range of all bands of a plot, which is drawn from 1 to 99 percent of its width."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether a value is on it."""
        return self.low <= value <= self.high

    def percent(self, value: float) -> float:
        """Return where a value is, in percent of the width."""
        width = max(self.high - self.low, _LEAST_WIDTH)
        return 1 + 98 * (value - self.low) / width

    def ticks(self) -> list[float]:
        """Return the round numbers beside it."""
        return round_ticks(self.low, self.high, _MOST_TICKS)


def scale_of(intervals: Sequence[Band], higher_is_better: bool | None = None) -> Scale:
    """Return the scale that holds all intervals, but for far worse ones, which would squeeze the others.

    Far worse is a value further from the median than 3 times the distance of the best one, or the width of a
    typical interval if that is larger. Without a direction none is.
    """
    values = np.array([interval.value for interval in intervals])
    is_shown = np.full(len(values), True)
    if higher_is_better is not None:
        losses = -values if higher_is_better else values
        median = np.median(losses)
        width = np.median([interval.high - interval.low for interval in intervals])
        is_shown = losses <= median + _FAR * max(median - losses.min(), width)
    shown_intervals = [interval for interval, is_in in zip(intervals, is_shown.tolist()) if is_in]
    lowest = min(interval.low for interval in shown_intervals)
    highest = max(interval.high for interval in shown_intervals)
    return Scale(lowest, highest)


def forest_row(band: Band, scale: Scale, has_zero: bool = False) -> Element:
    """Return an interval as a band and the value as a mark; ``has_zero`` draws a line at 0.

    A value beyond the scale is an arrow at its end.
    """
    svg = element(
        "svg", class_="forest", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true"
    )
    if has_zero and scale.holds(0.0):
        svg.append(_upright_line(scale.percent(0.0), "zero"))
    if scale.holds(band.value):
        # The interval itself may lead beyond the scale.
        left, right = (min(max(scale.percent(end), 0.0), 100.0) for end in (band.low, band.high))
        place = {"x": f"{left:.2f}", "y": "3", "width": f"{right - left:.2f}", "height": "4"}
        svg.append(element("rect", **place, class_="fill-band"))
        svg.append(_upright_line(scale.percent(band.value), "mark"))
    else:
        tip, wing = (0, 4) if band.value < scale.low else (100, 96)
        for end in (1, 9):
            svg.append(element("line", x1=tip, y1=5, x2=wing, y2=end, class_="mark"))
    return svg


def _upright_line(x: float, class_name: str) -> Element:
    x_text = f"{x:.2f}"
    return element("line", x1=x_text, y1=0, x2=x_text, y2=10, class_=class_name)


def forest_axis(scale: Scale) -> Element:
    """Return the axis below a forest plot."""
    axis = element("div", class_="forest axis-x")
    for tick in scale.ticks():
        axis.append(element("span", tick_text(tick), style=f"left:{scale.percent(tick):.2f}%"))
    return axis


def scale_ends(scale: Scale) -> Element:
    """Return both ends of a scale as texts, for the heading above a plot."""
    low_text = element("span", f"{scale.low:.3f}")
    high_text = element("span", f"{scale.high:.3f}")
    return element("div", low_text, high_text, class_="ends")
