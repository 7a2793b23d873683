"""Checking the zips of a bundle: programs run, reference data loads and stays secret, samples score.

A zip is opened and checked once, however many bundles hold it.
"""

from __future__ import annotations

import hashlib
import io
import posixpath
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import yaml

from organizer.bundle import DEMO_TITLE, competition
from organizer.bundle.competition import Competition, Entry, LintReport, form_of
from organizer.challenges import content_of
from organizer.data.prepare import SYNTHETIC_MARK
from organizer.files import Files, unpack
from organizer.runs.dry_run import read_scores
from organizer.runs.worker import BuiltTask, Run, run_program
from scoring_program.settings import Settings
from scoring_program.signature import KEY_FILE
from scoring_program.task import INTERVAL_COLUMNS, Declaration, load_task, task_ids
from validator.archive import BASELINE_FILE
from validator.findings import Findings
from validator.messages import Problem
from validator.strict_yaml import load_plain
from validator.texts import counted, some_words

_SHELL = set("&|;<>*?`")
_PROGRAM_PLACES = ("/app/program/", "$program/")
_COMPARED_FROM_BYTES = 64
_SHOWN_NAMES = 3
CONTENT = "L-REFERENCE R-"
"""How codes of warnings about the content of a reference begin."""
_DEMO_IN_KIT = "demo_reference/"
# A rule of words.json, and the fields of its words.
_Broken = tuple[str, dict[str, str]]


class _Task(NamedTuple):
    """A task of v2 or a phase of v1.5; ``declared`` is None if the scoring program is not ours."""

    entry: Entry
    declared: Declaration | None


class _Reference(NamedTuple):
    """What is known of reference data; ``has_key``: for signatures; there are no settings if unknown."""

    is_demo: bool
    has_key: bool
    has_interval: bool
    items: frozenset[str]
    settings: Settings
    problems: list[Problem]
    warnings: list[Problem]


def check_contents(data: Competition, files: Files, samples: bool, report: LintReport) -> None:
    """Check the content of the zips.

    ``files`` holds every file that a competition.yaml without errors names, folders as zips; ``samples`` says
    whether to run the sample submissions.
    """
    tasks = []
    for where, entry in competition.entries_of(data, "tasks" if form_of(data) == "v2" else "phases"):
        tasks.append(_Task(entry, _check_programs(entry, files, report)))
        if tasks[-1].declared and not {"key", "reference_data"} & entry.keys():
            report.add("no reference", where)
        if "reference_data" in entry:
            _check_reference(data, tasks[-1], files, report)
    ours = [task.declared for task in tasks if task.declared]
    _check_image(data, bool(ours), report)
    _check_phases(data, tasks, files, report)
    _check_baselines(data, files, report)
    without = _check_intervals(data, tasks, files, report)
    keys = [key for key in _written_columns(data, ours, len(tasks), report) if key not in without]
    _check_sorting(data, ours, report)
    if samples and report.errors.ok:
        _check_samples(data, tasks, files, keys, report)


def _check_programs(entry: Entry, files: Files, report: LintReport) -> Declaration | None:
    """Check the programs of an entry; return its task if its scoring program is ours."""
    task_id = None
    for name in [entry[key] for key in ("ingestion_program", "scoring_program") if key in entry]:
        task_id, where, problems = _program(files[name])
        for rule, fields in problems:
            report.add(rule, where, name, **fields)
    return load_task(task_id) if task_id and "scoring_program" in entry else None


def _check_image(data: Competition, ours: bool, report: LintReport) -> None:
    key = "docker_image" if form_of(data) == "v2" else "competition_docker_image"
    image = data.get(key, "codalab/codalab-legacy:py37")
    if " " in image.strip():
        report.add("name of an image", f"/{key}", image=image, key=key)
    elif ours and not image.partition("@")[0].endswith("codalab/codalab-legacy:py312"):
        report.add("old image" if key in data else "default image", f"/{key}", image=image, key=key)


def _check_reference(data: Competition, task: _Task, files: Files, report: LintReport) -> None:
    name, task_id = task.entry["reference_data"], task.declared.id if task.declared else None
    reference = _reference(files[name], task_id)
    for found in (*reference.problems, *reference.warnings):
        findings = report.warnings if found in reference.warnings else report.errors
        where = f"{found.file} {found.where}".strip()
        findings.repeat(found, code=f"L-REFERENCE {found.code}", file=name, where=where)
    if reference.is_demo:
        is_marked = str(data["title"]).startswith(DEMO_TITLE)
        report.add("demo reference" if is_marked else "demo reference without mark", file=name)
        return
    if task_id and not reference.has_key and not reference.problems:
        report.add("reference without key", file=name)
    if reference.settings.get("detail") == "full":
        report.add("full detail", file=name)
    secret = _digests(files[name])
    hidden = ("reference_data", "image")
    shown = {other: where for where, other, key in competition.named_files(data) if key not in hidden}
    for other, where in shown.items():
        theirs = _digests(files[other])
        if equal := secret.keys() & theirs.keys():
            names = sorted(secret[digest] or name for digest in equal)
            listed = some_words(names, most=_SHOWN_NAMES)
            # In a program that is not ours a file in both, a license perhaps, need not be a secret.
            rule = "reference is shown" if task_id or not all(map(secret.get, equal)) else "file in common"
            hint = f"take them out; it is {where} of competition.yaml"
            if all(theirs[digest].startswith(_DEMO_IN_KIT) for digest in equal):
                hint = "your reference is the demo reference: build with the real one"
            count = counted(len(names), "file")
            report.add(rule, file=other, files=count, reference=name, names=listed, remedy=hint)


def _check_phases(data: Competition, tasks: Sequence[_Task], files: Files, report: LintReport) -> None:
    """Report references that may run longer than their phase allows, or with items of an earlier phase."""
    with_reference = [task for task in tasks if "reference_data" in task.entry]
    phases = list[list[_Task]]()
    for where, entry in competition.sorted_phases(data):
        own, limit = entry.get("tasks", ()), competition.step_limit(entry)
        phases.append([t for t in with_reference if t.entry is entry or t.entry.get("index") in own])
        named = {(task.entry["reference_data"], task.declared.id) for task in phases[-1] if task.declared}
        for name, task_id in sorted(named):
            longest = _reference(files[name], task_id).settings.get("time_limit", 0)
            if longest >= limit:
                report.add("run outlasts the phase", where, limit=limit, name=name, own=f"{longest:g}")
    for phase, later in combinations(phases, 2):
        for one, other in product(phase, later):
            if one.declared and one.declared is other.declared:
                first, second = (task.entry["reference_data"] for task in (one, other))
                _compare_items(first, second, one.declared, files, report)


def _compare_items(earlier: str, later: str, task: Declaration, files: Files, report: LintReport) -> None:
    first, second = (_reference(files[name], task.id) for name in (earlier, later))
    folder = posixpath.basename(earlier).removesuffix(".zip").removesuffix("_reference")
    common = sorted(first.items & second.items)
    if common and second.settings["shares_items_with"] != folder and not (first.is_demo and second.is_demo):
        names = some_words(common, most=_SHOWN_NAMES)
        items = counted(len(common), task.item)
        report.add("shared items", file=later, items=items, names=names, earlier=earlier, folder=folder)


def _check_baselines(data: Competition, files: Files, report: LintReport) -> None:
    """Report baselines where participants can see them."""
    for _, name, key in competition.named_files(data):
        inside = _digests(files[name]).values() if key != "reference_data" else ()
        if found := sorted(each for each in inside if posixpath.basename(each) == BASELINE_FILE):
            report.add("baseline is shown", file=name, names=", ".join(found))


def _check_intervals(data: Competition, tasks: Sequence[_Task], files: Files, report: LintReport) -> set[str]:
    """Report columns of intervals that a task does not have; return their keys."""
    ends = {column.key for column in INTERVAL_COLUMNS}
    columns = [column for column in competition.columns_of(data) if column.key in ends]
    without = []
    for task in tasks:
        name = task.entry.get("reference_data")
        if task.declared and name and not _reference(files[name], task.declared.id).has_interval:
            without.append(task.declared.id)
    for column in columns if without else ():
        report.add("column without interval", column.where, key=column.key, tasks=", ".join(without))
    return {column.key for column in columns} if without else set()


def _written_columns(
    data: Competition, ours: Sequence[Declaration], n_tasks: int, report: LintReport
) -> list[str]:
    """Return the keys of the columns that every program fills; report which some or all do not."""
    columns = [column for column in competition.columns_of(data) if not column.computed]
    if len(ours) < n_tasks or not n_tasks:
        return [column.key for column in columns]
    written = [{column.key for column in task.columns} for task in ours]
    by_all, by_any = set.intersection(*written), set.union(*written)
    for column in columns:
        if column.key not in by_any:
            known = ", ".join(sorted(by_any))
            report.add("column of no program", column.where, key=column.key, known=known)
        elif column.key not in by_all:
            report.add("column of some programs", column.where, key=column.key)
    return [column.key for column in columns if column.key in by_all]


def _check_sorting(data: Competition, ours: Collection[Declaration], report: LintReport) -> None:
    """Report the columns that put the worst of a task first."""
    for column in competition.columns_of(data):
        order = column.data.get(column.sorting_key) or "desc"
        known = {task.id: own.sorting for task in ours for own in task.columns if own.key == column.key}
        if wrong := sorted(name for name, sorting in known.items() if sorting != order):
            shared = len(wrong) < len(known)
            hint = "upload the bundles of one task, or hide the column" if shared else "correct it"
            where, tasks = f"{column.where}/{column.sorting_key}", ", ".join(wrong)
            report.add("sorts the other way", where, key=column.key, tasks=tasks, remedy=hint)


def _check_samples(
    data: Competition, tasks: Sequence[_Task], files: Files, keys: list[str], report: LintReport
) -> None:
    """Run the solutions of a v2 competition."""
    by_index = {task.entry.get("index"): task for task in tasks}
    limit = max(competition.step_limit(phase) for _, phase in competition.entries_of(data, "phases"))
    for _, solution in competition.entries_of(data, "solutions"):
        for index in solution["tasks"] if "path" in solution else ():
            task, name = by_index[index], solution["path"]
            if task.declared and "reference_data" in task.entry:
                program, reference = (files[task.entry[key]] for key in ("scoring_program", "reference_data"))
                built = BuiltTask(task.declared.id, program, reference, limit)
                _check_run(_run(built, files[name]), name, keys, report)
            else:
                report.add("sample of others", file=name)


def _check_run(run: Run, name: str, keys: list[str], report: LintReport) -> None:
    if any(sign in run.stderr for sign in ("E-PYTHON", "E-NO-MSGSPEC", "ModuleNotFoundError")):
        report.add("packages are missing", file=name)
        return
    if run.exit_code != 0:
        stderr = " ".join(run.stderr.split())[:300]
        report.add("sample fails", file=name, exit_code=run.exit_code, stderr=stderr)
    for warning in read_scores(run, keys, further=None)[1]:
        report.add("score is not stored", file=name, warning=warning)


@lru_cache
def _digests(data: bytes) -> dict[str, str]:
    """Return SHA-256 -> name of a file ("") and, if it is a zip, of those in it; tiny ones are left out."""
    return dict(_each_digest(data, ""))


def _each_digest(data: bytes, name: str) -> Iterator[tuple[str, str]]:
    if (not name or name.lower().endswith(".zip")) and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if info.file_size >= _COMPARED_FROM_BYTES:
                    yield from _each_digest(archive.read(info), posixpath.join(name, info.filename))
    yield hashlib.sha256(data).hexdigest(), name


@lru_cache
def _program(archive: bytes) -> tuple[str | None, str, list[_Broken]]:
    """Return the id of the task if a program is ours, and the name and the problems of its metadata."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = set(opened.namelist())
        metadata = next((name for name in ("metadata.yaml", "metadata") if name in names), "")
        problems = list(_metadata_problems(opened.read(metadata) if metadata else None, names))
    declared = {Path(name).stem for name in names if Path(name).match("scoring_program/challenges/*/*.yaml")}
    ours = [name for name in task_ids() if name in declared]
    return ours[0] if len(ours) == 1 else None, metadata, problems


def _metadata_problems(text: bytes | None, names: set[str]) -> Iterator[_Broken]:
    """Yield what is wrong with the metadata of a program that holds these files."""
    if text is None:
        yield "no metadata", {}
        return
    try:
        metadata = load_plain(text.decode("utf-8"))
    except (yaml.YAMLError, ValueError):
        metadata = None
    command = metadata.get("command") if isinstance(metadata, dict) else None
    if not isinstance(command, str) or not command.strip():
        yield "no command", {}
        return
    if _SHELL & set(command):
        yield "command for a shell", {"command": command}
    words = command.split()
    if words[0].startswith("python2"):
        yield "old Python", {"word": words[0]}
    for word in words:
        path = next((word[len(head) :] for head in _PROGRAM_PLACES if word.startswith(head)), "")
        if path.endswith(".py") and path not in names:
            yield "program is missing", {"word": word}


@lru_cache
def _reference(archive: bytes, task_id: str | None) -> _Reference:
    """Check reference data; what cannot be known is assumed to be right."""
    with tempfile.TemporaryDirectory() as work:
        # Problems name the folder.
        folder, findings, warnings = Path(work) / "reference", Findings(), list[Problem]()
        folder.mkdir()
        unpack(archive, folder)
        has_interval, items = True, frozenset[str]()
        settings: Settings = {}
        if task_id:
            with findings.part():
                task = load_task(task_id)
                loaded = task.load(folder, task.settings(folder))
                has_interval = loaded.settings["interval"] and len(loaded.items) > 1
                items, settings = frozenset(loaded.items), loaded.settings
                loaded.check()
                warnings = content_of(loaded).warnings.problems
        is_demo, has_key = ((folder / name).is_file() for name in (SYNTHETIC_MARK, KEY_FILE))
        return _Reference(is_demo, has_key, has_interval, items, settings, findings.problems, warnings)


@lru_cache
def _run(built: BuiltTask, sample: bytes) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        submission = Path(folder) / "sample.zip"
        submission.write_bytes(sample)
        return run_program(built, submission, Path(folder) / "app")
