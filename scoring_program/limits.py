"""Limits that the scoring program sets itself, so that a bomb ends in a message and not in the platform's kill."""

from __future__ import annotations

import contextlib
import signal
import threading
from types import FrameType

try:
    import resource
except ImportError:  # not on Windows, where participants score at home
    resource = None  # type: ignore[assignment]

_MB = 1 << 20
# The processor time of all threads; the wall clock is watched by an alarm.
_CPU_FACTOR = 4


class StoppedError(BaseException):
    """The run must end now. Not an Exception, so that no handler for ordinary errors takes it."""


class TimeLimitError(StoppedError):
    """The time limit of the settings has passed."""


class TerminatedError(StoppedError):
    """The platform asked the program to end (SIGTERM)."""


def start(seconds: float, memory_mb: float) -> None:
    """Limit this process: wall clock, processor time and address space, as far as the system offers it.

    Afterwards a run that takes longer raises `TimeLimitError`, one that needs more memory MemoryError.
    """
    if threading.current_thread() is not threading.main_thread() or resource is None:
        return
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.signal(signal.SIGXCPU, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _lower(resource.RLIMIT_CPU, int(_CPU_FACTOR * seconds) + 1)
    _lower(resource.RLIMIT_AS, int(memory_mb * _MB))


def finish() -> None:
    """Take the time limit away: the outputs are being written."""
    if resource is not None and threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, 0)


def watch_termination() -> None:
    """Turn SIGTERM into `TerminatedError`, so that nothing is left half written."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _terminated)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (value, hard))


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise TimeLimitError


def _terminated(number: int, frame: FrameType | None) -> None:
    raise TerminatedError
