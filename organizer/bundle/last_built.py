"""The task that was built last, for running submissions on it."""

from __future__ import annotations

import posixpath
from pathlib import Path

import yaml

from organizer.bundle import COMPETITION, DIST
from organizer.bundle.build import load_competition, task_names
from organizer.bundle.competition import DEFAULT_STEP, Entry, refused, step_limit
from organizer.bundle.cut import task_id_of
from organizer.bundle.parts import build_program, demo_reference
from organizer.data.prepare import reference_files
from organizer.data.references import task_folder
from organizer.files import Files, files_below, read_zip, zip_bytes
from organizer.runs.worker import BuiltTask


def built_task(task_id: str, reference: Path | None) -> BuiltTask:
    """Return the task in ``dist/<id>.zip``; its parts are built if there is no such bundle.

    ``reference``, a folder of tasks or of this one, replaces the bundle's reference. Raises Refused if
    it is neither.
    """
    data = _reference(task_id, reference) if reference else None
    path = DIST / f"{task_id}.zip"
    if not path.is_file():
        data = data or zip_bytes(demo_reference(task_id))
        return BuiltTask(task_id, build_program(task_id), data, float(DEFAULT_STEP))
    files = read_zip(path)
    competition = yaml.safe_load(files[COMPETITION])
    # The first of several entries of the task, as a bundle without REFERENCE names no other.
    task = next(task for task in competition["tasks"] if task_id_of(task) == task_id)
    program = files[task["scoring_program"]]
    if program != build_program(task_id):
        place = f"{DIST.name}/{path.name}"
        print(f"warning | the program in {place} differs from this repository's; run make bundle")
    limit = float(step_limit(competition["phases"][0]))
    return BuiltTask(task_id, program, data or _reference_in(files, task), limit)


def _reference_in(files: Files, task: Entry) -> bytes:
    """Return the reference of a task of a bundle as a zip; there it may be a folder."""
    name = posixpath.normpath(task.get("reference_data", ""))
    if name in files:
        return files[name]
    if folder := files_below(name, files):
        return zip_bytes(folder)
    raise refused("L-REFERENCE", "the task has no reference data in the bundle", "give REFERENCE")


def _reference(task_id: str, reference: Path) -> Path | bytes:
    """Return the task's folder of REFERENCE, as a zip if the platform cannot read its files as they are."""
    folder = task_folder(task_id, reference, task_names(load_competition()))
    files = reference_files(task_id, folder)
    return folder if all((folder / name).is_file() for name in files) else zip_bytes(files)
