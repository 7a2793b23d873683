"""Scoring all submissions of a task with the built program: in parallel, and going on where it was
interrupted."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from organizer.files import unpack
from organizer.runs.fork_server import BROKEN, SCORED, Entry, Setup
from organizer.runs.pool import BrokenError, Ended, Pool, machine_memory_mb
from organizer.runs.store import Store, fingerprint
from organizer.runs.submissions import Submission
from organizer.runs.worker import BuiltTask
from validator.findings import quote
from validator.workers import usable_cores

_INSTALL = ".venv/bin/python -m pip install --require-hashes -r requirements/scale.lock"


class Engine(Protocol):
    """What scores submissions, here or on other machines; ``in_flight`` of them keep it at work."""

    in_flight: int

    def submit(self, submission: bytes) -> Future[Ended]:
        """Start to score a submission."""
        ...

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
    setup = Setup(built.id, fingerprint(built), settings, options.replicates, built.time_limit)
    store = Store(output / "store", setup)
    entries: dict[str, Entry] = {}
    running: dict[Future[Ended], tuple[Submission, str]] = {}
    digests = []

    def store_until(n_left: int) -> None:
        while len(running) > n_left:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                submission, digest = running.pop(future)
                entries[digest], page = future.result()
                if entries[digest].outcome == BROKEN:
                    raise BrokenError(entries[digest].problem)
                store.put(digest, entries[digest], page)
                progress.done(submission, entries[digest])

    with ExitStack() as stack:
        progress = stack.enter_context(closing(_Progress(len(submissions))))
        engine: Engine | None = None
        for submission in submissions:
            data = submission.read()
            digest = hashlib.sha256(data).hexdigest()
            digests.append(digest)
            entry = entries.get(digest) or (None if options.fresh else store.get(digest))
            if entry:
                entries[digest] = entry
                progress.done(submission, entry, again=True)
            else:
                engine = engine or stack.enter_context(_engine(built, setup, output / "work", options))
                running[engine.submit(data)] = submission, digest
                store_until(engine.in_flight - 1)
        store_until(0)
    return [
        Record(submission, digest, entries[digest], store.page(digest))
        for submission, digest in zip(submissions, digests)
    ]


@contextmanager
def _engine(built: BuiltTask, setup: Setup, work: Path, options: Options) -> Iterator[Engine]:
    """Lay out the program and the reference in a folder, and start what scores with them; end it at last."""
    # An earlier call may have been killed.
    shutil.rmtree(work, ignore_errors=True)
    try:
        program, reference = (work / "program").resolve(), built.reference
        program.mkdir(parents=True)
        unpack(built.program, program)
        if isinstance(reference, bytes):
            unpack(reference, work / "reference")
            reference = work / "reference"
        setup = replace(setup, program=str(program), reference=str(reference.resolve()))
        with closing(_started(setup, work, options)) as engine:
            yield engine
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _started(setup: Setup, work: Path, options: Options) -> Engine:
    if not options.scheduler:
        return Pool(setup, options.workers or usable_cores(), machine_memory_mb(), work)
    try:
        from organizer.runs.cluster import Cluster
    except ImportError as error:
        raise BrokenError(f"scoring on a cluster needs dask.distributed: {_INSTALL}") from error
    return Cluster(options.scheduler, setup)


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
