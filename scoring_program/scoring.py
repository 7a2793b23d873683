"""Scoring one submission: statistics once, all reductions of them, what is shown, and notes."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from scoring_program.disclosure import LEVELS, disclosed, few_items
from scoring_program.item_groups import ItemGroups, load_groups
from scoring_program.low_score import is_low, low_score_note
from scoring_program.marks import Mark, read_marks
from scoring_program.metrics import resampling
from scoring_program.metrics.resampling import HalfScores
from scoring_program.result import (
    DECIMALS,
    FULL,
    ErrorCost,
    FewItems,
    Interval,
    Result,
    Sections,
    Shown,
    Statistics,
)
from scoring_program.settings import Settings
from scoring_program.signature import keyed, read_key, reference_hash, signature
from scoring_program.task import Public, Task
from validator import limits
from validator.findings import Findings, Note, Read, mistakes_first, without_explained
from validator.submission import Source

_FAULT = "because of a fault of the program; report it to the maintainers of the scoring program"
_HERE = Path(__file__).resolve().parent

ReferenceT = TypeVar("ReferenceT")
ResultT = TypeVar("ResultT")
SubmissionT = TypeVar("SubmissionT")
StatisticsT = TypeVar("StatisticsT", bound=Statistics)
Begin = Callable[[str], None]


@dataclass(frozen=True)
class Loaded(Generic[ReferenceT, SubmissionT, StatisticsT]):
    """A task with a reference that was read.

    ``public`` is what everybody may know of the reference, and all that messages are made of;
    ``signature`` names everything that can move a score.
    """

    task: Task
    folder: Path
    settings: Settings
    reference: ReferenceT
    public: Public
    items: Sequence[str]
    groups: ItemGroups
    signature: str
    marks: Sequence[Mark] = ()

    def read(self, source: Source) -> Read[SubmissionT]:
        """Return the validated submission in a zip file or a folder, with notes. Raises Refused."""
        return self.task.read(source, self.public, self.task.keeper(self.reference))

    def explain(self, findings: Findings) -> Findings:
        """Return the findings of a refused submission; a subclass may know more about their cause."""
        return findings

    def score_path(self, path: Path) -> Result:
        """Read and score a submission, without any output. Raises Refused."""
        return self.score(self.read(path))

    def score(self, reading: Read[SubmissionT], begin: Begin = lambda stage: None) -> Result:
        """Return the result of a submission that was read.

        ``begin`` is called with the name of each stage as it begins. What changes no score must not cost one.
        """
        begin("score")
        statistics = self.task.measure(self.reference, reading.content, self.settings)
        scores = self.task.scores(statistics)
        begin("interval")
        halves = self.half_scores(statistics) if self.settings["interval"] and len(self.items) else None
        interval = self._interval(halves, statistics) if halves else None
        begin("error_costs")
        no_cost = list[ErrorCost]()
        find_costs = partial(self._error_costs, statistics, scores["score"])
        costs, no_costs = guarded("error costs", find_costs, no_cost)
        begin("sections")
        numbers = Shown(
            scores=scores,
            signature=self.signature,
            over=self.groups.count_text(self.task.item),
            n_items=halves.n_items if halves else 0,
            interval=interval,
            error_costs=costs,
            marks=self.marks,
        )
        show = partial(self._shown, numbers, reading.content, statistics)
        shown, no_tables = guarded("tables", show, disclosed(numbers, [], self.settings))
        begin("notes")
        notes, no_notes = guarded("notes", partial(self.notes, reading, shown), list(reading.notes))
        return Result(
            shown=shown,
            notes=[*no_costs, *no_tables, *no_notes, *notes],
            statistics=statistics,
            items=self.items,
            halves=halves,
        )

    def _shown(self, numbers: Shown, submission: SubmissionT, statistics: StatisticsT) -> Shown:
        sections: Sections = self.task.sections(self.reference, submission, statistics)
        return disclosed(numbers, sections, self.settings)

    def notes(self, reading: Read[SubmissionT], shown: Shown) -> list[Note]:
        """Return the notes on a submission, from what is public and from the numbers that are shown."""
        notes = list(reading.notes)
        if self.settings["notes"]:
            notes = without_explained([*notes, *self.task.notes(reading.content, self.public)])
            if is_low(shown.scores, self.task.range) and not any(note.is_mistake for note in notes):
                notes.append(low_score_note(shown.scores))
        return mistakes_first(with_costs(notes, self.task, shown))

    def half_scores(self, statistics: StatisticsT, n_halves: int = 0) -> HalfScores:
        """Return the score of all items, at least one, and those of random halves of them.

        Without a number these are as many as the task declares.
        """
        reduce = partial(self.task.reduce, statistics)
        return resampling.half_scores(reduce, self.groups.number, n_halves or self.task.half_samples)

    def _interval(self, halves: HalfScores, statistics: StatisticsT) -> Interval | None:
        if halves.n_items < 2:
            return None
        intervals = resampling.intervals([halves], self.task.range)
        if not intervals.has_ends[0]:
            return None
        return Interval(
            low=float(intervals.low[0]),
            high=float(intervals.high[0]),
            standard_error=float(intervals.standard_error[0]),
            half_samples=len(halves.first),
            items=halves.n_items,
            is_grouped=bool(self.groups.digest),
            few=self._few_items(statistics) if self.settings["detail"] == FULL else None,
        )

    def _few_items(self, statistics: StatisticsT) -> FewItems | None:
        """Return why the interval is rough although there are many items."""
        group, n_groups = self.groups.number, self.groups.n_groups
        has_score = statistics.item_scores > 0
        return few_items(
            has_errors=np.bincount(group[~statistics.item_perfect], minlength=n_groups) > 0,
            has_score=np.bincount(group[has_score], minlength=n_groups) > 0,
            starts_at_zero=self.task.higher_is_better and self.task.range[0] == 0,
        )

    def _error_costs(self, statistics: StatisticsT, score: float) -> list[ErrorCost]:
        """Return what each type of error costs, as they are declared; nothing where no level shows it."""
        if not LEVELS[self.settings["detail"]]:
            return []
        score_if_fixed = self.task.error_costs(statistics)
        sign = 1 if self.task.higher_is_better else -1
        costs = []
        for error_type in self.task.error_types:
            key = error_type.key
            if key in score_if_fixed:
                # Rounded, because the last bits must not decide the order; adding zero makes -0.0 a 0.0.
                points = round(sign * (score_if_fixed[key] - score), DECIMALS) + 0.0
                costs.append(ErrorCost(key, score_if_fixed[key], points))
        return costs


AnyLoaded = Loaded[Any, Any, Any]


def load_reference(task: Task, folder: Path, settings: Settings) -> AnyLoaded:
    """Read a reference folder once, to score any number of submissions with it. Raises Refused."""
    reference = task.load(folder, settings)
    items = task.items(reference)
    groups = load_groups(folder, settings["item_groups"], items, task.other_names(reference))
    identity = task.identity(reference, settings)
    digest = identity.pop("ref", "") or reference_hash(folder, settings["item_groups"])
    key = read_key(folder)
    digests = (keyed(digest, key), keyed(groups.digest, key))
    return Loaded(
        task=task,
        folder=folder,
        settings=settings,
        reference=reference,
        public=task.public(reference),
        items=items,
        groups=groups,
        signature=signature(task.id, settings, task.known_settings, digests, identity),
        marks=read_marks(folder, settings, task.known_settings),
    )


def with_costs(notes: Sequence[Note], task: Task, shown: Shown) -> list[Note]:
    """Return notes; those that count the errors of a type that costs something give its cost."""
    points_of_type = {cost.error_type: shown.short(cost.points) for cost in shown.error_costs}
    cost_of_code: dict[str, str] = {}
    for error_type in task.error_types:
        points = points_of_type.get(error_type.key, "0")
        if float(points):
            cost_of_code.update(dict.fromkeys(error_type.notes, f"; this costs {points}"))
    return [note._replace(text=note.text + cost_of_code.get(note.code, "")) for note in notes]


def guarded(noun: str, compute: Callable[[], ResultT], otherwise: ResultT) -> tuple[ResultT, list[Note]]:
    """Return what is computed, or something else and a note: what changes no score must not cost one.

    The note does not say where it failed: that may depend on the reference.
    """
    try:
        return compute(), []
    except Exception as error:
        if limits.is_out_of_memory(error):
            raise
        return otherwise, [Note("N-INTERNAL", f"there are no {noun}, {_FAULT}")]


def place_of(error: BaseException) -> str:
    """Return the type of an exception and our own line: its message may hold reference data."""
    entries = traceback.extract_tb(error.__traceback__)
    ours = [entry for entry in entries if Path(entry.filename).resolve().is_relative_to(_HERE)]
    frame = (ours or entries)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name} line {frame.lineno} in {frame.name}"
