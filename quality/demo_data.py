"""The synthetic demo reference and the sample submissions of all tasks."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from organizer.data.prepare import SYNTHETIC_MARK, prepare
from organizer.data.references import refuse_problems
from organizer.files import Files, folder_files, samples_folder
from quality import ROOT
from quality.demo import load_demo
from quality.trials import Trials
from validator.check import check_submission
from validator.findings import Findings
from validator.rules import load_rules

_MARK_TEXT = """# Synthetic data

These files were made by a program with a fixed seed. They show the formats and let the samples be scored; \
they
are not the data of any challenge. A bundle that is built with them says so in its title.
"""


def demo_data_command(ids: Sequence[str]) -> int:
    """Write reference_data/ and starting_kit/samples/ of some tasks again."""
    write_demo_data(ROOT, ids)
    print("written to reference_data/ and starting_kit/samples/:", *ids)
    return 0


def write_demo_data(root: Path, ids: Sequence[str]) -> None:
    """Write reference_data/ and starting_kit/samples/ of some tasks below ``root`` again.

    Raises RefusedError if what a task's ``demo.py`` wrote does not follow the rules of the task.
    """
    for name in ids:
        demo = load_demo(name)
        reference = root / "reference_data" / name
        samples = root / "starting_kit" / "samples" / name
        for folder in (reference, samples):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        demo.write_reference(reference)
        (reference / SYNTHETIC_MARK).write_text(_MARK_TEXT, encoding="utf-8")
        with tempfile.TemporaryDirectory() as work:
            refuse_problems(prepare(name, reference, Path(work)))
        demo.write_samples(reference, samples)
        for sample in sorted(samples.iterdir()):
            findings = Findings()
            check_submission(sample, load_rules(name), findings)
            refuse_problems(findings)


def write_full_size(challenge_id: str, scale: float, folder: Path) -> Files:
    """Write a reference of the real size times ``scale`` to ``folder/ref``; return a submission's files."""
    load_demo(challenge_id).write_full_size(folder / "data", scale)
    refuse_problems(prepare(challenge_id, folder / "data" / "ref", folder / "ref"))
    submission = folder_files(folder / "data" / "res")
    shutil.rmtree(folder / "data")
    return submission


def finest_task(ids: Sequence[str]) -> str:
    """Return the task whose good sample has the most files, the last of equals: others can be mixed from
    these."""
    return max(ids, key=lambda name: (len(list((samples_folder(name) / "good").iterdir())), name))


def load_trials(challenge_id: str) -> Trials:
    """Import the inputs on which tests and tools try a task."""
    return importlib.import_module(f"quality.{challenge_id}.trials").TRIALS  # type: ignore[no-any-return]
