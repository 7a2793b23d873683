"""A pool of fork servers on one machine: each scores one submission at a time, in a process of its own.

Imports the standard library alone, so that `organizer.runs.cluster` can send this module to machines that do
not have this repository.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_TRIES = 3
_PATIENCE = 10.0
SUBMISSION = "submission.zip"
"""The name of every submission while it is scored, because outputs must not depend on its own."""


@dataclass(frozen=True)
class Setup:
    """The data that a fork server loads, and the limits of each submission.

    Attributes
    ----------
    script : str
        The text of ``fork_server.py``.
    challenge : str
        The id.
    fingerprint : str
        A hash of the program and the reference.
    settings : mapping
        Settings that replace those of the reference.
    replicates : int
        Number of resamples.
    time_limit : float
        Seconds after which a submission is killed.
    program, reference : str
        The folders of the unpacked program and of the reference where it runs.
    memory_mb : float
        The most memory in MB there, if the settings do not say less.
    """

    script: str
    challenge: str
    fingerprint: str
    settings: Mapping[str, Any]
    replicates: int
    time_limit: float
    program: str = ""
    reference: str = ""
    memory_mb: float = 0.0


@dataclass(frozen=True)
class Ended:
    """How the scoring of a submission ended: the outputs by name, and why there are none.

    ``exit_code`` is negative after a signal; ``late`` says that the time limit had passed; ``broken`` holds
    the problems of the reference.
    """

    exit_code: int = 0
    late: bool = False
    seconds: float = 0.0
    peak_mb: float = 0.0
    outputs: Mapping[str, bytes] = field(default_factory=dict)
    broken: tuple[str, ...] = ()


class BrokenError(Exception):
    """The organizer's side is broken; the message says how."""


class DiedError(Exception):
    """The process that scored a submission, or the fork server itself, was killed."""


class Host:
    """One fork server. Its folder is removed when it is closed."""

    def __init__(self, setup: Setup, folder: Path | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        # The processes share the cores already.
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        options = {key: value for key, value in asdict(setup).items() if key != "script"}
        self._process = subprocess.Popen(
            [*network_off(), sys.executable, "-s", "-c", setup.script, json.dumps(options)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=setup.program, env=environment, start_new_session=True,
        )  # fmt: skip
        self._problems: tuple[str, ...] | None = None

    def problems(self) -> tuple[str, ...]:
        """Wait until all is loaded and return the problems of the reference."""
        if self._problems is None:
            try:
                self._problems = tuple(self._reply()["problems"])
            except DiedError:
                self._problems = (
                    "the program ended while it loaded the reference; is there too little memory?",
                )
        return self._problems

    def score(self, fill: Callable[[Path], None]) -> Ended:
        """Score the submission that ``fill`` writes to a path. Raises DiedError if that kills a process."""
        if broken := self.problems():
            return Ended(2, broken=broken)
        submission, output = self._folder / SUBMISSION, self._folder / "output"
        fill(submission)
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        assert self._process.stdin  # noqa: S101 - a pipe
        try:
            print(
                json.dumps({"submission": str(submission), "output": str(output)}), file=self._process.stdin
            )
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # the second if it was closed in the meantime
            raise DiedError from error
        reply = self._reply()
        outputs = {path.name: path.read_bytes() for path in output.iterdir() if not path.name.startswith(".")}
        if not reply["late"] and reply["exit_code"] not in (0, 1, 2):
            raise DiedError
        if not reply["late"] and "detailed_results.json" not in outputs:
            return Ended(2, broken=(f"the outputs cannot be written to {output}; is the disk full?",))
        return Ended(**reply, outputs=outputs)

    def close(self) -> None:
        """End the process and what it runs."""
        assert self._process.stdin  # noqa: S101 - a pipe
        with contextlib.suppress(OSError):
            # At the end of its input it kills what it runs.
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout  # noqa: S101 - a pipe
        self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _reply(self) -> Any:
        assert self._process.stdout  # noqa: S101 - a pipe
        try:
            line = self._process.stdout.readline()
        except ValueError as error:  # it was closed in the meantime
            raise DiedError from error
        if not line.endswith("\n"):
            raise DiedError
        return json.loads(line)


class Pool:
    """A fork server for each worker; ``submit`` as an executor, with at most ``in_flight`` at a time."""

    def __init__(self, setup: Setup, workers: int, folder: Path | None = None) -> None:
        self._setup, self._folder = setup, folder
        self.in_flight = 2 * workers
        self._closed = threading.Event()
        self._hosts = [Host(setup, folder) for _ in range(workers)]
        self._idle: queue.SimpleQueue[Host] = queue.SimpleQueue()
        for host in self._hosts:
            self._idle.put(host)
        self._threads = ThreadPoolExecutor(workers)

    def submit(self, fill: Callable[[Path], None]) -> Future[Ended]:
        """Start to score the submission that ``fill`` writes to a path."""
        return self._threads.submit(self.score, fill)

    def score(self, fill: Callable[[Path], None]) -> Ended:
        """Score a submission; if its process is killed, try again, at most three times in all.

        Raises DiedError if the pool is closed in the meantime.
        """
        for _ in range(_TRIES):
            host = self._idle.get()
            try:
                return host.score(fill)
            except DiedError:
                if self._closed.is_set():
                    raise
                host.close()
                self._hosts.remove(host)
                host = Host(self._setup, self._folder)
                self._hosts.append(host)
            finally:
                self._idle.put(host)
        return Ended(exit_code=-1)

    def close(self) -> None:
        """End all processes at once, also in the middle of a submission."""
        self._closed.set()
        for host in list(self._hosts):
            host.close()
        self._threads.shutdown(cancel_futures=True)
        # One may have been started in the meantime.
        for host in self._hosts:
            host.close()


def network_off() -> tuple[str, ...]:
    """Return the words before a command that cut the network, none where the system does not allow it."""
    for prefix in (("unshare", "-n"), ("unshare", "-r", "-n")):
        if shutil.which("unshare") and subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
            return prefix
    return ()


def machine_memory_mb() -> float:
    """Return the memory of this machine, or of the container that this process runs in."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.is_file() and (text := limit.read_text(encoding="ascii").strip()).isdigit():
        memory = min(memory, int(text))
    return memory / (1 << 20)
