"""Scoring all submissions of a task with the built program: in parallel, and going on where it was
interrupted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from organizer.files import unpack
from organizer.runs.pool import BrokenError, Ended, Pool, Setup, machine_memory_mb
from organizer.runs.store import SCORED, Entry, Store, fingerprint
from organizer.runs.submissions import Submission
from organizer.runs.worker import BuiltTask
from validator.findings import quote
from validator.workers import usable_cores

HOST_SCRIPT = Path(__file__).with_name("fork_server.py")


class Engine(Protocol):
    """What scores submissions, on this machine or on others."""

    in_flight: int
    """How many submissions it wants at a time."""

    def submit(self, submission: Submission) -> Future[Ended]:
        """Begin to score a submission."""

    def close(self) -> None:
        """End everything at once."""


@dataclass(frozen=True)
class Options:
    """How to score: processes (0: one a core), the address of a scheduler, resamples, whether to ignore
    the store."""

    workers: int = 0
    scheduler: str = ""
    replicates: int = 1000
    fresh: bool = False


@dataclass(frozen=True)
class Record:
    """A submission, the hash of its bytes, what came of it, and its detail page."""

    submission: Submission
    digest: str
    entry: Entry
    page: Path


class _LocalEngine(Pool):
    def submit(self, submission: Submission) -> Future[Ended]:  # type: ignore[override]
        return super().submit(submission.copy_to)


def score_all(
    built: BuiltTask, submissions: Sequence[Submission], output: Path, protocol: str, options: Options
) -> list[Record]:
    """Score the submissions and return a record of each, in their order.

    Parameters
    ----------
    built : BuiltTask
        The program and the reference.
    submissions : sequence of Submission
    output : Path
        Its folder ``store`` keeps what is done; submissions found there are not scored again.
    protocol : str
        Replaces that of the reference's settings; "" leaves it.
    options : Options

    Raises
    ------
    BrokenError
        The reference, the program or the scheduler cannot be used.
    """
    settings = {"protocol": protocol} if protocol else {}
    script = HOST_SCRIPT.read_text(encoding="utf-8")
    setup = Setup(script, built.id, fingerprint(built), settings, options.replicates, built.time_limit)
    store = Store(output / "store", setup)
    digests: dict[str, str] = {}
    known: dict[str, Entry] = {}
    progress = _Progress(len(submissions))

    def missing() -> Iterator[Submission]:
        for submission in submissions:
            digest = digests[submission.name] = submission.digest()
            entry = known.get(digest) or (None if options.fresh else store.get(digest))
            if entry:
                known[digest] = entry
                progress.done(submission, entry, again=True)
            else:
                yield submission

    work = output / "work"
    shutil.rmtree(work, ignore_errors=True)
    try:
        with closing(_finished(missing(), lambda: _engine(built, setup, work, options))) as finished:
            for submission, ended in finished:
                if ended.broken:
                    raise BrokenError("\n".join(ended.broken))
                digest = digests[submission.name]
                known[digest] = store.put(digest, ended)
                progress.done(submission, known[digest])
    finally:
        progress.close()
        shutil.rmtree(work, ignore_errors=True)
    return [
        Record(submission, digest, known[digest], store.page(digest))
        for submission in submissions
        for digest in [digests[submission.name]]
    ]


def _finished(
    missing: Iterator[Submission], start: Callable[[], Engine]
) -> Generator[tuple[Submission, Ended], None, None]:
    """Yield submissions as they are done. The engine is started if there is any, and always ended."""
    first = next(missing, None)
    if first is None:
        return
    with closing(start()) as engine:
        running: dict[Future[Ended], Submission] = {}
        for submission in chain([first], missing):
            running[engine.submit(submission)] = submission
            if len(running) >= engine.in_flight:
                yield from _first_of(running)
        while running:
            yield from _first_of(running)


def _first_of(running: dict[Future[Ended], Submission]) -> Iterator[tuple[Submission, Ended]]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield running.pop(future), future.result()


def _engine(built: BuiltTask, setup: Setup, work: Path, options: Options) -> Engine:
    if options.scheduler:
        from organizer.runs.cluster import Cluster

        return Cluster(options.scheduler, setup, built)
    program = work / "program"
    program.mkdir(parents=True)
    unpack(built.program, program)
    reference = built.reference
    if isinstance(reference, bytes):
        (work / "reference").mkdir()
        unpack(reference, work / "reference")
        reference = work / "reference"
    workers = options.workers or usable_cores()
    setup = replace(setup, program=str(program.resolve()), reference=str(reference.resolve()))
    return _LocalEngine(replace(setup, memory_mb=machine_memory_mb() / workers), workers, work.resolve())


class _Progress:
    """Says how far the work is: a bar with rate and remaining time on a terminal, a line for each else."""

    def __init__(self, total: int) -> None:
        self._total, self._count = total, 0
        self._bar = tqdm(total=total, unit=" submissions", disable=None, smoothing=0.05)

    def done(self, submission: Submission, entry: Entry, again: bool = False) -> None:
        """Count a submission; ``again`` says that it had been scored by an earlier call."""
        self._count += 1
        self._bar.update()
        line = (
            f"{self._count}/{self._total} {quote(submission.name)}: {entry.outcome} {entry.problem}".rstrip()
        )
        if self._bar.disable:
            print(f"{line} (kept from before)" if again else line, flush=True)
        elif entry.outcome != SCORED:
            self._bar.write(line)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._bar.close()
