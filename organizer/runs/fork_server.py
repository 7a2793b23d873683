"""The fork server: an interpreter that loads a built program and a reference once, and scores each submission
in a process of its own.

`organizer.runs.pool` passes the text of this module to a clean interpreter, here or on another machine, where
it imports the built program and nothing else. Its argument is a `Setup` in JSON. It writes an empty line when
it is ready; for each line that it reads it scores the submission in its folder and writes an `Entry` in JSON.

The forkserver of `multiprocessing` under pebble, with one task for each process, was tried instead. It
scored a third as many submissions in the same time, because pebble looks for ended processes every 0.1 s.
After a time-out it kills the child alone, so processes that the child started go on running, and so does a
child that hangs when the server itself is killed. There is one such server for a process, so two protocols,
whose references differ, do not fit; a module that cannot be preloaded is skipped in silence, and each child
would load the reference itself; children take over ``sys.path`` and would find the packages of this
environment before those of the built zip. The workers of Dask are daemons, which may not start such
processes. Finally, there is no place to cut the network (``unshare -n``), and the peak memory of a child
that is killed is lost.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import math
import multiprocessing
import os
import pkgutil
import select
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from scoring_program.run import Outcome
    from scoring_program.scoring import Loaded

SUBMISSION = "submission.zip"
"""The name of every submission while it is scored, because outputs must not depend on its own."""
UNPACKED = "res"
"""The folder that it is unpacked in, as on the platform."""
TOOLS, UNPACKING = "tools", "unpacking"
"""The folder with the module of the organizers' that unpacks as the worker does, and the module."""
PAGE = "detailed_results.html"
# What the platform discards, because it would tell of hidden labels.
_HIDDEN_LOG = "hidden.log"
FORMAT = 6
SCORED, INVALID, TIME, CRASHED, BROKEN = "scored", "invalid", "time", "crashed", "broken"
_CHUNK = 1 << 16
_LONGEST_OUTPUT = 2000
_DECIMALS = 10


@dataclass(frozen=True)
class Setup:
    """What a fork server loads, and the limits of each submission.

    ``version`` is that of the program; ``fingerprint`` is a hash of the program and the reference, whose
    unpacked folders are ``program`` and ``reference``. ``settings`` replace those of the reference;
    ``half_samples`` is the number of random divisions of the items into halves. After ``time_limit`` seconds
    a submission is killed; ``memory_mb`` is the most memory in MB, if the settings do not say less.
    """

    task_id: str
    version: str
    fingerprint: str
    settings: Mapping[str, object]
    half_samples: int
    time_limit: float
    program: str = ""
    reference: str = ""
    memory_mb: float = 0.0


@dataclass(frozen=True)
class Entry:
    """The outcome of one submission; the fields from ``signature`` on are empty unless it was scored. They
    are rounded so that they are equal on all machines.

    Attributes
    ----------
    outcome : {"scored", "invalid", "time", "memory", "crashed", "broken", ""}
        ``broken`` if it was not scored because of the organizer's side, "" if its process was killed.
    problem : str
        The first problem, "" if there is none.
    scores : mapping of str to float
        What the scoring program wrote.
    score : float
        The primary score before its final rounding.
    first, second : sequences of float
        Its values for the first and the second halves of the items; empty without items.
    n_items : int
        How many items, or groups of items, are independent.
    over : str
        What the score is computed over, in words.
    items, item_scores : sequences of str, of float or None
        The items of the reference, and the score of each by itself.
    error_costs : sequence of (str, float, float)
        The type of error, the score if it were fixed, and the gain; none if the detail level hides them.
    decimals : int
        The most decimals that participants see.
    why_rough : str
        Why the interval is rough although items are enough; "" if it is not, or the detail level hides it.
    hidden_log : str
        The end of what an evaluator of one's own printed, and where and why it or the program failed: for
        organizers alone.
    content : str
        The SHA-256 of what was read of the submission, whatever its zip is; "" if it was not scored.
    format : int
        The version of this record in a store.
    """

    outcome: str = ""
    problem: str = ""
    signature: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0
    first: Sequence[float] = ()
    second: Sequence[float] = ()
    n_items: int = 0
    over: str = ""
    items: Sequence[str] = ()
    item_scores: Sequence[float | None] = ()
    error_costs: Sequence[tuple[str, float, float]] = ()
    decimals: int = _DECIMALS
    why_rough: str = ""
    hidden_log: str = ""
    content: str = ""
    format: int = FORMAT


class _Child(NamedTuple):
    """A process that scores one submission, and the pipe that it writes its entry to."""

    pid: int
    answer: int


def main() -> None:
    """Load the program and the reference, and score a submission for each line of input."""
    setup = Setup(**json.loads(sys.argv[1]))
    # Keep what the program prints out of the replies.
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    # The other cores score other submissions, so readers start no processes of their own.
    multiprocessing.current_process().daemon = True
    sys.dont_write_bytecode = True
    sys.path.insert(0, setup.program)
    sys.path.append(f"{setup.program}/scoring_program/vendor")
    sys.path.append(str(Path(TOOLS).resolve()))
    try:
        loaded, problem = _load(setup)
    except Exception as error:
        loaded, problem = None, f"the program cannot load the reference: {type(error).__name__}: {error}"
    print(file=replies, flush=True)
    while os.read(0, 1):
        entry = _score(setup, loaded) if loaded else Entry(BROKEN, problem)
        print(json.dumps(vars(entry)), file=replies, flush=True)


def _load(setup: Setup) -> tuple[Loaded | None, str]:
    """Return the task with its reference, and the problems of the program or the reference."""
    from scoring_program.scoring import load_reference
    from scoring_program.signature import VERSION
    from scoring_program.task import load_task
    from validator.findings import Findings

    if setup.version != VERSION:
        versions = f"the program is of version {VERSION}, this tool of {setup.version}"
        return None, f"{versions}: build the bundle again"
    task = load_task(setup.task_id)
    folder = Path(setup.reference)
    findings = Findings()
    loaded = None
    with findings.part():
        settings = task.settings(folder, {**setup.settings, "interval": True})
        memory_limit = min(settings["memory_limit"], setup.memory_mb)
        loaded = load_reference(task, folder, settings)
        loaded = replace(loaded, settings={**settings, "memory_limit": memory_limit})
    _import_all()
    gc.collect()
    gc.freeze()
    return loaded, "\n".join(findings.lines())


def _import_all() -> None:
    """Import once, instead of in each child, all of the program and what libraries import as they need it."""
    for name in ("encodings.cp437", "numpy.ma", "numpy.random"):
        importlib.import_module(name)
    for package in ("validator", "scoring_program"):
        folders = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(folders, f"{package}."):
            importlib.import_module(module.name)


def _score(setup: Setup, loaded: Loaded) -> Entry:
    """Score the submission in a child and wait for it, or kill it at the time limit."""
    deadline = time.monotonic() + setup.time_limit
    try:
        child = _start_child(setup, loaded)
    except OSError as error:
        # Not the submission's: it must not count as one that was killed.
        return Entry(BROKEN, f"the system starts no further process ({error.strerror}); use fewer workers")
    try:
        text = _read_all(child.answer, deadline)
    finally:
        _end_child(child)
    return _answered_entry(text)


def _start_child(setup: Setup, loaded: Loaded) -> _Child:
    """Fork a process that scores the submission. Raises OSError if the system has no further one."""
    answer, write_end = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(answer)
        os.close(write_end)
        raise
    if pid == 0:
        _score_here(setup, loaded, write_end)
    os.close(write_end)
    return _Child(pid, answer)


def _end_child(child: _Child) -> None:
    """Kill a child and all that it started, and wait for it."""
    # Processes that the child started may still run; it may not be the leader of their group yet.
    with suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    os.kill(child.pid, signal.SIGKILL)
    os.waitpid(child.pid, 0)
    os.close(child.answer)


def _answered_entry(text: bytes | None) -> Entry:
    """Return the entry that a child wrote: none in time (None), or not all of it if it was killed."""
    if text is None:
        return Entry(TIME, "E-LIMIT-TIME: it was stopped at the platform's time limit")
    return Entry(**json.loads(text)) if text.endswith(b"\n") else Entry()


def _read_all(answer: int, deadline: float) -> bytes | None:
    """Return what is written to a pipe until it is closed at the other end, None if that takes too long."""
    chunks = []
    while True:
        ready, _, _ = select.select([0, answer], [], [], max(deadline - time.monotonic(), 0))
        if 0 in ready:
            # The client sends nothing while it waits, so it is gone.
            sys.exit(1)
        if not ready:
            return None
        chunks.append(os.read(answer, _CHUNK))
        if not chunks[-1]:
            return b"".join(chunks)


def _score_here(setup: Setup, loaded: Loaded, write_end: int) -> NoReturn:
    """Score the submission in this process, write its entry to a pipe, and exit."""
    try:
        os.setpgid(0, 0)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        from validator import limits

        limits.start(loaded.settings["time_limit"], loaded.settings["memory_limit"])
        from validator import hidden_log

        log = Path(_HIDDEN_LOG).resolve()
        log.unlink(missing_ok=True)
        hidden_log.path = str(log)
        entry = _scored_as_on_the_platform(setup, loaded)
        if log.is_file():
            text = log.read_text(encoding="utf-8", errors="replace")
            end = text[-_LONGEST_OUTPUT:]
            # Whole lines, unless one is longer than that.
            entry = replace(entry, hidden_log=end if end == text else end.partition("\n")[2] or end)
        with os.fdopen(write_end, "w", encoding="ascii") as answer:
            print(json.dumps(vars(entry)), file=answer)
    finally:
        os._exit(0)


def _scored_as_on_the_platform(setup: Setup, loaded: Loaded) -> Entry:
    """Score what the platform's worker makes of the submission."""
    from scoring_program.run import run
    from validator.findings import Refused
    from validator.formats.rules import load_rules

    unpacked_as_by_worker = importlib.import_module(UNPACKING).unpacked_as_by_worker
    unpacking_problem = ""
    try:
        limits = load_rules(setup.task_id).limits
        submission = unpacked_as_by_worker(Path(SUBMISSION), Path(UNPACKED), limits)
    except Refused as refused:
        # The validator says more about the zip, unless the damage is in a file that it does not read.
        submission = Path(SUBMISSION)
        unpacking_problem = refused.findings.first_line()
    except OSError as error:
        place = f"the submission cannot be unpacked to {Path.cwd()} ({error.strerror})"
        return Entry(BROKEN, f"{place}; is the disk full?")
    contents: list[Any] = []

    def read(*arguments: Any) -> Any:
        read_submission = loaded.task.read(*arguments)
        contents.append(read_submission.content)
        return read_submission

    observed = replace(loaded, task=replace(loaded.task, read=read))
    entry = _entry(setup, loaded, run(lambda: observed, submission, Path()))
    if entry.outcome == SCORED:
        entry = replace(entry, content=content_hash(contents[0]))
    if unpacking_problem and entry.outcome == SCORED:
        Path(PAGE).unlink()
        return Entry(INVALID, unpacking_problem)
    return entry


def _entry(setup: Setup, loaded: Loaded, outcome: Outcome) -> Entry:
    """Return the entry of a run, with the number of half-samples that ``setup`` asks for."""
    from scoring_program.disclosure import round_floats
    from scoring_program.report.page import why_rough

    result = outcome.result
    if result is None:
        return _entry_without_result(outcome)
    statistics, halves = result.statistics, result.halves
    if halves and setup.half_samples != len(halves.first):
        halves = loaded.half_scores(statistics, setup.half_samples)
    return Entry(
        SCORED,
        signature=loaded.signature,
        scores=round_floats(result.scores, _DECIMALS),
        score=halves.score if halves else result.scores["score"],
        first=halves.first.tolist() if halves else (),
        second=halves.second.tolist() if halves else (),
        n_items=halves.n_items if halves else 0,
        over=loaded.groups.count_text(loaded.task.item),
        items=list(result.items),
        item_scores=[_rounded_score(score) for score in statistics.item_scores.tolist()],
        error_costs=round_floats([tuple(cost) for cost in result.error_costs], _DECIMALS),
        decimals=result.shown.decimals,
        why_rough=why_rough(loaded.task, result.shown, halves.n_items) if halves else "",
    )


def content_hash(content: object) -> str:
    """Return the SHA-256 of what was read of a submission: arrays, records, mappings, and plain values."""
    total = hashlib.sha256()
    _add_to_hash(content, total)
    return total.hexdigest()


def _add_to_hash(value: object, total: hashlib._Hash) -> None:
    import numpy as np

    # Where it was read is no part of it.
    if isinstance(value, Path):
        return
    total.update(type(value).__name__.encode())
    if isinstance(value, np.ndarray) and value.dtype != object:
        total.update(f"{value.dtype.str}{value.shape}".encode())
        total.update(np.ascontiguousarray(value).tobytes())
    elif is_dataclass(value):
        for part in fields(value):
            _add_to_hash(getattr(value, part.name), total)
    elif isinstance(value, Mapping):
        total.update(f"{len(value)}".encode())
        for key in sorted(value, key=repr):
            _add_to_hash(key, total)
            _add_to_hash(value[key], total)
    elif isinstance(value, (list, tuple, np.ndarray)):
        total.update(f"{len(value)}".encode())
        for part_of_value in value:
            _add_to_hash(part_of_value, total)
    else:
        total.update(repr(value).encode("utf-8", "surrogatepass"))


def _entry_without_result(outcome: Outcome) -> Entry:
    if outcome.findings.ok:
        return Entry(BROKEN, f"the outputs cannot be written to {Path.cwd()}; is the disk full?")
    # The name of the zip is not the participant's.
    findings = outcome.findings.with_files(lambda file: "" if file in (SUBMISSION, UNPACKED) else file)
    # The reference was loaded before, so what is broken now is the program.
    return Entry(CRASHED if outcome.name == BROKEN else outcome.name, findings.first_line())


def _rounded_score(score: float) -> float | None:
    """Return the score of an item, None for NaN, which JSON cannot hold."""
    return None if math.isnan(score) else round(score, _DECIMALS)


if __name__ == "__main__":
    main()
