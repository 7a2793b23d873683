"""Checking the organizers' own reference files and writing a reference folder."""

from __future__ import annotations

import fnmatch
import io
import json
import os
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from organizer.data.marks import add_marks
from organizer.data.overview import SUFFIX, Overview
from organizer.data.progress import step
from organizer.data.sources import ZIP_MAGIC, head_of, refuse_no_folder, visible_entries
from organizer.data.vocabulary import check_kinds, complete_vocabulary, copy_vocabulary
from organizer.files import (
    GIT_IGNORE,
    MALFORMED,
    LockedError,
    file_hash,
    folder_files,
    folder_paths,
    keep_out_of_git,
    replacing_folder,
    write_durable,
    write_private,
)
from organizer.tasks import content_of
from people_in_video.drawings.images import Images
from people_in_video.references.preparation import (
    Options,
    carried_files,
    check_reference,
    source_files,
    write_prepared,
)
from scoring_program import item_groups
from scoring_program.marks import Mark
from scoring_program.scoring import load_reference
from scoring_program.signature import KEY_FILE, VOCABULARY_FILE, read_key
from scoring_program.task import Task, load_task
from validator.findings import Findings, Note
from validator.kinds import kind_of, refuse_other_kind
from validator.limits import shortage_of
from validator.texts import counted, printable, quote, some_words

_NAMED = 20
SYNTHETIC_MARK = "SYNTHETIC.md"
# The option of `prepare` with the file of the vocabulary, a path.
VOCABULARY_OPTION = "vocabulary"
MANIFEST = ".manifest.json"
"""The names and SHA-256 of the files that the last run wrote; hidden, so that it is in no bundle or hash."""
# Written or carried over by each run, or missed by nobody.
_SHOWN_NAMES = 3
_OUR_FILES = (MANIFEST, KEY_FILE, SUFFIX, ".DS_Store")
# Of files that are no text; MATLAB 7.3 writes HDF5 files.
_BEGINNINGS = {"MAT": (b"MATLAB ", b"\x89HDF"), "ZIP": (ZIP_MAGIC,)}


def prepare(
    task_id: str, source: Path, output: Path, options: Options | None = None
) -> tuple[Overview, list[Note]]:
    """Check the files in ``source`` and write the reference folder ``output`` if nothing is wrong.

    What was in ``output`` is gone then. Files that the task does not convert are checked and copied;
    ``options`` go to the task. Raises Refused.
    """
    with replacing_folder(output.resolve()) as folder:
        return _write_reference(task_id, source, folder, options or {})


def _write_reference(
    task_id: str, source: Path, folder: Path, options: Options
) -> tuple[Overview, list[Note]]:
    """Check the files in ``source`` and write the reference into an empty folder. Raises Refused."""
    task = load_task(task_id)
    with Findings.collect() as findings:
        refuse_no_folder(source)
        settings = task.settings(source)
        for name in source_files(task, source, settings):
            with findings.part():
                _refuse_other_kind(source / name)
        findings.refuse_problems()
        with findings.part():
            task_options = dict(options)
            vocabulary_path = task_options.pop(VOCABULARY_OPTION, None)
            with step("reading the files"):
                notes = write_prepared(task, source, folder, settings, task_options)
            if vocabulary_path is not None:
                copy_vocabulary(vocabulary_path, folder)
            with step("checking what they hold"):
                loaded = load_reference(task, folder, task.settings(folder))
                check_kinds(loaded, folder, vocabulary_path.name if vocabulary_path else VOCABULARY_FILE)
                notes += check_reference(loaded)
                notes += complete_vocabulary(loaded, folder)
                overview = Overview(loaded, content_of(loaded))
        read_names = source_files(task, source, settings)
        expected_names = {*read_names, *carried_files(source, settings)}
        # Where the reference is right, files that are left out are a warning in its overview.
        reported_in = overview.content.warnings if findings.ok else findings
        _report_left_out(task, source, read_names, expected_names, reported_in)
    return overview, notes


def _refuse_other_kind(path: Path) -> None:
    """Raise Refused if a file is not what its name says; all files are asked before one is read."""
    expected_kind = path.suffix.lstrip(".").upper()
    if path.is_file() and expected_kind in ("JSON", "CSV", "MAT", "ZIP"):
        head = head_of(path)
        if not head.startswith(_BEGINNINGS.get(expected_kind, ())):
            refuse_other_kind(head, path.name, expected_kind)


def _is_packed(path: Path) -> bool:
    kind = kind_of(head_of(path))
    return kind is not None and kind.is_archive


def _is_table_of_groups(path: Path) -> bool:
    """Return whether a file looks like one that the setting may name: a CSV file with its header."""
    if path.suffix != ".csv" or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        return lines.readline().strip().split(",") == item_groups.HEADER


def _report_left_out(
    task: Task,
    source: Path,
    read_names: Sequence[str],
    expected_names: Collection[str],
    findings: Findings,
) -> None:
    """Report the files that are no part of the reference of a task."""
    needed_names = {SYNTHETIC_MARK, *expected_names}
    left_out = [path for path in visible_entries(source) if path.name not in needed_names]
    if left_out:
        names = some_words([quote(path.name) for path in left_out], most=_NAMED)
        noun = "folder" if all(path.is_dir() for path in left_out) else "file"
        problem = f"{counted(len(left_out), noun)} left out: {names}"
        remedy = _remedy_of_left_out(task, left_out, read_names)
        findings.add("R-LEFT-OUT", problem, remedy, file=source.name)


def _remedy_of_left_out(task: Task, paths: Sequence[Path], read_names: Sequence[str]) -> str:
    """Return what to do if files or folders were meant that are left out, as beside a prepared reference."""
    patterns = task.reference_files
    is_prepared = task.prepared_file in read_names or any(
        path.is_file() and path.match(pattern) for path in paths for pattern in patterns
    )
    remedy = "correct the names if they belong to the reference"
    if is_prepared:
        remedy = f"{some_words(read_names)} alone is read: take it away, if the official files are meant"
    elif patterns:
        remedy += f", whose files are {', '.join(patterns)}"
    folders = [folder for path in paths if path.is_dir() for folder in _folders_of_files(path, patterns)]
    if len(folders) > 1:
        remedy += f"; files of a reference are in {len(folders):,} folders: put them into one, if meant"
    elif folders:
        folder = quote(folders[0])
        remedy += f"; files of a reference are in the folder {folder}: give it as the source, if meant"
    packed = [quote(path.name) for path in paths if path.is_file() and _is_packed(path)]
    if packed:
        remedy += f"; unpack {some_words(packed, most=_SHOWN_NAMES)}, if meant"
    tables_of_groups = [quote(path.name) for path in paths if _is_table_of_groups(path)]
    if tables_of_groups:
        remedy += f"; to group items, write item_groups: {tables_of_groups[0]} into settings.yaml"
    return remedy


def _folders_of_files(top: Path, patterns: Sequence[str]) -> list[str]:
    """Return the folders below one, and itself, that hold files of a reference, perhaps of a million."""
    folders = []
    for parent, _, names in os.walk(top):
        if any(fnmatch.filter(names, pattern) for pattern in patterns):
            folders.append(Path(parent).relative_to(top.parent).as_posix())
    return folders


def prepare_command(
    task_id: str, source: Path, output: Path, replace: bool, options: Options, images: Images
) -> int:
    """Prepare reference files and print what was found; return 1 if nothing was written.

    ``output`` is an absolute path, ``options`` go to the task, and ``images`` are for the overview.
    """
    findings = Findings()
    with findings.part():
        try:
            overview, notes, marks = _replace(task_id, source, output, options, replace)
        except OSError as error:
            place = f": {error.filename}" if error.filename else ""
            problem = f"it cannot be prepared: {error.strerror}{place}"
            shortage = shortage_of(error)
            remedy = shortage.remedy if shortage else "check the path and its permissions"
            findings.add("E-OUTPUT", problem, remedy, file=str(output))
    if not findings.ok:
        print(*findings.lines(most=None), sep="\n")
        return 1
    lines = [*(f"note {note.line()}" for note in notes), *overview.lines()]
    lines += [f"mark: {mark.score:.4f}  {mark.name}: {mark.text}" for mark in marks]
    lines.append(f"written: {output}")
    with step("drawing the overview"):
        lines.append(overview.write(output / SUFFIX, images))
    print(*map(printable, lines), sep="\n")
    return 0


def _replace(
    task_id: str, source: Path, output: Path, options: Options, replace: bool
) -> tuple[Overview, list[Note], list[Mark]]:
    """Do as `prepare`, write a key for signatures, marks and a manifest, too, and lose nothing of others.

    Files in ``output`` that the manifest of the last run does not list, or that were edited since, are
    refused unless ``replace`` is true. Raises Refused and OSError.
    """
    if output in (source.resolve(), *source.resolve().parents):
        problem, remedy = "the output would take the place of the source", "choose another folder"
        Findings().refuse("E-OUTPUT", problem, remedy, file=str(output))
    with refused_if_locked(output), replacing_folder(output) as folder:
        overview, notes = _write_reference(task_id, source, folder, options)
        if (output / GIT_IGNORE).is_file():
            shutil.copyfile(output / GIT_IGNORE, folder / GIT_IGNORE)
        refuse_to_lose(output, folder, replace)
        if not (folder / KEY_FILE).is_file():
            copy_key(output, folder)
        add_key(folder, source)
        marks = add_marks(task_id, folder)
        write_manifest(folder)
    return overview, notes, marks


@contextmanager
def refused_if_locked(output: Path) -> Iterator[None]:
    """Raise Refused if another process works in a folder."""
    try:
        yield
    except LockedError as error:
        Findings().refuse("E-OUTPUT", str(error), "wait until it is done", file=str(output))


def write_manifest(folder: Path) -> None:
    """Write the names and hashes of the visible files of a folder into it, for `refuse_to_lose`."""
    hash_of_name = {name: file_hash(path) for name, path in folder_paths(folder).items()}
    write_durable(folder / MANIFEST, json.dumps(hash_of_name, indent=1) + "\n")


def refuse_to_lose(output: Path, folder: Path, replace: bool) -> None:
    """Refuse to lose files of ``output`` that are neither ours and unchanged nor in the new ``folder``.

    With ``replace`` these files may be lost, but no folders: what holds some was never written here, as the
    folder of all references, or a checkout. Raises Refused.
    """
    if not output.is_dir():
        return
    names = [path.name for path in sorted(output.iterdir()) if path.is_dir() and path.name[0] != "."]
    if names:
        problem = f"there are folders in it, which would be lost: {some_words(names, most=_SHOWN_NAMES)}"
        Findings().refuse("E-REF-OTHER", problem, "choose another folder", file=str(output))
    if replace:
        return
    written_hashes = _read_manifest(output)
    paths = sorted(path for path in output.rglob("*") if path.is_symlink() or not path.is_dir())
    with Findings.collect() as findings:
        for path in paths:
            name = path.relative_to(output).as_posix()
            content_hash = file_hash(path) if path.is_file() else ""
            is_ours = name in _OUR_FILES or content_hash == written_hashes.get(name)
            if is_ours or _has_content(folder / name, content_hash):
                continue
            problem = (
                "was edited since it was written" if name in written_hashes else "is not of this command"
            )
            remedy = "move it away, or add --replace to lose it"
            place = {"file": output.name, "where": name, "rule": name}
            findings.add("E-REF-OTHER", f"this file {problem}", remedy, **place)


def _read_manifest(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that the last run wrote, none if it cannot be read."""
    try:
        return dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except MALFORMED:
        return {}


def _has_content(path: Path, content_hash: str) -> bool:
    return path.is_file() and file_hash(path) == content_hash


def copy_key(source: Path, folder: Path) -> None:
    """Copy the key for signatures of a reference folder, if there is one, to another folder."""
    if (source / KEY_FILE).is_file():
        write_private(folder / KEY_FILE, (source / KEY_FILE).read_bytes())


def add_key(folder: Path, source: Path) -> bool:
    """Write a key for signatures into a reference folder that has none, and keep the folder out of git.

    Return whether a key was written. Where ``source`` is demo data, nothing is hidden and nothing is written.
    Raises Refused if the key cannot be written.
    """
    if is_synthetic(source):
        return False
    path = folder / KEY_FILE
    is_missing = not path.is_file()
    try:
        keep_out_of_git(folder)
        if is_missing:
            write_private(path, f"{secrets.token_hex(16)}\n".encode())
    except OSError as error:
        problem = f"the key for signatures cannot be written: {error.strerror}"
        remedy = "write 32 random hexadecimal digits into it"
        Findings().refuse("E-REF-KEY", problem, remedy, file=str(path))
    return is_missing


def is_synthetic(reference: Path | bytes) -> bool:
    """Return whether a reference, a folder or a zip, is synthetic demo data."""
    if isinstance(reference, Path):
        return (reference / SYNTHETIC_MARK).is_file()
    with zipfile.ZipFile(io.BytesIO(reference)) as archive:
        return SYNTHETIC_MARK in archive.namelist()


def reference_files(task_id: str, folder: Path) -> dict[str, bytes]:
    """Return the files of a reference folder, prepared if the platform cannot read the official ones.

    Raises Refused if they cannot be prepared, the key for signatures cannot be read, or files were added to
    those that `prepare` has written, which no program need read.
    """
    task = load_task(task_id)
    read_key(folder)
    files = folder_files(folder)
    written_names = _read_manifest(folder)
    added_names = files.keys() - written_names.keys() - {*carried_files(folder, task.settings(folder))}
    if written_names:
        remedy = "take it away; to correct a reference, correct your own files and prepare it again"
        with Findings.collect() as findings:
            for name in sorted(added_names):
                findings.add("E-REF-OTHER", "organizer prepare has not written this file", remedy, file=name)
    if not task.prepared_file or task.prepared_file in files:
        return files
    mark = {name: data for name, data in files.items() if name == SYNTHETIC_MARK}
    with tempfile.TemporaryDirectory() as work:
        _write_reference(task_id, folder, Path(work), {})
        return {**folder_files(Path(work)), **mark}
