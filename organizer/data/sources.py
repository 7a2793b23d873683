"""The organizers' own files, which may be zipped."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from organizer.files import DAMAGED
from validator.findings import Findings
from validator.submission import is_junk


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
        try:
            with zipfile.ZipFile(source) as archive:
                archive.extractall(folder)
        except DAMAGED as error:
            problem = f"the zip cannot be unpacked ({type(error).__name__})"
            Findings().refuse("E-REF-MISSING", problem, "give the folder of the files", file=str(source))
        entries = visible_entries(folder)
        yield entries[0] if len(entries) == 1 and entries[0].is_dir() else folder


def visible_entries(folder: Path) -> list[Path]:
    """Return what is in a folder, in ascending order, without hidden files and those of the system."""
    return [
        path for path in sorted(folder.iterdir()) if not (path.name.startswith(".") or is_junk(path.name))
    ]
