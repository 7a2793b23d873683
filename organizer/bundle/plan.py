"""Which bundles are built, and what is in them: competition.yaml, and the files that it names.

``competition.yaml`` is the single source for the competition of all tasks; the bundle of one task is cut out
of it. The files that it names are built if their names are ``<id>_program.zip``, ``X_reference.zip``,
``X_sample.zip``, ``X_public.zip``, ``public_data.zip`` or ``starting_kit.zip``; all others are in the folder
of competition.yaml.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import yaml

from organizer.bundle import COMPETITION, DEMO_TITLE
from organizer.bundle.classic import classic
from organizer.bundle.competition import (
    Competition,
    Entry,
    entries_of,
    is_key,
    named_files,
    refused,
)
from organizer.bundle.cut import (
    PUBLIC,
    PUBLIC_DATA,
    one_task,
    public_names,
    reference_name,
    task_id_of,
)
from organizer.bundle.kit import KIT
from organizer.bundle.outdated import ALL_TASKS, SOURCES, shown_files, source_hashes
from organizer.bundle.parts import Parts
from organizer.bundle.pictures import edit_page
from organizer.bundle.texts import fill_page, wrong_marks
from organizer.files import zip_bytes
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task

SAMPLE = "_sample.zip"


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


def plan_bundles(competition: Competition, parts: Parts, form: str) -> Plan:
    """Put together the bundles of a form from a competition without errors.

    Raises Refused if none can be built.
    """
    for where, path, _ in named_files(competition):
        if posixpath.normpath(path) in (COMPETITION, SOURCES):
            raise refused("file of the build", where, name=path)
    plan = Plan()
    missing_references: set[str] = set()
    not_built: list[str] = []
    for name, data in _data_of_bundles(competition, form, plan).items():
        absent_names = _absent_references(data, parts)
        if absent_names:
            missing_references |= absent_names
            not_built.append(name)
        else:
            _add_bundle(name, data, parts, form, plan)
    problem = "; ".join(plan.notes) or "no task names a program of this project"
    remedy = "offer a task of this project in a phase"
    if not_built:
        problem = f"REFERENCE has no folder {', '.join(sorted(missing_references))}"
        pronoun = "it" if len(missing_references) == 1 else "them"
        remedy = f"add {pronoun}, or use DEMO=1 (--demo) for synthetic data"
        plan.notes.append(f"not built: {', '.join(not_built)}; {problem}; {remedy}")
    if not plan.bundles:
        raise refused("nothing to build", problem=problem, remedy=remedy)
    return plan


def _absent_references(data: Competition, parts: Parts) -> set[str]:
    """Return the names of references that the tasks of a competition need and that are not there."""
    absent_names = set()
    for task in data["tasks"]:
        name = reference_name(task)
        if name and parts.reference(name, task_id_of(task)) is None:
            absent_names.add(name)
    return absent_names


def _data_of_bundles(competition: Competition, form: str, plan: Plan) -> dict[str, Competition]:
    """Return the competition.yaml of each bundle of a form; that of all tasks only if there are several."""
    task_ids_here = {task_id_of(task) for task in competition["tasks"]}
    has_several_tasks = len(task_ids_here) > 1 or None in task_ids_here
    data_of_bundle = {ALL_TASKS: competition} if form == "v2" and has_several_tasks else {}
    for task_id in sorted(filter(None, task_ids_here)):
        data = one_task(competition, load_task(task_id))
        if data is None:
            plan.notes.append(f"there is no bundle of {task_id}: no phase offers it")
        else:
            data_of_bundle[f"{task_id}.zip" if form == "v2" else f"v1.5/{task_id}.zip"] = data
    return data_of_bundle


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
    hashes = source_hashes(data, parts.supplied_files)
    data, public_zips = _public_data(data, parts, plan)
    built_files.update(public_zips)
    title = f"{DEMO_TITLE if has_demo_data else ''}{data['title']}"
    fill = partial(fill_page, data=data, protocols=_protocols(data, parts))
    data = {**data, "title": title, "solutions": solutions}
    if not solutions:
        del data["solutions"]
    if form == "v1.5":
        data, remarks = classic(data)
        plan.notes += remarks
    files: dict[str, bytes] = {SOURCES: json.dumps(hashes, indent=1).encode()}
    for _, path, key in named_files(data):
        if path in built_files:
            files[path] = built_files[path]
        else:
            content_of_name = shown_files(path, key, parts.supplied_files)
            is_page = posixpath.splitext(path)[1] == ".md"
            for shown_name, content in content_of_name.items():
                files[shown_name] = edit_page(content, fill) if is_page else content
                if is_page:
                    text = content.decode("utf-8", "replace")
                    plan.notes += [f"{shown_name}: {problem}" for problem in wrong_marks(text)]
    plan.bundles[name] = Bundle(data, files)


def _protocols(data: Competition, parts: Parts) -> set[str]:
    """Return the protocols of the references of a competition."""
    protocols = set()
    for entry in data["tasks"]:
        name, task_id = reference_name(entry), task_id_of(entry)
        if task_id:
            protocols |= parts.protocols(name, task_id) if name else set(PROTOCOLS)
    return protocols


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
                remedy = "make it with organizer prepare or public-data, for parts before split"
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
        if task_id and path.endswith(SAMPLE):
            sample = parts.sample(path[: -len(SAMPLE)], task_id)
            if sample is None:
                plan.notes.append(f"no solution {path}: there is no such sample next to the reference folder")
                continue
            built_files[path] = sample
        solutions.append(entry)
    return solutions, built_files
