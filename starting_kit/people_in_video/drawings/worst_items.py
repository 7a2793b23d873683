"""Drawings of the worst items of a submission.

``drawings/<challenge>.py`` holds ``DRAWINGS``: for each task that has drawings a function that takes the
reference, the submission, its statistics and the most drawings, and returns sections.
"""

from __future__ import annotations

from typing import Any

from scoring_program.result import Section, Statistics
from scoring_program.task import Task
from validator.discovery import find_module


def draw_worst_items(
    task: Task, reference: Any, submission: Any, statistics: Statistics, number: int
) -> list[Section]:
    """Return drawings of the worst items, at most ``number``."""
    module = find_module(__package__, task.folder.name)
    draw = getattr(module, "DRAWINGS", {}).get(task.id)
    return list(draw(reference, submission, statistics, number)) if draw and number else []
