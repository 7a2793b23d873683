"""What was built last, for trying submissions on it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import yaml

from organizer.bundle.build import DIST, build_parts, build_program
from organizer.runs.worker import BuiltTask


def built_task(challenge_id: str, reference: Path | None) -> BuiltTask:
    """Return what ``dist/<id>.zip`` holds of a task; its parts are built if there is no such bundle.

    ``reference`` is a reference folder that takes the place of the bundle's.
    """
    path = DIST / f"{challenge_id}.zip"
    if not path.is_file():
        parts = build_parts(challenge_id, None)
        return BuiltTask(challenge_id, parts.program, reference or parts.reference, 600.0)
    with zipfile.ZipFile(path) as bundle:
        phase = yaml.safe_load(bundle.read("competition.yaml"))["phases"][0]
        program, built_reference = (
            bundle.read(f"{challenge_id}_program.zip"),
            bundle.read(f"{challenge_id}_reference.zip"),
        )
    if program != build_program(challenge_id):
        place = f"{DIST.name}/{path.name}"
        print(f"warning | the program in {place} differs from this repository's; make bundle builds it anew")
    time_limit = float(phase.get("execution_time_limit", 600))
    return BuiltTask(challenge_id, program, reference or built_reference, time_limit)
