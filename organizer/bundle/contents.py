"""Checking the zips of a bundle: programs run, reference data loads and stays secret, samples score.

Zips are opened and checked once for each content, however many bundles hold it.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from organizer.bundle import DEMO_TITLE
from organizer.bundle.competition import (
    DATA_KEYS,
    DEFAULT_STEP,
    Competition,
    Entry,
    columns_of,
    entries_of,
    form_of,
    named_files,
    number,
)
from organizer.bundle.report import LintReport
from organizer.data.prepare import SYNTHETIC_MARK, check_reference
from organizer.files import Files, sha256, unpack
from organizer.runs.outcome import read_scores
from organizer.runs.worker import BuiltTask, Run, run_program
from scoring_program.challenge import Challenge, challenge_ids, load_challenge
from validator.findings import Findings, Problem, counted

_Record = Callable[..., None]
_SHELL = set("&|;<>*?`")
_PROGRAM_PLACES = ("/app/program/", "$program/")
_COMPARED_FROM_BYTES = 64
_SHOWN_NAMES = 3
_DEMO_IN_KIT = "demo_reference/"


class Contents:
    """A cache of the results of checking zips (bytes), and of challenges."""

    def __init__(self) -> None:
        self.challenge = lru_cache(maxsize=None)(load_challenge)
        self.digest = lru_cache(maxsize=None)(_digest)
        self.members = lru_cache(maxsize=None)(_members)
        self.program = lru_cache(maxsize=None)(_program)
        self.reference = lru_cache(maxsize=None)(_reference)
        self.run = lru_cache(maxsize=None)(_run)


@dataclass(frozen=True)
class _Task:
    """A task of v2 or a phase of v1.5; ``challenge`` is None if the scoring program is not ours."""

    entry: Entry
    challenge: Challenge | None


def check_contents(
    data: Competition, files: Files, contents: Contents, samples: bool, report: LintReport
) -> None:
    """Check the content of the zips.

    Parameters
    ----------
    data : mapping
        A competition.yaml without errors.
    files : mapping of str to bytes
        Every file that it names, folders as zips.
    contents : Contents
        Remembers what was found in a zip.
    samples : bool
        Whether to run the sample submissions.
    report : LintReport
        Gets what is wrong.
    """
    tasks = []
    for _, entry in entries_of(data, "tasks" if form_of(data) == "v2" else "phases"):
        tasks.append(_Task(entry, _check_programs(entry, files, contents, report)))
        if "reference_data" in entry:
            _check_reference(data, tasks[-1], files, contents, report)
    ours = {task.challenge.id: task.challenge for task in tasks if task.challenge}
    _check_image(data, bool(ours), report)
    keys = _written_columns(data, tasks, report)
    _check_sorting(data, list(ours.values()), report)
    if samples and report.ok:
        _check_samples(data, tasks, files, keys, contents, report)


def _check_programs(entry: Entry, files: Files, contents: Contents, report: LintReport) -> Challenge | None:
    """Check the programs of a task; return the challenge if its scoring program is ours."""
    challenge_id = None
    for key in ("ingestion_program", "scoring_program"):
        if key in entry:
            challenge_id, problems = contents.program(files[entry[key]])
            for record, problem in problems:
                record(
                    report, problem.code, problem.problem, problem.hint, where=problem.where, file=entry[key]
                )
    return contents.challenge(challenge_id) if challenge_id and "scoring_program" in entry else None


def _check_image(data: Competition, ours: bool, report: LintReport) -> None:
    key = "docker_image" if form_of(data) == "v2" else "competition_docker_image"
    image = data.get(key, "codalab/codalab-legacy:py37")
    hint = f"write {key}: codalab/codalab-legacy:py312"
    if " " in image.strip():
        report.warn("L-IMAGE", f"{image} is not the name of an image", hint, where=f"/{key}")
    elif ours and image.startswith("codalab/codalab-legacy") and not image.endswith(":py312"):
        problem = f"the program needs Python 3.9 or later with numpy; {image} is not known to have it"
        if key not in data:
            problem = f"without {key} the platform takes {image}, whose Python is too old for the program"
        report.warn("L-IMAGE", problem, hint, where=f"/{key}")


def _check_reference(
    data: Competition, task: _Task, files: Files, contents: Contents, report: LintReport
) -> None:
    name, challenge_id = task.entry["reference_data"], task.challenge.id if task.challenge else None
    demo, problems = contents.reference(files[name], challenge_id)
    for problem in problems:
        where = f"{problem.file} {problem.where}".strip()
        report.error(f"L-REFERENCE {problem.code}", problem.problem, problem.hint, where=where, file=name)
    if demo:
        titled = str(data["title"]).startswith(DEMO_TITLE)
        problem_text = "the reference data is synthetic" + (
            "" if titled else " and the title does not say so"
        )
        record = report.warn if titled else report.error
        record("L-DEMO", problem_text, "build with REFERENCE=DIR before you open the competition", file=name)
        return
    whole = contents.digest(files[name])
    secret = {**contents.members(files[name]), whole: name}
    shown = {file.name: file for file in named_files(data) if file.key not in ("reference_data", "image")}
    for other, (where, _, key) in shown.items():
        members = contents.members(files[other]) if key in DATA_KEYS else {}
        equal = secret.keys() & {*members, contents.digest(files[other])}
        if equal:
            names = sorted(secret[digest] for digest in equal)
            listed = ", ".join(names[:_SHOWN_NAMES]) + (", …" if len(names) > _SHOWN_NAMES else "")
            # In a program that is not ours a file in both, a license perhaps, need not be a secret.
            record = report.error if challenge_id or whole in equal else report.warn
            leak = f"it shows {counted(len(names), 'file')} of {name}: {listed}"
            hint = f"take them out; it is {where} of competition.yaml"
            if all(members.get(digest, "").startswith(_DEMO_IN_KIT) for digest in equal):
                hint = "your reference is the demo reference: build with the real one"
            record("L-LEAK", leak, hint, file=other)


def _written_columns(data: Competition, tasks: Sequence[_Task], report: LintReport) -> list[str]:
    """Return the keys of the columns that every program fills; report which some or all do not."""
    columns = [column for column in columns_of(data) if not column.computed]
    written = [{column.key for column in task.challenge.columns} for task in tasks if task.challenge]
    if len(written) < len(tasks) or not tasks:
        return [column.key for column in columns]
    for column in columns:
        if not any(column.key in keys for keys in written):
            hint = f"they write {', '.join(sorted(set().union(*written)))}"
            report.error("L-COLUMN", f"no scoring program writes {column.key}", hint, where=column.where)
        elif not all(column.key in keys for keys in written):
            hint = "the column stays empty for the others"
            report.warn(
                "L-COLUMN", f"not every scoring program writes {column.key}", hint, where=column.where
            )
    return [column.key for column in columns if all(column.key in keys for keys in written)]


def _check_sorting(data: Competition, ours: Sequence[Challenge], report: LintReport) -> None:
    """Report the columns that put the worst of a challenge first."""
    for column in columns_of(data):
        wanted = {known.id: c.sorting for known in ours for c in known.columns if c.key == column.key}
        wrong = sorted(
            name for name, order in wanted.items() if order != (column.data.get(column.sorting_key) or "desc")
        )
        if wrong:
            hint = (
                "correct it"
                if len(wrong) == len(wanted)
                else "upload the bundles of one task, or hide the column"
            )
            problem = f"{column.key} of {', '.join(wrong)} sorts the other way"
            report.warn("L-SORTING", problem, hint, where=f"{column.where}/{column.sorting_key}")


def _check_samples(
    data: Competition, tasks: Sequence[_Task], files: Files, keys: list[str],
    contents: Contents, report: LintReport,
) -> None:  # fmt: skip
    """Run the solutions of a v2 competition."""
    by_index = {task.entry.get("index"): task for task in tasks}
    limit = max(
        number(phase.get("execution_time_limit", DEFAULT_STEP)) for _, phase in entries_of(data, "phases")
    )
    for _, solution in entries_of(data, "solutions"):
        for index in solution["tasks"] if "path" in solution else ():
            task, name = by_index[index], solution["path"]
            if task.challenge is None or "reference_data" not in task.entry:
                problem = "the program is not ours, so the sample was not run"
                report.warn("L-SAMPLE", problem, "try it there", file=name)
            else:
                program, reference = (files[task.entry[key]] for key in ("scoring_program", "reference_data"))
                built = BuiltTask(task.challenge.id, program, reference, limit or DEFAULT_STEP)
                _check_run(contents.run(built, files[name]), name, keys, report)


def _check_run(run: Run, name: str, keys: list[str], report: LintReport) -> None:
    if "E-PYTHON" in run.stderr or "ModuleNotFoundError" in run.stderr:
        report.warn(
            "L-SAMPLE", "packages are missing here, so the sample was not run", "make .venv/run", file=name
        )
        return
    if run.exit_code != 0:
        problem = f"the sample does not score (exit {run.exit_code}): {' '.join(run.stderr.split())[:300]}"
        report.error("L-SAMPLE", problem, "make it again", file=name)
    for warning in read_scores(run, keys, further=None)[1]:
        report.error("L-COLUMN", warning, "correct the leaderboard or the program", file=name)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _members(archive: bytes) -> dict[str, str]:
    """Return digest -> name of the files in a zip and in the zips inside it; tiny files are left out."""
    names = {}
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for info in opened.infolist():
            if info.file_size < _COMPARED_FROM_BYTES:
                continue
            with opened.open(info) as stream:
                names[sha256(stream)] = info.filename
            if info.filename.lower().endswith(".zip"):
                inner = opened.read(info)
                if zipfile.is_zipfile(io.BytesIO(inner)):
                    names.update({key: f"{info.filename}/{name}" for key, name in _members(inner).items()})
    return names


def _program(archive: bytes) -> tuple[str | None, list[tuple[_Record, Problem]]]:
    """Return the id of the challenge if a program is ours, and the problems of its metadata."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = set(opened.namelist())
        metadata_name = next((name for name in ("metadata.yaml", "metadata") if name in names), "")
        text = opened.read(metadata_name) if metadata_name else b""
    ours = [
        known for known in challenge_ids() if f"scoring_program/challenges/{known}/challenge.yaml" in names
    ]
    problems = [
        (record, Problem("L-METADATA", problem, hint, where=metadata_name))
        for record, problem, hint in _metadata_problems(text, names)
    ]
    return ours[0] if len(ours) == 1 else None, problems


def _metadata_problems(text: bytes, names: set[str]) -> Iterator[tuple[_Record, str, str]]:
    if not names & {"metadata.yaml", "metadata"}:
        yield LintReport.error, "there is no metadata.yaml: such a program hangs", "add one"
        return
    try:
        metadata = yaml.safe_load(text)
    except yaml.YAMLError:
        metadata = None
    command = metadata.get("command") if isinstance(metadata, dict) else None
    if not isinstance(command, str) or not command.strip():
        yield LintReport.error, "there is no command", "write command: python3 …"
        return
    if _SHELL & set(command):
        problem = f"there is no shell, but the command holds its characters: {command}"
        yield LintReport.warn, problem, "write one plain command"
    words = command.split()
    if words[0].startswith("python2"):
        yield LintReport.warn, f"the image has no {words[0]}", "write python3"
    for word in words:
        path = next((word[len(head) :] for head in _PROGRAM_PLACES if word.startswith(head)), "")
        if path.endswith(".py") and path not in names:
            yield LintReport.error, f"{word} is not in the program", "correct the command"


def _reference(archive: bytes, challenge_id: str | None) -> tuple[bool, list[Problem]]:
    """Return whether reference data is the synthetic demo reference, and its problems."""
    with tempfile.TemporaryDirectory() as work:
        # Problems name the folder.
        folder, findings = Path(work) / "reference", Findings()
        folder.mkdir()
        unpack(archive, folder)
        if challenge_id:
            check_reference(challenge_id, folder, findings)
        return (folder / SYNTHETIC_MARK).is_file(), findings.problems


def _run(built: BuiltTask, sample: bytes) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        submission = Path(folder) / "sample.zip"
        submission.write_bytes(sample)
        return run_program(built, submission, Path(folder) / "app")
