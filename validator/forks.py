"""Helper processes that begin as copies of this one, so that large inputs need not be sent to them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable
from typing import Any


def usable_cores() -> int:
    """Return how many cores this process may use, 1 where the system cannot copy processes."""
    if not hasattr(os, "sched_getaffinity") or not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0))


def start(target: Callable[..., None], *arguments: Any) -> tuple[Any, Any]:
    """Start ``target(pipe, *arguments)`` in a copy of this process; return the process and our end of the pipe."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(target, ours, theirs, arguments), daemon=True)
    with warnings.catch_warnings():
        # Python 3.12 warns of copying beside the threads of numpy's linear algebra, which are idle here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()
    return process, ours


def _run(target: Callable[..., None], ours: Any, theirs: Any, arguments: tuple[Any, ...]) -> None:
    # Only the main process answers to the platform's signals.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ours.close()
    # A traceback could quote data; that the pipe ends without an answer says enough.
    with contextlib.suppress(BaseException):
        target(theirs, *arguments)
