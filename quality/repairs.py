"""How often repairs are right: of each mistake, and of correct and weak submissions, which must get none.

`measure_task` measures one task on made-up data, `measure_times` how long the search takes for much data;
`quality.repairs_page` writes what they return.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer.data.prepare import prepare
from organizer.files import Files, folder_files, write_files
from quality.demo_data import load_against
from quality.repairs_page import (
    LEAST_SCORE,
    Alarm,
    Amount,
    HonestRow,
    MistakeRow,
    TaskRepairs,
    TimeRow,
    Times,
    write_page,
    write_times,
)
from quality.task import Mistake, QualityTask, WeakModel, quality_tasks
from scoring_program.repairs.search import Comparison, Repair, Repairs, find_repairs
from scoring_program.task import load_task
from validator.findings import Note, Refused

# What mistakes are made in: right answers, ones as good as the good samples, and worse ones.
_NOISES = (0.0, 0.15, 0.3, 0.45)
_SIZES = (1, 2)
_MOST_NOISE_OF_WEAK_MODELS = 0.5
_REPAIR_CODES = ("N-LOOKS", "N-LOOKS-NAMED")
# The kinds of submissions have seeds of their own.
_MISTAKES, _CORRECT, _WEAK = 1, 2, 3


def run_repairs(ids: Sequence[str], n_mistakes: int, n_correct: int, scale: float, page: Path) -> int:
    """Measure tasks, and write their tables into a page; return 1 if one of them is not good."""
    amount = Amount(n_mistakes, n_correct)
    is_good = True
    for task_id in ids:
        task = quality_tasks()[task_id]
        if not task.mistakes:
            continue
        begin = time.process_time()
        measured, times = measure_task(task, amount), measure_times(task, scale)
        is_good &= measured.is_good
        write_page(page, measured, times, amount, time.process_time() - begin)
    return 0 if is_good else 1


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
        if report.score >= LEAST_SCORE:
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
        self._loaded = load_against(
            task.id, self._source, folder / f"prepared{size}", detail="full", interval=False, drawings=0
        )
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
        comparisons = loaded.task.comparisons(loaded.reference, read.content)
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


def run_times(ids: Sequence[str], scale: float, page: Path) -> int:
    """Measure how long the searches of tasks take, and write that into their sections of a page."""
    for task_id in ids:
        task = quality_tasks()[task_id]
        if task.mistakes:
            write_times(page, task_id, measure_times(task, scale))
    return 0


def measure_times(task: QualityTask[Any], scale: float) -> Times:
    """Measure the search for the submission of full size, times ``scale``, twice; a run with it; and the
    search for a submission with a mistake of each family that the task has."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task.write_full_size(folder / "data", scale)
        prepare(task.id, folder / "data" / "ref", folder / "ref")
        of_task = load_task(task.id)
        loaded = of_task.load(folder / "ref", of_task.settings(folder / "ref"))
        read = _read(loaded, folder_files(folder / "data" / "res"))
        correct = [
            _time_search(row_name, loaded, read.content)
            for row_name in ("the first search of a program", "once more")
        ]
        begin = time.process_time()
        loaded = of_task.load(folder / "ref", of_task.settings(folder / "ref"))
        loaded.score(_read(loaded, folder_files(folder / "data" / "res")))
        run_seconds = time.process_time() - begin
        import_seconds = _time_import_of_assignment()
        with_mistakes = list(_time_mistakes(task, folder / "data" / "ref", loaded))
    return Times(
        scale=scale,
        run_seconds=run_seconds,
        import_seconds=import_seconds,
        correct=correct,
        with_mistakes=with_mistakes,
    )


def _time_import_of_assignment() -> float:
    """Return how long the import takes that the first one-to-one map of a process needs."""
    statement = "import time, numpy; begin = time.process_time(); import scipy.optimize; "
    statement += "print(time.process_time() - begin)"
    done = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True)
    # The searches that are timed next are not to import it again.
    import_module("scipy.optimize")
    return float(done.stdout)


def _time_search(name: str, loaded: Any, submission: object) -> TimeRow:
    begin = time.process_time()
    repairs = find_repairs(loaded.task.comparisons(loaded.reference, submission))
    seconds = time.process_time() - begin
    return TimeRow(name, seconds, "; ".join(map(_words, repairs)))


def _time_mistakes(task: QualityTask[Any], source: Path, loaded: Any) -> Iterator[TimeRow]:
    """Yield the time of the search for the first mistake of each family, or families, that is accepted."""
    prediction = task.correct_prediction(source, np.random.default_rng(_MISTAKES), _NOISES[1])
    timed_families = set()
    for mistake in task.mistakes:
        families = tuple(cure.family for cure in mistake.cures)
        if not families or mistake.said or families in timed_families:
            continue
        files = task.files(mistake.change(deepcopy(prediction)))
        try:
            submission = _read(loaded, files).content
        except Refused:
            continue
        timed_families.add(families)
        yield _time_search(mistake.name, loaded, submission)
