"""Whether a built bundle still says what competition.yaml and the files beside it say today.

Contents are compared, because a bundle does not say when it was built: the same files always give the same
bytes.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

import yaml

from organizer.bundle import COMPETITION, DEMO_TITLE
from organizer.bundle.competition import (
    Competition,
    Entry,
    LintReport,
    entries_of,
    form_of,
    named_files,
    read_competition,
)
from organizer.bundle.cut import classic, one_task
from organizer.bundle.own_tasks import complete_competition
from organizer.bundle.parts import Parts
from organizer.bundle.pictures import with_pictures
from organizer.bundle.rules import check_competition
from organizer.files import Files
from scoring_program.task import load_task, task_ids
from validator.strict_yaml import load_plain

_ALL_TASKS = "competition.zip"
_CLASSIC_FOLDER = "v1.5"
_SHOWN_FILES = ("image", "terms", "file")


def changed_sources(bundle: Path, files: Files, source: Path) -> list[str]:
    """Return what has changed since a bundle was built: competition.yaml, and the pages and the logo.

    Parameters
    ----------
    bundle : Path
        Its place in ``dist/``, which says which tasks it has, and its form.
    files : mapping of str to bytes
        What the bundle holds.
    source : Path
        The folder of competition.yaml. If that file is not there, nothing can be compared.
    """
    if not (source / COMPETITION).is_file():
        return []
    expected = _expected_data(bundle, source)
    if expected is None:
        return [COMPETITION]
    changed = [COMPETITION] if _differs(files, expected) else []
    return changed + _changed_files(expected, files, source)


def has_changed_settings(bundle: Path, files: Files, source: Path) -> bool:
    """Return whether competition.yaml has changed since a bundle was built; its pages do not count."""
    if not (source / COMPETITION).is_file():
        return False
    expected = _expected_data(bundle, source)
    return expected is None or _differs(files, expected)


def _differs(files: Files, expected: Entry) -> bool:
    """Return whether the competition.yaml in a bundle differs from the one that it would get today."""
    built = load_plain(files[COMPETITION].decode("utf-8"))
    return _comparable(built) != _comparable(expected)


def _expected_data(bundle: Path, source: Path) -> Entry | None:
    """Return the competition.yaml that a bundle would get today, None if it would not be built."""
    competition = _read_if_valid(source / COMPETITION)
    return _data_of_bundle(bundle, competition) if competition is not None else None


def _read_if_valid(path: Path) -> Competition | None:
    """Return competition.yaml, None if no bundle can be built from it."""
    report = LintReport()
    data = read_competition(path.read_bytes(), report)
    if data is None or form_of(data) != "v2":
        return None
    check_competition(data, report)
    if not report.errors.ok:
        return None
    return complete_competition(path.read_text(encoding="utf-8"), data)


def _data_of_bundle(bundle: Path, competition: Competition) -> Entry | None:
    """Return the competition.yaml of a bundle, None if its task is not offered."""
    if bundle.name == _ALL_TASKS:
        return competition
    if bundle.stem not in task_ids():
        return None
    data = one_task(competition, load_task(bundle.stem))
    if data is not None and bundle.parent.name == _CLASSIC_FOLDER:
        return classic(data)[0]
    return data


def _comparable(data: Entry) -> dict[str, Any]:
    """Return a competition as a bundle stores it, without what depends on the reference.

    The reference decides whether the title is marked, and which samples and public data there are.
    """
    stored: dict[str, Any] = load_plain(yaml.safe_dump({**data}, allow_unicode=True))
    stored["title"] = str(stored.get("title", "")).removeprefix(DEMO_TITLE)
    stored.pop("solutions", None)
    for _, phase in entries_of(stored, "phases"):
        phase.pop("public_data", None)  # type: ignore[attr-defined]
    return stored


def _changed_files(expected: Entry, files: Files, source: Path) -> list[str]:
    """Return the pages, the terms and the logo that differ from those in a bundle."""
    parts = Parts(source=source)
    changed = []
    for _, path, key in named_files(expected):
        if key not in _SHOWN_FILES:
            continue
        name = posixpath.normpath(path)
        content = parts.supplied_files(path).get(name)
        if content is not None and key == "file":
            content = with_pictures(name, content, parts.supplied_files)
        if content != files.get(name):
            changed.append(name)
    return list(dict.fromkeys(changed))
