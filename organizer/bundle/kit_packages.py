"""The package in a starting kit, ``people_in_video``, with code, demo references and samples of tasks.

All kits hold the tasks that are ``in_all_kits``, so one kit of a version does for all their competitions. The
kit of a competition with tasks of its own holds these, too, and its version names them: ``2.0.0+bird.calls``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from organizer import ROOT
from organizer.bundle.modules import imported_names, needed_modules
from organizer.bundle.nesting import nest_packages
from organizer.bundle.programs import code_files
from organizer.bundle.public_files import SAMPLES, demo_source_files, sample_files
from organizer.files import Files, folder_files, zip_bytes
from organizer.messages import kit_messages_page
from scoring_program.signature import VERSION
from scoring_program.task import AnyTask, load_task, task_ids
from validator.formats.rules import load_rules

PACKAGE = "people_in_video"
NESTED_PACKAGES = ("scoring_program", "validator")
KIT_FOLDER = ROOT / "starting_kit"
DemoReference = Callable[[str], Files]
_DOCS = ROOT / "docs"
# The path of a figure that a page shows, beside the page.
_FIGURE = re.compile(r"!\[[^]]*\]\((images/[^)]+)\)")
# A link to another page, and its text.
_LINK_TO_PAGE = re.compile(r"\[([^]]+)\]\([\w/.]+\.md(?:#[^)]*)?\)")
_REPORT = "scoring_program/report"
_SCHEMAS = ("detailed_results.schema.json", "comparison.schema.json")


def own_task_ids(kit_task_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of the tasks of a competition that other kits do not hold, in ascending order."""
    return tuple(sorted(task_id for task_id in kit_task_ids if not load_task(task_id).in_all_kits))


def kit_version(kit_task_ids: Sequence[str]) -> str:
    """Return the version of the package in the kit of a competition, which names its own tasks.

    A local version label has letters and digits between dots.
    """
    label = ".".join(own_task_ids(kit_task_ids)).replace("_", ".")
    return f"{VERSION}+{label}" if label else VERSION


def project_file(kit_task_ids: Sequence[str]) -> bytes:
    """Return the ``pyproject.toml`` of a kit, from its template."""
    template = (KIT_FOLDER / "kit.toml").read_text(encoding="utf-8")
    return template.replace("{version}", kit_version(kit_task_ids)).encode()


@lru_cache(maxsize=2)
def package_files(own_ids: Sequence[str], demo_reference: DemoReference) -> Files:
    """Return the package ``people_in_video`` with the tasks of all kits and some of one's own.

    ``demo_reference`` returns that of a task.
    """
    ids_of_all_kits = [task_id for task_id in task_ids() if load_task(task_id).in_all_kits]
    tasks = [load_task(task_id) for task_id in [*ids_of_all_kits, *own_ids]]
    files = _code(tasks)
    files[f"{PACKAGE}/py.typed"] = b""
    challenges = sorted({task.folder.name for task in tasks})
    conventions = (_DOCS / "conventions.md").read_text(encoding="utf-8")
    files[f"{PACKAGE}/conventions.md"] = conventions.encode()
    for name in _FIGURE.findall(conventions):
        files[f"{PACKAGE}/{name}"] = (_DOCS / name).read_bytes()
    # The pages that it leads to are for organizers.
    files[f"{PACKAGE}/messages.md"] = _LINK_TO_PAGE.sub(r"\1", kit_messages_page(challenges)).encode()
    for task in tasks:
        files.update(_data(task, demo_reference(task.id)))
    return nest_packages(files, NESTED_PACKAGES, PACKAGE)


def _code(tasks: Sequence[AnyTask]) -> dict[str, bytes]:
    """Return the modules of the package, and those that they and the tasks need, with their data files."""
    files = code_files([task.id for task in tasks])
    entry_modules = [f"{_REPORT}/{name}".replace("/", ".") for name in ("standings", "images")]
    for task in tasks:
        challenge = load_rules(task.id).folder.name
        entry_modules += [f"validator.formats.{challenge}.{name}" for name in ("read", "write")]
    package_modules = _package_modules(tasks)
    for code in package_modules.values():
        entry_modules += imported_names(code)
    files.update(needed_modules(entry_modules))
    files.update(package_modules)
    for name in ("standings.css", *_SCHEMAS):
        files[f"{_REPORT}/{name}"] = (ROOT / _REPORT / name).read_bytes()
    return files


def _package_modules(tasks: Sequence[AnyTask]) -> dict[str, bytes]:
    """Return the modules of the package, without those of challenges that have none of the tasks."""
    package = KIT_FOLDER / PACKAGE
    challenges = {task.folder.name for task in tasks}
    folders_left_out = {path.parent for path in package.glob("*/writer.py")}
    folders_left_out = {folder for folder in folders_left_out if folder.name not in challenges}
    paths = [path for path in sorted(package.rglob("*.py")) if path.parent not in folders_left_out]
    return {path.relative_to(KIT_FOLDER).as_posix(): path.read_bytes() for path in paths}


def _data(task: AnyTask, demo_files: Files) -> dict[str, bytes]:
    """Return the data files of a task: demo references, samples, and what its code reads at home only."""
    files = {}
    for name in task.kit_data:
        path = task.folder / name
        files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    for name, data in demo_files.items():
        files[f"{PACKAGE}/demo_reference/{task.id}/{name}"] = data
    for name, data in _official_demo(task).items():
        files[f"{PACKAGE}/demo_reference/{task.id}_official/{name}"] = data
    for sample in SAMPLES:
        files[f"{PACKAGE}/samples/{task.id}/{sample}.zip"] = zip_bytes(sample_files(task.id, sample))
    return files


def _official_demo(task: AnyTask) -> Mapping[str, bytes]:
    """Return the demo reference as the organizers' own files, if that of the kit was prepared from them."""
    files = demo_source_files(task.id)
    if not task.prepared_file or task.prepared_file in files:
        return {}
    # Smaller ones of the kit take the place of files that would be large.
    small_files = folder_files(KIT_FOLDER / task.folder.name / "official")
    files.update({name: data for name, data in small_files.items() if name in files})
    return files
