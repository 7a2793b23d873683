"""What is made up exists for every task."""

from __future__ import annotations

from scoring_program.challenge import challenge_ids

from quality.task import quality_tasks


def test_every_task_is_found_under_its_id():
    assert list(quality_tasks()) == challenge_ids()
    assert all(task.id == task_id for task_id, task in quality_tasks().items())
