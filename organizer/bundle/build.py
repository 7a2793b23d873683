"""Building the bundles that are uploaded: `plan` says what is in them; here they are checked and written."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from organizer import ROOT
from organizer.bundle import DEMO_TITLE, DIST, SOURCE
from organizer.bundle.competition import Competition, LintReport, named_files, sorted_phases
from organizer.bundle.contents import CONTENT, SampleRuns
from organizer.bundle.cut import PUBLIC, PUBLIC_DATA, public_names, reference_name, task_id_of
from organizer.bundle.dates import date_lines
from organizer.bundle.kit import KIT
from organizer.bundle.lint import lint_files
from organizer.bundle.parts import Parts
from organizer.bundle.plan import SAMPLE, Bundle, Plan, plan_bundles
from organizer.bundle.public_checks import load_zipped
from organizer.bundle.public_files import other_files, refuse_ignored_files
from organizer.bundle.source import load_competition, task_names
from organizer.data.prepare import add_key
from organizer.data.references import task_folders
from organizer.files import Files, LockedError, keep_out_of_git, work_folder, write_durable, zip_bytes
from organizer.public_data import find_leaks
from scoring_program.signature import KEY_FILE
from scoring_program.task import task_ids
from validator.findings import Findings, Refused
from validator.texts import printable, quote, some_words

_BUILDING = ".building-"


def build_all(
    reference: Path | None,
    form: str = "v2",
    output: Path = DIST,
    demo: bool = False,
    source: Path | None = None,
    zone: str | None = None,
) -> list[Path]:
    """Build all bundles of a form (``v2`` or ``v1.5``), print what is left out, and return their paths.

    ``reference`` is a folder of tasks or of one task, see `organizer.data.references`; without one the demo
    data is used. Bundles with a task that it lacks are built with ``demo`` only. ``source`` is the folder of
    competition.yaml, by default that of this repository. Dates are printed in UTC, anywhere on earth, and in
    ``zone``. Raises Refused if the reference or competition.yaml is wrong, and writes nothing.
    """
    report = LintReport()
    source = source or SOURCE
    competition = load_competition(source, report)
    for line in report.lines():
        print(line)
    folders = task_folders(reference, task_names(competition)) if reference else {}
    _add_keys({*folders.values(), *_reference_folders_of(competition, source)})
    refuse_ignored_files(task_ids())
    parts = Parts(folders, demo or reference is None, source)
    plan = plan_bundles(competition, parts, form)
    file_names = _names_of_files(competition, source)
    for name, bundle in plan.bundles.items():
        plan.notes += _check_bundle(name, bundle, file_names)
    used_names = {reference_name(task) for task in competition["tasks"]}
    for name in sorted(folders.keys() - used_names):
        plan.notes.append(f"{name} of REFERENCE is not used: no task names {name}_reference.zip")
    if other_names := other_files(task_ids()):
        plan.notes.append(f"not packed, because no task names them: {some_words(other_names)}")
    demo_bundles = [
        name for name, bundle in plan.bundles.items() if bundle.data["title"].startswith(DEMO_TITLE)
    ]
    if demo_bundles:
        plan.notes.append(f"with demo data, {DEMO_TITLE.strip()} in the title: {', '.join(demo_bundles)}")
    for line in dict.fromkeys(plan.notes):
        print(f"note | {printable(line)}")
    print(*map(printable, date_lines(competition, zone)), sep="\n")
    public_zips, openings = _later_public_data(competition, parts)
    _write(plan, public_zips, output)
    for name, opening in openings.items():
        print(printable(f"{output.name}/{name}: add it on the site as public data {opening}"))
    written_paths = [output / name for name in plan.bundles]
    folder = written_paths[0].parent
    written_paths += [output / name for name in public_zips]
    names = ", ".join(sorted(path.name for path in folder.glob("*.zip") if path not in written_paths))
    if names:
        print(f"note | still in {folder.name}/ from an earlier build: {names}; delete what is out of date")
    return written_paths


def _add_keys(folders: Iterable[Path]) -> None:
    """Write a key for signatures into references that have none; a line says so of each."""
    for folder in folders:
        if add_key(folder, folder):
            remark = "is new: keep it, for with another key all signatures change"
            print(printable(f"note | {folder / KEY_FILE} {remark}"))


def _check_bundle(name: str, bundle: Bundle, file_names: Collection[str]) -> list[str]:
    """Return notes on a bundle. Raises Refused if it has an error.

    ``file_names`` are those of files that competition.yaml could name, for misspelled ones.

    A rehearsal with a copy of the demo data can be built, although the starting kit shows that data.
    """
    report = LintReport()
    lint_files(bundle.data, bundle.files, SampleRuns.NONE, report, other_names=file_names)
    notes = report.warning_lines((CONTENT, "L-DETAIL", "L-DATE", "L-UNKNOWN"))
    leaks_in_kit = [
        problem for problem in report.errors.problems if problem.code == "L-LEAK" and problem.file == KIT
    ]
    if len(leaks_in_kit) < report.errors.total:
        raise Refused(report.errors)
    if leaks_in_kit:
        notes.append(f"{name}: {KIT} shows files of the reference; do not upload it")
    return notes


def _reference_folders_of(competition: Competition, source: Path) -> list[Path]:
    """Return the folders beside competition.yaml that it names as references of our tasks."""
    folders = [
        source / str(task.get("reference_data", "")) for task in competition["tasks"] if task_id_of(task)
    ]
    return [folder for folder in folders if folder.is_dir() and folder != source]


def _names_of_files(competition: Competition, source: Path) -> set[str]:
    """Return names that competition.yaml may use: of files where it names others, and of zips built here."""
    names = {KIT, PUBLIC_DATA}
    for task_id in task_ids():
        names |= {f"{task_id}_program.zip", f"{task_id}_reference.zip", f"{task_id}{SAMPLE}"}
    folders = {posixpath.dirname(posixpath.normpath(name)) for _, name, _ in named_files(competition)}
    for folder in {"", "pages", *folders}:
        if not folder.startswith(("/", "..")) and (source / folder).is_dir():
            files = [path for path in (source / folder).iterdir() if path.is_file()]
            names |= {posixpath.join(folder, path.name) for path in files if path.name[0] != "."}
    return names


def build_command(reference: Path | None, form: str, demo: bool, zone: str | None = None) -> int:
    """Build all bundles into dist/ and print their paths."""
    try:
        paths = build_all(reference, form, demo=demo, zone=zone)
    except LockedError as error:
        print(printable(f"{DIST}: {error}; wait until it is done"))
        return 2
    print(*(path.relative_to(ROOT) for path in paths), sep="\n")
    return 0


def _later_public_data(competition: Competition, parts: Parts) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the zips of public data that no bundle may hold before a later phase opens, and when it opens,
    in words, by their names.

    Raises Refused if one shows more of its reference than it may.
    """
    entry_of_index = {task["index"]: task for task in competition["tasks"]}
    names_so_far: set[str] = set()
    zips, openings = {}, {}
    for number, (_, phase) in enumerate(sorted_phases(competition)):
        entries = [entry_of_index[index] for index in phase["tasks"]]
        for entry in entries:
            name, task_id = reference_name(entry), task_id_of(entry)
            if not name or not task_id or name in names_so_far or parts.is_demo(name, task_id):
                continue
            names_so_far.add(name)
            files = parts.public_files(name, task_id)
            is_held = name in public_names(competition, str(phase.get("public_data") or ""))
            if number and files and not is_held:
                _refuse_leaks(files, name, task_id, parts)
                zips[f"{name}{PUBLIC}"] = zip_bytes(files)
                openings[f"{name}{PUBLIC}"] = f"when {quote(phase['name'])} opens ({phase['start']} UTC)"
    return zips, openings


def _refuse_leaks(files: Files, name: str, task_id: str, parts: Parts) -> None:
    """Raise Refused if public data shows more of the reference of a name than it may."""
    findings = Findings()
    with tempfile.TemporaryDirectory() as work:
        loaded = load_zipped(task_id, parts.reference(name, task_id) or b"", Path(work))
        for leak in find_leaks(files, loaded):
            remedy = "use the files that organizer public-data writes"
            findings.add("L-LEAK", leak.problem, remedy, file=f"{name}{PUBLIC}", where=leak.file)
    findings.refuse_problems()


def _write(plan: Plan, public_zips: Mapping[str, bytes], output: Path) -> None:
    """Write all bundles and zips of public data, or none.

    Folders of builds that were killed hold hidden references: they are removed. Raises LockedError while
    another build writes there.
    """
    output.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(output)
    with work_folder(output, _BUILDING) as folder:
        for name, bundle in plan.bundles.items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_durable(folder / name, bundle.zipped())
        for name, data in public_zips.items():
            write_durable(folder / name, data)
        for name in [*plan.bundles, *public_zips]:
            (output / name).parent.mkdir(exist_ok=True)
            (folder / name).replace(output / name)
