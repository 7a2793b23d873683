"""Checking the organizers' own reference files and writing a reference folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from organizer.data.corenlp import lemmatize
from organizer.data.references import refuse_problems
from organizer.files import folder_files
from scoring_program.challenge import load_challenge
from scoring_program.settings import SETTINGS_FILE, read_settings
from validator.findings import Findings, counted, quote

SYNTHETIC_MARK = "SYNTHETIC.md"
_SHOWN_NAMES = 5


def check_reference(challenge_id: str, folder: Path, findings: Findings) -> None:
    """Add the problems of a reference folder to ``findings``."""
    if not folder.is_dir():
        findings.add("E-REF-MISSING", "there is no such folder", "check the path", file=str(folder))
        return
    challenge = load_challenge(challenge_id)
    program = challenge.program()
    settings = read_settings(folder, challenge.settings, findings)
    reference = program.load_reference(folder, settings, findings)
    if findings.ok:
        program.check_reference(folder, settings, reference, findings)


def prepare(
    challenge_id: str, source: Path, output: Path, options: Mapping[str, Any] | None = None
) -> Findings:
    """Check the files in ``source`` and write the reference folder ``output`` if nothing is wrong.

    Files that the program of the challenge does not convert are checked and copied; ``options`` go to the
    program.
    """
    findings = Findings()
    if not source.is_dir():
        findings.add("E-REF-MISSING", "there is no such folder", "check the path", file=str(source))
        return findings
    challenge = load_challenge(challenge_id)
    program = challenge.program()
    settings = read_settings(source, challenge.settings, findings)
    if not findings.ok:
        return findings
    # Files are moved to the output at the end, so that a reference with problems never looks prepared.
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".prepare-") as folder:
        work = Path(folder)
        if program.prepare_reference(source, work, settings, dict(options or {}), findings):
            if findings.ok and (source / SETTINGS_FILE).is_file():
                shutil.copyfile(source / SETTINGS_FILE, work / SETTINGS_FILE)
        else:
            _copy(program.reference_files, source, work, findings)
        if findings.ok:
            check_reference(challenge_id, work, findings)
        if findings.ok:
            output.mkdir(exist_ok=True)
            for path in work.iterdir():
                path.replace(output / path.name)
        else:
            # Nothing was written, so there is nothing to note.
            findings.notes.clear()
    return findings


def prepare_command(
    challenge_id: str, source: Path, output: Path, corenlp: Path | None, force_corenlp: bool
) -> int:
    """Prepare reference files and print what was found; return 1 if nothing was written."""
    options = {"lemmatize": partial(lemmatize, corenlp, force_corenlp)} if corenlp else {}
    try:
        findings = prepare(challenge_id, source, output, options)
    except OSError as error:
        findings = Findings()
        problem = f"it cannot be prepared: {error.strerror}: {error.filename}"
        findings.add("E-OUTPUT", problem, "check the path and its permissions", file=str(output))
    for note in findings.notes:
        print(f"note {note.line()}")
    for line in findings.lines(shown=None):
        print(line)
    return 0 if findings.ok else 1


def _copy(patterns: Sequence[str], source: Path, output: Path, findings: Findings) -> None:
    kept = sorted({path for pattern in (*patterns, SETTINGS_FILE) for path in source.glob(pattern)})
    for path in kept:
        shutil.copyfile(path, output / path.name)
    others = sorted(path.name for path in source.iterdir() if path not in kept)
    shown = ", ".join(quote(name) for name in others[:_SHOWN_NAMES]) + (
        ", …" if len(others) > _SHOWN_NAMES else ""
    )
    left = f"left out {counted(len(others), 'other')}" + (f": {shown}" if others else "")
    findings.note("N-REF-COPIED", f"checked and copied {counted(len(kept), 'file')}, {left}")


def reference_files(challenge_id: str, folder: Path) -> dict[str, bytes]:
    """Return the files of a reference folder, prepared if the platform cannot read the official ones.

    Raises RefusedError if they cannot be prepared.
    """
    program = load_challenge(challenge_id).program()
    files = folder_files(folder)
    if not program.prepared_file or program.prepared_file in files:
        return files
    with tempfile.TemporaryDirectory() as work:
        findings = prepare(challenge_id, folder, Path(work))
        refuse_problems(findings)
        prepared = folder_files(Path(work))
    mark = {name: data for name, data in files.items() if name == SYNTHETIC_MARK}
    return {**prepared, **mark}
