"""References at home: each is prepared once, and the last one of each task stays in memory."""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from people_in_video.demo_data import demo_reference
from people_in_video.errors import ReferenceProblemsError
from people_in_video.home_loaded import MOST_DRAWINGS, HomeLoaded, at_home
from people_in_video.item_list import check_known
from people_in_video.packages import require_packages
from people_in_video.public_data import holds_public_data
from people_in_video.references.preparation import check_reference, write_prepared
from people_in_video.tools.conversion import ConversionOptions
from people_in_video.writing import size_text
from scoring_program.run import load_folder
from scoring_program.scoring import load_reference
from scoring_program.settings import Settings, SettingValue
from scoring_program.signature import VERSION
from scoring_program.task import Task, load_task, task_ids
from validator import console
from validator.findings import Findings, Note, Refused
from validator.texts import some_words

# At home nothing of a reference is hidden.
_HOME_SETTINGS: Settings = {"detail": "full"}

# What `score` and `Evaluator` take beside settings.
_PARAMETERS = ("reference", "cache", "items", "drawings", *ConversionOptions._fields)

_HASH_BLOCK = 1 << 22
# The reference of each task that was used last, and its key.
_loaded: dict[str, tuple[str, HomeLoaded]] = {}


def load(task: str, reference: str | Path | None, cache: str | Path | None, settings: Settings) -> HomeLoaded:
    """Return a task with its reference; the one that was used last is not read again. Raises as `score`."""
    check_task(task)
    folder_settings = {**_HOME_SETTINGS, **settings}
    n_drawings = folder_settings.pop("drawings", 0)
    if n_drawings not in range(MOST_DRAWINGS + 1):
        raise ValueError(f"drawings is {n_drawings!r}; it must be a whole number from 0 to {MOST_DRAWINGS}")
    folder = Path(reference) if reference else demo_reference(task)
    loaded = _load_folder(task, folder, cache, folder_settings)
    return replace(loaded, is_demo=not reference, n_drawings=n_drawings)


def load_for_run(
    task: str,
    reference: Path | None,
    cache: Path | None,
    settings: Settings,
    conversion_notes: Sequence[Note] = (),
) -> HomeLoaded:
    """Return a task with a reference, by default that of the demo, within its limits. Raises Refused."""
    source = reference or demo_reference(task)
    with _telling_public_data(task, source):
        folder = prepared_folder(load_task(task), source, cache)
        loaded = load_folder(task, folder, {**_HOME_SETTINGS, **settings}, is_limited=True)
    return replace(at_home(loaded), is_demo=not reference, conversion_notes=conversion_notes)


def _load_folder(task: str, source: Path, cache: str | Path | None, settings: Settings) -> HomeLoaded:
    """Return a task with the reference in a folder; see `load`."""
    declaration = load_task(task)
    require_packages(declaration.needs, task)
    require_path(source)
    try:
        _check_exists(source)
        _check_setting_names(declaration, settings)
        values = declaration.settings(source, settings)
        key = _key(task, source, values)
        last_key, last = _loaded.get(task, ("", None))
        if last and last_key == key:
            return last
        with _telling_public_data(task, source):
            folder = prepared_folder(declaration, source, cache, item_groups=values["item_groups"])
            loaded = at_home(load_reference(declaration, folder, values))
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
) -> HomeLoaded:
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


def check_task(task: str) -> None:
    """Raise ValueError unless there is a task of this id."""
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


@contextmanager
def _telling_public_data(task: str, folder: Path) -> Iterator[None]:
    """Say of public data in place of a reference that it is; that is why each file is missing."""
    try:
        yield
    except Refused as refused:
        problems = refused.findings.problems
        if holds_public_data(task, folder) and {problem.code for problem in problems} == {"E-REF-NONE"}:
            missing_files = some_words([problem.file for problem in problems])
            problem = f"this is public data, without {missing_files}"
            remedy = "name the folder that your annotations are in; check takes public data with --public"
            Findings().refuse("E-REF-NONE", problem, remedy, file=str(folder))
        raise


def prepared_folder(
    task: Task, source: Path, cache: str | Path | None = None, item_groups: SettingValue = ""
) -> Path:
    """Return a folder that loads fast: ``source``, or the prepared copy of it in the cache, made if needed.

    ``item_groups`` names the file of groups that the copy needs, if the settings of the folder do not. Prints
    on stderr where it is and how large. Raises Refused if the reference cannot be prepared, or there is no
    room for it.
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
