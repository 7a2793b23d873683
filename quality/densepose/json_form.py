"""How the list of detections of DensePose is written by hand."""

from __future__ import annotations

import json

from organizer.files import folder_files, samples_folder
from quality.json_form import NUMBER, TEXT, JsonForm


def _detection(unit: int) -> str:
    """Return the members of a detection; each is an entry of its own."""
    (data,) = folder_files(samples_folder("densepose") / "good").values()
    sample = json.loads(data)[0]
    box, shape, png = sample["bbox"], sample["uv_shape"], sample["uv_data"]
    members = f'"bbox":{box},"score":{NUMBER},"uv_shape":{shape},"uv_data":"{png}"'
    return f'"image_id":1,{members},"note":"{TEXT}","category_id":1'


DETECTIONS_FORM = JsonForm(
    file="densepose_x_results.json",
    head="[",
    tail="]",
    unit=_detection,
    holder="",
    number="/score",
    required=',"category_id":1',
    is_list=True,
)
