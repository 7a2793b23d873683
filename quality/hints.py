"""How often hints are right: of each mistake, and of correct submissions, which must get none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from organizer.data.prepare import reference_files
from organizer.data.references import refuse_problems
from organizer.files import write_files
from quality.task import Mistake, QualityTask, quality_tasks
from scoring_program.challenge import load_challenge
from scoring_program.plausibility import notes
from scoring_program.settings import read_settings
from validator.findings import Findings

# Worse submissions need not be free of hints.
_LEAST_SCORE = 0.05
# What the mistakes are made of: right answers and ones as good as the good samples.
_NOISES = (0.0, 0.15)
_SIZES, _SIZE_LARGE = (1, 2), 5


@dataclass(frozen=True)
class _Material:
    """A loaded reference and its files as the organizers have them."""

    task: QualityTask[Any]
    source: Path
    reference: Any
    settings: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """How many of ``n`` submissions of one kind got the expected hint, or any hint if they are correct."""

    task: str
    kind: str
    code: str
    hits: int
    n: int
    examples: tuple[str, ...] = ()


def run_hints(ids: Sequence[str], n_mistakes: int, n_correct: int) -> int:
    """Print both numbers for each task; return 0 if at least 95 % of each mistake get the hint and no correct
    submission gets any."""
    good = True
    print("| task | submission | hint | reported |")
    print("|---|---|---|---|")
    for row in measure(ids, n_mistakes, n_correct):
        good &= row.hits >= 0.95 * row.n if row.code else row.hits == 0
        print(f"| {row.task} | {row.kind} | {row.code or 'none'} | {row.hits} of {row.n} |", flush=True)
        for example in row.examples:
            print(f"  {example}")
    return 0 if good else 1


def measure(ids: Sequence[str], n_mistakes: int, n_correct: int) -> Iterator[Row]:
    """Yield the row of each mistake, then that of correct submissions, of each task that has mistakes."""
    for task in [quality_tasks()[task_id] for task_id in ids]:
        with tempfile.TemporaryDirectory() as folder:
            if task.mistakes:
                usual = [_material(task, Path(folder), size) for size in _SIZES]
                large = (
                    [_material(task, Path(folder), _SIZE_LARGE)]
                    if any(m.large for m in task.mistakes)
                    else usual
                )
                for mistake in task.mistakes:
                    yield _mistake_row(mistake, large if mistake.large else usual, n_mistakes)
                yield _correct_row(usual, n_correct)


def _mistake_row(mistake: Mistake[Any], materials: Sequence[_Material], n: int) -> Row:
    hits = 0
    for seed in range(n):
        noise = 0.0 if mistake.only_right else _NOISES[seed % len(_NOISES)]
        material = materials[seed // len(_NOISES) % len(materials)]
        rng = np.random.default_rng([1, seed])
        prediction = mistake.change(material.task.correct_prediction(material.source, rng, noise))
        hits += any(line.startswith(mistake.code) for line in _scored(material, prediction)[1])
    return Row(materials[0].task.id, mistake.name, mistake.code, hits, n)


def _correct_row(materials: Sequence[_Material], n: int) -> Row:
    examples: list[str] = []
    hits = count = seed = 0
    while count < n:
        rng = np.random.default_rng([2, seed])
        material = materials[seed % len(materials)]
        seed += 1
        prediction = material.task.correct_prediction(material.source, rng, float(rng.random()))
        score, hints = _scored(material, prediction)
        if score >= _LEAST_SCORE:
            count += 1
            hits += bool(hints)
            examples += hints
    return Row(materials[0].task.id, "correct", "", hits, n, tuple(examples[:5]))


def _material(task: QualityTask[Any], folder: Path, size: int) -> _Material:
    source, prepared = (folder / f"{name}{size}" for name in ("source", "prepared"))
    prepared.mkdir()
    task.write_reference(source, seed=size, size=size)
    write_files(reference_files(task.id, source), prepared)
    challenge, findings = load_challenge(task.id), Findings()
    settings = read_settings(prepared, challenge.settings, findings)
    reference = challenge.program().load_reference(prepared, settings, findings)
    refuse_problems(findings)
    return _Material(task, source, reference, settings)


def _scored(material: _Material, prediction: Any) -> tuple[float, list[str]]:
    """Return the score of a submission and its hints; raise RefusedError if it is invalid."""
    challenge, findings = load_challenge(material.task.id), Findings()
    program = challenge.program()
    with tempfile.TemporaryDirectory() as folder:
        write_files(material.task.files(prediction), Path(folder))
        submission = program.read_submission(Path(folder), material.reference, findings)
    refuse_problems(findings)
    score = program.scores(program.measure(material.reference, submission, material.settings))["score"]
    hints = notes(challenge.plausibility(), material.reference, submission, material.settings, score)
    return score, [hint.line() for hint in hints]
