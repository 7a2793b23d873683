"""What gaming tricks score against the demo reference."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from organizer.evaluators import within_time_limit
from organizer.files import Files, folder_files, samples_folder, zip_bytes
from quality import ROOT
from quality.demo_data import load_against
from quality.task import Trick, quality_tasks
from scoring_program.settings import PROTOCOLS
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


def gains(task_id: str, protocol: str) -> Iterator[tuple[str, str, float]]:
    """Yield each trick that no metric rewards, each sample, and what the trick gains with a protocol."""
    reference = folder_files(ROOT / "reference_data" / task_id)
    tricks = quality_tasks()[task_id].tricks
    rewarded_names = {trick.name for trick in tricks if trick.rewarded}
    plays = {trick.name: trick.play for trick in tricks if trick.name not in rewarded_names}
    sign = 1 if load_task(task_id).higher_is_better else -1
    for sample_name in _SAMPLES.values():
        sample = folder_files(samples_folder(task_id) / sample_name)
        correct_score = _score(task_id, protocol, sample)
        for name, play in plays.items():
            score = _score(task_id, protocol, play(reference, sample))
            yield name, sample_name, sign * (score - correct_score)


def _score(task_id: str, protocol: str, files: Files) -> float:
    return scores_of(task_id, Trick(CORRECT, lambda reference, sample: sample, protocol), files)["score"]


def scores_of(task_id: str, trick: Trick, files: Files) -> dict[str, float]:
    """Return the scores of a submission against the demo reference. Raises Refused."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "s.zip").write_bytes(zip_bytes(files))
        reference = ROOT / "reference_data" / task_id
        settings = {"detail": "none", "protocol": trick.protocol, "interval": False}
        loaded = load_against(task_id, reference, folder / "ref", **settings)
        with within_time_limit():
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
        remedy = "correct the evaluator, or the task's modules in quality/, and run this again"
        print(f"{task_id}, {trick.name}: {error}", remedy, sep="\n", file=sys.stderr)
        return 1
    print(f"\n{_largest_gain(ids)}")
    return 0


def _largest_gain(ids: Sequence[str]) -> str:
    """Return the largest gain of a trick that no metric rewards, over tasks, protocols and both samples."""
    rows = [
        (gain, f"{task_id}, {protocol}, {sample_name} sample, {name}")
        for task_id in ids
        for protocol in PROTOCOLS
        for name, sample_name, gain in gains(task_id, protocol)
    ]
    gain, place = max(rows)
    return f"Tricks that no metric rewards gain at most {gain:.4f} ({place})."
