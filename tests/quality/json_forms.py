"""How the JSON files of each format are written by hand, so that any mistake can be made in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from organizer.files import folder_files
from tests.helpers import SAMPLES

NUMBER, TEXT = "440.25", "look"
"""A number and a text in each unit, in which mistakes are made."""
BOX = f"[101.25,102.5,330.75,{NUMBER}]"


class JsonForm(NamedTuple):
    """How a JSON file of a task is written, of entries that hold equal units.

    Attributes
    ----------
    file : str
        Its name.
    head, tail : str
        What stands before and after the entries.
    unit : callable
        Makes a unit, without braces, of its number.
    number, holder : str
        The JSON Pointer of `NUMBER` in an object of a unit, and that of this object in an entry, with braces
        for the number of the unit.
    required : str
        A member that this object must have, with the comma before it.
    container : str
        The pointer of what holds the entries.
    unread : pair of str
        A member whose value nobody reads, and the same with a value that cannot be read.
    wrapper, place_of_wrapped : str
        The key that people put around the whole file, and the pointer of this mistake.
    classes_file : str
        The name of a file with a class for each entry.
    is_list : bool
        Whether the entries are a list, with one unit each, rather than an object.
    """

    file: str
    head: str
    tail: str
    unit: Callable[[int], str]
    holder: str
    number: str
    required: str
    container: str = ""
    unread: tuple[str, str] = ("", "")
    wrapper: str = ""
    place_of_wrapped: str = ""
    classes_file: str = ""
    is_list: bool = False


def _segment(unit: int) -> str:
    boxes = ",".join([BOX] * 10)
    return f'"{unit}":{{"clss":["{TEXT}"],"bbox_for_all_frames":[[{boxes}]],"idx_in_sent":[1]}}'


_SEGMENTS_FORM = JsonForm(
    file="submission_gen.json",
    head='{"results":{',
    tail='},"eval_mode":"gen","external_data":{"used":false,"details":0}}',
    unit=_segment,
    holder="/{}",
    number="/bbox_for_all_frames/0/9/3",
    required=',"idx_in_sent":[1]',
    container="/results",
    wrapper="submission",
    place_of_wrapped="/",
    unread=('"details":0', '"details":1e999'),
)


def _detection(unit: int) -> str:
    """Return the members of a detection; each is an entry of its own."""
    (data,) = folder_files(SAMPLES / "densepose" / "good").values()
    sample = json.loads(data)[0]
    box, shape, png = sample["bbox"], sample["uv_shape"], sample["uv_data"]
    members = f'"bbox":{box},"score":{NUMBER},"uv_shape":{shape},"uv_data":"{png}"'
    return f'"image_id":1,{members},"note":"{TEXT}","category_id":1'


_DETECTIONS_FORM = JsonForm(
    file="densepose_x_results.json",
    head="[",
    tail="]",
    unit=_detection,
    holder="",
    number="/score",
    required=',"category_id":1',
    is_list=True,
)


def _frame(unit: int) -> str:
    part = f'{{"name":"{TEXT}","box":[{BOX}],"verb":["{TEXT}"]}}'
    human = f'{{"number":1,"box":{BOX},"parts":{{"head":{part}}}}}'
    return f'"img_{unit:05d}.json":{{"humans":[{human}]}}'


_PARTS_FORM = JsonForm(
    file="pred_part_result.json",
    head="{",
    tail="}",
    unit=_frame,
    holder="/img_{:05d}.json/humans/0/parts/head",
    number="/box/0/3",
    required=f',"verb":["{TEXT}"]',
    unread=('"number":1', '"number":1,"details":1e999'),
    wrapper="results",
    place_of_wrapped="/results",
    classes_file="pred_vid_result.json",
)


FORMS = {
    "anet_entities_gen": _SEGMENTS_FORM,
    "densepose": _DETECTIONS_FORM,
    "kinetics_tps": _PARTS_FORM,
}
