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
from scoring_program.low_score import Step
from validator.findings import Refused
from validator.messages import Note

# Correct submissions that are worse need not be free of hints.
_LEAST_SCORE = 0.05
# What the mistakes are made of: right answers and ones as good as the good samples.
_NOISES = (0.0, 0.15)
_SIZES, _LARGE = (1, 2), 10
# The code of notes that need labels: data may not show such a mistake.
_ON_LABELS = "N-LOOKS"
# What must agree of a correct prediction, and of how many entries.
_LEAST_SHARE, _LEAST_ENTRIES = 0.3, 20


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
        if mistake.code == _ON_LABELS:
            correct = scorer.score(scorer.correct_prediction(np.random.default_rng([1, seed]), noise))
            if not can_show(scored.agreement, correct.agreement):
                continue
        hits.append(any(note.code.startswith(mistake.code) for note in scored.notes))
    return hits


def can_show(mistaken: Sequence[Step], correct: Sequence[Step]) -> bool:
    """Return whether data can show a mistake: in something that is compared much more agrees without it.

    ``mistaken`` and ``correct`` are what agrees of a prediction with the mistake and without it.
    """
    share_of_claim = {step.claim: float(step.agrees.mean()) for step in mistaken if len(step.agrees)}
    for step in correct:
        if step.claim in share_of_claim and len(step.agrees) >= _LEAST_ENTRIES:
            share, correct_share = share_of_claim[step.claim], float(step.agrees.mean())
            is_far_more = correct_share >= min(2 * share, share + _LEAST_SHARE)
            if is_far_more and correct_share >= _LEAST_SHARE:
                return True
    return False


def _hints_of_correct(scorers: Sequence[_Scorer], n: int) -> list[list[str]]:
    """Return the hints that correct submissions get, of the first ``n`` that score enough."""
    hints_of_submissions: list[list[str]] = []
    seeds = count()
    while len(hints_of_submissions) < n:
        seed = next(seeds)
        rng, scorer = np.random.default_rng([2, seed]), scorers[seed % len(scorers)]
        scored = scorer.score(scorer.correct_prediction(rng, float(rng.random())))
        if scored.score >= _LEAST_SCORE:
            hints_of_submissions.append(scored.hints)
    return hints_of_submissions


class _Scored(NamedTuple):
    """The score of a submission, the notes on it, and what of it agrees with the reference."""

    score: float
    notes: Sequence[Note]
    agreement: Sequence[Step]

    @property
    def hints(self) -> list[str]:
        """The notes on likely mistakes, as lines."""
        return [note.line() for note in self.notes if note.is_mistake]


class _Scorer:
    """Scores predictions for a task against a demo reference of its own seed and size."""

    def __init__(self, task: QualityTask[Any], size: int, folder: Path) -> None:
        self.task = task
        self._source = folder / f"source{size}"
        task.write_reference(self._source, seed=size, size=size)
        self._loaded = load_against(task.id, self._source, folder / f"prepared{size}", detail="full")

    def correct_prediction(self, rng: np.random.Generator, noise: float) -> Any:
        return self.task.correct_prediction(self._source, rng, noise)

    def score(self, prediction: Any) -> _Scored:
        """Score a submission. Raises Refused if it is invalid."""
        loaded, task = self._loaded, self._loaded.task
        with tempfile.TemporaryDirectory() as folder:
            write_files(self.task.files(prediction), Path(folder))
            read = loaded.read(Path(folder))
        result = loaded.score(read)
        with np.errstate(all="ignore"):  # boxes may be as large as numbers go
            agreement = task.agreement(loaded.reference, read.content)
        return _Scored(result.scores["score"], result.notes, agreement)
