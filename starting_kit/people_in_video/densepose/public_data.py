"""The public data of DensePose: the images with their sizes."""

from __future__ import annotations

import numpy as np

from people_in_video.public_data import PublicFiles, PublicReader, read_object, refuse_public_data
from scoring_program.challenges.densepose.reference import Images

IMAGES_FILE = "images.json"
# That of persons, if the file lists no categories.
_CATEGORIES = [{"id": 1}]


def _read(task_id: str, files: PublicFiles) -> Images:
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
    return Images(image_ids, sizes.reshape(-1, 2), category_ids)


PUBLIC_READER = PublicReader(IMAGES_FILE, _read)
