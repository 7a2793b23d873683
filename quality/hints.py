"""How often hints are right: of each mistake, and of correct submissions, which must get none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from organizer.data.prepare import reference_files
from organizer.files import write_files
from quality.task import Mistake, QualityTask, quality_tasks
from scoring_program.task import load_task

# Correct submissions that are worse need not be free of hints.
_LEAST_SCORE = 0.05
# What the mistakes are made of: right answers and ones as good as the good samples.
_NOISES = (0.0, 0.15)
_SIZES, _LARGE = (1, 2), 5


@dataclass(frozen=True)
class Row:
    """How many of ``n`` submissions of one kind got the expected hint, or any hint if they are correct."""

    task: str
    kind: str
    code: str
    hits: int
    n: int
    examples: Sequence[str] = ()


def run_hints(ids: Sequence[str], n_mistakes: int, n_correct: int) -> int:
    """Print a table; return 0 if 95 % of each mistake get their hint, and no correct submission gets any."""
    good = True
    print("| task | submission | hint | reported |\n|---|---|---|---|")
    for row in measure(ids, n_mistakes, n_correct):
        good &= row.hits >= 0.95 * row.n if row.code else row.hits == 0
        print(f"| {row.task} | {row.kind} | {row.code or 'none'} | {row.hits} of {row.n} |", flush=True)
        for example in row.examples:
            print(f"  {example}")
    return 0 if good else 1


def measure(ids: Sequence[str], n_mistakes: int, n_correct: int) -> Iterator[Row]:
    """Yield the row of each mistake, then that of correct submissions, of each task that has mistakes."""
    for task in [quality_tasks()[task_id] for task_id in ids]:
        if task.mistakes:
            with tempfile.TemporaryDirectory() as folder:
                usual = [_Scorer(task, size, Path(folder)) for size in _SIZES]
                for mistake in task.mistakes:
                    # Few mistakes need it, and for some tasks it takes long to write.
                    scorers = [_Scorer(task, _LARGE, Path(folder))] if mistake.large else usual
                    yield _mistake_row(mistake, scorers, n_mistakes)
                yield _correct_row(usual, n_correct)


def _mistake_row(mistake: Mistake[Any], scorers: Sequence[_Scorer], n: int) -> Row:
    hits = 0
    for seed in range(n):
        noise = 0.0 if mistake.only_right else _NOISES[seed % len(_NOISES)]
        scorer = scorers[seed // len(_NOISES) % len(scorers)]
        prediction = mistake.change(scorer.correct_prediction(np.random.default_rng([1, seed]), noise))
        hits += any(line.startswith(mistake.code) for line in scorer.score(prediction)[1])
    return Row(scorers[0].task.id, mistake.name, mistake.code, hits, n)


def _correct_row(scorers: Sequence[_Scorer], n: int) -> Row:
    examples: list[str] = []
    hits = count = seed = 0
    while count < n:
        rng, scorer = np.random.default_rng([2, seed]), scorers[seed % len(scorers)]
        seed += 1
        score, hints = scorer.score(scorer.correct_prediction(rng, float(rng.random())))
        if score >= _LEAST_SCORE:
            count += 1
            hits += bool(hints)
            examples += hints
    return Row(scorers[0].task.id, "correct", "", hits, n, examples[:5])


class _Scorer:
    """Scores predictions for a task against a demo reference of its own seed and size."""

    def __init__(self, task: QualityTask[Any], size: int, folder: Path) -> None:
        self.task, scored = task, load_task(task.id)
        self._source, prepared = folder / f"source{size}", folder / f"prepared{size}"
        prepared.mkdir(exist_ok=True)
        task.write_reference(self._source, seed=size, size=size)
        write_files(reference_files(task.id, self._source), prepared)
        self._loaded = scored.load(prepared, scored.settings(prepared))

    def correct_prediction(self, rng: np.random.Generator, noise: float) -> Any:
        return self.task.correct_prediction(self._source, rng, noise)

    def score(self, prediction: Any) -> tuple[float, list[str]]:
        """Return the score of a submission and its hints; raise Refused if it is invalid."""
        loaded, task = self._loaded, self._loaded.task
        with tempfile.TemporaryDirectory() as folder:
            write_files(self.task.files(prediction), Path(folder))
            submission = loaded.read(Path(folder)).content
        score = task.scores(task.measure(loaded.reference, submission, loaded.settings))["score"]
        hints = task.hints(loaded.reference, submission, loaded.settings, score)
        return score, [hint.line() for hint in hints]
