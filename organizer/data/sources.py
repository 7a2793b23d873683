"""The organizers' own files, which may be zipped."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from organizer.files import DAMAGED
from validator.findings import Findings
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.submission import is_junk

ZIP_MAGIC = b"PK"
"""How a zip begins, be it empty, damaged or cut off."""


@contextmanager
def unpacked_source(source: Path) -> Iterator[Path]:
    """Give the folder of files: what is given, or a zip unpacked, and in it the folder that holds all.

    Raises Refused if the zip is damaged.
    """
    if not (source.is_file() and zipfile.is_zipfile(source)):
        yield source
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, source.stem)
        folder.mkdir()
        try:
            with zipfile.ZipFile(source) as archive:
                archive.extractall(folder)
        except DAMAGED as error:
            problem = f"the zip cannot be unpacked ({type(error).__name__})"
            Findings().refuse("E-REF-MISSING", problem, "give the folder of the files", file=str(source))
        while len(entries := visible_entries(folder)) == 1 and entries[0].is_dir():
            folder = entries[0]
        yield folder


def refuse_no_folder(source: Path) -> None:
    """Raise Refused if a source is no folder; what else it is decides what is said."""
    if source.is_dir():
        return
    if not source.is_file():
        Findings().refuse("E-REF-MISSING", "there is no such folder", "check the path", file=str(source))
    head = head_of(source)
    if head.startswith(ZIP_MAGIC) and not zipfile.is_zipfile(source):
        problem, remedy = "this zip is damaged, or cut off", "download it again, or give the folder"
        Findings().refuse("E-REF-MISSING", problem, remedy, file=str(source))
    if not head.startswith(ZIP_MAGIC):
        refuse_other_kind(head, str(source), "a folder or a zip")
    problem, remedy = "this is a file, not a folder or a zip", "give the folder of the files"
    Findings().refuse("E-REF-MISSING", problem, remedy, file=str(source))


def head_of(path: Path) -> bytes:
    """Return the bytes with which a file begins, as many as tell its kind."""
    with path.open("rb") as stream:
        return stream.read(HEAD_BYTES)


def visible_entries(folder: Path) -> list[Path]:
    """Return what is in a folder, in ascending order, without hidden files and those of the system."""
    return [
        path for path in sorted(folder.iterdir()) if not (path.name.startswith(".") or is_junk(path.name))
    ]
