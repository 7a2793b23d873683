"""Honest predictions of DensePose and mistakes; see `quality.mistakes`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quality.densepose.demo import predicted
from quality.mistakes import Files, Generator, Mistake
from validator.formats.densepose import encode_detection


def honest(reference: Path, rng: Generator, noise: float) -> Any:
    """Return a prediction: right at ``noise`` 0, hardly anything right at 1."""
    data = json.loads((reference / "annotations.json").read_text())
    missed = 0.5 * noise * rng.random()
    detections = []
    for person in data["annotations"]:
        if rng.random() >= missed:
            box, iuv = predicted(person, 40 * noise, 60 * noise, 0.6 * noise, rng)
            detections.append([person["image_id"], box, round(float(rng.random()), 4), iuv])
    return detections


def files(prediction: Any) -> Files:
    """Return the files of a submission that holds this prediction."""
    entries = [encode_detection(int(image), tuple(box), score, iuv) for image, box, score, iuv in prediction]
    return {"densepose_a_results.json": f"[{','.join(entries)}]".encode()}


Pixels = Callable[[list[float], np.ndarray], tuple[list[float], np.ndarray]]


def _detections(change: Pixels) -> Callable[[Any], Any]:
    """Change box and pixels of all detections."""

    def made(prediction: Any) -> Any:
        for detection in prediction:
            detection[1], detection[3] = change(list(detection[1]), detection[3])
        return prediction

    return made


def _equal_scores(prediction: Any) -> Any:
    for detection in prediction:
        detection[2] = 1.0
    return prediction


def _corners_with_padding(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    box = [abs(value) for value in box]
    corners = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
    padded = np.zeros((3, int(corners[3]), int(corners[2])), np.uint8)
    padded[:, : iuv.shape[1], : iuv.shape[2]] = iuv[:, : padded.shape[1], : padded.shape[2]]
    return corners, padded


def _parts_from_zero(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    part = iuv[0].astype(np.int64)
    return box, np.concatenate([np.maximum(part - 1, 0)[None].astype(np.uint8), iuv[1:]])


def _unit_bytes(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    return box, np.concatenate([iuv[:1], np.rint(iuv[1:] / 255).astype(np.uint8)])


def _normalized_corner(box: list[Any], iuv: np.ndarray) -> tuple[list[float], np.ndarray]:
    return [abs(box[0]) / 700, abs(box[1]) / 500, *box[2:]], iuv


MISTAKES: Sequence[Mistake] = [
    ("U, V in 0..1 as bytes", "N-LOOKS-NORMALIZED", _detections(_unit_bytes)),
    ("channels I, V, U", "N-LOOKS-SWAPPED", _detections(lambda box, iuv: (box, iuv[[0, 2, 1]]))),
    ("parts 0..23", "N-LOOKS-SHIFTED", _detections(_parts_from_zero)),
    ("x and y swapped", "N-LOOKS-SWAPPED", _detections(lambda box, iuv: ([box[1], box[0], *box[2:]], iuv))),
    ("corner in 0..1", "N-LOOKS-NORMALIZED", _detections(_normalized_corner)),
    ("[x1, y1, x2, y2]", "N-LOOKS-XYXY", _detections(_corners_with_padding)),
    ("all scores equal", "N-LOOKS-CONSTANT", _equal_scores),
    ("nothing at all", "N-EMPTY", lambda prediction: []),
]
