"""What gaming tricks score against the demo reference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from organizer.data.prepare import reference_files
from organizer.files import Files, folder_files, samples_folder, write_files, zip_bytes
from quality import ROOT
from quality.task import Trick, quality_tasks
from scoring_program.task import load_task
from validator.findings import Refused

CORRECT = "correct submission"
_SAMPLES = {"published": "good", "released": "weak"}


def submissions(task_id: str) -> Iterator[tuple[Trick, Files]]:
    """Yield the submission that each trick makes of a sample, of each protocol the unchanged sample first."""
    reference = folder_files(ROOT / "reference_data" / task_id)
    for protocol, name in _SAMPLES.items():
        sample = folder_files(samples_folder(task_id) / name)
        tricks = [trick for trick in quality_tasks()[task_id].tricks if trick.protocol == protocol]
        if tricks:
            yield Trick(CORRECT, lambda reference, sample: sample, protocol), sample
        for trick in tricks:
            yield trick, trick.play(reference, sample)


def scores_of(task_id: str, trick: Trick, files: Files) -> dict[str, float]:
    """Return the scores of a submission against the demo reference. Raises Refused."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "ref").mkdir()
        write_files(reference_files(task_id, ROOT / "reference_data" / task_id), work / "ref")
        (work / "s.zip").write_bytes(zip_bytes(files))
        task = load_task(task_id)
        settings = task.settings(work / "ref", {"detail": "none", "protocol": trick.protocol})
        return dict(task.load(work / "ref", settings).score_path(work / "s.zip").scores)


def row(task_id: str, trick: Trick, scores: dict[str, float]) -> str:
    """Return the row of a submission in the table of docs/gaming.md."""
    return (
        f"| {task_id} | {trick.protocol} | {trick.name} | {scores['score']:.4f} | {scores['coverage']:.4f} |"
    )


def print_table(ids: Sequence[str]) -> int:
    """Print the table of docs/gaming.md for some tasks; return 1 if a submission cannot be scored."""
    print("| task | protocol | submission | score | coverage |")
    print("|---|---|---|---|---|")
    try:
        for task_id in ids:
            for trick, files in submissions(task_id):
                print(row(task_id, trick, scores_of(task_id, trick, files)), flush=True)
    except Refused as error:
        print(f"{task_id}, {trick.name}: {error}")
        print("correct the task's modules in quality/, then write its demo data again")
        return 1
    return 0
