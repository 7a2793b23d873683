"""The public data of DensePose: the images and their sizes, as a COCO file without annotations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.public_data import (
    PublicData,
    PublicFiles,
    PublicReader,
    read_object,
    refuse_public_data,
)
from scoring_program.challenges.densepose.measure import unused_detection_notes
from scoring_program.challenges.densepose.reference import Persons, Reference, Template, read_submission
from scoring_program.task import load_task
from validator.findings import Note
from validator.formats.rules import load_rules

IMAGES_FILE = "images.json"
# That of persons, if the file lists no categories.
_CATEGORIES = [{"id": 1}]
# Parts, U and V, as in `Template.nearest`.
_TEMPLATE_SHAPE = (24, 256, 256)


class PublicImages(PublicData):
    """The images of a reference, without persons."""

    def __init__(self, task_id: str, images: Reference) -> None:
        self._task_id = task_id
        self._images = images

    def read_notes(self, submission: Path) -> list[Note]:
        """Return notes on images, boxes outside of them, and detections that do not count. Raises Refused."""
        read = read_submission(submission, load_rules(self._task_id), self._images)
        hints = load_task(self._task_id).hints(self._images, read.content)
        return [*read.notes, *unused_detection_notes(read.content), *hints]


def _read(task_id: str, files: PublicFiles) -> PublicImages:
    """Return the images of ``images.json``. Raises Refused."""
    content = read_object(files, IMAGES_FILE)
    images = content.get("images", [])
    categories = content.get("categories", _CATEGORIES)
    try:
        size_of_image = {int(image["id"]): (int(image["height"]), int(image["width"])) for image in images}
        image_ids = np.array(sorted(size_of_image), dtype=np.int64)
        sizes = np.array([size_of_image[image_id] for image_id in sorted(size_of_image)], dtype=np.int64)
        category_ids = np.array([int(category["id"]) for category in categories], dtype=np.int64)
    except (TypeError, KeyError, ValueError, OverflowError):
        refuse_public_data("images are to have id, width and height, categories an id", IMAGES_FILE)
    persons = _no_persons(image_ids, sizes.reshape(-1, 2), category_ids)
    template = Template(
        nearest=np.zeros(_TEMPLATE_SHAPE, np.int32),
        n_vertices=0,
        distances=np.zeros(0, np.float32),
    )
    return PublicImages(task_id, Reference(persons, template, ""))


def _no_persons(image_id: Any, image_size: Any, category: Any) -> Persons:
    """Return images that nobody is in; int arrays (n,), (n, 2) with height and width, and (n_categories,)."""
    no_numbers = np.zeros(0, np.int64)
    nothing = np.zeros(0)
    nobody = np.zeros(0, dtype=bool)
    return Persons(
        image_id=image_id,
        image_size=image_size,
        category=category,
        image=no_numbers,
        box=np.zeros((0, 4)),
        area=nothing,
        crowd=nobody,
        dense=nobody,
        point_start=np.zeros(1, np.int64),
        x=nothing,
        y=nothing,
        part=no_numbers,
        vertex=no_numbers,
        mask_place=np.zeros((0, 4), np.int64),
        run_start=np.zeros(1, np.int64),
        run=no_numbers,
    )


PUBLIC_READER = PublicReader(IMAGES_FILE, _read)
