"""Starting kits: what participants download to check, score and compare submissions at home."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from organizer import ROOT
from organizer.bundle.kit_packages import (
    KIT_FOLDER,
    NESTED_PACKAGES,
    PACKAGE,
    DemoReference,
    package_files,
    project_file,
    task_project,
)
from organizer.bundle.kit_texts import fill_text, format_page
from organizer.bundle.nesting import nest_packages
from organizer.files import zip_bytes
from scoring_program.task import Task, load_task

KIT = "starting_kit.zip"
_SCRIPTS = ("compare.py", "evaluate.py")
_TEXTS = ("README.md", "quickstart.ipynb")
_PICTURE = "page.png"
"""The picture of a detail page in the README."""

_FIGURES = "docs/images"
"""The folder of the figures that pages of tasks show."""


def build_kit(task_ids: Sequence[str], demo_reference: DemoReference) -> bytes:
    """Return the starting kit for these tasks as a zip; the parameters are those of `kit_files`."""
    return zip_bytes(kit_files(task_ids, demo_reference))


def kit_files(task_ids: Sequence[str], demo_reference: DemoReference) -> dict[str, bytes]:
    """Return the files of the starting kit for these tasks.

    Parameters
    ----------
    task_ids : sequence of str
        The tasks of a competition. The pages and scripts are for them; the package holds those of all kits.
    demo_reference : callable
        Returns the files of the demo reference of a task. A kit never holds another reference.
    """
    package = package_files(demo_reference)
    files = {**package, **_shared_files(task_ids)}
    for task_id in task_ids:
        task = load_task(task_id)
        files.update(_files_of_task(task))
        if not task.in_all_kits:
            files.update(task_project(task_id, package, demo_reference))
    return files


def _shared_files(task_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the project file and the scripts of the kit, and its pages, filled for these tasks."""
    scripts = {name: (KIT_FOLDER / name).read_bytes() for name in _SCRIPTS}
    files = nest_packages(scripts, NESTED_PACKAGES, PACKAGE)
    files["pyproject.toml"] = project_file("kit.toml")
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[_PICTURE] = (KIT_FOLDER / _PICTURE).read_bytes()
    if len(task_ids) == 1:
        files["kit.json"] = json.dumps({"default_task": task_ids[0]}).encode()
    for name in _TEXTS:
        text = (KIT_FOLDER / name).read_text(encoding="utf-8")
        files[name] = fill_text(text, task_ids, is_json=name.endswith("ipynb")).encode()
    return files


def _files_of_task(task: Task) -> dict[str, bytes]:
    """Return the files of one task beside the package: its scripts, their data, and its page."""
    folder = KIT_FOLDER / task.folder.name
    files = {name: (folder / name).read_bytes() for name in task.kit_files}
    files = nest_packages(files, NESTED_PACKAGES, PACKAGE)
    page = format_page(task)
    for name in re.findall(rf"\]\(\.\./{_FIGURES}/([^)]+)\)", page):
        files[f"formats/images/{name}"] = (ROOT / _FIGURES / name).read_bytes()
    files[f"formats/{task.id}.md"] = page.replace(f"](../{_FIGURES}/", "](images/").encode()
    return files
