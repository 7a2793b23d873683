"""The zips that bundles are made of: programs, starting kits, reference data, samples."""

from __future__ import annotations

import io
import json
import posixpath
import re
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from organizer import ROOT
from organizer.bundle.packing import needed_code, vendored_files
from organizer.data.prepare import SYNTHETIC_MARK, reference_files
from organizer.files import Files, folder_files, samples_folder, zip_bytes
from scoring_program.task import load_task
from validator.formats.rules import load_rules

KIT = "starting_kit.zip"
_JSON_READER = "validator/json_files.py"
_CLASSIC_COMMAND = "command: python3 $program/score.py $input $output\n"


class Parts:
    """The zips that the bundles of one build share; each is made once.

    Parameters
    ----------
    folders : mapping of str to Path, optional
        The reference folder of each task by name, for ``<name>_reference.zip``; None for the demo data only.
    demo : bool
        Whether tasks without a folder get the synthetic demo reference.
    source : Path
        The folder of competition.yaml and of what else it names.
    """

    def __init__(
        self, folders: Mapping[str, Path] | None = None, demo: bool = True, source: Path = ROOT
    ) -> None:
        self._folders = folders or {}
        self._demo = demo
        self._source = source
        self.program = lru_cache(maxsize=None)(build_program)
        self.demo_files = lru_cache(maxsize=None)(demo_reference)
        self.kit = lru_cache(maxsize=None)(self._kit)
        self.reference = lru_cache(maxsize=None)(self._reference)

    def is_demo(self, name: str, task_id: str) -> bool:
        """Whether the reference of this name is the synthetic one."""
        reference = self.reference(name, task_id)
        if reference is None:
            return False
        with zipfile.ZipFile(io.BytesIO(reference)) as archive:
            return SYNTHETIC_MARK in archive.namelist()

    def _kit(self, task_ids: tuple[str, ...]) -> bytes:
        return build_kit(task_ids, {name: self.demo_files(name) for name in task_ids})

    def _reference(self, name: str, task_id: str) -> bytes | None:
        """Return the zip of the reference of this name, None if there is no data for it."""
        if name in self._folders:
            return zip_bytes(reference_files(task_id, self._folders[name]))
        if brought := self.brought(f"{name}_reference.zip"):
            return next(iter(brought.values()))
        return zip_bytes(self.demo_files(task_id)) if self._demo else None

    def sample(self, name: str, task_id: str) -> bytes | None:
        """Return a sample that may be shown, None if there is none.

        A sample for the demo data cannot score on other data, and one made from hidden data must not be
        shown; so the organizer puts one next to the reference folder or competition.yaml.
        """
        if name in self._folders:
            sample = self._folders[name].absolute().with_name(f"{name}_sample.zip")
            if sample.is_file():
                return sample.read_bytes()
        if brought := self.brought(f"{name}_sample.zip"):
            return next(iter(brought.values()))
        if name in self._folders or not self.is_demo(name, task_id):
            return None
        return zip_bytes(folder_files(samples_folder(task_id) / "good"))

    def brought(self, name: str) -> Files:
        """Return a file, or those of a folder, next to competition.yaml; empty if there is none."""
        path = (self._source / name).resolve()
        if self._source.resolve() not in path.parents:
            return {}
        normal = posixpath.normpath(name)
        if path.is_dir():
            return {f"{normal}/{file}": data for file, data in folder_files(path).items()}
        return {normal: path.read_bytes()} if path.is_file() else {}


def demo_reference(task_id: str) -> dict[str, bytes]:
    """Return the files of a task's synthetic demo reference."""
    return reference_files(task_id, ROOT / "reference_data" / task_id)


def program_files(task_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a scoring program for these tasks: the code that it needs, declarations, wheels."""
    tasks = [load_task(task_id) for task_id in task_ids]
    # Tasks are discovered by the folder of their challenge.
    modules = [f"scoring_program.challenges.{task.folder.name}.task" for task in tasks]
    files = needed_code(["scoring_program.run", *modules])
    data = [ROOT / "scoring_program" / "report" / "style.css", ROOT / "LICENSE"]
    for task in tasks:
        data += [task.folder / f"{task.id}.yaml", *load_rules(task.id).data_files]
    files.update({path.relative_to(ROOT).as_posix(): path.read_bytes() for path in data})
    return {**files, **(vendored_files() if _JSON_READER in files else {})}


def build_program(task_id: str) -> bytes:
    """Return the self-contained scoring program of one task as a zip."""
    files = program_files([task_id])
    for name in ("score.py", "metadata.yaml"):
        files[name] = (ROOT / "scoring_program" / name).read_bytes()
    files["metadata"] = _CLASSIC_COMMAND.encode()
    return zip_bytes(files)


def build_kit(task_ids: Sequence[str], demo: Mapping[str, Files]) -> bytes:
    """Return the starting kit for these tasks as a zip, with their demo references and never another."""
    kit = ROOT / "starting_kit"
    shared = ("evaluate.py", "home.py", "kit_path.py", "requirements.txt", "writing.py")
    files = {name: (kit / name).read_bytes() for name in shared}
    for name in ("README.md", "quickstart.ipynb"):
        text = (kit / name).read_text(encoding="utf-8")
        files[name] = _filled(text, task_ids, name.endswith("ipynb")).encode()
    files.update(program_files(task_ids))
    tasks = [load_task(task_id) for task_id in task_ids]
    formats = [f"validator.formats.{load_rules(task.id).folder.name}.read" for task in tasks]
    files.update(needed_code(["validator.__main__", *formats]))
    schema = "scoring_program/report/detailed_results.schema.json"
    files["formats/detailed_results.schema.json"] = (ROOT / schema).read_bytes()
    for task in tasks:
        files.update({name: (kit / task.folder.name / name).read_bytes() for name in task.kit_files})
        for path in (task.folder / name for name in task.kit_data):
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
        for sample in sorted(samples_folder(task.id).iterdir()):
            files[f"samples/{task.id}/{sample.name}.zip"] = zip_bytes(folder_files(sample))
        files.update({f"demo_reference/{task.id}/{file}": data for file, data in demo[task.id].items()})
        files[f"formats/{task.id}.md"] = (ROOT / "pages" / f"{task.id}.md").read_bytes()
    return zip_bytes(files)


def _filled(text: str, task_ids: Sequence[str], quoted: bool) -> str:
    """Fill a text (``quoted``: in JSON strings) with the first task, without paragraphs for missing tasks."""

    def kept(match: re.Match[str]) -> str:
        return match.group(2) if set(match.group(1).split()) & set(task_ids) else ""

    task = load_task(task_ids[0])
    mode = next(filter(None, (load_task(name).eval_mode for name in task_ids)), "")
    text = re.sub("<!-- only ([a-z_ ]+) -->\n(.*?)<!-- end -->\n", kept, text, flags=re.DOTALL)
    example = task.kit_example.strip()
    for name, value in (("# {example}", example), ("{id}", task.id), ("{mode}", mode)):
        text = text.replace(name, json.dumps(value)[1:-1] if quoted else value)
    return text
