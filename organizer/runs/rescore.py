"""Scoring all submissions of a task with the built program: in parallel, and going on after interruptions."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Union

from tqdm import tqdm

from organizer.files import MALFORMED, folder_paths, unpack, write_durable
from organizer.runs.pool import BrokenError, Ended, Pool, machine_memory_mb
from organizer.runs.scoring_process import BROKEN, FORMAT, INVALID, SCORED, Entry, Setup
from organizer.runs.submissions import Submission, SubmissionsError, other_task, summary_of_others
from organizer.runs.worker import BuiltTask
from scoring_program.metrics.resampling import HALVES
from scoring_program.report.html import cut_middle
from scoring_program.signature import VERSION
from validator.cores import usable_cores
from validator.items import ITEMS_NONE
from validator.submission import Limits
from validator.texts import printable, quote

if TYPE_CHECKING:
    from organizer.runs.cluster import Cluster

_INSTALL = ".venv/bin/python -m pip install --require-hashes -r requirements/scale.lock"
_WRONG_REFERENCE = (
    "warning | none of the items of the first submission is in the reference. If this also holds for "
    "the next submissions, the reference is the wrong one: give another with REFERENCE=DIR (--reference)"
)

WORK = "work"
"""The folder of the program and the reference while submissions are scored."""

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

    def saved(self) -> dict[str, Any]:
        """Return what is needed to find it again with `stored_record`, as JSON."""
        facts = {name: value for name, value in vars(self.submission).items() if name != "source"}
        return {**facts, "digest": self.digest, "folder": self.page.parent.name}


class Overlap(Enum):
    """Whether items of a submission are in the reference."""

    SOME = "some"
    NONE = "none"
    UNKNOWN = "unknown"


def score_all(
    built: BuiltTask,
    submissions: Sequence[Submission],
    limits: Limits,
    output: Path,
    protocol: str,
    options: Options,
) -> list[Record]:
    """Score the submissions with a built task and return a record of each, in their order.

    Those beyond ``limits`` are not read. What is done is kept in ``output/store`` and not scored again. A
    ``protocol`` replaces that of the reference's settings. Raises BrokenError if the reference, the program
    or the scheduler cannot be used, and SubmissionsError at the first score with another signature than that
    of ``options``.
    """
    setup = Setup(
        task_id=built.id,
        version=VERSION,
        fingerprint=fingerprint(built),
        settings={"protocol": protocol} if protocol else {},
        half_samples=options.half_samples,
        time_limit=built.time_limit,
    )
    store = _Store(output / "store", setup)
    start = partial(_engine, built, setup, output / WORK, options)
    records: dict[str, Record] = {}
    tasks_of_others: dict[str, str] = {}
    # A bar with rate and remaining time on a terminal, a line for each submission elsewhere.
    with (
        tqdm(total=len(submissions), unit=" submissions", disable=None, smoothing=0.05) as bar,
        closing(_outcomes(submissions, limits, store, start, options.fresh)) as outcomes,
    ):
        progress = _Progress(bar, len(submissions))
        for number, (record, is_kept) in enumerate(outcomes, start=1):
            bar.update()
            _check_signature(record.entry, options.signature, built)
            task_of_other = _other_task(record, built.id)
            if task_of_other:
                tasks_of_others[record.submission.name] = task_of_other
            else:
                records[record.submission.name] = record
                progress.report(number, record, is_kept)
    if tasks_of_others:
        print(summary_of_others(tasks_of_others), flush=True)
    return [records[submission.name] for submission in submissions if submission.name in records]


def _check_signature(entry: Entry, signature: str, built: BuiltTask) -> None:
    if signature and entry.outcome == SCORED and entry.signature != signature:
        command = ""
        if isinstance(built.reference, Path):
            command = f": organizer baselines {built.id} --reference {built.reference}"
        raise SubmissionsError(
            f"the baselines are of another reference, program or protocol; make them of this one{command}",
            f"  baselines:   {signature}",
            f"  submissions: {entry.signature}",
        )


def _other_task(record: Record, task_id: str) -> str:
    """Return the other task that an invalid submission was made for, "" if there is none."""
    return other_task(record.submission, task_id) if record.entry.outcome == INVALID else ""


class _Progress:
    """Reports on submissions as they are scored, below a bar or as lines."""

    def __init__(self, bar: tqdm[NoReturn], n_submissions: int) -> None:
        self._bar = bar
        self._n_submissions = n_submissions
        self._first_name: dict[str, str] = {}
        self._is_overlap_known = False

    def report(self, number: int, record: Record, is_kept: bool) -> None:
        """Write the line of the submission with a number; on a bar only if it was not scored."""
        self._warn_of_wrong_reference(record.entry)
        name, entry = record.submission.name, record.entry
        line = f"{number}/{self._n_submissions} {quote(cut_middle(name))}: {entry.outcome} {entry.problem}"
        line = line.rstrip()
        first_name = self._first_name.setdefault(record.digest, name)
        if self._bar.disable:
            print(f"{line}{_why_not_scored_now(name, first_name, is_kept)}", flush=True)
        elif entry.outcome != SCORED:
            self._bar.write(line)
        for hidden_line in entry.hidden_log.splitlines():
            self._bar.write(printable(f"hidden | {hidden_line}"))

    def _warn_of_wrong_reference(self, entry: Entry) -> None:
        """Warn if none of the items of the first submission whose items are known is in the reference."""
        overlap = overlap_with_reference(entry)
        if overlap is Overlap.NONE and not self._is_overlap_known:
            self._bar.write(_WRONG_REFERENCE)
        self._is_overlap_known = self._is_overlap_known or overlap is not Overlap.UNKNOWN


def _why_not_scored_now(name: str, first_name: str, is_kept: bool) -> str:
    if first_name != name:
        return f" (equal to {quote(cut_middle(first_name))})"
    return " (kept from before)" if is_kept else ""


def overlap_with_reference(entry: Entry) -> Overlap:
    """Return whether items of a submission are in the reference, by its score or its first problem."""
    if entry.outcome == SCORED:
        return Overlap.SOME if entry.scores["coverage"] > 0 else Overlap.NONE
    code = re.split("[: ]", entry.problem)[0]
    return Overlap.NONE if code == ITEMS_NONE else Overlap.UNKNOWN


def _outcomes(
    submissions: Sequence[Submission],
    limits: Limits,
    store: _Store,
    start: Callable[[], AbstractContextManager[Engine]],
    fresh: bool,
) -> Generator[tuple[Record, bool], None, None]:
    """Yield the record of each submission as soon as there is one, and whether it was kept from before."""
    entries: dict[str, Entry] = {}
    running: dict[Future[Ended], tuple[Submission, str]] = {}

    def finish_until(n_left: int) -> Iterator[tuple[Record, bool]]:
        while len(running) > n_left:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                submission, digest = running.pop(future)
                entry, page = future.result()
                if entry.outcome == BROKEN:
                    raise BrokenError(entry.problem)
                entries[digest] = entry
                store.put(digest, entry, page)
                yield Record(submission, digest, entry, store.page(digest)), False

    with ExitStack() as stack:
        engine: Engine | None = None
        for submission in submissions:
            if not submission.is_within(limits):
                # Not the hash of its bytes: what a download says of a member need not be true.
                digest = _digest(["too large", submission.hash()])
                store.put(digest, _too_large(limits), "")
                yield Record(submission, digest, _too_large(limits), store.page(digest)), False
                continue
            data = submission.read()
            digest = hashlib.sha256(data).hexdigest()
            entry = entries.get(digest)
            if entry is None and not fresh:
                entry = store.get(digest)
            if entry is not None:
                entries[digest] = entry
                yield Record(submission, digest, entry, store.page(digest)), True
            else:
                # Not before it is needed: to load a reference takes time.
                engine = engine or stack.enter_context(start())
                running[engine.submit(data)] = submission, digest
                yield from finish_until(engine.in_flight - 1)
        yield from finish_until(0)


def _too_large(limits: Limits) -> Entry:
    """Return the outcome of a submission that is not read: a member of a download may unpack to any size."""
    problem = (
        f"it has more than {limits.packed_bytes:,} bytes; its files may have {limits.total_bytes:,} unpacked"
    )
    return Entry(INVALID, f"E-ZIP-SIZE: {problem}")


@contextmanager
def _engine(built: BuiltTask, setup: Setup, work: Path, options: Options) -> Iterator[Engine]:
    """Unpack the program and the reference, and start the engine that scores with them; end it on exit."""
    # An earlier call may have been killed.
    shutil.rmtree(work, ignore_errors=True)
    try:
        program = (work / "program").resolve()
        program.mkdir(parents=True)
        unpack(built.program, program)
        if isinstance(built.reference, bytes):
            reference = work / "reference"
            unpack(built.reference, reference)
        else:
            reference = built.reference
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
    """Return a hash of the program and of the reference with its settings; hidden files do not count."""
    total = hashlib.sha256(hashlib.sha256(built.program).digest())
    reference = built.reference
    if isinstance(reference, bytes):
        total.update(reference)
        return total.hexdigest()
    for name, path in folder_paths(reference).items():
        total.update(hashlib.sha256(name.encode()).digest())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


class _Store:
    """The outcomes by the hash of the submission, so that none is scored twice by the same program.

    A folder is for one program, reference, settings and limits. An entry is a JSON file and a page; the JSON
    is written last, so an entry is complete or missing. It holds the hash of both: if one was damaged or
    edited, or is of another version, there is no entry, and its submission is scored again.
    """

    def __init__(self, folder: Path, setup: Setup) -> None:
        context = [setup.task_id, setup.fingerprint, setup.settings, setup.half_samples, setup.time_limit]
        self._folder = folder / _digest(context)[:16]
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


def stored_record(output: Path, saved_record: Mapping[str, Any]) -> Record:
    """Return a record that `score_all` has kept below ``output``, given what `Record.saved` returned.

    Raises ValueError, TypeError or KeyError if it is damaged.
    """
    digest = saved_record["digest"]
    page = output / "store" / saved_record["folder"] / f"{digest}.html"
    entry = _stored_entry(page)
    if entry is None:
        raise ValueError("the store is not complete")
    names = [field.name for field in fields(Submission) if field.name != "source"]
    submission = Submission(**{name: saved_record[name] for name in names}, source=page)
    return Record(submission, digest, entry, page)


def _stored_entry(page: Path) -> Entry | None:
    """Return the entry of a store that is next to its page; None if either is missing or damaged."""
    try:
        stored_entry = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
        entry = stored_entry["entry"]
        page_text = page.read_text(encoding="utf-8", errors="replace")
        is_whole = stored_entry["sha256"] == _digest([entry, page_text])
        return Entry(**entry) if is_whole and entry["format"] == FORMAT else None
    except MALFORMED:
        return None


def _digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
