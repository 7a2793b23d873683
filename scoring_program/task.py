"""The contract of a task: the abstract class `Task`, and the discovery of the tasks that are present.

A task is one object of a subclass of `Task`. Each challenge has its own in
``challenges/<challenge>/task.py``: ``TASKS`` maps the ids of the tasks that are declared there
(``<id>.yaml``) to these objects.
"""

from __future__ import annotations

import importlib
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from scoring_program.disclosure import (
    disclosed,
    disclosed_marks,
    few_items,
    min_group,
    round_floats,
    rounded,
    shows_comparisons,
    shows_interval,
)
from scoring_program.item_groups import ItemGroups, load_groups
from scoring_program.low_score import is_low, low_score_note
from scoring_program.marks import MARKS_FILE, Mark, read_marks
from scoring_program.metrics import resampling
from scoring_program.metrics.resampling import HalfScores, Range
from scoring_program.repair_notes import HiddenSide, repair_notes
from scoring_program.result import (
    DECIMALS,
    Deferred,
    ErrorCost,
    FewItems,
    Interval,
    Result,
    Section,
    Sections,
    Statistics,
)
from scoring_program.settings import SETTINGS_FILE, Setting, Settings, allowed, declared, read_settings
from scoring_program.signature import (
    KEY_FILE,
    VOCABULARY_FILE,
    keyed,
    read_key,
    reference_hash,
    signature,
    with_items,
)
from scoring_program.vocabulary import NameCounts, UnknownNames, Vocabulary, find_unknown_names
from validator import limits
from validator.arrays import Floats
from validator.discovery import discover
from validator.findings import Findings, Note, Read, codes_explained_by, mistakes_first
from validator.items import ITEMS_UNKNOWN
from validator.strict_yaml import load_declaration
from validator.submission import Source

if TYPE_CHECKING:
    from scoring_program.agreement_steps import Step
    from scoring_program.repairs.search import Comparison

# Kits have this package below another one.
_CHALLENGES = f"{__package__}.challenges"
# Decimals of intervals that are equal on every machine.
_INTERVAL_DECIMALS = 6
# Decimals of costs in notes, as on the page.
_NOTE_DECIMALS = 4

_HERE = Path(__file__).resolve().parent

ReferenceT = TypeVar("ReferenceT")
ItemT = TypeVar("ItemT")
SubmissionT = TypeVar("SubmissionT")
StatisticsT = TypeVar("StatisticsT", bound=Statistics)
Begin = Callable[[str], None]
Notes = list[Note]
# What organizers may choose as they prepare a reference, apart from settings.
Options = Mapping[str, Any]


class ScoreColumn(NamedTuple):
    """A number that the scoring program writes, as the leaderboard and the detail page show it."""

    key: str
    title: str
    description: str
    sorting: str = "desc"
    precision: int = 4
    leaderboard: bool = True


INTERVAL_COLUMNS = (
    ScoreColumn(
        key="score_low",
        title="Interval from",
        description="Lower end of the 95 % interval of the score.",
        leaderboard=False,
    ),
    ScoreColumn(
        key="score_high",
        title="Interval to",
        description="Upper end of the 95 % interval of the score.",
        leaderboard=False,
    ),
)


class ErrorType(NamedTuple):
    """A kind of error whose cost is computed; ``advice`` is a sentence with ``{points}`` for the cost.

    ``notes`` are the codes of the notes that count these errors: where costs are shown they give the cost.
    """

    key: str
    title: str
    advice: str
    notes: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Declaration:
    """The declaration of a task, from its ``<id>.yaml``; ``item`` is the name of its independent items."""

    id: str
    folder: Path
    columns: Sequence[ScoreColumn]
    error_types: Sequence[ErrorType]
    known_settings: tuple[Setting, ...]
    title: str
    summary: str
    item: str
    needs: Sequence[str] = ()
    """Packages that the program imports besides numpy and yaml and does not carry, by their import names."""
    in_all_kits: bool = False
    """Whether every starting kit holds the task; others are in the kits of their competitions only."""
    kit_files: Sequence[str] = ()
    """Files of ``starting_kit/`` for this task alone."""
    kit_data: Sequence[str] = ()
    """Files of the challenge's folder that starting kits carry and scoring programs do not."""
    eval_mode: str = ""
    """What ``--eval_mode`` of the challenge's own script calls the task; "" if there is no such option."""
    kit_example: str = ""
    """Code that writes ``my.zip`` for the demo reference, for the README and the notebook of the kit."""
    kit_update: str = ""
    """Code that gives an evaluator one prediction for the demo reference, for the README."""
    range: Range = (None, None)
    """The lowest and the highest possible score; None for an open end."""

    @property
    def higher_is_better(self) -> bool:
        """Whether the larger of two scores is the better one."""
        return self.columns[0].sorting == "desc"


class Task(Declaration, ABC, Generic[ReferenceT, SubmissionT, StatisticsT]):
    """A task: how its files are read, measured, and shown.

    Only the task knows the file formats of its challenge. A run calls the abstract methods in their order;
    those that follow them have defaults.
    """

    reference_files: tuple[str, ...] = ()
    """Glob patterns of the files that prepare reads, apart from settings.yaml; see `source_files`."""

    prepared_file: str = ""
    """A file that `prepare_reference` writes and that the platform cannot do without; "" if there is none."""

    @abstractmethod
    def load_reference(self, folder: Path, settings: Settings) -> ReferenceT:
        """Return the ground truth as arrays. Raises Refused."""

    @abstractmethod
    def items(self, reference: ReferenceT) -> Sequence[str]:
        """Return the names of the independent items of the reference, in ascending order."""

    def known_items(self, reference: ReferenceT) -> Collection[str]:
        """Return the items that submissions may name: those of the reference, annotated or not.

        Readers ignore others with a note (`validator.items.check_items`). The collection is asked for each
        item of a submission, so a set is best where there are many.
        """
        return frozenset(self.items(reference))

    @abstractmethod
    def read_submission(self, path: Source, reference: ReferenceT) -> Read[SubmissionT]:
        """Return the validated submission as arrays, with notes. Raises Refused."""

    @abstractmethod
    def measure(self, reference: ReferenceT, submission: SubmissionT, settings: Settings) -> StatisticsT:
        """Gather the per-item statistics of a valid submission, once."""

    @abstractmethod
    def reduce(self, statistics: StatisticsT, weights: Floats) -> Floats:
        """Return the primary score for each row of weights, before its final rounding; shape (n_rows,).

        ``weights`` are float64 whole numbers of shape (n_rows, n_items): how often each item, with its
        predictions, occurs.
        """

    @abstractmethod
    def scores(self, statistics: StatisticsT) -> dict[str, float]:
        """Return all numbers of the leaderboard, ``score`` and ``coverage`` among them."""

    @abstractmethod
    def error_costs(self, statistics: StatisticsT) -> dict[str, float]:
        """Return the score if the errors of each declared type were fixed."""

    @abstractmethod
    def sections(self, reference: ReferenceT, submission: SubmissionT, statistics: StatisticsT) -> Sections:
        """Return the task's own sections of the detail page, the aggregates first."""

    def drawings(
        self, reference: ReferenceT, submission: SubmissionT, statistics: StatisticsT, number: int
    ) -> Sequence[Section]:
        """Return drawings of the worst items, at most ``number``; called at ``full`` only."""
        return []

    def hints(self, reference: ReferenceT, submission: SubmissionT) -> list[Note]:
        """Return notes on likely mistakes in a submission that is valid, which need no labels."""
        return []

    def comparisons(self, reference: ReferenceT, submission: SubmissionT) -> Sequence[Comparison]:
        """Return what of a submission is compared with the reference to explain it, in the order of scoring.

        `scoring_program.repairs.search` describes how it is searched for repairs.
        """
        return ()

    def names(self, reference: ReferenceT) -> Vocabulary:
        """Return the names that a reference holds and submissions use, by kind: class, part, state."""
        return {}

    def public_names(self, reference: ReferenceT) -> Vocabulary:
        """Return names that everybody knows whatever the reference holds, as the class list of a task."""
        return {}

    def load_vocabulary(self, folder: Path, reference: ReferenceT) -> Vocabulary:
        """Return the public names of each kind, for messages on unknown ones. Raises Refused.

        Tasks whose readers refuse unknown names need none.
        """
        return {}

    def submitted_names(self, submission: SubmissionT) -> NameCounts:
        """Return how often a submission uses each name, by kind, where unknown ones are accepted."""
        return {}

    def rename(self, submission: SubmissionT, new_names: Mapping[str, Mapping[str, str]]) -> SubmissionT:
        """Return a submission with other names, for what its unknown ones cost; ``new_names`` are by kind."""
        return submission

    def select_items(self, reference: ReferenceT, items: Collection[str]) -> ReferenceT:
        """Return the reference of some of its items, which are all that remain of it.

        Raises
        ------
        NotImplementedError
            The task cannot be scored on some of its items.
        """
        raise NotImplementedError(f"{self.id} cannot be scored on some of its items")

    def select_predictions(self, submission: SubmissionT, items: Collection[str]) -> SubmissionT:
        """Return a submission without what it predicts for other items, where that would count."""
        return submission

    def other_names(self, reference: ReferenceT) -> Collection[str]:
        """Return names of the data that are not items and may still have a line in a file of item groups."""
        return ()

    def signature_parts(self, reference: ReferenceT, settings: Settings) -> dict[str, str]:
        """Return what moves a score and is in neither the settings nor the reference files."""
        return {}

    def reference_digest(self, folder: Path, settings: Settings, reference: ReferenceT) -> str:
        """Return a hash of the reference in a folder."""
        return reference_hash(folder, settings["item_groups"])

    def check_reference(self, folder: Path, settings: Settings, reference: ReferenceT) -> list[Note]:
        """Look for mistakes of organizers that make a run pointless. Raises Refused."""
        return []

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Write the files that the platform reads, from the official ones in ``source``. Raises Refused.

        By default the files are copied as they are.
        """
        import shutil

        for name in self.source_files(source, settings):
            shutil.copyfile(source / name, output / name)
        return []

    def source_files(self, source: Path, settings: Settings) -> list[str]:
        """Return the names of the files in ``source`` that `prepare_reference` reads."""
        paths = [path for pattern in self.reference_files for path in source.glob(pattern)]
        return sorted({path.name for path in paths if not path.name.startswith(".")})

    def prepare(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Write a complete reference folder: what `prepare_reference` writes, settings, and item groups."""
        import shutil

        notes = self.prepare_reference(source, output, settings, options)
        for name in self.carried(source, settings):
            shutil.copyfile(source / name, output / name)
        if (output / KEY_FILE).is_file():
            (output / KEY_FILE).chmod(0o600)
        return notes

    def carried(self, source: Path, settings: Settings) -> list[str]:
        """Return the names of the files that every reference may have and that stay as they are."""
        names = (SETTINGS_FILE, KEY_FILE, MARKS_FILE, VOCABULARY_FILE, Path(settings["item_groups"]).name)
        return [name for name in names if name and (source / name).is_file()]

    def settings(self, folder: Path, overrides: Settings | None = None) -> Settings:
        """Return all settings: ``overrides``, else those of the folder, else defaults. Raises Refused."""
        with Findings.collect() as findings:
            if not folder.is_dir():
                remedy = "the organizers must attach the reference data"
                findings.refuse("E-REF-MISSING", "there is no reference folder", remedy)
            with findings.part():
                values = read_settings(folder, self.known_settings)
            checked_overrides = allowed(overrides or {}, self.known_settings, "")
        return {**values, **checked_overrides}

    def load(self, folder: Path, settings: Settings) -> Loaded[ReferenceT, SubmissionT, StatisticsT]:
        """Read a reference folder once, to score any number of submissions with it. Raises Refused."""
        reference = self.load_reference(folder, settings)
        items = self.items(reference)
        groups = load_groups(folder, settings["item_groups"], items, self.other_names(reference))
        vocabulary = self.load_vocabulary(folder, reference)
        key = read_key(folder)
        digest = self.reference_digest(folder, settings, reference)
        digests = (keyed(digest, key), keyed(groups.digest, key))
        parts = self.signature_parts(reference, settings)
        return Loaded(
            task=self,
            folder=folder,
            settings=settings,
            reference=reference,
            items=items,
            groups=groups,
            vocabulary=vocabulary,
            signature=signature(self.id, settings, self.known_settings, digests, parts),
            marks=read_marks(folder, settings, self.known_settings),
            secret=key or digest.encode(),
        )


AnyTask = Task[Any, Any, Any]


@dataclass(frozen=True)
class Loaded(Generic[ReferenceT, SubmissionT, StatisticsT]):
    """A task with a reference that was read.

    ``signature`` names everything that can move a score. ``secret`` is the key of the reference, or the whole
    hash of one without a key: no output may show it.
    """

    task: Task[ReferenceT, SubmissionT, StatisticsT]
    folder: Path
    settings: Settings
    reference: ReferenceT
    items: Sequence[str]
    groups: ItemGroups
    vocabulary: Vocabulary
    signature: str
    secret: bytes = field(repr=False)
    marks: Sequence[Mark] = ()
    whole_reference: ReferenceT | None = None
    """The reference that ``reference`` holds some items of; None if it is whole."""

    def select_items(self, items: Collection[str]) -> Loaded[ReferenceT, SubmissionT, StatisticsT]:
        """Return the same with some of the items only, for quick looks at home; the signature says so.

        Parameters
        ----------
        items : collection of str
            Names of items of the reference, at least one.

        Raises
        ------
        NotImplementedError
            The task cannot be scored on some of its items.
        """
        is_selected = np.array([item in items for item in self.items], dtype=bool)
        names = [item for item in self.items if item in items]
        return replace(
            self,
            reference=self.task.select_items(self.reference, frozenset(names)),
            items=names,
            groups=self.groups.select(is_selected),
            signature=with_items(self.signature, names),
            # Those of the whole reference are of other items.
            marks=(),
            whole_reference=self.reference,
        )

    def check(self) -> list[Note]:
        """Look for mistakes of organizers that do not stop a run. Raises Refused."""
        return self.task.check_reference(self.folder, self.settings, self.reference)

    def read(self, path: Source) -> Read[SubmissionT]:
        """Return the validated submission in a zip file or a folder, with notes. Raises Refused."""
        return self.task.read_submission(path, self.reference)

    def explain(self, findings: Findings) -> Findings:
        """Return the findings of a refused submission; a subclass may know more about their cause."""
        return findings

    def score_path(self, path: Path) -> Result:
        """Read and score a submission, without any output. Raises Refused."""
        return self.score(self.read(path))

    def score(self, read: Read[SubmissionT], begin: Begin = lambda stage: None) -> Result:
        """Return the result of a submission that was read: statistics once, and all reductions of them.

        ``begin`` is called with the name of each stage as it begins.
        """
        if self.whole_reference is not None:
            read = Read(self.task.select_predictions(read.content, frozenset(self.items)), read.notes)
        statistics, numbers = self._measure(read.content, begin)
        name_notes, no_names = _guarded(
            "notes on names", lambda: self.name_notes(read.content, numbers.scores["score"])
        )
        counts = [*self._notes_to_tell(read.notes), *statistics.notes, *name_notes]
        explanation = self._explain(Read(read.content, counts), statistics, numbers.scores, begin)
        return self._result([*counts, *no_names], statistics, numbers, explanation)

    def _notes_to_tell(self, notes: Sequence[Note]) -> list[Note]:
        """Return notes on a submission, without that on items that are not among selected ones."""
        return [note for note in notes if note.code != ITEMS_UNKNOWN or self.whole_reference is None]

    @property
    def _is_open(self) -> bool:
        """Whether names and costs that only the reference tells may be shown."""
        return not min_group(self.settings["detail"])

    def unknown_names(self, submission: SubmissionT) -> list[UnknownNames]:
        """Return the names of each kind that a submission uses and the data does not have."""
        return find_unknown_names(
            submitted=self.task.submitted_names(submission),
            vocabulary=self.vocabulary,
            reference_names=self.task.names(self.whole_reference or self.reference),
            is_open=self._is_open,
        )

    def name_notes(self, submission: SubmissionT, score: float) -> list[Note]:
        """Return a note on each kind of names that the data does not have, at ``full`` with what they cost.

        On hidden data the cost would tell the score of a second submission, with other names.
        """
        if not self.settings["notes"]:
            return []
        notes = []
        for unknown in self.unknown_names(submission):
            note = unknown.note()
            if self._is_open and unknown.nearest:
                note = note._replace(text=note.text + self._cost_text(submission, unknown, score))
            notes.append(note)
        return notes

    def _cost_text(self, submission: SubmissionT, unknown: UnknownNames, score: float) -> str:
        """Return what is lost by names that are not written as the nearest ones, "" if nothing is."""
        renamed = self.task.rename(submission, {unknown.kind: unknown.nearest})
        statistics = self.task.measure(self.reference, renamed, self.settings)
        sign = 1 if self.task.higher_is_better else -1
        points = round(sign * (self.task.scores(statistics)["score"] - score), _NOTE_DECIMALS)
        return f"; this costs {points:.{_NOTE_DECIMALS}f}" if points > 0 else ""

    def _measure(self, submission: SubmissionT, begin: Begin) -> tuple[StatisticsT, _Numbers]:
        """Return the statistics of a submission, and its scores with their interval."""
        begin("score")
        statistics = self.task.measure(self.reference, submission, self.settings)
        scores = self.task.scores(statistics)
        begin("interval")
        halves = None
        if self.settings["interval"] and len(self.items):
            halves = self.half_scores(statistics)
        interval = self._interval(halves, statistics) if halves else None
        if interval:
            scores["score_low"] = round(interval.low, _INTERVAL_DECIMALS)
            scores["score_high"] = round(interval.high, _INTERVAL_DECIMALS)
        return statistics, _Numbers(scores, halves, interval)

    def _explain(
        self, read: Read[SubmissionT], statistics: StatisticsT, scores: Mapping[str, float], begin: Begin
    ) -> _Explanation:
        """Return what says why the score is as it is, as far as the detail level shows it."""
        task, reference, submission = self.task, self.reference, read.content
        level, n_drawings = self.settings["detail"], self.settings["drawings"]
        is_shown = shows_comparisons(level)
        begin("notes")
        hints, no_hints = _guarded("hints", lambda: self._mistake_notes(submission))
        notes = [*read.notes, *hints]
        low, no_low = _guarded("hints", lambda: self._low_score_notes(submission, scores, notes))
        begin("error_costs")
        costs: list[ErrorCost] = []
        no_costs: list[Note] = []
        if is_shown:
            costs, no_costs = _guarded("error costs", lambda: self._error_costs(statistics, scores["score"]))
        begin("report")
        sections: list[Section] = []
        if is_shown:
            sections = disclosed(task.sections(reference, submission, statistics), level)
        deferred = Deferred(lambda: task.drawings(reference, submission, statistics, n_drawings))
        drawings, no_drawings = _guarded("drawings", lambda: disclosed([deferred], level))
        faults = [*no_hints, *no_low, *no_costs, *no_drawings]
        return _Explanation([*hints, *low], costs, [*sections, *drawings], faults)

    def _mistake_notes(self, submission: SubmissionT) -> list[Note]:
        """Return notes on likely mistakes: those that need no reference, then those on repairs."""
        if not self.settings["notes"]:
            return []
        notes = self.task.hints(self.reference, submission)
        if any(note.code == "N-EMPTY" for note in notes):
            return notes
        on_repairs = repair_notes(
            comparisons=self.task.comparisons(self.reference, submission),
            submission=submission,
            detail=self.settings["detail"],
            hidden=HiddenSide(self.secret, len(self.items)),
            other_notes=notes,
        )
        explained_codes = codes_explained_by(on_repairs)
        return [*(note for note in notes if note.code not in explained_codes), *on_repairs]

    def _low_score_notes(
        self, submission: SubmissionT, scores: Mapping[str, float], notes: Sequence[Note]
    ) -> list[Note]:
        """Return a note on a low score unless another of the notes tells of a likely mistake."""
        has_mistake = any(note.is_mistake for note in notes)
        # As it is shown: no note depends on hidden digits.
        scores = round_floats(scores, self.settings["score_decimals"])
        if not self.settings["notes"] or has_mistake or not is_low(scores, self.task.range):
            return []
        detail = self.settings["detail"]
        steps: Sequence[Step] = ()
        if shows_comparisons(detail):
            from scoring_program.agreement_steps import agreement_steps

            steps = agreement_steps(self.task.comparisons(self.reference, submission))
        return [low_score_note(scores, steps, detail)]

    def _result(
        self, counts: Sequence[Note], statistics: StatisticsT, numbers: _Numbers, explanation: _Explanation
    ) -> Result:
        """Return the result as it may be shown; ``counts`` are the notes on facts about the submission."""
        decimals = self.settings["score_decimals"]
        counts = self._with_costs(counts, explanation.costs, min(_NOTE_DECIMALS, decimals))
        result = Result(
            scores=numbers.scores,
            statistics=statistics,
            items=self.items,
            halves=numbers.halves,
            interval=numbers.interval,
            over=self.groups.count_text(self.task.item),
            error_costs=explanation.costs,
            sections=explanation.sections,
            notes=mistakes_first([*explanation.faults, *_merged(explanation.hints, counts)]),
            decimals=decimals,
            marks=disclosed_marks(self.marks, self.settings["detail"], self.settings["marks"]),
        )
        # All outputs have at most 10 decimals anyway.
        return rounded(result) if decimals < DECIMALS else result

    def half_scores(self, statistics: StatisticsT, n_halves: int = resampling.HALVES) -> HalfScores:
        """Return the score of all items, at least one, and those of random halves of them."""
        reduce = partial(self.task.reduce, statistics)
        return resampling.half_scores(reduce, self.groups.number, n_halves)

    def _interval(self, halves: HalfScores, statistics: StatisticsT) -> Interval | None:
        if halves.n_items < 2:
            return None
        intervals = resampling.intervals([halves], self.task.range)
        low, high = float(intervals.low[0]), float(intervals.high[0])
        if not intervals.has_ends[0] or not shows_interval(low, high, self.settings["score_decimals"]):
            return None
        return Interval(
            low=low,
            high=high,
            standard_error=float(intervals.standard_error[0]),
            half_samples=len(halves.first),
            items=halves.n_items,
            is_grouped=bool(self.groups.digest),
            few=self._few_items(statistics),
        )

    def _few_items(self, statistics: StatisticsT) -> FewItems | None:
        """Return why the interval is rough although there are many items, as far as it may be shown."""
        group = self.groups.number
        n_groups = int(group.max()) + 1
        scored = statistics.item_scores > 0
        return few_items(
            imperfect=np.bincount(group[~statistics.item_perfect], minlength=n_groups) > 0,
            scored=np.bincount(group[scored], minlength=n_groups) > 0,
            detail=self.settings["detail"],
            decimals=self.settings["score_decimals"],
            starts_at_zero=self.task.higher_is_better and self.task.range[0] == 0,
        )

    def _with_costs(self, notes: Sequence[Note], costs: Sequence[ErrorCost], decimals: int) -> list[Note]:
        """Return notes; those that count the errors of a type that costs something give its cost."""
        points_of_type = {cost.error_type: f"{cost.points:.{decimals}f}" for cost in costs}
        cost_of_code: dict[str, str] = {}
        for error_type in self.task.error_types:
            points = points_of_type.get(error_type.key, "0")
            if float(points):
                cost_of_code.update(dict.fromkeys(error_type.notes, f"; this costs {points}"))
        return [note._replace(text=note.text + cost_of_code.get(note.code, "")) for note in notes]

    def _error_costs(self, statistics: StatisticsT, score: float) -> list[ErrorCost]:
        """Return what each type of error costs, the largest first; equal ones as they are declared."""
        score_if_fixed = self.task.error_costs(statistics)
        sign = 1 if self.task.higher_is_better else -1
        costs = []
        for error_type in self.task.error_types:
            key = error_type.key
            if key in score_if_fixed:
                # Rounded, because the last bits must not decide the order; adding zero makes -0.0 a 0.0.
                points = round(sign * (score_if_fixed[key] - score), DECIMALS) + 0.0
                costs.append(ErrorCost(key, score_if_fixed[key], points))
        # By what is shown: the order of equal costs must not depend on hidden digits.
        decimals = self.settings["score_decimals"]
        return sorted(costs, key=lambda cost: -round(cost.points, decimals))


class _Numbers(NamedTuple):
    """The scores of a submission, and how certain they are."""

    scores: dict[str, float]
    halves: HalfScores | None
    interval: Interval | None


class _Explanation(NamedTuple):
    """What explains a score; ``faults`` say what could not be computed, by a fault of the program."""

    hints: list[Note]
    costs: list[ErrorCost]
    sections: list[Section]
    faults: list[Note]


def _merged(hints: Sequence[Note], counts: Sequence[Note]) -> list[Note]:
    """Return hints, then notes that count, without those that others of them explain."""
    explained_codes = codes_explained_by(counts)
    hints = [hint for hint in hints if hint.code not in explained_codes]
    explained_codes |= codes_explained_by(hints)
    return [*hints, *(note for note in counts if note.code not in explained_codes)]


AnyLoaded = Loaded[Any, Any, Any]


def _guarded(what: str, compute: Callable[[], list[ItemT]]) -> tuple[list[ItemT], list[Note]]:
    """Return what is computed, or nothing and a note: what changes no score must not cost one."""
    try:
        return compute(), []
    except Exception as error:
        if limits.is_out_of_memory(error):
            raise
        text = f"there are no {what}: {place_of(error)}; report it to the maintainers of the scoring program"
        return [], [Note("N-INTERNAL", text)]


def place_of(error: BaseException) -> str:
    """Return the type of an exception and our own line: its message may hold reference data."""
    entries = traceback.extract_tb(error.__traceback__)
    ours = [entry for entry in entries if Path(entry.filename).resolve().is_relative_to(_HERE)]
    frame = (ours or entries)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name} line {frame.lineno} in {frame.name}"


def task_ids(root: str = _CHALLENGES) -> list[str]:
    """Return the ids of the tasks that are declared below a package, in ascending order."""
    return sorted(path.stem for path in discover(root, "*/*.yaml"))


def load_task(task_id: str, root: str = _CHALLENGES) -> AnyTask:
    """Return a task. Raises FileNotFoundError for an unknown id."""
    for path in discover(root, f"*/{task_id}.yaml"):
        module = importlib.import_module(f"{root}.{path.parent.name}.task")
        return module.TASKS[task_id]
    raise FileNotFoundError(f"there is no task {task_id}")


def missing_packages(task_id: str, root: str = _CHALLENGES) -> list[str]:
    """Return the packages that a task needs and that cannot be imported here. The task is not imported."""
    needed_packages: list[str] = []
    for path in discover(root, f"*/{task_id}.yaml"):
        needed_packages += _read_declaration(path).get("needs", ())
    if not needed_packages:
        return []
    from importlib.util import find_spec

    return [name for name in needed_packages if find_spec(name) is None]


def declared_tasks(module: str, classes: Mapping[str, type[AnyTask]]) -> dict[str, AnyTask]:
    """Return an object of the class of each task whose declaration is present beside ``module``, a file."""
    tasks = {}
    for task_id, task_class in classes.items():
        path = Path(module).with_name(f"{task_id}.yaml")
        if path.is_file():
            tasks[task_id] = _declared(path, task_class)
    return tasks


@cache
def _read_declaration(path: Path) -> Mapping[str, Any]:
    data: Mapping[str, Any] = load_declaration(path.read_text(encoding="utf-8"))
    return data


def _declared(path: Path, task_class: type[AnyTask]) -> AnyTask:
    data = dict(_read_declaration(path))
    columns = [ScoreColumn(**column) for column in data.pop("columns")]
    keys = {column.key for column in columns}
    columns += [column for column in INTERVAL_COLUMNS if column.key not in keys]
    return task_class(
        id=path.stem,
        folder=path.parent,
        columns=columns,
        error_types=[ErrorType(**error_type) for error_type in data.pop("error_types", [])],
        known_settings=declared(data.pop("settings", {})),
        range=tuple(data.pop("range", (None, None))),
        **data,
    )
