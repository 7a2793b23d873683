"""Where demo references and samples are: in the package in a kit, in their own folders in a checkout."""

from __future__ import annotations

from pathlib import Path

from scoring_program.task import task_ids
from validator.discovery import discover

_PACKAGE_FOLDER = Path(__file__).resolve().parent
_IS_KIT = (_PACKAGE_FOLDER / "scoring_program").is_dir()
"""Whether this is the package of a kit, which holds the others and all data."""


def demo_reference(task_id: str) -> Path:
    """Return the folder of the synthetic reference of a task."""
    if not _IS_KIT:
        return _PACKAGE_FOLDER.parent.parent / "reference_data" / task_id
    (folder,) = discover(__package__, f"demo_reference/{task_id}")
    return folder


def sample(task_id: str, name: str) -> Path:
    """Return the path of a sample of a published task, which need not exist."""
    if not _IS_KIT:
        return _PACKAGE_FOLDER.parent / "samples" / task_id / name
    return _PACKAGE_FOLDER / "samples" / task_id / f"{name}.zip"


def default_task() -> str:
    """Return the task of a kit that is for one task, "" in that of several."""
    tasks = task_ids()
    return tasks[0] if len(tasks) == 1 else ""
