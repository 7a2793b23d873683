"""A scoring process: an interpreter of its own that scores one submission with a built program.

`organizer.runs.pool` starts it in a new folder that holds the submission, here or on another machine. It
imports the built program and nothing else of ours. Its argument is a `Setup` in JSON. It writes an empty line
when the reference is read, and then an `Entry` in JSON.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring_program.run import Outcome
    from scoring_program.scoring import Loaded

SUBMISSION = "submission.zip"
"""The name of every submission while it is scored, because outputs must not depend on its own."""
UNPACKED = "res"
"""The folder that it is unpacked in, as on the platform."""
UNPACKING = "unpacking"
"""The module beside this one that unpacks as the worker does."""
PAGE = "detailed_results.html"
# What the platform discards, because it would tell of hidden labels.
_HIDDEN_LOG = "hidden.log"
FORMAT = 6
SCORED, INVALID, TIME, CRASHED, BROKEN = "scored", "invalid", "time", "crashed", "broken"
_LONGEST_OUTPUT = 2000
_DECIMALS = 10


@dataclass(frozen=True)
class Setup:
    """What a scoring process loads, and the limits of each submission.

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
    outcome : {"scored", "invalid", "time", "memory", "crashed", "broken"}
        ``broken`` if it was not scored because of the organizer's side.
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

    outcome: str
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


def main() -> None:
    """Load the program and the reference, and score the submission in this folder."""
    setup = Setup(**json.loads(sys.argv[1]))
    # Keep what the program prints out of the answer.
    answer = os.fdopen(os.dup(1), "w", encoding="ascii")
    client = os.dup(0)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    threading.Thread(target=_end_with_client, args=(client,), daemon=True).start()
    # The other cores score other submissions, so readers start no processes of their own.
    multiprocessing.current_process().daemon = True
    sys.path.insert(0, setup.program)
    sys.path.append(f"{setup.program}/scoring_program/vendor")
    try:
        loaded, problem = _load(setup)
    except Exception as error:
        loaded, problem = None, f"the program cannot load the reference: {type(error).__name__}: {error}"
    print(file=answer, flush=True)
    entry = _score(setup, loaded) if loaded else Entry(BROKEN, problem)
    print(json.dumps(vars(entry)), file=answer, flush=True)
    # Nothing that the program leaves to the end of Python may change how this one ends.
    os._exit(0)


def _end_with_client(client: int) -> None:
    """Wait until the client is gone, then kill this process and all that it started."""
    os.read(client, 1)
    os.killpg(0, signal.SIGKILL)


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
    return loaded, "\n".join(findings.lines())


def _score(setup: Setup, loaded: Loaded) -> Entry:
    """Score the submission within the limits of the settings."""
    from validator import hidden_log, limits

    limits.start(loaded.settings["time_limit"], loaded.settings["memory_limit"])
    log = Path(_HIDDEN_LOG).resolve()
    hidden_log.path = str(log)
    entry = _scored_as_on_the_platform(setup, loaded)
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    end = text[-_LONGEST_OUTPUT:]
    # Whole lines, unless one is longer than that.
    return replace(entry, hidden_log=end if end == text else end.partition("\n")[2] or end)


def _scored_as_on_the_platform(setup: Setup, loaded: Loaded) -> Entry:
    """Score what the platform's worker makes of the submission."""
    from scoring_program.run import run
    from validator.findings import Refused
    from validator.formats.rules import load_rules

    unpack_as_worker = importlib.import_module(UNPACKING).unpack_as_worker
    unpacking_problem = ""
    submission = Path(UNPACKED)
    try:
        unpack_as_worker(Path(SUBMISSION), submission, load_rules(setup.task_id).limits)
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
        why_rough=why_rough(loaded.task, result.shown),
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
