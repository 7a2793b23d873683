"""ActivityNet-Entities: what the search for the simplest repair finds in submissions, and in which it finds nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from people_in_video.diagnosis.trials import Family
from tests.helpers import every_fourth, one_task
from tests.starting_kit.diagnosis.demo import Demo

GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
CASES = [
    ("boxes as [x, y, width, height]", "boxes", Family.READING),
    ("boxes of videos of different sizes", "boxes", Family.ITEM_SCALE),
    ("the ten frames in reverse", "boxes", Family.NUMBERS),
    ("boxes of a segment in another order", "boxes of a segment", Family.ORDER),
    ("boxes of a segment reshaped from (10, n, 4), not transposed", "boxes of a segment", Family.READING),
]
MORE_CASES = [
    ("boxes 40 pixels off in x and y", "boxes", Family.FIT),
    ("boxes one frame late", "boxes", Family.NUMBERS),
    ("predictions of the next video", "boxes", Family.ITEMS),
    ("boxes of half of the videos of half size", "boxes", Family.FIT),
]
GIVEN_CASES = [("words counted from 1", "word indexes", Family.NUMBERS)]
GENERATED_CASES = [
    ("classes of a list in another order", "classes", Family.ORDER),
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return cache(lambda task_id: Demo(task_id, tmp_path_factory.mktemp(task_id), size=2))


def families(repairs):
    """Return what is repaired, with the family of each."""
    return [(repair.noun, repair.family) for repair in repairs]


@pytest.mark.parametrize(
    ("task_id", "name", "what", "family"),
    [
        *((GIVEN, *case) for case in (*CASES, *GIVEN_CASES)),
        *((GENERATED, *case) for case in GENERATED_CASES),
        *(pytest.param(GIVEN, *case, marks=pytest.mark.slow) for case in MORE_CASES),
        *(pytest.param(GENERATED, *case, marks=pytest.mark.slow) for case in (*CASES, *MORE_CASES)),
    ],
)
def test_a_mistake_is_repaired(demo, task_id, name, what, family):
    results = demo(task_id).with_mistake(name)
    assert families(demo(task_id).repairs(results)) == [(what, family)]


def test_predictions_for_a_video_that_is_not_in_the_data_are_of_none_where_all_are_of_the_next_video(demo):
    results = demo(GIVEN).with_mistake("predictions of the next video")
    first_video = demo(GIVEN).loaded().items[0]
    results["v_elsewhere"] = results[first_video]
    (repair,) = demo(GIVEN).repairs(results)
    videos = [video for video, _ in repair.repaired.rows.segments]
    assert repair.family is Family.ITEMS
    assert first_video not in videos


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task_id", "name", "repairs"),
    [
        (GIVEN, "words counted from 1", [("word indexes", Family.NUMBERS), ("boxes", Family.FIT)]),
        (GENERATED, "classes of a list in another order", [("boxes", Family.FIT), ("classes", Family.ORDER)]),
    ],
)
def test_two_mistakes_of_different_kinds_are_repaired_together(demo, task_id, name, repairs):
    results = demo(task_id).with_mistake(name, "boxes of half size")
    assert families(demo(task_id).repairs(results)) == repairs


@pytest.mark.slow
@pytest.mark.parametrize("task_id", one_task([GIVEN, GENERATED]))
@pytest.mark.parametrize("noise", [0.0, 0.3, 0.6])
def test_predictions_without_a_mistake_need_no_repair(demo, task_id, noise):
    assert demo(task_id).repairs(demo(task_id).prediction([1, 2], noise)) == []


@pytest.mark.slow
@pytest.mark.parametrize("task_id", one_task([GENERATED, GIVEN]))
def test_weak_models_need_no_repair(demo, task_id):
    rng = np.random.default_rng(5)
    for model in every_fourth(demo(task_id).task.weak_models):
        assert demo(task_id).repairs(model.change(demo(task_id).right_answer(), rng)) == [], model.name


def test_one_box_for_all_objects_of_a_segment_is_no_other_order(demo):
    results = demo(GIVEN).with_mistake("boxes of the first object for all of a segment")
    assert demo(GIVEN).repairs(results) == []


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("words counted from 1", "N-LOOKS", "with word indexes less 1"),
        ("segments as 00, 01, 02", "N-SEGMENTS-OUTSIDE", "as '0' for '00'"),
        pytest.param("segments counted from 1", "N-SEGMENTS-OUTSIDE", "n - 1", marks=pytest.mark.slow),
        pytest.param("boxes of -1 on every second frame", "N-LOOKS-CONSTANT", "[-1, -1, -1, -1]", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_repairs_of_what_is_public_are_told(demo, name, code, words):
    (note,) = demo(GIVEN).mistake_notes(demo(GIVEN).with_mistake(name))
    assert note.code == code
    assert words in note.text


def test_repairs_of_boxes_are_named_where_everything_is_told(demo):
    results = demo(GIVEN).with_mistake("boxes as [x, y, width, height]")
    (full_note,) = demo(GIVEN).mistake_notes(results)
    assert full_note.code == "N-LOOKS"
    assert "[x, y, width, height]" in full_note.text
    (hidden_note,) = demo(GIVEN).mistake_notes(results, "summary")
    assert hidden_note.code == "N-BOXES-ORDER"
    assert "width" not in hidden_note.text
