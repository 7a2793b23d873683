"""Drawings of items as plain records: objects on a canvas with the shapes of both sides."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.report.elements.layout import folded
from scoring_program.report.elements.svg import key
from scoring_program.report.html import element
from validator.arrays import Floats, Ints
from validator.texts import counted

_LARGEST_CANVAS = 20_000
GROUND_TRUTH, PREDICTION = "ground truth", "prediction"
EXTENT = "Canvas: the extent of all boxes of the video, rounded up to 10 pixels."


def drawings_style() -> str:
    """Return the CSS of drawings and timelines."""
    return Path(__file__).with_name("drawings.css").read_text(encoding="utf-8")


def sides_key(sides: Collection[str]) -> Element:
    """Return what the colors of ground truth and prediction mean, of those sides that are drawn."""
    color_of_side = {GROUND_TRUTH: "fill-a", PREDICTION: "fill-b"}
    return key([(side, color) for side, color in color_of_side.items() if side in sides])


def grid(elements: Sequence[Element], n_open: int, noun: str) -> list[Element]:
    """Return a grid of the first elements, and one of the others, folded."""
    grid = [element("div", *elements[:n_open], class_="drawn")]
    if further_elements := elements[n_open:]:
        title = counted(len(further_elements), f"more {noun}")
        grid.append(folded(title, element("div", *further_elements, class_="drawn")))
    return grid


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


def worst_in_turn(scores: Floats, item_rank: Ints, number: int, with_right: bool = False) -> list[int]:
    """Return at most ``number`` views: the worst of each item, then the second worst of each, ...

    ``scores`` (n_views,) are in 0..1; views of NaN are left out, and those of 1, with nothing wrong, unless
    ``with_right``. ``item_rank`` (n_views,) is the place of the item of each view, the worst first.
    """
    views = np.flatnonzero(scores <= 1 if with_right else scores < 1)
    views = views[np.lexsort((scores[views], item_rank[views]))]
    rank = item_rank[views]
    turn = np.arange(len(views)) - np.searchsorted(rank, rank)
    return views[np.lexsort((rank, turn))][:number].tolist()
