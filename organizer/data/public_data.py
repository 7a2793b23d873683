"""``organizer public-data``: write the public part of a reference into a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from organizer.data.prepare import (
    VOCABULARY_OPTION,
    prepare,
    refuse_to_lose,
    refused_if_locked,
    write_manifest,
)
from organizer.data.progress import step
from organizer.data.references import PUBLIC_SUFFIX
from organizer.data.sources import refuse_no_folder
from organizer.files import read_if_any, replacing_folder, write_files
from organizer.public_data import PublicData, PublicSource, is_prepared, make_public_data
from people_in_video.references.preparation import Options
from scoring_program.signature import KEY_FILE, VOCABULARY_FILE
from scoring_program.task import load_task
from validator.findings import Findings
from validator.texts import counted, printable


def public_data_command(
    task_id: str, source: Path, output: Path | None, vocabulary: Path | None, replace: bool
) -> int:
    """Write public data and print what it holds; return 1 if nothing was written.

    ``vocabulary`` is the file of all names, ``replace`` says whether files of others in ``output`` may be
    lost.
    """
    options: Options = {VOCABULARY_OPTION: vocabulary} if vocabulary else {}
    read_vocabulary = partial(reference_vocabulary, task_id, source, options)
    output = output or Path("refs", f"{task_id}{PUBLIC_SUFFIX}")
    return _write_and_print(task_id, source, output.resolve(), read_vocabulary, replace)


def write_beside_reference(task_id: str, source: Path, reference: Path, replace: bool) -> int:
    """Write public data beside a reference that was just made from ``source``, as `public_data_command` does.

    From a source that was prepared before nothing is written, and a line says so.
    """
    if is_prepared(task_id, source):
        print("no public data is written: the source was prepared before; give the organizers' own files")
        return 0
    output = reference.with_name(f"{reference.name}{PUBLIC_SUFFIX}")
    read_vocabulary = partial(read_if_any, reference / VOCABULARY_FILE)
    return _write_and_print(task_id, source, output, read_vocabulary, replace)


def reference_vocabulary(task_id: str, source: Path, options: Options | None = None) -> bytes | None:
    """Return ``vocabulary.json`` of the reference that is made from ``source``, None if it has none.

    ``options`` are those of `prepare`. Raises Refused.
    """
    with tempfile.TemporaryDirectory() as work:
        prepare(task_id, source, Path(work, "reference"), options)
        return read_if_any(Path(work, "reference", VOCABULARY_FILE))


def _write_and_print(
    task_id: str, source: Path, output: Path, read_vocabulary: Callable[[], bytes | None], replace: bool
) -> int:
    """Write public data into a folder and print what it holds; return 1 if nothing was written."""
    findings = Findings()
    with findings.part():
        refuse_no_folder(source)
        settings = load_task(task_id).settings(source)
        with step("reading the files for the public data"):
            public = make_public_data(PublicSource(task_id, source, settings, read_vocabulary))
        _replace(public, output, replace)
    if not findings.ok:
        print(*findings.lines(most=None), sep="\n")
        return 1
    remarks = [f"note {remark}" for remark in public.remarks]
    summary = f"public data for participants: {output} ({counted(len(public.files), 'file')})"
    print(*map(printable, [*remarks, summary]), sep="\n")
    return 0


def _replace(public: PublicData, output: Path, replace: bool) -> None:
    """Write public data into a folder, and lose nothing of others there. Raises Refused."""
    if (output / KEY_FILE).is_file():
        problem = "this is a reference with its key, which would be lost"
        Findings().refuse("E-OUTPUT", problem, "choose another folder", file=str(output))
    with refused_if_locked(output), replacing_folder(output) as folder:
        write_files(public.files, folder)
        refuse_to_lose(output, folder, replace)
        write_manifest(folder)
