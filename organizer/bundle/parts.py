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
from scoring_program.challenge import load_challenge
from validator.rules import load_rules

KIT = "starting_kit.zip"
_SCHEMAS = ROOT / "validator" / "schemas"
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
        self.challenge = lru_cache(maxsize=None)(load_challenge)
        self.program = lru_cache(maxsize=None)(build_program)
        self.demo_files = lru_cache(maxsize=None)(demo_reference)
        self.kit = lru_cache(maxsize=None)(self._kit)
        self.reference = lru_cache(maxsize=None)(self._reference)
        self.sample = lru_cache(maxsize=None)(self._sample)
        self.brought = lru_cache(maxsize=None)(self._brought)

    def is_demo(self, name: str, challenge_id: str) -> bool:
        """Whether the reference of this name is the synthetic one."""
        reference = self.reference(name, challenge_id)
        if reference is None:
            return False
        with zipfile.ZipFile(io.BytesIO(reference)) as archive:
            return SYNTHETIC_MARK in archive.namelist()

    def _kit(self, challenge_ids: tuple[str, ...]) -> bytes:
        return build_kit(challenge_ids, {name: self.demo_files(name) for name in challenge_ids})

    def _reference(self, name: str, challenge_id: str) -> bytes | None:
        """Return the zip of the reference of this name, None if there is no data for it."""
        if name in self._folders:
            return zip_bytes(reference_files(challenge_id, self._folders[name]))
        if brought := self.brought(f"{name}_reference.zip"):
            return next(iter(brought.values()))
        return zip_bytes(self.demo_files(challenge_id)) if self._demo else None

    def _sample(self, name: str, challenge_id: str) -> bytes | None:
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
        if name in self._folders or not self.is_demo(name, challenge_id):
            return None
        return zip_bytes(folder_files(samples_folder(challenge_id) / "good"))

    def _brought(self, name: str) -> Files:
        """Return a file, or those of a folder, next to competition.yaml; empty if there is none."""
        path = (self._source / name).resolve()
        if self._source.resolve() not in path.parents:
            return {}
        normal = posixpath.normpath(name)
        if path.is_dir():
            return {f"{normal}/{file}": data for file, data in folder_files(path).items()}
        return {normal: path.read_bytes()} if path.is_file() else {}


def demo_reference(challenge_id: str) -> dict[str, bytes]:
    """Return the files of a task's synthetic demo reference."""
    return reference_files(challenge_id, ROOT / "reference_data" / challenge_id)


def program_files(challenge_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a scoring program for these tasks: the code that it needs, declarations, wheels."""
    modules = ("program", "detail", "plausibility")
    programs = [f"scoring_program.challenges.{name}.{module}" for name in challenge_ids for module in modules]
    json_rules = [rules.json for rules in map(load_rules, challenge_ids) if rules.json]
    # The validator imports them by the names in the rules.
    readers = [f"validator.formats.{rules.format}" for rules in json_rules]
    files = needed_code(["scoring_program.scoring", *programs, *readers])
    schemas = {rules.schema for rules in json_rules if rules.schema}
    schemas |= {path.name for path in _SCHEMAS.glob("*.json") if _is_named(path.name, files)}
    paths = [
        "scoring_program/report/style.css",
        "LICENSE",
        *(f"validator/schemas/{name}" for name in schemas),
    ]
    for name in challenge_ids:
        paths += [f"scoring_program/challenges/{name}/challenge.yaml", f"validator/rules/{name}.yaml"]
    files.update({path: (ROOT / path).read_bytes() for path in paths})
    return {**files, **vendored_files(compiled="validator/typed_json.py" in files)}


def _is_named(schema: str, files: Files) -> bool:
    """Whether the code of a format names a schema file."""
    formats = (code for path, code in files.items() if path.startswith("validator/formats/"))
    return any(f'"{schema}"'.encode() in code for code in formats)


def build_program(challenge_id: str) -> bytes:
    """Return the self-contained scoring program of one task as a zip."""
    files = program_files([challenge_id])
    source = ROOT / "scoring_program"
    files["score.py"] = (source / "score.py").read_bytes()
    files["metadata.yaml"] = (source / "challenges" / challenge_id / "metadata.yaml").read_bytes()
    files["metadata"] = _CLASSIC_COMMAND.encode()
    return zip_bytes(files)


def build_kit(challenge_ids: Sequence[str], demo: Mapping[str, Files]) -> bytes:
    """Return the starting kit for these tasks as a zip, with their demo references and never another."""
    kit = ROOT / "starting_kit"
    files = {
        name: (kit / name).read_bytes()
        for name in ("evaluate.py", "home.py", "kit_path.py", "requirements.txt", "writing.py")
    }
    for name in ("README.md", "quickstart.ipynb"):
        text = (kit / name).read_text(encoding="utf-8")
        files[name] = _filled(text, challenge_ids, name.endswith("ipynb")).encode()
    files.update(program_files(challenge_ids))
    files.update(needed_code(["validator.__main__"]))
    schema = "scoring_program/report/detailed_results.schema.json"
    files["formats/detailed_results.schema.json"] = (ROOT / schema).read_bytes()
    for name in challenge_ids:
        for extra in load_challenge(name).kit_files:
            files[extra] = (kit / extra).read_bytes()
        for data_file in load_challenge(name).kit_data:
            files[data_file] = (ROOT / data_file).read_bytes()
        for sample in sorted(samples_folder(name).iterdir()):
            files[f"samples/{name}/{sample.name}.zip"] = zip_bytes(folder_files(sample))
        files.update({f"demo_reference/{name}/{file}": data for file, data in demo[name].items()})
        files[f"formats/{name}.md"] = (ROOT / "pages" / f"{name}.md").read_bytes()
    return zip_bytes(files)


def _filled(text: str, challenge_ids: Sequence[str], quoted: bool) -> str:
    """Fill a text (``quoted``: inside JSON strings) with the first task, without the paragraphs for
    missing tasks."""

    def kept(match: re.Match[str]) -> str:
        return match.group(2) if set(match.group(1).split()) & set(challenge_ids) else ""

    challenge = load_challenge(challenge_ids[0])
    mode = next(filter(None, (load_challenge(name).eval_mode for name in challenge_ids)), "")
    text = re.sub("<!-- only ([a-z_ ]+) -->\n(.*?)<!-- end -->\n", kept, text, flags=re.DOTALL)
    example = challenge.kit_example.strip()
    for name, value in (("# {example}", example), ("{id}", challenge.id), ("{mode}", mode)):
        text = text.replace(name, json.dumps(value)[1:-1] if quoted else value)
    return text
