"""The public data of a task: what is known of a reference without its labels, to check a submission at home.

    from people_in_video import check

    check(task, "my.zip", public="public_data.zip")

It says what the server says of ids, frames, sizes and names. A challenge whose public data has a form of its
own has a module ``public_data`` in its folder, with the object ``PUBLIC_READER``; for others it is a table of
items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from people_in_video.challenge_modules import find_module
from people_in_video.public_items import ITEMS_FILE, parse_items
from scoring_program.signature import VOCABULARY_FILE
from scoring_program.task import Public, PublicItems, Vocabulary, load_task
from scoring_program.vocabulary_file import parse_vocabulary
from validator.checking import check_within_limits
from validator.findings import Findings, Note, mistakes_first, without_explained
from validator.json_reader import strict_loads
from validator.submission import Limits, Submission, open_submission
from validator.texts import quote, some_words

_PACKAGE = "people_in_video"
# Larger than what any challenge published.
_LIMITS = Limits(files=200_000, total_bytes=2_000_000_000, file_bytes=600_000_000)
_REMEDY = "name the folder or the zip file with the public data of the task"
# The files of public data by name.
PublicFiles = Mapping[str, bytes]


class PublicReader(NamedTuple):
    """How the public data of a challenge is read.

    Attributes
    ----------
    file_ending : str
        What the name of a file ends with that all public data of the challenge has.
    read : callable
        Returns what is public of the reference of a task, given the files. Raises Refused.
    """

    file_ending: str
    read: Callable[[str, PublicFiles], Public]


def load_public_data(task: str, path: Path) -> Public:
    """Return what is public of the reference of a task.

    Parameters
    ----------
    task : str
    path : Path
        The folder or the zip file with its files, or with a folder of them that has the name of the task.

    Raises
    ------
    Refused
        It cannot be read, or is not the public data of this task.
    """
    return _reader_of(task).read(task, read_public_files(task, path))


def read_public_files(task: str, path: Path) -> PublicFiles:
    """Return the files of the public data of a task by name. Raises Refused as `load_public_data`."""
    file_ending = _reader_of(task).file_ending
    with open_submission(path, _LIMITS) as archive:
        prefix = _prefix_of_task(archive, task)
        files = {}
        for name in archive.names:
            base = name.removeprefix(prefix)
            if name.startswith(prefix) and "/" not in base:
                files[base] = archive.read(name)
        if not any(name.endswith(file_ending) for name in files):
            held_files = some_words(list(map(quote, archive.names))) or "no files"
            missing_file = file_ending if not file_ending.startswith("_") else f"{{Id}}{file_ending}"
            refuse_public_data(f"there is no {missing_file} of {task}; it holds {held_files}", path.name)
    return files


def holds_public_data(task: str, folder: Path) -> bool:
    """Return whether a folder has a file that all public data of the challenge has."""
    return any(folder.glob(f"*{_reader_of(task).file_ending}"))


def _prefix_of_task(archive: Submission, task: str) -> str:
    """Return what the names of the files of a task begin with, if several tasks have folders."""
    prefix = f"{task}/"
    return prefix if any(name.startswith(prefix) for name in archive.names) else ""


def _reader_of(task: str) -> PublicReader:
    """Return the reader of the public data of a task."""
    module = find_module(_PACKAGE, f"{load_task(task).folder.name}.public_data")
    if module is not None:
        reader: PublicReader = module.PUBLIC_READER
        return reader
    return PublicReader(ITEMS_FILE, _read_items)


def _read_items(task: str, files: PublicFiles) -> Public:
    """Return the items in ``items.csv``, and the names. Raises Refused."""
    return PublicItems(parse_items(files[ITEMS_FILE]), read_vocabulary(files))


def refuse_public_data(problem: str, file: str) -> NoReturn:
    """Raise Refused with a problem of public data."""
    Findings().refuse("E-PUBLIC-DATA", problem, _REMEDY, file=file)


def check_with_public_data(task_id: str, public: Public, submission: Path) -> Findings:
    """Return what is found in a submission, a zip file or a folder, beside the public data of its task."""
    task = load_task(task_id)

    def read_notes() -> list[Note]:
        reading = task.read(submission, public, None)
        return [*reading.notes, *task.notes(reading.content, public)]

    return check_within_limits(lambda: mistakes_first(without_explained(read_notes())))


def read_object(files: PublicFiles, name: str) -> dict[str, Any]:
    """Return the JSON object in a file of public data. Raises Refused if it holds anything else."""
    content: Any = strict_loads(files[name], name).content
    if not isinstance(content, dict):
        refuse_public_data("this is not an object", name)
    return content


def read_vocabulary(files: PublicFiles) -> Vocabulary:
    """Return the names of each kind, none if the public data does not list them. Raises Refused."""
    return parse_vocabulary(files[VOCABULARY_FILE]) if VOCABULARY_FILE in files else {}
