"""Mistakes in predictions for DensePose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quality.densepose.synthetic import Box, Detection
from quality.task import Mistake

Detections = list[Detection]


def _each(change: Callable[[Detection], Detection]) -> Callable[[Detections], Detections]:
    return lambda detections: list(map(change, detections))


def _each_box(change: Callable[[Box], Box]) -> Callable[[Detections], Detections]:
    return _each(lambda own: own._replace(box=change(own.box)))


def _each_map(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Detections], Detections]:
    return _each(lambda own: own._replace(iuv=change(own.iuv)))


def _corners_with_padding(own: Detection) -> Detection:
    left, top, width, height = (abs(value) for value in own.box)
    corners = (left, top, left + width, top + height)
    padded = np.zeros((3, int(corners[3]), int(corners[2])), np.uint8)
    padded[:, : own.iuv.shape[1], : own.iuv.shape[2]] = own.iuv[:, : padded.shape[1], : padded.shape[2]]
    return own._replace(box=corners, iuv=padded)


def _parts_from_zero(iuv: np.ndarray) -> np.ndarray:
    return np.concatenate([np.maximum(iuv[:1], 1) - 1, iuv[1:]])


def _unit_bytes(iuv: np.ndarray) -> np.ndarray:
    return np.concatenate([iuv[:1], np.rint(iuv[1:] / 255).astype(np.uint8)])


MISTAKES: list[Mistake[Detections]] = [
    Mistake(
        "each detection three times", "N-REPEATED", lambda found: [own for own in found for _ in range(3)]
    ),
    Mistake("2 images alone", "N-IMAGES-MISSING", lambda found: [own for own in found if own.image_id <= 2]),
    Mistake("U, V in 0..1 as bytes", "N-LOOKS-NORMALIZED", _each_map(_unit_bytes)),
    Mistake("channels I, V, U", "N-LOOKS-SWAPPED", _each_map(lambda iuv: iuv[[0, 2, 1]])),
    Mistake("parts 0..23", "N-LOOKS-SHIFTED", _each_map(_parts_from_zero)),
    Mistake("x and y swapped", "N-LOOKS-SWAPPED", _each_box(lambda box: (box[1], box[0], *box[2:]))),
    Mistake(
        "corner in 0..1",
        "N-LOOKS-NORMALIZED",
        _each_box(lambda box: (abs(box[0]) / 700, abs(box[1]) / 500, *box[2:])),
    ),
    Mistake("[x1, y1, x2, y2]", "N-LOOKS-XYXY", _each(_corners_with_padding)),
    Mistake("all scores equal", "N-LOOKS-CONSTANT", _each(lambda own: own._replace(score=1.0))),
    Mistake("nothing at all", "N-EMPTY", lambda detections: []),
]
