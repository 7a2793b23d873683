"""What scoring at home raises."""

from __future__ import annotations

from validator.findings import Findings, Problem
from validator.items import ITEMS_NONE


class ProblemsError(ValueError):
    """A submission, a setting or a reference is not valid; the message lists ``problems``."""

    def __init__(self, findings: Findings) -> None:
        self.problems: list[Problem] = list(findings.problems)
        super().__init__("\n".join(findings.lines()))


class SubmissionError(ProblemsError):
    """The submission is not valid."""


class NothingToScoreError(SubmissionError):
    """The submission is valid, and nothing in the reference matches it."""


class ReferenceProblemsError(ProblemsError):
    """The reference, the public data, or a setting, is not valid."""


class UsageError(Exception):
    """A command cannot be understood; the message says why."""


class MissingPackageError(ImportError):
    """A package that a task needs is not installed; the message has the command."""


def submission_error(findings: Findings) -> SubmissionError:
    """Return the error of a submission that was compared with a reference at home and refused."""
    if any(problem.code == ITEMS_NONE for problem in findings.problems):
        return NothingToScoreError(findings)
    return SubmissionError(findings)
