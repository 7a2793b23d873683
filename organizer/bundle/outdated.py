"""Whether a built bundle still says what competition.yaml and the files beside it say today.

A bundle holds the hashes of what it was built from. That of competition.yaml is of the data that was cut out
of it, before what depends on the reference: the mark of the title, samples and public data.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
from collections.abc import Callable
from pathlib import Path

import yaml

from organizer.bundle import COMPETITION
from organizer.bundle.competition import Competition, named_files
from organizer.bundle.cut import one_task
from organizer.bundle.parts import Parts
from organizer.bundle.pictures import with_pictures
from organizer.bundle.source import load_competition
from organizer.files import MALFORMED, Files
from scoring_program.task import load_task, task_ids
from validator.findings import Refused

SOURCES = "sources.json"
"""The file of a bundle with the hashes of its sources."""
ALL_TASKS = "competition.zip"
"""The name of the bundle of all tasks."""
_SHOWN_FILES = ("image", "terms", "file")


def changed_sources(bundle: Path, files: Files, source: Path) -> list[str]:
    """Return what has changed since a bundle was built: competition.yaml, and the pages and the logo.

    Parameters
    ----------
    bundle : Path
        Its place in ``dist/``, whose name says which tasks it has.
    files : mapping of str to bytes
        What the bundle holds.
    source : Path
        The folder of competition.yaml. If that file is not there, nothing can be compared.
    """
    if not (source / COMPETITION).is_file():
        return []
    data = _data_of_bundle(bundle.name, source)
    if data is None or SOURCES not in files:
        return [COMPETITION]
    try:
        built = dict(json.loads(files[SOURCES]))
    except MALFORMED:
        return [COMPETITION]
    today = source_hashes(data, Parts(source=source).supplied_files)
    return [name for name in today if built.get(name) != today[name]]


def source_hashes(data: Competition, read_file: Callable[[str], Files]) -> dict[str, str | None]:
    """Return the hashes of the competition.yaml of a bundle, as it is cut out, and of its pages and logo.

    ``read_file`` returns a file beside competition.yaml by its path; of one that is not there it returns
    nothing, and the hash is None.
    """
    text = yaml.safe_dump(data, allow_unicode=True)
    hashes: dict[str, str | None] = {COMPETITION: hashlib.sha256(text.encode()).hexdigest()}
    for _, path, key in named_files(data):
        if key in _SHOWN_FILES:
            content = shown_files(path, key, read_file).get(posixpath.normpath(path))
            digest = None if content is None else hashlib.sha256(content).hexdigest()
            hashes[posixpath.normpath(path)] = digest
    return hashes


def shown_files(path: str, key: str, read_file: Callable[[str], Files]) -> Files:
    """Return a file that competition.yaml names, a page with its pictures, as a bundle holds it."""
    files = read_file(path)
    if key != "file":
        return files
    return {name: with_pictures(name, content, read_file) for name, content in files.items()}


def _data_of_bundle(name: str, source: Path) -> Competition | None:
    """Return the competition.yaml that is cut out for a bundle today, None if it would not be built."""
    try:
        competition = load_competition(source)
    except Refused:
        return None
    if name == ALL_TASKS:
        return competition
    task_id = name.removesuffix(".zip")
    return one_task(competition, load_task(task_id)) if task_id in task_ids() else None
