"""Drawings of the worst items of a submission.

``drawings/<challenge>.py`` holds ``DRAWINGS``: for each task that has drawings a function that takes the
reference, the submission, its statistics, the most drawings, and whether those with nothing wrong are drawn,
too; it returns sections.
"""

from __future__ import annotations

from collections.abc import Callable

from people_in_video.challenge_modules import find_module
from scoring_program.result import Section
from scoring_program.task import Task

MOST_DRAWINGS = 500


def draw_function(task: Task) -> Callable[..., list[Section]] | None:
    """Return what draws items of a task, None if they cannot be drawn."""
    module = find_module(__package__, task.folder.name)
    function: Callable[..., list[Section]] | None = getattr(module, "DRAWINGS", {}).get(task.id)
    return function
