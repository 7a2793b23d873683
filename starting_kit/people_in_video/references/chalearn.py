"""Preparing the references of both tracks of ChaLearn: their CSV files become one file."""

from __future__ import annotations

import json
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

import numpy as np

from people_in_video.references.preparation import Notes, Options, Preparation, declared_files
from scoring_program.challenges.chalearn.reference import PREPARED_FILE, Reference, read_contents
from scoring_program.settings import Settings
from scoring_program.task import Task
from validator.findings import Findings
from validator.formats.chalearn.read import Rows
from validator.texts import quote

# What reading a zip raises that is cut off, changed or encrypted.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)


def write_prepared(contents: Mapping[str, bytes], path: Path) -> None:
    """Write the CSV files of a reference as one file, a line for each."""
    lines = []
    for name, content in sorted(contents.items()):
        lines.append(f"{json.dumps(name)}: {json.dumps(content.decode())}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load_source(task: Task, source: Path, settings: Settings) -> Reference:
    """Read the CSV files of a folder, and of the zips there, and check them. Raises Refused.

    The challenge gave out a ``SampleNNNN.zip`` for each sequence, with its videos. Files beside zips go
    before those in them.
    """
    zips = _sample_zips(source)
    if not zips:
        reference: Reference = task.load(source, settings)
        return reference
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in zips:
            _unpack_files(path, folder)
        for file_name, content in read_contents(source).items():
            (folder / file_name).write_bytes(content)
        reference = task.load(folder, settings)
    return reference


def _unpack_files(path: Path, folder: Path) -> None:
    """Write the CSV files of sequences in a zip into a folder. Raises Refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            content_of_name = {
                PurePosixPath(member).name: archive.read(member) for member in _csv_members(archive)
            }
    except _DAMAGED:
        problem, remedy = "this zip is damaged or encrypted", "unpack it, or download it again"
        Findings().refuse("E-FILE-KIND", problem, remedy, file=path.name)
    for name, content in content_of_name.items():
        file = folder / name
        if file.exists() and file.read_bytes() != content:
            problem = f"the {quote(name)} in it is not that of the zips before"
            Findings().refuse("E-FILE-TWICE", problem, "name files by their sequence", file=path.name)
        file.write_bytes(content)


def _sample_zips(folder: Path) -> list[Path]:
    """Return the zips of a folder with CSV files of sequences, in ascending order."""
    zips = [path for path in sorted(folder.glob("*.zip")) if not path.name.startswith(".")]
    return [path for path in zips if _may_have_files(path)]


def _may_have_files(path: Path) -> bool:
    """Return whether a zip has CSV files of sequences, or is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return bool(_csv_members(archive))
    except _DAMAGED:
        return True


def _csv_members(archive: zipfile.ZipFile) -> list[str]:
    """Return the names of the CSV files of sequences in a zip; macOS adds some that are none."""
    names = [name for name in archive.namelist() if name.endswith(("_labels.csv", "_data.csv"))]
    return [name for name in names if not PurePosixPath(name).name.startswith("._")]


def _sources(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the prepared file if there is one, which is read alone, or the CSV files and zips of them."""
    if (source / PREPARED_FILE).is_file():
        return [PREPARED_FILE]
    return [*declared_files(task, source, settings), *(path.name for path in _sample_zips(source))]


def _write(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Check the CSV files and write them as one file."""
    write_prepared(load_source(task, source, settings).contents, output / PREPARED_FILE)
    return []


def _select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some sequences, which are all that remain."""
    is_selected = np.array([sequence in items for sequence in reference.sequences], dtype=bool)
    is_theirs = is_selected[reference.rows.sequence]
    rows = Rows(*(column[is_theirs] for column in reference.rows))
    new_number = np.cumsum(is_selected) - 1
    return reference._replace(
        sequences=[sequence for sequence in reference.sequences if sequence in items],
        n_frames=reference.n_frames[is_selected],
        rows=rows._replace(sequence=new_number[rows.sequence]),
    )


PREPARATIONS = dict.fromkeys(
    ("chalearn_action", "chalearn_gesture"),
    Preparation(_sources, _write, select_items=_select_items),
)
