"""Scoring on a cluster of real processes on loopback, which know nothing of this repository.

`.ci/run` runs these tests in an environment with Dask; see conftest.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from organizer.ranking.command import Choices, rescore
from organizer.runs.pool import BrokenError
from organizer.runs.rescore import Options
from organizer.runs.worker import BuiltTask
from tests.rescoring import ID, call_anew, left, rows, sample, spoiled, varied, write_submissions

# Dask's own threads and sockets end a little after its client is closed.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Processes:
    """A scheduler and its workers; each works in a folder of its own."""

    def __init__(self, folder):
        self.folder, self.started = folder, []
        self.file = folder / "scheduler.json"
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.file))
        self.wait(lambda: self.file.exists() and self.file.read_text().endswith("}"))
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, what, *options):
        place = self.folder / f"{what}{len(self.started)}"
        place.mkdir()
        command = [sys.executable, "-P", "-m", "dask", what, "--no-dashboard", *options]
        if sys.version_info < (3, 11):
            command.remove("-P")
        with (place / "log").open("w") as log:
            process = subprocess.Popen(command, cwd=place, stdout=log, stderr=log)
        self.started.append(process)
        return process, place / "log"

    def worker(self):
        process, log = self.start(
            "worker", self.address, "--no-nanny", "--nthreads", "1", "--local-directory", "scratch"
        )
        self.wait(lambda: "Registered to" in log.read_text())
        return process

    def wait(self, reached):
        deadline = time.monotonic() + 60
        while not reached():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def end(self):
        for process in reversed(self.started):
            process.kill()
            process.wait()


@pytest.fixture
def processes(tmp_path):
    made = Processes(tmp_path)
    yield made
    made.end()


@pytest.mark.slow
def test_a_cluster_gives_the_same_files_also_if_a_worker_is_killed(processes, tmp_path):
    folder = write_submissions(tmp_path / "in", {f"t{i % 7}/{i}.zip": varied(8 * i) for i in range(30)})
    write_submissions(folder, {"broken.zip": b"no zip"})
    assert call_anew(folder, tmp_path / "here") == 0
    doomed = processes.worker()
    processes.worker()
    out = tmp_path / "there"

    def kill():
        processes.wait(lambda: len(list(out.glob("store/*/*.json"))) >= 5)
        os.kill(doomed.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    assert call_anew(folder, out, "--scheduler", processes.address) == 0
    killer.join()
    assert left(out) == left(tmp_path / "here")
    # The program and the reference are on the disk of each worker, once.
    kept = [path for path in processes.folder.rglob("people-in-video-scoring/*") if path.is_dir()]
    assert len(kept) == 2
    assert len({path.name for path in kept}) == 1


@pytest.mark.slow
def test_submissions_that_misbehave_are_told(processes, tmp_path):
    processes.worker()
    folder = write_submissions(tmp_path / "in", {"die.zip": sample(die=1), "fine.zip": sample()})
    choices = Choices(engine=Options(scheduler=processes.address))
    assert rescore(spoiled(), folder, tmp_path / "out", choices) == 0
    outcomes = {name: row["outcome"] for name, row in rows(tmp_path / "out" / "scores.csv").items()}
    assert outcomes == {"die.zip": "crashed", "fine.zip": "scored"}


@pytest.mark.slow
def test_a_broken_reference_is_told(processes, tmp_path, capsys):
    processes.worker()
    folder = write_submissions(tmp_path / "in", {"fine.zip": sample()})
    (tmp_path / "empty").mkdir()
    built = BuiltTask(ID, spoiled().program, tmp_path / "empty", 60.0)
    assert rescore(built, folder, tmp_path / "out", Choices(engine=Options(scheduler=processes.address))) == 2
    assert "E-REF" in capsys.readouterr().out


@pytest.mark.slow
def test_a_scheduler_without_workers_is_one_line(processes, tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {"fine.zip": sample()})
    assert call_anew(folder, tmp_path / "out", "--scheduler", processes.address) == 2
    (line,) = capsys.readouterr().out.splitlines()[2:]
    assert line.startswith(f"{processes.address}: ")
    assert line.endswith(f" dask worker {processes.address}")


@pytest.mark.slow
def test_a_scheduler_that_cannot_be_reached_is_one_line(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {"fine.zip": sample()})
    assert call_anew(folder, tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1") == 2
    (line,) = capsys.readouterr().out.splitlines()[2:]
    assert line.startswith("tcp://127.0.0.1:1: ")
    assert line.endswith(" dask scheduler")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("python", "numpy"), [("3.8.1.final.0", "2.0.0"), ("3.11.7.final.0", "1.26.4"), ("3.11.7.final.0", None)]
)
def test_workers_of_another_python_or_numpy_are_one_line(python, numpy):
    # Dask takes long to load, also where these tests are left out.
    from organizer.runs.cluster import _checked_workers

    def version(python, numpy):
        return {"host": [("python", python)], "packages": {"numpy": numpy}}

    versions = {
        "client": version("3.11.2.final.0", "2.0.0"),
        "workers": {"tcp://w:1": version(python, numpy)},
    }
    with pytest.raises(
        BrokenError, match=r"tcp://w:1 has Python 3\.\d+ and numpy .* has Python 3\.11 and numpy 2\.0\.0"
    ):
        _checked_workers("tcp://s:1", versions)
    versions["workers"] = {"tcp://w:1": version("3.11.9.final.0", "2.0.0")}
    assert _checked_workers("tcp://s:1", versions) == 1
