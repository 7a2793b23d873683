"""Public data of DensePose: the images, as a COCO file without annotations."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from organizer.files import Files
from organizer.public_data import Leak, PublicData, PublicSource, breaches, json_bytes
from people_in_video.references.densepose import ANNOTATIONS_FILE, read_annotations
from scoring_program.challenges.densepose.reference import PERSONS_FILE, Reference
from scoring_program.scoring import AnyLoaded
from validator.columns import JsonValue
from validator.json_reader import strict_loads

IMAGES_FILE = "images.json"
PREPARED_FILE = PERSONS_FILE
_KEYS_OF_IMAGE = ("id", "width", "height", "file_name")
_KEYS_OF_CATEGORY = ("id", "name", "supercategory")


def public_files(source: PublicSource) -> PublicData:
    """Return ``images.json``: ids and sizes of all images, their file names and the categories if given.

    Raises Refused.
    """
    path = source.folder / ANNOTATIONS_FILE
    read_annotations(path)
    content: JsonValue = strict_loads(path.read_bytes(), path.name).content
    images = [_public_values(image, _KEYS_OF_IMAGE) for image in content["images"]]
    public: dict[str, Any] = {"info": {}, "images": sorted(images, key=lambda image: int(image["id"]))}
    if isinstance(content.get("categories"), list):
        public["categories"] = [
            _public_values(category, _KEYS_OF_CATEGORY) for category in content["categories"]
        ]
    remarks = []
    if not all("file_name" in image for image in images):
        remarks.append("images without a file_name in the source have none here either")
    return PublicData({IMAGES_FILE: json_bytes(public)}, remarks)


def _public_values(entry: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return the values of an image or a category that are public, by their keys."""
    return {key: entry[key] for key in keys if key in entry}


def files_of_items(files: Files, items: Collection[str]) -> Files:
    """Return what is public of some images."""
    public = json.loads(files[IMAGES_FILE])
    images = [image for image in public["images"] if str(image["id"]) in items]
    return {IMAGES_FILE: json_bytes({**public, "images": images})}


def find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield files of other names, other keys than those that are public, and images of another reference."""
    for name, content in files.items():
        if name != IMAGES_FILE:
            yield Leak(name, "public data has no such file")
        else:
            yield from breaches(name, content, "images")
            reference: Reference = loaded.reference
            persons = reference.persons
            sizes = dict(zip(persons.image_id.tolist(), persons.image_size.tolist()))
            if _sizes_of(content) != sizes:
                yield Leak(name, "its images are not those of the reference")


def _sizes_of(content: bytes) -> dict[int, list[int]]:
    """Return height and width of each image in ``images.json``, nothing if it is not of this form."""
    try:
        images = json.loads(content)["images"]
        return {image["id"]: [image["height"], image["width"]] for image in images}
    except (ValueError, TypeError, KeyError):
        return {}
