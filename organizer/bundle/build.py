"""Building the bundles that are uploaded, and reading built ones, for runs of submissions and overviews.

``competition.yaml`` is the single source for the competition of all tasks; the bundle of one task is cut out
of it. The files that it names are built if their names are ``<id>_program.zip``, ``X_reference.zip``,
``X_sample.zip`` or ``starting_kit.zip``; all others are in the folder of competition.yaml.
"""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION, DEMO_TITLE, DIST
from organizer.bundle.competition import (
    LIMITS,
    Competition,
    Entry,
    LintReport,
    entries_of,
    form_of,
    named_files,
    read_competition,
    refused,
    sorted_phases,
    step_limit,
)
from organizer.bundle.contents import CONTENT
from organizer.bundle.cut import classic, one_task, reference_name, task_id_of
from organizer.bundle.kits import KIT
from organizer.bundle.lint import lint_files
from organizer.bundle.parts import Parts, demo_reference
from organizer.bundle.programs import build_program
from organizer.bundle.rules import check_competition
from organizer.bundle.sbom import SBOM, sbom
from organizer.data.overview import SUFFIX, review_reference
from organizer.data.prepare import add_key, reference_files
from organizer.data.references import task_folder, task_folders
from organizer.files import DAMAGED, Files, files_below, read_zip, zip_bytes
from organizer.runs.worker import BuiltTask
from scoring_program.report.images import Images, Size
from scoring_program.task import load_task, task_ids
from validator.findings import Refused
from validator.texts import counted, printable

_SAMPLE = "_sample.zip"


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
    reference: Path | None, form: str = "v2", output: Path = DIST, demo: bool = False, source: Path = ROOT
) -> list[Path]:
    """Build all bundles of a form (``v2`` or ``v1.5``), print what is left out, and return their paths.

    ``reference`` is a folder of tasks or of one task, see `organizer.data.references`; without one the demo
    data is used. Bundles with a task that it lacks are built with ``demo`` only. ``source`` is the folder of
    competition.yaml. Raises Refused if the reference or competition.yaml is wrong, and writes nothing.
    """
    report = LintReport()
    competition = load_competition(source, report)
    for line in report.lines():
        print(line)
    folders = task_folders(reference, task_names(competition)) if reference else {}
    own = (source / str(task.get("reference_data", "")) for task in competition["tasks"] if task_id_of(task))
    for folder in {*folders.values(), *(path for path in own if path.is_dir() and path != source)}:
        add_key(folder, folder)
    plan = plan_bundles(competition, Parts(folders, demo or reference is None, source), form)
    for name, bundle in plan.bundles.items():
        report = LintReport()
        lint_files(bundle.data, bundle.files, samples=False, report=report)
        errors = report.errors
        found = [
            p for p in report.warnings.summary().problems(None) if p.code.startswith((CONTENT, "L-DETAIL"))
        ]
        plan.notes += [f"warning {problem.line()}" for problem in found]
        # A rehearsal with a copy of the demo data can be built, although the starting kit shows that data.
        in_kit = [problem for problem in errors.problems if problem.code == "L-LEAK" and problem.file == KIT]
        if len(in_kit) < errors.total:
            raise Refused(errors)
        if in_kit:
            plan.notes.append(f"{name}: {KIT} shows files of the reference; do not upload it")
    for name in sorted(folders.keys() - {reference_name(task) for task in competition["tasks"]}):
        plan.notes.append(f"{name} of REFERENCE is not used: no task names {name}_reference.zip")
    for line in dict.fromkeys(plan.notes):
        print(f"note | {line}")
    _write(plan, output)
    written = [output / name for name in plan.bundles]
    folder = written[0].parent
    if older := ", ".join(sorted(path.name for path in folder.glob("*.zip") if path not in written)):
        print(f"note | still in {folder.name}/ from an earlier build: {older}; delete what is out of date")
    return written


def build_command(reference: Path | None, form: str, demo: bool) -> int:
    """Build all bundles into dist/ and print their paths."""
    print(*(path.relative_to(ROOT) for path in build_all(reference, form, demo=demo)), sep="\n")
    return 0


def _write(plan: Plan, output: Path) -> None:
    """Write all bundles or none, and what their programs are made of."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".building-") as folder:
        (Path(folder) / SBOM).write_bytes(sbom())
        for name, bundle in plan.bundles.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_bytes(bundle.zipped())
        for name in (SBOM, *plan.bundles):
            (output / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).replace(output / name)


def load_competition(source: Path = ROOT, report: LintReport | None = None) -> Competition:
    """Return competition.yaml; a ``report`` gets the warnings about its text, which no bundle shows.

    Raises Refused if it is not one of Codabench's v2, or wrong.
    """
    report, path = report or LintReport(), source / COMPETITION
    if not path.is_file():
        raise refused("no competition", folder=source)
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
    plan, missing, not_built = Plan(), set[str](), []
    for name, data in _wanted(competition, form, plan).items():
        named = {(reference_name(task), task_id_of(task)) for task in data["tasks"]}
        absent = {x for x, task_id in named if x and parts.reference(x, task_id) is None}
        if absent:
            missing |= absent
            not_built.append(name)
        else:
            _add_bundle(name, data, parts, form, plan)
    problem, hint = "; ".join(plan.notes), "offer a task of this project in a phase"
    if not_built:
        problem = f"REFERENCE has no folder {', '.join(sorted(missing))}"
        hint = f"add {'it' if len(missing) == 1 else 'them'}, or use DEMO=1 (--demo) for synthetic data"
        plan.notes.append(f"not built: {', '.join(not_built)}; {problem}; {hint}")
    if not plan.bundles:
        raise refused("nothing to build", problem=problem, remedy=hint)
    return plan


def _wanted(competition: Competition, form: str, plan: Plan) -> dict[str, Competition]:
    """Return the competition.yaml of each bundle of a form."""
    wanted = {"competition.zip": competition} if form == "v2" else {}
    for task_id in sorted({name for task in competition["tasks"] if (name := task_id_of(task))}):
        data = one_task(competition, load_task(task_id))
        if data is None:
            plan.notes.append(f"there is no bundle of {task_id}: no phase offers it")
        else:
            wanted[f"{task_id}.zip" if form == "v2" else f"v1.5/{task_id}.zip"] = data
            plan.notes += _changed(competition, data)
    return wanted


def _changed(competition: Competition, cut: Competition) -> Iterator[str]:
    """Yield notes on what differs in the bundle of one task, and on limits, which are kept."""
    if cut["title"] != competition["title"]:
        yield "the title of a bundle of one task is the name of the task: edit /tasks/n/name"
    rules = [data["leaderboards"][0].get("submission_rule") for data in (competition, cut)]
    if rules[0] != rules[1]:
        yield f"the submission rule of a bundle of one task is {rules[1]}, not {rules[0]}"
    for _, phase in sorted_phases(competition):
        limits = ", ".join(f"{key} {phase[key]}" for key in LIMITS if phase.get(key) is not None)
        if limits and len(phase["tasks"]) > 1:
            share = f"in competition.zip its {counted(len(phase['tasks']), 'task')} share that"
            yield f"in each bundle the phase {phase['name']} has {limits}; {share}"


def _add_bundle(name: str, data: Competition, parts: Parts, form: str, plan: Plan) -> None:
    """Add the bundle of a competition, its title marked if it has demo data, without missing samples."""
    used = {task["index"]: found for task in data["tasks"] if (found := task_id_of(task))}
    solutions, made = _samples(data, used, parts, plan)
    if not parts.brought(KIT):
        made[KIT] = parts.kit(tuple(sorted(set(used.values()))))
    demo = False
    for task in data["tasks"]:
        if task_id := used.get(task["index"]):
            made[task["scoring_program"]] = parts.program(task_id)
            if reference := reference_name(task):
                made[task["reference_data"]] = parts.reference(reference, task_id) or b""
                demo |= parts.is_demo(reference, task_id)
    data = {**data, "title": f"{DEMO_TITLE if demo else ''}{data['title']}", "solutions": solutions}
    if not solutions:
        del data["solutions"]
    if form == "v1.5":
        data, lost = classic(data)
        plan.notes += lost
    files: dict[str, bytes] = {}
    for _, path, _ in named_files(data):
        files.update({path: made[path]} if path in made else parts.brought(path))
    plan.bundles[name] = Bundle(data, files)


def _samples(
    data: Competition, used: Mapping[object, str], parts: Parts, plan: Plan
) -> tuple[list[Entry], dict[str, bytes]]:
    """Return the solutions that have a file, and the files that are made here; ``used`` has ids by index."""
    solutions, made = [], {}
    for _, entry in entries_of(data, "solutions"):
        path, task_id = str(entry.get("path", "")), used.get(next(iter(entry["tasks"]), None))
        if task_id and path.endswith(_SAMPLE):
            sample = parts.sample(path[: -len(_SAMPLE)], task_id)
            if sample is None:
                plan.notes.append(f"no solution {path}: there is no such sample next to the reference folder")
                continue
            made[path] = sample
        solutions.append(entry)
    return solutions, made


def built_task(task_id: str, reference: Path | None) -> BuiltTask:
    """Return the task in ``dist/<id>.zip``; its parts are built if there is no such bundle.

    ``reference``, a folder of tasks or of this one, replaces the bundle's reference. Raises Refused if
    it is neither.
    """
    data = _given_reference(task_id, reference) if reference else None
    path = DIST / f"{task_id}.zip"
    if not path.is_file():
        if not data:
            print(f"DEMO: no REFERENCE and no {DIST.name}/{path.name}, so the reference is demo data")
            data = zip_bytes(demo_reference(task_id))
        title = str(load_competition()["title"])
        return BuiltTask(task_id, build_program(task_id), data, float(step_limit({})), title)
    files = read_zip(path)
    competition = yaml.safe_load(files[COMPETITION])
    # The first of several entries of the task, as a bundle without REFERENCE names no other.
    task = next(task for task in competition["tasks"] if task_id_of(task) == task_id)
    program = files[task["scoring_program"]]
    if program != build_program(task_id):
        place = f"{DIST.name}/{path.name}"
        print(f"warning | the program in {place} differs from this repository's; run make bundle")
    limit = float(step_limit(competition["phases"][0]))
    title = str(competition["title"]).removeprefix(DEMO_TITLE)
    return BuiltTask(task_id, program, data or _reference_in(files, task), limit, title)


def _given_reference(task_id: str, reference: Path) -> Path | bytes:
    """Return the task's folder of REFERENCE, as a zip if the platform cannot read its files as they are."""
    folder = task_folder(task_id, reference, task_names(load_competition()))
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
