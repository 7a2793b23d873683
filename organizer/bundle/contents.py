"""What is in the zips of a bundle: programs that run, reference data that loads and stays secret, samples that score.

Zips are opened and checked once for each content, however many bundles hold it.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from organizer.bundle import DEMO_TITLE
from organizer.bundle.competition import DATA_KEYS, DEFAULT_STEP, form_of, named_files, number
from organizer.bundle.report import Report
from organizer.data.prepare import SYNTHETIC_MARK, check_reference
from organizer.files import unpack
from organizer.runs.outcome import read_scores
from organizer.runs.worker import Run, run_program
from scoring_program.challenge import challenge_ids, load_challenge
from validator.findings import Findings, Problem, counted

_SHELL = set("&|;<>*?`")
_PROGRAM_PLACES = ("/app/program/", "$program/")
_COMPARED_FROM_BYTES = 64
_SHOWN_NAMES = 3


class Contents:
    """Checks of zips (bytes) that remember their results, and what each challenge writes."""

    def __init__(self) -> None:
        self.members = lru_cache(maxsize=None)(_members)
        self.program = lru_cache(maxsize=None)(_program)
        self.reference = lru_cache(maxsize=None)(_reference)
        self.run = lru_cache(maxsize=None)(_run)
        self.written = lru_cache(maxsize=None)(_written)


def check_contents(
    data: Mapping[str, Any], files: Mapping[str, bytes], contents: Contents, samples: bool, report: Report
) -> None:
    """Check what is in the zips.

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
    report : Report
        Gets what is wrong.
    """
    tasks = _tasks(data)
    challenges = {}
    for where, task in tasks.items():
        for key in ("scoring_program", "ingestion_program"):
            if key in task:
                found, problems = contents.program(files[task[key]])
                for level, problem in problems:
                    record = report.error if level == "error" else report.warn
                    record(problem.code, problem.problem, problem.hint, problem.where, task[key])
                if key == "scoring_program":
                    challenges[where] = found
        if "reference_data" in task:
            _check_reference(data, task["reference_data"], files, challenges.get(where), contents, report)
    _check_image(data, any(challenges.values()), report)
    ours = [challenges.get(where) for where in tasks]
    written = [contents.written(known) if known else None for known in ours]
    keys = _written_columns(data, written, report)
    _check_sorting(data, sorted({known for known in ours if known}), report)
    if samples and report.ok and "solutions" in data:
        by_index = {task["index"]: known for task, known in zip(data["tasks"], ours)}
        _check_samples(data, files, by_index, keys, contents, report)


def _tasks(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return what has a scoring program by its place: the tasks of a v2 competition, the phases of a v1.5 one."""
    group = "tasks" if form_of(data) == "v2" else "phases"
    entries = data[group].items() if isinstance(data[group], dict) else enumerate(data[group])
    return {f"/{group}/{place}": entry for place, entry in entries}


def _check_image(data: Mapping[str, Any], ours: bool, report: Report) -> None:
    key = "docker_image" if form_of(data) == "v2" else "competition_docker_image"
    image = data.get(key, "codalab/codalab-legacy:py37")
    hint = f"write {key}: codalab/codalab-legacy:py312"
    if " " in image.strip():
        report.warn("L-IMAGE", f"{image} is not the name of an image", hint, f"/{key}")
    elif ours and image.startswith("codalab/codalab-legacy") and not image.endswith(":py312"):
        problem = f"the program needs Python 3.9 or later with numpy; {image} is not known to have it"
        if key not in data:
            problem = f"without {key} the platform takes {image}, whose Python is too old for the program"
        report.warn("L-IMAGE", problem, hint, f"/{key}")


def _check_reference(
    data: Mapping[str, Any], name: str, files: Mapping[str, bytes], challenge_id: str | None,
    contents: Contents, report: Report,
) -> None:  # fmt: skip
    demo, problems = contents.reference(files[name], challenge_id)
    for problem in problems:
        place = f"{problem.file} {problem.where}".strip()
        report.error(f"L-REFERENCE {problem.code}", problem.problem, problem.hint, place, name)
    if demo:
        hint = "build with REFERENCE=DIR before you open the competition"
        record = report.warn if str(data["title"]).startswith(DEMO_TITLE) else report.error
        said = "" if str(data["title"]).startswith(DEMO_TITLE) else " and the title does not say so"
        record("L-DEMO", f"the reference data is synthetic{said}", hint, file=name)
        return
    whole = hashlib.sha256(files[name]).hexdigest()
    secret = {**contents.members(files[name]), whole: name}
    places = {file.name: file for file in named_files(data) if file.key not in ("reference_data", "image")}
    for other, (where, _, key) in places.items():
        shown = contents.members(files[other]) if key in DATA_KEYS else {}
        equal = secret.keys() & {*shown, hashlib.sha256(files[other]).hexdigest()}
        if equal:
            found = sorted(secret[digest] for digest in equal)
            named = ", ".join(found[:_SHOWN_NAMES]) + (", …" if len(found) > _SHOWN_NAMES else "")
            # In a program that is not ours a file in both, a license perhaps, need not be a secret.
            record = report.error if challenge_id or whole in equal else report.warn
            said = f"it shows {counted(len(found), 'file')} of {name}: {named}"
            record("L-LEAK", said, f"take them out; it is {where} of competition.yaml", file=other)


def _written_columns(data: Mapping[str, Any], tasks: Sequence[frozenset[str] | None], report: Report) -> list[str]:
    """Return the keys of the columns that every program fills; say which some or all do not.

    ``tasks`` holds the keys that the program of each task writes, None for a program that is not ours.
    """
    if form_of(data) == "v2":
        board = enumerate(data["leaderboards"][0]["columns"])
        columns = {c["key"]: f"/leaderboards/0/columns/{place}" for place, c in board if not c.get("computation")}
    else:
        found = data["leaderboard"]["columns"].items()
        columns = {key: f"/leaderboard/columns/{key}" for key, column in found if "computed" not in column}
    written = [keys for keys in tasks if keys is not None]
    if len(written) < len(tasks) or not tasks:
        return list(columns)
    for key, where in columns.items():
        if not any(key in keys for keys in written):
            hint = f"they write {', '.join(sorted(frozenset().union(*written)))}"
            report.error("L-COLUMN", f"no scoring program writes {key}", hint, where)
        elif not all(key in keys for keys in written):
            hint = "the column stays empty for the others"
            report.warn("L-COLUMN", f"not every scoring program writes {key}", hint, where)
    return [key for key in columns if all(key in keys for keys in written)]


def _check_sorting(data: Mapping[str, Any], ours: Sequence[str], report: Report) -> None:
    """Say which columns put the worst of a challenge first."""
    if form_of(data) == "v2":
        found = [(place, c["key"], c.get("sorting")) for place, c in enumerate(data["leaderboards"][0]["columns"])]
        board = [(f"/leaderboards/0/columns/{place}/sorting", key, order) for place, key, order in found]
    else:
        columns = data["leaderboard"]["columns"].items()
        board = [(f"/leaderboard/columns/{key}/sort", key, column.get("sort")) for key, column in columns]
    for where, key, order in board:
        wanted = {known: c.sorting for known in ours for c in load_challenge(known).columns if c.key == key}
        wrong = [known for known, sorting in wanted.items() if sorting != (order or "desc")]
        if wrong:
            hint = "correct it" if len(wrong) == len(wanted) else "upload the bundles of one task, or hide the column"
            report.warn("L-SORTING", f"{key} of {', '.join(wrong)} sorts the other way", hint, where)


def _check_samples(
    data: Mapping[str, Any], files: Mapping[str, bytes], challenges: Mapping[Any, str | None],
    keys: list[str], contents: Contents, report: Report,
) -> None:  # fmt: skip
    """Run the solutions of a v2 competition; ``challenges`` are those of its tasks, by index."""
    tasks = {task["index"]: task for task in data["tasks"]}
    limit = max(number(phase.get("execution_time_limit", DEFAULT_STEP)) for phase in data["phases"])
    for entry in data["solutions"]:
        for index in entry["tasks"] if "path" in entry else ():
            task, name, challenge_id = tasks[index], entry["path"], challenges[index]
            if challenge_id is None or "reference_data" not in task:
                report.warn(
                    "L-SAMPLE", "the program is not ours, so the sample was not run", "try it there", file=name
                )
                continue
            reference = files[task["reference_data"]]
            run = contents.run(
                files[task["scoring_program"]], reference, files[name], challenge_id, limit or DEFAULT_STEP
            )
            _check_run(run, name, keys, report)


def _check_run(run: Run, name: str, keys: list[str], report: Report) -> None:
    if "E-PYTHON" in run.stderr or "ModuleNotFoundError" in run.stderr:
        report.warn("L-SAMPLE", "packages are missing here, so the sample was not run", "make .venv/run", file=name)
        return
    if run.exit_code != 0:
        said = " ".join(run.stderr.split())[:300]
        report.error(
            "L-SAMPLE", f"the sample does not score (exit {run.exit_code}): {said}", "make it again", file=name
        )
    for warning in read_scores(run, keys)[1]:
        if "is not a column" in warning and "(the column is" not in warning:
            continue  # further numbers that the scores file carries on purpose
        report.error("L-COLUMN", warning, "correct the leaderboard or the program", file=name)


def _written(challenge_id: str) -> frozenset[str]:
    """Return the keys of the numbers that a challenge's program writes."""
    return frozenset(column.key for column in load_challenge(challenge_id).columns)


def _members(archive: bytes) -> dict[str, str]:
    """Return digest -> name of the files in a zip and in the zips inside it; tiny files are left out."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for info in opened.infolist():
            if info.file_size < _COMPARED_FROM_BYTES:
                continue
            with opened.open(info) as stream:
                digest = hashlib.sha256()
                for block in iter(lambda stream=stream: stream.read(1 << 20), b""):  # type: ignore[misc]
                    digest.update(block)
            found[digest.hexdigest()] = info.filename
            if info.filename.lower().endswith(".zip"):
                inner = opened.read(info)
                if zipfile.is_zipfile(io.BytesIO(inner)):
                    found.update({key: f"{info.filename}/{name}" for key, name in _members(inner).items()})
    return found


def _program(archive: bytes) -> tuple[str | None, list[tuple[str, Problem]]]:
    """Return the id of the challenge if a program is ours, and (level, problem) of its metadata."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = set(opened.namelist())
        metadata_name = next((name for name in ("metadata.yaml", "metadata") if name in names), None)
        text = opened.read(metadata_name) if metadata_name else b""
    ours = [known for known in challenge_ids() if f"scoring_program/challenges/{known}/challenge.yaml" in names]
    challenge_id = ours[0] if len(ours) == 1 else None
    if metadata_name is None:
        problem = Problem("L-METADATA", "there is no metadata.yaml: such a program hangs", "add one")
        return challenge_id, [("error", problem)]
    try:
        metadata = yaml.safe_load(text)
    except yaml.YAMLError:
        metadata = None
    command = metadata.get("command") if isinstance(metadata, dict) else None
    if not isinstance(command, str) or not command.strip():
        problem = Problem("L-METADATA", "there is no command", "write command: python3 …", where=metadata_name)
        return challenge_id, [("error", problem)]
    return challenge_id, [
        (level, Problem("L-METADATA", said, hint, where=metadata_name))
        for level, said, hint in _command_problems(command, names)
    ]


def _command_problems(command: str, names: set[str]) -> list[tuple[str, str, str]]:
    found = []
    if _SHELL & set(command):
        hint = "write one plain command"
        found.append(("warning", f"there is no shell, but the command holds its characters: {command}", hint))
    words = command.split()
    if words[0].startswith("python2"):
        found.append(("warning", f"the image has no {words[0]}", "write python3"))
    for word in words:
        place = next((word[len(head) :] for head in _PROGRAM_PLACES if word.startswith(head)), None)
        if place and place.endswith(".py") and place not in names:
            found.append(("error", f"{word} is not in the program", "correct the command"))
    return found


def _reference(archive: bytes, challenge_id: str | None) -> tuple[bool, list[Problem]]:
    """Return whether reference data is the synthetic demo reference, and what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(archive, Path(folder))
        findings = Findings()
        if challenge_id:
            check_reference(challenge_id, Path(folder), findings)
        return (Path(folder) / SYNTHETIC_MARK).is_file(), findings.problems


def _run(program: bytes, reference: bytes, sample: bytes, challenge_id: str, limit: float) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        submission = Path(folder) / "sample.zip"
        submission.write_bytes(sample)
        return run_program(program, reference, submission, challenge_id, Path(folder) / "app", limit)
