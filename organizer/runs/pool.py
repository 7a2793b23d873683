"""Fork servers on one machine, each for one submission at a time.

With `organizer.runs.scoring_process`, which says why both are not `multiprocessing`, it is what
`organizer.runs.cluster` sends to machines that do not have this repository: it imports nothing else of ours.

A server scores one submission at a time, so one that hangs or is killed costs no other: a thread for each
server waits for its answer, and starts it again if it died.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from organizer.runs import scoring_process
from organizer.runs.scoring_process import BROKEN, CRASHED, PAGE, SUBMISSION, UNPACKED, Entry, Setup

_SCRIPT = Path(scoring_process.__file__).read_text(encoding="utf-8")
_UNPACKING = (
    Path(scoring_process.__file__).with_name(f"{scoring_process.UNPACKING}.py").read_text(encoding="utf-8")
)
_TRIES = 3
_PATIENCE = 10.0
# The processes share the cores already.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

KILLED = Entry(CRASHED, "E-CRASHED: its process was killed three times")
_NEVER_READY = Entry(BROKEN, "the program ended while it loaded the reference; is there too little memory?")
# The outcome of a submission, and its detail page.
Ended = tuple[Entry, str]


class BrokenError(Exception):
    """The organizer's side is broken; the message says how."""


class _DiedError(Exception):
    """The process that scored a submission, or the fork server itself, was killed."""


class _ForkServer:
    """A fork server, started again after it died, and its folder, which is removed when it is closed."""

    def __init__(self, setup: Setup, folder: Path | None) -> None:
        self._setup = setup
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        tools = self._folder / scoring_process.TOOLS
        tools.mkdir()
        (tools / f"{scoring_process.UNPACKING}.py").write_text(_UNPACKING, encoding="utf-8")
        self._lock = threading.Lock()
        self._is_closed = False
        self._start()

    def score(self, submission: bytes) -> Ended:
        """Score a submission; if its process is killed, try again, at most three times in all.

        Raises an exception if this is closed in the meantime.
        """
        for _ in range(_TRIES):
            try:
                return self._score(submission)
            except _DiedError:
                with self._lock:
                    self._end()
                    if self._is_closed:
                        raise
                    self._start()
        return KILLED, ""

    def close(self) -> None:
        """End the server at once, also in the middle of a submission."""
        with self._lock:
            self._is_closed = True
            self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> None:
        self._is_ready = False
        python = [sys.executable, "-I", "-c", _SCRIPT, json.dumps(vars(self._setup))]
        self._process = subprocess.Popen(
            [*network_off(), *python],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self._folder,
            env={**os.environ, **_ONE_THREAD},
            start_new_session=True,
        )

    def _end(self) -> None:
        assert self._process.stdin and self._process.stdout  # noqa: S101 - pipes
        with suppress(OSError):
            # At the end of its input it kills what it runs.
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _score(self, submission: bytes) -> Ended:
        if not self._is_ready:
            try:
                self._read_line()
            except _DiedError:
                if self._is_closed:
                    raise
                return _NEVER_READY, ""
            self._is_ready = True
        page = self._folder / PAGE
        page.unlink(missing_ok=True)
        # The process that unpacked the one before may have been killed.
        shutil.rmtree(self._folder / UNPACKED, ignore_errors=True)
        (self._folder / SUBMISSION).write_bytes(submission)
        self._request()
        entry = Entry(**json.loads(self._read_line()))
        if not entry.outcome:
            raise _DiedError
        return entry, page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""

    def _request(self) -> None:
        """Ask the server to score the submission in its folder."""
        assert self._process.stdin  # noqa: S101 - a pipe
        try:
            print(file=self._process.stdin, flush=True)
        except (OSError, ValueError) as error:  # the second if it was closed in the meantime
            raise _DiedError from error

    def _read_line(self) -> str:
        """Return the next line that the server writes."""
        assert self._process.stdout  # noqa: S101 - a pipe
        try:
            line = self._process.stdout.readline()
        except (OSError, ValueError) as error:
            raise _DiedError from error
        if not line.endswith("\n"):
            raise _DiedError
        return line


class Pool:
    """Fork servers that share the memory of a machine; ``in_flight`` submissions keep all of them at work."""

    def __init__(self, setup: Setup, n_servers: int, memory_mb: float, folder: Path | None = None) -> None:
        self.in_flight = 2 * n_servers
        setup = replace(setup, memory_mb=memory_mb / n_servers)
        self._servers = [_ForkServer(setup, folder) for _ in range(n_servers)]
        self._idle: queue.SimpleQueue[_ForkServer] = queue.SimpleQueue()
        for server in self._servers:
            self._idle.put(server)
        self._threads = ThreadPoolExecutor(n_servers)

    def submit(self, submission: bytes) -> Future[Ended]:
        """Start to score a submission."""
        return self._threads.submit(self.score, submission)

    def score(self, submission: bytes) -> Ended:
        """Score a submission as soon as a server is idle. Raises an exception if the pool is closed."""
        server = self._idle.get()
        try:
            return server.score(submission)
        finally:
            self._idle.put(server)

    def close(self) -> None:
        """End all processes at once, also in the middle of a submission."""
        for server in self._servers:
            server.close()
        self._threads.shutdown(cancel_futures=True)


def network_off() -> tuple[str, ...]:
    """Return the words before a command that cut the network, none where the system does not allow it."""
    if not shutil.which("unshare"):
        return ()
    for prefix in (("unshare", "-n"), ("unshare", "-r", "-n")):
        trial = subprocess.run([*prefix, "true"], capture_output=True)
        if trial.returncode == 0:
            return prefix
    return ()


def machine_memory_mb() -> float:
    """Return the memory of this machine, or of the container that this process runs in."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.is_file() and (text := limit.read_text(encoding="ascii").strip()).isdigit():
        memory = min(memory, int(text))
    return memory / (1 << 20)
