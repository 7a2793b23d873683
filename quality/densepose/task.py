"""What is made up for DensePose."""

from __future__ import annotations

import base64
import io
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from organizer.files import Files, folder_files
from quality.densepose import synthetic
from quality.densepose.gaming import TRICKS
from quality.densepose.mistakes import MISTAKES, Detections
from quality.densepose.synthetic import Errors
from quality.task import CANARY, QualityTask
from scoring_program.challenges.densepose import hints
from scoring_program.hints import Check


class DensePoseTask(QualityTask[Detections]):
    """The task of DensePose; its items are images, whose names no page shows."""

    id, tricks, mistakes, shows_items = "densepose", TRICKS, MISTAKES, False

    def write_reference(self, folder: Path, seed: int = 2019, size: int = 1) -> None:
        rng = np.random.default_rng(seed)
        synthetic.write_template(folder, 384, rng)
        synthetic.write_annotations(folder, 12 * size, (20, 30), (60, 160), rng)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(
            reference, folder / "good", Errors(offset=8, noise=8, wrong=0.1, missed=0.02, doubt=0.25)
        )
        synthetic.write_prediction(
            reference, folder / "weak", Errors(offset=25, noise=40, wrong=0.4, missed=0.3, doubt=2)
        )

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

    def checks(self, reference: Any, submission: Any) -> Sequence[Check]:
        return hints.checks(reference, submission)

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        (data,) = files.values()
        images: dict[int, list[object]] = {}
        for entry in json.loads(data):
            pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(entry["uv_data"]))))
            detection = entry["bbox"], entry["score"], np.moveaxis(pixels, -1, 0)
            images.setdefault(entry["image_id"], []).append(detection)
        yield from images.items()

    def files(self, prediction: Detections) -> Files:
        return synthetic.results([own.encoded() for own in prediction])

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
