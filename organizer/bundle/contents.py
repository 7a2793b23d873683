"""Checking the zips of a bundle: programs run, reference data loads and stays secret, samples score.

A zip is opened and checked once, however many bundles hold it.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import tempfile
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

from organizer.bundle import DEMO_TITLE, competition
from organizer.bundle.columns import check_columns, keys_of_programs
from organizer.bundle.competition import Competition, Entry, LintReport, form_of
from organizer.bundle.metadata import Broken, metadata_problems
from organizer.bundle.programs import program_files
from organizer.bundle.public_checks import check_public_data
from organizer.bundle.rules import columns_of
from organizer.bundle.words import ERRORS
from organizer.bundle.zip_members import Member, is_zip, member_names, members_of, outer_names
from organizer.data.prepare import SYNTHETIC_MARK
from organizer.files import Files, unpack, write_files, zip_files
from organizer.runs.dry_run import INTERVAL_KEYS, read_scores
from organizer.runs.worker import BuiltTask, Run, container_engine, run_program
from organizer.tasks import content_of, labelled_items
from people_in_video.references.preparation import check_reference, load_any
from scoring_program.marks import MARKS_FILE
from scoring_program.scoring import load_reference
from scoring_program.settings import Settings
from scoring_program.signature import KEY_FILE, VOCABULARY_FILE
from scoring_program.task import PACKAGES_OF_IMAGE, Declaration, load_task, task_ids
from validator.findings import Findings, Problem, Refused
from validator.submission import BASELINE_FILE, PLATFORM_FILES, is_junk
from validator.texts import counted, quote, some_words

_COMPARED_FROM_BYTES = 64
_SHOWN_NAMES = 3
# What Docker takes: a server with its port, folders in lower case, a tag, a digest.
_IMAGE_NAME = re.compile(
    r"(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@[\w+.-]+:[0-9a-f]+)?",
    re.ASCII,
)
# The folders of a run, as arguments of a program.
_SCORING_FOLDERS = "/app/input /app/output"
_INGESTION_FOLDERS = "/app/input_data /app/output /app/program /app/ingested_program"
_DEFAULT_IMAGE = "codalab/codalab-legacy:py37"
# Folders that are zipped as a whole by mistake.
_USUAL_FOLDERS = ("reference_data", "reference", "ref", "input_data", "input", "scoring_program", "data")
CONTENT = "L-REFERENCE R-"
"""How codes of warnings about the content of a reference begin."""
_DEMO_IN_KIT = "/demo_reference/"


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


class SampleRuns(Enum):
    """Which sample submissions are run: none, those whose program is the one built here, or all."""

    NONE = "none"
    WITH_OUR_PROGRAMS = "ours"
    ALL = "all"


def check_contents(data: Competition, files: Files, samples: SampleRuns, report: LintReport) -> None:
    """Check the content of the zips.

    ``files`` holds every file that a competition.yaml without errors names, folders as zips.
    """
    tasks = []
    for where, entry in competition.task_entries(data):
        task = _Task(entry, _check_programs(entry, files, _image_of(data), report))
        tasks.append(task)
        if task.declared and "key" not in entry and "reference_data" not in entry:
            report.add("no reference", where)
        if "reference_data" in entry:
            _check_reference(data, task, files, report)
    our_tasks = [task.declared for task in tasks if task.declared]
    _check_image(data, our_tasks, report)
    _check_phases(data, tasks, files, report)
    _check_baselines(data, files, report)
    check_public_data(data, files, report)
    _check_intervals(data, tasks, files, report)
    check_columns(data, our_tasks, report)
    written_keys = keys_of_programs(data, our_tasks, len(tasks), report)
    if samples is not SampleRuns.NONE and report.errors.ok:
        # Where all halves of a reference score the same, there is no interval.
        keys = [key for key in written_keys if key not in INTERVAL_KEYS]
        _check_samples(data, tasks, files, keys, samples, report)


def _check_programs(entry: Entry, files: Files, image: str, report: LintReport) -> Declaration | None:
    """Check the programs of an entry; return its task if its scoring program is ours."""
    if "ingestion_program" in entry:
        name = entry["ingestion_program"]
        _, metadata, problems = _program(files[name], image)
        for rule, fields in problems:
            # Submissions of results are scored without it.
            words = ERRORS.get(rule)
            if words:
                filled = [text.format(effect="", folders=_INGESTION_FOLDERS, **fields) for text in words[1:]]
                report.add("ingestion that does not run", metadata, name, problem=filled[0], remedy=filled[1])
            else:
                report.add(rule, metadata, name, **fields)
    if "scoring_program" not in entry:
        return None
    name = entry["scoring_program"]
    task_id, metadata, problems = _program(files[name], image)
    for rule, fields in problems:
        report.add(rule, metadata, name, effect=", so every run fails", folders=_SCORING_FOLDERS, **fields)
    return load_task(task_id) if task_id else None


def _image_of(data: Competition) -> str:
    """Return the name of the image in which programs run."""
    return str(data.get(_image_key(data)) or "").strip() or _DEFAULT_IMAGE


def _image_key(data: Competition) -> str:
    return "docker_image" if form_of(data) == "v2" else "competition_docker_image"


def _check_image(data: Competition, our_tasks: Sequence[Declaration], report: LintReport) -> None:
    key, image = _image_key(data), _image_of(data)
    if not _IMAGE_NAME.fullmatch(image):
        report.add("name of an image", f"/{key}", image=image, key=key)
        return
    if not str(data.get(key) or "").strip():
        rule = "default image" if our_tasks else "default image of others"
        report.add(rule, f"/{key}", image=image, key=key)
        return
    needed_packages = {name for task in our_tasks for name in task.needs}
    if our_tasks and not image.partition("@")[0].endswith("codalab/codalab-legacy:py312"):
        *names, last_name = ["numpy", "yaml", *sorted(needed_packages)]
        packages = f"{', '.join(names)} and {last_name}"
        report.add("old image", f"/{key}", image=image, key=key, packages=packages)
    elif needed_packages - PACKAGES_OF_IMAGE:
        packages = ", ".join(sorted(needed_packages - PACKAGES_OF_IMAGE))
        report.add("packages of an evaluator", f"/{key}", image=image, packages=packages)


def _check_reference(data: Competition, task: _Task, files: Files, report: LintReport) -> None:
    name = task.entry["reference_data"]
    task_id = task.declared.id if task.declared else None
    reference = _reference(files[name], task_id)
    folder, inner_zip = _common_folder(files[name]), _only_zip(files[name])
    if reference.problems and folder:
        report.add("reference in a folder", file=name, folder=folder)
        return
    if reference.problems and inner_zip:
        report.add("reference in a zip", file=name, name=inner_zip)
        return
    outer_folder = folder.partition("/")[0]
    if not task_id and outer_folder in _USUAL_FOLDERS:
        report.add("files in a folder", file=name, folder=outer_folder)
    _add_findings(reference.problems, report.errors, name)
    _add_findings(reference.warnings, report.warnings, name)
    if reference.is_demo:
        is_marked = str(data["title"]).startswith(DEMO_TITLE)
        report.add("demo reference" if is_marked else "demo reference without mark", file=name)
        return
    if task_id and not reference.has_key and not reference.problems:
        report.add("reference without key", file=name)
    if reference.settings.get("detail") == "full":
        report.add("full detail", file=name)
    visible_files = {
        other: where
        for where, other, key in competition.named_files(data)
        if key not in ("reference_data", "image")
    }
    for other, where in visible_files.items():
        _check_secrecy(name, other, where, bool(task_id), files, report)
        if task.declared:
            _check_annotations(name, other, task.declared, reference.items, files, report)


def _common_folder(archive: bytes) -> str:
    """Return the deepest folder that all files of a zip are in, "" if there is none."""
    folders = [posixpath.dirname(name) for name in _plain_names(archive)]
    return posixpath.commonpath(folders) if folders else ""


def _only_zip(archive: bytes) -> str:
    """Return the name of the zip that is all that a zip holds, "" if there is more, or another file."""
    names = _plain_names(archive)
    return names[0] if len(names) == 1 and names[0].lower().endswith(".zip") else ""


def _plain_names(archive: bytes) -> list[str]:
    """Return the names of the files of a zip, without those of the operating system."""
    names = [name.removeprefix("./") for name in outer_names(archive)]
    return [name for name in names if not name.endswith("/") and not is_junk(name)]


def _add_findings(problems: Sequence[Problem], findings: Findings, archive: str) -> None:
    """Add what was found in a reference to the findings, with the name of its zip."""
    for problem in problems:
        where = f"{problem.file} {problem.where}".strip()
        findings.repeat(problem, code=f"L-REFERENCE {problem.code}", file=archive, where=where)


def _check_secrecy(
    reference: str, other: str, where: str, is_ours: bool, files: Files, report: LintReport
) -> None:
    """Report files of a reference that another file of the bundle, which participants may see, holds, too."""
    secret_digests, visible_digests = secret_digests_in(files[reference]), digests_in(files[other])
    common = secret_digests.keys() & visible_digests.keys()
    if not common:
        return
    names = sorted(secret_digests[digest] or reference for digest in common)
    # In a program that is not ours a file in both, a license perhaps, need not be a secret.
    is_whole = not all(secret_digests[digest] for digest in common)
    remedy = f"take them out; it is {where} of competition.yaml"
    if all(_DEMO_IN_KIT in visible_digests[digest] for digest in common):
        remedy = "your reference is the demo reference: build with the real one"
    report.add(
        "reference is shown" if is_ours or is_whole else "file in common",
        file=other,
        files=counted(len(names), "file"),
        reference=reference,
        names=some_words(names, most=_SHOWN_NAMES),
        remedy=remedy,
    )


def _check_annotations(
    reference: str, other: str, task: Declaration, items: Set[str], files: Files, report: LintReport
) -> None:
    """Report annotations, in whatever form `prepare` reads, for items of a reference in another file."""
    annotated_items, demo_items = _annotated_items(files[other], posixpath.basename(other), task.id)
    # Items of the demo data that everybody gets are a reference if there are no others in it.
    common = sorted(items if items <= demo_items else items & annotated_items)
    if common:
        report.add(
            "annotations are shown",
            file=other,
            items=counted(len(common), task.item),
            reference=reference,
            names=some_words(common, most=_SHOWN_NAMES),
        )


@lru_cache
def _annotated_items(data: bytes, name: str, task_id: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the items that a file annotates, or references of a task in the folders of a zip; and those of
    the demo data in a kit.

    A file of labels alone, which is no whole reference, is one, too.
    """
    files_of_folder: dict[str, dict[str, bytes]] = {}
    for member in members_of(data) if is_zip(data) else [Member(name, data)]:
        folder, file_name = posixpath.split(member.name)
        if file_name:
            files_of_folder.setdefault(folder, {})[file_name] = member.data
    annotated_items: set[str] = set()
    demo_items: set[str] = set()
    task = load_task(task_id)
    for folder, contents in files_of_folder.items():
        items = demo_items if _DEMO_IN_KIT in f"/{folder}/" else annotated_items
        for file_name, content in contents.items():
            items |= labelled_items(task_id, file_name, content)
        with tempfile.TemporaryDirectory() as work, suppress(Refused, OSError):
            write_files(contents, Path(work))
            items.update(load_any(task, Path(work), task.settings(Path(work))).items)
    return frozenset(annotated_items), frozenset(demo_items)


def _check_phases(data: Competition, tasks: Sequence[_Task], files: Files, report: LintReport) -> None:
    """Report references that may run longer than their phase allows, or with items of an earlier phase."""
    tasks_of_phases: list[tuple[str, list[_Task]]] = []
    for where, phase in competition.sorted_phases(data):
        tasks_of_phase = [
            task for task in tasks if "reference_data" in task.entry and _is_in_phase(task, phase)
        ]
        tasks_of_phases.append((where, tasks_of_phase))
        _check_time_limits(where, phase, tasks_of_phase, files, report)
    repeated_references: dict[tuple[str, str], None] = {}
    for (_, earlier_tasks), (where, later_tasks) in combinations(tasks_of_phases, 2):
        for earlier_task, later_task in product(earlier_tasks, later_tasks):
            if earlier_task.declared and earlier_task.declared is later_task.declared:
                earlier_name = earlier_task.entry["reference_data"]
                later_name = later_task.entry["reference_data"]
                # One task in two phases is no accident: it may stay open after the final phase.
                if earlier_name == later_name:
                    repeated_references[where, later_name] = None
                else:
                    _compare_items(earlier_name, later_name, earlier_task.declared, files, report)
    for where, reference in repeated_references:
        report.add("task again", f"{where}/tasks", reference=reference)


def _is_in_phase(task: _Task, phase: Entry) -> bool:
    # In v1.5 the phase is the task.
    return task.entry is phase or task.entry.get("index") in phase.get("tasks", ())


def _check_time_limits(
    where: str, phase: Entry, tasks: Sequence[_Task], files: Files, report: LintReport
) -> None:
    limit = competition.step_limit(phase)
    references = {(task.entry["reference_data"], task.declared.id) for task in tasks if task.declared}
    for name, task_id in sorted(references):
        time_limit = _reference(files[name], task_id).settings.get("time_limit", 0)
        if time_limit >= limit:
            report.add("run outlasts the phase", where, limit=limit, name=name, own=f"{time_limit:g}")


def _compare_items(
    earlier_name: str, later_name: str, task: Declaration, files: Files, report: LintReport
) -> None:
    """Report items that the references of two phases share, unless the settings of the later one say so."""
    earlier_reference = _reference(files[earlier_name], task.id)
    later_reference = _reference(files[later_name], task.id)
    earlier_folder = posixpath.basename(earlier_name).removesuffix(".zip").removesuffix("_reference")
    common = sorted(earlier_reference.items & later_reference.items)
    is_allowed = later_reference.settings.get("shares_items_with") == earlier_folder
    if not common or is_allowed or (earlier_reference.is_demo and later_reference.is_demo):
        return
    report.add(
        "shared items",
        file=later_name,
        items=counted(len(common), task.item),
        names=some_words(common, most=_SHOWN_NAMES),
        earlier=earlier_name,
        folder=earlier_folder,
    )


def _check_baselines(data: Competition, files: Files, report: LintReport) -> None:
    """Report baselines where participants can see them."""
    for _, name, key in competition.named_files(data):
        if key == "reference_data":
            continue
        names_inside = member_names(files[name])
        baselines = sorted(inside for inside in names_inside if posixpath.basename(inside) == BASELINE_FILE)
        if baselines:
            report.add("baseline is shown", file=name, names=", ".join(baselines))


def _check_intervals(data: Competition, tasks: Sequence[_Task], files: Files, report: LintReport) -> None:
    """Report columns of intervals that a task does not have."""
    columns = [column for column in columns_of(data) if column.key in INTERVAL_KEYS]
    without_interval = []
    for task in tasks:
        name = task.entry.get("reference_data")
        if task.declared and name and not _reference(files[name], task.declared.id).has_interval:
            without_interval.append(task.declared.id)
    if not without_interval:
        return
    for column in columns:
        report.add("column without interval", column.where, key=column.key, tasks=", ".join(without_interval))


def _check_samples(
    data: Competition,
    tasks: Sequence[_Task],
    files: Files,
    keys: list[str],
    samples: SampleRuns,
    report: LintReport,
) -> None:
    """Run the solutions of a v2 competition."""
    task_of_index = {task.entry.get("index"): task for task in tasks}
    limit = max(competition.step_limit(phase) for _, phase in competition.entries_of(data, "phases"))
    for _, solution in competition.entries_of(data, "solutions"):
        if "path" not in solution or not is_zip(files[solution["path"]]):
            continue
        sample = solution["path"]
        for index in solution["tasks"]:
            task = task_of_index[index]
            if "reference_data" not in task.entry or "scoring_program" not in task.entry:
                report.add("sample of a key", file=sample)
                continue
            if not task.declared:
                report.add("sample of others", file=sample)
                continue
            program = files[task.entry["scoring_program"]]
            if samples is SampleRuns.ALL or _is_built_here(program, task.declared.id):
                reference = files[task.entry["reference_data"]]
                image = str(data.get("docker_image") or "")
                built = BuiltTask(
                    id=task.declared.id,
                    program=program,
                    reference=reference,
                    time_limit=limit,
                    image=image,
                )
                _check_run(_run(built, files[sample]), sample, keys, report)
            else:
                report.add("program of another build", file=sample, program=task.entry["scoring_program"])


@lru_cache
def _is_built_here(program: bytes, task_id: str) -> bool:
    """Return whether a program has the very files of the one that is built here."""
    return zip_files(program) == program_files(task_id)


def _check_run(run: Run, name: str, keys: list[str], report: LintReport) -> None:
    if any(sign in run.stderr for sign in ("E-PYTHON", "ModuleNotFoundError")):
        report.add("packages are missing", file=name)
        return
    if run.exit_code != 0:
        stderr = quote(" ".join(run.stderr.split()), 300)
        report.add("sample fails", file=name, exit_code=run.exit_code, stderr=stderr)
    for warning in read_scores(run, keys, other_keys=None)[1]:
        report.add("score is not stored", file=name, warning=warning)


@lru_cache
def digests_in(data: bytes) -> dict[str, str]:
    """Return SHA-256 -> name of a file ("") and, if it is a zip, of those in it, and in zips of it."""
    return {digest: name for digest, name, _ in _each_digest(data)}


@lru_cache
def secret_digests_in(reference: bytes) -> dict[str, str]:
    """Return what `digests_in` does, of a reference, without what others may have, too.

    That is tiny files, those of macOS and Windows, the few rounded scores of plain answers, and the
    vocabulary, which is public. The key is secret whatever its size.
    """
    secret_digests = {}
    for digest, path, size in _each_digest(reference):
        name = posixpath.basename(path)
        is_public = name == MARKS_FILE or path == VOCABULARY_FILE or is_junk(path)
        if (size >= _COMPARED_FROM_BYTES and not is_public) or name == KEY_FILE:
            secret_digests[digest] = path
    return secret_digests


def _each_digest(data: bytes) -> Iterator[tuple[str, str, int]]:
    """Yield the SHA-256, the name and the size of a file, and of those in it."""
    if is_zip(data):
        for member in members_of(data):
            yield hashlib.sha256(member.data).hexdigest(), member.name, len(member.data)
    yield hashlib.sha256(data).hexdigest(), "", len(data)


@lru_cache
def _program(archive: bytes, image: str) -> tuple[str | None, str, list[Broken]]:
    """Return the id of the task if a program is ours, and the name and the problems of its metadata."""
    files = {name.removeprefix("./"): data for name, data in zip_files(archive).items()}
    metadata = next((name for name in PLATFORM_FILES if name in files), "")
    declared_ids = {
        Path(name).stem for name in files if Path(name).match("scoring_program/challenges/*/*.yaml")
    }
    our_ids = [task_id for task_id in task_ids() if task_id in declared_ids]
    task_id = our_ids[0] if len(our_ids) == 1 else None
    problems = metadata_problems(files.get(metadata), files, image, is_ours=task_id is not None)
    return task_id, metadata, list(problems)


@lru_cache
def _reference(archive: bytes, task_id: str | None) -> _Reference:
    """Check reference data; what cannot be known is assumed to be right."""
    findings = Findings()
    warnings: list[Problem] = []
    has_interval, items = True, frozenset[str]()
    settings: Settings = {}
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "reference"  # problems name it
        folder.mkdir()
        unpack(archive, folder)
        if task_id:
            with findings.part():
                task = load_task(task_id)
                loaded = load_reference(task, folder, task.settings(folder))
                has_interval = loaded.settings["interval"] and len(loaded.items) > 1
                items, settings = frozenset(loaded.items), loaded.settings
                check_reference(loaded)
                warnings = content_of(loaded).warnings.problems
        is_demo = (folder / SYNTHETIC_MARK).is_file()
        has_key = (folder / KEY_FILE).is_file()
    return _Reference(
        is_demo=is_demo,
        has_key=has_key,
        has_interval=has_interval,
        items=items,
        settings=settings,
        problems=findings.problems,
        warnings=warnings,
    )


@lru_cache
def _run(built: BuiltTask, sample: bytes) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        submission = Path(folder) / "sample.zip"
        submission.write_bytes(sample)
        return run_program(built, submission, Path(folder) / "app", container_engine())
