"""The lint report: errors make an upload or a run fail, warnings are about what is unwise."""

from __future__ import annotations

from dataclasses import dataclass, field

from organizer.bundle import COMPETITION
from validator.findings import Findings, Refused


@dataclass
class LintReport:
    """Errors and warnings; ``where`` is a JSON Pointer into competition.yaml or a place in another file."""

    errors: Findings = field(default_factory=Findings)
    warnings: Findings = field(default_factory=Findings)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.errors.ok

    def error(self, code: str, problem: str, hint: str, where: str = "", file: str = COMPETITION) -> None:
        """Record what fails."""
        self.errors.add(code, problem, hint, file=file, where=where)

    def warn(self, code: str, problem: str, hint: str, where: str = "", file: str = COMPETITION) -> None:
        """Record what is unwise."""
        self.warnings.add(code, problem, hint, file=file, where=where)

    def refuse_errors(self) -> None:
        """Raise Refused if there are errors."""
        self.errors.refuse_problems()

    def lines(self) -> list[str]:
        """Return all errors, then all warnings, numbered."""
        levels = (("error", self.errors), ("warning", self.warnings))
        return [f"{level} {line}" for level, findings in levels for line in findings.lines(shown=None)]


def refused(code: str, problem: str, hint: str, where: str = "") -> Refused:
    """Return the exception for one error in competition.yaml."""
    report = LintReport()
    report.error(code, problem, hint, where)
    return Refused(report.errors)
