"""Public data of DensePose: the images, as a COCO file without annotations."""

from __future__ import annotations

from typing import Any

from organizer.public_data import PublicData, PublicSource, json_bytes
from scoring_program.challenges.densepose.prepare import ANNOTATIONS_FILE, read_annotations
from scoring_program.challenges.densepose.reference import PERSONS_FILE
from validator.strict_json import JsonValue, strict_loads

IMAGES_FILE = "images.json"
PREPARED_FILE = PERSONS_FILE
_KEYS_OF_IMAGE = ("id", "width", "height", "file_name")


def public_files(source: PublicSource) -> PublicData:
    """Return ``images.json``: ids and sizes of all images, their file names and the categories if given.

    Raises Refused.
    """
    path = source.folder / ANNOTATIONS_FILE
    read_annotations(path)
    content: JsonValue = strict_loads(path.read_bytes(), path.name).content
    images = [_public_image(image) for image in content["images"]]
    public: dict[str, Any] = {"info": {}, "images": sorted(images, key=lambda image: int(image["id"]))}
    if isinstance(content.get("categories"), list):
        public["categories"] = content["categories"]
    remarks = []
    if not all("file_name" in image for image in images):
        remarks.append("images without a file_name in the source have none here either")
    return PublicData({IMAGES_FILE: json_bytes(public)}, remarks)


def _public_image(image: dict[str, Any]) -> dict[str, Any]:
    return {key: image[key] for key in _KEYS_OF_IMAGE if key in image}
