"""Scoring on a running Dask cluster, whose machines need no copy of this repository and no shared file
system.

The code is sent by value. Dask keeps the program and the reference in the memory of the workers, which write
them to their disks once, by their hash; a submission is sent with its task.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cloudpickle
from distributed import Client, get_worker
from distributed.scheduler import KilledWorker

from organizer import files as own_files
from organizer.files import Files, folder_files, write_files
from organizer.runs import pool, scoring_process
from organizer.runs.pool import KILLED, BrokenError, Ended, Pool, machine_memory_mb
from organizer.runs.scoring_process import Entry, Setup

_PATIENCE = "10s"
# After a worker was shut down while it scored.
_RETRIES = 2
_KEPT = "people-in-video-scoring"
_Values = Mapping[str, Any]
# The fields of an entry, and the page.
_Answer = tuple[_Values, str]


class Cluster:
    """The workers of a scheduler at an address (``tcp://host:8786``); ``in_flight`` submissions keep all of
    them at work.

    Raises BrokenError if the cluster cannot be used; the message says why, in one line.
    """

    def __init__(self, address: str, setup: Setup) -> None:
        try:
            self._client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            problem = "no scheduler answers there; start one with: dask scheduler"
            raise BrokenError(f"{address}: {problem}") from error
        try:
            self.in_flight = 2 * _checked_workers(address, self._client.get_versions())
            for module in (own_files, scoring_process, pool, sys.modules[__name__]):
                cloudpickle.register_pickle_by_value(module)
            self._files = self._client.scatter([_files_of(setup)], broadcast=True)[0]
        except BaseException:
            self._client.close()
            raise
        self._executor = self._client.get_executor(pure=False, retries=_RETRIES)
        self._score = _scorer(setup)

    def submit(self, submission: bytes) -> Future[Ended]:
        """Start to score a submission on any worker."""
        future: Future[Ended] = Future()
        with warnings.catch_warnings():
            # Dask warns of large tasks; these are few at a time.
            warnings.filterwarnings("ignore", message="Sending large graph")
            self._executor.submit(self._score, self._files, submission).add_done_callback(
                partial(_settle, future)
            )
        return future

    def close(self) -> None:
        """Cancel what waits and disconnect from the workers, which end what they have begun."""
        # The cluster may be gone by now.
        with suppress(Exception):
            self._executor.shutdown(wait=False)
        self._client.close()


def _settle(future: Future[Ended], answer: Future[_Answer]) -> None:
    """Give a future the answer of a worker."""
    try:
        entry, page = answer.result()
        future.set_result((Entry(**entry), page))
    except KilledWorker:
        future.set_result((KILLED, ""))
    except BaseException as error:
        future.set_exception(BrokenError(f"the cluster failed: {type(error).__name__}: {error}"))


def _checked_workers(address: str, versions: _Values) -> int:
    """Return how many workers there are. Raises BrokenError if there is none, or one unlike this machine."""
    workers = versions["workers"]
    version_here = _version(versions["client"])
    if not workers:
        raise BrokenError(f"{address}: the scheduler has no workers; start some with: dask worker {address}")
    for worker, versions_there in sorted(workers.items()):
        version_there = _version(versions_there)
        if version_there != version_here:
            problem = f"the worker {worker} has {version_there}, this machine has {version_here}"
            raise BrokenError(f"{address}: {problem}; make them equal")
    return len(workers)


def _version(versions: _Values) -> str:
    python = dict(versions["host"])["python"].split(".")
    numpy = dict(versions["packages"])["numpy"]
    return f"Python {python[0]}.{python[1]} and numpy {numpy}"


def _files_of(setup: Setup) -> dict[str, bytes]:
    """Return the files of the program and of the reference."""
    files = {f"program/{path}": data for path, data in folder_files(Path(setup.program)).items()}
    return files | {f"reference/{path}": data for path, data in folder_files(Path(setup.reference)).items()}


def _keep(files: Files, folder: Path) -> None:
    """Write a folder, as a whole or not at all, unless it is there."""
    if not folder.is_dir():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder.parent))
        write_files(files, work)
        # Another worker of the same machine may have been faster.
        with suppress(OSError):
            work.rename(folder)


def _scorer(setup: Setup) -> Callable[[Files, bytes], _Answer]:
    """Return the function that scores a submission on a worker."""

    # Dask sends at once by value only what is defined within a function.
    def score(files: Files, submission: bytes) -> _Answer:
        worker = get_worker()
        folder = Path(worker.local_directory).resolve().parent / _KEPT / f"rescore-{setup.fingerprint}"
        _keep(files, folder)
        limit = worker.memory_manager.memory_limit
        memory_mb = limit / (1 << 20) if limit else machine_memory_mb()
        local_setup = replace(setup, program=str(folder / "program"), reference=str(folder / "reference"))
        with closing(Pool(local_setup, 1, memory_mb / worker.state.nthreads)) as single_pool:
            entry, page = single_pool.score(submission)
        return vars(entry), page

    return score
