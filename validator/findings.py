"""Findings of a check: problems that make a submission or a reference invalid, and notes that do not.

Findings are values. A reader collects its own and raises `Refused` with them at its border, or returns what
it read with its notes (`Read`). `validator.problem_summary` puts problems in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

import numpy as np

from validator.arrays import Bools
from validator.messages import MOST_KINDS, Note, Problem
from validator.texts import printable, quote_path

if TYPE_CHECKING:
    from validator.problem_summary import ProblemKind, ProblemSummary

REPORTED_PER_KIND = 200
_KEPT = 5000

ContentT = TypeVar("ContentT")


@dataclass(frozen=True)
class Read(Generic[ContentT]):
    """The content of files that were accepted, and the notes on them."""

    content: ContentT
    notes: list[Note]


class Refused(Exception):  # noqa: N818 - an outcome, not an error of the program
    """Files cannot be accepted; ``findings`` hold at least one problem."""

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self.findings = findings

    def __str__(self) -> str:
        return "\n".join(self.findings.lines())


# Code, file, and rule.
_Kind = tuple[str, str, str]


@dataclass
class Findings:
    """Problems and notes in the order in which they were found.

    Of each kind of problem only some are kept; the rest are counted, so that a file with a million bad lines
    costs no memory. ``total`` is the number of problems, kept or only counted.
    """

    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    total: int = 0
    _count_of_kind: Counter[_Kind] = field(default_factory=Counter)
    _unread_files: set[str] = field(default_factory=set)
    _last_kind: _Kind = ("", "", "")

    @classmethod
    @contextmanager
    def collect(cls) -> Iterator[Findings]:
        """Collect the findings of a block of code, those of a `Refused` too; raise `Refused` at its end for
        any problem.

        Within the block, ``with findings.part():`` lets the rest go on after a part that was refused. Other
        exceptions pass; `watch_collections` gives what was found until then.
        """
        findings = cls()
        collections = _open_collections.get([])
        depth = len(collections)
        collections.append(findings)
        with findings.part():
            yield findings
        # Together with those within it that were left by an exception.
        del collections[depth:]
        findings.refuse_problems()

    @contextmanager
    def part(self) -> Iterator[None]:
        """Take over the findings of a part that is refused, so that the problems of all parts are reported
        together.

        What the part would have given is not there after it: use it only after `refuse_problems`, or at the
        end.
        """
        try:
            yield
        except Refused as refused:
            if refused.findings is not self:
                self.extend(refused.findings)

    def refuse_problems(self) -> None:
        """Raise `Refused` if there is a problem."""
        if self.total:
            raise Refused(self)

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.total

    def add(
        self, code: str, problem: str, remedy: str, *, file: str = "", where: str = "", rule: str = ""
    ) -> None:
        """Record a problem; all texts are made printable here, and ``file`` is shortened.

        Raises ValueError for a code that no table explains.
        """
        from validator import message_codes

        message_codes.require_known(code)
        added = Problem(
            code=code,
            problem=printable(problem),
            remedy=printable(remedy),
            file=quote_path(file),
            where=printable(where),
            rule=rule,
        )
        self._last_kind = added.kind
        self._count(added.kind, 1)
        self._keep(added)

    def repeat(self, problem: Problem, **changes: str) -> None:
        """Record a problem that was found before, with other texts or another place."""
        again = problem._replace(**changes)
        self.add(again.code, again.problem, again.remedy, file=again.file, where=again.where, rule=again.rule)

    def refuse(
        self, code: str, problem: str, remedy: str, *, file: str = "", where: str = "", rule: str = ""
    ) -> NoReturn:
        """Record a problem after which there is nothing more to check: raise `Refused`."""
        self.add(code, problem, remedy, file=file, where=where, rule=rule)
        # What it follows from may quote data.
        raise Refused(self) from None

    def take(self, read: Read[ContentT]) -> ContentT:
        """Record the notes on files that were read; return their content."""
        self.notes += read.notes
        return read.content

    def extend(self, other: Findings) -> None:
        """Record all findings of another collection after these."""
        self.notes += other.notes
        kept = Counter(problem.kind for problem in other.problems)
        for problem in other.problems:
            self._count(problem.kind, 1)
            self._keep(problem)
        for kind, count in other._count_of_kind.items():
            self._count(kind, count - kept[kind])
        self.total += other.total - sum(other._count_of_kind.values())
        self._unread_files |= other._unread_files

    def with_files(self, rename: Callable[[str], str]) -> Findings:
        """Return the same findings with other names of files; two files may get the same name."""
        renamed = Findings(notes=list(self.notes))
        renamed.problems = [
            problem._replace(file=quote_path(rename(problem.file))) for problem in self.problems
        ]
        for (code, file, rule), count in self._count_of_kind.items():
            renamed._count_of_kind[code, quote_path(rename(file)), rule] += count
        renamed.total = self.total
        renamed._unread_files = {quote_path(rename(file)) for file in self._unread_files}
        return renamed

    def _count(self, kind: _Kind, count: int) -> None:
        self.total += count
        self._count_of_kind[kind] += count

    def _keep(self, problem: Problem) -> None:
        if self._count_of_kind[problem.kind] <= REPORTED_PER_KIND and len(self.problems) < _KEPT:
            self.problems.append(problem)

    def first_of(self, wrong: Bools) -> Iterator[int]:
        """Yield the first indexes where ``wrong`` is true, for each of which the caller adds a problem of one
        kind.

        The others are only counted, at the end.
        """
        indexes = np.flatnonzero(wrong)
        yield from indexes[:REPORTED_PER_KIND].tolist()
        if len(indexes) > REPORTED_PER_KIND:
            self._count(self._last_kind, len(indexes) - REPORTED_PER_KIND)

    def count_unread(self, count: int, file: str) -> None:
        """Count ``count`` or more problems of unknown kinds in ``file``, whose counts are "at least" then."""
        self.total += count
        self._unread_files.add(quote_path(file))

    @property
    def is_complete(self) -> bool:
        """Whether all problems were counted, each in its kind."""
        return not self._unread_files

    def note(self, code: str, text: str) -> None:
        """Record a note."""
        self.notes.append(Note(code, printable(text)))

    def kinds(self) -> list[ProblemKind]:
        """Return the problems by their kind, in the order in which the kinds were found."""
        from validator.problem_summary import ProblemKind

        problems_of_kind: dict[_Kind, list[Problem]] = {}
        for problem in self.problems:
            problems_of_kind.setdefault(problem.kind, []).append(problem)
        return [
            ProblemKind(problems, self._count_of_kind[kind], problems[0].file not in self._unread_files)
            for kind, problems in problems_of_kind.items()
        ]

    def summary(self) -> ProblemSummary:
        """Return the problems as they are shown."""
        from validator.problem_summary import ProblemSummary

        return ProblemSummary(self.kinds(), self.total, self.is_complete)

    def lines(self, most: int | None = MOST_KINDS) -> list[str]:
        """Return the lines of the summary."""
        return self.summary().lines(most)

    def first_line(self) -> str:
        """Return the line of the problem that is shown first; there is at least one."""
        (problem,) = self.summary().problems(1)
        return problem.line()

    def as_dict(self) -> dict[str, object]:
        """Return all findings as plain data for JSON."""
        kinds = [
            {
                "code": kind.first.code,
                "file": kind.first.file,
                "count": kind.number,
                "at_least": not kind.is_exact,
                "first": kind.first.where,
            }
            for kind in self.kinds()
        ]
        return {
            "valid": self.ok,
            "problems": [problem.as_dict() for problem in self.problems],
            "more": self.total - len(self.problems),
            "kinds": kinds,
            "notes": [note.as_dict() for note in self.notes],
        }


_open_collections: ContextVar[list[Findings]] = ContextVar("open_collections")


@contextmanager
def watch_collections() -> Iterator[list[Findings]]:
    """Give a list in which the collections are that are open at a time, the outermost first.

    A collection that an exception other than `Refused` ends stays in the list, so that a run that is stopped
    can report what was found until then.
    """
    collections: list[Findings] = []
    token = _open_collections.set(collections)
    try:
        yield collections
    finally:
        _open_collections.reset(token)
