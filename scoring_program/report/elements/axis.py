"""Axes: where a value stands on a scale, and which round numbers are written beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

MOST_TICKS = 5
# A step is one of these times a power of ten.
_ROUND = (1.0, 2.0, 2.5, 5.0)
_ROUND_AND_WHOLE = (1.0, 2.0, 5.0)
_LEAST_WIDTH = 1e-9
# Multiples of a step miss the ends of a scale by rounding errors.
_TOLERANCE = 1e-9
_DECIMALS = 10


class Axis(NamedTuple):
    """One direction of a plot: its title and its range.

    ``numbers`` are those written beside it, round ones by default; with ``is_whole`` these are whole, too.
    """

    title: str
    low: float
    high: float
    numbers: Sequence[float] | None = None
    is_whole: bool = False

    def percent(self, value: float) -> float:
        """Return where a value is, in percent of the axis; a value beyond an end is at that end.

        All values are at the start of an axis without width, as of edges that are rounded to one number.
        """
        if self.low == self.high:
            return 0.0
        inside = min(max(value, self.low), self.high)
        return 100 * ((inside - self.low) / (self.high - self.low))

    def ticks(self) -> list[tuple[float, str]]:
        """Return the numbers beside the axis: where they are in percent, and their texts."""
        numbers = self.numbers
        if numbers is None:
            numbers = round_ticks(self.low, self.high, is_whole=self.is_whole)
        return [(self.percent(number), tick_text(number)) for number in numbers]


def round_ticks(low: float, high: float, most: int = MOST_TICKS, is_whole: bool = False) -> list[float]:
    """Return the multiples within a scale of the smallest round step that gives at most ``most`` of them.

    A scale without width has its one value.

    Examples
    --------
    >>> round_ticks(0, 1)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> round_ticks(0.41, 0.79)
    [0.5, 0.6, 0.7]
    >>> round_ticks(0, 1254, is_whole=True)
    [0.0, 500.0, 1000.0]
    """
    width = high - low
    if not width > _LEAST_WIDTH:
        return [low]
    steps = _round_steps(width / most, is_whole)
    choices = (_multiples(low, high, step) for step in steps)
    return next(ticks for ticks in choices if len(ticks) <= most)


def round_step(least: float, is_whole: bool = False) -> float:
    """Return the smallest round number that is not below ``least``: 1, 2, 2.5 or 5 times a power of ten.

    With ``is_whole`` it is a whole one: 1, 2, 5, 10, 20, ...

    Examples
    --------
    >>> round_step(0.22), round_step(22, is_whole=True)
    (0.25, 50.0)
    """
    return next(_round_steps(least, is_whole))


def _round_steps(least: float, is_whole: bool) -> Iterator[float]:
    """Yield the round numbers from ``least`` on, without end."""
    if is_whole:
        least = max(least, 1.0)
    for exponent in count(math.floor(math.log10(least))):
        for factor in _ROUND_AND_WHOLE if is_whole else _ROUND:
            step = factor * 10.0**exponent
            if step >= least * (1 - _TOLERANCE):
                yield step


def _multiples(low: float, high: float, step: float) -> list[float]:
    first = math.ceil(low / step - _TOLERANCE)
    last = math.floor(high / step + _TOLERANCE)
    # Adding 0.0 takes the sign from a negative zero.
    return [round(number * step, _DECIMALS) + 0.0 for number in range(first, last + 1)]


def tick_text(number: float) -> str:
    """Return a number as it is written on an axis."""
    return f"{number:.{_DECIMALS}g}"
