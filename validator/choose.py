"""What choosing files has in common, and recognizing a submission to another task.

Another task is recognized by the names of its files and, of CSV files without a header, by the first row.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from validator.findings import Findings, Refused
from validator.formats.rules import load_rules, task_ids
from validator.kinds import HEAD_BYTES, PYTORCH
from validator.submission import Submission
from validator.texts import quote

# The code of the problem that a submission to another task has.
OTHER_TASK = "E-TASK"
_NAMED_AT_MOST = 5
_MEMBERS_OF_PYTORCH = frozenset({"data.pkl", "version"})
OTHER_CASE = "upper and lower case differ"
OTHER_TASKS_FILE = "other_tasks.json"
"""A file beside this module with the `TaskFiles` of tasks whose rules a program or a kit does not hold."""
# A first row is not longer than this, in bytes.
_LONGEST_ROW = 1000


def refuse_nothing(submission: Submission, file_names: str, findings: Findings) -> None:
    """Raise Refused if the platform left no file, and say why: it runs a command that a submission holds."""
    if submission.names or not submission.is_unpacked:
        return
    remedy = (
        f"put {file_names} at the top of the zip; if it holds metadata or metadata.yaml with a command, the "
    )
    remedy += "platform ran that command and kept only what it wrote: take it out"
    findings.refuse("E-FILE-NONE", "there are no files", remedy)


def refuse_other_task(submission: Submission, names: list[str], findings: Findings) -> None:
    """Raise Refused if these files are those of another task, or the members of a file of PyTorch."""
    if _MEMBERS_OF_PYTORCH.issubset(names):
        problem = f"this is {PYTORCH.name}: it holds data.pkl and version"
        findings.refuse("E-FILE-KIND", problem, PYTORCH.how_to_zip())
    task = " or ".join(tasks_of_files(submission, names))
    if task:
        findings.refuse(
            OTHER_TASK, f"this is a submission to {task}: {file_list(names)}", other_task_remedy(task)
        )


def other_task_remedy(task: str) -> str:
    """Return what to do with files of another task."""
    return f"choose the task {task} for it"


def head_of(submission: Submission, name: str) -> bytes:
    """Return the first bytes of a file, none of a damaged one: reading it says so."""
    with suppress(Refused), submission.open(name) as stream:
        return stream.read(HEAD_BYTES)
    return b""


def report_misplaced(path: str, findings: Findings) -> None:
    """Add a problem: a file that is needed is in a folder."""
    findings.add("E-FILE-PLACE", "the file is in a folder", "put all files at the top of the zip", file=path)


def file_list(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    first_names = ", ".join(quote(name) for name in names[:_NAMED_AT_MOST])
    more = len(names) - _NAMED_AT_MOST
    return f"{first_names} and {more:,} more" if more > 0 else first_names


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
    columns = [field.name for file in rules.csv for field in file.fields]
    return TaskFiles(task_id, list(rules.name_patterns), columns)


@cache
def _files_of_all_tasks() -> list[TaskFiles]:
    all_files = [files_of_task(task_id) for task_id in task_ids()]
    path = Path(__file__).with_name(OTHER_TASKS_FILE)
    if path.is_file():
        all_files += [TaskFiles(**words) for words in json.loads(path.read_text(encoding="utf-8"))]
    return all_files


def tasks_of_files(submission: Submission, names: Collection[str]) -> list[str]:
    """Return the tasks that have files named like some of a submission; where several have, those whose CSV
    files have as many columns as the first row."""
    tasks = tasks_of_names(names)
    return tasks if len(tasks) < 2 else _tasks_of_first_row(submission, names) or tasks


def tasks_of_names(names: Collection[str]) -> list[str]:
    """Return the tasks that have a file named like one of these, in any folder."""
    return [files.id for files in _files_of_all_tasks() if any(map(files.has, names))]


def _tasks_of_first_row(submission: Submission, names: Iterable[str]) -> list[str]:
    """Return the tasks whose CSV files have the name, and as many columns as the first row, of the first of
    some files that has a row."""
    for name in names:
        tasks = [files for files in _files_of_all_tasks() if files.columns and files.has(name)]
        if not tasks:
            continue
        with submission.open(name) as stream:
            first_row = stream.read(_LONGEST_ROW).partition(b"\n")[0].strip()
        if first_row:
            n_columns = first_row.count(b",") + 1
            return [files.id for files in tasks if len(files.columns) == n_columns]
    return []
