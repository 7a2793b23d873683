"""The outcome of each submission, stored by hash, so that none is scored twice with the same program.

An entry is a JSON file and a page. The JSON is written last, so an entry is complete or missing. It comes
with its hash: a file that was damaged or edited is no entry, and its submission is scored again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from organizer.files import sha256
from organizer.runs.fork_server import Entry, Setup
from organizer.runs.worker import BuiltTask
from scoring_program.report.outputs import write_atomic


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
        context = [setup.task_id, setup.fingerprint, setup.settings, setup.replicates, setup.time_limit]
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

    def put(self, digest: str, entry: Entry, page: str) -> None:
        """Store the outcome of a submission and its detail page."""
        write_atomic(self.page(digest), page)
        text = json.dumps({"entry": vars(entry), "sha256": _digest(vars(entry))})
        write_atomic(self._folder / f"{digest}.json", text)


def _digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
