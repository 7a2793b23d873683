"""Findings of a check: problems that make a submission or a reference invalid, and notes that do not.

Findings are values. A reader collects its own and raises `Refused` with them at its border, or returns what
it read with its notes (`Read`). Problems are put in words by their kinds: similar ones in one line, and only
the first kinds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from validator.arrays import Bools
from validator.texts import counted, printable, quote_path

MOST_KINDS = 20
"""So many kinds of problems are shown of a check."""
REPORTED_PER_KIND = 200
LIKELY_MISTAKES = (
    "N-BOXES-FIRST",
    "N-BOXES-ORDER",
    "N-BOXES-OUTSIDE",
    "N-CATEGORY",
    "N-CSV-EARLY",
    "N-EMPTY",
    "N-LOOKS",
    "N-LOOKS-CONSTANT",
    "N-LOOKS-NORMALIZED",
    "N-LOW",
    "N-NAMES-UNKNOWN",
    "N-PARTS-COARSE",
    "N-PARTS-NONE",
    "N-PLACES-EMPTY",
    "N-REPEATED",
    "N-SYNC",
    "N-WORDS-OUTSIDE",
)
"""The codes of notes that tell of a likely mistake: logs and pages show them first."""
# So many problems of all kinds are kept of a check.
_KEPT = 5000
_PLACES_SHOWN = 3

ContentT = TypeVar("ContentT")
# Code, file, and rule.
_Kind = tuple[str, str, str]


class Problem(NamedTuple):
    """One reason why a file cannot be accepted, with its place and the way to fix it.

    ``where`` is a JSON Pointer for JSON files and "line L column C" for CSV files; it may be empty. ``rule``
    is a short constant for the rule that is broken; problems with the same code, file, and rule are of one
    kind.
    """

    code: str
    problem: str
    remedy: str
    file: str = ""
    where: str = ""
    rule: str = ""

    @property
    def kind(self) -> _Kind:
        """The code, file, and rule."""
        return self.code, self.file, self.rule

    def head(self) -> str:
        """Return the code and the file."""
        return f"{self.code} {self.file}".rstrip()

    def cure(self) -> str:
        """Return what is wrong and how to fix it."""
        return f"{self.problem}; {self.remedy}{self.remedy_end}"

    @property
    def remedy_end(self) -> str:
        """What ends the remedy as a sentence."""
        return "" if self.remedy.endswith("?") else "."

    def as_dict(self) -> dict[str, str]:
        """Return the problem as plain data for JSON."""
        texts = {"code": self.code, "problem": self.problem, "hint": self.remedy}
        return {**texts, "file": self.file, "where": self.where}


class Note(NamedTuple):
    """Something accepted that the reader should know about.

    ``explains`` are the codes of notes that say no more where this one is: they have the same cause.
    """

    code: str
    text: str
    explains: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, str]:
        """Return the note as plain data for JSON."""
        return {"code": self.code, "text": self.text}

    @property
    def is_mistake(self) -> bool:
        """Whether it tells of a likely mistake: by its code, or because it says why others were made."""
        return self.code in LIKELY_MISTAKES or bool(self.explains)

    def line(self) -> str:
        """Return the note as one line of text."""
        return f"{self.code}: {self.text}"

    def log_line(self) -> str:
        """Return the note as a line of a log, which says whether it tells of a likely mistake."""
        return f"{'likely mistake' if self.is_mistake else 'note'} {self.line()}"


def note_lines(notes: Sequence[Note]) -> list[str]:
    """Return the lines of a log on notes, first those on likely mistakes."""
    return [note.log_line() for note in mistakes_first(notes)]


def mistakes_first(notes: Sequence[Note]) -> list[Note]:
    """Return notes with those that tell of likely mistakes before the others, otherwise in their order."""
    return sorted(notes, key=lambda note: not note.is_mistake)


def codes_explained_by(notes: Sequence[Note]) -> set[str]:
    """Return the codes of notes that say no more where these are."""
    return {code for note in notes for code in note.explains}


def without_explained(notes: Sequence[Note]) -> list[Note]:
    """Return notes without those that others of them explain."""
    explained_codes = codes_explained_by(notes)
    return [note for note in notes if note.code not in explained_codes]


class PlacedProblem(NamedTuple):
    """One problem with all its places: those of one kind, or of kinds that differ in their file alone.

    Attributes
    ----------
    problems : list of Problem
        Those at the first places, or of several files the first of each; at least one.
    n_places : int
        How many places it has.
    n_files : int
        In how many files it is.
    is_exact : bool
        Whether all places were counted; otherwise there are at least ``n_places``.
    """

    problems: list[Problem]
    n_places: int
    n_files: int
    is_exact: bool

    @property
    def first(self) -> Problem:
        """The problem at its first place, whose words stand for all."""
        return self.problems[0]

    def head(self) -> str:
        """Return the code, and the file if it is in one only."""
        return self.first.head() if self.n_files == 1 else self.first.code

    def places_text(self) -> str:
        """Return where it is: "At line 1 column 2.", "In 60 places: /a, /b, /c and 57 more.", or ""."""
        places = self._first_places()
        if self.n_places == 1:
            return f"At {places[0]}." if places else ""
        number = f"In {_at_least(self.is_exact)}{counted(self.n_places, 'place')}"
        if self.is_exact and self.n_places == self.n_files:
            number = f"In {counted(self.n_files, 'file')}"
        elif self.n_files > 1:
            number += f" in {counted(self.n_files, 'file')}"
        if not places:
            return f"{number}."
        n_more = (self.n_places if self.n_files == 1 else self.n_files) - len(places)
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"{number}: {', '.join(places)}{more}."

    def line(self) -> str:
        """Return it as one line of text: what is wrong, how to fix it, and then the places."""
        return f"{self.head()}: {self.first.cure()} {self.places_text()}".rstrip()

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data for JSON; ``where`` are its first places."""
        return {
            **self.first.as_dict(),
            "file": self.first.file if self.n_files == 1 else "",
            "where": ", ".join(self._first_places()),
            "count": self.n_places,
            "at_least": not self.is_exact,
            "files": self.n_files,
        }

    def _first_places(self) -> list[str]:
        """Return the first places, of several files each with the file."""
        places = [problem.where for problem in self.problems]
        if self.n_files > 1:
            places = [f"{problem.file} {problem.where}".strip() for problem in self.problems]
        return list(dict.fromkeys(filter(None, places)))[:_PLACES_SHOWN]


class ProblemSummary(NamedTuple):
    """The problems of a check by their kinds, in the order in which they were found.

    ``total`` is the number of places of all problems, or the least that it can be if the check is not
    ``is_complete``; then some were counted without their kind.
    """

    kinds: list[PlacedProblem]
    total: int
    is_complete: bool

    def total_text(self) -> str:
        """Return how many problems there are: "2 problems", "1 problem, in 2,000 places"."""
        at_least = _at_least(self.is_complete)
        # Where all were only counted, there is at least one.
        n_problems = max(len(self.problems(most=None)), min(self.total, 1))
        text = f"{at_least}{counted(n_problems, 'problem')}"
        return text if n_problems == self.total else f"{text}, in {at_least}{counted(self.total, 'place')}"

    def problems(self, most: int | None = MOST_KINDS) -> list[PlacedProblem]:
        """Return at most ``most`` problems in the order found, each with all of its places."""
        groups: dict[tuple[str, ...], list[PlacedProblem]] = {}
        for kind in self.kinds:
            groups.setdefault(_without_file(kind.first), []).append(kind)
        return [_joined(kinds) for kinds in list(groups.values())[:most]]

    def not_shown(self, most: int | None = MOST_KINDS) -> int:
        """Return at how many places there are other problems than those of `problems`."""
        return self.total - sum(problem.n_places for problem in self.problems(most))

    def not_shown_text(self, most: int | None = MOST_KINDS) -> str:
        """Return what `problems` leaves out: "and others, in 5 more places; fix these first", or ""."""
        n_places = self.not_shown(most)
        if not n_places:
            return ""
        places = counted(n_places, "more place", "more places")
        if not self.is_complete:
            # Of which kind a problem is that was only counted is not known.
            return f"and at least {places}; fix these first"
        return f"and others, in {places}; fix these first"


def _without_file(problem: Problem) -> tuple[str, ...]:
    """Return what problems in several files have in common if they are the same."""
    # Schemas of several files may have rules of the same name, so the remedy has to be the same, too.
    return problem.code, problem.rule, problem.remedy, "" if problem.rule else problem.problem


def _joined(kinds: list[PlacedProblem]) -> PlacedProblem:
    """Return one problem of kinds that differ in their file alone."""
    if len(kinds) == 1:
        return kinds[0]
    return PlacedProblem(
        problems=[kind.first for kind in kinds],
        n_places=sum(kind.n_places for kind in kinds),
        n_files=len(kinds),
        is_exact=all(kind.is_exact for kind in kinds),
    )


def _at_least(is_exact: bool) -> str:
    return "" if is_exact else "at least "


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
        """Record a problem; all texts are made printable here, and ``file`` is shortened."""
        new_problem = Problem(
            code=code,
            problem=printable(problem),
            remedy=printable(remedy),
            file=quote_path(file),
            where=printable(where),
            rule=rule,
        )
        self._last_kind = new_problem.kind
        self._keep(new_problem)

    def repeat(self, problem: Problem, **changes: str) -> None:
        """Record a problem that was found before, with other texts or another place."""
        self.add(**problem._replace(**changes)._asdict())

    def refuse(
        self, code: str, problem: str, remedy: str, *, file: str = "", where: str = "", rule: str = ""
    ) -> NoReturn:
        """Record a problem after which there is nothing more to check: raise `Refused`."""
        self.add(code, problem, remedy, file=file, where=where, rule=rule)
        # What it follows from may quote data.
        raise Refused(self) from None

    def take(self, reading: Read[ContentT]) -> ContentT:
        """Record the notes on files that were read; return their content."""
        self.notes += reading.notes
        return reading.content

    def extend(self, other: Findings) -> None:
        """Record all findings of another collection after these."""
        self.notes += other.notes
        for problem in other.problems:
            self._keep(problem)
        self._count_of_kind += other._count_of_kind - Counter(problem.kind for problem in other.problems)
        self.total += other.total - len(other.problems)
        self._unread_files |= other._unread_files

    def with_files(self, rename: Callable[[str], str]) -> Findings:
        """Return the same findings with other names of files; two files may get the same name."""
        renamed_findings = Findings(notes=list(self.notes))
        renamed_findings.problems = [
            problem._replace(file=quote_path(rename(problem.file))) for problem in self.problems
        ]
        for (code, file, rule), count in self._count_of_kind.items():
            renamed_findings._count_of_kind[code, quote_path(rename(file)), rule] += count
        renamed_findings.total = self.total
        renamed_findings._unread_files = {quote_path(rename(file)) for file in self._unread_files}
        return renamed_findings

    def _keep(self, problem: Problem) -> None:
        self.total += 1
        self._count_of_kind[problem.kind] += 1
        count = self._count_of_kind[problem.kind]
        # The first of each kind is kept in any case: what has none is not shown.
        if count == 1 or (count <= REPORTED_PER_KIND and len(self.problems) < _KEPT):
            self.problems.append(problem)

    def first_of(self, is_wrong: Bools) -> Iterator[int]:
        """Yield the first indexes where ``is_wrong``; for each, the caller adds a problem of one kind.

        The others are only counted, at the end.
        """
        indexes = np.flatnonzero(is_wrong)
        yield from indexes[:REPORTED_PER_KIND].tolist()
        n_more = len(indexes) - REPORTED_PER_KIND
        if n_more > 0:
            self.total += n_more
            self._count_of_kind[self._last_kind] += n_more

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

    def summary(self) -> ProblemSummary:
        """Return the problems as they are shown, by their kinds in the order in which these were found."""
        problems_of_kind: dict[_Kind, list[Problem]] = {}
        for problem in self.problems:
            problems_of_kind.setdefault(problem.kind, []).append(problem)
        kinds = []
        for kind, problems in problems_of_kind.items():
            is_exact = problems[0].file not in self._unread_files
            kinds.append(PlacedProblem(problems, self._count_of_kind[kind], n_files=1, is_exact=is_exact))
        return ProblemSummary(kinds, self.total, self.is_complete)

    def lines(self, most: int | None = MOST_KINDS) -> list[str]:
        """Return the numbered list of the problems that are shown, and how many more there are."""
        summary = self.summary()
        problems = enumerate(summary.problems(most), start=1)
        lines = [f"{number}. {problem.line()}" for number, problem in problems]
        if last_line := summary.not_shown_text(most):
            lines.append(last_line)
        return lines

    def first_line(self) -> str:
        """Return the line of the problem that is shown first; there is at least one."""
        (problem,) = self.summary().problems(1)
        return problem.line()


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
