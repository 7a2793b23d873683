"""What is made up for DensePose: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

import base64
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from organizer.files import Files, folder_files
from quality.densepose import synthetic
from quality.densepose.synthetic import Detection, Errors, results
from quality.task import CANARY, Mistake, QualityTask, Trick
from scoring_program.challenges.densepose import hints
from validator.formats.densepose.read import Box


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


class DensePoseTask(QualityTask[Detections]):
    """The task of DensePose; its items are images, whose names no page shows."""

    id, tricks, mistakes, shows_items = "densepose", TRICKS, MISTAKES, False
    checks = staticmethod(hints.checks)

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
        synthetic.write_annotations(folder / "ref", max(round(1508 * scale), 1), (100, 180), (90, 250), rng)
        errors = Errors(offset=5, noise=30, wrong=0.05, missed=0.05, doubt=0.5, extra=0.43)
        synthetic.write_prediction(folder / "ref", folder / "res", errors)

    def plant(self, folder: Path) -> None:
        self.write_reference(folder)
        data = json.loads((folder / "annotations.json").read_text())
        for number, image in enumerate(data["images"]):
            image["file_name"] = f"{CANARY}{number}.jpg"
        for number, person in enumerate(data["annotations"]):
            person.update(id=7391130 + number, area=7391150.5, dp_U=[0.73911 for _ in person["dp_U"]])
        (folder / "annotations.json").write_text(json.dumps(data))

    def knowing(self) -> Files:
        """Return the good sample: images have numbers, which are no canaries."""
        with tempfile.TemporaryDirectory() as name:
            self.write_reference(Path(name))
            self.write_samples(Path(name), Path(name))
            return folder_files(Path(name) / "good")

    def shortened(self, sample: Files) -> Files:
        ((name, data),) = sample.items()
        return {name: json.dumps(json.loads(data)[:3]).encode()}

    def correct_prediction(self, reference: Path, rng: np.random.Generator, noise: float) -> Detections:
        missed = 0.5 * noise * rng.random()
        errors = Errors(40 * noise, 60 * noise, 0.6 * noise, missed, doubt=0.25 + 2 * noise)
        found = (person for person in synthetic.read_persons(reference) if rng.random() >= errors.missed)
        return [synthetic.detection(person, errors, rng) for person in found]

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        (data,) = files.values()
        images: dict[int, list[object]] = {}
        for entry in json.loads(data):
            pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(entry["uv_data"]))))
            detection = entry["bbox"], entry["score"], np.moveaxis(pixels, -1, 0)
            images.setdefault(entry["image_id"], []).append(detection)
        yield from images.items()

    def files(self, prediction: Detections) -> Files:
        return results([own.encoded() for own in prediction])

    def repeated(self, files: Files, copies: Mapping[str, Sequence[str]]) -> Files:
        """Return files with other ids of images, which are numbers; annotations are numbered anew."""

        def entries(of: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
            return [{**entry, key: int(copy)} for entry in of for copy in copies.get(str(entry[key]), ())]

        contents = {name: json.loads(data) for name, data in files.items() if name.endswith(".json")}
        for name, content in contents.items():
            if isinstance(content, list):
                contents[name] = entries(content, "image_id")
            else:
                content["images"] = entries(content["images"], "id")
                persons = enumerate(entries(content["annotations"], "image_id"), start=1)
                content["annotations"] = [{**person, "id": number} for number, person in persons]
        return {**files, **{name: json.dumps(content).encode() for name, content in contents.items()}}


TASKS = (DensePoseTask(),)
