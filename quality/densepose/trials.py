"""What tests and tools try on this task; see `quality.trials.Trials`."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from quality.densepose import demo
from quality.trials import CANARY, Files, Game, Trials
from validator.formats.densepose import encode_detection

_KEPT = 3


def _detections(sample: Files) -> list[dict[str, Any]]:
    (data,) = sample.values()
    return json.loads(data)


def _as_results(detections: list[dict[str, Any]]) -> Files:
    return {"densepose_game_results.json": json.dumps(detections).encode()}


def _twenty_identical(reference: Files, sample: Files) -> Files:
    repeated: list[dict[str, Any]] = []
    per_image: Counter[int] = Counter()
    for detection in _detections(sample):
        room = 20 - per_image[detection["image_id"]]
        repeated += [detection] * min(20, room)
        per_image[detection["image_id"]] += min(20, room)
    return _as_results(repeated)


def _torso(image_id: int, box: list[float], score: float) -> dict[str, Any]:
    """Return a detection whose box is filled with the middle of the torso."""
    iuv = np.full((3, int(box[3]), int(box[2])), 128, np.uint8)
    iuv[0] = 2
    return json.loads(encode_detection(image_id, (box[0], box[1], box[2], box[3]), score, iuv))


def _whole_images(reference: Files, sample: Files) -> Files:
    images = json.loads(reference["annotations.json"])["images"]
    return _as_results(
        [_torso(image["id"], [0, 0, image["width"], image["height"]], 0.5) for image in images]
    )


def _one_point(reference: Files, sample: Files) -> Files:
    """Return the honest boxes, each filled with the middle of the torso."""
    return _as_results([_torso(d["image_id"], d["bbox"], d["score"]) for d in _detections(sample)])


class DensePoseTrials(Trials):
    """The trials of DensePose; its items are images, whose names no page shows."""

    SHOWS_ITEMS = False
    GAMES: Mapping[str, Game] = {
        "each detection up to 20 times": _twenty_identical,
        "one detection of the whole image": _whole_images,
        "the middle of the torso everywhere": _one_point,
        "an empty list": lambda reference, sample: _as_results([]),
    }

    def plant(self, folder: Path) -> None:
        """Write a reference full of canaries."""
        demo.write_reference(folder)
        data = json.loads((folder / "annotations.json").read_text())
        for number, image in enumerate(data["images"]):
            image["file_name"] = f"{CANARY}{number}.jpg"
        for number, person in enumerate(data["annotations"]):
            person["id"] = 7391130 + number
            person["area"] = 7391150.5
            person["dp_U"] = [0.73911 for _ in person["dp_U"]]
        (folder / "annotations.json").write_text(json.dumps(data))

    def knowing(self) -> Files:
        """Return the good sample: images have numbers, which are no canaries."""
        with tempfile.TemporaryDirectory() as folder:
            demo.write_reference(Path(folder) / "ref")
            demo.write_samples(Path(folder) / "ref", Path(folder))
            return {path.name: path.read_bytes() for path in (Path(folder) / "good").iterdir()}

    def shortened(self, sample: Files) -> Files:
        """Return the first detections of a sample."""
        ((name, data),) = sample.items()
        return {name: json.dumps(json.loads(data)[:_KEPT]).encode()}


TRIALS = DensePoseTrials()
