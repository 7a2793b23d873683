"""Starting kits: what participants download to check, score and compare submissions at home.

A kit is the package ``people_in_video``, with the code, demo references and samples of its tasks, and of no
other. That of all published tasks is what an index has; the version of any other names its tasks:
``2.0.0+bird.calls``.

Texts of kits are cut as those of sites (`organizer.bundle.texts`). ``{id}`` and ``{ids}`` stand for the first
task and for all of them, ``{package}`` for what pip installs, and the comment ``# {example}`` for the code of
its example.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from organizer import ROOT
from organizer.bundle import DIST
from organizer.bundle.competition import refused
from organizer.bundle.cut import task_id_of
from organizer.bundle.examples import example_of
from organizer.bundle.modules import imported_names, needed_modules
from organizer.bundle.nesting import nest_packages
from organizer.bundle.programs import OTHER_TASKS, code_files, other_tasks_file
from organizer.bundle.public_files import SAMPLES, demo_reference, demo_source_files, sample_files
from organizer.bundle.source import load_competition
from organizer.bundle.texts import cut_text, fill_placeholders
from organizer.files import (
    Files,
    LockedError,
    folder_files,
    json_bytes,
    replacing_folder,
    write_files,
    zip_bytes,
)
from organizer.messages import kit_messages_page
from people_in_video.packages import distribution
from people_in_video.references.preparation import names_of_reference
from scoring_program.signature import VERSION
from scoring_program.task import Task, load_task, task_ids
from validator.formats.rules import load_rules
from validator.texts import printable

KIT = "starting_kit.zip"
_TEXTS = ("README.md", "guide.md", "quickstart.ipynb")
# The name of an extra in ``kit.toml``, with which that of a challenge begins.
_EXTRA = re.compile(r'^(\w+) = \["', re.MULTILINE)
_PROJECT = "kit.toml"
_FIGURES = "docs/images"
"""The folder of the figures that pages of tasks show."""
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
# Its modules are imported by name.
_COMMANDS = "commands"
_SCHEMAS = (f"{_REPORT}/detailed_results.schema.json", "scoring_program/vocabulary.schema.json")
# What pages call the names of a kind.
_TITLES = {"class": "Classes", "part": "Parts", "state": "States"}
# A fixed date in zips, so that the same content always gives the same wheel.
_EPOCH = "315532800"


def build_kit(task_ids: Sequence[str], demo_reference: DemoReference) -> bytes:
    """Return the starting kit for these tasks as a zip; the parameters are those of `kit_files`."""
    return zip_bytes(kit_files(task_ids, demo_reference))


def kit_files(task_ids: Sequence[str], demo_reference: DemoReference) -> dict[str, bytes]:
    """Return the files of the starting kit for these tasks.

    Parameters
    ----------
    task_ids : sequence of str
        The tasks of a competition.
    demo_reference : callable
        Returns the files of the demo reference of a task. A kit never holds another reference.
    """
    files = {**package_files(task_ids, demo_reference), **_shared_files(task_ids)}
    for task_id in task_ids:
        files.update(_files_of_task(load_task(task_id)))
    return files


def _shared_files(task_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the project file of the kit, and its pages, filled for these tasks."""
    files = {
        "pyproject.toml": project_file(task_ids),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    for name in _TEXTS:
        text = (KIT_FOLDER / name).read_text(encoding="utf-8")
        files[name] = fill_text(text, task_ids, is_json=name.endswith("ipynb")).encode()
    return files


def _files_of_task(task: Task) -> dict[str, bytes]:
    """Return the files of one task beside the package: its scripts, their data, and its page."""
    folder = KIT_FOLDER / task.folder.name
    files = {name: (folder / name).read_bytes() for name in example_of(task).files}
    files = nest_packages(files, NESTED_PACKAGES, PACKAGE)
    page = fill_text(format_page(task), [task.id], is_json=False)
    for name in re.findall(rf"\]\(\.\./{_FIGURES}/([^)]+)\)", page):
        files[f"formats/images/{name}"] = (ROOT / _FIGURES / name).read_bytes()
    files[f"formats/{task.id}.md"] = page.replace(f"](../{_FIGURES}/", "](images/").encode()
    return files


def kit_version(kit_task_ids: Sequence[str]) -> str:
    """Return the version of the package in a kit, which names its tasks unless they are all published ones.

    A local version label has letters and digits between dots.
    """
    published_ids = {task_id for task_id in task_ids() if load_task(task_id).is_published}
    words = sorted(kit_task_ids)
    if published_ids <= set(words):
        words = ["all", *sorted(set(words) - published_ids)]
    label = ".".join(words).replace("_", ".")
    return VERSION if label == "all" else f"{VERSION}+{label}"


def project_file(kit_task_ids: Sequence[str]) -> bytes:
    """Return the ``pyproject.toml`` of a kit, from its template, with what tasks of one's own need."""
    template = (KIT_FOLDER / _PROJECT).read_text(encoding="utf-8")
    own_tasks = [task for task in map(load_task, kit_task_ids) if not task.is_published]
    packages = sorted({distribution(name) for task in own_tasks for name in task.needs})
    values = {
        "{version}": kit_version(kit_task_ids),
        "    # {needs}\n": "".join([f'    "{package}",\n' for package in packages]),
    }
    return fill_placeholders(template, values).encode()


def _package_with_extras(kit_task_ids: Sequence[str]) -> str:
    """Return what pip installs in the folder of a kit, with all that its tasks need."""
    challenges = {load_task(task_id).folder.name for task_id in kit_task_ids}
    extras = []
    for extra in _EXTRA.findall((KIT_FOLDER / _PROJECT).read_text(encoding="utf-8")):
        if any(challenge.startswith(extra) for challenge in challenges):
            extras.append(extra)
    return f".[{','.join(extras)}]" if extras else "."


def package_files(kit_task_ids: Sequence[str], demo_reference: DemoReference) -> Files:
    """Return the package ``people_in_video`` with some tasks; ``demo_reference`` returns that of a task."""
    tasks = [load_task(task_id) for task_id in kit_task_ids]
    files = _code(tasks)
    files[f"{PACKAGE}/py.typed"] = b""
    challenges = sorted({task.folder.name for task in tasks})
    if any(task.is_published for task in tasks):
        conventions = (_DOCS / "conventions.md").read_text(encoding="utf-8")
        conventions = fill_text(conventions, kit_task_ids, is_json=False)
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
    # What explains a code finds the tables by their names.
    packages = [path.rpartition("/")[0].replace("/", ".") for path in files]
    files.update(needed_modules([f"{package}.codes" for package in packages]))
    files.update(package_modules)
    for schema in _SCHEMAS:
        files[schema] = (ROOT / schema).read_bytes()
    # A submission to another task is told as one.
    files[OTHER_TASKS] = other_tasks_file([task.id for task in tasks])
    return files


def _package_modules(tasks: Sequence[Task]) -> dict[str, bytes]:
    """Return the modules of the package that users call, what they import, and the files that these name.

    Modules of a challenge, which are found by its name, go with its tasks.
    """
    package = KIT_FOLDER / PACKAGE
    challenges = {path.parent.name for path in (ROOT / "scoring_program" / "challenges").glob("*/task.py")}
    challenges_of_tasks = {task.folder.name for task in tasks}
    entry_modules = []
    for path in sorted(package.rglob("*.py")):
        words = path.relative_to(KIT_FOLDER).with_suffix("").parts
        challenges_of_module = challenges & set(words)
        is_called = len(words) == 2 or words[1] == _COMMANDS
        if challenges_of_module <= challenges_of_tasks and (is_called or challenges_of_module):
            entry_modules.append(".".join(words))
    files = needed_modules([*entry_modules, *_modules_by_name(package)], KIT_FOLDER)
    code = b"\n".join(files.values())
    for path in sorted(package.rglob("*")):
        is_module = path.suffix == ".py" or not path.is_file()
        if not is_module and path.name.encode() in code:
            files[path.relative_to(KIT_FOLDER).as_posix()] = path.read_bytes()
    return files


def _modules_by_name(package: Path) -> list[str]:
    """Return the modules that the package imports when a name of it is asked for."""
    text = (package / "__init__.py").read_text(encoding="utf-8")
    return [f"{PACKAGE}.{name}" for name in re.findall(r'"\w+": "([\w.]+)"', text)]


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


def fill_text(text: str, task_ids: Sequence[str], *, is_json: bool) -> str:
    """Fill the placeholders of a text, and leave out paragraphs for tasks that the kit does not have.

    Parameters
    ----------
    text : str
    task_ids : sequence of str
        The tasks of the kit.
    is_json : bool
        Whether the placeholders are in strings of JSON, as in a notebook.
    """
    text = cut_text(text, task_ids)
    task = load_task(task_ids[0])
    example = example_of(task)
    values = {
        "# {example}": example.write.strip(),
        "{package}": _package_with_extras(task_ids),
        "{id}": task.id,
        "{ids}": ", ".join(task_ids),
    }
    if is_json:
        values = {placeholder: json.dumps(value)[1:-1] for placeholder, value in values.items()}
    return fill_placeholders(text, values)


def format_page(task: Task) -> str:
    """Return the page of a task, with the files of a reference, those of other tools, and the names of the
    demo data.
    """
    text = cut_text((ROOT / "pages" / f"{task.id}.md").read_text(encoding="utf-8"), [task.id])
    reference_page = ROOT / "starting_kit" / "reference" / f"{task.id}.md"
    if not task.is_published:
        text += f"\n{_annotations_section(task)}"
    for further_page in (reference_page, ROOT / "starting_kit" / task.folder.name / "ways_in.md"):
        if further_page.is_file():
            text += f"\n{further_page.read_text(encoding='utf-8')}"
    text += f"\n## A program that writes a submission\n\n```python\n{example_of(task).write}```\n"
    if "{names}" in text:
        text = text.replace("{names}", _names_of_demo_data(task))
    return text


def _annotations_section(task: Task) -> str:
    """Return what a page says of the reference of a task of one's own: the first items of the demo data."""
    ((name, data),) = ((name, data) for name, data in demo_source_files(task.id).items() if "truth." in name)
    text = data.decode()
    if name.endswith(".csv"):
        example = "".join(text.splitlines(keepends=True)[:3])
    else:
        example = json_bytes(dict(islice(json.loads(text).items(), 2))).decode()
    place = f"The folder of `--reference` holds one file, `{name}`, such as:"
    return f"## Your own annotations\n\n{place}\n\n```\n{example}```\n"


def _names_of_demo_data(task: Task) -> str:
    """Return a list of the names that the demo reference of a task uses, by what they name."""
    folder = ROOT / "reference_data" / task.id
    names_of_kind = names_of_reference(task, task.load(folder, task.settings(folder)))
    items = []
    for kind, names in names_of_kind.items():
        items.append(f"- {_TITLES[kind]} ({len(names)}): {', '.join(names)}.")
    return "\n".join(items)


def kit_command(task_id: str | None) -> int:
    """Write the kit of a task, or of the whole competition, and its packages to dist/; print their paths."""
    kit_task_ids = [task_id] if task_id else _tasks_of_competition()
    try:
        folder = write_kit(kit_task_ids, DIST / "kit")
    except LockedError as error:
        print(printable(f"{DIST / 'kit'}: {error}; wait until it is done"))
        return 2
    packages = build_packages(folder, DIST, kit_version(kit_task_ids))
    print(*[path.relative_to(ROOT) for path in (folder, *packages)], sep="\n")
    return 0


def _tasks_of_competition() -> list[str]:
    """Return the tasks that competition.yaml names. Raises Refused if it names none of this repository."""
    kit_task_ids = sorted({task_id for task in load_competition()["tasks"] if (task_id := task_id_of(task))})
    if not kit_task_ids:
        raise refused("no task for a kit", "/tasks")
    return kit_task_ids


def write_kit(kit_task_ids: Sequence[str], folder: Path) -> Path:
    """Write the starting kit for these tasks; what was in ``folder`` is replaced.

    Raises LockedError if another process writes it.
    """
    files = kit_files(kit_task_ids, cache(demo_reference))
    with replacing_folder(folder) as work:
        write_files(files, work)
    return folder


def build_packages(kit: Path, output: Path, version: str) -> list[Path]:
    """Build the wheel and the source archive of the package in a kit's folder, and return their paths."""
    build = "from flit_core.buildapi import build_sdist, build_wheel; build_wheel({0!r}); build_sdist({0!r})"
    subprocess.run(
        [sys.executable, "-c", build.format(str(output.resolve()))],
        cwd=kit,
        env={**os.environ, "SOURCE_DATE_EPOCH": _EPOCH},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return [
        output / f"{PACKAGE}-{version}-py3-none-any.whl",
        output / f"{PACKAGE}-{version}.tar.gz",
    ]
