"""Folders as mappings of names to bytes, and zips of them: the same content always gives the same bytes.

And files that survive a power cut, in folders that one process at a time works in.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import socket
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from organizer import ROOT
from scoring_program.report.outputs import replacing
from validator.submission import read_errors

# The content of a folder by POSIX names.
Files = Mapping[str, bytes]
DAMAGED: tuple[type[Exception], ...] = (*read_errors(), lzma.LZMAError)
"""What reading a zip raises that is damaged, encrypted, or packed in a way that Python does not know."""

# A whole number may be too large for a float.
MALFORMED = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What is raised by reading a JSON file that is not there, is no JSON, or has another form."""

GIT_IGNORE = ".gitignore"
_HASH_BLOCK = 1 << 24
_COMPRESSED = (".png", ".zip")
_EPOCH = (1980, 1, 1, 0, 0, 0)
# The name that `replacing` gives, with the id of the process.
_UNFINISHED = re.compile(r"\..+\.[0-9]+\.tmp")


def zip_bytes(files: Files) -> bytes:
    """Return a zip of the files: names sorted, one fixed date, plain permissions."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            info.create_system = 3
            # To compress again takes long and gains little.
            is_compressed = name.endswith(_COMPRESSED)
            info.compress_type = zipfile.ZIP_STORED if is_compressed else zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name])
    return buffer.getvalue()


def folder_paths(folder: Path) -> dict[str, Path]:
    """Return the paths of the files below a folder by their POSIX names, without hidden and compiled ones."""
    paths = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_left_out = any(part.startswith((".", "__pycache__")) for part in name.parts)
        if path.is_file() and not is_left_out:
            paths[name.as_posix()] = path
    return paths


def folder_files(folder: Path) -> dict[str, bytes]:
    """Return the content of the files of `folder_paths` by their names."""
    return {name: path.read_bytes() for name, path in folder_paths(folder).items()}


def samples_folder(task_id: str) -> Path:
    """Return the folder of a task's sample submissions."""
    return ROOT / "starting_kit" / "samples" / task_id


def files_below(folder: str, files: Files) -> dict[str, bytes]:
    """Return those files that are in a folder, by their names there."""
    head = f"{folder}/"
    return {name[len(head) :]: data for name, data in files.items() if name.startswith(head)}


def read_zip(path: Path) -> dict[str, bytes]:
    """Return the files in a zip by their names."""
    return zip_files(path.read_bytes())


def zip_files(data: bytes) -> dict[str, bytes]:
    """Return the files in the content of a zip by their names."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def write_files(files: Files, folder: Path) -> None:
    """Write files below a new folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def rewrite_files(files: Mapping[str, str | bytes], folder: Path) -> None:
    """Write files below a folder as `write_durable` does; remove what killed processes left beside them."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_durable(folder / name, data)
    for parent in {(folder / name).parent for name in files}:
        remove_unfinished(parent)


def new_folder(parent: Path, name: str) -> Path:
    """Return the path of a folder that is not there: ``name``, ``name_2``, ``name_3`` and so on."""
    folder, number = parent / name, 2
    while folder.exists():
        folder, number = parent / f"{name}_{number}", number + 1
    return folder


def unpack(archive: bytes, folder: Path) -> None:
    """Unpack one of our own zips."""
    with zipfile.ZipFile(io.BytesIO(archive)) as zip_file:
        zip_file.extractall(folder)


@contextmanager
def folder_with(names: Collection[str], files: Path | bytes) -> Iterator[Path]:
    """Give a folder as it is, or, for a zip, one with those of its files that have these names."""
    if isinstance(files, Path):
        yield files
        return
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(io.BytesIO(files)) as archive:
            for name in {*archive.namelist()} & {*names}:
                archive.extract(name, folder)
        yield Path(folder)


def keep_out_of_git(folder: Path) -> None:
    """Let git ignore all files of a folder with hidden labels, unless it has a ``.gitignore`` already."""
    path = folder / GIT_IGNORE
    if not path.exists():
        write_durable(path, "*\n")


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read. Raises FileExistsError."""
    path.touch(mode=0o600, exist_ok=False)
    path.write_bytes(data)


@contextmanager
def work_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Give an empty folder in another one that nobody else can read and that is removed at the end.

    Those that killed processes left are removed, too: they may hold hidden labels. Raises LockedError if
    another process is at it, and OSError.
    """
    with locked(parent), tempfile.TemporaryDirectory(dir=parent, prefix=prefix) as name:
        for left_over in parent.glob(f"{prefix}*"):
            if left_over != Path(name):
                shutil.rmtree(left_over)
        yield Path(name)


def write_durable(path: Path, content: str | bytes) -> None:
    """Write a file so that after a power cut there is the old one or the new one, never a part.

    Text is written as UTF-8. Raises OSError; then the old file is as it was.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    with replacing(path) as temporary, temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    _sync(path.parent)


def remove_unfinished(folder: Path) -> None:
    """Remove the files that `write_durable` had not yet renamed when its process was killed.

    To be called by the only process that works in the folder.
    """
    for path in folder.glob(".*.tmp"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Return JSON with a line for each member of the outermost object, so that files can be compared."""
    lines = []
    for key, value in content.items():
        lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    # Half of a character, which UTF-8 does not have, is written as JSON escapes it.
    return text.encode("utf-8", "backslashreplace")


def read_if_any(path: Path) -> bytes | None:
    """Return the content of a file, None if there is none. Raises OSError."""
    return path.read_bytes() if path.is_file() else None


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hex, read in blocks."""
    total = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_HASH_BLOCK):
            total.update(block)
    return total.hexdigest()


class LockedError(Exception):
    """Another process works in a folder; the message says which."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes that call this out of a folder. Raises LockedError if one is in it.

    The system ends the lock with the process. Where the file system has no locks, the name of the process
    stays in the file after a power cut, and the message says so. The empty file stays: were it removed, two
    processes could lock one each.
    """
    path = folder / ".lock"
    with path.open("a+", encoding="utf-8") as stream:
        _lock(stream, path)
        stream.truncate(0)
        stream.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        stream.flush()
        try:
            yield
        finally:
            stream.truncate(0)


def _lock(stream: TextIO, path: Path) -> None:
    """Lock an open file. Raises LockedError if another process has it."""
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.seek(0)
        raise LockedError(f"{stream.read().strip() or 'another process'} works here") from None
    except OSError:
        stream.seek(0)
        holder = stream.read().strip()
        if holder:
            raise LockedError(f"{holder} works here; if it is gone, delete {path}") from None


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder, which takes the place of ``folder`` at the end, by two renames.

    After an exception ``folder`` is as it was. After a power cut the next call makes it so, or, if the new
    folder was in its place, removes the old one. Raises LockedError if another process is at it, and OSError.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    work = folder.with_name(f".{folder.name}.replacing")
    old_path, new_path = work / ".old", work / folder.name

    def restore_and_clean() -> None:
        if old_path.is_dir() and not folder.exists():
            old_path.rename(folder)
        for path in (old_path, new_path):
            if path.is_dir():
                shutil.rmtree(path)

    # Nobody else reads what a killed process leaves here, and git does not take it.
    work.parent.mkdir(parents=True, exist_ok=True)
    work.mkdir(mode=0o700, exist_ok=True)
    with locked(work):
        try:
            restore_and_clean()
            keep_out_of_git(work)
            new_path.mkdir()
            yield new_path
            for path in (*new_path.rglob("*"), new_path, work):
                _sync(path)
            if folder.exists():
                folder.rename(old_path)
            new_path.rename(folder)
            _sync(folder.parent)
        finally:
            restore_and_clean()
            shutil.rmtree(work)
