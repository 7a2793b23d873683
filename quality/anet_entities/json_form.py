"""How the files of the two tasks of ActivityNet-Entities are written by hand."""

from __future__ import annotations

from quality.json_form import BOX, TEXT, JsonForm


def _segment(unit: int) -> str:
    boxes = ",".join([BOX] * 10)
    return f'"{unit}":{{"clss":["{TEXT}"],"bbox_for_all_frames":[[{boxes}]],"idx_in_sent":[1]}}'


def segments_form(mode: str) -> JsonForm:
    """Return the form of the files of a task; ``mode`` is what they call it."""
    return JsonForm(
        file=f"submission_{mode.lower()}.json",
        head='{"results":{',
        tail=f'}},"eval_mode":"{mode}","external_data":{{"used":false,"details":0}}}}',
        unit=_segment,
        holder="/{}",
        number="/bbox_for_all_frames/0/9/3",
        required=',"idx_in_sent":[1]',
        container="/results",
        wrapper="submission",
        place_of_wrapped="/",
        unread=('"details":0', '"details":1e999'),
    )
