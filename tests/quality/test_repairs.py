"""Mistakes are found, and submissions without one get no repair: a table for each task."""

from __future__ import annotations

import pytest

from quality.repairs import measure_honest, measure_mistakes, print_repairs
from quality.task import Mistake, Said, quality_tasks

TASKS = [name for name, task in quality_tasks().items() if task.mistakes]
# What the right answer to small demo data cannot show: rows of actions are long, and few of them are valid
# with a length for their end.
UNSEEN = {"chalearn_action": {"10 frames late", "start, length"}, "chalearn_gesture": {"start, length"}}


@pytest.mark.slow
@pytest.mark.parametrize("task_id", TASKS)
def test_mistakes_are_found_in_right_answers(task_id):
    rows = measure_mistakes(quality_tasks()[task_id], [0])
    assert {row.name for row in rows if row.missed} == UNSEEN.get(task_id, set())


@pytest.mark.slow
@pytest.mark.parametrize("task_id", TASKS)
def test_submissions_without_a_mistake_get_no_repair(task_id):
    rows = measure_honest(quality_tasks()[task_id], n_weak=2, n_correct=10)
    assert {row.name: row.alarms for row in rows if row.alarms} == {}


def test_the_command_fails_where_a_mistake_is_not_found(monkeypatch, capsys):
    task = quality_tasks()["chalearn_gesture"]
    unseen = Mistake("the right answer", lambda prediction: prediction, said=[Said("N-EMPTY")])
    seen = Mistake("nothing", lambda prediction: dict.fromkeys(prediction, ()), said=[Said("N-EMPTY")])
    monkeypatch.setattr(task, "weak_models", [])
    monkeypatch.setattr(task, "mistakes", [unseen, seen])
    assert print_repairs([task.id], n_mistakes=2, n_correct=1) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "  0 of 2 found: the right answer" in lines
    assert "  2 of 2 found: nothing" in lines
    monkeypatch.setattr(task, "mistakes", [seen])
    assert print_repairs([task.id], n_mistakes=2, n_correct=1) == 0
