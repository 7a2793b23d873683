"""What tests of all packages share."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import re
import resource
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import replace
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from unittest import mock

import numpy as np
import pytest
from hypothesis import settings

from people_in_video import home_loaded
from people_in_video.home_loaded import HomeLoaded
from people_in_video.references.loading import prepared_folder
from people_in_video.samples import decoder_of
from scoring_program.run import Outcome, load_folder, run
from scoring_program.scoring import Loaded, load_reference
from scoring_program.task import load_task, task_ids
from validator.findings import Findings, Problem, Read, Refused
from validator.formats.rules import JsonFile, load_rules

Case = TypeVar("Case")

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
REFERENCES = ROOT / "reference_data"
SAMPLES = ROOT / "starting_kit" / "samples"
CODE_FOLDERS = os.pathsep.join([str(ROOT), str(ROOT / "starting_kit")])
"""The folders of all packages, for the PYTHONPATH of programs that tests start elsewhere."""
PUBLISHED = [task_id for task_id in task_ids() if load_task(task_id).is_published]
"""Tasks of published challenges, without those of one's own."""


_CODE = r"[ELR]-[A-Z][A-Z0-9-]*"
_PRINTED_PROBLEM = re.compile(
    rf"(?<!\S)(?P<code>{_CODE}(?: {_CODE})?)(?: (?P<file>.+?))?: (?P<text>.*?)\.?"
    r"(?:(?<=[.?]) (?:At |In (?P<count_text>[^:]*?)(?:: |(?=\.$)))(?P<where>.*?)(?: and [\d,]+ more)?\.)?$"
)


def calls_of(task: str, files: Mapping[str, bytes]) -> Iterator[Sequence[Any]]:
    """Yield the arguments of `Evaluator.update` for a valid submission, none if there is no evaluator."""
    decode = decoder_of(task)
    for item, *values in decode(files) if decode else ():
        # Rows as a model gives them.
        yield item, *(map(np.array, values) if task.startswith("chalearn") else values)


def slow_for(*slow: str, of: Iterable[str] = PUBLISHED) -> list[Any]:
    """Return ids of tasks as sets of parameters; those with these ids are marked slow."""
    return [pytest.param(task_id, marks=pytest.mark.slow if task_id in slow else ()) for task_id in of]


def scaled(number: int) -> int:
    """Return how many random cases the profile of this run tries where the default one tries a number."""
    return max(1, number * settings().max_examples // 100)


def is_nightly() -> bool:
    """Return whether this run tries everything: its profile is nightly, or thorough."""
    return settings().max_examples >= 100


def fewer_examples() -> settings:
    """Return settings with a quarter of the examples, all at night: for properties that take long to try."""
    number = settings().max_examples
    return settings(max_examples=number if is_nightly() else max(1, number // 4))


def every_fourth(cases: Sequence[Case]) -> Sequence[Case]:
    """Return every fourth case, all of them at night: for what the cases of a task show alike."""
    return cases if is_nightly() else cases[::4]


def numbers_of_submissions(most: int = 20) -> list[int]:
    """Return how many submissions an attack sends: 2, at night also ``most``."""
    return [2, most] if is_nightly() else [2]


def one_of_each_challenge(ids: Iterable[str] = task_ids()) -> list[str]:
    """Return the first task of each challenge, all at night: for what the tasks of a challenge show alike."""
    first = {load_task(task_id).folder: task_id for task_id in reversed([*ids])}
    return [task_id for task_id in ids if is_nightly() or task_id in first.values()]


def one_of_each_format(ids: Iterable[str] = task_ids()) -> list[str]:
    """Return the first task with files of CSV and the first with files of JSON, all at night: for what tasks of a
    format show alike."""
    first = {bool(load_rules(task_id).csv): task_id for task_id in reversed([*ids])}
    return [task_id for task_id in ids if is_nightly() or task_id in first.values()]


def one_task(ids: Iterable[str] = task_ids()) -> list[str]:
    """Return the first task, at night the first of each challenge: for what hardly depends on the challenge."""
    return one_of_each_challenge(ids)[: None if is_nightly() else 1]


def only_at_night() -> pytest.MarkDecorator:
    """Return the mark of what takes too long for each run: without the profile nightly it is skipped."""
    return pytest.mark.skipif(not is_nightly(), reason="it is run with --hypothesis-profile=nightly")


@contextlib.contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """Let no file grow beyond a number of bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def make_zip(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip with these files; it is the same at any time, as names of tests must be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def with_wrong_checksum(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip with a wrong checksum of its first file, in both of the places that hold it."""
    data = bytearray(make_zip(files))
    for magic, offset in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        data[data.index(magic) + offset] ^= 1
    return bytes(data)


def with_flag_of_encryption(archive: bytes) -> bytes:
    """Return a zip whose members say that they are encrypted, so that a reader asks for a password."""
    data = bytearray(archive)
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        position = data.find(mark)
        while position >= 0:
            data[position + offset] |= 1
            position = data.find(mark, position + 4)
    return bytes(data)


def assert_calls(main: Callable[[list[str]], int], command: str, module: str, function: str) -> None:
    """Check that a command calls a function once, with options that it takes, and returns what it returns."""
    with mock.patch(f"{module}.{function}", autospec=True, return_value=7) as fake:
        assert main(command.split()) == 7
    fake.assert_called_once()


def n_calls(function: Callable[..., Case], *arguments: Any) -> tuple[int, Case]:
    """Return how many functions are called, of Python and built in, and what the function returns."""
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(None)
    return count, result


def refused(call: Callable[..., object], *arguments: Any, **options: Any) -> Findings:
    """Return the findings with which a call is refused."""
    with pytest.raises(Refused) as caught:
        call(*arguments, **options)
    assert not caught.value.findings.ok
    return caught.value.findings


def findings_of(call: Callable[..., Read[Any]], *arguments: Any, **options: Any) -> Findings:
    """Return the findings of a reader: those that it raises, or the notes on what it read."""
    try:
        return Findings(notes=call(*arguments, **options).notes)
    except Refused as error:
        return error.findings


def places_of(findings: Findings) -> list[tuple[str, str, str]]:
    """Return the code, the file and the place of each problem."""
    return [(problem.code, problem.file, problem.where) for problem in findings.problems]


def problems_of(call: Callable[..., Read[Any]], *arguments: Any, **options: Any) -> list[str]:
    """Return the lines of all problems that a reader raises."""
    return list(map(compact, findings_of(call, *arguments, **options).problems))


def compact(problem: Problem) -> str:
    """Return a problem for comparisons: code, file, place, what is wrong, and the remedy."""
    place = " ".join(filter(None, (problem.code, problem.file, problem.where)))
    return f"{place}: {problem.problem}; {problem.remedy}."


def compact_lines(findings: Findings) -> list[str]:
    """Return the problems as they are summed up, for comparisons; the first places, and how many there are."""
    lines = []
    for number, placed in enumerate(findings.summary().problems(), start=1):
        data = placed.as_dict()
        problem = placed.first._replace(where=str(data["where"]), file=str(data["file"]))
        if placed.n_places > 1:
            at_least = "at least " if data["at_least"] else ""
            files = f" in {data['files']} files" if data["files"] != 1 else ""
            problem = problem._replace(
                problem=f"{problem.problem} ({at_least}{placed.n_places:,} places{files})"
            )
        lines.append(f"{number}. {compact(problem)}")
    rest = findings.summary().not_shown_text()
    return [*lines, rest] if rest else lines


def text_of(problem: Problem) -> str:
    """Return what a problem says and advises, without its code, file and place."""
    return f"{problem.problem}; {problem.remedy}"


class PrintedProblem(NamedTuple):
    """A problem as a command prints it.

    ``text`` is what is wrong, and the remedy; ``count_text`` is the number of places if there are several, as
    "60 places in 5 files", of which ``where`` has the first ones.
    """

    code: str
    file: str
    where: str
    text: str
    count_text: str


def printed_problem(line: str) -> PrintedProblem:
    """Return the problem that a line tells of, whatever stands before its code."""
    match = _PRINTED_PROBLEM.search(line)
    assert match, line
    return PrintedProblem(**match.groupdict(default=""))


def printed_problems(text: str) -> list[PrintedProblem]:
    """Return the problems among the lines that a command prints."""
    return [printed_problem(line) for line in text.splitlines() if _PRINTED_PROBLEM.search(line)]


def values_of(text: str) -> list[str]:
    """Return the numbers and the quoted texts of a message, which its reader needs in whatever words it says them."""
    return re.findall(r"'[^']*'|(?<![\w-])-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", text)


def numbered_cases(cases: Iterable[Sequence[Any]]) -> list[str]:
    """Return an id for each case of ``message_texts.py``: its code and task, and a number from the second of
    them on."""
    names = [f"{code} {task}" for code, task, *_ in cases]
    return [
        f"{name} {names[:number].count(name) + 1}" if name in names[:number] else name
        for number, name in enumerate(names)
    ]


def json_file(folder: Path, schema: Mapping[str, Any], **limits: Any) -> JsonFile:
    """Return the rules of a JSON file; its schema is written into a folder."""
    path = folder / "schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    return JsonFile("x.json", path, **limits)


def replace_function(monkeypatch: pytest.MonkeyPatch, task_id: str, name: str, function: Any) -> None:
    """Let a task have another function for the rest of a test."""
    task = load_task(task_id)
    module = import_module(f"scoring_program.challenges.{task.folder.name}.task")
    monkeypatch.setitem(module.TASKS, task_id, replace(task, **{name: function}))


def loaded(task_id: str, folder: Path, **settings: Any) -> Loaded[Any, Any, Any]:
    """Return a task with the reference in a folder; ``settings`` replace those of the folder."""
    task = load_task(task_id)
    values = task.settings(folder, settings)
    return load_reference(task, prepared(task_id, folder, values["item_groups"]), values)


def loaded_at_home(task_id: str, folder: Path, n_drawings: int = 24, **settings: Any) -> HomeLoaded:
    """Return the same as at home, where everything is explained and the worst items are drawn."""
    return home_loaded.at_home(loaded(task_id, folder, **settings), n_drawings=n_drawings)


def prepared(task_id: str, folder: Path, item_groups: str = "") -> Path:
    """Return a folder that programs can read: of some tasks the reference that is prepared of another one."""
    if not folder.is_dir():
        return folder
    with redirect_stderr(StringIO()):
        return prepared_folder(load_task(task_id), folder, _prepared_references(), item_groups)


@cache
def _prepared_references() -> Path:
    """Return the folder for references that tests of this process prepare; it goes with the process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


def run_folder(
    task_id: str, reference: Path, submission: Path, output: Path, at_home: bool = False, **settings: Any
) -> Outcome:
    """Score a submission and write all outputs, as the platform does, or as at home, where it is explained;
    ``settings`` replace those of the reference."""

    def load() -> Loaded[Any, Any, Any]:
        loaded = load_folder(task_id, prepared(task_id, reference), settings)
        return home_loaded.at_home(loaded, n_drawings=24) if at_home else loaded

    return run(load, submission, output)
