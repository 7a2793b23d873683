"""Checking a submission without a reference, within the limits that a run has by default."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from validator import limits
from validator.findings import Findings, Note, Read
from validator.formats.rules import Rules, load_rules
from validator.submission import Source

# Kits have this package below another one.
_FORMATS = f"{__package__}.formats"
ContentT = TypeVar("ContentT")

# What a run of the scoring program may take unless the organizers choose otherwise.
_SECONDS, _MEMORY_MB = 570.0, 8000.0


def no_further_rules(content: Any, rules: Rules) -> Findings:
    """Return no findings: all rules are checked where the files are read."""
    return Findings()


@dataclass(frozen=True)
class Format(Generic[ContentT]):
    """How the submissions to the tasks of a challenge are checked without a reference.

    Attributes
    ----------
    read : callable
        Checks a submission and returns its content; ends with ``check``. Raises Refused.
    hints : callable
        Returns notes on likely mistakes that need no reference, from the content and the rules of the task.
    check : callable
        Returns what is wrong with content by the rules that need its arrays alone. Predictions in memory that
        become arrays without files end with it, too. Problems name the files as the rules do.
    """

    read: Callable[[Source, Rules], Read[ContentT]]
    hints: Callable[[ContentT, Rules], list[Note]]
    check: Callable[[ContentT, Rules], Findings] = no_further_rules


def load_format(task_id: str) -> tuple[Format[Any], Rules]:
    """Return the format of a task, which reads its submissions, and its rules. Raises as `load_rules`."""
    rules = load_rules(task_id)
    module = importlib.import_module(f"{_FORMATS}.{rules.folder.name}.write")
    return module.FORMAT, rules


def check_submission(task_id: str, submission: Path) -> Findings:
    """Return what is found in a submission, a zip file or a folder; ids and names are not compared."""

    def read_notes() -> list[Note]:
        task_format, rules = load_format(task_id)
        reading = task_format.read(submission, rules)
        return [*reading.notes, *task_format.hints(reading.content, rules)]

    return check_within_limits(read_notes)


def check_within_limits(read_notes: Callable[[], list[Note]]) -> Findings:
    """Return what is found while a submission is read; ``read_notes`` returns notes, or raises Refused."""
    findings = Findings()
    limits.start(_SECONDS, _MEMORY_MB)
    try:
        with findings.part():
            findings.notes += read_notes()
    except limits.TimeLimitError as error:
        limits.release(error)
        findings.add("E-LIMIT-TIME", "the check takes longer than is allowed", "submit less")
    except (MemoryError, OSError) as error:
        if not limits.is_out_of_memory(error):
            raise
        limits.release(error)
        findings.add("E-LIMIT-MEMORY", "the check needs more memory than is allowed", "submit less")
    finally:
        limits.finish()
    return findings


def plain_findings(findings: Findings) -> dict[str, Any]:
    """Return all findings as plain data for JSON."""
    kinds = [
        {
            "code": kind.first.code,
            "file": kind.first.file,
            "count": kind.n_places,
            "at_least": not kind.is_exact,
            "first": kind.first.where,
        }
        for kind in findings.summary().kinds
    ]
    return {
        "valid": findings.ok,
        "problems": [problem.as_dict() for problem in findings.problems],
        "more": findings.total - len(findings.problems),
        "kinds": kinds,
        "notes": [note.as_dict() for note in findings.notes],
    }
