"""``organizer start``: a competition of one task, to be edited, in place of that of all tasks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION
from organizer.bundle.competition import Competition, refused
from organizer.bundle.cut import one_task
from organizer.bundle.dates import date_lines
from organizer.bundle.lint import FILL_IN
from organizer.bundle.source import check_buildable, load_competition
from organizer.files import new_folder, rewrite_files
from scoring_program.task import load_task
from validator.findings import Findings

_TEMPLATES = ROOT / "task_templates" / "started"
_OVERVIEW, _TERMS = "pages/overview.md", "pages/terms.md"
_COMMENT = """\
# The competition as uploaded to Codabench. `make bundle` adds the zips that are named here; put other files
# and folders that you name next to this file. docs/competition_yaml.md describes what each change does.
# Correct the dates, which are in UTC and need quotes, and the limits of each phase.
"""


class Started(NamedTuple):
    """A competition that was started: its texts by path, and the folder of the files that were there."""

    texts: dict[str, str]
    former_folder: Path


def start_command(task_id: str, title: str, replace: bool) -> int:
    """Start a competition of one task in this repository, and print what is left to edit."""
    result = start(task_id, title, replace, ROOT)
    print("written:", *result.texts, sep="\n  ")
    print(f"the files that were there are in {result.former_folder.relative_to(ROOT)}/")
    print("left to edit:", *_places_to_edit(result.texts), sep="\n  ")
    return 0


def start(task_id: str, title: str, replace: bool, source: Path) -> Started:
    """Write ``competition.yaml`` and pages for one task into ``source``.

    The files that were there are copied to ``out/started/``, at the next calls to ``out/started_2/`` and so
    on. Raises Refused, and writes nothing, if no phase offers the task, or if git could not bring these files
    back, unless ``replace`` is true.
    """
    competition = _competition_of(task_id, title, load_competition(source))
    texts = {
        COMPETITION: _COMMENT + yaml.safe_dump(competition, sort_keys=False, allow_unicode=True, width=100),
        _OVERVIEW: _overview(task_id, competition),
        _TERMS: _template(_TERMS),
    }
    former_files = [path for path in texts if (source / path).is_file()]
    if not replace:
        _refuse_to_lose(former_files, source)
    former_folder = new_folder(source / "out", "started")
    for path in former_files:
        (former_folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, former_folder / path)
    rewrite_files(texts, source)
    return Started(texts, former_folder)


def _competition_of(task_id: str, title: str, competition: Competition) -> Competition:
    """Return what `make bundle` derives for a task, with a title and an overview. Raises Refused."""
    if not title.strip():
        raise refused("no title to start", "/title")
    derived = one_task(competition, load_task(task_id))
    if derived is None:
        raise refused("no task to start", "/tasks", id=task_id)
    description = derived["tasks"][0].get("description") or load_task(task_id).summary
    other_pages = [page for page in derived["pages"] if page["file"] != _OVERVIEW]
    new_competition = {
        **derived,
        "title": title,
        "description": description,
        "terms": _TERMS,
        "pages": [{"title": "Overview", "file": _OVERVIEW}, *other_pages],
    }
    check_buildable(new_competition)
    return new_competition


def _overview(task_id: str, competition: Competition) -> str:
    title_of_page = {page["file"]: page["title"] for page in competition["pages"]}
    return _template(_OVERVIEW).format(
        title=competition["title"],
        description=competition["description"],
        page=title_of_page.get(f"pages/{task_id}.md", "Task"),
        dates="\n".join(date_lines(competition)),
        id=task_id,
    )


def _template(path: str) -> str:
    return (_TEMPLATES / Path(path).name).read_text(encoding="utf-8")


def _refuse_to_lose(paths: Iterable[str], source: Path) -> None:
    """Refuse to replace files of which git has no clean state. Raises Refused."""
    command = ["git", "status", "--porcelain", "--ignored", "--", *paths]
    try:
        status = subprocess.run(command, cwd=source, capture_output=True, text=True)
    except FileNotFoundError:
        _refuse("git is not installed, so nothing could be brought back", "add --replace")
    if status.returncode:
        _refuse("this folder is no checkout of git", "run git init and commit, or add --replace")
    if status.stdout:
        changed_files = ", ".join(line[3:] for line in status.stdout.splitlines())
        _refuse(f"git has no clean state of {changed_files}", "commit first, or add --replace")


def _refuse(problem: str, remedy: str) -> NoReturn:
    Findings().refuse("E-START", problem, remedy)


def _places_to_edit(texts: Mapping[str, str]) -> list[str]:
    """Return the lines with the mark ``FILL IN:``, and the dates and limits of phases."""
    places = [f"{COMPETITION}: the name of the task, which rankings show, and dates and limits of the phases"]
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), start=1):
            if FILL_IN in line:
                places.append(f"{path}:{number}: {line.partition(FILL_IN)[2].strip()}")
    return places
