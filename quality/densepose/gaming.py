"""Gaming tricks for DensePose."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from organizer.files import Files
from quality.densepose.synthetic import Box, Detection, results
from quality.task import Trick


def _detections(sample: Files) -> list[dict[str, Any]]:
    (data,) = sample.values()
    return json.loads(data)  # type: ignore[no-any-return]


def _twenty_identical(reference: Files, sample: Files) -> Files:
    first: dict[int, str] = {}
    for detection in _detections(sample):
        first.setdefault(detection["image_id"], json.dumps(detection))
    return results([text for text in first.values() for _ in range(20)])


def _torso(image_id: int, box: Box, score: float) -> str:
    """Return a detection whose box is filled with the middle of the torso."""
    iuv = np.full((3, int(box[3]), int(box[2])), 128, np.uint8)
    iuv[0] = 2
    return Detection(image_id, box, score, iuv).encoded()


def _whole_images(reference: Files, sample: Files) -> Files:
    images = json.loads(reference["annotations.json"])["images"]
    return results([_torso(image["id"], (0, 0, image["width"], image["height"]), 0.5) for image in images])


def _one_point(reference: Files, sample: Files) -> Files:
    """Return the detections of the sample, each filled with the middle of the torso."""
    return results([_torso(d["image_id"], d["bbox"], d["score"]) for d in _detections(sample)])


TRICKS = (
    Trick("the first detection of each image 20 times", _twenty_identical),
    Trick("one detection of the whole image", _whole_images),
    Trick("the middle of the torso everywhere", _one_point),
    Trick("an empty list", lambda reference, sample: results([])),
)
