"""The zips that bundles are made of: programs, starting kits, reference data, samples.

And the software bill of materials of the programs, in CycloneDX.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from email import message_from_bytes
from functools import cache
from pathlib import Path

from organizer import ROOT
from organizer.data.prepare import is_synthetic, reference_files
from organizer.files import Files, folder_files, read_zip, samples_folder, zip_bytes
from scoring_program.signature import VERSION
from scoring_program.task import AnyTask, load_task
from validator.formats.rules import load_rules

KIT = "starting_kit.zip"
SBOM = "sbom.cdx.json"
_PROJECT = "people-in-video-scoring"
WHEELS = ROOT / ".cache" / "wheels"
_JSON_READER = "validator/json_files.py"
# Of tasks that draw items.
_DRAWINGS = "scoring_program/report/drawings.py"
_CLASSIC_COMMAND = "command: python3 $program/score.py $input $output\n"


class Parts:
    """The zips that the bundles of one build share; each is made once.

    ``folders`` has the reference folder of each task by name, for ``<name>_reference.zip``; with ``demo``,
    tasks without one get the synthetic demo reference. ``source`` is the folder of competition.yaml and of
    what else it names.
    """

    def __init__(
        self, folders: Mapping[str, Path] | None = None, demo: bool = True, source: Path = ROOT
    ) -> None:
        self._folders, self._demo, self._source = folders or {}, demo, source
        self.program = cache(build_program)
        self.demo_files = cache(demo_reference)
        self.kit = cache(self._kit)
        self.reference = cache(self._reference)

    def is_demo(self, name: str, task_id: str) -> bool:
        """Whether the reference of this name is the synthetic one."""
        reference = self.reference(name, task_id)
        return reference is not None and is_synthetic(reference)

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
    report = ROOT / "scoring_program" / "report"
    data = [report / "style.css", report / "drawings.css", ROOT / "LICENSE"]
    if not any((task.folder / "drawings.py").exists() for task in tasks):
        del files[_DRAWINGS]
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
    modules = ("compare", "comparison", "evaluate", "history", "home", "kit_path", "writing")
    shared = ("requirements.txt", *(f"{name}.py" for name in modules))
    files = {name: (kit / name).read_bytes() for name in shared}
    for name in ("README.md", "quickstart.ipynb"):
        text = (kit / name).read_text(encoding="utf-8")
        files[name] = _filled(text, task_ids, name.endswith("ipynb")).encode()
    files.update(program_files(task_ids))
    tasks = [load_task(task_id) for task_id in task_ids]
    formats = [f"validator.formats.{load_rules(task.id).folder.name}.read" for task in tasks]
    more = [f"scoring_program.report.{name}" for name in ("standings", "images")]
    files.update(needed_code(["validator.__main__", *more, *formats]))
    files["docs/messages.md"] = (ROOT / "docs" / "messages.md").read_bytes()
    report = "scoring_program/report"
    files[f"{report}/standings.css"] = (ROOT / report / "standings.css").read_bytes()
    for schema in ("detailed_results.schema.json", "comparison.schema.json"):
        files[f"formats/{schema}"] = (ROOT / report / schema).read_bytes()
    for task in tasks:
        files.update({name: (kit / task.folder.name / name).read_bytes() for name in task.kit_files})
        for path in (task.folder / name for name in task.kit_data):
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
        for sample in sorted(samples_folder(task.id).iterdir()):
            files[f"samples/{task.id}/{sample.name}.zip"] = zip_bytes(folder_files(sample))
        files.update({f"demo_reference/{task.id}/{file}": data for file, data in demo[task.id].items()})
        files.update(_official_demo(task))
        files[f"formats/{task.id}.md"] = _format_page(task).encode()
    return zip_bytes(files)


def _official_demo(task: AnyTask) -> Files:
    """Return the demo reference as the organizers' own files, if that of the kit was prepared from them."""
    files = folder_files(ROOT / "reference_data" / task.id)
    if not task.prepared_file or task.prepared_file in files:
        return {}
    # Smaller ones of the kit take the place of files that would be large.
    files.update(folder_files(ROOT / "starting_kit" / task.folder.name / "official"))
    return {f"demo_reference/{task.id}_official/{name}": data for name, data in files.items()}


def _format_page(task: AnyTask) -> str:
    """Return the page of a task, with the files of a reference and the names of the demo data."""
    text = (ROOT / "pages" / f"{task.id}.md").read_text(encoding="utf-8")
    more = ROOT / "starting_kit" / "reference" / f"{task.id}.md"
    text += f"\n{more.read_text(encoding='utf-8')}" if more.is_file() else ""
    text += f"\n## A program that writes a submission\n\n```python\n{task.kit_example}```\n"
    if "{names}" not in text:
        return text
    folder = ROOT / "reference_data" / task.id
    known = task.names(task.load_reference(folder, task.settings(folder)))
    names = (f"- {title} ({len(of)}): {', '.join(of)}." for title, of in known.items())
    return text.replace("{names}", "\n".join(names))


def _filled(text: str, task_ids: Sequence[str], quoted: bool) -> str:
    """Fill a text (``quoted``: in JSON strings) with the first task, without paragraphs for missing tasks."""

    def kept(match: re.Match[str]) -> str:
        words = match.group(1).split()
        own = [name for name in task_ids if name in words or ("several" in words and len(task_ids) > 1)]
        if not own:
            return ""
        label = f"{', '.join(f'`{name}`' for name in own)}: " if len(own) < len(task_ids) else ""
        filled = match.group(2).replace("{only}", label).replace("{id}", own[0])
        return filled.replace("{mode}", load_task(own[0]).eval_mode)

    task = load_task(task_ids[0])
    text = re.sub("<!-- only ([a-z_ ]+) -->\n(.*?)<!-- end -->\n", kept, text, flags=re.DOTALL)
    example, update = task.kit_example.strip(), textwrap.indent(task.kit_update.strip(), "    ")
    filled = {"# {example}": example, "    # {update}": update, "{id}": task.id, "{ids}": ", ".join(task_ids)}
    for name, value in filled.items():
        text = text.replace(name, json.dumps(value)[1:-1] if quoted else value)
    return text


@cache
def vendored_files() -> Files:
    """Return the content of the vendored wheels; they are fetched once and hash-checked.

    Some are pure Python, others are built for the platform's image.
    """
    pure = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.9"]
    image = ["--implementation", "cp", "--abi", "cp312", "--python-version", "3.12"]
    machines = [[*image, "--platform", f"manylinux2014_{machine}"] for machine in ("x86_64", "aarch64")]
    return {**_wheel_files("vendor", [pure]), **_wheel_files("vendor-compiled", machines)}


def _wheel_files(name: str, targets: Sequence[Sequence[str]]) -> dict[str, bytes]:
    lock, folder = ROOT / "requirements" / f"{name}.lock", WHEELS / name
    stamp = folder / lock.name
    if not stamp.is_file() or stamp.read_bytes() != lock.read_bytes():
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.whl"):
            old.unlink()
        for target in targets:
            options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
            options += ["--only-binary", ":all:", *target, "--dest", str(folder), "-r", str(lock)]
            subprocess.run([sys.executable, "-m", "pip", "download", *options], check=True)
        stamp.write_bytes(lock.read_bytes())
    files = {}
    for wheel in sorted(folder.glob("*.whl")):
        for place, data in read_zip(wheel).items():
            if not place.endswith(".pyi") and "/tests/" not in place:
                files[f"scoring_program/vendor/{place}"] = data
    return files


def sbom() -> bytes:
    """Return what the programs are made of: this project and its vendored packages, with licenses and hashes.

    The format is CycloneDX 1.5 (ECMA-424) in JSON, without a date and a serial number, so that equal builds
    have equal bytes. Hashes are those of the wheels, which the lock files pin.
    """
    own = {"type": "application", "name": _PROJECT, "version": VERSION, "licenses": [_license("Apache-2.0")]}
    locks = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "requirements").glob("vendor*.lock"))
    hashes = {
        name: re.findall("--hash=sha256:([0-9a-f]+)", rest)
        for name, rest in re.findall(r"^([\w.-]+)==(.*)$", locks, re.M)
    }
    components = []
    for path, data in sorted(vendored_files().items()):
        if path.endswith(".dist-info/METADATA"):
            package = message_from_bytes(data)
            name, version = str(package["Name"]), str(package["Version"])
            license_id = str(package["License-Expression"] or package["License"])
            components.append({
                "type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}",
                "licenses": [_license(license_id)],
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in sorted(hashes[name])],
            })  # fmt: skip
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1}
    return json.dumps({**head, "metadata": {"component": own}, "components": components}, indent=2).encode()


def _license(name: str) -> dict[str, dict[str, str]]:
    return {"license": {"id": name}}


def needed_code(entries: Iterable[str]) -> dict[str, bytes]:
    """Return the modules of this repository that the entry modules need, directly or not, by their paths.

    ``entries`` are dotted names, as ``validator.check``. Imports are found by reading the code. With a module
    go the packages that it is in, and their tables of the codes of messages.
    """
    pending = list(entries)
    code: dict[str, bytes] = {}
    while pending:
        name = pending.pop()
        path = _module_path(name)
        if path and (relative := path.relative_to(ROOT).as_posix()) not in code:
            code[relative] = path.read_bytes()
            parts = name.split(".")
            packages = [".".join(parts[:end]) for end in range(1, len(parts))]
            pending += packages
            pending += [f"{package}.codes" for package in packages]
            pending += imported(code[relative])
    return code


@cache
def imported(code: bytes) -> tuple[str, ...]:
    """Return the names that a module imports, those of attributes among them."""
    names = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


@cache
def _module_path(name: str) -> Path | None:
    base = ROOT.joinpath(*name.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
