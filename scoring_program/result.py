"""What a challenge hands over after scoring: plain records that the report renders.

Every part of the detail page has a level. ``summary`` parts hold aggregates over at least a class or the
whole set and facts about the submission itself; ``full`` parts may show single items of the ground truth and
appear only with ``detail: full``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

import numpy as np

SUMMARY = "summary"
FULL = "full"
LEVELS = {"none": (), "summary": (SUMMARY,), "full": (SUMMARY, FULL)}

Cell = Union[str, int, float, None]


@dataclass(frozen=True)
class Column:
    """A column of a table. ``kind``: text, count (a whole number), number, or share (0..1, drawn as a bar)."""

    title: str
    kind: str = "text"


@dataclass(frozen=True)
class Table:
    """Rows under columns; None shows as a dash."""

    title: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    level: str = FULL


@dataclass(frozen=True)
class Histogram:
    """How many ``things`` have a value in each bin; ``edges`` has one entry more than ``counts``."""

    title: str
    note: str
    edges: Sequence[float]
    counts: Sequence[int]
    value: str
    things: str
    level: str = FULL


@dataclass(frozen=True)
class Lane:
    """One class of a timeline: half-open 0-based frame intervals of the ground truth and the prediction."""

    label: str
    ground_truth: Sequence[tuple[int, int]]
    prediction: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Timeline:
    """Ground truth above prediction over the frames of one sequence."""

    title: str
    note: str
    n_frames: int
    lanes: Sequence[Lane]
    level: str = FULL


@dataclass(frozen=True)
class Line:
    """A line of a chart: points in order. ``dots`` draws the points alone."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    dots: bool = False


@dataclass(frozen=True)
class LineChart:
    """Lines over one pair of axes; ``ranges`` are (low x, high x, low y, high y); ``filled`` shades the first."""

    title: str
    note: str
    lines: Sequence[Line]
    x_title: str
    y_title: str
    ranges: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
    filled: bool = False
    level: str = FULL


@dataclass(frozen=True)
class StackedBar:
    """Shares of a whole, side by side in one bar: (label, share); they need not add up to 1."""

    title: str
    note: str
    shares: Sequence[tuple[str, float]]
    level: str = FULL


@dataclass(frozen=True)
class BodyFigure:
    """A drawn body whose parts are coloured by their value: (part, value 0..1 or None, number of points)."""

    title: str
    note: str
    parts: Sequence[tuple[str, float | None, int]]
    level: str = FULL


Section = Union[Table, Histogram, Timeline, LineChart, StackedBar, BodyFigure]


@dataclass(frozen=True)
class Result:
    """The outcome of scoring one submission.

    Attributes
    ----------
    scores : mapping of leaderboard key to float
        In the order of the challenge's columns; holds ``score`` and ``coverage``.
    items : mapping of column name to array, all of one length
        One row per independent item (sequence, video, segment, image). The scores are reductions of it.
    sections : sequence of sections
        The challenge's own parts of the detail page, built only as far as the detail level shows them.
    notes : sequence of str
        What the reader should know: facts about the submission, no ground truth.
    """

    scores: Mapping[str, float]
    items: Mapping[str, np.ndarray]
    sections: Sequence[Section] = ()
    notes: Sequence[str] = field(default_factory=list)
