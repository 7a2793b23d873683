"""Scoring all submissions of a task with the built program: in parallel, and going on after interruptions."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from tqdm import tqdm

from organizer.files import unpack, write_durable
from organizer.runs.fork_server import BROKEN, FORMAT, INVALID, SCORED, Entry, Setup
from organizer.runs.pool import BrokenError, Ended, Pool, machine_memory_mb
from organizer.runs.submissions import Submission, SubmissionsError, other_task, summary_of_others
from organizer.runs.worker import BuiltTask
from scoring_program.metrics.resampling import HALVES
from scoring_program.report.html import cut_middle
from scoring_program.signature import VERSION
from scoring_program.task import load_task
from validator.texts import counted, quote
from validator.workers import usable_cores

if TYPE_CHECKING:
    from organizer.runs.cluster import Cluster

_INSTALL = ".venv/bin/python -m pip install --require-hashes -r requirements/scale.lock"
_WRONG_REFERENCE = (
    "warning | none of the items of the first submission is in the reference. If this also holds for "
    "the next submissions, the reference is the wrong one: give another with REFERENCE=DIR (--reference)"
)


# What scores submissions, here or on other machines.
Engine = Union[Pool, "Cluster"]


@dataclass(frozen=True)
class Options:
    """How to score: processes (0: one a core), the address of a scheduler, the number of half-samples,
    whether to ignore the store, and the signature that scores must have, if any."""

    workers: int = 0
    scheduler: str = ""
    half_samples: int = HALVES
    fresh: bool = False
    signature: str = ""


@dataclass(frozen=True)
class Record:
    """A submission, the hash of its bytes, what came of it, and its detail page."""

    submission: Submission
    digest: str
    entry: Entry
    page: Path

    def saved(self) -> list[str]:
        """Return what is needed to find it again with `stored_record`."""
        own = self.submission
        return [own.name, own.team, own.date, self.digest, self.page.parent.name]


def score_all(
    built: BuiltTask, submissions: Sequence[Submission], output: Path, protocol: str, options: Options
) -> list[Record]:
    """Score the submissions with a built task and return a record of each, in their order.

    What is done is kept in ``output/store`` and not scored again. A ``protocol`` replaces that of the
    reference's settings. Raises BrokenError if the reference, the program or the scheduler cannot be used,
    and SubmissionsError at the first score with another signature than that of ``options``.
    """
    settings = {"protocol": protocol} if protocol else {}
    setup = Setup(built.id, VERSION, fingerprint(built), settings, options.half_samples, built.time_limit)
    store = _Store(output / "store", setup)
    if store.is_first_after_old:
        scored_again = f"all {counted(len(submissions), 'submission')} are scored again"
        print(f"made by an earlier version: {scored_again}", flush=True)
    start = partial(_engine, built, setup, output / "work", options)
    records, others, first = dict[str, Record](), dict[str, str](), dict[str, str]()
    # A bar with rate and remaining time on a terminal, a line for each submission elsewhere.
    with (
        tqdm(total=len(submissions), unit=" submissions", disable=None, smoothing=0.05) as bar,
        closing(_outcomes(submissions, store, start, options.fresh)) as outcomes,
    ):
        codes, known = load_task(built.id).unknown_item_codes, set[Optional[bool]]()
        for number, (record, suffix) in enumerate(outcomes, start=1):
            name, entry = record.submission.name, record.entry
            bar.update()
            if entry.outcome == SCORED and entry.signature != (options.signature or entry.signature):
                raise SubmissionsError("the baselines are of another reference or program: make them again")
            if entry.outcome == INVALID and (other := other_task(record.submission, built.id)):
                others[name] = other
                continue
            records[name] = record
            other = first.setdefault(record.digest, name)
            suffix = suffix if other == name else f" (equal to {quote(cut_middle(other))})"
            if has_items(entry, codes) is False and True not in known and False not in known:
                bar.write(_WRONG_REFERENCE)
            known.add(has_items(entry, codes))
            whose = f"{number}/{len(submissions)} {quote(cut_middle(name))}"
            line = f"{whose}: {entry.outcome} {entry.problem}".rstrip()
            if bar.disable:
                print(f"{line}{suffix}", flush=True)
            elif entry.outcome != SCORED:
                bar.write(line)
    if others:
        print(summary_of_others(others), flush=True)
    return [records[submission.name] for submission in submissions if submission.name in records]


def has_items(entry: Entry, unknown_item_codes: Collection[str]) -> bool | None:
    """Return whether any item of a submission is in the reference, None if that is not known."""
    if entry.outcome == SCORED:
        return entry.scores["coverage"] > 0
    return False if re.split("[: ]", entry.problem)[0] in unknown_item_codes else None


def _outcomes(
    submissions: Sequence[Submission],
    store: _Store,
    start: Callable[[], AbstractContextManager[Engine]],
    fresh: bool,
) -> Generator[tuple[Record, str], None, None]:
    """Yield the record of each submission as soon as there is one, and why it was not scored now, if so."""
    entries: dict[str, Entry] = {}
    running: dict[Future[Ended], tuple[Submission, str]] = {}

    def ended(n_left: int) -> Iterator[tuple[Record, str]]:
        while len(running) > n_left:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                submission, digest = running.pop(future)
                entries[digest], page = future.result()
                if entries[digest].outcome == BROKEN:
                    raise BrokenError(entries[digest].problem)
                store.put(digest, entries[digest], page)
                yield Record(submission, digest, entries[digest], store.page(digest)), ""

    with ExitStack() as stack:
        engine: Engine | None = None
        for submission in submissions:
            data = submission.read()
            digest = hashlib.sha256(data).hexdigest()
            if entry := entries.get(digest) or (None if fresh else store.get(digest)):
                entries[digest] = entry
                yield Record(submission, digest, entry, store.page(digest)), " (kept from before)"
            else:
                engine = engine or stack.enter_context(start())
                running[engine.submit(data)] = submission, digest
                yield from ended(engine.in_flight - 1)
        yield from ended(0)


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


def fingerprint(built: BuiltTask) -> str:
    """Return a hash of the program and of the reference with its settings."""
    total = hashlib.sha256(hashlib.sha256(built.program).digest())
    if isinstance(built.reference, bytes):
        total.update(built.reference)
    else:
        for path in sorted(path for path in built.reference.rglob("*") if path.is_file()):
            total.update(hashlib.sha256(path.relative_to(built.reference).as_posix().encode()).digest())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


class _Store:
    """The outcomes by the hash of the submission, so that none is scored twice by the same program.

    A folder is for one program, reference, settings and limits; ``is_first_after_old`` says that all entries
    there are, in other folders, are of earlier versions. An entry is a JSON file and a page; the JSON
    is written last, so an entry is complete or missing. It holds the hash of both: if one was damaged or
    edited, there is no entry, and its submission is scored again.
    """

    def __init__(self, folder: Path, setup: Setup) -> None:
        context = [setup.task_id, setup.fingerprint, setup.settings, setup.half_samples, setup.time_limit]
        self._folder = folder / _digest(context)[:16]
        known = {_format(path) for path in folder.glob("*/*.json")} if not self._folder.is_dir() else set()
        self.is_first_after_old = bool(known - {0, FORMAT}) and FORMAT not in known
        self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, digest: str) -> Entry | None:
        return _stored_entry(self.page(digest))

    def page(self, digest: str) -> Path:
        return self._folder / f"{digest}.html"

    def put(self, digest: str, entry: Entry, page: str) -> None:
        # As they are read again: a page may hold what UTF-8 cannot.
        page = page.encode("utf-8", "replace").decode("utf-8")
        write_durable(self.page(digest), page)
        text = json.dumps({"entry": vars(entry), "sha256": _digest([vars(entry), page])})
        write_durable(self._folder / f"{digest}.json", text)


def stored_record(output: Path, name: str, team: str, day: str, digest: str, folder: str) -> Record:
    """Return a record that `score_all` has kept below ``output``. Raises ValueError if it is damaged."""
    page = output / "store" / folder / f"{digest}.html"
    if entry := _stored_entry(page):
        return Record(Submission(name, team, day, page), digest, entry, page)
    raise ValueError("the store is not complete")


def _stored_entry(page: Path) -> Entry | None:
    """Return the entry of a store that is next to its page; None if either is missing or damaged."""
    try:
        stored = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
        entry, text = stored["entry"], page.read_text(encoding="utf-8", errors="replace")
        is_whole = stored["sha256"] == _digest([entry, text]) and entry["format"] == FORMAT
        return Entry(**entry) if is_whole else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _format(path: Path) -> int:
    """Return the format of an entry in a store, 0 if it cannot be read; that of version 1.1 is 1."""
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["entry"].get("format", 1))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return 0


def _digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
