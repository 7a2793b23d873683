"""How often repairs are found: of each mistake, and of correct and weak submissions, which must get none."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from enum import Enum
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer.files import Files, write_files
from people_in_video.diagnosis.explanation import repairs_of
from people_in_video.home_loaded import HomeLoaded, at_home
from quality.demo_data import load_against
from quality.file_mistakes import mistakes_in_files
from quality.task import Mistake, QualityTask, quality_tasks
from validator.findings import Refused

# What mistakes are made in: right answers, ones as good as the good samples, and worse ones.
_NOISES = (0.0, 0.15, 0.3, 0.45)
_SIZES = (1, 2)
_MOST_NOISE_OF_WEAK_MODELS = 0.5
# A mistake that costs less is harmless.
_LEAST_LOSS = 0.02
LEAST_SCORE = 0.05
"""Correct submissions count if they score so much."""
# The kinds of submissions have seeds of their own.
_MISTAKES, _CORRECT, _WEAK = 1, 2, 3


class Outcome(Enum):
    """What a submission with a mistake gets.

    It is answered if the right fact or repair is told, harmless if it costs hardly anything, wrong if it is
    told another likely mistake, and silent otherwise.
    """

    ANSWERED = "answered"
    HARMLESS = "harmless"
    SILENT = "silent"
    WRONG = "wrong"


class MistakeRow(NamedTuple):
    """A mistake, and what each submission with it gets."""

    name: str
    outcomes: Sequence[Outcome]

    @property
    def found(self) -> list[int]:
        """The numbers of the submissions in which it is found."""
        return [seed for seed, outcome in enumerate(self.outcomes) if outcome is Outcome.ANSWERED]

    @property
    def missed(self) -> list[int]:
        """The numbers of the others."""
        return sorted(set(range(len(self.outcomes))).difference(self.found))

    def line(self) -> str:
        """Return in how many submissions it is found, and what the others get."""
        counts = Counter(outcome.value for outcome in self.outcomes if outcome is not Outcome.ANSWERED)
        counts_of_others = "".join(f", {number} {word}" for word, number in sorted(counts.items()))
        return f"{len(self.found)} of {len(self.outcomes)} found{counts_of_others}: {self.name}"


class HonestRow(NamedTuple):
    """Submissions without a mistake, and the repairs that were found all the same, in words; of correct ones
    all notes on likely mistakes."""

    name: str
    n_submissions: int
    alarms: Sequence[str]


def print_repairs(ids: Sequence[str], n_mistakes: int, n_correct: int) -> int:
    """Print for each mistake in how many submissions it is found, and how often others get a repair; return 1
    if a mistake is found in none or another submission gets one."""
    is_good = True
    for task_id in ids:
        task = quality_tasks()[task_id]
        begin = time.process_time()
        mistakes = measure_mistakes(task, range(n_mistakes))
        honest = measure_honest(task, n_mistakes, n_correct)
        print(f"\n{task_id} ({time.process_time() - begin:.0f} s)")
        for mistake in mistakes:
            print(f"  {mistake.line()}")
        counts = Counter(outcome for mistake in mistakes for outcome in mistake.outcomes)
        print(f"  all: {', '.join(f'{counts[outcome]:,} {outcome.value}' for outcome in Outcome)}")
        for model in honest:
            alarms = "; ".join([f"{len(model.alarms)} of {model.n_submissions} with an alarm", *model.alarms])
            print(f"  {alarms}: {model.name}")
        is_good &= all(row.found for row in mistakes) and not any(row.alarms for row in honest)
    return 0 if is_good else 1


def measure_mistakes(task: QualityTask[Any], seeds: Sequence[int]) -> list[MistakeRow]:
    """Return what submissions with each of the mistakes of a task get; one is made for each seed."""
    with tempfile.TemporaryDirectory() as folder:
        scorer_of_size = _scorers(task, Path(folder))
        rows = []
        for mistake in (*task.mistakes, *mistakes_in_files(task.short_samples()[0])):
            outcomes = []
            for seed in seeds:
                size = _SIZES[seed // len(_NOISES) % len(_SIZES)]
                outcomes.append(scorer_of_size(max(mistake.size, size)).outcome(mistake, seed))
            rows.append(MistakeRow(mistake.name, outcomes))
        return rows


def measure_honest(task: QualityTask[Any], n_weak: int, n_correct: int) -> list[HonestRow]:
    """Return which repairs correct submissions of all qualities get, and those of each weak model."""
    with tempfile.TemporaryDirectory() as folder:
        scorer_of_size = _scorers(task, Path(folder))
        rows = [_measure_correct(scorer_of_size, n_correct)]
        for model in task.weak_models:
            alarms = []
            for seed in range(n_weak):
                rng, scorer = np.random.default_rng([_WEAK, seed]), scorer_of_size(_SIZES[seed % 2])
                noise = _MOST_NOISE_OF_WEAK_MODELS * float(rng.random())
                alarms += scorer.report(model.change(scorer.correct_prediction(rng, noise), rng)).words()
            rows.append(HonestRow(model.name, n_weak, alarms))
        return rows


def _measure_correct(scorer_of_size: Callable[[int], _Scorer], n_submissions: int) -> HonestRow:
    """Measure correct submissions, the first that score enough: none may be said to be a likely mistake."""
    alarms: list[str] = []
    n_counted = 0
    for seed in count():
        if n_counted == n_submissions:
            break
        rng, scorer = np.random.default_rng([_CORRECT, seed]), scorer_of_size(_SIZES[seed % 2])
        report = scorer.report(scorer.correct_prediction(rng, float(rng.random())))
        if report.score >= LEAST_SCORE:
            n_counted += 1
            alarms += report.mistakes
    return HonestRow("correct", n_submissions, alarms)


class _Report(NamedTuple):
    """What a submission gets: its score, its notes or problems as lines, the repairs that were found, and the
    lines that tell of likely mistakes."""

    score: float
    lines: Sequence[str]
    repairs: Sequence[Any]
    mistakes: Sequence[str] = ()

    def explains(self, mistake: Mistake[Any]) -> bool:
        """Return whether a plain fact explains a mistake, or the search found all of its repairs."""
        if any(said.is_in(line) for said in mistake.said for line in self.lines):
            return True
        return bool(mistake.cures) and all(cure.is_found(self.repairs) for cure in mistake.cures)

    def words(self) -> list[str]:
        """Return what is read in which way."""
        return [f"{repair.noun} {repair.trial.words}" for repair in self.repairs]


def _scorers(task: QualityTask[Any], folder: Path) -> Callable[[int], _Scorer]:
    """Return what scores against a reference of a size, which is written when it is needed first."""
    return cache(lambda size: _Scorer(task, size, folder))


class _Scorer:
    """Scores predictions for a task against a demo reference of its own seed and size."""

    def __init__(self, task: QualityTask[Any], size: int, folder: Path) -> None:
        self.task = task
        self._source = folder / f"source{size}"
        task.write_reference(self._source, seed=size, size=size)
        loaded = load_against(
            task.id,
            self._source,
            folder / f"prepared{size}",
            detail="full",
            interval=False,
        )
        self._loaded: HomeLoaded = at_home(loaded)
        self._predictions: dict[int, Any] = {}
        self._scores: dict[int, float] = {}

    def prediction_for_mistake(self, seed: int) -> Any:
        """Return a copy of the correct prediction in which each mistake is made once."""
        if seed not in self._predictions:
            rng, noise = np.random.default_rng([_MISTAKES, seed]), _NOISES[seed % len(_NOISES)]
            self._predictions[seed] = self.correct_prediction(rng, noise)
        return deepcopy(self._predictions[seed])

    def score_without_mistake(self, seed: int) -> float:
        """Return the score of a prediction before a mistake is made in it."""
        if seed not in self._scores:
            self._scores[seed] = self.report(self.prediction_for_mistake(seed)).score
        return self._scores[seed]

    def correct_prediction(self, rng: np.random.Generator, noise: float) -> Any:
        return self.task.correct_prediction(self._source, rng, noise)

    def outcome(self, mistake: Mistake[Any], seed: int) -> Outcome:
        """Return what a submission with a mistake gets."""
        files = self.task.files(mistake.change(self.prediction_for_mistake(seed)))
        report = self.report_files(mistake.change_files(files))
        if report.explains(mistake):
            return Outcome.ANSWERED
        if any(not line.startswith("N-LOW") for line in report.mistakes):
            return Outcome.WRONG
        is_harmless = report.score > self.score_without_mistake(seed) - _LEAST_LOSS
        return Outcome.HARMLESS if is_harmless else Outcome.SILENT

    def report(self, prediction: Any) -> _Report:
        """Return what a submission with a prediction gets, refused or scored."""
        return self.report_files(self.task.files(prediction))

    def report_files(self, files: Files) -> _Report:
        """Return what the files of a submission get, refused or scored."""
        loaded = self._loaded
        with tempfile.TemporaryDirectory() as folder:
            write_files(files, Path(folder))
            try:
                reading = loaded.read(Path(folder))
            except Refused as refused:
                lines = [problem.line() for problem in refused.findings.summary().problems(most=None)]
                return _Report(score=0.0, lines=lines, repairs=[], mistakes=lines)
            result = loaded.score(reading)
            repairs = repairs_of(loaded, reading.content, result.statistics)
        return _Report(
            score=result.scores["score"],
            lines=[note.line() for note in result.notes],
            repairs=repairs,
            mistakes=[note.line() for note in result.notes if note.is_mistake],
        )
