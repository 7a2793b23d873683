"""Worker processes started by fork, so that large inputs are inherited rather than sent."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import pickle
import signal
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_ALIGNED = 64


def usable_cores() -> int:
    """Return how many cores this process may use, 1 where the system cannot copy processes."""
    if not hasattr(os, "sched_getaffinity") or not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0))


def start(target: Callable[..., None], *arguments: object) -> tuple[BaseProcess, Connection]:
    """Start ``target(pipe, *arguments)`` in a copy of this process; return the process and our end of the
    pipe.

    Raises OSError where the system allows no further process.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(target, ours, theirs, arguments), daemon=True)
    with warnings.catch_warnings():
        # Python 3.12 warns of forking next to the threads of numpy's linear algebra, which are idle here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()
    return process, ours


def _run(
    target: Callable[..., None], ours: Connection, theirs: Connection, arguments: tuple[object, ...]
) -> None:
    # Only the main process answers to the platform's signals.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ours.close()
    # A traceback could quote data; that the pipe ends without an answer says enough.
    with contextlib.suppress(BaseException):
        target(theirs, *arguments)


def shared_room(size: int) -> mmap.mmap:
    """Return memory that this process and those started later share; pages never written to cost nothing.

    Raises OSError where the system allows no more memory.
    """
    return mmap.mmap(-1, max(size, 1))


def send(pipe: Connection, room: mmap.mmap, value: object) -> None:
    """Send a value, its arrays through shared memory as far as there is room: a pipe is slow for large
    ones."""
    spans: list[tuple[int, int]] = []
    end = 0

    def keep_in_pickle(buffer: pickle.PickleBuffer) -> bool:
        nonlocal end
        with buffer.raw() as raw:
            if end + raw.nbytes > len(room):
                return True
            room[end : end + raw.nbytes] = raw
            spans.append((end, raw.nbytes))
            end += -(-raw.nbytes // _ALIGNED) * _ALIGNED
        return False

    pipe.send((pickle.dumps(value, protocol=5, buffer_callback=keep_in_pickle), spans))


def receive(pipe: Connection, room: mmap.mmap) -> Any:
    """Return what the other process sent; its arrays are in the shared memory.

    Raises EOFError if it ended without an answer.
    """
    head, spans = pipe.recv()
    view = memoryview(room)
    arrays = [view[begin : begin + size] for begin, size in spans]
    return pickle.loads(head, buffers=arrays)  # noqa: S301 - made by our own process
