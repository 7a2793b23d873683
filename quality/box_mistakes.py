"""Predicted boxes for tasks whose predictions hold boxes: mistakes in all of them, and weak models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from people_in_video.diagnosis.samples import to_sizes
from people_in_video.diagnosis.trials import Family
from quality.cures import Cure
from quality.task import Mistake, Said, WeakModel
from validator.arrays import Floats

PredictionT = TypeVar("PredictionT")
ChangeOfBoxes = Callable[[Floats], Floats]
# A change of all boxes (n, 4) of one kind, with a generator for what is random.
ChangeOfAllBoxes = Callable[[Floats, np.random.Generator], Floats]
_NORMALIZED = Said("N-LOOKS-NORMALIZED")


class _BoxMistake(NamedTuple):
    """A way to write boxes ``x1, y1, x2, y2`` otherwise: (n, 4) -> (n, 4)."""

    name: str
    family: Family
    write: ChangeOfBoxes
    said: Sequence[Said] = ()


def mistakes_in_boxes(
    change_boxes: Callable[[ChangeOfBoxes], Callable[[PredictionT], PredictionT]],
    nouns: Sequence[str],
    canvas: tuple[int, int],
    said_of_sizes: Sequence[Said] = (),
) -> Iterator[Mistake[PredictionT]]:
    """Yield the mistakes of all boxes.

    Parameters
    ----------
    change_boxes : callable
        Makes a change of all boxes of a prediction.
    nouns : sequence of str
        What is compared, in words, where the search may find them.
    canvas : tuple of int
        The width and the height of images.
    said_of_sizes : sequence of Said
        What a validator says that refuses boxes whose ends are replaced by sizes.
    """
    for mistake in [*_readings(said_of_sizes), *_fits(canvas), *_combinations(canvas, said_of_sizes)]:
        yield Mistake(
            name=mistake.name,
            change=change_boxes(mistake.write),
            said=mistake.said,
            cures=[Cure(nouns, mistake.family)],
        )


def _readings(said_of_sizes: Sequence[Said]) -> list[_BoxMistake]:
    return [
        _BoxMistake("boxes as [y1, x1, y2, x2]", Family.READING, swap_axes),
        _reordered("boxes as [x1, x2, y1, y2]", [0, 2, 1, 3], said_of_sizes),
        _reordered("boxes as [y1, y2, x1, x2]", [1, 3, 0, 2], said_of_sizes),
        _reordered("boxes as [x2, y2, x1, y1]", [2, 3, 0, 1], said_of_sizes),
        _BoxMistake(
            name="boxes as [x, y, width, height]",
            family=Family.READING,
            write=to_sizes,
            said=said_of_sizes,
        ),
        _BoxMistake(
            name="boxes as [center x, center y, width, height]",
            family=Family.READING,
            write=as_centers,
            said=said_of_sizes,
        ),
    ]


def _reordered(name: str, order: list[int], said: Sequence[Said]) -> _BoxMistake:
    """Return the mistake of columns in another order; ``said`` is for ends before beginnings."""
    return _BoxMistake(name, Family.READING, lambda boxes: boxes[..., order], said)


def _fits(canvas: tuple[int, int]) -> list[_BoxMistake]:
    width, height = canvas
    return [
        _scaled("boxes in 0..1", 1 / width, 1 / height)._replace(said=[_NORMALIZED]),
        _scaled("boxes in 0..1000", 1000 / width, 1000 / height),
        _scaled("boxes of half size", 0.5, 0.5),
        _scaled("boxes of 224 x 224", 224 / width, 224 / height),
        _scaled("boxes with x times 0.75", 0.75, 1.0),
        _fit("boxes 40 pixels off in x and y", (1.0, 1.0), (40.0, 40.0)),
        _fit("boxes 20 pixels off in x and y", (1.0, 1.0), (20.0, 20.0)),
        _fit("boxes of a letterbox: 0.8 of the size, y plus 60", (0.8, 0.8), (0.0, 60.0)),
        _BoxMistake("boxes of mirrored images", Family.FIT, mirror(width)),
    ]


def _combinations(canvas: tuple[int, int], said_of_sizes: Sequence[Said]) -> list[_BoxMistake]:
    share = np.array([*canvas, *canvas], dtype=np.float64)
    half_of_sizes = _BoxMistake(
        name="boxes as [x, y, width, height] of half size",
        family=Family.FIT,
        write=lambda boxes: to_sizes(boxes) / 2,
        said=said_of_sizes,
    )
    shares_of_swapped = _BoxMistake(
        name="boxes as [y1, x1, y2, x2] in 0..1",
        family=Family.FIT,
        write=lambda boxes: swap_axes(boxes / share),
        said=[_NORMALIZED],
    )
    shares_of_centers = _BoxMistake(
        name="boxes as [center x, center y, width, height] in 0..1",
        family=Family.FIT,
        write=lambda boxes: as_centers(boxes / share),
        said=[_NORMALIZED, *said_of_sizes],
    )
    return [half_of_sizes, shares_of_swapped, shares_of_centers]


def _scaled(name: str, x: float, y: float) -> _BoxMistake:
    return _fit(name, (x, y), (0.0, 0.0))


def _fit(name: str, scale: tuple[float, float], offset: tuple[float, float]) -> _BoxMistake:
    scales, offsets = np.array(scale * 2), np.array(offset * 2)
    return _BoxMistake(name, Family.FIT, lambda boxes: boxes * scales + offsets)


def swap_axes(boxes: Floats) -> Floats:
    """Return boxes with x and y exchanged."""
    return boxes[..., [1, 0, 3, 2]]


def mirror(width: float) -> ChangeOfBoxes:
    """Return the change of boxes to those of images that are mirrored from left to right."""

    def change(boxes: Floats) -> Floats:
        x1, y1, x2, y2 = np.moveaxis(boxes, -1, 0)
        return np.stack([width - x2, y1, width - x1, y2], axis=-1)

    return change


def as_centers(boxes: Floats) -> Floats:
    """Return boxes center x, center y, width, height of boxes x1, y1, x2, y2."""
    center = (boxes[..., :2] + boxes[..., 2:]) / 2
    return np.concatenate([center, boxes[..., 2:] - boxes[..., :2]], axis=-1)


def weak_models_of_boxes(
    change_all_boxes: Callable[[PredictionT, ChangeOfAllBoxes, np.random.Generator], PredictionT],
    canvas: tuple[int, int],
) -> list[WeakModel[PredictionT]]:
    """Return the weak models of boxes; ``change_all_boxes`` changes all boxes of a kind of a prediction."""

    def model(name: str, change: ChangeOfAllBoxes) -> WeakModel[PredictionT]:
        return WeakModel(name, lambda prediction, rng: change_all_boxes(prediction, change, rng))

    return [
        model("the median box everywhere", _median_box),
        model("boxes drawn to the middle of the image", draw_to_middle(canvas)),
        model("boxes 15 to 35 % too large", _grow),
        model("boxes 10 to 25 % of their width to the left", _lag),
        model("boxes of other things", lambda boxes, rng: rng.permutation(boxes)),
    ]


def _median_box(boxes: Floats, rng: np.random.Generator) -> Floats:
    return np.tile(np.median(boxes, axis=0), (len(boxes), 1))


def draw_to_middle(canvas: tuple[int, int]) -> ChangeOfAllBoxes:
    """Return the change that moves boxes nearer to the middle of the image and leaves their sizes."""

    def change(boxes: Floats, rng: np.random.Generator) -> Floats:
        center = (boxes[:, :2] + boxes[:, 2:]) / 2
        shift = (1 - rng.uniform(0.5, 0.9)) * (np.array(canvas) / 2 - center)
        return boxes + np.tile(shift, 2)

    return change


def _grow(boxes: Floats, rng: np.random.Generator) -> Floats:
    growth = (rng.uniform(1.15, 1.35) - 1) / 2 * (boxes[:, 2:] - boxes[:, :2])
    return boxes + np.concatenate([-growth, growth], axis=1)


def _lag(boxes: Floats, rng: np.random.Generator) -> Floats:
    shift = rng.uniform(0.1, 0.25) * (boxes[:, 2] - boxes[:, 0])
    return boxes - np.stack([shift, np.zeros(len(boxes))] * 2, axis=1)
