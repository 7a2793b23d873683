"""The zips that bundles are made of: programs, starting kits, reference data, samples."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from organizer import ROOT
from organizer.bundle.kit import build_kit
from organizer.bundle.programs import build_program
from organizer.bundle.public_files import (
    SAMPLES,
    demo_folder,
    demo_reference,
    refuse_backups,
    sample_files,
)
from organizer.data.prepare import is_synthetic, reference_files
from organizer.data.public_data import reference_vocabulary
from organizer.data.references import PUBLIC_SUFFIX, naming_folder
from organizer.files import Files, folder_files, folder_with, zip_bytes
from organizer.public_data import PublicSource, is_prepared, make_public_data
from scoring_program.settings import PROTOCOLS, SETTINGS_FILE
from scoring_program.task import load_task
from validator.findings import Findings


class Parts:
    """The zips that the bundles of one build share; each is made once.

    ``folders`` has the reference folder of each task by name, for ``<name>_reference.zip``; with ``demo``,
    tasks without one get the synthetic demo reference. ``source`` is the folder of competition.yaml and of
    what else it names.
    """

    def __init__(
        self, folders: Mapping[str, Path] | None = None, demo: bool = True, source: Path = ROOT
    ) -> None:
        self._folders = folders or {}
        self._demo = demo
        self._source = source
        self.program = cache(build_program)
        self.demo_files = cache(demo_reference)
        self.kit = cache(self._kit)
        self.reference = cache(self._reference)
        self._public_part = cache(make_public_part)

    def is_demo(self, name: str, task_id: str) -> bool:
        """Whether the reference of this name is the synthetic one."""
        reference = self.reference(name, task_id)
        return reference is not None and is_synthetic(reference)

    def _kit(self, task_ids: tuple[str, ...]) -> bytes:
        return build_kit(task_ids, self.demo_files)

    def _reference(self, name: str, task_id: str) -> bytes | None:
        """Return the zip of the reference of this name, None if there is no data for it."""
        if name in self._folders:
            with naming_folder(name):
                return zip_bytes(reference_files(task_id, self._folders[name]))
        if files := self.supplied_files(f"{name}_reference.zip"):
            return next(iter(files.values()))
        return zip_bytes(self.demo_files(task_id)) if self._demo else None

    def protocols(self, name: str, task_id: str) -> set[str]:
        """Return the protocol of the reference of this name; all of them where only the server knows it."""
        reference = self.reference(name, task_id)
        if reference is None:
            return set(PROTOCOLS)
        with naming_folder(name), folder_with({SETTINGS_FILE}, reference) as folder:
            return {load_task(task_id).settings(folder)["protocol"]}

    def public_files(self, name: str, task_id: str) -> Files:
        """Return the public data of the reference of this name, empty if there is none.

        It is the folder ``<name>_public`` beside the reference, or made of a reference that is in the
        organizers' own formats. Raises Refused if the two differ.
        """
        if name not in self._folders:
            supplied_files = self.supplied_files(f"{name}{PUBLIC_SUFFIX}")
            if supplied_files or not self.is_demo(name, task_id):
                return {posixpath.basename(path): data for path, data in supplied_files.items()}
            return self._public_part(task_id, demo_folder(task_id))
        folder = self._folders[name].absolute()
        public_folder = folder.with_name(f"{name}{PUBLIC_SUFFIX}")
        supplied_files = folder_files(public_folder) if public_folder.is_dir() else {}
        with naming_folder(name):
            public_part = {} if is_prepared(task_id, folder) else self._public_part(task_id, folder)
        if public_part and supplied_files and supplied_files != public_part:
            problem = f"this is not the public part of {name}"
            remedy = "make it again with organizer public-data, or delete the folder"
            Findings().refuse("L-LEAK", problem, remedy, file=public_folder.name)
        return supplied_files or public_part

    def sample(self, name: str, task_id: str) -> bytes | None:
        """Return a sample that may be shown, None if there is none.

        A sample for the demo data cannot score on other data, and one made from hidden data must not be
        shown; so the organizer puts one next to the reference folder or competition.yaml.
        """
        if name in self._folders:
            sample = self._folders[name].absolute().with_name(f"{name}_sample.zip")
            if sample.is_file():
                return sample.read_bytes()
        if files := self.supplied_files(f"{name}_sample.zip"):
            return next(iter(files.values()))
        if name in self._folders or not self.is_demo(name, task_id):
            return None
        return zip_bytes(sample_files(task_id, SAMPLES[0]))

    def supplied_files(self, name: str) -> Files:
        """Return a file, or those of a folder, next to competition.yaml; empty if there is none."""
        path = (self._source / name).resolve()
        if self._source.resolve() not in path.parents:
            return {}
        normal_name = posixpath.normpath(name)
        if path.is_dir():
            files = {f"{normal_name}/{file}": data for file, data in folder_files(path).items()}
            refuse_backups(files)
            return files
        return {normal_name: path.read_bytes()} if path.is_file() else {}


def make_public_part(task_id: str, folder: Path) -> Files:
    """Return the public part of a reference in the organizers' own formats. Raises Refused."""
    settings = load_task(task_id).settings(folder)

    def read_vocabulary() -> bytes | None:
        return reference_vocabulary(task_id, folder)

    return make_public_data(PublicSource(task_id, folder, settings, read_vocabulary)).files
