"""Drawings of the worst items of a submission.

``drawings/<challenge>.py`` holds ``DRAWINGS``: for each task that has drawings a function that takes the
reference, the submission, its statistics, the most drawings, and whether those with nothing wrong are drawn,
too; it returns sections.
"""

from __future__ import annotations

from typing import Any

from people_in_video.challenge_modules import find_module
from scoring_program.result import Section, Statistics
from scoring_program.task import Task

MOST_DRAWINGS = 500


def draw_worst_items(
    task: Task, reference: Any, submission: Any, statistics: Statistics, number: int, with_right: bool
) -> list[Section]:
    """Return drawings of the worst items, at most ``number``; with ``with_right`` also of the others."""
    draw = _draw_function(task)
    return list(draw(reference, submission, statistics, number, with_right)) if draw and number else []


def has_drawings(task: Task) -> bool:
    """Return whether items of a task can be drawn."""
    return _draw_function(task) is not None


def _draw_function(task: Task) -> Any:
    module = find_module(__package__, task.folder.name)
    return getattr(module, "DRAWINGS", {}).get(task.id)
