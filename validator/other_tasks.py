"""Recognizing a submission to another task: by the names of its files and, of CSV files, by the first row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from validator.archive import Submission
from validator.formats.rules import load_rules, task_ids

OTHER_TASKS_FILE = "other_tasks.json"
"""A file beside this module with the `TaskFiles` of tasks whose rules a program or a kit does not hold."""
# A first row is not longer than this, in bytes.
_LONGEST_ROW = 1000


class TaskFiles(NamedTuple):
    """What identifies the files of a submission to a task.

    ``patterns`` are their names, which may hold ``*``; ``columns`` those of CSV files without a header, none
    for other files.
    """

    id: str
    patterns: list[str]
    columns: list[str]

    def has(self, name: str) -> bool:
        """Return whether a file is named like one of the task, in any folder."""
        return any(fnmatchcase(PurePosixPath(name).name, pattern) for pattern in self.patterns)


def files_of_task(task_id: str) -> TaskFiles:
    """Return what identifies the files of a task whose rules are there."""
    rules = load_rules(task_id)
    columns = [field.name for file in rules.csv if not file.key for field in file.fields]
    return TaskFiles(task_id, list(rules.name_patterns), columns)


def other_tasks_file(present_ids: Iterable[str]) -> bytes:
    """Return the file of a program that holds the rules of these tasks, on all others."""
    others = [files_of_task(task_id) for task_id in task_ids() if task_id not in present_ids]
    return json.dumps([files._asdict() for files in others], indent=1).encode()


@cache
def _files_of_all_tasks() -> list[TaskFiles]:
    """Return what is known of each task, those with rules first."""
    all_files = [files_of_task(task_id) for task_id in task_ids()]
    path = Path(__file__).with_name(OTHER_TASKS_FILE)
    if path.is_file():
        all_files += [TaskFiles(**words) for words in json.loads(path.read_text(encoding="utf-8"))]
    return all_files


def task_of_name(name: str) -> str:
    """Return the task, or "a or b" for several, whose files are named like this one; "" if there is none."""
    return _either(_tasks_of_name(name))


def task_of_files(submission: Submission, names: Sequence[str]) -> str:
    """Return the task whose files are among those of a submission, "a or b" for several, "" for none.

    Tasks whose files have the same names are told apart by the first row.
    """
    for name in names:
        tasks = _tasks_of_name(name)
        if tasks:
            task = task_of_first_row(submission, names)
            return task.id if task in tasks else _either(tasks)
    return ""


def task_of_first_row(submission: Submission, names: Iterable[str]) -> TaskFiles | None:
    """Return the task whose CSV files have the name, and as many columns as the first row, of the first of
    some files that has a row; None if there is none."""
    for name in names:
        with submission.open(name) as stream:
            first_row = stream.read(_LONGEST_ROW).partition(b"\n")[0].strip()
        if first_row:
            return task_with_columns(name, first_row.count(b",") + 1)
    return None


def task_with_columns(name: str, n_columns: int) -> TaskFiles | None:
    """Return the task whose CSV files have such a name and so many columns, None if there is none."""
    for files in _tasks_of_name(name):
        if len(files.columns) == n_columns:
            return files
    return None


def _tasks_of_name(name: str) -> list[TaskFiles]:
    return [files for files in _files_of_all_tasks() if files.has(name)]


def _either(tasks: Iterable[TaskFiles]) -> str:
    return " or ".join(files.id for files in tasks)
