"""How often hints are right: of each mistake, and of correct submissions, which must get none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer.files import write_files
from quality.demo_data import load_against
from quality.task import Mistake, QualityTask, quality_tasks

# Correct submissions that are worse need not be free of hints.
_LEAST_SCORE = 0.05
# What the mistakes are made of: right answers and ones as good as the good samples.
_NOISES = (0.0, 0.15)
_SIZES, _LARGE = (1, 2), 5
_MISSING = ("N-CLASSES-MISSING", "N-IMAGES-MISSING")


class Row(NamedTuple):
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
        hits += any(line.startswith(mistake.code) for line in chain(*scorer.score(prediction)[1:]))
    return Row(scorers[0].task.id, mistake.name, mistake.code, hits, n)


def _correct_row(scorers: Sequence[_Scorer], n: int) -> Row:
    found: list[list[str]] = []
    seeds = count()
    while len(found) < n:
        seed = next(seeds)
        rng, scorer = np.random.default_rng([2, seed]), scorers[seed % len(scorers)]
        score, hints, _ = scorer.score(scorer.correct_prediction(rng, float(rng.random())))
        found += [hints] if score >= _LEAST_SCORE else []
    examples = list(chain(*found))[:5]
    return Row(scorers[0].task.id, "correct", "", sum(map(bool, found)), n, examples)


class _Scorer:
    """Scores predictions for a task against a demo reference of its own seed and size."""

    def __init__(self, task: QualityTask[Any], size: int, folder: Path) -> None:
        self.task, self._source = task, folder / f"source{size}"
        task.write_reference(self._source, seed=size, size=size)
        self._loaded = load_against(task.id, self._source, folder / f"prepared{size}")

    def correct_prediction(self, rng: np.random.Generator, noise: float) -> Any:
        return self.task.correct_prediction(self._source, rng, noise)

    def score(self, prediction: Any) -> tuple[float, list[str], list[str]]:
        """Return the score of a submission, its hints, and its notes on what is missing, which are no alarm.

        Raises Refused if it is invalid.
        """
        loaded, task = self._loaded, self._loaded.task
        with tempfile.TemporaryDirectory() as folder:
            write_files(self.task.files(prediction), Path(folder))
            submission = loaded.read(Path(folder)).content
        statistics = task.measure(loaded.reference, submission, loaded.settings)
        score = task.scores(statistics)["score"]
        hints = task.hints(loaded.reference, submission, loaded.settings, score)
        missing = [note for note in statistics.notes if note.code in _MISSING]
        return score, [hint.line() for hint in hints], [note.line() for note in missing]
