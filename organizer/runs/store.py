"""The outcome of each submission, stored by hash, so that none is scored twice with the same program.

An entry is a JSON file and a page. The JSON is written last, so an entry is complete or missing. It comes
with its hash: a file that was damaged or edited is no entry, and its submission is scored again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from organizer.files import sha256
from organizer.runs.pool import SUBMISSION, Ended, Setup
from organizer.runs.worker import BuiltTask
from scoring_program.report.outputs import DETAIL_HTML, DETAIL_JSON, write_atomic

SCORED, INVALID, TIME, MEMORY, CRASHED = OUTCOMES = ("scored", "invalid", "time", "memory", "crashed")


@dataclass(frozen=True)
class Entry:
    """The outcome of one submission; the fields from ``signature`` on are empty unless it was scored.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    problem : str
        The first problem, "" if there is none.
    seconds, peak_mb : float
        What it took.
    signature : str
    scores : mapping of str to float
        What the scoring program wrote.
    score : float
        The primary score before its final rounding.
    replicates : sequence of float
        The scores of the resamples.
    items : sequence of str
        The independent items of the reference.
    item_scores : sequence of float or None
        The score of each item by itself.
    """

    outcome: str
    problem: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0
    signature: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0
    replicates: Sequence[float] = ()
    items: Sequence[str] = ()
    item_scores: Sequence[float | None] = ()


def fingerprint(built: BuiltTask) -> str:
    """Return a hash of the program and of the reference with its settings."""
    total = hashlib.sha256(hashlib.sha256(built.program).digest())
    if isinstance(built.reference, bytes):
        total.update(built.reference)
    else:
        for path in sorted(path for path in built.reference.rglob("*") if path.is_file()):
            total.update(hashlib.sha256(path.relative_to(built.reference).as_posix().encode()).digest())
            with path.open("rb") as stream:
                total.update(bytes.fromhex(sha256(stream)))
    return total.hexdigest()


class Store:
    """The entries by the hash of the submission, in a folder for each program, reference, settings and
    limits."""

    def __init__(self, folder: Path, setup: Setup) -> None:
        context = [setup.challenge, setup.fingerprint, setup.settings, setup.replicates, setup.time_limit]
        self._folder = folder / _digest(context)[:16]
        self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, digest: str) -> Entry | None:
        """Return the entry of a submission, if there is one."""
        try:
            stored = json.loads((self._folder / f"{digest}.json").read_text(encoding="utf-8"))
            return Entry(**stored["entry"]) if stored["sha256"] == _digest(stored["entry"]) else None
        except (FileNotFoundError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def page(self, digest: str) -> Path:
        """Return the path of the detail page of a submission."""
        return self._folder / f"{digest}.html"

    def put(self, digest: str, ended: Ended) -> Entry:
        """Store the outcome of a submission."""
        entry = _entry(ended)
        page = ended.outputs.get(DETAIL_HTML, b"").decode("utf-8", "replace")
        write_atomic(self.page(digest), page)
        values = asdict(entry)
        write_atomic(
            self._folder / f"{digest}.json", json.dumps({"entry": values, "sha256": _digest(values)})
        )
        return entry


def _digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _entry(ended: Ended) -> Entry:
    spent: dict[str, Any] = {"seconds": round(ended.seconds, 3), "peak_mb": round(ended.peak_mb, 1)}
    if ended.late:
        return Entry(TIME, "E-LIMIT-TIME: it was stopped at the platform's time limit", **spent)
    if ended.exit_code < 0:
        return Entry(CRASHED, "E-CRASHED: its process was killed three times", **spent)
    detail = json.loads(ended.outputs[DETAIL_JSON])
    if ended.exit_code:
        first = detail["problems"][0]
        head = " ".join(
            first[key] for key in ("code", "file", "where") if first.get(key) not in (None, "", SUBMISSION)
        )
        problem = f"{head}: {first['problem']}; {first['hint']}."
        outcome = detail["outcome"] if detail["outcome"] in OUTCOMES else CRASHED
        return Entry(outcome, problem, **spent)
    numbers = json.loads(ended.outputs["numbers.json"])
    return Entry(SCORED, "", **spent, signature=detail["signature"], scores=detail["scores"], **numbers)
