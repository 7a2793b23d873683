"""How the reference of a task is prepared, checked, and cut to some of its items, at home and by organizers.

``references/<challenge>.py`` holds ``PREPARATIONS``, a `Preparation` for each task of the challenge.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from people_in_video.challenge_modules import find_module
from scoring_program.marks import MARKS_FILE
from scoring_program.prepared import FORM
from scoring_program.scoring import AnyLoaded, load_reference
from scoring_program.settings import SETTINGS_FILE, Settings
from scoring_program.signature import KEY_FILE, VOCABULARY_FILE
from scoring_program.task import Task, Vocabulary
from validator.findings import Note

Notes = list[Note]
# What organizers may choose as they prepare a reference, apart from settings.
Options = Mapping[str, Any]


def declared_files(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the names of the files of a folder that have the names that a task declares."""
    paths = [path for pattern in task.reference_files for path in source.glob(pattern)]
    return sorted({path.name for path in paths if not path.name.startswith(".")})


def copy_files(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Copy the files of a reference that needs no preparing."""
    for name in source_files(task, source, settings):
        shutil.copyfile(source / name, output / name)
    return []


class Preparation(NamedTuple):
    """How the reference of a task is prepared, checked, and cut.

    Attributes
    ----------
    sources : callable
        Takes the task, a folder and the settings; returns the names of the files that ``write`` reads.
    write : callable
        Takes the task, the folder of the official files, that of the output, the settings and options; writes
        what the platform reads and returns notes. Raises Refused.
    check : callable
        Takes a task with its reference; looks for mistakes that make a run pointless. Raises Refused.
    names : callable
        Returns the names that a reference holds and submissions use, by kind: class, part, state.
    select_items : callable, optional
        Returns the reference of some of its items, which are all that remain of it.
    select_predictions : callable
        Returns a submission without what it predicts for other items, where that would count.
    """

    sources: Callable[[Task, Path, Settings], list[str]] = declared_files
    write: Callable[[Task, Path, Path, Settings, Options], Notes] = copy_files
    check: Callable[[AnyLoaded], Notes] = lambda loaded: []
    names: Callable[[Any], Vocabulary] = lambda reference: {}
    select_items: Callable[[Any, Collection[str]], Any] | None = None
    select_predictions: Callable[[Any, Collection[str]], Any] = lambda submission, items: submission


def _preparation(task: Task) -> Preparation:
    module = find_module(__package__, task.folder.name)
    return module.PREPARATIONS[task.id] if module else Preparation()


def source_files(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the names of the files in ``source`` that preparing reads."""
    return _preparation(task).sources(task, source, settings)


def carried_files(source: Path, settings: Settings) -> list[str]:
    """Return the names of the files that every reference may have and that stay as they are."""
    names = (SETTINGS_FILE, KEY_FILE, MARKS_FILE, VOCABULARY_FILE, Path(settings["item_groups"]).name)
    return [name for name in names if name and (source / name).is_file()]


def write_prepared(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Write a complete reference folder: prepared files, settings, item groups. Raises Refused."""
    notes = _preparation(task).write(task, source, output, settings, options)
    for name in carried_files(source, settings):
        shutil.copyfile(source / name, output / name)
    if (output / KEY_FILE).is_file():
        (output / KEY_FILE).chmod(0o600)
    return notes


def check_reference(loaded: AnyLoaded) -> Notes:
    """Look for mistakes of a reference that do not stop a run. Raises Refused."""
    return _preparation(loaded.task).check(loaded)


def load_any(task: Task, folder: Path, settings: Settings) -> AnyLoaded:
    """Read a reference in any form; of some tasks official files are prepared first. Raises Refused.

    What is prepared for that goes when the process ends.
    """
    if not task.prepared_file or not folder.is_dir() or (folder / task.prepared_file).is_file():
        return load_reference(task, folder, settings)
    prepared = tempfile.TemporaryDirectory()
    atexit.register(prepared.cleanup)
    write_prepared(task, folder, Path(prepared.name), settings, {})
    return replace(load_reference(task, Path(prepared.name), settings), folder=folder)


def save_prepared(path: Path, texts: Mapping[str, object], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays, and texts that JSON can hold."""
    text = json.dumps({"form": FORM, **texts}).encode()
    text_bytes = np.frombuffer(text, np.uint8)
    np.savez(path, text=text_bytes, **arrays)  # type: ignore[arg-type]


def names_of_reference(task: Task, reference: Any) -> Vocabulary:
    """Return the names that a reference holds and submissions use, by kind: class, part, state."""
    return _preparation(task).names(reference)


def select_items(task: Task, reference: Any, items: Collection[str]) -> Any:
    """Return the reference of some of its items, for quick looks at home.

    Raises NotImplementedError if the task cannot be scored on some of its items.
    """
    select = _preparation(task).select_items
    if select is None:
        raise NotImplementedError(f"{task.id} cannot be scored on some of its items")
    return select(reference, items)


def select_predictions(task: Task, submission: Any, items: Collection[str]) -> Any:
    """Return a submission without what it predicts for other items, where that would count."""
    return _preparation(task).select_predictions(submission, items)
