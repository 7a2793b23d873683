"""Mistakes that a validator cannot refuse, to measure whether notes report them:
``quality/<id>/mistakes.py``.

Here is what those modules share whose predictions hold boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from scoring_program.metrics.arrays import Floats

Files = Mapping[str, bytes]
Generator = np.random.Generator
Change = Callable[[Any], Any]
Mistake = tuple[str, str, Change]
Boxes = Callable[[Floats], Floats]

CANVAS = np.array([640, 480, 640, 480])


class Mistakes(Protocol):
    """What ``quality/<id>/mistakes.py`` offers."""

    MISTAKES: Sequence[Mistake]
    """What a mistake is called, the code of its note, and how it changes an honest prediction."""

    def honest(self, reference: Path, rng: Generator, noise: float) -> Any:
        """Return a prediction as plain data: right at ``noise`` 0, hardly anything right at 1."""

    def files(self, prediction: Any) -> Files:
        """Return the files of a submission that holds this prediction."""


def of_boxes(each: Callable[[Boxes], Change]) -> list[Mistake]:
    """Return the mistakes of all boxes; ``each`` makes a change of all boxes of a prediction."""
    return [
        ("boxes in 0..1", "N-LOOKS-NORMALIZED", each(lambda boxes: (boxes / CANVAS).clip(0, 1))),
        ("x and y swapped", "N-LOOKS-SWAPPED", each(lambda boxes: boxes[..., [1, 0, 3, 2]])),
        ("half size", "N-LOOKS-SCALED", each(lambda boxes: boxes / 2)),
    ]


def moved(box: list[float], rng: Generator, noise: float, bias: Floats) -> list[float]:
    """Return a box with noise in its corners and a submission's own bias in position and size, corners in
    order."""
    array = np.array(box, dtype=np.float64)
    size = np.tile(array[2:] - array[:2], 2)
    array += size * (rng.normal(0, 0.25 * noise, 4) + bias)
    return (
        np.concatenate([np.minimum(array[:2], array[2:]), np.maximum(array[:2], array[2:])]).round(1).tolist()
    )


def bias(rng: Generator, noise: float) -> Floats:
    """Return a submission's own shift and growth of boxes, as shares of their size."""
    shift, growth = rng.normal(0, 0.1 * noise, 2), rng.normal(0, 0.1 * noise)
    return np.concatenate([shift - growth, shift + growth])


def sizes(boxes: Floats) -> Floats:
    """Return boxes x, y, width, height of boxes x1, y1, x2, y2."""
    return np.concatenate([boxes[..., :2], boxes[..., 2:] - boxes[..., :2]], axis=-1)
