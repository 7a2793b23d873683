"""Public data: the part of a reference that participants may have, made from the organizers' own files.

``organizer/public_data/<challenge>.py`` has ``public_files(source)``, which returns a `PublicData`, and
``PREPARED_FILE``, the name of a file that only prepared references have, if they are of another format than
the organizers' files. Tasks of other challenges get their items. Two references that differ in labels only
give the same bytes.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from organizer.files import Files
from scoring_program.settings import Settings
from scoring_program.signature import VOCABULARY_FILE
from scoring_program.task import load_task
from validator.discovery import discover
from validator.findings import Findings

ITEMS_FILE = "items.csv"
SUFFIX = "_public"
"""What the folder of public data has behind the name of that of the reference."""


class PublicSource(NamedTuple):
    """The files of an organizer that public data is made from.

    Attributes
    ----------
    task_id : str
    folder : Path
        In the organizers' own formats.
    settings : Settings
    read_vocabulary : callable
        Returns ``vocabulary.json`` of the reference that is made from ``folder``, None if it has none. Raises
        Refused.
    """

    task_id: str
    folder: Path
    settings: Settings
    read_vocabulary: Callable[[], bytes | None]

    def vocabulary_file(self) -> dict[str, bytes]:
        """Return ``vocabulary.json`` by its name, nothing if there is none. Raises Refused."""
        content = self.read_vocabulary()
        return {} if content is None else {VOCABULARY_FILE: content}


class PublicData(NamedTuple):
    """The files of public data, and what is to be said of them.

    Attributes
    ----------
    files : mapping of str to bytes
    remarks : list of str
        What was left out or added, a sentence each.
    """

    files: Files
    remarks: list[str]


def is_prepared(task_id: str, folder: Path) -> bool:
    """Return whether a folder holds a prepared reference in another format than the organizers' files.

    It may have lost durations, times, words of segments without boxes, and file names.
    """
    name = getattr(_module_of(task_id), "PREPARED_FILE", "")
    return bool(name) and (folder / name).is_file()


def make_public_data(source: PublicSource) -> PublicData:
    """Return the public part of the organizers' files.

    Raises Refused if the files are not right, and if they are those of a prepared reference.
    """
    if is_prepared(source.task_id, source.folder):
        problem = "this was prepared already, and has lost what only the public part holds"
        remedy = "give the folder with the organizers' own files as SOURCE"
        Findings().refuse("E-PUBLIC-SOURCE", problem, remedy, file=str(source.folder))
    module = _module_of(source.task_id)
    made: PublicData = _items_of(source) if module is None else module.public_files(source)
    return made


def _module_of(task_id: str) -> Any:
    """Return the module of the challenge of a task, None if it has none."""
    name = load_task(task_id).folder.name
    if not discover(__name__, f"{name}.py"):
        return None
    return importlib.import_module(f"{__name__}.{name}")


def _items_of(source: PublicSource) -> PublicData:
    """Return the ids of the items, and the names of labels."""
    task = load_task(source.task_id)
    reference = task.load_reference(source.folder, source.settings)
    lines = ["item", *task.items(reference)]
    files = {ITEMS_FILE: "".join(f"{line}\n" for line in lines).encode()}
    return PublicData({**files, **source.vocabulary_file()}, [])


def json_bytes(content: Any) -> bytes:
    """Return JSON with a line for each member of the outermost object, so that files can be compared."""
    lines = []
    for key, value in content.items():
        lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
