"""Findings of the linter: errors make an upload or a run fail, warnings are about what is unwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from organizer.bundle import COMPETITION
from organizer.data.references import refuse_problems
from validator.findings import Findings


@dataclass
class LintReport:
    """Errors and warnings of a bundle, each with its file, the position in it, the problem and the fix."""

    errors: Findings = field(default_factory=Findings)
    warnings: Findings = field(default_factory=Findings)

    @property
    def ok(self) -> bool:
        """Whether no error was found."""
        return self.errors.ok

    def error(self, code: str, problem: str, hint: str, *, where: str = "", file: str = COMPETITION) -> None:
        """Record what fails; ``where`` is a JSON Pointer into competition.yaml, or a position in another
        file."""
        self.errors.add(code, problem, hint, file=file, where=where)

    def warn(self, code: str, problem: str, hint: str, *, where: str = "", file: str = COMPETITION) -> None:
        """Record what is unwise."""
        self.warnings.add(code, problem, hint, file=file, where=where)

    def unique(self, level: str, values: Iterable[object], where: str, name: str) -> None:
        """Record values that occur more than once as errors or warnings (``level``)."""
        known = list(values)
        record = self.error if level == "error" else self.warn
        for value in sorted({str(value) for value in known if known.count(value) > 1}):
            record("L-TWICE", f"{name} {value} occurs more than once", "make them differ", where=where)

    def refuse_errors(self) -> None:
        """Raise RefusedError if there are errors."""
        refuse_problems(self.errors)

    def lines(self) -> list[str]:
        """Return all errors, then all warnings, numbered."""
        return [
            *(f"error {line}" for line in self.errors.lines(shown=None)),
            *(f"warning {line}" for line in self.warnings.lines(shown=None)),
        ]
