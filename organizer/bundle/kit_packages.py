"""The packages in a starting kit: ``people_in_video``, and one for each task of an organizer's own.

All kits hold the same ``people_in_video``, with the code, demo references and samples of the same tasks, so
two kits of one version can be installed into one environment. A task that is not ``in_all_kits`` is a project
beside it, in the kits of its competition only; `people_in_video.task_packages` finds it.
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
from scoring_program.task import Task, load_task, task_ids
from validator.formats.rules import load_rules

PACKAGE = "people_in_video"
NESTED_PACKAGES = ("scoring_program", "validator")
KIT_FOLDER = ROOT / "starting_kit"
TASK_PROJECTS = "people-in-video-*"
"""The folders in a kit that are the projects of tasks that are not in all kits."""
DemoReference = Callable[[str], Files]
_DOCS = ROOT / "docs"
# The path of a figure that a page shows, beside the page.
_FIGURE = re.compile(r"!\[[^]]*\]\((images/[^)]+)\)")
# A link to another page, and its text.
_LINK_TO_PAGE = re.compile(r"\[([^]]+)\]\([\w/.]+\.md(?:#[^)]*)?\)")
_REPORT = "scoring_program/report"
# Of what the package consists: modules, style sheets, schemas.
_PACKAGE_FILES = (".py", ".css", ".json", ".gz", ".txt")
_SCHEMA = f"{_REPORT}/detailed_results.schema.json"


def task_ids_of_all_kits() -> list[str]:
    """Return the ids of the tasks that every kit holds, in ascending order."""
    return [task_id for task_id in task_ids() if load_task(task_id).in_all_kits]


@lru_cache(maxsize=1)
def package_files(demo_reference: DemoReference) -> Files:
    """Return the package ``people_in_video`` of all kits; ``demo_reference`` returns that of a task."""
    return _nested_files(task_ids_of_all_kits(), demo_reference)


def task_project(task_id: str, package: Files, demo_reference: DemoReference) -> dict[str, bytes]:
    """Return the project of a task that is not in all kits.

    Parameters
    ----------
    task_id : str
    package : mapping of str to bytes
        The package of all kits; the project holds what the task needs beyond it.
    demo_reference : callable
        Returns the demo reference of a task.
    """
    project, module = project_name(task_id), f"{PACKAGE}_{task_id}"
    all_files = _nested_files([*task_ids_of_all_kits(), task_id], demo_reference)
    files = {
        f"{project}/pyproject.toml": project_file("task.toml", task_id),
        f"{project}/{module}/__init__.py": f'"""The task {task_id} of people_in_video."""\n'.encode(),
    }
    for name in all_files.keys() - package.keys():
        files[f"{project}/{module}/{name.removeprefix(f'{PACKAGE}/')}"] = all_files[name]
    return files


def project_name(task_id: str) -> str:
    """Return the name of the project of a task that is not in all kits, and of its folder."""
    return TASK_PROJECTS.replace("*", task_id)


def data_folder(task: Task) -> str:
    """Return the package with the data of a task, as a path in the folder of a kit."""
    return PACKAGE if task.in_all_kits else f"{project_name(task.id)}/{PACKAGE}_{task.id}"


def project_file(name: str, task_id: str = "") -> bytes:
    """Return a ``pyproject.toml``, from its template."""
    template = (KIT_FOLDER / "packaging" / name).read_text(encoding="utf-8")
    return template.replace("{version}", VERSION).replace("{id}", task_id).encode()


def _nested_files(kit_task_ids: Sequence[str], demo_reference: DemoReference) -> dict[str, bytes]:
    """Return the code and the data of tasks, all below the package."""
    tasks = [load_task(task_id) for task_id in kit_task_ids]
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


def _code(tasks: Sequence[Task]) -> dict[str, bytes]:
    """Return the modules of the package, and those that they and the tasks need, with their data files."""
    files = code_files([task.id for task in tasks])
    entry_modules = []
    for task in tasks:
        challenge = load_rules(task.id).folder.name
        entry_modules += [f"validator.formats.{challenge}.{name}" for name in ("read", "write")]
    package_modules = _package_modules(tasks)
    for name, data in package_modules.items():
        if name.endswith(".py"):
            entry_modules += imported_names(data)
    files.update(needed_modules(entry_modules))
    files.update(package_modules)
    files[_SCHEMA] = (ROOT / _SCHEMA).read_bytes()
    return files


def _package_modules(tasks: Sequence[Task]) -> dict[str, bytes]:
    """Return the modules of the package, without those of challenges that have none of the tasks."""
    package = KIT_FOLDER / PACKAGE
    challenges = {path.parent.name for path in (ROOT / "scoring_program" / "challenges").glob("*/task.py")}
    challenges_left_out = challenges - {task.folder.name for task in tasks}
    files = {}
    for path in sorted(package.rglob("*")):
        names = {*path.relative_to(package).parts, path.stem}
        if path.suffix in _PACKAGE_FILES and not names & challenges_left_out:
            files[path.relative_to(KIT_FOLDER).as_posix()] = path.read_bytes()
    return files


def _data(task: Task, demo_files: Files) -> dict[str, bytes]:
    """Return the data files of a task: demo references and samples."""
    files = {}
    for name, data in demo_files.items():
        files[f"{PACKAGE}/demo_reference/{task.id}/{name}"] = data
    for name, data in _official_demo(task).items():
        files[f"{PACKAGE}/demo_reference/{task.id}_official/{name}"] = data
    for sample in SAMPLES:
        files[f"{PACKAGE}/samples/{task.id}/{sample}.zip"] = zip_bytes(sample_files(task.id, sample))
    return files


def _official_demo(task: Task) -> Mapping[str, bytes]:
    """Return the demo reference as the organizers' own files, if that of the kit was prepared from them."""
    files = demo_source_files(task.id)
    if not task.prepared_file or task.prepared_file in files:
        return {}
    # Smaller ones of the kit take the place of files that would be large.
    small_files = folder_files(KIT_FOLDER / task.folder.name / "official")
    files.update({name: data for name, data in small_files.items() if name in files})
    return files
