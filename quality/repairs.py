"""How often repairs are right: of each mistake, and of correct and weak submissions, which must get none.

`measure_task` measures one task on made-up data, other than that of the samples.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer.files import Files, write_files
from people_in_video.diagnosis.explanation import comparisons_of
from people_in_video.diagnosis.search import Comparison, Repair, Repairs, find_repairs
from people_in_video.home_loaded import HomeLoaded, of_kind
from quality.demo_data import load_against
from quality.task import Mistake, QualityTask, WeakModel, quality_tasks
from validator.findings import Refused
from validator.messages import Note

# What mistakes are made in: right answers, ones as good as the good samples, and worse ones.
_NOISES = (0.0, 0.15, 0.3, 0.45)
_SIZES = (1, 2)
_MOST_NOISE_OF_WEAK_MODELS = 0.5
_REPAIR_CODES = ("N-LOOKS", "N-LOOKS-NAMED")
# The kinds of submissions have seeds of their own.
_MISTAKES, _CORRECT, _WEAK = 1, 2, 3
# Correct submissions that are worse need not be free of repairs; better ones than the second get none.
_LEAST_SCORE, _GOOD_SCORE = 0.05, 0.1
_LEAST_RIGHT = 0.95
_MOST_ALARMS = 1 / 1000


class Amount(NamedTuple):
    """How many submissions are measured: of each mistake and weak model, and correct ones."""

    n_mistakes: int
    n_correct: int


class MistakeRow(NamedTuple):
    """What was reported of the submissions with one mistake.

    Attributes
    ----------
    name : str
    expected : str
        The family or the code that is right.
    n_submissions, n_shown : int
        How many there are, and of how many the data can show the mistake.
    n_reported, n_right : int
        How many of those that show it get any report, and how many the right one.
    others : Counter of str
        What was reported instead.
    missed_seeds : list of int
        The seeds of those that show the mistake without the right report.
    """

    name: str
    expected: str
    n_submissions: int
    n_shown: int
    n_reported: int
    n_right: int
    others: Counter[str]
    missed_seeds: list[int]

    @property
    def is_good(self) -> bool:
        """Whether 95 % of those that show the mistake get the right report."""
        return self.n_right >= _LEAST_RIGHT * self.n_shown


class Alarm(NamedTuple):
    """A repair of a submission without a mistake."""

    seed: int
    score: float
    words: str


class HonestRow(NamedTuple):
    """The alarms of submissions without a mistake; ``scores`` are the lowest and the highest."""

    name: str
    n_submissions: int
    scores: tuple[float, float]
    alarms: list[Alarm]


class TaskRepairs(NamedTuple):
    """What was measured of the repairs of one task."""

    task_id: str
    mistakes: list[MistakeRow]
    correct: HonestRow
    weak_models: list[HonestRow]

    @property
    def is_good(self) -> bool:
        """Whether each mistake gets the right report, and correct submissions none: at most one of 1,000,
        and none with a score above 0.1."""
        n_most = _MOST_ALARMS * self.correct.n_submissions
        return (
            all(row.is_good for row in self.mistakes)
            and len(self.correct.alarms) <= n_most
            and all(alarm.score <= _GOOD_SCORE for alarm in self.correct.alarms)
        )


def run_repairs(ids: Sequence[str], n_mistakes: int, n_correct: int) -> int:
    """Measure tasks and print what they get; return 1 if one of them is not good."""
    is_good = True
    for task_id in ids:
        task = quality_tasks()[task_id]
        if not task.mistakes:
            continue
        measured = measure_task(task, Amount(n_mistakes, n_correct))
        is_good &= measured.is_good
        print(*_lines(measured), sep="\n", flush=True)
    return 0 if is_good else 1


def _lines(measured: TaskRepairs) -> Iterator[str]:
    """Yield a line for each mistake and each kind of submission without one."""
    yield f"{measured.task_id}: right of those that the data can show"
    for row in measured.mistakes:
        mark = "" if row.is_good else f"  MISSED, seeds {row.missed_seeds}; instead: {dict(row.others)}"
        yield f"  {row.n_right:4} of {row.n_shown:4}  {row.name}: {row.expected}{mark}"
    for honest in (measured.correct, *measured.weak_models):
        alarms = "; ".join(f"{alarm.words}, seed {alarm.seed}" for alarm in honest.alarms)
        yield f"  {len(honest.alarms):4} of {honest.n_submissions:4}  {honest.name}: false alarms {alarms}"


def measure_task(task: QualityTask[Any], amount: Amount) -> TaskRepairs:
    """Measure one task."""
    with tempfile.TemporaryDirectory() as name:
        scorers = _Scorers(task, Path(name))
        return TaskRepairs(
            task_id=task.id,
            mistakes=[_measure_mistake(mistake, scorers, amount.n_mistakes) for mistake in task.mistakes],
            correct=_measure_correct(scorers, amount.n_correct),
            weak_models=[
                _measure_weak_model(model, scorers, amount.n_mistakes) for model in task.weak_models
            ],
        )


def _measure_mistake(mistake: Mistake[Any], scorers: _Scorers, n_submissions: int) -> MistakeRow:
    n_shown = n_reported = n_right = 0
    others: Counter[str] = Counter()
    missed_seeds = []
    for seed in range(n_submissions):
        scorer = scorers.of_size(max(mistake.size, _SIZES[seed // len(_NOISES) % len(_SIZES)]))
        report = scorer.report(mistake.change(scorer.prediction_for_mistake(seed)))
        is_right = report.explains(mistake)
        if not is_right:
            others.update(report.texts(mistake))
        if is_right or report.can_show(mistake):
            n_shown += 1
            n_reported += is_right or bool(report.texts(mistake))
            n_right += is_right
            if not is_right:
                missed_seeds.append(seed)
    return MistakeRow(
        name=mistake.name,
        expected=_expected(mistake),
        n_submissions=n_submissions,
        n_shown=n_shown,
        n_reported=n_reported,
        n_right=n_right,
        others=others,
        missed_seeds=missed_seeds,
    )


def _expected(mistake: Mistake[Any]) -> str:
    codes = [said.code for said in mistake.said]
    families = [cure.family.name.lower().replace("_", " ") for cure in mistake.cures]
    return " or ".join(filter(None, [" or ".join(codes), " and ".join(families)]))


def _measure_correct(scorers: _Scorers, n_submissions: int) -> HonestRow:
    """Measure correct submissions of all qualities: the first that score enough."""
    alarms: list[Alarm] = []
    scores: list[float] = []
    seeds = count()
    while len(scores) < n_submissions:
        seed = next(seeds)
        rng, scorer = np.random.default_rng([_CORRECT, seed]), scorers.of_size(_SIZES[seed % len(_SIZES)])
        noise = float(rng.random())
        report = scorer.report(scorer.correct_prediction(rng, noise))
        if report.score >= _LEAST_SCORE:
            scores.append(report.score)
            alarms += _alarms(seed, report)
    return HonestRow("correct", len(scores), (min(scores), max(scores)), alarms)


def _measure_weak_model(model: WeakModel[Any], scorers: _Scorers, n_submissions: int) -> HonestRow:
    alarms: list[Alarm] = []
    scores: list[float] = []
    for seed in range(n_submissions):
        rng, scorer = np.random.default_rng([_WEAK, seed]), scorers.of_size(_SIZES[seed % len(_SIZES)])
        noise = _MOST_NOISE_OF_WEAK_MODELS * float(rng.random())
        report = scorer.report(model.change(scorer.correct_prediction(rng, noise), rng))
        scores.append(report.score)
        alarms += _alarms(seed, report)
    return HonestRow(model.name, len(scores), (min(scores), max(scores)), alarms)


def _alarms(seed: int, report: _Report) -> list[Alarm]:
    return [Alarm(seed, report.score, _words(repair)) for repair in report.repairs]


def _words(repair: Repair) -> str:
    return f"{repair.what} {repair.words} ({repair.family.name.lower().replace('_', ' ')})"


class _Report(NamedTuple):
    """What a submission gets: its score, its notes or problems as lines, and the repairs that were found."""

    score: float
    notes: Sequence[Note]
    lines: Sequence[str]
    repairs: Sequence[Repair]
    comparisons: Sequence[Comparison]

    def explains(self, mistake: Mistake[Any]) -> bool:
        """Return whether a plain fact explains a mistake, or the search found all of its repairs."""
        if any(said.is_in(line) for said in mistake.said for line in self.lines):
            return True
        return bool(mistake.cures) and all(cure.is_found(self.repairs) for cure in mistake.cures)

    def can_show(self, mistake: Mistake[Any]) -> bool:
        """Return whether the data can show a mistake; plain facts always show it."""
        if not mistake.cures:
            return True
        with np.errstate(all="ignore"):
            return all(
                cure.can_be_shown(self.comparisons, self._repairs_without(cure.compared))
                for cure in mistake.cures
            )

    def _repairs_without(self, compared: Sequence[str]) -> Repairs:
        repairs = Repairs()
        for repair in self.repairs:
            if repair.what not in compared:
                repairs.add(repair)
        return repairs

    def texts(self, mistake: Mistake[Any]) -> list[str]:
        """Return what is reported: words of repairs, and codes of problems and of notes on mistakes."""
        problem_codes = [] if self.notes else [line.split()[0] for line in self.lines]
        # Repairs are named by their words.
        note_codes = [note.code for note in self.notes if note.is_mistake and note.code not in _REPAIR_CODES]
        return sorted({*map(_words, self.repairs), *note_codes, *problem_codes})


class _Scorers:
    """The scorers of a task against references of several sizes, which are written when they are needed."""

    def __init__(self, task: QualityTask[Any], folder: Path) -> None:
        self._task = task
        self._folder = folder
        self._scorer_of_size: dict[int, _Scorer] = {}

    def of_size(self, size: int) -> _Scorer:
        """Return the scorer against a reference of a size."""
        if size not in self._scorer_of_size:
            self._scorer_of_size[size] = _Scorer(self._task, size, self._folder)
        return self._scorer_of_size[size]


class _Scorer:
    """Scores predictions for a task against a demo reference of its own seed and size."""

    def __init__(self, task: QualityTask[Any], size: int, folder: Path) -> None:
        self.task = task
        self._source = folder / f"source{size}"
        task.write_reference(self._source, seed=size, size=size)
        loaded = load_against(
            task.id, self._source, folder / f"prepared{size}", detail="full", interval=False, drawings=0
        )
        self._loaded: HomeLoaded[Any, Any, Any] = of_kind(HomeLoaded, loaded)
        self._predictions: dict[int, Any] = {}

    def prediction_for_mistake(self, seed: int) -> Any:
        """Return a copy of the correct prediction in which each mistake is made once."""
        if seed not in self._predictions:
            rng, noise = np.random.default_rng([_MISTAKES, seed]), _NOISES[seed % len(_NOISES)]
            self._predictions[seed] = self.correct_prediction(rng, noise)
        return deepcopy(self._predictions[seed])

    def correct_prediction(self, rng: np.random.Generator, noise: float) -> Any:
        return self.task.correct_prediction(self._source, rng, noise)

    def report(self, prediction: Any) -> _Report:
        """Return what a submission with a prediction gets, refused or scored."""
        loaded = self._loaded
        try:
            read = _read(loaded, self.task.files(prediction))
        except Refused as refused:
            lines = [problem.line() for problem in refused.findings.problems]
            return _Report(score=0.0, notes=[], lines=lines, repairs=[], comparisons=[])
        result = loaded.score(read)
        comparisons = comparisons_of(loaded.task, loaded.reference, read.content)
        return _Report(
            score=result.scores["score"],
            notes=result.notes,
            lines=[note.line() for note in result.notes],
            repairs=find_repairs(comparisons),
            comparisons=comparisons,
        )


def _read(loaded: Any, files: Files) -> Any:
    """Return the submission in some files. Raises Refused."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(files, Path(folder))
        return loaded.read(Path(folder))
