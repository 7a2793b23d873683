"""How often the notes on mistakes are right: of each mistake, and of correct submissions, which must get
none."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from organizer.data.prepare import reference_files
from organizer.files import write_files
from quality.demo import load_demo
from quality.mistakes import Mistake, Mistakes
from scoring_program.challenge import load_challenge
from scoring_program.plausibility import notes
from scoring_program.settings import read_settings
from validator.findings import Findings

LEAST_SCORE = 0.05
# What the mistakes are made of: right answers and ones as good as the good samples.
_NOISES = (0.0, 0.15)
# Only right answers tell a shift by one frame from a correct one.
_ONLY_RIGHT = {"frames from 0", "start, length", "boxes one frame late", "boxes one frame early"}
_SIZES = (1, 2)
# Where sizes replace ends, the validator accepts few: those that are not below their start.
_LARGE = {"start, length", "[x, y, width, height]"}
_SIZE_LARGE = 5


@dataclass(frozen=True)
class _Material:
    """A loaded reference and its files as the organizers have them."""

    source: Path
    reference: Any
    settings: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """How many of ``n`` submissions of one kind got the expected note, or any note if they are correct."""

    task: str
    made: str
    code: str
    hits: int
    n: int
    examples: tuple[str, ...]


def mistakes_of(task: str) -> Mistakes:
    """Import the mistakes of a task."""
    return importlib.import_module(f"quality.{task}.mistakes")  # type: ignore[return-value]


def run_hints(ids: Sequence[str], n_mistakes: int, n_correct: int) -> int:
    """Print both numbers for each task; return 0 if all mistakes are told 95 times of 100 and no correct
    submission is."""
    good = True
    print("| task | submission | note | told |")
    print("|---|---|---|---|")
    for row in measure(ids, n_mistakes, n_correct):
        good &= row.hits >= 0.95 * row.n if row.code else row.hits == 0
        print(f"| {row.task} | {row.made} | {row.code or 'none'} | {row.hits} of {row.n} |", flush=True)
        for example in row.examples:
            print(f"  {example}")
    return 0 if good else 1


def measure(ids: Sequence[str], n_mistakes: int, n_correct: int) -> Iterator[Row]:
    """Yield the row of each mistake, then that of the correct submissions, of each task that has notes on
    mistakes."""
    with tempfile.TemporaryDirectory() as folder:
        for task in [task for task in ids if load_challenge(task).plausibility()]:
            usual = [_material(task, Path(folder), size) for size in _SIZES]
            for mistake in mistakes_of(task).MISTAKES:
                large = mistake[0] in _LARGE
                yield _mistake_row(
                    task,
                    mistake,
                    [_material(task, Path(folder), _SIZE_LARGE)] if large else usual,
                    n_mistakes,
                )
            yield _correct_row(task, usual, n_correct)


def _mistake_row(task: str, mistake: Mistake, materials: Sequence[_Material], n: int) -> Row:
    made, code, change = mistake
    hits = 0
    for seed in range(n):
        noise = 0.0 if made in _ONLY_RIGHT else _NOISES[seed % len(_NOISES)]
        material = materials[seed // len(_NOISES) % len(materials)]
        prediction = change(
            mistakes_of(task).honest(material.source, np.random.default_rng([1, seed]), noise)
        )
        hits += any(line.startswith(code) for line in _judged(task, material, prediction)[1])
    return Row(task, made, code, hits, n, ())


def _correct_row(task: str, materials: Sequence[_Material], n: int) -> Row:
    examples: list[str] = []
    hits = count = seed = 0
    while count < n:
        rng = np.random.default_rng([2, seed])
        material = materials[seed % len(materials)]
        seed += 1
        score, found = _judged(
            task, material, mistakes_of(task).honest(material.source, rng, float(rng.random()))
        )
        if score >= LEAST_SCORE:
            count += 1
            hits += bool(found)
            examples += found
    return Row(task, "correct", "", hits, n, tuple(examples[:5]))


def _material(task: str, folder: Path, size: int) -> _Material:
    source, prepared = (folder / f"{task}{size}" / name for name in ("source", "prepared"))
    prepared.mkdir(parents=True)
    challenge = load_challenge(task)
    load_demo(task).write_reference(source, seed=size, size=size)
    write_files(reference_files(task, source), prepared)
    findings = Findings()
    settings = read_settings(prepared, challenge.settings, findings)
    reference = challenge.program().load_reference(prepared, settings, findings)
    if not findings.ok:
        raise ValueError("\n".join(findings.lines()))
    return _Material(source, reference, settings)


def _judged(task: str, material: _Material, prediction: Any) -> tuple[float, list[str]]:
    """Return the score of a submission and its notes; raise ValueError if it is invalid."""
    challenge, findings = load_challenge(task), Findings()
    program = challenge.program()
    with tempfile.TemporaryDirectory() as folder:
        write_files(mistakes_of(task).files(prediction), Path(folder))
        submission = program.read_submission(Path(folder), material.reference, findings)
    if not findings.ok:
        raise ValueError("\n".join(findings.lines()))
    score = program.scores(program.measure(material.reference, submission, material.settings))["score"]
    found = notes(challenge.plausibility(), material.reference, submission, material.settings, score)
    return score, [note.line() for note in found]
