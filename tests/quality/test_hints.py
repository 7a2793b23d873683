"""A small part of the measurement of hints: each mistake gets its hint, correct submissions get none."""

from __future__ import annotations

import pytest

from quality.hints import measure, run_hints
from quality.task import Mistake, quality_tasks
from tests.helpers import scaled

pytestmark = pytest.mark.slow

N_CORRECT = scaled(20)
TASKS = [name for name, task in quality_tasks().items() if task.mistakes]


@pytest.mark.parametrize("task", TASKS)
def test_mistakes_are_reported_and_correct_submissions_are_not(task):
    rows = list(measure([task], n_mistakes=3, n_correct=N_CORRECT))
    assert [
        (row.kind, row.hits, row.examples) for row in rows if row.hits != (row.n if row.code else 0)
    ] == []
    assert sum(row.n for row in rows) == 3 * len(quality_tasks()[task].mistakes) + N_CORRECT


def test_the_command_fails_where_a_mistake_is_not_reported(monkeypatch, capsys):
    unseen = Mistake("the right answer", "N-LOOKS-SWAPPED", lambda prediction: prediction)
    monkeypatch.setattr(quality_tasks()["chalearn_action"], "mistakes", [unseen])
    assert run_hints(["chalearn_action"], 2, 2) == 1
    assert "| chalearn_action | the right answer | N-LOOKS-SWAPPED | 0 of 2 |" in capsys.readouterr().out
