"""The task that is run: of the bundle in ``dist/``, or built for the run; and which phase it is about."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from organizer.bundle import COMPETITION, DEMO_TITLE, DIST, SOURCE
from organizer.bundle.competition import (
    Competition,
    Entry,
    LintReport,
    entries_of,
    is_key,
    number,
    read_competition,
    refused,
    sorted_phases,
    step_limit,
    task_entries,
)
from organizer.bundle.cut import leaderboard_columns, reference_name, task_id_of
from organizer.bundle.dates import read_date
from organizer.bundle.outdated import changed_sources
from organizer.bundle.programs import build_program
from organizer.bundle.public_files import demo_reference
from organizer.bundle.source import load_competition, task_names
from organizer.data.overview import SUFFIX, review_reference
from organizer.data.prepare import reference_files
from organizer.data.references import task_folder
from organizer.files import DAMAGED, Files, files_below, read_zip, zip_bytes
from organizer.runs.phase import Phase, folder_name, quote_names
from organizer.runs.worker import BuiltTask
from people_in_video.drawings.images import Images
from scoring_program.task import load_task
from validator.findings import Refused
from validator.texts import printable, quote, quote_path, some_words

# What Codabench takes where competition.yaml gives no limit.
_PER_DAY = 5
_IN_ALL = 100


class Offer(NamedTuple):
    """A task in a phase: the entries of both in competition.yaml."""

    phase: Entry
    task: Entry

    @property
    def phase_name(self) -> str:
        """The name of the phase."""
        return str(self.phase.get("name", ""))

    @property
    def reference(self) -> str:
        """The name of the reference without its ending."""
        return reference_name(self.task) or str(self.task.get("reference_data", ""))


def offers_of(competition: Competition, task_id: str) -> list[Offer]:
    """Return where the phases of a competition offer a task, in their order."""
    task_of_index = {entry["index"]: entry for _, entry in entries_of(competition, "tasks")}
    offers = []
    for _, phase in sorted_phases(competition):
        for index in phase.get("tasks") or ():
            task = task_of_index.get(index)
            if task is not None and task_id_of(task) == task_id:
                offers.append(Offer(phase, task))
    return offers


def find_offer(
    offers: Sequence[Offer], task_id: str, phase_name: str, given_names: Collection[str] | None
) -> Offer | None:
    """Return the phase that is ranked with its task; None if it cannot be told.

    It is the one with this name or, without a name, the one whose reference is given, or the only one.

    Parameters
    ----------
    offers : sequence of Offer
        Where the competition offers the task.
    task_id : str
    phase_name : str
        "" if no phase is named.
    given_names : collection of str or None
        The names of the references that are given instead of those of the competition; None if none is.

    Raises
    ------
    Refused
        If there is no phase of this name, or if nothing tells several references apart.
    """
    if phase_name:
        named = [offer for offer in offers if offer.phase_name == phase_name]
        if not named:
            remedy = f"give one of {quote_names(_phase_names(offers))} to PHASE (--phase)"
            if not offers:
                remedy = f"no phase has this task: organizer start {task_id} begins a competition of it"
            raise refused("no phase of this name", task=task_id, name=quote(phase_name), remedy=remedy)
        return named[0]
    if given_names is not None and len(offers) > 1:
        offers = [offer for offer in offers if offer.reference in given_names]
    references = list(dict.fromkeys(offer.reference for offer in offers))
    if len(references) > 1:
        texts = ", ".join(map(quote, references))
        names = quote_names(_phase_names(offers))
        raise refused("several references", task=task_id, references=texts, names=names)
    return offers[0] if len(offers) == 1 else None


def _phase_names(offers: Sequence[Offer]) -> list[str]:
    """Return the names of the phases, each once."""
    return list(dict.fromkeys(offer.phase_name for offer in offers))


def rules_of_phase(phase: Entry) -> Phase:
    """Return the dates of a phase and its limits, as the platform reads them."""
    unread_report = LintReport()
    start, end = phase.get("start"), phase.get("end")
    return Phase(
        name=str(phase.get("name", "")),
        start=read_date(start, "", unread_report) if start else None,
        end=read_date(end, "", unread_report) if end else None,
        per_day=_limit(phase.get("max_submissions_per_day"), _PER_DAY),
        in_all=_limit(phase.get("max_submissions"), _IN_ALL),
    )


def _limit(value: object, default: int) -> int:
    return default if value is None else number(value)


def built_task(task_id: str, reference: Path | None, phase_name: str = "") -> BuiltTask:
    """Return the task in ``dist/<id>.zip``; its parts are built if there is no such bundle.

    ``reference``, a folder of tasks or of this one, replaces the bundle's reference. ``phase_name`` is the
    phase that it is about; without one it is the only phase, or that of the reference. Raises Refused if the
    reference is neither or that of another phase, if there is no such phase, or if nothing tells several
    references apart.
    """
    path = DIST / f"{task_id}.zip"
    files, competition = _read_in_dist(path) if path.is_file() else ({}, load_competition())
    offers = offers_of(competition, task_id)
    # Demo data, without a bundle, stands for the reference that has the name of the task.
    given_names = None if files else {task_id}
    if reference:
        given_names = _given_names(offers, reference)
    offer = find_offer(offers, task_id, phase_name, given_names)
    task = offer.task if offer else _first_entry(competition, task_id)
    folder = None
    name = offer.reference if offer else ""
    if reference:
        held_name = name if name and (reference / name).is_dir() else task_id
        folder = task_folder(held_name, reference, task_names(competition))
        name = folder.absolute().name
        _check_phase_of_reference(name, offer, offers)
        if folder != reference and name == task_id:
            _warn_of_missing_parts(name, reference, offers)
    return BuiltTask(
        id=task_id,
        program=_program_in(files, competition, task_id) if files else build_program(task_id),
        reference=_reference_of(task_id, folder, files, task),
        time_limit=float(step_limit(offer.phase if offer else competition["phases"][0])),
        competition=str(competition["title"]).removeprefix(DEMO_TITLE),
        title=str(offer.task.get("name") or "") if offer else "",
        reference_name=name,
        phase=rules_of_phase(offer.phase) if offer else None,
        phase_names=_phase_names(offers),
        image=str(competition.get("docker_image") or ""),
        label=_label(offer, offers, name),
        columns=leaderboard_columns(competition, load_task(task_id)),
    )


def read_bundle(path: Path) -> tuple[Files, Competition]:
    """Return the files of a bundle and its competition. Raises Refused."""
    try:
        files = read_zip(path)
    except DAMAGED:
        problem, remedy = "there is no bundle that can be read", "build it with: make bundle"
        raise refused("no zip", file=quote_path(str(path)), problem=problem, remedy=remedy) from None
    if COMPETITION not in files:
        remedy = "give a bundle that make bundle has written"
        raise refused("not at the root", file=quote_path(str(path)), remedy=remedy)
    report = LintReport()
    competition = read_competition(files[COMPETITION], report)
    if competition is None:
        raise Refused(report.errors)
    return files, competition


def _read_in_dist(path: Path) -> tuple[Files, Competition]:
    """Do as `read_bundle`, and warn if the bundle is out of date."""
    files, competition = read_bundle(path)
    if COMPETITION in changed_sources(path, files, SOURCE):
        place = f"{DIST.name}/{path.name}"
        remedy = "to use its dates and settings, run make bundle"
        print(f"warning | {place} was not built from today's {COMPETITION}; {remedy}")
    return files, competition


def _reference_of(task_id: str, folder: Path | None, files: Files, task: Entry) -> Path | bytes:
    """Return a reference that is given, or that of a task of a bundle, or the demo data. Raises Refused."""
    if folder is not None:
        return _readable_reference(task_id, folder)
    if files:
        return reference_in(files, task)
    print(f"DEMO: no REFERENCE and no {DIST.name}/{task_id}.zip, so the reference is demo data")
    return zip_bytes(demo_reference(task_id))


def _first_entry(competition: Competition, task_id: str) -> Entry:
    """Return the first entry of a task in a competition, an empty one if there is none."""
    entries = [entry for _, entry in entries_of(competition, "tasks")]
    return next((entry for entry in entries if task_id_of(entry) == task_id), {})


def _program_in(files: Files, competition: Competition, task_id: str) -> bytes:
    """Return the program of a task of a bundle; warn if it is not the one of this repository."""
    place, built_program = f"{DIST.name}/{task_id}.zip", build_program(task_id)
    name = _first_entry(competition, task_id).get("scoring_program", f"{task_id}_program.zip")
    if is_key(name):
        print(f"warning | {place} names a program that the server holds; that of this repository runs here")
        return built_program
    program = _whole_zip(name, files)
    if program != built_program:
        print(f"warning | the program in {place} differs from this repository's; run make bundle")
    return program


def _label(offer: Offer | None, offers: Sequence[Offer], reference_name: str) -> str:
    """Return a name for the phase, or for the reference if the phase is not known; "" for a single phase."""
    if len(offers) < 2:
        return ""
    return folder_name(offer.phase_name if offer else reference_name)


def _given_names(offers: Sequence[Offer], reference: Path) -> set[str]:
    """Return the names of the references of a task that REFERENCE holds, or its own if it holds none."""
    names = {offer.reference for offer in offers}
    return {name for name in names if (reference / name).is_dir()} or {reference.absolute().name}


def _check_phase_of_reference(name: str, offer: Offer | None, offers: Sequence[Offer]) -> None:
    """Raise Refused if a reference is called like that of another phase."""
    if offer and name != offer.reference and name in [other.reference for other in offers]:
        phase, reference = quote(offer.phase_name), quote(offer.reference)
        raise refused("reference of another phase", given=quote(name), phase=phase, name=reference)


def _warn_of_missing_parts(name: str, reference: Path, offers: Sequence[Offer]) -> None:
    """Warn if a folder has the reference of a task, but lacks those of later phases, as the whole does."""
    missing_references = {offer.reference for offer in offers if not (reference / offer.reference).is_dir()}
    if missing_references:
        missing_names = some_words(sorted(map(quote, missing_references)))
        problem = f"{quote_path(str(reference))} has {quote(name)}, but not {missing_names} of other phases"
        print(f"warning | {problem}: if it is the whole reference, give that of its parts")


def _readable_reference(task_id: str, folder: Path) -> Path | bytes:
    """Return a reference folder, as a zip if the platform cannot read its files as they are."""
    files = reference_files(task_id, folder)
    return folder if all((folder / name).is_file() for name in files) else zip_bytes(files)


def overview_command(bundle: Path, output: Path, images: Images) -> int:
    """Print what the references of a bundle hold, and write a page for each into the folder ``output``."""
    files, competition = read_bundle(bundle)
    entries = [entry for _, entry in task_entries(competition)]
    for position, entry in enumerate(entries):
        if task_id := task_id_of(entry):
            print(f"{task_id}: {printable(str(entry.get('reference_data')))}")
            overview = review_reference(task_id, reference_in(files, entry))
            name = bundle.stem if len(entries) == 1 else f"{bundle.stem}.{position}_{task_id}"
            page = overview.write(output / f"{name}{SUFFIX}", images)
            lines = [*overview.lines(), page]
            print(*(f"  {printable(line)}" for line in lines), sep="\n")
    return 0


def reference_in(files: Files, task: Entry) -> bytes:
    """Return the reference of a task of a bundle as a zip; there it may be a folder. Raises Refused."""
    name = posixpath.normpath(task.get("reference_data", ""))
    if name in files:
        return _whole_zip(name, files)
    if folder := files_below(name, files):
        return zip_bytes(folder)
    raise refused("no reference in the bundle")


def _whole_zip(name: str, files: Files) -> bytes:
    """Return a zip of a bundle, after reading all that is in it. Raises Refused."""
    problem = "it is not in the bundle"
    if name in files:
        problem = "the zip cannot be unpacked"
        with suppress(*DAMAGED), zipfile.ZipFile(io.BytesIO(files[name])) as archive:
            if archive.testzip() is None:
                return files[name]
    remedy = "build the bundle again: make bundle"
    raise refused("no zip", file=quote_path(name), problem=problem, remedy=remedy)
