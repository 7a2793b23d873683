"""Telling the task of a submission by its files: their names, the columns of CSV files, the mode in JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Union

from people_in_video.tools.conversion import converter_of
from scoring_program.task import load_task, task_ids
from validator.choose import tasks_of_files, tasks_of_names
from validator.formats.rules import load_rules
from validator.submission import FileReader, Limits, Submission, open_submission

_JSON = ".json"
_MODE = re.compile(rb'"eval_mode"\s*:\s*"([^"]{1,20})"')
# A match is not longer than this, in bytes, unless its blanks are many.
_LONGEST_MODE = 200
_PIECE = 1 << 20

Stream = Union[IO[bytes], FileReader]
Open = Callable[[], AbstractContextManager[Stream]]


def tasks_of_submission(path: Path) -> list[str]:
    """Return the tasks that a submission may be to, as far as its files tell; none if they tell nothing.

    Parameters
    ----------
    path : Path
        A zip file, a folder, a JSON file, or a file of another tool.

    Raises
    ------
    Refused
        It cannot be opened.
    """
    if path.is_file() and path.suffix == _JSON:
        named_tasks = [task for task in tasks_of_names([path.name]) if task in task_ids()]
        if named_tasks:
            return named_tasks
    converters = {task_id: converter_of(task_id) for task_id in task_ids()}
    tools = [task_id for task_id, converter in converters.items() if converter and converter.is_needed(path)]
    if tools:
        return tools
    if path.is_file() and path.suffix == _JSON:
        return _tasks_of_json(lambda: path.open("rb"))
    with opened(path) as submission:
        tasks = [task for task in tasks_of_files(submission, submission.names) if task in task_ids()]
        json_files = [name for name in submission.names if name.endswith(_JSON)]
        if tasks or len(json_files) != 1:
            return tasks
        # The only JSON file may have any name.
        return _tasks_of_json(lambda: submission.open(json_files[0]))


@contextmanager
def opened(path: Path) -> Iterator[Submission]:
    """Open a submission to any task, within limits that none exceeds. Raises Refused."""
    limits = [load_rules(task_id).limits for task_id in task_ids()]
    widest = Limits(*(max(values) for values in zip(*limits)))
    with open_submission(path, widest) as submission:
        yield submission


def _tasks_of_json(open_file: Open) -> list[str]:
    """Return the tasks that accept a JSON file of any name and could have this one."""
    with open_file() as stream:
        is_list = stream.read(_LONGEST_MODE).lstrip().startswith(b"[")
    tasks = []
    for task_id in task_ids():
        rules = load_rules(task_id)
        # Entries of a list name their item.
        if rules.any_single and rules.json and bool(rules.json[0].item) == is_list:
            tasks.append(task_id)
    if len(tasks) > 1:
        with open_file() as stream:
            mode = _first_mode(stream)
        tasks = [task_id for task_id in tasks if load_task(task_id).eval_mode == mode] or tasks
    return tasks


def _first_mode(stream: Stream) -> str:
    """Return the first mode in a JSON file, "" if there is none."""
    text = b""
    while piece := stream.read(_PIECE):
        # It may begin in the piece before.
        text = text[-_LONGEST_MODE:] + piece
        match = _MODE.search(text)
        if match:
            return match[1].decode("utf-8", "replace")
    return ""
