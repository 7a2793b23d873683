"""Scoring at home from Python: `score`, `Evaluator`, and references that are read and prepared once."""

from __future__ import annotations

import difflib
import errno
import hashlib
import importlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from people_in_video.demo_data import demo_reference
from people_in_video.demo_refusals import DemoLoaded
from people_in_video.gathering import REPEATS, Arguments, Gathered, GatheredState, named_calls
from people_in_video.home_loaded import AnyHomeLoaded, HomeLoaded, of_kind
from people_in_video.item_list import check_known
from people_in_video.plain_values import half_precision_text
from people_in_video.public_data import PublicData, check_with_public_data, load_public_data
from people_in_video.references.preparation import check_reference, write_prepared
from people_in_video.result import Score, make_score
from people_in_video.tools.conversion import (
    LAST_NUMBER,
    UNITS,
    ConversionOptions,
    convert_file,
    is_table,
    read_tool_file,
)
from people_in_video.writing import size_text
from scoring_program.scoring import load_reference
from scoring_program.settings import Settings, SettingValue
from scoring_program.signature import VERSION
from scoring_program.task import Task, load_task, task_ids
from validator import console
from validator.checking import check_submission
from validator.findings import Findings, Note, Problem, Refused


class ProblemsError(ValueError):
    """A submission, a setting or a reference is not valid; the message lists ``problems``."""

    def __init__(self, findings: Findings) -> None:
        self.problems: list[Problem] = list(findings.problems)
        super().__init__("\n".join(findings.lines()))


class SubmissionError(ProblemsError):
    """The submission is not valid."""


class ReferenceProblemsError(ProblemsError):
    """The reference, the public data, or a setting, is not valid."""


# Everything but drawings, which only a page shows.
_HOME = {"detail": "full", "drawings": 0}

# What `score` and `Evaluator` take beside settings.
_PARAMETERS = ("reference", "cache", "items")

_HASH_BLOCK = 1 << 22
# The reference of each task that was used last, and its key.
_loaded: dict[str, tuple[str, AnyHomeLoaded]] = {}


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
    submission : path, data frame, mapping, or iterable of tuple or dict
        A zip file, or a folder with its files; a file or a table of another tool that `convert` takes; or
        predictions in memory: each the arguments of one call of `Evaluator.update`, or a mapping of items to
        the other arguments of their calls.
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
        return _score_in_memory(loaded, submission)
    except Refused as refused:
        raise SubmissionError(loaded.explain(refused.findings)) from None


def check(task: str, submission: str | Path, public: str | Path | None = None) -> list[Note]:
    """Check that a submission is well-formed, and return notes on it.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path
        A zip file, or a folder with its files.
    public : path, optional
        The public data of the task, a zip file or a folder: ids, frames, sizes and names are compared with
        it. Without it they are not checked.

    Raises
    ------
    SubmissionError
        The submission is not valid; ``problems`` lists why.
    ReferenceProblemsError
        The public data cannot be read, or is that of another task.
    FileNotFoundError
        There is no such submission, or no such public data.
    ValueError
        There is no such task.
    """
    _check_task(task)
    require_path(Path(submission))
    if public is None:
        findings = check_submission(task, Path(submission))
    else:
        findings = check_with_public_data(load_public(task, public), Path(submission))
    if not findings.ok:
        raise SubmissionError(findings)
    return findings.notes


def load_public(task: str, public: str | Path) -> PublicData:
    """Return the public data of a task. Raises ReferenceProblemsError, FileNotFoundError."""
    require_path(Path(public))
    try:
        return load_public_data(task, Path(public))
    except Refused as refused:
        raise ReferenceProblemsError(refused.findings) from None


def _score_file(loaded: AnyHomeLoaded, source: Any) -> Score:
    """Return the score of a submission, or of what another tool wrote. Raises Refused."""
    source = Path(source) if isinstance(source, str) else source
    if isinstance(source, Path):
        require_path(source)
    with read_tool_file(loaded.task.id, source) as submission:
        result = loaded.score_path(submission.path)
    return make_score(loaded, replace(result, notes=[*submission.notes, *result.notes]))


def _score_in_memory(loaded: AnyHomeLoaded, submission: Any) -> Score:
    """Return the score of predictions in memory. Raises Refused."""
    gathered = Gathered(loaded)
    with Findings.collect() as findings:
        for call in named_calls(gathered.predictions, submission, findings):
            with findings.part():
                gathered.update(*call)
    return make_score(loaded, gathered.result())


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
        The public data of the task, a folder or a zip file, which has the frame rates that seconds need.
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

    An evaluator can be pickled, and merged with those of other processes: neither the order of calls nor that
    of processes changes a number.

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
        self._known_items = frozenset(whole.public.items)
        self._gathered = Gathered(self._loaded)

    def update(self, *arguments: object, **named: object) -> None:
        """Add predictions for an item; it takes what ``update`` of the task's writer takes.

        Arguments are lists, arrays, tensors on any device and with gradients, or columns of data frames. What
        an earlier call gave with equal content is dropped.

        Warns of an item that is not in the reference, which is ignored as in a zip, and of numbers of half
        precision.

        Raises SubmissionError, and keeps nothing of the call, if an argument is not valid, or an earlier call
        predicted the same thing otherwise.
        """
        half_types = set(self._gathered.half_types)
        name = self._gathered.name_call((*arguments, *named.values()))
        try:
            item = self._gathered.update(name, arguments, named)
        except Refused as refused:
            raise SubmissionError(refused.findings) from None
        if item not in self._known_items:
            noun = self._loaded.task.item
            warnings.warn(
                f"N-ITEMS-UNKNOWN {name}: the {noun} {item!r} is not in the reference", stacklevel=2
            )
        if self._gathered.half_types - half_types:
            text = half_precision_text(self._gathered.half_types)
            warnings.warn(f"N-HALF {name}: {text}", stacklevel=2)

    def compute(self) -> Score:
        """Return the score of all predictions, that of a zip with them. Raises SubmissionError."""
        try:
            return make_score(self._loaded, self._gathered.result())
        except Refused as refused:
            raise SubmissionError(self._loaded.explain(refused.findings)) from None

    def reset(self) -> None:
        """Forget all predictions."""
        self._gathered = Gathered(self._loaded)

    def merge(self, *others: Evaluator, repeats: str = "first") -> None:
        """Add the predictions of other evaluators.

        Parameters
        ----------
        *others : Evaluator
        repeats : str
            What happens to predictions that two evaluators made for the same thing (a sequence, an image, a
            frame or a segment) and that differ; equal ones are always kept once. ``first``: those of the
            first evaluator stay, and a note of the score counts them. ``error``: ValueError is raised.
            ``join``: both are kept, as from two calls of `update`.

        Raises
        ------
        ValueError
            An evaluator has another signature, or predictions contradict; nothing is added then.
        """
        self._merge([(other._loaded.signature, other._gathered.state()) for other in others], repeats)

    def sync(self, group: Any = None, repeats: str = "first") -> Evaluator:
        """Add the predictions of all processes of torch.distributed, in the order of their ranks.

        Afterwards each process has the predictions of all; a second call changes nothing. Where
        torch.distributed is not initialized there is one process, and nothing happens.

        Parameters
        ----------
        group : torch.distributed.ProcessGroup, optional
        repeats : str
            As for `merge`.

        Returns
        -------
        Evaluator
            This one.

        Raises
        ------
        ValueError
            As `merge`, in every process.
        ImportError
            torch is not installed.
        """
        distributed = importlib.import_module("torch.distributed")
        if not (distributed.is_available() and distributed.is_initialized()):
            return self
        states: list[Any] = [None] * distributed.get_world_size(group)
        state = self._loaded.signature, self._gathered.state()
        distributed.all_gather_object(states, state, group=group)
        gathered = self._gathered
        self._gathered = Gathered(self._loaded)
        try:
            self._merge(states, repeats)
        except ValueError:
            self._gathered = gathered
            raise
        return self

    def _merge(self, states: Sequence[tuple[str, GatheredState]], repeats: str) -> None:
        if repeats not in REPEATS:
            raise ValueError(f"repeats is {repeats!r}; it must be one of {', '.join(REPEATS)}")
        if any(signature != self._loaded.signature for signature, _ in states):
            raise ValueError("evaluators of another task, reference, or settings cannot be merged")
        merged = Gathered(self._loaded, self._gathered.state())
        for _, state in states:
            merged.merge(state, repeats)
        self._gathered = merged

    def __reduce__(self) -> tuple[Any, ...]:
        # The reference is read again, or taken from the cache of the process that unpickles.
        return _evaluator, (type(self), self._arguments, self._gathered.state())


def _evaluator(
    evaluator_class: type[Evaluator], arguments: tuple[Any, ...], state: GatheredState
) -> Evaluator:
    """Return an evaluator that was pickled, made with the arguments that it was made with first."""
    task, reference, cache, items, settings = arguments
    evaluator = evaluator_class(task, reference, cache, items, **settings)
    evaluator._gathered = Gathered(evaluator._loaded, state)
    return evaluator


def forget_references() -> None:
    """Drop the references that calls keep in memory; the next call reads its own again."""
    _loaded.clear()


def load(
    task: str, reference: str | Path | None, cache: str | Path | None, settings: Settings
) -> AnyHomeLoaded:
    """Return a task with its reference; the one that was used last is not read again. Raises as `score`."""
    _check_task(task)
    if not reference:
        return of_kind(DemoLoaded, _load_folder(task, demo_reference(task), cache, settings))
    return _load_folder(task, Path(reference), cache, settings)


def _load_folder(task: str, source: Path, cache: str | Path | None, settings: Settings) -> AnyHomeLoaded:
    """Return a task with the reference in a folder; see `load`."""
    declared = load_task(task)
    require_path(source)
    try:
        _check_exists(source)
        _check_setting_names(declared, settings)
        values = declared.settings(source, settings)
        key = _key(task, source, values)
        last_key, last = _loaded.get(task, ("", None))
        if last and last_key == key:
            return last
        folder = prepared_folder(declared, source, cache, item_groups=values["item_groups"])
        loaded: AnyHomeLoaded = of_kind(HomeLoaded, load_reference(declared, folder, values))
        check_reference(loaded)
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
) -> AnyHomeLoaded:
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


def _check_setting_names(task: Task, settings: Settings) -> None:
    """Raise Refused, naming the nearest parameter or setting, if one is neither."""
    setting_names = [setting.name for setting in task.known_settings]
    names = [*_PARAMETERS, *setting_names]
    with Findings.collect() as findings:
        for name in settings:
            if name in setting_names:
                continue
            beginning = [known_name for known_name in names if known_name.startswith(name)]
            nearest = beginning or difflib.get_close_matches(name, names, 1)
            remedy = f"parameters are {', '.join(_PARAMETERS)}; settings are {', '.join(setting_names)}"
            if nearest:
                remedy = f"did you mean {nearest[0]}?"
            problem = "there is no parameter or setting of this name"
            findings.add("E-SETTINGS-KEY", problem, remedy, where=f"/{name}", rule=name)


def _check_exists(source: Path) -> None:
    if not source.is_dir():
        problem, remedy = "there is no such reference folder", "check the path"
        Findings().refuse("E-REF-MISSING", problem, remedy, file=str(source))


def prepared_folder(
    task: Task, source: Path, cache: str | Path | None = None, item_groups: SettingValue = ""
) -> Path:
    """Return a folder that loads fast: ``source``, or the prepared copy of it in the cache, made if needed.

    ``item_groups`` names the file of groups that the copy needs, if the settings of the folder do not.
    Prints on stderr where it is and how large. Raises Refused if the reference cannot be prepared, or there
    is no room for it.
    """
    _check_exists(source)
    settings = task.settings(source, {"item_groups": item_groups} if item_groups else {})
    if not task.prepared_file or (source / task.prepared_file).is_file():
        return source
    target = Path(cache or _cache_folder()) / _key(task.id, source, settings)
    if target.is_dir():
        return target
    try:
        size = _write_prepared(task, source, target, settings)
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        problem = f"the reference cannot be prepared there ({error.strerror}){place}"
        Findings().refuse("E-OUTPUT", problem, "name another folder with --cache", file=str(target.parent))
    console.say(f"the reference was prepared once, in {target} ({size_text(size)})", to=sys.stderr)
    return target


def _write_prepared(task: Task, source: Path, target: Path, settings: Settings) -> int:
    """Write a prepared reference as a whole or not at all; return its size. Raises Refused, OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".prepare-") as folder:
        work = Path(folder, "prepared")
        work.mkdir()
        write_prepared(task, source, work, settings, {})
        size = sum(path.stat().st_size for path in work.iterdir())
        try:
            work.replace(target)
        except OSError:
            # Another process, as of a training on several devices, may have been faster.
            if not target.is_dir():
                raise
    return size


def _key(task: str, source: Path, settings: Settings) -> str:
    """Return a name that changes with the content of the files, the settings and the version."""
    files = []
    for path in sorted(source.rglob("*")):
        if path.is_file():
            status = path.stat()
            times = (status.st_mtime_ns, status.st_ctime_ns)
            digest = _digest(path, status.st_size, times, status.st_ino)
            files.append((path.relative_to(source).as_posix(), digest))
    text = json.dumps([VERSION, str(source.resolve()), files, sorted(settings.items())])
    return f"{task}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


@lru_cache(maxsize=100_000)
def _digest(path: Path, size: int, times: tuple[int, int], inode: int) -> str:
    """Return the SHA-256 of a file, computed again in a process when it was written since.

    Times of a modification do not suffice: tools that unpack set them, and those in a zip may be equal.
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_HASH_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _cache_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "people-in-video-scoring"
