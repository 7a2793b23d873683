"""What tests of converters share: files of other tools, and what becomes of them."""

from __future__ import annotations

import csv
import json
import zipfile

import numpy as np
import pytest

from people_in_video import SubmissionError


def problem_of(call):
    """Return the one problem of a submission error."""
    with pytest.raises(SubmissionError) as caught:
        call()
    (problem,) = caught.value.problems
    return problem


def rows_of_zip(path):
    rows = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            item = name.removesuffix("_prediction.csv")
            rows += [(item, *map(int, row)) for row in csv.reader(archive.read(name).decode().splitlines())]
    return rows


IUV = np.stack([np.full((6, 8), 3), np.full((6, 8), 51), np.full((6, 8), 204)]).astype(np.uint8)


def coco_entry(array_keys, **changes):
    entry = {"image_id": 1, "category_id": 1, "bbox": [1.0, 2.0, 8.5, 6.25], "score": 0.5}
    return {**entry, **array_keys, **changes}


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path
