"""The organizers' own files, which may be zipped."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from organizer.files import DAMAGED
from validator.findings import Findings

JUNK = ("__MACOSX", "Thumbs.db", "desktop.ini")
"""What macOS adds to a zip, and Windows to a folder, apart from hidden files."""


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
        entries = [
            path for path in folder.iterdir() if path.name not in JUNK and not path.name.startswith(".")
        ]
        yield entries[0] if len(entries) == 1 and entries[0].is_dir() else folder
