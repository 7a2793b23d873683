"""Unpacking a submission as Codabench's worker does, so that organizers judge what the site judges.

The worker calls `zipfile.ZipFile.extractall` on Linux. Links and special files become files with their bytes,
of equal names the last one counts, and names lose empty parts, "." and "..". If the submission is described
as a program, its command is run, and only what that writes is scored. Beside the files the worker puts one of
its own, ``metadata``.
"""

from __future__ import annotations

import errno
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import yaml

from validator.findings import Findings
from validator.strict_yaml import load_plain
from validator.submission import PLATFORM_FILES, Limits, open_zip

_PIECE = 65_536
_MOST_METADATA_BYTES = 1 << 16
# What is not written may be said to be larger than any file system takes.
_LARGEST_FILE = 1 << 40
# The fault of the machine, not of the zip.
_MACHINE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EMFILE)


def unpack_as_worker(path: Path, folder: Path, limits: Limits) -> None:
    """Unpack the zip at ``path`` into a new folder, with the file that the platform puts beside.

    What exceeds the limits of bytes is not written: such a file has its size, but no content.

    Raises
    ------
    Refused
        The worker cannot unpack it, or it has more entries than a submission may have files.
    OSError
        The folder cannot be written, as on a full disk.
    """
    folder.mkdir()
    with ExitStack() as stack:
        stream = stack.enter_context(path.open("rb"))
        with Findings.collect() as findings:
            archive = open_zip(stream, path.name, limits, findings, stack)
        n_left = limits.total_bytes
        # As the worker: of entries with the same name each time the last one.
        for name in dict.fromkeys(archive.namelist()):
            info = archive.getinfo(name)
            try:
                n_left -= _extract(archive, info, folder, min(limits.file_bytes, n_left))
            # Whatever the libraries raise that inflate; too little memory is what a file asks for.
            except Exception as error:
                if isinstance(error, OSError) and error.errno in _MACHINE_ERRORS:
                    raise
                problem = "the site cannot unpack this file"
                Findings().refuse("E-ZIP-DAMAGED", problem, "create the zip again", file=name)
    _leave_as_after_a_run(folder)


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path, most_bytes: int) -> int:
    """Write a file, of at most ``most_bytes``, or a folder; return how many bytes were written."""
    parts = [part for part in info.filename.split("/") if part not in ("", ".", "..")]
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    if info.is_dir():
        path.mkdir(exist_ok=True)
        return 0
    n_bytes = 0
    with archive.open(info) as source, path.open("wb") as target:
        while piece := source.read(_PIECE):
            if n_bytes + len(piece) > most_bytes:
                target.truncate(min(info.file_size, _LARGEST_FILE))
                break
            n_bytes += target.write(piece)
    return n_bytes


def _leave_as_after_a_run(folder: Path) -> None:
    """Leave what the worker gives to the scoring program: nothing of a submission that has a command."""
    described = [folder / name for name in PLATFORM_FILES if (folder / name).exists()]
    # A folder of this name ends the worker's run; the scoring program refuses it.
    if described and described[0].is_dir():
        return
    if described and _holds_command(described[0]):
        shutil.rmtree(folder)
        folder.mkdir()
    if not (folder / "metadata").is_dir():
        add_platform_file(folder)


def _holds_command(path: Path) -> bool:
    """Return whether a platform would take a file for the description of a program.

    One that is no UTF-8, or too large to be looked at, is taken for it.
    """
    with path.open("rb") as stream:
        data = stream.read(_MOST_METADATA_BYTES + 1)
    if len(data) > _MOST_METADATA_BYTES:
        return True
    try:
        content = load_plain(data.decode("utf-8"))
    except UnicodeDecodeError:
        return True
    except yaml.YAMLError:
        return False
    return isinstance(content, Mapping) and bool(content.get("command"))


def add_platform_file(folder: Path) -> None:
    """Put the file into a folder that the worker puts beside every submission."""
    (folder / "metadata").write_text("description: placed by the platform\n", encoding="ascii")
