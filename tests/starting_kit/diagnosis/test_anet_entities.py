"""ActivityNet-Entities: what the search for the simplest repair finds in submissions, and in which it finds nothing."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from organizer.files import write_files
from people_in_video.diagnosis.explanation import repairs_of
from people_in_video.diagnosis.trials import Family
from people_in_video.home_loaded import at_home
from quality.demo_data import load_against
from quality.task import quality_tasks
from tests.helpers import every_fourth, one_task

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


class Demo:
    """A demo reference of one task, and right answers for it."""

    def __init__(self, task_id, folder):
        self.quality_task = quality_tasks()[task_id]
        self.folder = folder
        self.quality_task.write_reference(folder / "source", seed=1, size=2)
        self.loaded = {
            detail: at_home(load_against(task_id, folder / "source", folder / detail, detail=detail))
            for detail in ("full", "summary")
        }
        self.right_answer = self.prediction(0, 0.0)

    def prediction(self, seed, noise):
        rng = np.random.default_rng([1, seed])
        return self.quality_task.correct_prediction(self.folder / "source", rng, noise)

    def with_mistake(self, *names):
        results = copy.deepcopy(self.right_answer)
        for name in names:
            (mistake,) = [mistake for mistake in self.quality_task.mistakes if mistake.name == name]
            results = mistake.change(results)
        return results

    def read(self, results, tmp_path, detail="full"):
        write_files(self.quality_task.files(results), tmp_path / "submission")
        return self.loaded[detail].read(tmp_path / "submission")

    def repairs(self, results, tmp_path):
        """Return what was repaired, with the family of each."""
        return [(repair.noun, repair.family) for repair in self.whole_repairs(results, tmp_path)]

    def whole_repairs(self, results, tmp_path):
        loaded = self.loaded["full"]
        submission = self.read(results, tmp_path).content
        statistics = loaded.task.measure(loaded.reference, submission, loaded.settings)
        return repairs_of(loaded, submission, statistics)

    def notes(self, results, tmp_path, detail):
        result = self.loaded[detail].score(self.read(results, tmp_path, detail))
        return [note for note in result.notes if note.is_mistake]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demos = {task_id: Demo(task_id, tmp_path_factory.mktemp(task_id)) for task_id in (GIVEN, GENERATED)}
    return demos.__getitem__


@pytest.mark.parametrize(
    ("task_id", "name", "what", "family"),
    [
        *((GIVEN, *case) for case in (*CASES, *GIVEN_CASES)),
        *((GENERATED, *case) for case in GENERATED_CASES),
        *(pytest.param(GIVEN, *case, marks=pytest.mark.slow) for case in MORE_CASES),
        *(pytest.param(GENERATED, *case, marks=pytest.mark.slow) for case in (*CASES, *MORE_CASES)),
    ],
)
def test_a_mistake_is_repaired(demo, tmp_path, task_id, name, what, family):
    results = demo(task_id).with_mistake(name)
    assert demo(task_id).repairs(results, tmp_path) == [(what, family)]


def test_predictions_for_a_video_that_is_not_in_the_data_are_of_none_where_all_are_of_the_next_video(
    demo, tmp_path
):
    results = demo(GIVEN).with_mistake("predictions of the next video")
    first_video = demo(GIVEN).loaded["full"].items[0]
    results["v_elsewhere"] = copy.deepcopy(results[first_video])
    (repair,) = demo(GIVEN).whole_repairs(results, tmp_path)
    videos = [video for video, _ in repair.repaired.rows.segments]
    assert repair.family is Family.ITEMS
    assert first_video not in videos


@pytest.mark.slow
def test_two_mistakes_of_different_kinds_are_repaired_together(demo, tmp_path):
    results = demo(GIVEN).with_mistake("words counted from 1", "boxes of half size")
    assert demo(GIVEN).repairs(results, tmp_path) == [
        ("word indexes", Family.NUMBERS),
        ("boxes", Family.FIT),
    ]
    results = demo(GENERATED).with_mistake("classes of a list in another order", "boxes of half size")
    assert demo(GENERATED).repairs(results, tmp_path) == [("boxes", Family.FIT), ("classes", Family.ORDER)]


@pytest.mark.slow
@pytest.mark.parametrize("task_id", one_task([GIVEN, GENERATED]))
@pytest.mark.parametrize("noise", [0.0, 0.3, 0.6])
def test_predictions_without_a_mistake_need_no_repair(demo, tmp_path, task_id, noise):
    assert demo(task_id).repairs(demo(task_id).prediction(2, noise), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("task_id", one_task([GENERATED, GIVEN]))
def test_weak_models_need_no_repair(demo, tmp_path, task_id):
    rng = np.random.default_rng(5)
    for number, model in enumerate(every_fourth(demo(task_id).quality_task.weak_models)):
        results = model.change(copy.deepcopy(demo(task_id).right_answer), rng)
        assert demo(task_id).repairs(results, tmp_path / str(number)) == [], model.name


def test_one_box_for_all_objects_of_a_segment_is_no_other_order(demo, tmp_path):
    results = demo(GIVEN).with_mistake("boxes of the first object for all of a segment")
    assert demo(GIVEN).repairs(results, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("words counted from 1", "N-LOOKS", "with word indexes less 1"),
        pytest.param("segments counted from 1", "N-SEGMENTS-OUTSIDE", "n - 1", marks=pytest.mark.slow),
        ("segments as 00, 01, 02", "N-SEGMENTS-OUTSIDE", "as '0' for '00'"),
        pytest.param(
            "boxes of -1 on every second frame",
            "N-LOOKS-CONSTANT",
            "[-1, -1, -1, -1]",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_repairs_of_what_is_public_are_told(demo, tmp_path, name, code, words):
    (note,) = demo(GIVEN).notes(demo(GIVEN).with_mistake(name), tmp_path / "full", "full")
    assert note.code == code
    assert words in note.text


def test_repairs_of_boxes_are_named_where_everything_is_told(demo, tmp_path):
    results = demo(GIVEN).with_mistake("boxes as [x, y, width, height]")
    (full_note,) = demo(GIVEN).notes(results, tmp_path / "full", "full")
    assert full_note.code == "N-LOOKS"
    assert "[x, y, width, height]" in full_note.text
    hidden_notes = demo(GIVEN).notes(results, tmp_path / "summary", "summary")
    assert [note.code for note in hidden_notes] == ["N-BOXES-ORDER"]
    assert "width" not in hidden_notes[0].text
