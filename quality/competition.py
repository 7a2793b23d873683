"""The competition of all tasks, which tests and measurements build, whatever one is in the repository.

It is that of ``task_templates/all_tasks/``, with the tasks that ``organizer new-task`` wrote.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from organizer.bundle.own_tasks import with_own_tasks
from quality import ROOT
from validator.strict_yaml import load_strict

TEMPLATE = ROOT / "task_templates" / "all_tasks"


def competition_text() -> str:
    """Return competition.yaml of all tasks."""
    text = (TEMPLATE / "competition.yaml").read_text(encoding="utf-8")
    return with_own_tasks(text, load_strict(text))


def write_source(folder: Path) -> Path:
    """Write competition.yaml of all tasks, and the files that it names, into a new folder; return that."""
    shutil.copytree(ROOT / "pages", folder / "pages")
    shutil.copytree(TEMPLATE / "pages", folder / "pages", dirs_exist_ok=True)
    shutil.copytree(ROOT / "docs" / "images", folder / "docs" / "images")
    shutil.copyfile(ROOT / "logo.png", folder / "logo.png")
    (folder / "competition.yaml").write_text(competition_text(), encoding="utf-8")
    return folder
