"""Folding batches of a large file in worker processes.

Workers are started by fork, so that what they need is inherited rather than sent.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Protocol, TypeVar

from validator import limits

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# Entries of a file with their positions.
Batch = list[tuple[int, bytes]]
ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)


class Fold(Protocol[ResultT_co]):
    """Takes batches in one process; its result must be picklable."""

    def take(self, batch: Batch) -> None:
        """Look at a batch."""

    def result(self) -> ResultT_co:
        """Return what was gathered."""
        ...


def usable_cores() -> int:
    """Return how many cores this process may use, 1 where the system cannot copy processes."""
    if not hasattr(os, "sched_getaffinity") or not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0))


def fold(batches: Iterable[Batch], make: Callable[[], Fold[ResultT]], n_workers: int) -> list[ResultT]:
    """Pass batches to folds, one in each worker process, and return their results.

    Participants' bytes are never unpickled; results are, which our own code pickled.

    Parameters
    ----------
    batches : iterable of list of (position, bytes)
    make : callable
        Makes the fold of a process.
    n_workers : int
        With fewer than 2, or where the system allows no further process, all is done in this one.

    Raises
    ------
    MemoryError
        A worker ended without an answer, or ran out of memory.
    RuntimeError
        Another exception ended a worker; the message is its type alone, as its own could quote data.
    """
    processes: list[BaseProcess] = []
    pipes: list[Connection] = []
    with contextlib.ExitStack() as stack:
        for _ in range(n_workers if n_workers > 1 else 0):
            try:
                process, pipe = _start(list(pipes), make)
            except OSError:  # the system allows no further process
                break
            stack.callback(process.kill)
            processes.append(process)
            pipes.append(pipe)
        if not pipes:
            own = make()
            for batch in batches:
                own.take(batch)
            return [own.result()]
        for batch, pipe in zip(batches, cycle(pipes)):
            _send(batch, pipe)
        with _ended_without_answer():
            for pipe in pipes:
                pipe.send(0)
            answers = [pipe.recv() for pipe in pipes]
        for process in processes:
            process.join()
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def _send(batch: Batch, pipe: Connection) -> None:
    """Pass a batch to a worker; waits while that one is busy."""
    with _ended_without_answer():
        pipe.send(len(batch))
        for position, data in batch:
            pipe.send(position)
            pipe.send_bytes(data)


@contextlib.contextmanager
def _ended_without_answer() -> Iterator[None]:
    """Treat a worker that died silently as out of memory."""
    try:
        yield
    except (EOFError, ConnectionError):
        raise MemoryError from None


def _start(others: list[Connection], make: Callable[[], Fold[ResultT]]) -> tuple[BaseProcess, Connection]:
    """Start a worker in a copy of this process; return it and our end of its pipe. Raises OSError."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(ours, theirs, others, make), daemon=True)
    with warnings.catch_warnings():
        # Python 3.12 warns of forking next to the threads of numpy's linear algebra, which are idle here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()
    return process, ours


def _run(
    ours: Connection, theirs: Connection, others: list[Connection], make: Callable[[], Fold[ResultT]]
) -> None:
    # Only the main process answers to the platform's signals.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for connection in (ours, *others):
        # Otherwise a worker would hold the pipes of those started before it open.
        connection.close()
    # A traceback could quote data; that the pipe ends without an answer says enough.
    with contextlib.suppress(BaseException):
        _serve(theirs, make)


def _serve(pipe: Connection, make: Callable[[], Fold[ResultT]]) -> None:
    """Work until an empty batch comes; answer with the result, or with the exception."""
    failure: Exception | None = None
    try:
        own = make()
    except Exception as error:
        failure = _without_message(error)
    while count := pipe.recv():
        # Also after a failure batches are received as they were sent: what participants wrote is never
        # unpickled.
        batch = [(pipe.recv(), pipe.recv_bytes()) for _ in range(count)]
        try:
            if not failure:
                own.take(batch)
        except Exception as error:
            failure = _without_message(error)
    try:
        pipe.send(failure or own.result())
    except Exception as error:
        pipe.send(_without_message(error))


def _without_message(error: Exception) -> Exception:
    """Return an exception to raise in place of ``error``, whose message may hold data."""
    return MemoryError() if limits.is_out_of_memory(error) else RuntimeError(type(error).__name__)
