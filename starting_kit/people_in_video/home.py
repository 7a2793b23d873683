"""Scoring at home from Python: `score`, `Evaluator`, and references that are read and prepared once."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from people_in_video.demo_data import demo_reference
from people_in_video.item_list import check_known
from people_in_video.tools.conversion import (
    LAST_NUMBER,
    UNITS,
    ConversionOptions,
    convert_file,
    is_table,
    read_tool_file,
)
from people_in_video.writing import Key, Predictions, size_text
from scoring_program.report.outputs import plain_result
from scoring_program.result import ErrorCost, Interval, Result
from scoring_program.settings import Settings, SettingValue
from scoring_program.signature import VERSION
from scoring_program.task import AnyLoaded, AnyTask, load_task, task_ids
from validator import console
from validator.checking import check_submission
from validator.discovery import discover
from validator.findings import Findings, Refused
from validator.items import ITEMS_NONE
from validator.limits import collector_off
from validator.messages import Note, Problem


class ProblemsError(ValueError):
    """A submission, a setting or a reference is not valid; the message lists ``problems``."""

    def __init__(self, findings: Findings) -> None:
        self.problems: list[Problem] = list(findings.problems)
        super().__init__("\n".join(findings.lines()))


class SubmissionError(ProblemsError):
    """The submission is not valid."""


class ReferenceProblemsError(ProblemsError):
    """The reference, or a setting, is not valid."""


@dataclass(frozen=True)
class Score:
    """The outcome of scoring one submission.

    Attributes
    ----------
    scores : mapping of str to float
        As in ``scores.json``; holds ``score`` and ``coverage``.
    interval : Interval or None
        ``low`` and ``high`` of the 95 % interval.
    error_costs : sequence of ErrorCost
        What each type of error costs, the largest first.
    items : sequence of dict
        A row for each independent item (video, sequence, image), as in ``per_item.csv``: ``item``,
        ``submitted``, ``score`` (None where it has none), ``weight``.
    notes : sequence of Note
        Remarks, those on likely mistakes first.
    signature : str
        Scores with the same signature are comparable.
    tables : mapping of str to dict
        The sections of the detail page by their keys, as in ``detailed_results.json``.
    """

    scores: Mapping[str, float]
    interval: Interval | None
    error_costs: Sequence[ErrorCost]
    items: Sequence[dict[str, Any]]
    notes: Sequence[Note]
    signature: str
    tables: Mapping[str, object]
    _plain: Mapping[str, object] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return all as plain data: what ``detailed_results.json`` holds of a score, and ``items``."""
        return {**self._plain, "items": [dict(row) for row in self.items]}

    def to_frame(self) -> Any:
        """Return the items as a data frame of pandas. Raises ImportError where it is not installed."""
        return importlib.import_module("pandas").DataFrame(self.items)


# The arguments of a call of `Evaluator.update`: a sequence, or a mapping by name.
Arguments = Any

# The package with the writer of each challenge.
_PACKAGE = __package__
# Everything but drawings, which only a page shows.
_HOME = {"detail": "full", "drawings": 0}

# The reference of each task that was used last, and its key.
_loaded: dict[str, tuple[str, AnyLoaded]] = {}


def score(
    task: str,
    submission: str | Path | Iterable[Arguments],
    reference: str | Path | None = None,
    cache: str | Path | None = None,
    items: Iterable[str] | None = None,
    **settings: SettingValue,
) -> Score:
    """Check and score a submission; a second call with the same reference does not read it again.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path, data frame, or iterable of tuple or dict
        A zip file, or a folder with its files; a file or a table of another tool that `convert` takes; or
        predictions in memory, each the arguments of one call of `Evaluator.update`.
    reference : path, optional
        A folder with ground truth in the organizers' file formats; by default the demo reference of the kit.
    cache : path, optional
        Where references that need preparing are kept; by default the user's cache folder.
    items : iterable of str, optional
        The only items of the reference that are scored; the signature says so.
    **settings
        Replace those of the reference folder, as ``protocol="released"``.

    Raises
    ------
    SubmissionError
        The submission is not valid; ``problems`` lists why, and of predictions which argument.
    ReferenceProblemsError
        The reference or a setting is not valid; ``problems`` lists why.
    FileNotFoundError
        There is no such submission, or no such reference.
    ValueError
        There is no such task, or no such item.
    """
    loaded = load_items(task, reference, cache, items, {**_HOME, **settings})
    try:
        if isinstance(submission, (str, Path)) or is_table(submission):
            return _score_file(loaded, submission)
        gathered = _Gathered(loaded)
        with Findings.collect() as findings:
            for index, arguments in enumerate(submission):
                by_name = isinstance(arguments, Mapping)
                positional, named = ((), arguments) if by_name else (arguments, {})
                with findings.part():
                    gathered.update(f"predictions[{index}]", positional, named)
        return _score(loaded, gathered.result(loaded))
    except Refused as refused:
        raise SubmissionError(refused.findings) from None


def check(task: str, submission: str | Path) -> list[Note]:
    """Check that a submission is well-formed, and return notes on it; ids and names need `score`.

    Raises
    ------
    SubmissionError
        The submission is not valid; ``problems`` lists why.
    FileNotFoundError
        There is no such submission.
    ValueError
        There is no such task.
    """
    _check_task(task)
    require_path(Path(submission))
    findings = check_submission(task, Path(submission))
    if not findings.ok:
        raise SubmissionError(findings)
    return findings.notes


def _score_file(loaded: AnyLoaded, source: Any) -> Score:
    """Return the score of a submission, or of what another tool wrote. Raises Refused."""
    source = Path(source) if isinstance(source, str) else source
    if isinstance(source, Path):
        require_path(source)
    with read_tool_file(loaded.task.id, source) as submission:
        result = loaded.score_path(submission.path)
    return _score(loaded, replace(result, notes=[*submission.notes, *result.notes]))


def convert(
    task: str,
    source: str | Path | Any,
    output: str | Path,
    unit: str = UNITS[0],
    public: str | Path | None = None,
    image_id: str = LAST_NUMBER,
) -> list[Note]:
    """Write the submission that a file or a table of another tool is; return what was left out or assumed.

    Nothing is left at ``output`` if it is not valid.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    source : path, or data frame
        What the other tool wrote.
    output : path
        The zip file to write.
    unit : str
        In what starts and ends are given: ``frames``, counted from 1, both included; or ``seconds``.
    public : path, optional
        The folder of public data of the task, which has the frame rates that seconds need.
    image_id : str
        A regular expression whose first group is the id of an image in the name of its file.

    Raises
    ------
    SubmissionError
        The file cannot be converted, or the submission would not be valid; ``problems`` lists why.
    OSError
        The file cannot be read, or nothing can be written there.
    ValueError
        There is no such task, or no such unit.
    """
    _check_task(task)
    if unit not in UNITS:
        raise ValueError(f"the unit is {unit!r}; it must be one of {', '.join(UNITS)}")
    options = ConversionOptions(unit, None if public is None else Path(public), image_id)
    source = Path(source) if isinstance(source, str) else source
    try:
        return convert_file(task, source, Path(output), options)
    except Refused as refused:
        raise SubmissionError(refused.findings) from None


class Evaluator:
    """Gathers predictions in memory and scores them, as a metric of torchmetrics does.

    An evaluator can be pickled, and merged with those of other processes: their order changes no number.

    Parameters
    ----------
    task, reference, cache, items, **settings
        As for `score`, with the same errors.
    """

    def __init__(
        self,
        task: str,
        reference: str | Path | None = None,
        cache: str | Path | None = None,
        items: Iterable[str] | None = None,
        **settings: SettingValue,
    ) -> None:
        items = None if items is None else list(items)
        self._arguments = (task, reference, cache, items, settings)
        whole = load(task, reference, cache, {**_HOME, **settings})
        self._loaded = load_items(task, reference, cache, items, {**_HOME, **settings})
        self._known_items = whole.task.known_items(whole.reference)
        self._gathered = _Gathered(self._loaded)

    def update(self, *arguments: object, **named: object) -> None:
        """Add the prediction for an item; it takes what ``update`` of the task's writer takes.

        Warns of an item that is not in the reference, which is ignored as in a zip.

        Raises SubmissionError, and keeps nothing of the call, if an argument is not valid or there is a
        prediction for the item already.
        """
        values = (*arguments, *named.values())
        short_arguments = [repr(value) for value in values if isinstance(value, (str, int))]
        call = f"update({', '.join(short_arguments)})"
        try:
            item = self._gathered.update(call, arguments, named)
        except Refused as refused:
            raise SubmissionError(refused.findings) from None
        if item not in self._known_items:
            noun = self._loaded.task.item
            warnings.warn(
                f"N-ITEMS-UNKNOWN {call}: the {noun} {item!r} is not in the reference", stacklevel=2
            )

    def compute(self) -> Score:
        """Return the score of all predictions, that of a zip with them. Raises SubmissionError."""
        try:
            return _score(self._loaded, self._gathered.result(self._loaded))
        except Refused as refused:
            raise SubmissionError(refused.findings) from None

    def reset(self) -> None:
        """Forget all predictions."""
        self._gathered = _Gathered(self._loaded)

    def merge(self, *others: Evaluator) -> None:
        """Add the predictions of other evaluators.

        Raises ValueError, and adds nothing, if one has another signature, or an item is predicted twice.
        """
        if any(other._loaded.signature != self._loaded.signature for other in others):
            raise ValueError("evaluators of another task, reference, or settings cannot be merged")
        merged = _Gathered(self._loaded)
        for evaluator in (self, *others):
            for key, entry in evaluator._gathered.predictions.entries.items():
                merged.predictions.put(key, entry)
            merged.names |= evaluator._gathered.names
        self._gathered = merged

    def __reduce__(self) -> tuple[Any, ...]:
        # The reference is read again, or taken from the cache of the process that unpickles.
        entries, names = self._gathered.predictions.entries, self._gathered.names
        return _evaluator, (type(self), self._arguments, entries, names)


def _evaluator(
    evaluator_class: type[Evaluator],
    arguments: tuple[Any, ...],
    entries: dict[Key, Any],
    names: dict[Key, str],
) -> Evaluator:
    """Return an evaluator that was pickled, made with the arguments that it was made with first."""
    task, reference, cache, items, settings = arguments
    evaluator = evaluator_class(task, reference, cache, items, **settings)
    evaluator._gathered.predictions.entries = entries
    evaluator._gathered.names = names
    return evaluator


class _Gathered:
    """Predictions in memory, with the names of the calls that gave them, for messages."""

    def __init__(self, loaded: AnyLoaded) -> None:
        make = _writer_of(loaded.task)
        if make is None:
            raise ValueError(f"{loaded.task.id} takes no predictions in memory; give a zip file")
        self.predictions: Predictions = make(loaded)
        self.names: dict[Key, str] = {}

    def update(self, name: str, arguments: Sequence[object], named: Mapping[str, object]) -> str:
        """Add the prediction of a call and return its item. Raises Refused."""
        with Findings.collect() as findings, collector_off():
            try:
                self.predictions.update(*arguments, **named)
                key = next(reversed(self.predictions.entries))
                self.names[key] = name
            except Refused as refused:
                findings.extend(self._placed(refused.findings, lambda key: name))
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                problem, _, remedy = str(error).partition("; ")
                remedy = remedy or "see the arguments of update"
                findings.add("E-ARGUMENT", problem, remedy, where=name)
        return self.predictions.item(key)

    def result(self, loaded: AnyLoaded) -> Result:
        """Return the result. Raises Refused."""
        try:
            return loaded.score(self.predictions.read(loaded))
        except Refused as refused:
            raise Refused(self._placed(refused.findings, self.names.__getitem__)) from None

    def _placed(self, findings: Findings, name: Callable[[Key], str]) -> Findings:
        """Return findings with arguments of calls in place of files and the places in them."""
        placed = Findings()
        for problem in findings.problems:
            if problem.code == ITEMS_NONE:
                # No single call is at fault; the message names the first item.
                placed.repeat(problem, file="", where="")
                continue
            changes = {}
            with contextlib.suppress(KeyError, ValueError):
                key, argument = self.predictions.place(problem.file, problem.where)
                changes = {"file": "", "where": f"{name(key)}.{argument}"}
            placed.repeat(problem, **changes)
        n_more = findings.total - len(findings.problems)
        if n_more:
            placed.count_unread(n_more, "")
        return placed


def _writer_of(task: AnyTask) -> Callable[[AnyLoaded], Predictions] | None:
    """Return what makes the predictions in memory of a task; None if its challenge has no writer here."""
    challenge = task.folder.name
    if not discover(_PACKAGE, f"{challenge}/writer.py"):
        return None
    writers = importlib.import_module(f"{_PACKAGE}.{challenge}.writer").WRITERS
    return writers.get(task.id)  # type: ignore[no-any-return]


def _score(loaded: AnyLoaded, result: Result) -> Score:
    plain = plain_result(result, loaded.signature)
    return Score(
        scores=result.scores,
        interval=result.interval,
        error_costs=result.error_costs,
        items=result.item_rows(),
        notes=result.notes,
        signature=loaded.signature,
        tables=plain["tables"],
        _plain=plain,
    )


def forget_references() -> None:
    """Drop the references that calls keep in memory; the next call reads its own again."""
    _loaded.clear()


def load(task: str, reference: str | Path | None, cache: str | Path | None, settings: Settings) -> AnyLoaded:
    """Return a task with its reference; the one that was used last is not read again. Raises as `score`."""
    _check_task(task)
    declared, source = load_task(task), Path(reference or demo_reference(task))
    require_path(source)
    try:
        _check_exists(source)
        values = declared.settings(source, settings)
        key = _key(task, source, values)
        last_key, last = _loaded.get(task, ("", None))
        if last and last_key == key:
            return last
        loaded = declared.load(prepared_folder(declared, source, cache), values)
        loaded.check()
    except Refused as refused:
        raise ReferenceProblemsError(refused.findings) from None
    _loaded[task] = key, loaded
    return loaded


def load_items(
    task: str,
    reference: str | Path | None,
    cache: str | Path | None,
    items: Iterable[str] | None,
    settings: Settings,
) -> AnyLoaded:
    """Return a task with its reference, or with some items of it. Raises as `score`."""
    loaded = load(task, reference, cache, settings)
    if items is None:
        return loaded
    names = list(items)
    if not names:
        raise ValueError("name at least one item")
    check_known(names, loaded.items, loaded.task.item)
    return loaded.select_items(frozenset(names))


def require_path(path: Path) -> None:
    """Raise FileNotFoundError unless there is a file or folder."""
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file or folder", str(path))


def _check_task(task: str) -> None:
    if task not in task_ids():
        raise ValueError(f"there is no task {task!r}; this kit has {', '.join(task_ids())}")


def _check_exists(source: Path) -> None:
    if not source.is_dir():
        problem, remedy = "there is no such reference folder", "check the path"
        Findings().refuse("E-REF-MISSING", problem, remedy, file=str(source))


def prepared_folder(task: AnyTask, source: Path, cache: str | Path | None = None) -> Path:
    """Return a folder that loads fast: ``source``, or the prepared copy of it in the cache, made if needed.

    Prints on stderr where it is and how large. Raises Refused if the reference cannot be prepared.
    """
    _check_exists(source)
    settings = task.settings(source)
    if not task.prepared_file or (source / task.prepared_file).is_file():
        return source
    target = Path(cache or _cache_folder()) / _key(task.id, source, settings)
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(dir=target.parent, prefix=".prepare-")
    except OSError as error:
        problem = f"the prepared reference cannot be written there ({error.strerror})"
        Findings().refuse("E-OUTPUT", problem, "name another folder with --cache", file=str(target.parent))
    with temporary as folder:
        work = Path(folder, "prepared")
        work.mkdir()
        task.prepare(source, work, settings, {})
        size = sum(path.stat().st_size for path in work.iterdir())
        try:
            work.replace(target)
        except OSError:
            # Another process, as of a training on several devices, may have been faster.
            if not target.is_dir():
                raise
    console.say(f"the reference was prepared once, in {target} ({size_text(size)})", to=sys.stderr)
    return target


def _key(task: str, source: Path, settings: Settings) -> str:
    """Return a name that changes with the files (names, sizes, times), the settings and the version."""
    files = []
    for path in sorted(source.rglob("*")):
        if path.is_file():
            status = path.stat()
            files.append((path.relative_to(source).as_posix(), status.st_size, status.st_mtime_ns))
    text = json.dumps([VERSION, str(source.resolve()), files, sorted(settings.items())])
    return f"{task}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _cache_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "people-in-video-scoring"
