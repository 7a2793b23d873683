"""References with a canary in every field, and submissions that touch them: what leaves a run must hold none."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from organizer.files import Files, folder_files
from quality.items import values
from quality.items.task import ExampleQuality, ItemQuality
from quality.task import QualityTask, write_json
from scoring_program.challenges.kinetics_tps import reference
from tests.helpers import SAMPLES
from validator.formats.anet_entities.write import encode_submission as encode_entities
from validator.formats.anet_entities.write import segment_objects
from validator.formats.chalearn.write import encode_files, encode_rows
from validator.formats.items.write import as_instance
from validator.formats.kinetics_tps.write import encode_submission, frame_entry, human_entry, part_entry
from validator.formats.values import Form, Kind

CANARY = "zqcanary"
"""What every text of a planted reference begins with; its numbers are 7391100 to 7391199, or 0.73911."""
NO_ITEMS_SHOWN = ("densepose",)
"""Tasks whose pages show no names of items; neither do those with an evaluator of one's own."""
_NUMBER = 0.73911
_N_ITEMS = 20


def plant(made_up: QualityTask[Any], folder: Path) -> None:
    """Write a reference with a canary in every field, in the organizers' formats."""
    if isinstance(made_up, ItemQuality):
        _plant_items(made_up, folder)
    elif made_up.id.startswith("chalearn"):
        _plant_rows(folder, _actor(made_up.id))
    else:
        {
            "anet_entities_gt": _plant_sentences,
            "anet_entities_gen": _plant_sentences,
            "densepose": _plant_persons,
            "kinetics_tps": _plant_videos,
        }[made_up.id](made_up, folder)


def knowing(made_up: QualityTask[Any]) -> Files:
    """Return a valid submission that touches the canaries and contains none except names of items."""
    if isinstance(made_up, ExampleQuality):
        (value, *_) = made_up.example("res", made_up.form).values()
        return made_up.files(dict.fromkeys(_names_of_items(), value))
    if isinstance(made_up, ItemQuality):
        value = values.random_value(made_up.form, random.Random(3))
        return made_up.files(dict.fromkeys(_names_of_items(), value))
    if made_up.id.startswith("chalearn"):
        return encode_files({f"{CANARY}one": [[*_actor(made_up.id), 7, 5, 6]]})
    if made_up.id.startswith("anet_entities"):
        objects = segment_objects(["x"], [0], [[[1, 1, 5, 5]] * 10])
        mode = "gen" if made_up.id.endswith("gen") else "GT"
        return encode_entities({f"v_{CANARY}": {"0": objects}}, mode)
    if made_up.id == "kinetics_tps":
        human = human_entry([1, 1, 2, 2], {"head": part_entry([[1, 1, 2, 2]], ["x"])})
        frames = {f"{CANARY}frame.json": frame_entry([human])}
        return encode_submission({f"{CANARY}vid": "x"}, {f"{CANARY}vid": frames})
    # Images have numbers, which are no canaries.
    return folder_files(SAMPLES / made_up.id / "good")


def _actor(task_id: str) -> list[int]:
    """Return what the rows of a track begin with."""
    return [1] if task_id == "chalearn_action" else []


def _names_of_items() -> list[str]:
    return [f"{CANARY}{number}" for number in range(_N_ITEMS)]


def _plant_items(made_up: ItemQuality, folder: Path) -> None:
    planted = _values_of_items(made_up.form)
    if isinstance(made_up, ExampleQuality):
        (first, *_) = made_up.example("ref", made_up.form.truth).values()
        planted = [first] * _N_ITEMS
    made_up.write_truth(folder, dict(zip(_names_of_items(), planted)))


def _values_of_items(form: Form) -> list[Any]:
    lowest, highest = form.range
    numbers = [min(max(_NUMBER + index * 1e-9, lowest), highest) for index in range(_N_ITEMS)]
    labels = (list(form.names) * _N_ITEMS)[:_N_ITEMS]
    if form.kind in (Kind.LABEL, Kind.VALUE):
        return labels
    if form.kind is Kind.NUMBER:
        return numbers
    if form.kind is Kind.COLUMNS:
        return [dict.fromkeys(form.names, number) for number in numbers]
    if form.kind is Kind.LABELS:
        return [[label] for label in labels]
    # After each start, which is at least the lowest number.
    ends = [min(max(7.5, lowest + 1), highest)] * (len(form.instance_keys.corners) // 2)
    keys = form.truth.instance_keys
    return [[as_instance(keys, form.names[0], [number] * len(ends) + ends)] for number in numbers]


def _plant_rows(folder: Path, actor: list[int]) -> None:
    first_rows = [[*actor, 7, 7391101, 7391102], [*actor, 9, 7391103, 7391104]]
    second_rows = [[*actor, 3, 7391105, 7391106]]
    (folder / f"{CANARY}one_labels.csv").write_bytes(encode_rows(first_rows))
    (folder / f"{CANARY}one_data.csv").write_text("7391155,20,2000\n")
    (folder / f"{CANARY}two_labels.csv").write_bytes(encode_rows(second_rows))
    (folder / f"{CANARY}two_data.csv").write_text("7391156,20,2000\n")


def _plant_sentences(made_up: QualityTask[Any], folder: Path) -> None:
    segment = {
        "timestamps": [7391115.5, 7391116.5],
        "process_clss": [[f"{CANARY}class"]],
        "tokens": [f"{CANARY}token", f"{CANARY}other"],
        "frame_ind": [3],
        "process_idx": [[0]],
        "process_bnd_box": [[7391117, 7391118, 7391119, 7391120]],
        "crowds": [0],
    }
    video = {"duration": 7391121.5, "segments": {"0": segment}}
    lemmas = {f"{CANARY}token": f"{CANARY}lemma", f"{CANARY}other": f"{CANARY}lemma2"}
    write_json(
        folder / "reference.json", {"vocab": [f"{CANARY}class"], "annotations": {f"v_{CANARY}": video}}
    )
    write_json(folder / "split.json", {"validation": [f"v_{CANARY}"]})
    write_json(folder / "lemmas.json", lemmas)


def _plant_persons(made_up: QualityTask[Any], folder: Path) -> None:
    made_up.write_reference(folder)
    data = json.loads((folder / "annotations.json").read_text())
    for number, image in enumerate(data["images"]):
        image["file_name"] = f"{CANARY}{number}.jpg"
    for number, person in enumerate(data["annotations"]):
        person.update(id=7391130 + number, area=7391150.5, dp_U=[0.73911 for _ in person["dp_U"]])
    (folder / "annotations.json").write_text(json.dumps(data))


def _plant_videos(made_up: QualityTask[Any], folder: Path) -> None:
    part = {
        "number": 7391107, "box": [7391108.5, 1, 7391109.5, 7391110],
        "verb": f"{CANARY}state", "name": f"{CANARY}name",
    }  # fmt: skip
    human = {"number": 7391111, "box": [7391112, 2, 7391113, 7391114], "parts": {f"{CANARY}part": part}}
    classes = {f"{CANARY}vid": f"{CANARY}class", "b": f"{CANARY}other"}
    videos = {f"{CANARY}vid": {f"{CANARY}frame.json": frame_entry([human])}, "b": {}}
    write_json(folder / reference.CLASSES_FILE, classes)
    write_json(folder / reference.PARTS_FILE, videos)
