"""REFERENCE, an argument of all commands: a folder with a folder for each task, or the folder of one task."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from validator.findings import Findings, Refused

PUBLIC_SUFFIX = "_public"
"""What the folder of public data has behind the name of that of the reference."""
_NO_DATA = (".zip", ".md", ".txt", ".html")


@contextmanager
def naming_folder(name: str) -> Iterator[None]:
    """Put the name of a reference before the files that are refused, where another reference has the same."""
    try:
        yield
    except Refused as refused:
        raise Refused(refused.findings.with_files(lambda file: f"{name}/{file}")) from None


def task_folders(reference: Path, names: Collection[str]) -> dict[str, Path]:
    """Return the folder of each task that REFERENCE holds; ``names`` are those of all tasks.

    REFERENCE has folders named like tasks, those of their public data, and sample submissions
    ``<name>_sample.zip``, or is the folder of a task. Raises Refused, with the nearest name, if there is no
    such folder or it holds a folder or a sample of an unknown task.
    """
    _check_exists(reference)
    if _is_one_task(reference, names):
        name = reference.absolute().name
        if name not in names:
            problem = f"the folder of one task must have the task's name, and {name} is none"
            _refuse(problem, name, names, reference)
        return {name: reference}
    # Public data lies beside a reference, or stays alone when that is moved.
    folders = {
        path.name: path
        for path in _visible(reference)
        if path.is_dir() and (path.name in names or not path.name.endswith(PUBLIC_SUFFIX))
    }
    _check_folders(reference, folders, names)
    return folders


def _check_folders(reference: Path, folders: Collection[str], names: Collection[str]) -> None:
    """Refuse folders and samples of unknown tasks, and REFERENCE without any folder."""
    findings = Findings()
    for name in sorted(set(folders) - set(names)):
        hint = f"or name {name}_reference.zip in competition.yaml, beside <id>_program.zip of a task"
        hint += ", or move the folder"
        hint = f"{_nearest(name, names)}; {hint}"
        findings.add("E-REF-UNKNOWN", f"{name} is not a task", hint, file=str(reference / name))
    samples = [f"{name}_sample.zip" for name in folders]
    for path in _visible(reference):
        if path.suffix == ".zip" and path.name not in samples:
            problem = f"{path.name} is the sample of no task in this folder"
            findings.add("E-REF-SAMPLE", problem, _nearest(path.name, samples), file=str(path))
    if not folders:
        findings.add("E-REF-MISSING", "it has no folder of a task", _nearest("", names), file=str(reference))
    findings.refuse_problems()


def task_folder(task_id: str, reference: Path, names: Collection[str]) -> Path:
    """Return the reference folder of one task, whichever of the forms of `task_folders` REFERENCE has."""
    _check_exists(reference)
    name = reference.absolute().name
    # An empty folder is accepted: the program of the task reports what is missing.
    if _is_one_task(reference, names) or not any(path.is_dir() for path in _visible(reference)):
        if name in names and not name.startswith(task_id):
            _refuse(f"this is the folder of {name}, not of {task_id}", task_id, [task_id], reference)
        return reference
    folders = task_folders(reference, names)
    if task_id not in folders:
        _refuse(f"there is no folder {task_id} in it", task_id, folders, reference)
    return folders[task_id]


def _is_one_task(reference: Path, names: Collection[str]) -> bool:
    """Whether a folder holds data itself, and no folder of a task."""
    inside = _visible(reference)
    if any(path.is_dir() and path.name in names for path in inside):
        return False
    return any(path.is_file() and path.suffix not in _NO_DATA for path in inside)


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _check_exists(reference: Path) -> None:
    if not reference.is_dir():
        siblings = reference.parent.iterdir() if reference.parent.is_dir() else ()
        folders = [path.name for path in siblings if path.is_dir()]
        close = difflib.get_close_matches(reference.name, folders, n=1)
        _refuse("there is no such folder", reference.name, close, reference)


def _nearest(name: str, names: Iterable[str]) -> str:
    """Return the remedy for a name that is not one of ``names``."""
    sorted_names = sorted(names)
    close = difflib.get_close_matches(name, sorted_names, n=1)
    if close:
        return f"the nearest name is {close[0]}"
    if sorted_names:
        return f"the names are {', '.join(sorted_names)}"
    return "check the path"


def _refuse(problem: str, name: str, names: Iterable[str], reference: Path) -> NoReturn:
    """Refuse REFERENCE; ``name`` is the one that is wrong, ``names`` are those it may be."""
    remedy = _nearest(name, names)
    Findings().refuse("E-REF-UNKNOWN", problem, remedy, file=str(reference))
