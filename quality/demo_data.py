"""Synthetic references and samples: the small ones of the repository, and ones of full size."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from organizer.data.marks import add_marks
from organizer.data.prepare import SYNTHETIC_MARK, prepare, reference_files
from organizer.files import Files, folder_files, samples_folder, write_files
from quality.task import quality_tasks
from scoring_program.marks import MARKS_FILE
from scoring_program.scoring import Loaded, load_reference
from scoring_program.signature import VOCABULARY_FILE
from scoring_program.task import load_task
from validator.checking import load_format

_MARK_TEXT = """# Synthetic data

These files were made by a program with a fixed seed. They show the formats and let the samples be scored; \
they
are not the data of any challenge. A bundle that is built with them says so in its title.
"""


def write_demo_data(task_id: str, root: Path) -> None:
    """Write reference_data/ and starting_kit/samples/ of a task below ``root``.

    Raises Refused if something does not follow the rules of the task; then nothing is changed.
    """
    task = quality_tasks()[task_id]
    with tempfile.TemporaryDirectory() as name:
        reference = Path(name) / "reference"
        samples = Path(name) / "samples"
        prepared = Path(name) / "prepared"
        for folder in (reference, samples, prepared):
            folder.mkdir()
        task.write_reference(reference)
        (reference / SYNTHETIC_MARK).write_text(_MARK_TEXT, encoding="utf-8")
        prepare(task_id, reference, prepared)
        add_marks(task_id, prepared)
        for file_name in (MARKS_FILE, VOCABULARY_FILE):
            if (prepared / file_name).is_file():
                shutil.copyfile(prepared / file_name, reference / file_name)
        task.write_samples(reference, samples)
        form, rules = load_format(task_id)
        for sample in sorted(samples.iterdir()):
            form.read(sample, rules)
        for folder_to_copy, place in ((reference, "reference_data"), (samples, "starting_kit/samples")):
            shutil.rmtree(root / place / task_id, ignore_errors=True)
            write_files(folder_files(folder_to_copy), root / place / task_id)


def write_full_size(task_id: str, scale: float, folder: Path) -> Files:
    """Write a reference of the real size times ``scale`` to ``folder/ref``; return a submission's files."""
    quality_tasks()[task_id].write_full_size(folder / "data", scale)
    prepare(task_id, folder / "data" / "ref", folder / "ref")
    submission = folder_files(folder / "data" / "res")
    shutil.rmtree(folder / "data")
    return submission


def load_against(task_id: str, reference: Path, folder: Path, **settings: object) -> Loaded[Any, Any, Any]:
    """Return a task with the files of a reference, prepared into ``folder``; ``settings`` replace its own."""
    write_files(reference_files(task_id, reference), folder)
    task = load_task(task_id)
    return load_reference(task, folder, task.settings(folder, settings))


def finest_task() -> str:
    """Return the task whose good sample has the most files, the last of equals: others can be mixed."""
    return max(quality_tasks(), key=lambda name: (len(list((samples_folder(name) / "good").iterdir())), name))
