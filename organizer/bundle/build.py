"""Building the bundles that are uploaded, and reading built ones, for runs of submissions and overviews.

``competition.yaml`` is the single source for the competition of all tasks; the bundle of one task is cut out
of it. The files that it names are built if their names are ``<id>_program.zip``, ``X_reference.zip``,
``X_sample.zip``, ``X_public.zip``, ``public_data.zip`` or ``starting_kit.zip``; all others are in the folder
of competition.yaml.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION, DEMO_TITLE, DIST, SOURCE
from organizer.bundle.competition import (
    LIMITS,
    Competition,
    Entry,
    LintReport,
    entries_of,
    form_of,
    is_key,
    named_files,
    read_competition,
    refused,
    sorted_phases,
    step_limit,
)
from organizer.bundle.contents import CONTENT, SampleRuns
from organizer.bundle.cut import (
    PUBLIC,
    PUBLIC_DATA,
    classic,
    leaderboard_columns,
    one_task,
    public_names,
    reference_name,
    task_id_of,
)
from organizer.bundle.kits import KIT
from organizer.bundle.lint import lint_files
from organizer.bundle.outdated import has_changed_settings
from organizer.bundle.parts import Parts
from organizer.bundle.phases import Offer, find_offer, offers_of, rules_of_phase
from organizer.bundle.pictures import with_pictures
from organizer.bundle.programs import build_program
from organizer.bundle.public_files import demo_reference, other_files, refuse_ignored_files
from organizer.bundle.rules import check_competition
from organizer.bundle.sbom import SBOM, sbom
from organizer.data.overview import SUFFIX, review_reference
from organizer.data.prepare import add_key, reference_files
from organizer.data.references import task_folder, task_folders
from organizer.files import (
    DAMAGED,
    Files,
    LockedError,
    files_below,
    keep_out_of_git,
    read_zip,
    work_folder,
    write_durable,
    zip_bytes,
)
from organizer.runs.phase import folder_name
from organizer.runs.worker import BuiltTask
from people_in_video.drawings.images import Images, Size
from scoring_program.task import load_task, task_ids
from validator.findings import Refused
from validator.texts import counted, printable, some_words

_SAMPLE = "_sample.zip"
_BUILDING = ".building-"


class Bundle(NamedTuple):
    """A bundle that is not yet a zip: its competition.yaml as data, and its other files."""

    data: Competition
    files: dict[str, bytes]

    def zipped(self) -> bytes:
        """Return the zip that is uploaded."""
        text = yaml.safe_dump(self.data, sort_keys=False, allow_unicode=True, width=100)
        return zip_bytes({COMPETITION: text.encode(), **self.files})


@dataclass
class Plan:
    """The bundles of one build by the name of the zip, and notes on what is not built or left out."""

    bundles: dict[str, Bundle] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def build_all(
    reference: Path | None,
    form: str = "v2",
    output: Path = DIST,
    demo: bool = False,
    source: Path | None = None,
) -> list[Path]:
    """Build all bundles of a form (``v2`` or ``v1.5``), print what is left out, and return their paths.

    ``reference`` is a folder of tasks or of one task, see `organizer.data.references`; without one the demo
    data is used. Bundles with a task that it lacks are built with ``demo`` only. ``source`` is the folder of
    competition.yaml, by default that of this repository. Raises Refused if the reference or competition.yaml
    is wrong, and writes nothing.
    """
    report = LintReport()
    source = source or SOURCE
    competition = load_competition(source, report)
    for line in report.lines():
        print(line)
    folders = task_folders(reference, task_names(competition)) if reference else {}
    for folder in {*folders.values(), *_reference_folders_of(competition, source)}:
        add_key(folder, folder)
    refuse_ignored_files(task_ids())
    plan = plan_bundles(competition, Parts(folders, demo or reference is None, source), form)
    file_names = _names_of_files(competition, source)
    for name, bundle in plan.bundles.items():
        plan.notes += _check_bundle(name, bundle, file_names)
    used_names = {reference_name(task) for task in competition["tasks"]}
    for name in sorted(folders.keys() - used_names):
        plan.notes.append(f"{name} of REFERENCE is not used: no task names {name}_reference.zip")
    if others := other_files(task_ids()):
        plan.notes.append(f"not packed, because no task names them: {some_words(others)}")
    for line in dict.fromkeys(plan.notes):
        print(f"note | {printable(line)}")
    _write(plan, output)
    written = [output / name for name in plan.bundles]
    folder = written[0].parent
    older = ", ".join(sorted(path.name for path in folder.glob("*.zip") if path not in written))
    if older:
        print(f"note | still in {folder.name}/ from an earlier build: {older}; delete what is out of date")
    return written


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
        names |= {f"{task_id}_program.zip", f"{task_id}_reference.zip", f"{task_id}{_SAMPLE}"}
    folders = {posixpath.dirname(posixpath.normpath(name)) for _, name, _ in named_files(competition)}
    for folder in {"", "pages", *folders}:
        if not folder.startswith(("/", "..")) and (source / folder).is_dir():
            files = [path for path in (source / folder).iterdir() if path.is_file()]
            names |= {posixpath.join(folder, path.name) for path in files if path.name[0] != "."}
    return names


def _check_bundle(name: str, bundle: Bundle, file_names: Collection[str]) -> list[str]:
    """Return notes on a bundle. Raises Refused if it has an error.

    ``file_names`` are those of files that competition.yaml could name, for misspelled ones.

    A rehearsal with a copy of the demo data can be built, although the starting kit shows that data.
    """
    report = LintReport()
    lint_files(bundle.data, bundle.files, SampleRuns.NONE, report, other_names=file_names)
    notes = [
        f"warning {problem.line()}"
        for problem in report.warnings.summary().problems(None)
        if problem.first.code.startswith((CONTENT, "L-DETAIL"))
    ]
    leaks_in_kit = [
        problem for problem in report.errors.problems if problem.code == "L-LEAK" and problem.file == KIT
    ]
    if len(leaks_in_kit) < report.errors.total:
        raise Refused(report.errors)
    if leaks_in_kit:
        notes.append(f"{name}: {KIT} shows files of the reference; do not upload it")
    return notes


def build_command(reference: Path | None, form: str, demo: bool) -> int:
    """Build all bundles into dist/ and print their paths."""
    try:
        paths = build_all(reference, form, demo=demo)
    except LockedError as error:
        print(printable(f"{DIST}: {error}; wait until it is done"))
        return 2
    print(*(path.relative_to(ROOT) for path in paths), sep="\n")
    return 0


def _write(plan: Plan, output: Path) -> None:
    """Write all bundles or none, and what their programs are made of.

    Folders of builds that were killed hold hidden references: they are removed. Raises LockedError while
    another build writes there.
    """
    bill_of_materials = sbom()
    output.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(output)
    with work_folder(output, _BUILDING) as folder:
        write_durable(folder / SBOM, bill_of_materials)
        for name, bundle in plan.bundles.items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_durable(folder / name, bundle.zipped())
        for name in (SBOM, *plan.bundles):
            (output / name).parent.mkdir(exist_ok=True)
            (folder / name).replace(output / name)


def load_competition(source: Path | None = None, report: LintReport | None = None) -> Competition:
    """Return competition.yaml; a ``report`` gets the warnings about its text, which no bundle shows.

    Raises Refused if it is not one of Codabench's v2, or wrong.
    """
    report, path = report or LintReport(), (source or SOURCE) / COMPETITION
    if not path.is_file():
        raise refused("no competition", folder=path.parent)
    data = read_competition(path.read_bytes(), report)
    if data is None:
        raise Refused(report.errors)
    check_buildable(data)
    return data


def check_buildable(data: Competition) -> None:
    """Raise Refused if bundles cannot be built from a competition.yaml."""
    if form_of(data) == "v1.5":
        raise refused("built from v2", "/version")
    report = LintReport()
    check_competition(data, report)
    report.errors.refuse_problems()


def task_names(competition: Competition) -> set[str]:
    """Return the names that a folder of REFERENCE may have: those of tasks and of references."""
    return {*task_ids(), *filter(None, (reference_name(task) for task in competition["tasks"]))}


def plan_bundles(competition: Competition, parts: Parts, form: str) -> Plan:
    """Put together the bundles of a form from a competition without errors.

    Raises Refused if none can be built.
    """
    plan = Plan()
    missing: set[str] = set()
    not_built: list[str] = []
    for name, data in _wanted(competition, form, plan).items():
        absent = _absent_references(data, parts)
        if absent:
            missing |= absent
            not_built.append(name)
        else:
            _add_bundle(name, data, parts, form, plan)
    problem = "; ".join(plan.notes) or "no task names a program of this project"
    remedy = "offer a task of this project in a phase"
    if not_built:
        problem = f"REFERENCE has no folder {', '.join(sorted(missing))}"
        remedy = f"add {'it' if len(missing) == 1 else 'them'}, or use DEMO=1 (--demo) for synthetic data"
        plan.notes.append(f"not built: {', '.join(not_built)}; {problem}; {remedy}")
    if not plan.bundles:
        raise refused("nothing to build", problem=problem, remedy=remedy)
    return plan


def _absent_references(data: Competition, parts: Parts) -> set[str]:
    """Return the names of references that the tasks of a competition need and that are not there."""
    absent = set()
    for task in data["tasks"]:
        name = reference_name(task)
        if name and parts.reference(name, task_id_of(task)) is None:
            absent.add(name)
    return absent


def _wanted(competition: Competition, form: str, plan: Plan) -> dict[str, Competition]:
    """Return the competition.yaml of each bundle of a form; that of all tasks only if there are several."""
    task_ids_here = {task_id_of(task) for task in competition["tasks"]}
    has_several_tasks = len(task_ids_here) > 1 or None in task_ids_here
    wanted = {"competition.zip": competition} if form == "v2" and has_several_tasks else {}
    for task_id in sorted(filter(None, task_ids_here)):
        data = one_task(competition, load_task(task_id))
        if data is None:
            plan.notes.append(f"there is no bundle of {task_id}: no phase offers it")
        else:
            wanted[f"{task_id}.zip" if form == "v2" else f"v1.5/{task_id}.zip"] = data
            plan.notes += _changed(competition, data)
            plan.notes += _missing_columns(data, task_id)
    return wanted


def _changed(competition: Competition, cut: Competition) -> Iterator[str]:
    """Yield notes on what differs in the bundle of one task, and on limits, which are kept."""
    if cut["title"] != competition["title"]:
        yield "the title of a bundle of one task is the name of the task: edit /tasks/n/name"
    rule = competition["leaderboards"][0].get("submission_rule")
    rule_of_cut = cut["leaderboards"][0].get("submission_rule")
    if rule != rule_of_cut:
        yield f"the submission rule of a bundle of one task is {rule_of_cut}, not {rule}"
    for _, phase in sorted_phases(competition):
        limits = ", ".join(f"{key} {phase[key]}" for key in LIMITS if phase.get(key) is not None)
        if limits and len(phase["tasks"]) > 1:
            share = f"in competition.zip its {counted(len(phase['tasks']), 'task')} share that"
            yield f"in each bundle the phase {phase['name']} has {limits}; {share}"


def _missing_columns(data: Competition, task_id: str) -> Iterator[str]:
    """Yield a note on the columns of a task that its leaderboard lacks."""
    keys = {column["key"] for column in data["leaderboards"][0]["columns"]}
    columns = [column for column in load_task(task_id).columns if column.leaderboard]
    missing = [column.key for column in columns if column.key not in keys]
    if missing:
        yield f"{task_id} has further columns, which the leaderboard does not show: {', '.join(missing)}"


def _add_bundle(name: str, data: Competition, parts: Parts, form: str, plan: Plan) -> None:
    """Add the bundle of a competition, its title marked if it has demo data, without missing samples."""
    id_of_index = {task["index"]: task_id for task in data["tasks"] if (task_id := task_id_of(task))}
    solutions, built_files = _samples(data, id_of_index, parts, plan)
    if id_of_index and not parts.supplied_files(KIT):
        built_files[KIT] = parts.kit(tuple(sorted(set(id_of_index.values()))))
    has_demo_data = False
    for task in data["tasks"]:
        task_id = id_of_index.get(task["index"])
        if task_id is not None:
            built_files.update(_files_of_task(task, task_id, parts))
            reference = reference_name(task)
            has_demo_data |= reference is not None and parts.is_demo(reference, task_id)
    data, public_zips = _public_data(data, parts, plan)
    built_files.update(public_zips)
    title = f"{DEMO_TITLE if has_demo_data else ''}{data['title']}"
    data = {**data, "title": title, "solutions": solutions}
    if not solutions:
        del data["solutions"]
    if form == "v1.5":
        data, lost = classic(data)
        plan.notes += lost
    files: dict[str, bytes] = {}
    for _, path, key in named_files(data):
        if path in built_files:
            files[path] = built_files[path]
        elif key == "file":
            pages = parts.supplied_files(path)
            files.update(
                {name: with_pictures(name, text, parts.supplied_files) for name, text in pages.items()}
            )
        else:
            files.update(parts.supplied_files(path))
    plan.bundles[name] = Bundle(data, files)


def _files_of_task(task: Entry, task_id: str, parts: Parts) -> dict[str, bytes]:
    """Return the program and the reference of a task, without what the server holds."""
    files = {}
    if not is_key(task["scoring_program"]):
        files[task["scoring_program"]] = parts.program(task_id)
    reference = reference_name(task)
    if reference:
        files[task["reference_data"]] = parts.reference(reference, task_id) or b""
    return files


def _public_data(data: Competition, parts: Parts, plan: Plan) -> tuple[Competition, dict[str, bytes]]:
    """Return a competition without public data that there is none of, and the zips that are built here."""
    task_of_reference = {}
    for task in data["tasks"]:
        reference, task_id = reference_name(task), task_id_of(task)
        if reference and task_id:
            task_of_reference[reference] = task_id
    zips = {}
    phases = []
    for phase in data["phases"]:
        path = str(phase.get("public_data") or "")
        if not path.endswith((PUBLIC, PUBLIC_DATA)) or parts.supplied_files(path):
            phases.append(phase)
            continue
        folder_of_name = public_names(data, path)
        if not folder_of_name:
            plan.notes.append(f"no {path} for {phase['name']}: none of its tasks names an X_reference.zip")
        files = {}
        for name, folder in folder_of_name.items():
            public = parts.public_files(name, task_of_reference[name]) if name in task_of_reference else {}
            if not public:
                remedy = "make it with make reference or make public-data, for parts before make split"
                plan.notes.append(f"no public data of {name} in {path}: {remedy}")
            files.update({posixpath.join(folder, file): content for file, content in public.items()})
        if files:
            zips[path] = zip_bytes(files)
            phases.append(phase)
        else:
            phases.append({key: value for key, value in phase.items() if key != "public_data"})
    return {**data, "phases": phases}, zips


def _samples(
    data: Competition, id_of_index: Mapping[object, str], parts: Parts, plan: Plan
) -> tuple[list[Entry], dict[str, bytes]]:
    """Return the solutions that have a file, and the files that are built here."""
    solutions, built_files = [], {}
    for _, entry in entries_of(data, "solutions"):
        path = str(entry.get("path", ""))
        task_id = id_of_index.get(next(iter(entry["tasks"]), None))
        if task_id and path.endswith(_SAMPLE):
            sample = parts.sample(path[: -len(_SAMPLE)], task_id)
            if sample is None:
                plan.notes.append(f"no solution {path}: there is no such sample next to the reference folder")
                continue
            built_files[path] = sample
        solutions.append(entry)
    return solutions, built_files


def built_task(task_id: str, reference: Path | None, phase_name: str = "") -> BuiltTask:
    """Return the task in ``dist/<id>.zip``; its parts are built if there is no such bundle.

    ``reference``, a folder of tasks or of this one, replaces the bundle's reference. ``phase_name`` is the
    phase that it is about; without one it is the only phase, or that of the reference. Raises Refused if the
    reference is neither, if there is no such phase, or if nothing tells several references apart.
    """
    path = DIST / f"{task_id}.zip"
    files = read_zip(path) if path.is_file() else {}
    competition = yaml.safe_load(files[COMPETITION]) if files else load_competition()
    if files and has_changed_settings(path, files, SOURCE):
        place = f"{DIST.name}/{path.name}"
        remedy = "to use its dates and settings, run make bundle"
        print(f"warning | {place} was not built from today's {COMPETITION}; {remedy}")
    # Demo data, without a bundle, stands for the reference that has the name of the task.
    given_names = None if files else {task_id}
    if reference:
        given_names = _given_names(competition, task_id, reference)
    offer = find_offer(competition, task_id, phase_name, given_names)
    program = _program_in(files, competition, task_id) if files else build_program(task_id)
    folder = _given_folder(task_id, reference, offer) if reference else None
    data: Path | bytes
    if folder:
        data = _readable_reference(task_id, folder)
    elif files:
        data = _reference_in(files, offer.task if offer else _first_entry(competition, task_id))
    else:
        print(f"DEMO: no REFERENCE and no {DIST.name}/{path.name}, so the reference is demo data")
        data = zip_bytes(demo_reference(task_id))
    return BuiltTask(
        id=task_id,
        program=program,
        reference=data,
        time_limit=float(step_limit(offer.phase if offer else competition["phases"][0])),
        competition=str(competition["title"]).removeprefix(DEMO_TITLE),
        title=str(offer.task.get("name") or "") if offer else "",
        reference_name=_name_of_reference(folder, offer),
        phase=rules_of_phase(offer.phase) if offer else None,
        image=str(competition.get("docker_image") or ""),
        label=_label(competition, task_id, folder, offer),
        columns=leaderboard_columns(competition, load_task(task_id)),
    )


def _first_entry(competition: Competition, task_id: str) -> Entry:
    entries = [entry for _, entry in entries_of(competition, "tasks")]
    return next(entry for entry in entries if task_id_of(entry) == task_id)


def _program_in(files: Files, competition: Competition, task_id: str) -> bytes:
    """Return the program of a task of a bundle; warn if it is not the one of this repository."""
    place, built_program = f"{DIST.name}/{task_id}.zip", build_program(task_id)
    name = _first_entry(competition, task_id)["scoring_program"]
    if is_key(name):
        print(f"warning | {place} names a program that the server holds; that of this repository runs here")
        return built_program
    program: bytes = files[name]
    if program != built_program:
        print(f"warning | the program in {place} differs from this repository's; run make bundle")
    return program


def _name_of_reference(folder: Path | None, offer: Offer | None) -> str:
    """Return what a reference is called: like its folder, or as the competition names it."""
    if folder is not None:
        return folder.absolute().name
    return offer.reference if offer else ""


def _label(competition: Competition, task_id: str, folder: Path | None, offer: Offer | None) -> str:
    """Return a name for the phase, or for the reference if the phase is not known; "" for a single phase."""
    if len(offers_of(competition, task_id)) < 2:
        return ""
    return folder_name(offer.phase_name if offer else _name_of_reference(folder, offer))


def _given_names(competition: Competition, task_id: str, reference: Path) -> set[str]:
    """Return the names of the references of a task that REFERENCE holds, or its own if it holds none."""
    names = {offer.reference for offer in offers_of(competition, task_id)}
    return {name for name in names if (reference / name).is_dir()} or {reference.absolute().name}


def _given_folder(task_id: str, reference: Path, offer: Offer | None) -> Path:
    """Return the folder of REFERENCE that a phase names, or that of the task."""
    name = offer.reference if offer and (reference / offer.reference).is_dir() else task_id
    return task_folder(name, reference, task_names(load_competition()))


def _readable_reference(task_id: str, folder: Path) -> Path | bytes:
    """Return a reference folder, as a zip if the platform cannot read its files as they are."""
    files = reference_files(task_id, folder)
    return folder if all((folder / name).is_file() for name in files) else zip_bytes(files)


def overview_command(bundle: Path, images: Path | None, image_size: Size | None) -> int:
    """Print what the references of a bundle hold, and write a page beside it for each."""
    report = LintReport()
    try:
        files = read_zip(bundle)
        data = read_competition(files[COMPETITION], report)
    except (*DAMAGED, KeyError):
        raise refused("no zip", problem="there is no bundle that can be read") from None
    if data is None:
        raise Refused(report.errors)
    entries = [entry for _, entry in entries_of(data, "tasks" if form_of(data) == "v2" else "phases")]
    for number, entry in enumerate(entries):
        if task_id := task_id_of(entry):
            print(f"{task_id}: {printable(str(entry.get('reference_data')))}")
            overview = review_reference(task_id, _reference_in(files, entry))
            name = bundle.stem if len(entries) == 1 else f"{bundle.stem}.{number}_{task_id}"
            page = overview.write(bundle.with_name(f"{name}{SUFFIX}"), Images(images, image_size))
            lines = [*overview.lines(), page]
            print(*(f"  {printable(line)}" for line in lines), sep="\n")
    return 0


def _reference_in(files: Files, task: Entry) -> bytes:
    """Return the reference of a task of a bundle as a zip; there it may be a folder."""
    name = posixpath.normpath(task.get("reference_data", ""))
    if name in files:
        return files[name]
    if folder := files_below(name, files):
        return zip_bytes(folder)
    raise refused("no reference in the bundle")
