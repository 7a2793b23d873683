"""Checking the organizers' own reference files and writing a reference folder."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from organizer.data.corenlp import lemmatize
from organizer.files import folder_files
from scoring_program.signature import KEY_FILE
from scoring_program.task import load_task
from validator.findings import Findings, Note

SYNTHETIC_MARK = "SYNTHETIC.md"


def prepare(task_id: str, source: Path, output: Path, options: Mapping[str, Any] | None = None) -> list[Note]:
    """Check the files in ``source`` and write the reference folder ``output`` if nothing is wrong.

    Files that the task does not convert are checked and copied; ``options`` go to the task. Raises Refused.
    """
    task = load_task(task_id)
    with Findings.collect() as findings:
        if not source.is_dir():
            findings.refuse("E-REF-MISSING", "there is no such folder", "check the path", file=str(source))
        settings = task.settings(source)
        # Files are moved to the output at the end, so that a reference with problems never looks prepared.
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=".prepare-") as folder:
            work = Path(folder)
            notes = task.prepare(source, work, settings, dict(options or {}))
            notes += task.load(work, task.settings(work)).check()
            output.mkdir(exist_ok=True)
            for path in work.iterdir():
                path.replace(output / path.name)
    return notes


def prepare_command(
    task_id: str, source: Path, output: Path, corenlp: Path | None, force_corenlp: bool
) -> int:
    """Prepare reference files and print what was found; return 1 if nothing was written."""
    options = {"lemmatize": partial(lemmatize, corenlp, force_corenlp)} if corenlp else {}
    findings = Findings()
    with findings.part():
        try:
            findings.notes += prepare(task_id, source, output, options)
            add_key(output, source)
        except OSError as error:
            problem = f"it cannot be prepared: {error.strerror}: {error.filename}"
            findings.add("E-OUTPUT", problem, "check the path and its permissions", file=str(output))
    # After a problem nothing was written, so there is nothing to note.
    for note in findings.notes if findings.ok else ():
        print(f"note {note.line()}")
    for line in findings.lines(shown=None):
        print(line)
    return 0 if findings.ok else 1


def add_key(folder: Path, source: Path) -> None:
    """Write a key for signatures into a reference folder that has none, unless ``source`` is demo data.

    Raises Refused if it cannot be written.
    """
    path = folder / KEY_FILE
    if path.is_file() or (source / SYNTHETIC_MARK).is_file():
        return
    try:
        path.write_text(f"{secrets.token_hex(16)}\n", encoding="ascii")
    except OSError as error:
        problem = f"the key for signatures cannot be written: {error.strerror}"
        remedy = "write 32 random hexadecimal digits into it"
        Findings().refuse("E-REF-KEY", problem, remedy, file=str(path))


def reference_files(task_id: str, folder: Path) -> dict[str, bytes]:
    """Return the files of a reference folder, prepared if the platform cannot read the official ones.

    Raises Refused if they cannot be prepared.
    """
    task = load_task(task_id)
    files = folder_files(folder)
    if not task.prepared_file or task.prepared_file in files:
        return files
    with tempfile.TemporaryDirectory() as work:
        prepare(task_id, folder, Path(work))
        prepared = folder_files(Path(work))
    mark = {name: data for name, data in files.items() if name == SYNTHETIC_MARK}
    return {**prepared, **mark}
