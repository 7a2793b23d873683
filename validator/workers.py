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
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

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
    with contextlib.closing(_Pool(make, n_workers)) as pool:
        for batch in batches:
            pool.send(batch)
        return pool.finish()


class _Pool(Generic[ResultT]):
    """The worker processes of one file, which take batches in turn."""

    def __init__(self, make: Callable[[], Fold[ResultT]], n_workers: int) -> None:
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        self._next = 0
        for _ in range(n_workers if n_workers > 1 else 0):
            try:
                process, pipe = _start(list(self._pipes), make)
            except OSError:  # the system allows no further process
                break
            self._pipes.append(pipe)
            self._processes.append(process)
        self._local = None if self._pipes else make()

    def send(self, batch: Batch) -> None:
        """Pass a batch to the next worker; waits while that one is busy."""
        if self._local is not None:
            self._local.take(batch)
            return
        pipe = self._pipes[self._next]
        self._next = (self._next + 1) % len(self._pipes)
        with _ended_without_answer():
            pipe.send(len(batch))
            for position, data in batch:
                pipe.send(position)
                pipe.send_bytes(data)

    def finish(self) -> list[ResultT]:
        """Return the results of all workers."""
        if self._local is not None:
            return [self._local.result()]
        with _ended_without_answer():
            for pipe in self._pipes:
                pipe.send(0)
            answers = [pipe.recv() for pipe in self._pipes]
        for process in self._processes:
            process.join()
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def close(self) -> None:
        """End the workers that still run at once."""
        for process in self._processes:
            process.kill()


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
