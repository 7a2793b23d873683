"""Scoring at home from Python: `score`, and references that are read once and prepared into a cache."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit_path import DEMO_REFERENCE

# isort: split
from scoring_program.result import ErrorCost, Interval
from scoring_program.settings import Settings, SettingValue
from scoring_program.signature import VERSION
from scoring_program.task import AnyLoaded, AnyTask, load_task, task_ids
from validator import console
from validator.findings import Findings, Note, Problem, Refused


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
    """

    scores: Mapping[str, float]
    interval: Interval | None
    error_costs: Sequence[ErrorCost]
    items: Sequence[dict[str, Any]]
    notes: Sequence[Note]
    signature: str


# The reference of each task that was used last, and its key.
_loaded: dict[str, tuple[str, AnyLoaded]] = {}


def score(
    task: str,
    submission: str | Path,
    reference: str | Path | None = None,
    cache: str | Path | None = None,
    **settings: SettingValue,
) -> Score:
    """Check and score a submission; a second call with the same reference does not read it again.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path
        A zip file, or a folder with its files.
    reference : path, optional
        A folder with ground truth in the organizers' file formats; by default the demo reference of the kit.
    cache : path, optional
        Where references that need preparing are kept; by default the user's cache folder.
    **settings
        Replace those of the reference folder, as ``protocol="released"``.

    Raises
    ------
    SubmissionError
        The submission is not valid; ``problems`` lists why.
    ReferenceProblemsError
        The reference or a setting is not valid; ``problems`` lists why.
    ValueError
        There is no such task.
    """
    loaded = load(task, reference, cache, settings)
    try:
        result = loaded.score_path(Path(submission))
    except Refused as refused:
        raise SubmissionError(refused.findings) from None
    costs, items = result.error_costs, result.item_rows()
    return Score(result.scores, result.interval, costs, items, result.notes, loaded.signature)


def load(task: str, reference: str | Path | None, cache: str | Path | None, settings: Settings) -> AnyLoaded:
    """Return a task with its reference; the one that was used last is not read again. Raises as `score`."""
    if task not in task_ids():
        raise ValueError(f"there is no task {task!r}; this kit has {', '.join(task_ids())}")
    try:
        return _load(load_task(task), Path(reference or DEMO_REFERENCE / task), cache, settings)
    except Refused as refused:
        raise ReferenceProblemsError(refused.findings) from None


def _load(task: AnyTask, source: Path, cache: str | Path | None, overrides: Settings) -> AnyLoaded:
    _check_exists(source)
    values = task.settings(source, overrides)
    key = _key(task.id, source, values)
    known_key, known = _loaded.get(task.id, ("", None))
    if known and known_key == key:
        return known
    loaded = task.load(prepared_folder(task, source, cache), values)
    loaded.check()
    _loaded[task.id] = key, loaded
    return loaded


def _check_exists(source: Path) -> None:
    with Findings.collect() as findings:
        if not source.is_dir():
            problem, remedy = "there is no such reference folder", "check the path"
            findings.add("E-REF-MISSING", problem, remedy, file=str(source))


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
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".prepare-") as folder:
        work = Path(folder, "prepared")
        work.mkdir()
        task.prepare(source, work, settings, {})
        size = sum(path.stat().st_size for path in work.iterdir())
        work.replace(target)
    amount = f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
    console.say(f"the reference was prepared once, in {target} ({amount})", to=sys.stderr)
    return target


def _key(task: str, source: Path, settings: Settings) -> str:
    """Return a name that changes with the files (names, sizes, times), the settings and the version."""
    paths = [(path, path.stat()) for path in sorted(source.rglob("*")) if path.is_file()]
    files = [(path.relative_to(source).as_posix(), at.st_size, at.st_mtime_ns) for path, at in paths]
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
