"""Starting kits: what participants download to check, score and compare submissions at home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from organizer import ROOT
from organizer.bundle.kit_texts import fill_text, format_page
from organizer.bundle.modules import imported_names, needed_modules
from organizer.bundle.programs import program_files
from organizer.files import Files, folder_files, samples_folder, zip_bytes
from scoring_program.task import AnyTask, load_task
from validator.formats.rules import load_rules

KIT = "starting_kit.zip"
_KIT_FOLDER = ROOT / "starting_kit"
_KIT_MODULES = ("compare", "comparison", "evaluate", "history", "home", "kit_path", "writing")
_PAGES = ("conventions.md", "messages.md")
_REPORT = "scoring_program/report"
_SCHEMAS = ("detailed_results.schema.json", "comparison.schema.json")


def build_kit(task_ids: Sequence[str], demo_references: Mapping[str, Files]) -> bytes:
    """Return the starting kit for these tasks as a zip, with their demo references and never another."""
    files = _shared_files(task_ids)
    files.update(program_files(task_ids))
    files.update(_home_files(task_ids))
    for task_id in task_ids:
        task = load_task(task_id)
        files.update(_task_files(task))
        for name, data in demo_references[task_id].items():
            files[f"demo_reference/{task_id}/{name}"] = data
    return zip_bytes(files)


def _shared_files(task_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the commands of the kit, and its pages, filled for these tasks."""
    names = ("requirements.txt", *(f"{module}.py" for module in _KIT_MODULES))
    files = {name: (_KIT_FOLDER / name).read_bytes() for name in names}
    for name in ("README.md", "quickstart.ipynb"):
        text = (_KIT_FOLDER / name).read_text(encoding="utf-8")
        files[name] = fill_text(text, task_ids, is_json=name.endswith("ipynb")).encode()
    return files


def _home_files(task_ids: Sequence[str]) -> dict[str, bytes]:
    """Return what a kit holds beyond programs: the validator's command, comparisons, and what they need."""
    formats = [f"validator.formats.{load_rules(task_id).folder.name}.read" for task_id in task_ids]
    reports = [f"scoring_program.report.{name}" for name in ("standings", "images")]
    entry_modules = ["validator.__main__", *reports, *formats]
    for path in _kit_modules(task_ids):
        entry_modules += imported_names(path.read_bytes())
    files = needed_modules(entry_modules)
    for page in _PAGES:
        files[f"docs/{page}"] = (ROOT / "docs" / page).read_bytes()
    files[f"{_REPORT}/standings.css"] = (ROOT / _REPORT / "standings.css").read_bytes()
    for schema in _SCHEMAS:
        files[f"formats/{schema}"] = (ROOT / _REPORT / schema).read_bytes()
    return files


def _kit_modules(task_ids: Sequence[str]) -> list[Path]:
    """Return the modules of the kit that are not in a package: those of all tasks, and those of these."""
    paths = [_KIT_FOLDER / f"{module}.py" for module in _KIT_MODULES]
    for task_id in task_ids:
        task = load_task(task_id)
        paths += [_KIT_FOLDER / task.folder.name / name for name in task.kit_files if name.endswith(".py")]
    return paths


def _task_files(task: AnyTask) -> dict[str, bytes]:
    """Return the files of one task: its modules for the kit, samples, page, and official demo data."""
    files = {name: (_KIT_FOLDER / task.folder.name / name).read_bytes() for name in task.kit_files}
    for name in task.kit_data:
        path = task.folder / name
        files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    for sample in sorted(samples_folder(task.id).iterdir()):
        files[f"samples/{task.id}/{sample.name}.zip"] = zip_bytes(folder_files(sample))
    files.update(_official_demo(task))
    files[f"formats/{task.id}.md"] = format_page(task).encode()
    return files


def _official_demo(task: AnyTask) -> Files:
    """Return the demo reference as the organizers' own files, if that of the kit was prepared from them."""
    files = folder_files(ROOT / "reference_data" / task.id)
    if not task.prepared_file or task.prepared_file in files:
        return {}
    # Smaller ones of the kit take the place of files that would be large.
    files.update(folder_files(_KIT_FOLDER / task.folder.name / "official"))
    return {f"demo_reference/{task.id}_official/{name}": data for name, data in files.items()}
