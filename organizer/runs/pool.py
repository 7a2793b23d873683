"""Scoring submissions on one machine, each in a process of its own.

It is what `organizer.runs.cluster` sends to machines that do not have this repository: it imports nothing of
ours but `organizer.runs.scoring_process`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from organizer.runs import scoring_process
from organizer.runs.scoring_process import BROKEN, CRASHED, PAGE, SUBMISSION, TIME, Entry, Setup

_UNPACKING = f"{scoring_process.UNPACKING}.py"
_CODE = {
    "scoring_process.py": Path(scoring_process.__file__).read_text(encoding="utf-8"),
    _UNPACKING: Path(scoring_process.__file__).with_name(_UNPACKING).read_text(encoding="utf-8"),
}
_TRIES = 3
# The processes share the cores already.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

KILLED = Entry(CRASHED, "E-CRASHED: its process was killed three times")
_STOPPED = Entry(TIME, "E-LIMIT-TIME: it was stopped at the platform's time limit")
_NEVER_READY = Entry(
    BROKEN,
    "the program ended, or was stopped at the time limit, while it loaded the reference; "
    "is there too little memory or time?",
)
# The outcome of a submission, and its detail page.
Ended = tuple[Entry, str]


class BrokenError(Exception):
    """The organizer's side is broken; the message says how."""


class _ClosedError(Exception):
    """The pool was closed while a submission was scored."""


class Pool:
    """Scores so many submissions at a time, which share the memory of a machine.

    ``in_flight`` submissions keep all of its processes at work.
    """

    def __init__(self, setup: Setup, n_processes: int, memory_mb: float, folder: Path | None = None) -> None:
        self.in_flight = 2 * n_processes
        self._time_limit = setup.time_limit
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        for name, text in _CODE.items():
            (self._folder / name).write_text(text, encoding="utf-8")
        argument = json.dumps(vars(replace(setup, memory_mb=memory_mb / n_processes)))
        # Neither variables nor packages of the user change anything.
        python = [sys.executable, "-E", "-s", str(self._folder.resolve() / "scoring_process.py")]
        self._command = [*network_off(), *python, argument]
        self._threads = ThreadPoolExecutor(n_processes)
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def submit(self, submission: bytes) -> Future[Ended]:
        """Start to score a submission as soon as a process may be started."""
        return self._threads.submit(self.score, submission)

    def score(self, submission: bytes) -> Ended:
        """Score a submission; if its process is killed, try again, at most three times in all.

        Raises an exception if the pool is closed in the meantime.
        """
        was_ready = False
        for _ in range(_TRIES):
            folder = Path(tempfile.mkdtemp(dir=self._folder))
            try:
                (folder / SUBMISSION).write_bytes(submission)
                entry, is_ready = self._run(folder)
                was_ready = was_ready or is_ready
                page = folder / PAGE
                if entry is not None:
                    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
                    return entry, text
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return (KILLED if was_ready else _NEVER_READY), ""

    def close(self) -> None:
        """End all processes at once, also in the middle of a submission."""
        with self._lock:
            self._is_closed = True
            for process in self._running:
                _kill(process)
        self._threads.shutdown(cancel_futures=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, folder: Path) -> tuple[Entry | None, bool]:
        """Score the submission in a folder in a new process.

        Return its entry, None if the process was killed, and whether it had loaded the reference.
        """
        # The process ends when the other end of its input is closed, as it is if this one is killed.
        read_end, lifeline = os.pipe()
        try:
            with self._started(folder, read_end) as process:
                answer, _ = process.communicate(timeout=self._time_limit)
        except subprocess.TimeoutExpired as expired:
            return (_STOPPED if expired.output else _NEVER_READY), True
        except OSError as error:
            # Not the submission's: it must not count as one that was killed.
            problem = f"the system starts no further process ({error.strerror}); use fewer workers"
            return Entry(BROKEN, problem), False
        finally:
            os.close(read_end)
            os.close(lifeline)
        is_whole = answer.count(b"\n") == 2
        return Entry(**json.loads(answer)) if is_whole else None, answer.startswith(b"\n")

    @contextmanager
    def _started(self, folder: Path, stdin: int) -> Iterator[subprocess.Popen[bytes]]:
        """Start a scoring process; at the end kill it and all that it started. Raises OSError."""
        with self._lock:
            if self._is_closed:
                raise _ClosedError
            process = subprocess.Popen(
                self._command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**os.environ, **_ONE_THREAD},
                start_new_session=True,
            )
            self._running.add(process)
        try:
            yield process
        finally:
            with self._lock:
                self._running.remove(process)
            _kill(process)
            process.communicate()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


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
