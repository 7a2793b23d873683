"""The task that was built last, for running submissions on it."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path

import yaml

from organizer.bundle import COMPETITION, DIST
from organizer.bundle.build import load_competition, task_names
from organizer.bundle.competition import DEFAULT_STEP, Entry, number
from organizer.bundle.cut import challenge_of
from organizer.bundle.parts import build_program, demo_reference
from organizer.bundle.report import LintReport
from organizer.data.prepare import reference_files
from organizer.data.references import task_folder
from organizer.files import zip_bytes
from organizer.runs.worker import BuiltTask


def built_task(challenge_id: str, reference: Path | None) -> BuiltTask:
    """Return the task in ``dist/<id>.zip``; its parts are built if there is no such bundle.

    ``reference``, a folder of tasks or of this one, replaces the bundle's reference. Raises RefusedError if
    it is neither.
    """
    data = _reference(challenge_id, reference) if reference else None
    path = DIST / f"{challenge_id}.zip"
    if not path.is_file():
        data = data or zip_bytes(demo_reference(challenge_id))
        return BuiltTask(challenge_id, build_program(challenge_id), data, float(DEFAULT_STEP))
    with zipfile.ZipFile(path) as bundle:
        competition = yaml.safe_load(bundle.read(COMPETITION))
        # The first of several tasks of the challenge, as a bundle without REFERENCE names no other.
        task = next(task for task in competition["tasks"] if challenge_of(task) == challenge_id)
        program = bundle.read(task["scoring_program"])
        data = data or _reference_in(bundle, task)
    if program != build_program(challenge_id):
        print(
            f"warning | the program in {DIST.name}/{path.name} differs from this repository's; run "
            "make bundle"
        )
    # Without a limit, and for a limit of 0, the platform uses its own.
    limit = number(competition["phases"][0].get("execution_time_limit") or 0) or DEFAULT_STEP
    return BuiltTask(challenge_id, program, data, float(limit))


def _reference_in(bundle: zipfile.ZipFile, task: Entry) -> bytes:
    """Return the reference of a task of a bundle as a zip; there it may be a folder."""
    name = posixpath.normpath(task.get("reference_data", ""))
    if name in bundle.namelist():
        return bundle.read(name)
    files = {
        path[len(name) + 1 :]: bundle.read(path) for path in bundle.namelist() if path.startswith(f"{name}/")
    }
    report = LintReport()
    if not files:
        report.error("L-REFERENCE", "the task has no reference data in the bundle", "give REFERENCE")
    report.refuse_errors()
    return zip_bytes(files)


def _reference(challenge_id: str, reference: Path) -> Path | bytes:
    """Return the task's folder of REFERENCE, as a zip if the platform cannot read its files as they are."""
    folder = task_folder(challenge_id, reference, task_names(load_competition()))
    files = reference_files(challenge_id, folder)
    return folder if all((folder / name).is_file() for name in files) else zip_bytes(files)
