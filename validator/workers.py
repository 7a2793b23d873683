"""Reading parts of a large file in worker processes.

Workers are started by fork, so that what they need is inherited rather than sent.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from validator import limits

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# Entries of a file with their positions.
Batch = list[tuple[int, bytes]]
# Sent in place of the number of entries of a batch.
_NO_MORE = 0
ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)


class Fold(Protocol[ResultT_co]):
    """Takes batches in one process; its result must be picklable."""

    @property
    def is_done(self) -> bool:
        """Whether further batches would change nothing in the result."""
        ...

    def take(self, batch: Batch) -> None:
        """Look at a batch."""

    def result(self) -> ResultT_co:
        """Return what was gathered."""
        ...


def usable_cores() -> int:
    """Return how many cores this process may use, 1 where it cannot start copies of itself.

    Daemonic processes cannot: those of `multiprocessing.Pool`, of PyTorch's DataLoader, and of ``rescore``,
    where other submissions use the other cores.
    """
    if not hasattr(os, "sched_getaffinity") or not hasattr(os, "fork"):
        return 1
    if multiprocessing.current_process().daemon:
        return 1
    return len(os.sched_getaffinity(0))


def fold(batches: Iterable[Batch], make: Callable[[], Fold[ResultT]], n_workers: int) -> list[ResultT]:
    """Pass batches to folds, one in each worker process, and return their results.

    Once all folds are done, no further batch is made.

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
    with contextlib.ExitStack() as stack:
        workers = _start_workers([make] * n_workers if n_workers > 1 else [], stack)
        if not workers:
            return [_fold_here(batches, make)]
        for batch, worker in zip(batches, cycle(workers)):
            if all(worker.pipe.poll() for worker in workers):
                break
            _send(batch, worker.pipe)
        _send_end(workers)
        answers = _answers(workers)
    return _results(answers)


def call_together(calls: Sequence[Callable[[], ResultT]]) -> list[ResultT]:
    """Return what the calls return: each is made in a worker process, but the first in this one.

    Where the system allows no further process, the others are made in this one, too.

    Raises
    ------
    MemoryError, RuntimeError
        As `fold` does.
    Exception
        Whatever a call raises that is made in this process.
    """
    with contextlib.ExitStack() as stack:
        workers = _start_workers([partial(_CallFold, call) for call in calls[1:]], stack)
        _send_end(workers)
        here = [calls[0], *calls[1 + len(workers) :]]
        first, *last = [call() for call in here]
        answers = _answers(workers)
    return [first, *_results(answers), *last]


class _CallFold(Generic[ResultT]):
    """The fold of a worker that makes one call and takes no batches."""

    is_done = True

    def __init__(self, call: Callable[[], ResultT]) -> None:
        self._call = call

    def take(self, batch: Batch) -> None:
        """Leave a batch out."""

    def result(self) -> ResultT:
        """Make the call."""
        return self._call()


class _Notice(Enum):
    """What a worker sends before its answer."""

    ENOUGH = "it needs no more batches"


class _Worker(NamedTuple):
    """A worker process, and our end of the pipe to it."""

    process: BaseProcess
    pipe: Connection


def _fold_here(batches: Iterable[Batch], make: Callable[[], Fold[ResultT]]) -> ResultT:
    """Fold all batches in this process."""
    folding = make()
    for batch in batches:
        folding.take(batch)
        if folding.is_done:
            break
    return folding.result()


def _start_workers(
    makes: Sequence[Callable[[], Fold[ResultT]]], stack: contextlib.ExitStack
) -> list[_Worker]:
    """Start a worker for each fold, as many as the system allows; they are killed when ``stack`` is left."""
    workers: list[_Worker] = []
    for make in makes:
        try:
            worker = _start(workers, make)
        except OSError:  # the system allows no further process
            break
        stack.callback(worker.process.kill)
        workers.append(worker)
    return workers


def _send_end(workers: Sequence[_Worker]) -> None:
    """Tell all workers that there are no more batches."""
    with _ended_without_answer():
        for worker in workers:
            worker.pipe.send(_NO_MORE)


def _answers(workers: Sequence[_Worker]) -> list[Any]:
    """Return what each worker answers, its result or an exception, once all have ended."""
    with _ended_without_answer():
        answers = [_answer(worker.pipe) for worker in workers]
    for worker in workers:
        worker.process.join()
    return answers


def _answer(pipe: Connection) -> Any:
    """Return what a worker answers, after its notice if it has sent one."""
    message = pipe.recv()
    return pipe.recv() if message is _Notice.ENOUGH else message


def _results(answers: list[Any]) -> list[Any]:
    """Return the answers. Raises the first exception among them."""
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


def _start(earlier: Sequence[_Worker], make: Callable[[], Fold[ResultT]]) -> _Worker:
    """Start a worker in a copy of this process. Raises OSError."""
    context = multiprocessing.get_context("fork")
    our_end, worker_end = context.Pipe()
    # A copy holds the pipes of those started before it open, too.
    inherited = [our_end, *(worker.pipe for worker in earlier)]
    process = context.Process(target=_run, args=(worker_end, inherited, make), daemon=True)
    with warnings.catch_warnings():
        # Python 3.12 warns of forking next to the threads of numpy's linear algebra, which are idle here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    worker_end.close()
    return _Worker(process, our_end)


def _run(pipe: Connection, inherited: Sequence[Connection], make: Callable[[], Fold[ResultT]]) -> None:
    """Fold what comes through the pipe: all that a worker does."""
    # Only the main process answers to the platform's signals.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for connection in inherited:
        connection.close()
    # A traceback could quote data; that the pipe ends without an answer says enough.
    with contextlib.suppress(BaseException):
        _work(pipe, make)


def _work(pipe: Connection, make: Callable[[], Fold[ResultT]]) -> None:
    """Fold the batches that come; answer with the result, or with the exception."""
    batches = _received(pipe)
    try:
        result = _fold_here(batches, make)
        pipe.send(_Notice.ENOUGH)
        _drop(batches)
        pipe.send(result)
    except Exception as error:
        _drop(batches)
        pipe.send(_without_message(error))


def _drop(batches: Iterator[Batch]) -> None:
    """Receive what is still to come as it is sent: what participants wrote is never unpickled."""
    for _ in batches:
        pass


def _received(pipe: Connection) -> Iterator[Batch]:
    """Yield the batches that `_send` passes, until there are no more."""
    while (count := pipe.recv()) != _NO_MORE:
        yield [(pipe.recv(), pipe.recv_bytes()) for _ in range(count)]


def _without_message(error: Exception) -> Exception:
    """Return an exception to raise in place of ``error``, whose message may hold data."""
    return MemoryError() if limits.is_out_of_memory(error) else RuntimeError(type(error).__name__)
