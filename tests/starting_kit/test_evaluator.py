"""Scoring predictions in memory: the numbers of a written zip, in any order, and what is refused where."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import warnings
from typing import Any

import numpy as np
import pytest
from PIL import Image

import people_in_video
from people_in_video import Evaluator, SubmissionError
from people_in_video.anet_entities.writer import AnetEntitiesWriter
from people_in_video.chalearn.writer import ChalearnWriter
from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.kinetics_tps.writer import KineticsTPSWriter
from people_in_video.references import loading
from tests.helpers import (
    GOLDEN,
    PUBLISHED,
    SAMPLES,
    one_of_each_challenge,
    values_of,
)
from tests.starting_kit.predictions import BOXES, HUMAN, IUV, PREDICTIONS, first_item


def written(task, calls, path):
    """Write a zip with the writer of the task."""
    if task == "densepose":
        with DensePoseWriter(path) as stream:
            for image, detections in calls:
                for detection in detections:
                    stream.add(image, *detection)
        return path
    modes = {"anet_entities_gt": "GT", "anet_entities_gen": "gen"}
    writer: Any = KineticsTPSWriter() if task == "kinetics_tps" else None
    writer = writer or (AnetEntitiesWriter(modes[task]) if task in modes else ChalearnWriter(task))
    for call in calls:
        writer.update(*call)
    writer.save(path)
    return path


@pytest.mark.parametrize("task", one_of_each_challenge(PUBLISHED))
def test_predictions_in_memory_score_as_the_zip_does(task, tmp_path):
    result = people_in_video.score(task, PREDICTIONS[task])
    assert result == people_in_video.score(task, written(task, PREDICTIONS[task], tmp_path / "my.zip"))
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["scores"]["score"] == pytest.approx(result.scores["score"], abs=1e-10)


UNKNOWN = {
    "chalearn_action": ("moon", [[1, 1, 2, 5]]),
    "chalearn_gesture": ("moon", [[1, 2, 5]]),
    "anet_entities_gt": ("moon", "0", ["man"], [1], BOXES),
    "anet_entities_gen": ("moon", "0", ["man"], [1], BOXES),
    "kinetics_tps": ("moon", "run", {1: []}),
    "densepose": (999, [([1, 2, 8, 6], 0.5, np.full((3, 6, 8), 20, np.uint8))]),
}


@pytest.mark.parametrize("task", sorted(UNKNOWN))
def test_items_that_are_not_in_the_reference_get_a_warning_at_once_and_a_note(task):
    evaluator, call = Evaluator(task), UNKNOWN[task]
    for known in PREDICTIONS[task]:
        evaluator.update(*known)
    expected = evaluator.compute()
    with pytest.warns(UserWarning, match=rf"N-ITEMS-UNKNOWN call \d+, update\({call[0]!r}"):
        evaluator.update(*call)
    score = evaluator.compute()
    assert score.scores == expected.scores
    (note,) = [note for note in score.notes if note.code == "N-ITEMS-UNKNOWN"]
    assert values_of(note.text)[:2] == ["1", f"'{call[0]}'"]
    evaluator.reset()
    with pytest.warns(UserWarning, match="N-ITEMS-UNKNOWN"):
        evaluator.update(*call)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluator.update(*call)
    with pytest.raises(SubmissionError) as caught:
        evaluator.compute()
    (problem,) = caught.value.problems
    assert (problem.code, problem.file, problem.where) == ("E-ITEMS-NONE", "", "")
    assert "demo reference" in problem.remedy


def test_evaluators_of_other_settings_are_not_merged_nor_with_unknown_repeats():
    evaluator = Evaluator("chalearn_gesture")
    with pytest.raises(ValueError, match="cannot be merged"):
        evaluator.merge(Evaluator("chalearn_gesture", protocol="released"))
    with pytest.raises(ValueError, match="repeats is 'last'"):
        evaluator.merge(repeats="last")


@pytest.mark.parametrize(
    ("task", "call", "code", "where", "problem"),
    [
        ("chalearn_gesture", ("DemoSequence0001", [[1, 2, 5], [21, 2, 5]]), "E-CSV-RANGE", "rows[1][0]", "21"),
        ("chalearn_gesture", ("DemoSequence0001", [[2, 9, 7]]), "E-CSV-RANGE", "rows[0][2]", "7"),
        ("chalearn_gesture", ("DemoSequence0001", [[2, 10_000, 10_001]]), "E-CSV-FRAME", "rows[0][1]", "10000"),
        ("chalearn_gesture", ("DemoSequence0001", [[1, 2]]), "E-ARGUMENT", "", "row 0 is [1, 2]"),
        ("chalearn_action", ("DemoSeq0001", [[3, 1, 2, 5]]), "E-CSV-RANGE", "rows[0][0]", "3"),
        ("anet_entities_gt", ("v_x", "0", ["man"], [2000000], BOXES), "E-ARGUMENT", "", "word_indexes[0] is 2000000"),
        ("anet_entities_gen", ("v_x", "0", ["man"], [1], BOXES * np.nan), "E-ARGUMENT", "", "40 of 40"),
        ("kinetics_tps", ("v", "run", {1: [HUMAN] * 11}), "E-JSON-SCHEMA", "frames[1]", "11 entries"),
        ("kinetics_tps", ("v", "run", {6: [HUMAN, (HUMAN[0], {"head": 3})]}), "E-ARGUMENT", "", "frames[6][1]: head: "),
        ("kinetics_tps", ("v", "run", {1: [{"box": HUMAN[0], "parts": {}}]}), "E-ARGUMENT", "", "frames[1][0]: "),
        ("kinetics_tps", ("v", "run", {1: {"humans": []}}), "E-ARGUMENT", "", "frames[1][0]: "),
        ("kinetics_tps", ("v", "run", []), "E-ARGUMENT", "", "frames is a list"),
        ("densepose", (1, [([1e7, 2, 8, 6], 0.5, IUV)]), "E-JSON-SCHEMA", "detections[0].box", "1000000"),
        ("densepose", (1, [([1, 2, 8, 6], 0.5, IUV), ([1, 2, 8, 6], 0.5, IUV + np.uint8(9))]), "E-DP-PART", "detections[1].", "29"),
        ("densepose", (1,), "E-ARGUMENT", "", "missing 1 required positional argument"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:N-ITEMS-UNKNOWN")
def test_problems_name_the_argument_and_its_index(task, call, code, where, problem):
    good = PREDICTIONS[task][-1]
    with pytest.raises(SubmissionError) as caught:
        people_in_video.score(task, [good, call])
    (refusal,) = caught.value.problems
    assert (refusal.code, refusal.file) == (code, "")
    assert refusal.where.startswith(".".join(filter(None, ["predictions[1]", where])))
    assert problem in refusal.problem
    evaluator = Evaluator(task)
    evaluator.update(*good)
    expected = evaluator.compute()
    with pytest.raises(SubmissionError, match=code) as caught:
        evaluator.update(*call)
    (refusal,) = caught.value.problems
    assert refusal.where.startswith(f"call 2, update({call[0]!r}")
    assert problem in refusal.problem
    assert evaluator.compute() == expected


def with_word(index):
    return "anet_entities_gt", (first_item("anet_entities_gt"), "x", ["man"], [index], BOXES)


def with_parts(number):
    parts = {f"part{index}": HUMAN[1]["head"] for index in range(number)}
    return "kinetics_tps", (first_item("kinetics_tps"), "wrong", {1: [(HUMAN[0], parts)]})


def with_humans(number):
    return "kinetics_tps", (first_item("kinetics_tps"), "wrong", {1: [HUMAN] * number})


def with_objects(number):
    segment = first_item("anet_entities_gen"), "x"
    return "anet_entities_gen", (*segment, ["man"] * number, range(number), np.repeat(BOXES, number, axis=0))


@pytest.mark.parametrize(
    ("made", "most"), [(with_word, 1_000_000), (with_parts, 10), (with_humans, 10), (with_objects, 1000)]
)
def test_limits_in_memory_are_those_of_files(made, most):
    task, refused = made(most + 1)
    with pytest.raises(SubmissionError, match=r"E-JSON-SCHEMA|E-JSON-COUNT|E-ARGUMENT"):
        people_in_video.score(task, [refused])
    task, valid = made(most)
    assert people_in_video.score(task, [valid]).scores["score"] == 0


def test_humans_may_be_added_to_a_video_that_was_set_at_once(tmp_path):
    both, single = KineticsTPSWriter(), KineticsTPSWriter()
    both.update("v", "run", {6: [HUMAN]})
    single.add_video("v", "run")
    for writer, frames in ((both, (6, 1)), (single, (6, 6, 1))):
        for frame in frames:
            writer.add_human("v", frame, *HUMAN)
    assert both.files() == single.files()


def test_predictions_may_name_their_arguments():
    calls = PREDICTIONS["chalearn_gesture"]
    named = [{"sequence": sequence, "rows": rows} for sequence, rows in calls]
    assert people_in_video.score("chalearn_gesture", named) == people_in_video.score(
        "chalearn_gesture", calls
    )


def test_all_wrong_predictions_are_listed():
    (first, _), (second, _), *_ = PREDICTIONS["chalearn_gesture"]
    calls = [(first, [[1, 2]]), (second, [[1, 2, 5]]), (second, [[1, 5, 2]])]
    with pytest.raises(SubmissionError) as caught:
        people_in_video.score("chalearn_gesture", calls)
    places = [problem.where for problem in caught.value.problems]
    assert places == ["predictions[0]", "predictions[2].rows[0][2]"]


def test_arrays_of_densepose_become_no_png(monkeypatch):
    for name in ("open", "frombytes", "fromarray"):
        monkeypatch.setattr(Image, name, None)
    assert people_in_video.score("densepose", PREDICTIONS["densepose"]).scores["score"] > 0


def test_a_task_without_a_writer_takes_files_only(monkeypatch):
    monkeypatch.setattr("people_in_video.chalearn.writer.WRITERS", {})
    with pytest.raises(ValueError, match=r"chalearn_gesture .*zip"):
        Evaluator("chalearn_gesture")


def test_what_is_missing_has_no_cost_where_nothing_would_be_gained():
    background = np.zeros((3, 6, 8), np.uint8)
    result = people_in_video.score("densepose", [(1, [([1, 2, 8, 6], 0.5, background)])])
    assert {cost.error_type: cost.points for cost in result.error_costs}["not_submitted"] == 0
    (text,) = [note.text for note in result.notes if note.code == "N-IMAGES-MISSING"]
    assert values_of(text) == ["11", "12"]


def test_missing_images_cost_what_they_cost_and_are_explained_by_the_category(tmp_path):
    folder = shutil.copytree(SAMPLES / "densepose" / "weak", tmp_path / "submission")
    result = people_in_video.score("densepose", folder)
    (text,) = [note.text for note in result.notes if note.code == "N-IMAGES-MISSING"]
    (cost,) = [cost.points for cost in result.error_costs if cost.error_type == "not_submitted"]
    assert values_of(text) == ["2", "12", f"{cost:.4f}"]
    (path,) = folder.glob("*.json")
    path.write_text(re.sub('"category_id": *1', '"category_id": 0', path.read_text()))
    codes = {note.code for note in people_in_video.score("densepose", folder).notes}
    assert "N-CATEGORY" in codes
    assert "N-IMAGES-MISSING" not in codes


def test_names_of_a_reference_without_a_vocabulary_are_checked_at_home(tmp_path):
    case = GOLDEN / "kinetics_tps" / "boundary-iou"
    result = people_in_video.score("kinetics_tps", case / "res", reference=case / "ref", cache=tmp_path)
    assert "N-UNCHECKED" not in {note.code for note in result.notes}


def test_a_pickled_evaluator_holds_no_reference():
    evaluator = Evaluator("densepose")
    for call in PREDICTIONS["densepose"]:
        evaluator.update(*call)
    sent = pickle.dumps(evaluator)
    assert len(sent) < 50_000
    assert loading._loaded["densepose"][1].reference is pickle.loads(sent)._loaded.reference  # noqa: S301


@pytest.mark.parametrize("task", one_of_each_challenge(PUBLISHED))
def test_without_predictions_the_score_is_0_with_a_note(task):
    result = Evaluator(task).compute()
    assert result.scores["score"] == result.scores["coverage"] == 0
    assert result.notes[0].code == "N-EMPTY"
    assert not any(row["submitted"] for row in result.items)


def test_a_new_epoch_without_reset_is_warned_of_once():
    calls: Any = PREDICTIONS["chalearn_gesture"]
    evaluator = Evaluator("chalearn_gesture")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sequence, rows in calls:
            evaluator.update(sequence, rows[::2])
            evaluator.update(sequence, rows[1::2])
        evaluator.compute()
        # Nothing of it is new.
        evaluator.update(*calls[0])
    with pytest.warns(UserWarning, match=r"reset\(\)") as caught:
        for sequence, _ in calls:
            evaluator.update(sequence, [[1, 1, 2]])
    assert len(caught) == 1
    assert repr(calls[0][0]) in str(caught[0].message)
    evaluator.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluator.update(*calls[0])
        evaluator.compute()
        evaluator.update(*calls[1])
