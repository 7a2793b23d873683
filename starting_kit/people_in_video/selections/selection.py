"""Some items of a reference, for quick looks at home.

``selections/<challenge>.py`` holds ``select_items``, which returns the reference of some items, and, where
predictions for other items would count, ``select_predictions``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from people_in_video.challenge_modules import find_module
from scoring_program.task import Task


def select_items(task: Task, reference: Any, items: Collection[str]) -> Any:
    """Return the reference of some of its items, which are all that remain of it.

    Raises
    ------
    NotImplementedError
        The task cannot be scored on some of its items.
    """
    module = find_module(__package__, task.folder.name)
    if module is None:
        raise NotImplementedError(f"{task.id} cannot be scored on some of its items")
    return module.select_items(reference, items)


def select_predictions(task: Task, submission: Any, items: Collection[str]) -> Any:
    """Return a submission without what it predicts for other items, where that would count."""
    select = getattr(find_module(__package__, task.folder.name), "select_predictions", None)
    return select(submission, items) if select else submission
