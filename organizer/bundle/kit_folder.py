"""``make kit``: a starting kit as a folder, and the packages in it as wheels."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from organizer import ROOT
from organizer.bundle import DIST
from organizer.bundle.build import load_competition
from organizer.bundle.cut import task_id_of
from organizer.bundle.kit import PACKAGE, TASK_PROJECTS
from organizer.bundle.kits import kit_files
from organizer.bundle.public_files import demo_reference
from organizer.files import LockedError, replacing_folder, write_files
from scoring_program.signature import VERSION
from validator.texts import printable

# A fixed date in zips, so that the same content always gives the same wheel.
_EPOCH = "315532800"


def kit_command(task_id: str | None) -> int:
    """Write the kit of a task, or of the whole competition, and its wheels into dist/; print their paths."""
    kit_task_ids = [task_id] if task_id else _tasks_of_competition()
    try:
        folder = write_kit(kit_task_ids, DIST / "kit")
    except LockedError as error:
        print(printable(f"{DIST / 'kit'}: {error}; wait until it is done"))
        return 2
    paths = [folder, *build_wheels(folder, DIST)]
    print(*(path.relative_to(ROOT) for path in paths), sep="\n")
    return 0


def _tasks_of_competition() -> list[str]:
    return sorted({task_id for task in load_competition()["tasks"] if (task_id := task_id_of(task))})


def write_kit(kit_task_ids: list[str], folder: Path) -> Path:
    """Write the starting kit for these tasks; what was in ``folder`` is replaced.

    Raises LockedError if another process writes it.
    """
    files = kit_files(kit_task_ids, cache(demo_reference))
    with replacing_folder(folder) as work:
        write_files(files, work)
    return folder


def build_wheels(kit: Path, output: Path) -> list[Path]:
    """Build the wheels of the projects in a kit's folder, and return their paths."""
    wheels = []
    for project in (kit, *sorted(kit.glob(TASK_PROJECTS))):
        (module,) = (path.parent.name for path in project.glob(f"{PACKAGE}*/__init__.py"))
        subprocess.run(
            [sys.executable, "-m", "flit_core.wheel", str(project), "--outdir", str(output)],
            env={**os.environ, "SOURCE_DATE_EPOCH": _EPOCH},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        wheels.append(output / f"{module}-{VERSION}-py3-none-any.whl")
    return wheels
