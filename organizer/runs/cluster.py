"""Scoring on a running Dask cluster, whose machines need no copy of this repository and no shared file
system.

The code is sent by value: functions of this module and of `organizer.runs.pool`. The program and the
reference go to each worker once, also to those that join later, and stay on its disk by their hash; a
submission is sent with its task.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from organizer.files import Files, folder_files, unpack
from organizer.runs import pool
from organizer.runs.pool import BrokenError, Ended, Pool, Setup, machine_memory_mb
from organizer.runs.submissions import Submission
from organizer.runs.worker import BuiltTask

_PATIENCE = "10s"
# After a worker was shut down while it scored.
_RETRIES = 2
_INSTALL = ".venv/bin/python -m pip install --require-hashes -r requirements/scale.lock"
_KEPT = "people-in-video-scoring"


class Cluster:
    """The workers of a scheduler; ``submit`` as an executor, with at most ``in_flight`` at a time.

    Parameters
    ----------
    address : str
        Of the scheduler, as ``tcp://host:8786``.
    setup : Setup
        What the fork servers load; each worker fills in its folders.
    built : BuiltTask
        The program and the reference.

    Raises
    ------
    BrokenError
        The cluster cannot be used; the message says why, in one line.
    """

    def __init__(self, address: str, setup: Setup, built: BuiltTask) -> None:
        try:
            import cloudpickle
            from distributed import Client
        except ImportError as error:
            raise BrokenError(f"scoring on a cluster needs dask.distributed: {_INSTALL}") from error
        try:
            self._client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BrokenError(
                f"{address}: no scheduler answers there; start one with: dask scheduler"
            ) from error
        self._name = f"rescore-{setup.fingerprint}"
        self._running: set[Any] = set()
        try:
            self.in_flight = 2 * _checked_workers(address, self._client.get_versions())
            for module in (sys.modules[__name__], pool):
                cloudpickle.register_pickle_by_value(module)
            parts = {"program": _files(built.program), "reference": _files(built.reference)}
            self._client.register_plugin(_keeper(self._name, setup, parts), name=self._name)
        except BaseException:
            self._client.close()
            raise

    def submit(self, submission: Submission) -> Future[Ended]:
        """Start to score a submission on any worker."""
        with warnings.catch_warnings():
            # Dask warns of large tasks; these are few at a time.
            warnings.filterwarnings("ignore", message="Sending large graph")
            task = self._client.submit(_scorer(self._name), submission.read(), pure=False, retries=_RETRIES)
        future: Future[Ended] = Future()
        self._running.add(task)
        task.add_done_callback(partial(self._done, future))
        return future

    def _done(self, future: Future[Ended], task: Any) -> None:
        from distributed.scheduler import KilledWorker

        self._running.discard(task)
        try:
            future.set_result(Ended(**task.result()))
        except KilledWorker:
            future.set_result(Ended(exit_code=-1))
        except BaseException as error:
            future.set_exception(BrokenError(f"the cluster failed: {type(error).__name__}: {error}"))

    def close(self) -> None:
        """Cancel what runs and disconnect from the workers."""
        # The cluster may be gone by now.
        with suppress(Exception):
            self._client.cancel(list(self._running))
            self._client.unregister_worker_plugin(self._name)
        self._client.close()


def _checked_workers(address: str, versions: Mapping[str, Any]) -> int:
    """Return how many workers there are. Raises BrokenError if there is none, or one unlike this machine."""
    if not versions["workers"]:
        raise BrokenError(f"{address}: the scheduler has no workers; start some with: dask worker {address}")
    local = _version(versions["client"])
    for worker, found in sorted(versions["workers"].items()):
        if _version(found) != local:
            here, there = (f"Python {python} and numpy {numpy}" for python, numpy in (local, _version(found)))
            raise BrokenError(
                f"{address}: the worker {worker} has {there}, this machine has {here}; make them equal"
            )
    return len(versions["workers"])


def _version(versions: Mapping[str, Any]) -> tuple[str, str]:
    python = dict(versions["host"])["python"]
    return ".".join(python.split(".")[:2]), dict(versions["packages"])["numpy"]


def _files(part: bytes | Path) -> Files:
    if isinstance(part, Path):
        return folder_files(part)
    with tempfile.TemporaryDirectory() as folder:
        unpack(part, Path(folder))
        return folder_files(Path(folder))


def _keeper(name: str, setup: Setup, parts: Mapping[str, Files]) -> Any:
    """Return the plugin that keeps the parts on a worker's disk and fork servers running there."""
    from distributed import WorkerPlugin

    class Keeper(WorkerPlugin):  # type: ignore[misc]
        """Holds the fork servers of one worker."""

        def setup(self, worker: Any) -> None:
            """Write what is not there yet, and start the fork servers."""
            kept = Path(worker.local_directory).resolve().parent / _KEPT
            folder = _keep(kept / name, parts)
            threads = worker.state.nthreads
            memory = (
                (worker.memory_manager.memory_limit or machine_memory_mb() * (1 << 20)) / (1 << 20) / threads
            )
            program, reference = str(folder / "program"), str(folder / "reference")
            self.pool = Pool(replace(setup, program=program, reference=reference, memory_mb=memory), threads)

        def teardown(self, worker: Any) -> None:
            """End the fork servers."""
            self.pool.close()

    return Keeper()


def _keep(folder: Path, parts: Mapping[str, Files]) -> Path:
    """Write the parts into a folder, as a whole or not at all; return the folder."""
    if not folder.is_dir():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder.parent))
        for part, files in parts.items():
            for name, data in files.items():
                path = work / part / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        # Another worker of the same machine may have been faster.
        with suppress(OSError):
            work.rename(folder)
    return folder


def _scorer(name: str) -> Callable[[bytes], dict[str, Any]]:
    """Return the function that scores a submission on a worker; Dask sends only such inner functions by
    value."""

    def score(submission: bytes) -> dict[str, Any]:
        from distributed import get_worker

        def fill(path: Path) -> None:
            path.write_bytes(submission)

        return asdict(get_worker().plugins[name].pool.score(fill))

    return score
