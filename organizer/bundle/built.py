"""What was built last, for trying submissions on it."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from organizer.bundle import COMPETITION, DIST
from organizer.bundle.build import read_truth, task_names
from organizer.bundle.competition import DEFAULT_STEP, number
from organizer.bundle.cut import challenge_of
from organizer.bundle.parts import build_program, demo_reference
from organizer.data.prepare import reference_files
from organizer.data.references import RefusedError, task_folder
from organizer.files import zip_bytes
from organizer.runs.worker import BuiltTask
from validator.findings import Findings


def built_task(challenge_id: str, reference: Path | None) -> BuiltTask:
    """Return what ``dist/<id>.zip`` holds of a task; its parts are built if there is no such bundle.

    ``reference`` takes the place of the bundle's reference: a folder of tasks or of this one. Raises RefusedError if
    it is neither.
    """
    own = _reference(challenge_id, reference) if reference else None
    path = DIST / f"{challenge_id}.zip"
    if not path.is_file():
        made = own or zip_bytes(demo_reference(challenge_id))
        return BuiltTask(challenge_id, build_program(challenge_id), made, float(DEFAULT_STEP))
    with zipfile.ZipFile(path) as bundle:
        data = yaml.safe_load(bundle.read(COMPETITION))
        # Of several tasks of the challenge the first, as a bundle without REFERENCE says no more.
        task = next(task for task in data["tasks"] if challenge_of(task) == challenge_id)
        program = bundle.read(task["scoring_program"])
        made = own or _reference_in(bundle, task)
    if program != build_program(challenge_id):
        place = f"{DIST.name}/{path.name}"
        print(f"warning | the program in {place} differs from this repository's; make bundle builds it again")
    # Without a limit, and for a limit of 0, the platform takes its own.
    limit = number(data["phases"][0].get("execution_time_limit") or 0) or DEFAULT_STEP
    return BuiltTask(challenge_id, program, made, float(limit))


def _reference_in(bundle: zipfile.ZipFile, task: Mapping[str, Any]) -> bytes:
    """Return the reference of a task of a bundle as a zip; there it may be a folder."""
    name = posixpath.normpath(task.get("reference_data", ""))
    files = {
        place: bundle.read(place) for place in bundle.namelist() if place == name or place.startswith(f"{name}/")
    }
    if not files:
        findings = Findings()
        findings.add("L-REFERENCE", "the task has no reference data in the bundle", "give REFERENCE", COMPETITION)
        raise RefusedError(findings)
    return files.get(name) or zip_bytes({place[len(name) + 1 :]: data for place, data in files.items()})


def _reference(challenge_id: str, reference: Path) -> Path | bytes:
    """Return the task's folder of REFERENCE, as a zip if the platform cannot read its files as they are."""
    folder = task_folder(challenge_id, reference, task_names(read_truth()))
    files = reference_files(challenge_id, folder)
    return folder if all((folder / name).is_file() for name in files) else zip_bytes(files)
