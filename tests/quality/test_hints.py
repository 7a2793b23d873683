"""A small part of the measurement of hints: each mistake gets its hint, correct submissions get none."""

from __future__ import annotations

import numpy as np
import pytest

from quality.hints import can_show, measure, run_hints
from quality.task import Mistake, quality_tasks
from scoring_program.low_score import Step
from tests.helpers import sampled

N_MISTAKES = N_CORRECT = sampled(20)
TASKS = [name for name, task in quality_tasks().items() if task.mistakes]


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_mistakes_are_reported_and_correct_submissions_are_not(task):
    rows = list(measure([task], n_mistakes=N_MISTAKES, n_correct=N_CORRECT))
    assert [(row.kind, row.hits, row.examples) for row in rows if row.hits != row.n or row.alarms] == []
    assert sum(row.tried for row in rows) == N_MISTAKES * len(quality_tasks()[task].mistakes) + N_CORRECT
    assert 3 * sum(row.n for row in rows) > 2 * N_MISTAKES * len(quality_tasks()[task].mistakes)


def test_the_command_fails_where_a_mistake_is_not_reported(monkeypatch, capsys):
    unseen = Mistake("the right answer", "N-EMPTY", lambda prediction: prediction)
    monkeypatch.setattr(quality_tasks()["chalearn_action"], "mistakes", [unseen])
    assert run_hints(["chalearn_action"], 2, 2) == 1
    row = "| chalearn_action | the right answer | N-EMPTY | 2 of 2 | 0 of 2 | 0 of 2 |"
    assert row in capsys.readouterr().out


def test_a_mistake_is_judged_only_where_the_data_can_show_it(monkeypatch, capsys):
    unseen = Mistake("the right answer", "N-LOOKS", lambda prediction: prediction)
    monkeypatch.setattr(quality_tasks()["chalearn_action"], "mistakes", [unseen])
    assert run_hints(["chalearn_action"], 2, 2) == 0
    row = "| chalearn_action | the right answer | N-LOOKS | 0 of 2 | 0 of 0 | 0 of 2 |"
    assert row in capsys.readouterr().out


@pytest.mark.parametrize(
    ("share", "correct_share", "shows"),
    [(0.1, 0.35, True), (0.5, 0.7, False), (0, 0, False), (0, 0.25, False), (0.3, 0.6, True), (0.6, 0.95, True)],
)  # fmt: skip
def test_data_shows_what_agrees_far_more_without_the_mistake(share, correct_share, shows):
    def steps(share):
        return [Step("places", "of your rows", np.arange(100) < 100 * share, 100)]

    assert can_show(steps(share), steps(correct_share)) == shows
