"""Scoring some items of a reference: the same as if the others were not there."""

from __future__ import annotations

import re

import pytest

from people_in_video.csv_table import item_rows
from people_in_video.home_loaded import at_home, with_items
from people_in_video.references import loading
from scoring_program.scoring import load_reference
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, one_of_each_challenge, slow_for


def loaded(task_id, **settings):
    return loading.load(task_id, None, None, settings)


@pytest.mark.parametrize("task_id", slow_for("densepose"))
@pytest.mark.parametrize("sample", ["good", pytest.param("weak", marks=pytest.mark.slow)])
def test_selected_items_score_as_in_the_whole(task_id, sample):
    whole = loaded(task_id, detail="full")
    submission = SAMPLES / task_id / sample
    selection = whole.select_items(whole.items[1::3])
    result = selection.score_path(submission)
    assert selection.items == list(whole.items[1::3])
    row_of_item = {row["item"]: row for row in item_rows(whole.score_path(submission))}
    for row in item_rows(result):
        assert row["item"] in selection.items
        for key in ("submitted", "score"):
            assert row[key] == row_of_item[row["item"]][key], (row["item"], key)
    # What is submitted for the other items is no mistake.
    codes = {note.code for note in result.notes}
    assert not codes & {"N-ITEMS-UNKNOWN", "N-SEGMENTS-OUTSIDE", "N-NAMES-UNKNOWN"}


@pytest.mark.parametrize("task_id", one_of_each_challenge(PUBLISHED))
def test_all_items_selected_score_as_the_whole(task_id):
    whole = loaded(task_id, notes=False)
    submission = SAMPLES / task_id / "weak"
    assert (
        whole.select_items(whole.items).score_path(submission).scores == whole.score_path(submission).scores
    )


def test_the_signature_names_the_selection_before_the_reference():
    whole = loaded("chalearn_gesture")
    before, _, after = whole.signature.partition("|ref:")
    selection = whole.select_items(whole.items[:5])
    assert re.fullmatch(rf"{re.escape(before)}\|items:5-[0-9a-f]{{12}}\|ref:{after}", selection.signature)
    assert with_items(whole.signature, whole.items[4::-1]) == selection.signature
    assert with_items(whole.signature, whole.items[1:6]) != selection.signature


def test_groups_of_selected_items_are_numbered_anew(tmp_path):
    task = load_task("chalearn_gesture")
    reference = REFERENCES / "chalearn_gesture"
    for path in reference.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    items = loaded("chalearn_gesture").items
    lines = [f"{item},{'abc'[number % 3]}" for number, item in enumerate(items)]
    (tmp_path / "persons.csv").write_text("\n".join(["item,group", *lines]))
    (tmp_path / "settings.yaml").write_text("item_groups: persons.csv\n")
    whole = at_home(load_reference(task, tmp_path, task.settings(tmp_path)))
    selection = whole.select_items([item for item, number in zip(items, whole.groups.number) if number])
    assert sorted(set(selection.groups.number.tolist())) == [0, 1]
    assert selection.score_path(SAMPLES / "chalearn_gesture" / "good").interval
