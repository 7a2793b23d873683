"""Small submissions, a program that misbehaves on request, and what a call of ``rescore`` leaves."""

from __future__ import annotations

import csv
import json
import random
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

import pytest

from organizer.__main__ import main
from organizer.bundle.programs import build_program
from organizer.files import folder_files, zip_bytes
from organizer.runs import rescore
from organizer.runs.pool import Ended, Pool
from organizer.runs.scoring_process import INVALID, SCORED, Setup
from organizer.runs.worker import BuiltTask
from tests.helpers import REFERENCES, make_zip
from tests.helpers import SAMPLES as ALL_SAMPLES

ID = "chalearn_gesture"
REFERENCE = REFERENCES / ID
SAMPLES = ALL_SAMPLES / ID
TABLES = ["scores.csv", "ranking.csv", "pairs.csv", "items.csv", "changes.csv"]

# A submission with a file of one of these names has the program do this.
_SPOILED = """

import dataclasses, os, signal, socket, time
from pathlib import Path

def _spoiled(submission, public, keep):
    wishes = {path.name: path.read_text() for path in submission.iterdir()}
    if "die" in wishes:
        os.kill(os.getpid(), signal.SIGKILL)
    if "die_once" in wishes and not Path(wishes["die_once"]).exists():
        Path(wishes["die_once"]).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if "mark" in wishes:
        Path(wishes["mark"]).touch()
    if "never_end" in wishes:
        while True:
            pass
    if "ignore_alarm" in wishes:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            time.sleep(0.1)
    if "eat" in wishes:
        eaten = [bytearray(1 << 31) for _ in range(1 << 10)]
    if "raise" in wishes:
        raise ValueError("secret")
    if "connect" in wishes:
        socket.create_connection(("127.0.0.1", int(wishes["connect"])), 5).close()
    return _task.read(submission, public, keep)

_task = TASKS["chalearn_gesture"]
TASKS["chalearn_gesture"] = dataclasses.replace(_task, read=_spoiled)
"""


def sample(name="good", **wishes):
    """Return the files of a sample submission, and those that have the spoiled program misbehave."""
    return {**folder_files(SAMPLES / name), **{key: str(value).encode() for key, value in wishes.items()}}


def varied(number):
    """Return the good sample with rows dropped at random; no two have the same bytes."""
    pick = random.Random(number)
    rest = {
        name: "".join(
            line for line in data.decode().splitlines(keepends=True) if pick.random() > number / 400
        )
        for name, data in sample().items()
    }
    return {**rest, "number.txt": str(number)}


def write_submissions(folder, submissions):
    """Write {name: files or bytes} as zips below a folder."""
    for name, files in submissions.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files if isinstance(files, bytes) else make_zip(files))
    return folder


def spoiled(time_limit=600.0, code=_SPOILED):
    """Return the built program with further code, by default a reader that misbehaves on request."""
    with zipfile.ZipFile(BytesIO(build_program(ID))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["scoring_program/challenges/chalearn/task.py"] += code.encode()
    return BuiltTask(ID, zip_bytes(files), REFERENCE, time_limit)


# What was scored, by the program with all that its scores depend on, and the submission.
_KEPT: dict[tuple[str, bytes], Ended] = {}


class _KeepingPool(Pool):
    """Scores each submission once for all tests of this process, as the outcome is the same each time."""

    def __init__(self, setup: Setup, *options) -> None:
        super().__init__(setup, *options)
        self._context = json.dumps({**vars(setup), "program": "", "reference": ""})

    def score(self, submission: bytes) -> Ended:
        key = self._context, submission
        if key in _KEPT:
            return _KEPT[key]
        ended = super().score(submission)
        if ended[0].outcome in (SCORED, INVALID):
            _KEPT[key] = ended
        return ended


@contextmanager
def kept_outcomes() -> Iterator[None]:
    """Let ``rescore`` start no process for what it has scored: for tests of what is made of the scores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rescore, "Pool", _KeepingPool)
        yield


def call(submissions, output, *more, reference=REFERENCE):
    """Call the command and return its exit code; what was scored before is not scored again."""
    with kept_outcomes():
        return call_anew(submissions, output, *more, reference=reference)


def call_anew(submissions, output, *more, reference=REFERENCE):
    """Call the command and return its exit code."""
    places = [str(submissions), "--reference", str(reference), "--output", str(output)]
    # A process for each core takes longer to start than these few submissions take.
    return main(["rescore", ID, "--workers", "1", *places, *map(str, more)])


def rows(path, key="submission"):
    """Return the rows of a table by a column."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row[key]: row for row in csv.DictReader(stream)}


def left(output):
    """Return the bytes of all that must not differ from run to run."""
    return {name: data for name, data in folder_files(output).items() if not name.startswith("store/")}
