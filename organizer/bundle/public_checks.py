"""Checking the public data of phases: it holds nothing of a reference but what participants may have."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from organizer.bundle import competition
from organizer.bundle.competition import Competition, Entry, LintReport, form_of
from organizer.bundle.cut import PUBLIC, reference_name, task_id_of
from organizer.bundle.zip_members import is_zip
from organizer.files import Files, files_below, unpack, zip_files
from organizer.public_data import Leak, find_leaks, find_leaks_beside
from scoring_program.scoring import AnyLoaded, load_reference
from scoring_program.task import load_task
from validator.findings import Refused
from validator.texts import counted, some_words

_SHOWN_NAMES = 3


class _Reference(NamedTuple):
    """A reference that a task of the competition names: X of ``X_reference.zip``, and the id of the task."""

    name: str
    task_id: str
    archive: bytes


def check_public_data(data: Competition, files: Files, report: LintReport) -> None:
    """Report public data that shows more than it may, or that is shown before its phase.

    ``files`` holds every file that a competition.yaml without errors names, folders as zips. Public data that
    an organizer made in another form is not looked into.
    """
    references = {reference.name: reference for reference in _references(data, files)}
    seen_names: set[str] = set()
    for where, phase in competition.sorted_phases(data):
        path = str(phase.get("public_data") or "")
        if path in files and is_zip(files[path]):
            public = _public_of_references(path, files[path], references)
            for name, public_files in public.items():
                _check_files(path, public_files, references[name], references, report)
            new_names = sorted(public.keys() - seen_names)
            if seen_names and new_names:
                _report_early(where, path, new_names, report)
        seen_names |= _names_of_phase(data, phase)


def _references(data: Competition, files: Files) -> Iterator[_Reference]:
    """Yield the references of our tasks."""
    for _, entry in competition.task_entries(data):
        name, task_id = reference_name(entry), task_id_of(entry)
        if name and task_id:
            yield _Reference(name, task_id, files[entry["reference_data"]])


def _names_of_phase(data: Competition, phase: Entry) -> set[str]:
    """Return the names of the references of a phase."""
    entries = [phase]
    if form_of(data) == "v2":
        entries = [
            entry for _, entry in competition.entries_of(data, "tasks") if entry["index"] in phase["tasks"]
        ]
    return set(filter(None, map(reference_name, entries)))


def _public_of_references(
    path: str, archive: bytes, references: dict[str, _Reference]
) -> dict[str, dict[str, bytes]]:
    """Return the public files of each reference in a zip: the whole ``X_public.zip``, or its folder X."""
    files = zip_files(archive)
    whole = posixpath.basename(path).removesuffix(PUBLIC)
    if whole in references:
        return {whole: files}
    folders = {name: files_below(name, files) for name in references}
    return {name: inside for name, inside in folders.items() if inside}


def _check_files(
    path: str, public: Files, reference: _Reference, references: dict[str, _Reference], report: LintReport
) -> None:
    """Report what the public data of one reference shows of it and of the others."""
    content = tuple(sorted(public.items()))
    for other in references.values():
        for leak in _leaks_of(content, reference.name, reference.task_id, other):
            place = f"{reference.name}/{leak.file}"
            report.add("public data shows more", place, path, problem=leak.problem)


@lru_cache
def _leaks_of(
    content: tuple[tuple[str, bytes], ...], name: str, task_id: str, reference: _Reference
) -> list[Leak]:
    """Return what the public data of the reference of a name shows of it, or of another one."""
    with tempfile.TemporaryDirectory() as work:
        try:
            loaded = load_zipped(reference.task_id, reference.archive, Path(work))
            if reference.name == name:
                return find_leaks(dict(content), loaded)
            return find_leaks_beside(dict(content), task_id, loaded)
        except Refused:
            # A reference that is not right is reported by its own checks.
            return []


def load_zipped(task_id: str, archive: bytes, folder: Path, protocol: str = "") -> AnyLoaded:
    """Unpack the zip of a reference into a folder and read it, by a protocol if one is named.

    Raises Refused.
    """
    unpack(archive, folder)
    task = load_task(task_id)
    return load_reference(task, folder, task.settings(folder, {"protocol": protocol} if protocol else {}))


def _report_early(where: str, path: str, names: Sequence[str], report: LintReport) -> None:
    """Warn of public data of references that no earlier phase has."""
    report.add(
        "public data before its phase",
        f"{where}/public_data",
        name=path,
        references=counted(len(names), "reference"),
        names=some_words(names, most=_SHOWN_NAMES),
    )
