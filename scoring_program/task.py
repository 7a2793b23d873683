"""The contract of a task: a declaration and a table of functions; and the discovery of the tasks present.

``TASKS`` in ``challenges/<challenge>/task.py`` maps the ids of the tasks that are declared there
(``<id>.yaml``) to them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from scoring_program.metrics.resampling import HALVES, Range
from scoring_program.result import Sections
from scoring_program.settings import Setting, Settings, allowed, declared, read_settings
from validator.arrays import Floats
from validator.discovery import discover
from validator.findings import Findings, Note, Read
from validator.strict_yaml import load_strict
from validator.submission import Source

# Kits have this package below another one.
_CHALLENGES = f"{__package__}.challenges"
PACKAGES_OF_IMAGE = {"numpy", "yaml", "scipy", "PIL"}
"""Those of codalab/codalab-legacy:py312 that a task may need, as they are imported."""

# The ground truth of a task, what a submission holds, and what both are reduced to: each task has its own.
Reference = Any
Rows = Any
TaskStatistics = Any
# Kinds of names, as "class", and the names of each.
Vocabulary = Mapping[str, Sequence[str]]
# Returns what is kept of something that is read, where not all of it can be.
Keep = Callable[..., Any]


class Public(Protocol):
    """What everybody may know of a reference: what `people-in-video check --public` knows of it."""

    @property
    def items(self) -> Collection[str]:
        """The items that submissions may name, annotated or not."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public names of each kind, whether or not they occur."""


class PublicItems(NamedTuple):
    """What is public of a reference that is a list of items, and no more."""

    items: Sequence[str]
    vocabulary: Vocabulary


def keep_all(reference: Reference) -> Keep | None:
    """Return None: a reader keeps all that it reads."""
    return None


def no_identity(reference: Reference, settings: Settings) -> dict[str, str]:
    """Return nothing: all that moves a score is in the settings and the files of the reference."""
    return {}


def no_names(reference: Reference) -> Collection[str]:
    """Return no names."""
    return ()


@dataclass(frozen=True, eq=False)
class Functions:
    """What moves a number, or is said of a submission; nothing else belongs here.

    Attributes
    ----------
    load : callable
        (folder, settings) -> the ground truth as arrays. Raises Refused.
    items : callable
        (reference) -> the names of its independent items, in ascending order.
    public : callable
        (reference) -> what everybody may know of it. What is annotated is not, and never goes into it.
    read : callable
        (source, public, keep) -> Read of the validated submission as arrays, with notes. Raises Refused.
        Messages depend on the submission and on what is public alone.
    measure : callable
        (reference, rows, settings) -> the statistics of each item, gathered once.
    reduce : callable
        (statistics, weights) -> the primary score for each row of weights, before its final rounding, shape
        (n_rows,). ``weights`` are float64 whole numbers of shape (n_rows, n_items): how often each item, with
        its predictions, occurs.
    scores : callable
        (statistics) -> all numbers of the leaderboard, ``score`` and ``coverage`` among them.
    error_costs : callable
        (statistics) -> the score if the errors of each declared type were fixed.
    sections : callable
        (reference, rows, statistics) -> the task's own sections of the detail page, the aggregates first.
    notes : callable
        (rows, public) -> facts of the submission, and likely mistakes in it.
    identity : callable
        (reference, settings) -> what moves a score and is in neither the settings nor the files of the
        reference; as ``ref`` the hash of the reference, where it is not that of its files.
    keeper : callable
        (reference) -> what ``read`` keeps of each entry for ``measure`` alone, None where it keeps all.
    other_names : callable
        (reference) -> names that are no items and may have a line in a file of item groups.
    """

    load: Callable[[Path, Settings], Reference]
    items: Callable[[Reference], Sequence[str]]
    public: Callable[[Reference], Public]
    read: Callable[[Source, Any, Keep | None], Read[Rows]]
    measure: Callable[[Reference, Rows, Settings], TaskStatistics]
    reduce: Callable[[TaskStatistics, Floats], Floats]
    scores: Callable[[TaskStatistics], dict[str, float]]
    error_costs: Callable[[TaskStatistics], dict[str, float]]
    sections: Callable[[Reference, Rows, TaskStatistics], Sections]
    notes: Callable[[Rows, Any], list[Note]]
    identity: Callable[[Reference, Settings], dict[str, str]]
    keeper: Callable[[Reference], Keep | None]
    other_names: Callable[[Reference], Collection[str]]


class ScoreColumn(NamedTuple):
    """A number that the scoring program writes, as the leaderboard and the detail page show it.

    ``loophole`` is a clause on what raises it without better predictions, so that it should not decide ranks.
    """

    key: str
    title: str
    description: str
    sorting: str = "desc"
    precision: int = 4
    leaderboard: bool = True
    loophole: str = ""


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
    is_published: bool = False
    """Whether it is a task of a published challenge, which `docs/conventions.md` is about; not one's own."""
    reference_files: Sequence[str] = ()
    """Glob patterns of the organizers' files of a reference, apart from settings.yaml."""
    prepared_file: str = ""
    """A file that preparing writes and that the platform cannot do without; "" if there is none."""
    eval_mode: str = ""
    """What ``--eval_mode`` of the challenge's own script calls the task; "" if there is no such option."""
    metric: str = ""
    """A module of `scoring_program.metrics` that the declaration names, "" if the code of the task does."""
    thresholds: Sequence[float] = ()
    """The thresholds of this metric; those of the metric where none are declared."""
    evaluator: str = ""
    """The module of an evaluator of one's own in the folder of the task, "" without one."""
    score: str = ""
    """The number of this evaluator that ranks."""
    half_samples: int = HALVES
    """How many random halves of the items are scored for intervals and comparisons."""
    range: Range = (None, None)
    """The lowest and the highest possible score; None for an open end."""

    @property
    def higher_is_better(self) -> bool:
        """Whether the larger of two scores is the better one."""
        return self.columns[0].sorting == "desc"

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


@dataclass(frozen=True, eq=False)
class Task(Declaration, Functions):
    """A task: its declaration and its functions."""


def task_ids(root: str = _CHALLENGES) -> list[str]:
    """Return the ids of the tasks that are declared below a package, in ascending order."""
    return sorted(path.stem for path in discover(root, "*/*.yaml"))


def load_task(task_id: str, root: str = _CHALLENGES) -> Task:
    """Return a task. Raises FileNotFoundError for an unknown id."""
    for path in discover(root, f"*/{task_id}.yaml"):
        module = importlib.import_module(f"{root}.{path.parent.name}.task")
        return module.TASKS[task_id]
    raise FileNotFoundError(f"there is no task {task_id}")


def missing_packages(task_id: str) -> list[str]:
    """Return the packages that a task needs and that cannot be imported here. The task is not imported."""
    needed_packages: list[str] = []
    for path in discover(_CHALLENGES, f"*/{task_id}.yaml"):
        needed_packages += read_declaration(path).get("needs", ())
    if not needed_packages:
        return []
    from importlib.util import find_spec

    return [name for name in needed_packages if find_spec(name) is None]


def declared_tasks(module: str, functions_of: Callable[[str], Functions]) -> dict[str, Task]:
    """Return the tasks whose declaration is present beside ``module``, a file."""
    paths = sorted(Path(module).parent.glob("*.yaml"))
    return {path.stem: declared_task(path, functions_of(path.stem)) for path in paths}


@cache
def read_declaration(path: Path) -> Mapping[str, Any]:
    """Return what the declaration of a task says, as it stands there."""
    data: Mapping[str, Any] = load_strict(path.read_text(encoding="utf-8"))
    return data


def declared_task(path: Path, functions: Functions, **members: Any) -> Task:
    """Return a task with what a file declares, its functions, and further ``members`` of the declaration."""
    data = dict(read_declaration(path))
    columns = [ScoreColumn(**column) for column in data.pop("columns")]
    keys = {column.key for column in columns}
    columns += [column for column in INTERVAL_COLUMNS if column.key not in keys]
    return Task(
        **vars(functions),
        id=path.stem,
        folder=path.parent,
        columns=columns,
        error_types=[ErrorType(**error_type) for error_type in data.pop("error_types", [])],
        known_settings=declared(data.pop("settings", {})),
        range=tuple(data.pop("range", (None, None))),
        **members,
        **data,
    )
