"""Building the bundles that are uploaded.

``competition.yaml`` is the single source for the competition of all tasks; the bundle of one task is cut out
of it. The files that it names are built if their names are ``<id>_program.zip``, ``X_reference.zip``,
``X_sample.zip`` or ``starting_kit.zip``; all others are in the folder of competition.yaml.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION, DEMO_TITLE, DIST
from organizer.bundle.competition import (
    Competition,
    Entry,
    form_of,
    named_files,
    read_competition,
)
from organizer.bundle.cut import challenge_of, classic, one_challenge, reference_name
from organizer.bundle.lint import lint_files
from organizer.bundle.parts import KIT, Parts
from organizer.bundle.report import LintReport
from organizer.bundle.rules import check_competition
from organizer.data.references import RefusedError, task_folders
from organizer.files import Files, zip_bytes
from scoring_program.challenge import challenge_ids

_SAMPLE = "_sample.zip"


class Bundle(NamedTuple):
    """A bundle that is not yet a zip: its competition.yaml as data, and its other files."""

    data: Competition
    files: dict[str, bytes]

    def report(self, samples: bool = False) -> LintReport:
        """Return the findings of the linter."""
        report = LintReport()
        lint_files(self.data, self.files, samples, report)
        return report

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
    """Build all bundles of a form into ``output``, print what was left out, and return their paths.

    Parameters
    ----------
    reference : Path, optional
        A folder of tasks or of one task; see `organizer.data.references`. Without one the demo data is used.
    form : str
        ``v2`` or ``v1.5``.
    demo : bool
        Whether tasks that ``reference`` does not hold get the synthetic demo reference. Otherwise bundles
        with such tasks are not built.
    source : Path
        The folder of competition.yaml.

    Raises
    ------
    RefusedError
        The reference or competition.yaml is wrong; then nothing is written.
    """
    competition = load_competition(source)
    folders = task_folders(reference, task_names(competition)) if reference else None
    plan = plan_bundles(competition, Parts(folders, demo or reference is None, source), form)
    for name, bundle in plan.bundles.items():
        errors = bundle.report().errors
        # A rehearsal with a copy of the demo data can be built, although the starting kit shows that data.
        in_kit = [problem for problem in errors.problems if problem.code == "L-LEAK" and problem.file == KIT]
        if len(in_kit) < errors.total:
            raise RefusedError(errors)
        if in_kit:
            plan.notes.append(f"{name}: {KIT} shows files of the reference; do not upload it")
    for name in sorted((folders or {}).keys() - {reference_name(task) for task in competition["tasks"]}):
        plan.notes.append(f"{name} of REFERENCE is not used: no task names {name}_reference.zip")
    for line in dict.fromkeys(plan.notes):
        print(f"note | {line}")
    _write(plan, output)
    folder = output if form == "v2" else output / "v1.5"
    if older := sorted(
        {path.name for path in folder.glob("*.zip")} - {Path(name).name for name in plan.bundles}
    ):
        print(
            f"note | still in {folder.name}/ from an earlier build: {', '.join(older)}; delete what "
            "is out of date"
        )
    return [output / name for name in plan.bundles]


def build_command(reference: Path | None, form: str, demo: bool) -> int:
    """Build all bundles into dist/ and print their paths."""
    for path in build_all(reference, form, demo=demo):
        print(path.relative_to(ROOT))
    return 0


def _write(plan: Plan, output: Path) -> None:
    """Write all bundles or none."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".building-") as folder:
        for name, bundle in plan.bundles.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_bytes(bundle.zipped())
        for name in plan.bundles:
            (output / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).replace(output / name)


def load_competition(source: Path = ROOT) -> dict[str, Any]:
    """Return competition.yaml. Raises RefusedError if it is not one of Codabench's v2, or wrong."""
    report, path = LintReport(), source / COMPETITION
    if not path.is_file():
        report.error("L-FILE", "there is no such file", f"put it into {source}")
    data = read_competition(path.read_bytes(), report) if report.ok else None
    report.refuse_errors()
    assert data is not None  # noqa: S101 - otherwise there are errors
    check_buildable(data)
    return data


def check_buildable(data: Competition) -> None:
    """Raise RefusedError if bundles cannot be built from a competition.yaml."""
    report = LintReport()
    if form_of(data) == "v1.5":
        report.error(
            "L-SCHEMA", "v1.5 bundles are built from v2 as well", "write version: 2", where="/version"
        )
    else:
        check_competition(data, report)
    report.refuse_errors()


def task_names(competition: Competition) -> set[str]:
    """Return the names that a folder of REFERENCE may have: those of all challenges, and those of
    references."""
    return {*challenge_ids(), *filter(None, (reference_name(task) for task in competition["tasks"]))}


def plan_bundles(competition: Competition, parts: Parts, form: str) -> Plan:
    """Put together the bundles of a form from a competition without errors.

    Raises RefusedError if none can be built.
    """
    plan, missing, not_built = Plan(), set[str](), []
    for name, data in _wanted(competition, parts, form, plan).items():
        absent = {x for task in data["tasks"] if (x := _missing_reference(task, parts))}
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
        report = LintReport()
        report.error("L-NOTHING", f"there is nothing to build: {problem}", hint)
        report.refuse_errors()
    return plan


def _wanted(competition: Competition, parts: Parts, form: str, plan: Plan) -> dict[str, dict[str, Any]]:
    """Return the competition.yaml of each bundle of a form."""
    wanted = {"competition.zip": dict(competition)} if form == "v2" else {}
    for challenge_id in sorted({name for task in competition["tasks"] if (name := challenge_of(task))}):
        data = one_challenge(competition, parts.challenge(challenge_id))
        if data is None:
            plan.notes.append(f"there is no bundle of {challenge_id}: no phase offers it")
        else:
            wanted[f"{challenge_id}.zip" if form == "v2" else f"v1.5/{challenge_id}.zip"] = data
            if data["title"] != competition["title"]:
                plan.notes.append(
                    "the title of a bundle of one task is the name of the task: edit /tasks/n/name"
                )
    return wanted


def _missing_reference(task: Entry, parts: Parts) -> str | None:
    name, challenge_id = reference_name(task), challenge_of(task)
    return name if name and challenge_id and parts.reference(name, challenge_id) is None else None


def _add_bundle(name: str, data: Competition, parts: Parts, form: str, plan: Plan) -> None:
    data, named = _with_files(data, parts, plan)
    if form == "v1.5":
        data, lost = classic(data)
        plan.notes += lost
    files = {
        path: content for _, name, _ in named_files(data) for path, content in named.get(name, {}).items()
    }
    plan.bundles[name] = Bundle(data, files)


def _with_files(data: Competition, parts: Parts, plan: Plan) -> tuple[dict[str, Any], dict[str, Files]]:
    """Return the competition, its title marked if it has demo data, without missing samples, and its
    files."""
    made: dict[str, Files] = {}
    tasks = {task["index"]: task for task in data["tasks"]}
    demo = False
    for task in data["tasks"]:
        challenge_id, name = challenge_of(task), reference_name(task)
        if challenge_id:
            made[task["scoring_program"]] = {task["scoring_program"]: parts.program(challenge_id)}
        if challenge_id and name:
            made[task["reference_data"]] = {
                task["reference_data"]: parts.reference(name, challenge_id) or b""
            }
            demo |= parts.is_demo(name, challenge_id)
    solutions = []
    for entry in data.get("solutions", []):
        sample = _sample(entry, tasks, parts)
        if sample is None:
            plan.notes.append(
                f"no solution {entry['path']}: there is no such sample next to the reference folder"
            )
        else:
            made.update(sample)
            solutions.append(entry)
    ids = tuple(sorted({challenge_id for task in data["tasks"] if (challenge_id := challenge_of(task))}))
    if not parts.brought(KIT):
        made[KIT] = {KIT: parts.kit(ids)}
    data = {**data, "title": f"{DEMO_TITLE if demo else ''}{data['title']}", "solutions": solutions}
    if not solutions:
        del data["solutions"]
    brought = {name: parts.brought(name) for _, name, _ in named_files(data) if name not in made}
    return data, {**brought, **made}


def _sample(entry: Entry, tasks: Mapping[Any, Entry], parts: Parts) -> dict[str, Files] | None:
    """Return the file of a solution if it is made here (empty if the organizer brings it), None if there
    is none."""
    path = str(entry.get("path", ""))
    task: Entry = tasks[entry["tasks"][0]] if entry["tasks"] else {}
    challenge_id = challenge_of(task)
    if challenge_id is None or not path.endswith(_SAMPLE):
        return {}
    sample = parts.sample(path[: -len(_SAMPLE)], challenge_id)
    return None if sample is None else {path: {path: sample}}
