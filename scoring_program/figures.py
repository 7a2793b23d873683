"""Sections of the detail page that are figures: histograms, matrices, lines, timelines, drawings.

They are plain records that the report renders, and only pages with figures need them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.result import FULL, Section
from validator.arrays import Floats, Ints

_LARGEST_CANVAS = 20_000
GROUND_TRUTH, PREDICTION = "ground truth", "prediction"
EXTENT = "Canvas: the extent of all boxes of the video, rounded up to 10 pixels."


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


@dataclass(frozen=True)
class Matrix(Section):
    """Counts of pairs of ``things``: rows are ground truth, columns are predictions, both called ``names``.

    ``counts`` has shape (n, n), or (n + 1, n + 1) where ``unpaired`` names a last row, of predictions, and a
    last column, of ground truth, without a counterpart.
    """

    level = FULL
    names: Sequence[str]
    counts: Ints
    things: str
    unpaired: tuple[str, str] | None = None


class Lane(NamedTuple):
    """One class of a timeline: half-open 0-based frame intervals of the ground truth and the prediction.

    ``number`` is what the row of classes calls it.
    """

    label: str
    ground_truth: Sequence[tuple[int, int]]
    prediction: Sequence[tuple[int, int]]
    number: int = 0


@dataclass(frozen=True)
class Timeline(Section):
    """Ground truth above prediction over the frames of one sequence, which is ``title``.

    ``anchor`` is what links point to, put in at home.
    """

    level = FULL
    style_sheet = "drawings.css"
    n_frames: int
    lanes: Sequence[Lane]
    anchor: str = ""


class Line(NamedTuple):
    """A line of a chart: points in order."""

    label: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class LineChart(Section):
    """Lines over one pair of axes.

    ``ranges`` are (low x, high x, low y, high y); ``filled`` shades the area below the first line;
    ``ordered`` draws the lines in one scale of color, because their labels are steps of one quantity, and the
    last line stands out.
    """

    lines: Sequence[Line]
    x_title: str
    y_title: str
    ranges: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
    filled: bool = False
    ordered: bool = False
    level: str = FULL


@dataclass(frozen=True)
class StackedBar(Section):
    """Shares of a whole, totals of the whole run: (label, share); they need not add up to 1."""

    shares: Sequence[tuple[str, float]]


@dataclass(frozen=True)
class BodyFigure(Section):
    """A drawn body whose parts are colored by their value: (part, value 0..1 or None, number of points)."""

    level = FULL
    parts: Sequence[tuple[str, float | None, int]]


class Shape(NamedTuple):
    """What one side says where an object is.

    ``box`` is left, top, right and bottom in pixels of the canvas; ``outlines`` are closed polygons, each
    x, y, x, y, ..., which are drawn in place of the box. ``claim`` is what the side says the object is.
    """

    role: str
    box: Sequence[float]
    outlines: Sequence[Sequence[float]] = ()
    claim: str = ""


def shapes(role: str, *boxes: Floats, claim: str = "") -> list[Shape]:
    """Return boxes ``x1, y1, x2, y2``, both ends included, as shapes, without those that are not finite."""
    drawn = []
    for box in boxes:
        left_top_right_bottom = box.astype(np.float64) + np.array([0, 0, 1, 1])
        if np.isfinite(left_top_right_bottom).all():
            drawn.append(Shape(role, left_top_right_bottom.tolist(), claim=claim))
    return drawn


def two_decimals(value: float) -> str:
    """Return a value, rounded down: one below a threshold must not look as if it reached it."""
    return f"{math.floor(100 * value + 1e-9) / 100:.2f}"


class DrawnObject(NamedTuple):
    """An object of a drawing with the shapes of both sides, and what became of it in words.

    ``points`` are x, y and a value in 0..1, by which they are colored.
    """

    label: str
    outcome: str
    is_wrong: bool
    shapes: Sequence[Shape]
    points: Sequence[tuple[float, float, float]] = ()


class Drawing(NamedTuple):
    """Objects on a canvas of (width, height) pixels.

    ``extent`` says where the size of the canvas comes from if it is not that of the image; ``files`` are the
    paths, without their ending, that an image of the participant may have; ``item`` is what the first cells
    of a row of the table of items say. Put in at home: ``image``, that image as a ``data:`` address, and
    ``anchor``, what links point to.
    """

    title: str
    text: str
    size: tuple[int, int]
    extent: str
    objects: Sequence[DrawnObject]
    files: Sequence[str]
    item: Sequence[str] = ()
    image: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Drawings(Section):
    """Drawings of the worst items; ``points`` says what the value of points is, "" without points."""

    level = FULL
    style_sheet = "drawings.css"
    has_images = True
    drawings: Sequence[Drawing]
    points: str = ""


def extent(ground_truth: Floats, prediction: Floats) -> tuple[int, int]:
    """Return the width and height that hold boxes (n, 4) ``x1, y1, x2, y2``, rounded up to 10 pixels.

    Predicted boxes count up to twice the extent of the ground truth, so that no single one shrinks the rest.
    """
    true_extent = _extent_of(ground_truth)
    predicted_extent = np.minimum(_extent_of(prediction), 2 * true_extent)
    size = np.minimum(np.maximum(true_extent, predicted_extent), _LARGEST_CANVAS)
    width, height = (10 * np.ceil(size / 10)).astype(int).tolist()
    return width, height


def _extent_of(boxes: Floats) -> Floats:
    """Return the largest right and bottom ends of boxes, at least 1; infinite ones do not count."""
    right_bottom = boxes[:, 2:].astype(np.float64) + 1
    return np.nan_to_num(right_bottom, posinf=0).max(axis=0, initial=1)


def worst_in_turn(scores: Floats, item_rank: Ints, number: int) -> list[int]:
    """Return at most ``number`` views: the worst of each item, then the second worst of each, ...

    ``scores`` (n_views,) are in 0..1; views of 1, with nothing wrong, and of NaN are left out. ``item_rank``
    (n_views,) is the place of the item of each view, the worst first.
    """
    views = np.flatnonzero(scores < 1)
    views = views[np.lexsort((scores[views], item_rank[views]))]
    rank = item_rank[views]
    turn = np.arange(len(views)) - np.searchsorted(rank, rank)
    return views[np.lexsort((rank, turn))][:number].tolist()
