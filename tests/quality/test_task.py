"""What is made up exists for every task."""

from __future__ import annotations

from quality.task import quality_tasks
from scoring_program.task import task_ids


def test_every_task_is_found_under_its_id():
    assert list(quality_tasks()) == task_ids()
    assert all(task.id == task_id for task_id, task in quality_tasks().items())
