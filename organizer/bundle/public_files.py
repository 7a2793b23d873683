"""The data of this repository that everybody may have: what tasks name in it, and nothing else.

Starting kits and samples are public, so a file that merely lies in one of their folders is not packed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from organizer import ROOT
from organizer.data.prepare import SYNTHETIC_MARK, reference_files
from organizer.files import folder_files, folder_paths, samples_folder
from people_in_video.references.preparation import carried_files, source_files
from scoring_program.task import load_task
from validator.findings import Findings
from validator.formats.rules import load_rules

SAMPLES = ("good", "weak")
"""The folders of the sample submissions of each task."""
_BACKUPS = ("*~", "*.bak", "*.orig", "*.swp")


def demo_folder(task_id: str) -> Path:
    """Return the folder of the synthetic demo reference of a task."""
    return ROOT / "reference_data" / task_id


def demo_source_files(task_id: str) -> dict[str, bytes]:
    """Return the files of a demo reference in the organizers' own formats."""
    names = _demo_names(task_id)
    return {name: data for name, data in folder_files(demo_folder(task_id)).items() if name in names}


def demo_reference(task_id: str) -> dict[str, bytes]:
    """Return the files of a demo reference as the platform reads them."""
    other_names = folder_paths(demo_folder(task_id)).keys() - _demo_names(task_id)
    files = reference_files(task_id, demo_folder(task_id))
    return {name: data for name, data in files.items() if name not in other_names}


def sample_files(task_id: str, sample: str) -> dict[str, bytes]:
    """Return the files of a sample submission."""
    files = folder_files(samples_folder(task_id) / sample)
    return {name: data for name, data in files.items() if _is_submitted(task_id, name)}


def other_files(task_ids: Iterable[str]) -> list[str]:
    """Return the paths of the files beside those of tasks that are not packed."""
    paths: list[Path] = []
    for task_id in task_ids:
        demo_names, samples = _demo_names(task_id), samples_folder(task_id)
        for name, path in folder_paths(demo_folder(task_id)).items():
            if name not in demo_names:
                paths.append(path)
        for name, path in folder_paths(samples).items():
            sample, _, inner = name.partition("/")
            if sample not in SAMPLES or not _is_submitted(task_id, inner):
                paths.append(path)
    return [path.relative_to(ROOT).as_posix() for path in paths]


def refuse_ignored_files(task_ids: Iterable[str]) -> None:
    """Raise Refused if git ignores a file that public zips would hold. Without a checkout none is known."""
    paths: list[Path] = []
    for task_id in task_ids:
        folders = [demo_folder(task_id), *(samples_folder(task_id) / sample for sample in SAMPLES)]
        for folder in folders:
            paths += folder_paths(folder).values()
    names = {path.relative_to(ROOT).as_posix() for path in paths}
    findings = Findings()
    for name in _ignored_names(sorted(names - set(other_files(task_ids)))):
        remedy = "take it out of the folder, or let git track it"
        findings.add("L-LEAK", "git ignores this file, which everybody would get", remedy, file=name)
    findings.refuse_problems()


def refuse_backups(names: Iterable[str]) -> None:
    """Raise Refused if some of the files of a folder that is packed are copies that an editor left."""
    findings = Findings()
    for name in names:
        if any(fnmatchcase(name, pattern) for pattern in _BACKUPS):
            findings.add("L-LEAK", "this is a copy that an editor left", "delete it", file=name)
    findings.refuse_problems()


def _demo_names(task_id: str) -> set[str]:
    """Return the names of the files of a demo reference that a task reads or keeps."""
    task, folder = load_task(task_id), demo_folder(task_id)
    settings = task.settings(folder)
    return {*source_files(task, folder, settings), *carried_files(folder, settings), SYNTHETIC_MARK}


def _is_submitted(task_id: str, name: str) -> bool:
    """Return whether submissions to a task hold a file of this name."""
    return any(fnmatchcase(name, pattern) for pattern in load_rules(task_id).name_patterns)


def _ignored_names(names: Sequence[str]) -> list[str]:
    """Return the names, below the root of the repository, that git ignores; none without git."""
    command = ["git", "-C", str(ROOT), "check-ignore", "-z", "--stdin"]
    try:
        process = subprocess.run(command, input="\0".join(names).encode(), capture_output=True, check=False)
    except OSError:
        return []
    return [name.decode() for name in process.stdout.split(b"\0") if name] if process.returncode == 0 else []
