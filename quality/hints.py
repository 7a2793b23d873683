"""How often hints are right: of each mistake, and of correct submissions, which must get none."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer.files import write_files
from quality.demo_data import load_against
from quality.task import Mistake, QualityTask, quality_tasks
from scoring_program.hints import Check
from validator.findings import Refused

# Correct submissions that are worse need not be free of hints.
_LEAST_SCORE = 0.05
# What the mistakes are made of: right answers and ones as good as the good samples.
_NOISES = (0.0, 0.15)
_SIZES, _LARGE = (1, 2), 10
# Notes on facts that are no alarm.
_FACTS = ("N-CLASSES-MISSING", "N-FRAMES-UNKNOWN", "N-IMAGES-MISSING")


class Row(NamedTuple):
    """How many submissions of one kind got the expected hint, or any hint if they are correct.

    Of ``tried`` submissions with a mistake, the data of ``n`` can show it; ``hits`` of these got the hint.
    ``alarms`` of all correct submissions to the task got the same one.
    """

    task: str
    kind: str
    code: str
    hits: int
    n: int
    tried: int
    alarms: int
    examples: Sequence[str] = ()


def run_hints(ids: Sequence[str], n_mistakes: int, n_correct: int) -> int:
    """Print a table; return 0 if 95 % of each mistake get their hint, and no correct submission gets any."""
    is_good = True
    print("| task | submission | hint | data can show it | reported | false alarms |\n" + "|---" * 6 + "|")
    for row in measure(ids, n_mistakes, n_correct):
        is_good &= row.hits >= 0.95 * row.n and not row.alarms
        shows_it = f"{row.n} of {row.tried}" if row.code else ""
        reported = f"{row.hits} of {row.n}" if row.code else ""
        cells = row.task, row.kind, row.code or "any", shows_it, reported, f"{row.alarms} of {n_correct}"
        print(f"| {' | '.join(cells)} |", flush=True)
        for example in row.examples:
            print(f"  {example}")
    return 0 if is_good else 1


def measure(ids: Sequence[str], n_mistakes: int, n_correct: int) -> Iterator[Row]:
    """Yield the row of each mistake, then that of correct submissions, of each task that has mistakes."""
    for task in [quality_tasks()[task_id] for task_id in ids]:
        if task.mistakes:
            with tempfile.TemporaryDirectory() as folder:
                usual = [_Scorer(task, size, Path(folder)) for size in _SIZES]
                alarms = _hints_of_correct(usual, n_correct)
                n_alarms = Counter(code for lines in alarms for code in _codes_of(lines))
                for mistake in task.mistakes:
                    # Few mistakes need it, and for some tasks it takes long to write.
                    scorers = [_Scorer(task, _LARGE, Path(folder))] if mistake.large else usual
                    hits = _hits(mistake, scorers, n_mistakes)
                    yield Row(
                        task=task.id,
                        kind=mistake.name,
                        code=mistake.code,
                        hits=sum(hits),
                        n=len(hits),
                        tried=n_mistakes,
                        alarms=n_alarms[mistake.code],
                    )
                yield Row(
                    task=task.id,
                    kind="correct",
                    code="",
                    hits=0,
                    n=0,
                    tried=n_correct,
                    alarms=sum(map(bool, alarms)),
                    examples=list(chain(*alarms))[:5],
                )


def _codes_of(lines: Sequence[str]) -> set[str]:
    """Return the codes that lines of notes begin with."""
    return {line.split(":")[0] for line in lines}


def _hits(mistake: Mistake[Any], scorers: Sequence[_Scorer], n: int) -> list[bool]:
    """Return whether each submission got the hint, of those whose data can show the mistake."""
    hits = []
    for seed in range(n):
        noise = _NOISES[seed % len(_NOISES)]
        scorer = scorers[seed // len(_NOISES) % len(scorers)]
        prediction = mistake.change(scorer.correct_prediction(np.random.default_rng([1, seed]), noise))
        try:
            scored = scorer.score(prediction)
        except Refused as refused:
            hits.append(mistake.code in {problem.code for problem in refused.findings.problems})
            continue
        if can_show(scored.checks, mistake.code):
            lines = chain(scored.hints, scored.facts)
            hits.append(any(line.startswith(mistake.code) for line in lines))
    return hits


def can_show(checks: Sequence[Check], code: str) -> bool:
    """Return whether data can show a mistake: with an interpretation of that code a noticeable share of the
    sample fits, and at least twice as much as without. Facts on the submission alone, which no check is
    about, always show.
    """
    is_checked = False
    for check in checks:
        for interpretation in check.interpretations:
            if interpretation.code == code:
                is_checked = True
                needed_share = max(2 * check.as_is.mean(), check.least_share)
                if interpretation.fits.mean() >= needed_share:
                    return True
    return not is_checked


def _hints_of_correct(scorers: Sequence[_Scorer], n: int) -> list[list[str]]:
    """Return the hints that correct submissions get, of the first ``n`` that score enough."""
    hints_of_submissions: list[list[str]] = []
    seeds = count()
    while len(hints_of_submissions) < n:
        seed = next(seeds)
        rng, scorer = np.random.default_rng([2, seed]), scorers[seed % len(scorers)]
        scored = scorer.score(scorer.correct_prediction(rng, float(rng.random())))
        if scored.score >= _LEAST_SCORE:
            hints_of_submissions.append(list(scored.hints))
    return hints_of_submissions


class _Scored(NamedTuple):
    """The score of a submission, its hints, its notes on facts, which are no alarm, and what was compared."""

    score: float
    hints: Sequence[str]
    facts: Sequence[str]
    checks: Sequence[Check]


class _Scorer:
    """Scores predictions for a task against a demo reference of its own seed and size."""

    def __init__(self, task: QualityTask[Any], size: int, folder: Path) -> None:
        self.task = task
        self._source = folder / f"source{size}"
        task.write_reference(self._source, seed=size, size=size)
        self._loaded = load_against(task.id, self._source, folder / f"prepared{size}")

    def correct_prediction(self, rng: np.random.Generator, noise: float) -> Any:
        return self.task.correct_prediction(self._source, rng, noise)

    def score(self, prediction: Any) -> _Scored:
        """Score a submission. Raises Refused if it is invalid."""
        loaded, task = self._loaded, self._loaded.task
        with tempfile.TemporaryDirectory() as folder:
            write_files(self.task.files(prediction), Path(folder))
            submission = loaded.read(Path(folder)).content
        statistics = task.measure(loaded.reference, submission, loaded.settings)
        score = task.scores(statistics)["score"]
        hints = task.hints(loaded.reference, submission, loaded.settings)
        facts = [note for note in statistics.notes if note.code in _FACTS]
        facts += loaded.name_notes(submission, score)
        checks = [] if any(hint.code == "N-EMPTY" for hint in hints) else self._checks(submission)
        return _Scored(score, [hint.line() for hint in hints], [note.line() for note in facts], checks)

    def _checks(self, submission: Any) -> Sequence[Check]:
        with np.errstate(all="ignore"):
            return self.task.checks(self._loaded.reference, submission)
