"""The tasks, discovered from the folders of ``challenges/``, and the protocol that each implements."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, Union

from scoring_program.metrics.arrays import Floats
from scoring_program.plausibility import Plausibility
from scoring_program.result import Deferred, Section, Statistics
from scoring_program.settings import Setting, declared
from validator.findings import Findings
from validator.strict_yaml import load_strict

CHALLENGES_FOLDER = Path(__file__).resolve().parent / "challenges"

ReferenceT = TypeVar("ReferenceT")
SubmissionT = TypeVar("SubmissionT")
StatisticsT = TypeVar("StatisticsT", bound=Statistics)
Settings = Mapping[str, Any]


class Program(ABC, Generic[ReferenceT, SubmissionT, StatisticsT]):
    """The protocol of a task: ``challenges/<id>/program.py`` holds one object of a subclass, ``PROGRAM``.

    Only the program knows the file formats of its task. A run calls the abstract methods in their order; what
    follows them has defaults.
    """

    reference_files: tuple[str, ...] = ()
    """Glob patterns of the files that make up a reference folder, apart from settings.yaml."""

    prepared_file: str = ""
    """A file that `prepare_reference` writes and that the platform cannot do without; "" if there is none."""

    @abstractmethod
    def load_reference(self, folder: Path, settings: Settings, findings: Findings) -> ReferenceT | None:
        """Return the ground truth as arrays; None after a problem, which goes to ``findings``."""

    @abstractmethod
    def read_submission(self, path: Path, reference: ReferenceT, findings: Findings) -> SubmissionT | None:
        """Return the validated submission as arrays; None after a problem, which goes to ``findings``."""

    @abstractmethod
    def measure(self, reference: ReferenceT, submission: SubmissionT, settings: Settings) -> StatisticsT:
        """Gather the per-item statistics of a valid submission, once."""

    @abstractmethod
    def reduce(self, statistics: StatisticsT, weights: Floats) -> Floats:
        """Return the primary score for each row of weights, before its final rounding.

        Parameters
        ----------
        statistics : Statistics
            As `measure` gathered them.
        weights : float64 array of shape (n_replicates, n_items)
            Whole numbers: how often each item, with its predictions, occurs.

        Returns
        -------
        float64 array of shape (n_replicates,)
        """

    @abstractmethod
    def scores(self, statistics: StatisticsT) -> dict[str, float]:
        """Return all numbers of the leaderboard, ``score`` and ``coverage`` among them."""

    def losses(self, statistics: StatisticsT) -> dict[str, float]:
        """Return, for each kind of error that ``challenge.yaml`` declares, the score if it were gone."""
        return {}

    def signature_parts(self, reference: ReferenceT) -> dict[str, str]:
        """Return what moves a score and is in neither the settings nor the reference files."""
        return {}

    def reference_digest(self, reference: ReferenceT) -> str:
        """Return a hash that is already known; "" has the reference files hashed."""
        return ""

    def check_reference(
        self, folder: Path, settings: Settings, reference: ReferenceT, findings: Findings
    ) -> None:
        """Add mistakes of organizers that do not stop a run and still make it pointless."""

    def prepare_reference(
        self, source: Path, output: Path, settings: Settings, options: Mapping[str, Any], findings: Findings
    ) -> bool:
        """Turn the official files into what loads fast; return False if they are to be copied as they are."""
        return False


AnyProgram = Program[Any, Any, Any]
Sections = Callable[[Any, Any, Any], Sequence[Union[Section, Deferred]]]


@dataclass(frozen=True)
class ScoreColumn:
    """A number that the scoring program writes, as the leaderboard and the detail page show it."""

    key: str
    title: str
    description: str
    sorting: str = "desc"
    precision: int = 4
    leaderboard: bool = True


INTERVAL_COLUMNS = (
    ScoreColumn(
        "score_low", "Interval from", "Lower end of the 95 % interval of the score.", leaderboard=False
    ),
    ScoreColumn(
        "score_high", "Interval to", "Upper end of the 95 % interval of the score.", leaderboard=False
    ),
)


@dataclass(frozen=True)
class Fix:
    """A kind of error that a loss is computed for; ``advice`` is a sentence with ``{points}`` for what it
    costs."""

    key: str
    title: str
    advice: str


@dataclass(frozen=True)
class Challenge:
    """The declaration of a task, from its ``challenge.yaml``; ``item`` is what its independent items are
    called."""

    id: str
    columns: Sequence[ScoreColumn]
    fixes: Sequence[Fix]
    settings: tuple[Setting, ...]
    title: str
    summary: str
    item: str
    kit_files: Sequence[str] = ()
    """Files of ``starting_kit/`` for this task alone."""
    kit_data: Sequence[str] = ()
    """Files of the repository that starting kits carry and scoring programs do not."""
    eval_mode: str = ""
    """What ``--eval_mode`` of the challenge's own script calls the task; "" if there is no such option."""
    kit_example: str = ""
    """Code that writes ``my.zip`` for the demo reference, for the README and the notebook of the kit."""
    interval_covers: int | None = None
    """Percent of trials in which the interval held the score, measured at 300 items, where they are below
    92."""

    @property
    def folder(self) -> Path:
        """The folder of the task."""
        return CHALLENGES_FOLDER / self.id

    def program(self) -> AnyProgram:
        """Import the program of the task. Raises TypeError if its ``PROGRAM`` does not implement the
        protocol."""
        program = self._module("program").PROGRAM
        if not isinstance(program, Program):
            raise TypeError(f"PROGRAM of {self.id} is not a Program")
        return program

    def sections(self) -> Sections:
        """Import the function that turns reference, submission and statistics into sections of the detail
        page."""
        return self._module("detail").sections  # type: ignore[no-any-return]

    def plausibility(self) -> Plausibility | None:
        """Import what reads submissions in other ways; None if the task has no such module."""
        return self._module("plausibility") if (self.folder / "plausibility.py").is_file() else None  # type: ignore[no-any-return]

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"scoring_program.challenges.{self.id}.{name}")


def challenge_ids() -> list[str]:
    """Return the ids of all tasks that exist here."""
    return sorted(path.parent.name for path in CHALLENGES_FOLDER.glob("*/challenge.yaml"))


def load_challenge(challenge_id: str) -> Challenge:
    """Read the declaration of a task. Raises FileNotFoundError for an unknown id."""
    path = CHALLENGES_FOLDER / challenge_id / "challenge.yaml"
    data = load_strict(path.read_text(encoding="utf-8"))
    columns = [ScoreColumn(**column) for column in data.pop("columns")]
    declared_keys = {column.key for column in columns}
    columns += [column for column in INTERVAL_COLUMNS if column.key not in declared_keys]
    fixes = [Fix(**fix) for fix in data.pop("losses", [])]
    return Challenge(challenge_id, columns, fixes, declared(data.pop("settings", {})), **data)
