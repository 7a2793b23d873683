"""How the parts file of Kinetics-TPS is written by hand."""

from __future__ import annotations

from quality.json_form import BOX, TEXT, JsonForm


def _frame(unit: int) -> str:
    part = f'{{"name":"{TEXT}","box":[{BOX}],"verb":["{TEXT}"]}}'
    human = f'{{"number":1,"box":{BOX},"parts":{{"head":{part}}}}}'
    return f'"img_{unit:05d}.json":{{"humans":[{human}]}}'


PARTS_FORM = JsonForm(
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
