"""A small part of the measurement of repairs: mistakes get theirs, and correct submissions none."""

from __future__ import annotations

import pytest

from people_in_video.diagnosis.decision import Family
from quality.cures import corners_cure
from quality.repairs import Amount, measure_task, run_repairs
from quality.task import Mistake, Said, quality_tasks
from tests.helpers import only_at_night

TASKS = [name for name, task in quality_tasks().items() if task.mistakes]


@pytest.fixture
def task(monkeypatch):
    """Return a task to which a test gives mistakes."""
    task = quality_tasks()["chalearn_gesture"]
    monkeypatch.setattr(task, "weak_models", [])
    return task


@only_at_night()
@pytest.mark.slow
@pytest.mark.parametrize("task_id", TASKS)
def test_mistakes_are_reported_and_correct_submissions_are_not(task_id):
    measured = measure_task(quality_tasks()[task_id], Amount(n_mistakes=20, n_correct=100))
    assert measured.is_good, measured


def test_a_mistake_counts_only_where_the_data_can_show_it(task, monkeypatch):
    def change(prediction):
        return {
            key: [[label, start + 1, end + 1] for label, start, end in rows]
            for key, rows in prediction.items()
        }

    cure = corners_cure(("rows",), Family.FIT, lambda columns, parent: columns - 1)
    monkeypatch.setattr(task, "mistakes", [Mistake("one frame late", change, cures=[cure])])
    (row,) = measure_task(task, Amount(n_mistakes=4, n_correct=1)).mistakes
    assert (row.n_submissions, row.n_shown, row.n_right) == (4, 0, 0)


@pytest.mark.slow
def test_the_command_fails_where_a_mistake_is_not_reported(task, monkeypatch):
    unseen = Mistake("the right answer", lambda prediction: prediction, said=[Said("N-EMPTY")])
    seen = Mistake("nothing", lambda prediction: dict.fromkeys(prediction, ()), said=[Said("N-EMPTY")])
    for mistake, code in ((unseen, 1), (seen, 0)):
        monkeypatch.setattr(task, "mistakes", [mistake])
        assert run_repairs([task.id], n_mistakes=2, n_correct=1) == code
