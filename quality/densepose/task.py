"""What is made up for DensePose: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from organizer.files import Files
from quality.densepose import synthetic
from quality.densepose.mistakes import MISTAKES, WEAK_MODELS, Detections, exchange_sides
from quality.densepose.synthetic import Detection, Errors, results
from quality.task import QualityTask, Trick
from validator.formats.densepose.read import Box
from validator.formats.densepose.write import decode_predictions


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
    """Return a detection of each image that covers all of it."""
    detections = []
    for image in json.loads(reference["annotations.json"])["images"]:
        box = (0, 0, image["width"], image["height"])
        detections.append(_torso(image["id"], box, score=0.5))
    return results(detections)


def _one_point(reference: Files, sample: Files) -> Files:
    """Return the detections of the sample, each filled with the middle of the torso."""
    detections = []
    for detection in _detections(sample):
        detections.append(_torso(detection["image_id"], detection["bbox"], detection["score"]))
    return results(detections)


def _other_sides(reference: Files, sample: Files) -> Files:
    """Add each detection again with left and right exchanged, with scores below all others."""
    detections = [
        Detection(image_id, *detection)
        for image_id, detections_of_image in decode_predictions(sample)
        for detection in detections_of_image
    ]
    least_score = min(detection.score for detection in detections)
    copies = []
    for detection in detections:
        score = 0.5 * least_score * detection.score
        copies.append(detection._replace(score=score, iuv=exchange_sides(detection.iuv)))
    return results([detection.encoded() for detection in [*detections, *copies]])


TRICKS = (
    Trick("the first detection of each image 20 times", _twenty_identical),
    Trick("one detection of the whole image", _whole_images),
    Trick("the middle of the torso everywhere", _one_point),
    Trick("copies with left and right exchanged, scored last", _other_sides),
    Trick("an empty list", lambda reference, sample: results([])),
)


class DensePoseTask(QualityTask[Detections]):
    """The task of DensePose."""

    id, tricks, mistakes = "densepose", TRICKS, MISTAKES
    weak_models = WEAK_MODELS

    def write_reference(self, folder: Path, seed: int = 2019, size: int = 1) -> None:
        rng = np.random.default_rng(seed)
        synthetic.write_template(folder, 384, rng)
        synthetic.write_annotations(folder, 12 * size, (20, 30), (60, 160), rng)

    def write_samples(self, reference: Path, folder: Path) -> None:
        good = Errors(offset=8, noise=8, wrong=0.1, missed=0.02, doubt=0.25)
        weak = Errors(offset=25, noise=40, wrong=0.4, missed=0.3, doubt=2)
        synthetic.write_prediction(reference, folder / "good", good)
        synthetic.write_prediction(reference, folder / "weak", weak)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write minival's size times ``scale``; at 1 about 300 MB of detections."""
        rng = np.random.default_rng(5)
        synthetic.write_template(folder / "ref", 27_554, rng)
        n_images = max(round(1508 * scale), 1)
        synthetic.write_annotations(folder / "ref", n_images, (100, 180), (90, 250), rng)
        errors = Errors(offset=5, noise=30, wrong=0.05, missed=0.05, doubt=0.5, extra=0.43)
        synthetic.write_prediction(folder / "ref", folder / "res", errors)

    def shortened(self, sample: Files) -> Files:
        ((name, data),) = sample.items()
        return {name: json.dumps(json.loads(data)[:3]).encode()}

    def correct_prediction(self, reference: Path, rng: np.random.Generator, noise: float) -> Detections:
        errors = Errors(
            offset=40 * noise,
            noise=60 * noise,
            wrong=0.6 * noise,
            missed=0.5 * noise * rng.random(),
            doubt=0.25 + 2 * noise,
        )
        detections = []
        for person in synthetic.read_persons(reference):
            if rng.random() >= errors.missed:
                detections.append(synthetic.detection(person, errors, rng))
        return detections

    def files(self, prediction: Detections) -> Files:
        return results([detection.encoded() for detection in prediction])

    def repeated(self, files: Files, copies: Mapping[str, Sequence[str]]) -> Files:
        """Return files with other ids of images, which are numbers; annotations are numbered anew."""
        new_files = dict(files)
        for name, data in files.items():
            if not name.endswith(".json"):
                continue
            content = json.loads(data)
            if isinstance(content, list):
                content = _copied(content, "image_id", copies)
            elif "images" in content:
                content["images"] = _copied(content["images"], "id", copies)
                persons = _copied(content["annotations"], "image_id", copies)
                content["annotations"] = [
                    {**person, "id": number} for number, person in enumerate(persons, start=1)
                ]
            new_files[name] = json.dumps(content).encode()
        return new_files


def _copied(
    entries: Sequence[dict[str, Any]], key: str, copies: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """Return entries once for each copy of the image whose id is at ``key``."""
    copied_entries = []
    for entry in entries:
        for copy in copies.get(str(entry[key]), ()):
            copied_entries.append({**entry, key: int(copy)})
    return copied_entries


TASKS = (DensePoseTask(),)
