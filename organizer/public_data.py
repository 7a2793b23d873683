"""Public data: the part of a reference that participants may have, made from the organizers' own files.

``organizer/tasks/<challenge>.py`` holds ``PUBLIC_DATA``, a `PublicPart`. Two references that differ in labels
only give the same bytes.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft7Validator

from organizer.data.vocabulary import vocabulary_file
from organizer.files import Files
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from scoring_program.signature import VOCABULARY_FILE
from scoring_program.task import load_task
from validator.findings import Findings
from validator.json_columns import JsonValue
from validator.json_reader import strict_loads
from validator.texts import pointer_part, quote

_LONGEST_MESSAGE = 200


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


class Leak(NamedTuple):
    """A file of public data with something that it must not hold.

    Attributes
    ----------
    file : str
    problem : str
        What is wrong with it, as half a sentence.
    """

    file: str
    problem: str


class PublicPart(NamedTuple):
    """How public data of a challenge is made and checked.

    Attributes
    ----------
    make : callable
        Returns what is public of the organizers' own files. Raises Refused.
    find_leaks : callable
        Yields a `Leak` for each file that holds anything else than what may be shown of a reference.
    find_leaks_beside : callable or None
        Yields what the public data of one task, by its id, shows that the reference of another must hide.
    prepared_file : str
        The file that only prepared references have, if they are of another format than the organizers' files
        and have lost some public data, else "".
    of_items : callable or None
        Returns the public data of some items, if prepared references have lost it.
    """

    make: Callable[[PublicSource], PublicData]
    find_leaks: Callable[[Files, AnyLoaded], Iterator[Leak]]
    find_leaks_beside: Callable[[Files, str, AnyLoaded], Iterator[Leak]] | None = None
    prepared_file: str = ""
    of_items: Callable[[Files, Collection[str]], Files] | None = None


def is_prepared(task_id: str, folder: Path) -> bool:
    """Return whether a folder holds a prepared reference in another format than the organizers' files.

    It may have lost durations, times, words of segments without boxes, and file names.
    """
    name = _part_of(task_id).prepared_file
    return bool(name) and (folder / name).is_file()


def make_public_data(source: PublicSource) -> PublicData:
    """Return the public part of the organizers' files.

    Raises Refused if the files are not right, and if they are those of a prepared reference.
    """
    if is_prepared(source.task_id, source.folder):
        problem = "this was prepared already, and has lost what only the public part holds"
        remedy = "give the folder with the organizers' own files as SOURCE"
        Findings().refuse("E-PUBLIC-SOURCE", problem, remedy, file=str(source.folder))
    return _part_of(source.task_id).make(source)


def can_be_made_of_prepared(task_id: str) -> bool:
    """Return whether public data is made of a prepared reference, too, which is then in the organizers' own
    formats."""
    return not _part_of(task_id).prepared_file


def public_files_of_items(task_id: str, files: Files, items: Collection[str]) -> Files:
    """Return the public data of some items of a reference whose prepared form has lost it."""
    part = _part_of(task_id)
    if part.of_items is None:
        raise ValueError(f"public data of {task_id} is made of its prepared references")
    return part.of_items(files, frozenset(items))


def _part_of(task_id: str) -> PublicPart:
    """Return how public data of a task is made."""
    part: PublicPart = module_of(task_id).PUBLIC_DATA
    return part


def module_of(task_id: str) -> Any:
    """Return the module of ``organizer/tasks/`` for the challenge of a task."""
    return importlib.import_module(f"organizer.tasks.{load_task(task_id).folder.name}")


def find_leaks(files: Files, loaded: AnyLoaded) -> list[Leak]:
    """Return what the public data of a task holds beyond what may be shown of its reference."""
    return list(_part_of(loaded.task.id).find_leaks(files, loaded))


def find_leaks_beside(files: Files, task_id: str, other: AnyLoaded) -> list[Leak]:
    """Return what the public data of a task shows that the reference of another task must hide."""
    find = _part_of(task_id).find_leaks_beside
    return list(find(files, task_id, other)) if find else []


def differing_files(files: Files, expected_files: Files) -> Iterator[Leak]:
    """Yield the files that are not expected, or not with this content."""
    for name, content in files.items():
        if name not in expected_files:
            yield Leak(name, "public data has no such file")
        elif content != expected_files[name]:
            yield Leak(name, "this is not what organizer public-data writes for this reference")


def breaches(name: str, content: bytes, schema: str) -> Iterator[Leak]:
    """Yield the first breach of a schema in ``schemas/`` by a JSON file, if there is one."""
    text = (Path(__file__).parent / "tasks" / "schemas" / f"{schema}.json").read_text(encoding="utf-8")
    findings = Findings()
    with findings.part():
        document: JsonValue = findings.take(strict_loads(content, name))
        error = next(Draft7Validator(json.loads(text)).iter_errors(document), None)
        if error is not None:
            place = "".join(f"/{pointer_part(str(part))}" for part in error.absolute_path)
            yield Leak(name, f"{quote(error.message, _LONGEST_MESSAGE)}, at {place or '/'}")
    for problem in findings.problems:
        yield Leak(name, problem.problem)


def expected_vocabulary(loaded: AnyLoaded) -> dict[str, bytes]:
    """Return ``vocabulary.json`` of a reference by its name, nothing if it has no names."""
    content = vocabulary_file(loaded)
    return {VOCABULARY_FILE: content} if content else {}
