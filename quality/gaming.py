"""What gaming tricks score against the demo reference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from organizer.files import Files, folder_files, samples_folder, zip_bytes
from quality import ROOT
from quality.demo_data import load_against
from quality.task import Trick, quality_tasks
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "s.zip").write_bytes(zip_bytes(files))
        reference = ROOT / "reference_data" / task_id
        loaded = load_against(task_id, reference, folder / "ref", detail="none", protocol=trick.protocol)
        return dict(loaded.score_path(folder / "s.zip").scores)


def row(task_id: str, trick: Trick, scores: dict[str, float]) -> str:
    """Return the row of a submission in the table of docs/gaming.md."""
    score = f"{scores['score']:.4f}"
    coverage = f"{scores['coverage']:.4f}"
    return f"| {task_id} | {trick.protocol} | {trick.name} | {score} | {coverage} |"


def print_table(ids: Sequence[str]) -> int:
    """Print the table of docs/gaming.md for some tasks; return 1 if a submission cannot be scored."""
    print("| task | protocol | submission | score | coverage |\n|---|---|---|---|---|")
    try:
        for task_id in ids:
            for trick, files in submissions(task_id):
                print(row(task_id, trick, scores_of(task_id, trick, files)), flush=True)
    except Refused as error:
        print(f"{task_id}, {trick.name}: {error}")
        print("correct the task's modules in quality/, then write its demo data again")
        return 1
    return 0
