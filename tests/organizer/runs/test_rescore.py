"""The engine: submissions that misbehave, processes that die, calls that are interrupted; always the same files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest

from organizer import files
from organizer.bundle.programs import build_program
from organizer.files import unpack, zip_bytes
from organizer.ranking import stored
from organizer.ranking.command import Choices, rescore
from organizer.runs import rescore as engine
from organizer.runs.pool import Pool, machine_memory_mb, network_off
from organizer.runs.rescore import Options
from organizer.runs.scoring_process import Setup
from organizer.runs.worker import BuiltTask
from scoring_program.run import load_folder, run
from scoring_program.signature import VERSION
from tests.helpers import ROOT, is_nightly, make_zip
from tests.rescoring import ID, REFERENCE, call_anew, left, rows, sample, spoiled, varied, write_submissions

# Submissions of a call that is killed after half of them.
N_KILLED = 30 if is_nightly() else 8


@pytest.fixture(scope="module")
def misbehaving():
    return spoiled(time_limit=12.0)


def outcomes(output):
    return {name.removesuffix(".zip"): row for name, row in rows(output / "scores.csv").items()}


@pytest.mark.slow
def test_a_submission_that_misbehaves_is_told_and_the_rest_goes_on(misbehaving, tmp_path, capsys):
    reference = tmp_path / "reference"
    reference.mkdir()
    for path in REFERENCE.iterdir():
        (reference / path.name).write_bytes(path.read_bytes())
    (reference / "settings.yaml").write_text("memory_limit: 1500\ntime_limit: 5.0\n")
    built = type(misbehaving)(ID, misbehaving.program, reference, misbehaving.time_limit)
    wishes = {"die": 1, "never_end": 1, "ignore_alarm": 1, "eat": 1, "raise": 1}
    bad = {f"{name}.zip": sample(**{name: text}) for name, text in wishes.items()}
    marker = {"die_once": tmp_path / "was here"}
    folder = write_submissions(tmp_path / "in", {**bad, "once.zip": sample(**marker), "fine.zip": sample()})
    out = tmp_path / "out"
    assert rescore(built, folder, out, Choices(engine=Options(workers=2))) == 0
    told = outcomes(out)
    assert {name: row["outcome"] for name, row in told.items()} == {
        "die": "crashed", "never_end": "time", "ignore_alarm": "time", "eat": "memory", "raise": "crashed",
        "once": "scored", "fine": "scored",
    }  # fmt: skip
    codes = {
        "die": "E-CRASHED",
        "never_end": "E-LIMIT-TIME",
        "ignore_alarm": "E-LIMIT-TIME",
        "eat": "E-LIMIT-MEMORY",
        "raise": "E-INTERNAL",
    }
    assert {name: told[name]["problem"].partition(":")[0] for name in codes} == codes
    # One stops itself; the other is stopped from outside.
    by_platform = [name for name in ("never_end", "ignore_alarm") if "platform" in told[name]["problem"]]
    assert by_platform == ["ignore_alarm"]
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("hidden | ValueError") for line in lines)
    assert "secret" not in (out / "index.html").read_text()
    assert told["once"]["score"] == told["fine"]["score"]


@pytest.mark.slow
def test_a_system_that_starts_no_process_is_not_held_against_a_submission(tmp_path, capsys, monkeypatch):
    folder, out = write_submissions(tmp_path / "in", {"a.zip": sample()}), tmp_path / "out"

    def refuse(self, folder, stdin):
        raise BlockingIOError(11, "try again")

    with monkeypatch.context() as patch:
        patch.setattr(Pool, "_started", refuse)
        assert rescore(spoiled(code=""), folder, out, Choices()) == 2
    problem = capsys.readouterr().out.splitlines()[-1]
    assert "(try again)" in problem
    assert "fewer workers" in problem
    assert rescore(spoiled(code=""), folder, out, Choices()) == 0
    assert outcomes(out)["a"]["outcome"] == "scored"


@pytest.mark.parametrize("time_limit", [0.01, pytest.param(600.0, marks=pytest.mark.slow)])
def test_a_program_that_never_has_its_reference_is_not_held_against_a_submission(
    tmp_path, capsys, time_limit
):
    ends = "import os, signal\nif __name__ != '__main__':\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    folder, out = write_submissions(tmp_path / "in", {"a.zip": sample()}), tmp_path / "out"
    assert rescore(spoiled(time_limit, code=ends), folder, out, Choices()) == 2
    assert " while it loaded the reference; " in capsys.readouterr().out.splitlines()[-1]
    assert not list(out.glob("store/*/*.json"))


# Writes where the submission says whether its process is one that has no children, as `usable_cores` asks.
_TELL_DAEMON = """

import dataclasses
from multiprocessing import current_process
from pathlib import Path

def _tell(submission, public, keep):
    Path((submission / "tell").read_text()).write_text(str(current_process().daemon))
    return _task.read(submission, public, keep)

_task = TASKS["chalearn_gesture"]
TASKS["chalearn_gesture"] = dataclasses.replace(_task, read=_tell)
"""


@pytest.mark.slow
def test_readers_leave_the_other_cores_to_other_submissions(tmp_path):
    folder = write_submissions(tmp_path / "in", {"a.zip": sample(tell=tmp_path / "daemon")})
    rescore(spoiled(code=_TELL_DAEMON), folder, tmp_path / "out", Choices())
    assert (tmp_path / "daemon").read_text() == "True"


@pytest.mark.slow
@pytest.mark.skipif(not network_off(), reason="the system does not let us cut the network")
def test_submissions_are_scored_without_network(misbehaving, tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        folder = write_submissions(tmp_path / "in", {"a.zip": sample(connect=server.getsockname()[1])})
        assert rescore(misbehaving, folder, tmp_path / "out", Choices()) == 0
    assert outcomes(tmp_path / "out")["a"]["problem"].startswith("E-INTERNAL")
    assert "hidden | OSError" in capsys.readouterr().out


@pytest.mark.slow
def test_number_of_workers_and_order_of_completion_change_nothing(tmp_path):
    folder = write_submissions(
        tmp_path / "in", {f"t{i % 9}/{i}.zip": varied(7 * i) for i in range(24 if is_nightly() else 9)}
    )
    assert call_anew(folder, tmp_path / "one", "--workers", 1) == 0
    assert call_anew(folder, tmp_path / "three", "--workers", 3) == 0
    assert left(tmp_path / "one") == left(tmp_path / "three")
    score = scores_at_home(folder / "t3" / "3.zip", tmp_path / "home")
    assert float(rows(tmp_path / "one" / "scores.csv")["t3/3.zip"]["score"]) == score


def scores_at_home(submission, output):
    result = run(partial(load_folder, ID, REFERENCE), submission, output).result
    assert result
    return round(result.scores["score"], 10)


def start(folder, output, *more):
    command = [sys.executable, "-m", "organizer", "rescore", ID, str(folder), "--reference", str(REFERENCE)]
    return subprocess.Popen(
        [*command, "--output", str(output), *more],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever runs the tests in the background may have switched it off.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_scored(process, count):
    """Read what a command prints until it has scored so many submissions."""
    while count:
        line = process.stdout.readline()
        assert line
        count -= line.endswith(": scored\n")


def processes_with(text):
    """Return the ids of the processes with this text in their command."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if text.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_what_is_scored_survives_that_the_client_is_killed(tmp_path):
    folder = write_submissions(tmp_path / "in", {f"t{i:02}.zip": varied(5 * i) for i in range(N_KILLED)})
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    with start(folder, broken) as process:
        wait_for_scored(process, N_KILLED // 2)
        os.killpg(process.pid, signal.SIGKILL)
    assert not (broken / "scores.csv").exists()
    kept = len(list((broken / "store").rglob("*.json")))
    assert kept >= N_KILLED // 2 - 1
    # What it had started ends by itself.
    deadline = time.monotonic() + 30
    while processes_with(str(broken)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_with(str(broken))
    with start(folder, broken) as process:
        out, _ = process.communicate()
    assert process.returncode == 0
    assert out.count("(kept from before)") == kept
    with start(folder, whole) as process:
        process.communicate()
    assert process.returncode == 0
    assert left(broken) == left(whole)
    assert len(rows(whole / "ranking.csv")) == N_KILLED


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_a_pool_that_is_closed_ends_a_submission_in_the_middle(misbehaving, tmp_path):
    for name in ("program", "work"):
        (tmp_path / name).mkdir()
    unpack(misbehaving.program, tmp_path / "program")
    setup = Setup(ID, VERSION, "", {}, 500, 600.0, str(tmp_path / "program"), str(REFERENCE))
    running = tmp_path / "running"
    with closing(Pool(setup, 1, machine_memory_mb(), tmp_path / "work")) as opened:
        future = opened.submit(make_zip(sample(mark=running, never_end=1)))
        while not running.exists():
            assert not future.done()
            time.sleep(0.05)
        assert processes_with(str(tmp_path))
    assert not processes_with(str(tmp_path))
    assert not list((tmp_path / "work").iterdir())
    assert future.exception()


def test_a_machine_without_dask_says_how_to_install_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "organizer.runs.cluster", raising=False)
    folder = write_submissions(tmp_path / "in", {"fine.zip": sample()})
    assert call_anew(folder, tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1") == 2
    assert "requirements/scale.lock" in capsys.readouterr().out


@pytest.mark.slow
def test_a_score_that_few_items_decide_is_marked_as_rough(tmp_path):
    contents = {
        path.name.replace("_labels", "_prediction"): path.read_bytes()
        for path in REFERENCE.glob("*_labels.csv")
    }
    first = min(contents)
    contents[first] = b""
    reference = shutil.copytree(REFERENCE, tmp_path / "ref")
    (reference / "settings.yaml").write_text("detail: full\n")
    submissions = write_submissions(tmp_path / "in", {"a.zip": make_zip(contents)})
    assert call_anew(submissions, tmp_path / "out", reference=reference) == 0
    assert f"rough: only 1 of {len(contents)} sequences" in (tmp_path / "out" / "ranking.html").read_text()


@pytest.mark.slow
def test_program_of_another_version_is_refused(tmp_path, capsys):
    with zipfile.ZipFile(BytesIO(build_program(ID))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "scoring_program/signature.py"
    parts[name] = parts[name].replace(f'"{VERSION}"'.encode(), b'"1.1.0"')
    folder = write_submissions(tmp_path / "in", {"a.zip": sample()})
    built = BuiltTask(ID, zip_bytes(parts), REFERENCE, 60.0)
    assert rescore(built, folder, tmp_path / "out", Choices()) == 2
    assert re.search(rf" 1\.1\.0, .* {re.escape(VERSION)}", capsys.readouterr().out)


def emptied(path):
    path.write_bytes(b"")


def edited(old, new):
    """Return a change of a file that has a text."""

    def edit(path):
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return edit


# What a power cut or a hand makes of results: of each submission another one.
SPOILED = [
    ("store/*/*.html", emptied),
    ("store/*/*.html", Path.unlink),
    ("store/*/*.json", emptied),
    ("store/*/*.json", lambda path: path.write_text("[]")),
    ("store/*/*.json", lambda path: path.write_text("[" * 100_000)),
    ("store/*/*.json", edited('"score": 0.', '"score": 1.')),
    ("store/*/*.json", edited('"first": [', '"first": ["x", ')),
    ("store/*/*.json", edited('"items": [', '"items": [0, ')),
]


@pytest.mark.slow
@pytest.mark.parametrize("ranking", ["", '{"rankings": [1]}'])
def test_results_that_are_spoiled_are_made_again(tmp_path, ranking):
    folder = write_submissions(tmp_path / "in", {f"t{i}.zip": varied(i) for i in range(len(SPOILED))})
    assert call_anew(folder, tmp_path / "out") == 0
    expected = left(tmp_path / "out")
    for number, (pattern, spoil) in enumerate(SPOILED):
        spoil(sorted((tmp_path / "out").glob(pattern))[number])
    (tmp_path / "out" / "ranking.json").write_text(ranking)
    assert call_anew(folder, tmp_path / "out") == 0
    assert left(tmp_path / "out") == expected


@pytest.mark.slow
def test_after_any_prefix_of_the_writes_the_next_call_ends_with_the_same_files(tmp_path, monkeypatch):
    """A power cut may come between any two writes to the store."""
    writes = []

    def traced(path, text):
        writes.append((path.relative_to(tmp_path / "whole"), text))
        files.write_durable(path, text)

    folder = write_submissions(tmp_path / "in", {"a.zip": sample(), "b.zip": sample("weak"), "c.zip": b""})
    with monkeypatch.context() as patch:
        for module in (engine, stored):
            patch.setattr(module, "write_durable", traced)
        assert call_anew(folder, tmp_path / "whole") == 0
    expected = left(tmp_path / "whole")
    assert len(writes) == 7
    for number in range(len(writes)):
        out = tmp_path / f"cut{number}"
        for path, text in writes[:number]:
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_text(text, encoding="utf-8")
        assert call_anew(folder, out) == 0
        assert left(out) == expected


@pytest.mark.slow
def test_a_second_call_in_one_folder_says_who_works_there(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {"a.zip": sample()})
    (tmp_path / "out" / "store").mkdir(parents=True)
    with files.locked(tmp_path / "out" / "store"):
        assert call_anew(folder, tmp_path / "out") == 2
    said = capsys.readouterr().out
    assert f"process {os.getpid()} on {socket.gethostname()} " in said
    assert call_anew(folder, tmp_path / "out") == 0


def test_where_there_are_no_locks_the_file_is_the_lock(tmp_path, monkeypatch):
    def unsupported(*arguments):
        raise OSError(95, "not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    message = rf"process {os.getpid()} .*delete {re.escape(str(tmp_path))}"
    with files.locked(tmp_path), pytest.raises(files.LockedError, match=message), files.locked(tmp_path):
        pass
    with files.locked(tmp_path):
        pass


@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path):
    folder = write_submissions(tmp_path / "in", {f"t{i:03}.zip": varied(i) for i in range(60)})
    with start(folder, tmp_path / "out", "--workers", "2") as process:
        wait_for_scored(process, 3)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    *_, last = out.splitlines()
    assert last.startswith("stopped")
    assert "the same command" in last
    assert not processes_with(str(tmp_path / "out"))
    assert not (tmp_path / "out" / "work").exists()
