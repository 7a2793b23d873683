"""Limits that a program sets itself, and what a machine lacks when a program cannot go on.

A decompression bomb ends in a message, not in a killed process.
"""

from __future__ import annotations

import contextlib
import errno
import math
import mmap
import signal
import threading
import time
import traceback
from types import FrameType
from typing import NamedTuple

try:
    import resource
except ImportError:  # not on Windows, where participants score at home
    resource = None  # type: ignore[assignment]

_MB = 1 << 20
# What a SystemError says if a function in C failed and had no memory for its exception.
_NO_EXCEPTION = ("without setting an", "without exception set", "null argument to internal function")
# The alarm rings this often. An exception may be lost, as one in a destructor or a callback from C is: the
# next ring raises it again. And Python may notice a signal too late that comes right before a call that
# waits: the next ring interrupts that call.
_RING_SECONDS = 5.0
# EFBIG is that of a limit on the size of files. Windows has no quotas with a number of their own.
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
# The error of tempfile has the number of a file that is not there.
_NO_TEMPORARY_FOLDER = "No usable temporary directory"


class _State:
    """Why the alarm of this process ends the run, at what time, or because the platform asked for it; and the
    limit of memory that `start` has lowered, as it was."""

    def __init__(self) -> None:
        self.deadline = math.inf
        self.is_termination_requested = False
        self.memory_before: tuple[int, int] | None = None


_state = _State()


class StoppedError(BaseException):
    """The run must end now. Not an Exception, so that no handler for ordinary errors takes it."""


class TimeLimitError(StoppedError):
    """The time limit of the settings has passed."""


class TerminatedError(StoppedError):
    """The platform asked the program to end (SIGTERM)."""


def start(seconds: float, memory_mb: float = math.inf) -> None:
    """Limit this process: wall clock and address space, as far as the system offers it.

    Afterwards a run that takes longer raises `TimeLimitError`, one that needs more memory MemoryError.
    """
    if threading.current_thread() is not threading.main_thread() or resource is None:
        return
    _state.deadline = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, _ring)
    _set_timer(seconds)
    if memory_mb == math.inf:
        return
    n_bytes = int(memory_mb * _MB)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or n_bytes < soft:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (n_bytes, hard))
            _state.memory_before = _state.memory_before or (soft, hard)


def check_time() -> None:
    """Raise `TimeLimitError` if the time has passed: code may have taken the exception that said so."""
    if time.monotonic() >= _state.deadline:
        raise TimeLimitError


def finish() -> None:
    """Remove the limits: the outputs are being written, which needs little."""
    if resource is not None and threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, 0)
        _state.deadline = math.inf
        _state.is_termination_requested = False
        if _state.memory_before is not None:
            resource.setrlimit(resource.RLIMIT_AS, _state.memory_before)
            _state.memory_before = None


def release(error: BaseException) -> None:
    """Remove the limits and free what the stopped run holds: reporting why it ended needs memory."""
    finish()
    pending: BaseException | None = error
    while pending is not None:
        traceback.clear_frames(pending.__traceback__)
        pending.__traceback__ = None
        pending = pending.__context__


def require_memory(size: int) -> None:
    """Raise MemoryError if ``size`` bytes cannot be allocated, before code that would crash without them."""
    if resource is None:
        return
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        raise MemoryError from None


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an exception means that memory has run out: Python has four for it."""
    if isinstance(error, ImportError):
        # The words of the loader of the GNU C library; there is no number.
        return "failed to map segment" in str(error)
    if isinstance(error, SystemError):
        return any(words in str(error) for words in _NO_EXCEPTION)
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, OSError) and error.errno == errno.ENOMEM


def watch_termination() -> None:
    """Turn SIGTERM into `TerminatedError`, so that nothing is left half written."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _terminated)
        if resource is not None:
            signal.signal(signal.SIGALRM, _ring)
            _set_timer()


def _set_timer(seconds_left: float = math.inf) -> None:
    """Let the alarm ring again and again, and at the deadline if that is nearer."""
    signal.setitimer(signal.ITIMER_REAL, min(seconds_left, _RING_SECONDS), _RING_SECONDS)


def _ring(number: int, frame: FrameType | None) -> None:
    if _state.is_termination_requested:
        raise TerminatedError
    seconds_left = _state.deadline - time.monotonic()
    if seconds_left <= 0:
        raise TimeLimitError
    _set_timer(seconds_left)


def _terminated(number: int, frame: FrameType | None) -> None:
    # A second signal must not interrupt what the first one causes.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _state.is_termination_requested = True
    if resource is not None:
        _set_timer()
    raise TerminatedError


class Shortage(NamedTuple):
    """What is missing, and what to do about it; ``code`` is that of a message."""

    code: str
    problem: str
    remedy: str

    def line(self) -> str:
        """Return the message in a line."""
        return f"{self.code}: {self.problem}; {self.remedy}"


def shortage_of(error: BaseException) -> Shortage | None:
    """Return what the machine lacks according to an exception, None if the exception tells something else."""
    is_without_threads = isinstance(error, RuntimeError) and "can't start new thread" in str(error)
    if is_out_of_memory(error) or is_without_threads:
        problem = "the memory does not suffice"
        return Shortage("E-LIMIT-MEMORY", problem, "end other programs, or raise the limit of memory")
    if not isinstance(error, OSError):
        return None
    if _NO_TEMPORARY_FOLDER in str(error):
        problem = "there is no folder for temporary files"
        return Shortage("E-OUTPUT", problem, "set TMPDIR to a folder with room that you may write to")
    if error.errno in _FULL:
        place = f"{error.filename}: " if error.filename else ""
        problem = f"{place}there is no room for a file ({error.strerror})"
        return Shortage("E-OUTPUT", problem, "free space, or choose another place")
    return None
