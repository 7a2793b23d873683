"""What tests of all packages share."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scoring_program.run import Outcome, load_folder, run
from scoring_program.task import Loaded, load_task

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
REFERENCES = ROOT / "reference_data"
SAMPLES = ROOT / "starting_kit" / "samples"


def seeds(number: int, quick: int = 6) -> list[Any]:
    """Return the seeds of random cases, the first of them for the quick tests."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, number))]


def make_zip(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip with these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def loaded(task_id: str, folder: Path, **settings: Any) -> Loaded[Any, Any, Any]:
    """Return a task with the reference in a folder; ``settings`` replace those of the folder."""
    task = load_task(task_id)
    return task.load(folder, task.settings(folder, settings))


def run_folder(
    task_id: str, reference: Path, submission: Path, output: Path, strict: bool = False, **settings: Any
) -> Outcome:
    """Score a submission and write all outputs, as the platform does; ``settings`` replace those of the
    reference."""
    return run(partial(load_folder, task_id, reference, settings), submission, output, strict)
