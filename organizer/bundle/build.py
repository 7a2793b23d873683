"""Building the bundles that are uploaded.

``competition.yaml`` is the truth for the competition of all tasks; the bundle of one challenge is cut out of it. Data
that it names is made here if its name is ``<id>_program.zip``, ``X_reference.zip``, ``X_sample.zip`` or
``starting_kit.zip``; any other file or folder lies beside competition.yaml.
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
from organizer.bundle.competition import check_competition, form_of, named_files, read_competition
from organizer.bundle.contents import Contents
from organizer.bundle.cut import challenge_of, classic, one_challenge, reference_name
from organizer.bundle.lint import lint_files
from organizer.bundle.parts import KIT, Parts
from organizer.bundle.report import Report
from organizer.data.references import RefusedError, task_folders
from organizer.files import zip_bytes
from scoring_program.challenge import challenge_ids
from validator.findings import Findings

_SAMPLE = "_sample.zip"


class Bundle(NamedTuple):
    """A bundle that is not yet a zip: its competition.yaml as data, and its other files."""

    data: dict[str, Any]
    files: dict[str, bytes]

    def report(self, contents: Contents, samples: bool = False) -> Report:
        """Return what the linter says of it."""
        report = Report()
        lint_files(self.data, self.files, contents, samples, report)
        return report

    def zipped(self) -> bytes:
        """Return the zip that is uploaded."""
        text = yaml.safe_dump(self.data, sort_keys=False, allow_unicode=True, width=100)
        return zip_bytes({COMPETITION: text.encode(), **self.files})


@dataclass
class Plan:
    """The bundles of one build.

    Attributes
    ----------
    bundles : dict of str to Bundle
        By the name of the zip.
    said : list of str
        What the organizer should know: what is not built, left out or not carried over.
    """

    bundles: dict[str, Bundle] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


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
        Whether tasks that ``reference`` does not hold get the synthetic demo reference. Otherwise bundles with such
        tasks are not built.
    source : Path
        The folder of competition.yaml.

    Raises
    ------
    RefusedError
        The reference or competition.yaml is wrong; then nothing is written.
    """
    truth = read_truth(source)
    folders = task_folders(reference, task_names(truth)) if reference else None
    plan = plan_bundles(truth, Parts(folders, demo or reference is None, source), form)
    contents = Contents()
    for name, bundle in plan.bundles.items():
        errors = bundle.report(contents).errors
        # A rehearsal with a copy of the demo data builds, although the starting kit shows that data.
        in_kit = [problem for problem in errors.problems if problem.code == "L-LEAK" and problem.file == KIT]
        if len(in_kit) < errors.total:
            raise RefusedError(errors)
        if in_kit:
            plan.said.append(f"{name}: {KIT} shows files of the reference; do not upload it")
    for name in sorted((folders or {}).keys() - {reference_name(task) for task in truth["tasks"]}):
        plan.said.append(f"{name} of REFERENCE is not used: no task names {name}_reference.zip")
    for line in dict.fromkeys(plan.said):
        print(f"note | {line}")
    _write(plan, output)
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


def read_truth(source: Path = ROOT) -> dict[str, Any]:
    """Return competition.yaml. Raises RefusedError if it is not one of Codabench's v2, or wrong."""
    report = Report()
    path = source / COMPETITION
    if not path.is_file():
        report.error("L-FILE", "there is no such file", f"put it into {source}")
    data = read_competition(path.read_bytes(), report) if report.ok else None
    if data is None or not report.ok:
        raise RefusedError(report.errors)
    check_truth(data)
    return data


def check_truth(data: dict[str, Any]) -> None:
    """Raise RefusedError if bundles cannot be built from a competition.yaml."""
    report = Report()
    if form_of(data) == "v1.5":
        report.error("L-SCHEMA", "v1.5 bundles are built from v2 as well", "write version: 2", "/version")
    else:
        check_competition(data, report)
    refuse_errors(report)


def refuse_errors(report: Report) -> None:
    """Raise RefusedError if there are errors."""
    if not report.ok:
        raise RefusedError(report.errors)


def task_names(truth: Mapping[str, Any]) -> set[str]:
    """Return the names that a folder of REFERENCE may have: those of all challenges, and those of references."""
    return {*challenge_ids(), *filter(None, (reference_name(task) for task in truth["tasks"]))}


def plan_bundles(truth: Mapping[str, Any], parts: Parts, form: str) -> Plan:
    """Put together the bundles of a form; ``truth`` is a competition without errors.

    Raises RefusedError if none can be built.
    """
    plan = Plan()
    wanted = {"competition.zip": dict(truth)} if form == "v2" else {}
    for challenge_id in challenge_ids():
        if any(challenge_of(task) == challenge_id for task in truth["tasks"]):
            cut = one_challenge(truth, parts.challenge(challenge_id))
            if cut is None:
                plan.said.append(f"there is no bundle of {challenge_id}: no phase offers it")
            else:
                wanted[f"{challenge_id}.zip" if form == "v2" else f"v1.5/{challenge_id}.zip"] = cut
    missing: set[str] = set()
    left_out = []
    for name, data in wanted.items():
        lacking = {x for task in data["tasks"] if (x := _missing_reference(task, parts))}
        missing |= lacking
        if lacking:
            left_out.append(name)
        else:
            _add_bundle(name, data, parts, form, plan)
    if left_out:
        hint = "add them, or DEMO=1 (--demo) for synthetic data"
        problem = f"REFERENCE has no folder {', '.join(sorted(missing))}; {hint}"
        plan.said.append(f"not built: {', '.join(left_out)}; {problem}")
    if not plan.bundles:
        findings = Findings()
        findings.add("L-NOTHING", "there is nothing to build: " + "; ".join(plan.said), "see above", COMPETITION)
        raise RefusedError(findings)
    return plan


def _missing_reference(task: Mapping[str, Any], parts: Parts) -> str | None:
    name, challenge_id = reference_name(task), challenge_of(task)
    return name if name and challenge_id and parts.reference(name, challenge_id) is None else None


def _add_bundle(name: str, data: dict[str, Any], parts: Parts, form: str, plan: Plan) -> None:
    data, named = _with_files(data, parts, plan)
    if form == "v1.5":
        data, lost = classic(data)
        plan.said += lost
    files = {place: content for file in named_files(data) for place, content in named.get(file.name, {}).items()}
    plan.bundles[name] = Bundle(data, files)


def _with_files(
    data: dict[str, Any], parts: Parts, plan: Plan
) -> tuple[dict[str, Any], dict[str, Mapping[str, bytes]]]:
    """Return the competition with a title that tells of demo data, without missing samples, and its files by name."""
    made: dict[str, Mapping[str, bytes]] = {}
    tasks = {task["index"]: task for task in data["tasks"]}
    demo = False
    for task in data["tasks"]:
        challenge_id, name = challenge_of(task), reference_name(task)
        if challenge_id:
            made[task["scoring_program"]] = {task["scoring_program"]: parts.program(challenge_id)}
        if challenge_id and name:
            made[task["reference_data"]] = {task["reference_data"]: parts.reference(name, challenge_id) or b""}
            demo |= parts.is_demo(name, challenge_id)
    solutions = []
    for entry in data.get("solutions", []):
        sample = _sample(entry, tasks, parts)
        if sample is None:
            plan.said.append(f"no solution {entry['path']}: there is no such sample beside the reference folder")
        else:
            made.update(sample)
            solutions.append(entry)
    ids = tuple(sorted({challenge_id for task in data["tasks"] if (challenge_id := challenge_of(task))}))
    if not parts.own(KIT):
        made[KIT] = {KIT: parts.kit(ids)}
    data = {**data, "title": f"{DEMO_TITLE if demo else ''}{data['title']}", "solutions": solutions}
    if not solutions:
        del data["solutions"]
    own = {file.name: parts.own(file.name) for file in named_files(data) if file.name not in made}
    return data, {**own, **made}


def _sample(
    entry: Mapping[str, Any], tasks: Mapping[Any, Mapping[str, Any]], parts: Parts
) -> dict[str, Mapping[str, bytes]] | None:
    """Return the file of a solution if it is made here (empty if the organizer brings it), None if there is none."""
    path = str(entry.get("path", ""))
    task: Mapping[str, Any] = tasks[entry["tasks"][0]] if entry["tasks"] else {}
    challenge_id = challenge_of(task)
    if challenge_id is None or not path.endswith(_SAMPLE):
        return {}
    sample = parts.sample(path[: -len(_SAMPLE)], challenge_id)
    return None if sample is None else {path: {path: sample}}
