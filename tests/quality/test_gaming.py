"""No gaming trick scores more than a correct submission, but those that a published metric rewards."""

from __future__ import annotations

from functools import cache

import pytest

from quality import gaming
from quality.gaming import CORRECT, row, scores_of, submissions
from quality.task import Trick, quality_tasks
from scoring_program.task import load_task, task_ids
from tests.helpers import PUBLISHED, ROOT, only_at_night

TRICKS = [(task, trick) for task in task_ids() for trick in quality_tasks()[task].tricks]


@cache
def scores(task):
    """Return the scores of all submissions of a task by protocol and name."""
    return {(trick.protocol, trick.name): scores_of(task, trick, files) for trick, files in submissions(task)}


@pytest.mark.parametrize("task", task_ids())
def test_every_task_has_tricks(task):
    assert [trick for trick in quality_tasks()[task].tricks if trick.protocol == "published"]


@only_at_night()
@pytest.mark.slow
@pytest.mark.parametrize(("task", "trick"), TRICKS, ids=lambda value: getattr(value, "name", value))
def test_trick_against_a_correct_submission(task, trick):
    found, correct = (scores(task)[trick.protocol, name] for name in (trick.name, CORRECT))
    sign = 1 if load_task(task).columns[0].sorting == "desc" else -1
    if trick.rewarded:
        assert sign * found["score"] > sign * correct["score"]
        assert found["coverage"] <= correct["coverage"]
    else:
        assert sign * found["score"] <= sign * correct["score"]


@pytest.mark.slow
@pytest.mark.parametrize("task", PUBLISHED)
def test_the_table_is_measured(task):
    table = (ROOT / "docs" / "gaming.md").read_text(encoding="utf-8").splitlines()
    rows = [
        row(task, Trick(name, lambda *_: {}, protocol), own) for (protocol, name), own in scores(task).items()
    ]
    assert [line for line in table if line.startswith(f"| {task} |")] == rows


def test_submission_without_a_score_is_named_with_its_problem(monkeypatch, capsys):
    broken = Trick("broken trick", lambda *_: {})
    monkeypatch.setattr(gaming, "submissions", lambda task: [(broken, {"Seq03_prediction.csv": b"x"})])
    assert gaming.print_table(["chalearn_gesture"]) == 1
    out = capsys.readouterr().out
    assert "chalearn_gesture, broken trick: 1. E-ITEMS-NONE" in out
    assert "quality/" in out
