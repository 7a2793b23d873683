"""What scoring at home raises."""

from __future__ import annotations

from validator.findings import Findings, Problem


class ProblemsError(ValueError):
    """A submission, a setting or a reference is not valid; the message lists ``problems``."""

    def __init__(self, findings: Findings) -> None:
        self.problems: list[Problem] = list(findings.problems)
        super().__init__("\n".join(findings.lines()))


class SubmissionError(ProblemsError):
    """The submission is not valid."""


class ReferenceProblemsError(ProblemsError):
    """The reference, the public data, or a setting, is not valid."""
