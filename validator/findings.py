"""Findings of a check: problems that make a submission or a reference invalid, and notes that do not.

Findings are values. A reader collects its own and raises `Refused` with them at its border, or returns what
it read with its notes (`Read`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase
from typing import Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from validator import message_codes
from validator.arrays import Bools

SHOWN_PROBLEMS = 20
REPORTED_PER_KIND = 200
_KEPT = 5000
_PLACES_SHOWN = 3
_WORDS_SHOWN = 5
# The same problem in more files than these is one line.
_FILES_APART = 3
_LONGEST_QUOTE = 80
# A fixed list, because str.isprintable differs between versions of Python for new characters.
_UNPRINTABLE = re.compile(
    "[\0-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\ud800-\uf8ff\ufeff\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)


def is_printable(text: str) -> bool:
    """Return whether a text holds no control characters, odd blanks, private or unpaired code points."""
    return not _UNPRINTABLE.search(text)


def quote(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return ``text`` fit for one line of a log: printable characters only, not longer than ``longest``."""
    return printable(text if len(text) <= longest else text[: longest - 1] + "…")


_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def folded(text: str) -> str:
    """Return text with the letters A to Z in lower case. Other letters depend on the version of Unicode."""
    return text.translate(_ASCII_LOWER)


def printable(text: str) -> str:
    """Return ``text`` on one line, with escapes for what is not printable."""
    return _UNPRINTABLE.sub(lambda character: character[0].encode("unicode_escape").decode("ascii"), text)


def some_words(words: Sequence[str], given: str = "", shown: int = _WORDS_SHOWN) -> str:
    """Return the first of several words, one that is like ``given`` up to case and outer blanks before all.

    Examples
    --------
    >>> some_words(["robin", "wren", "owl"], "Owl")
    'owl, robin, wren'
    """
    order = sorted(words, key=lambda word: folded(word.strip()) != folded(given.strip()))
    return ", ".join(order[:shown]) + ", …" * (len(words) > shown)


def counted(number: int, thing: str, plural: str = "") -> str:
    """Return a number with the thing that is counted: "1 video", "2,000 videos"."""
    return f"{number:,} {thing if number == 1 else plural or thing + 's'}"


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
    def kind(self) -> tuple[str, str, str]:
        """The code, file, and rule."""
        return self.code, self.file, self.rule

    def line(self) -> str:
        """Return the problem as one line of text."""
        head = " ".join(part for part in (self.code, self.file, self.where) if part)
        return f"{head}: {self.problem}; {self.remedy}."

    def as_dict(self) -> dict[str, str]:
        """Return the problem as plain data for JSON."""
        texts = {"code": self.code, "problem": self.problem, "hint": self.remedy}
        return {**texts, "file": self.file, "where": self.where}


class _NoteFields(NamedTuple):
    code: str
    text: str
    explains: tuple[str, ...] = ()


class Note(_NoteFields):
    """Something accepted that the reader should know about.

    ``explains`` are the codes of notes that say no more where this one is: they have the same cause. Raises
    ValueError for a code that no table explains.
    """

    __slots__ = ()

    def __new__(cls, code: str, text: str, explains: tuple[str, ...] = ()) -> Note:
        """Check the code."""
        message_codes.require_known(code)
        return super().__new__(cls, code, text, explains)

    def as_dict(self) -> dict[str, str]:
        """Return the note as plain data for JSON."""
        return {"code": self.code, "text": self.text}

    def line(self) -> str:
        """Return the note as one line of text."""
        return f"{self.code}: {self.text}"


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
    _of_kind: Counter[_Kind] = field(default_factory=Counter)
    _unread: set[str] = field(default_factory=set)
    _last: _Kind = ("", "", "")

    @classmethod
    @contextmanager
    def collect(cls) -> Iterator[Findings]:
        """Collect the findings of a block of code, those of a `Refused` too; raise `Refused` at its end for
        any problem.

        Within the block, ``with findings.part():`` lets the rest go on after a part that was refused.
        """
        findings = cls()
        try:
            with findings.part():
                yield findings
        except BaseException as error:
            # A run that is stopped can report what was found until then.
            findings.extend(found_until(error))
            error.__dict__["found"] = findings
            raise
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
        message_codes.require_known(code)
        added = Problem(code, printable(problem), printable(remedy), quote(file), printable(where), rule)
        self._last = added.kind
        self._count(added.kind, 1)
        self._keep(added)

    def repeat(self, problem: Problem, **changes: str) -> None:
        """Record a problem that was found before, with other texts or another place."""
        own = problem._replace(**changes)
        self.add(own.code, own.problem, own.remedy, file=own.file, where=own.where, rule=own.rule)

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
        for kind, count in other._of_kind.items():
            self._count(kind, count - kept[kind])
        self.total += other.total - sum(other._of_kind.values())
        self._unread |= other._unread

    def _count(self, kind: _Kind, count: int) -> None:
        self.total += count
        self._of_kind[kind] += count

    def _keep(self, problem: Problem) -> None:
        if self._of_kind[problem.kind] <= REPORTED_PER_KIND and len(self.problems) < _KEPT:
            self.problems.append(problem)

    def first_of(self, wrong: Bools) -> Iterator[int]:
        """Yield the first indexes where ``wrong`` is true, for each of which the caller adds a problem of one
        kind.

        The others are only counted, at the end.
        """
        indexes = np.flatnonzero(wrong)
        yield from indexes[:REPORTED_PER_KIND].tolist()
        if len(indexes) > REPORTED_PER_KIND:
            self._count(self._last, len(indexes) - REPORTED_PER_KIND)

    def count_unread(self, count: int, file: str) -> None:
        """Count ``count`` or more problems of unknown kinds in ``file``, whose counts are "at least" then."""
        self.total += count
        self._unread.add(quote(file))

    @property
    def is_complete(self) -> bool:
        """Whether all problems were counted, each in its kind."""
        return not self._unread

    def note(self, code: str, text: str) -> None:
        """Record a note."""
        self.notes.append(Note(code, printable(text)))

    def total_text(self) -> str:
        """Return how many problems there are: "1 problem", "at least 2,000 problems"."""
        return f"{'' if self.is_complete else 'at least '}{counted(self.total, 'problem')}"

    def summary(self, shown: int | None = SHOWN_PROBLEMS) -> list[Problem]:
        """Return at most ``shown`` kinds of problems in the order found; the same in many files is one.

        Each is its first problem, which names the first places or files and says how many there are.
        """
        return [self._summarized(kinds) for kinds in self._groups()[:shown]]

    def not_shown(self, shown: int | None = SHOWN_PROBLEMS) -> int:
        """Return how many problems are of other kinds than those of `summary`."""
        return self.total - sum(self._of_kind[kind] for kinds in self._groups()[:shown] for kind in kinds)

    def not_shown_text(self, shown: int | None = SHOWN_PROBLEMS) -> str:
        """Return how many problems `summary` leaves out: "and 5 more of other kinds; ..." or ""."""
        more = self.not_shown(shown)
        if not more:
            return ""
        # Of which kind a problem is that was only counted is not known.
        kinds = "other kinds" if self.is_complete else "these or other kinds"
        least = "" if self.is_complete else "at least "
        return f"and {least}{more:,} more of {kinds}; fix these first"

    def lines(self, shown: int | None = SHOWN_PROBLEMS) -> list[str]:
        """Return the numbered list of the `summary`, then how many more problems there are."""
        lines = [f"{number}. {problem.line()}" for number, problem in enumerate(self.summary(shown), start=1)]
        return [*lines, *filter(None, [self.not_shown_text(shown)])]

    def _kinds(self) -> dict[_Kind, list[Problem]]:
        kinds: dict[_Kind, list[Problem]] = {}
        for problem in self.problems:
            kinds.setdefault(problem.kind, []).append(problem)
        return kinds

    def _groups(self) -> list[dict[_Kind, list[Problem]]]:
        """Return the kinds, those together that differ in the file alone and are many."""
        kinds = self._kinds()
        # Schemas of several files may have rules of the same name.
        first = {kind: problems[0] for kind, problems in kinds.items()}
        alike = {
            kind: (kind[0], kind[2], p.remedy, "" if kind[2] else p.problem) for kind, p in first.items()
        }
        n_files = Counter(alike.values())
        groups: dict[tuple[str, ...], dict[_Kind, list[Problem]]] = {}
        for kind, problems in kinds.items():
            group = alike[kind] if n_files[alike[kind]] > _FILES_APART else kind
            groups.setdefault(group, {})[kind] = problems
        return list(groups.values())

    def _summarized(self, kinds: dict[_Kind, list[Problem]]) -> Problem:
        problems = next(iter(kinds.values()))
        first, where = problems[0], problems[0].where
        count = sum(self._of_kind[kind] for kind in kinds)
        if count == 1:
            return first
        files = [file for _, file, _ in kinds]
        such = f"{'' if self._unread.isdisjoint(files) else 'at least '}{counted(count, 'such problem')}"
        if len(files) > 1:
            more = f" and {len(files) - _PLACES_SHOWN:,} more" if len(files) > _PLACES_SHOWN else ""
            such += f" in {counted(len(files), 'file')}: {', '.join(files[:_PLACES_SHOWN])}{more}"
        else:
            where = ", ".join(dict.fromkeys(p.where for p in problems[:_PLACES_SHOWN] if p.where))
        return first._replace(problem=f"{first.problem} ({such})", where=where)

    def as_dict(self) -> dict[str, object]:
        """Return all findings as plain data for JSON."""
        return {
            "valid": self.ok,
            "problems": [problem.as_dict() for problem in self.problems],
            "more": self.total - len(self.problems),
            "kinds": [
                {
                    "code": problems[0].code,
                    "file": problems[0].file,
                    "count": self._of_kind[kind],
                    "at_least": problems[0].file in self._unread,
                    "first": problems[0].where,
                }
                for kind, problems in self._kinds().items()
            ],
            "notes": [note.as_dict() for note in self.notes],
        }


def found_until(error: BaseException) -> Findings:
    """Return what was found until an exception ended a block of `Findings.collect`."""
    found: Findings = error.__dict__.get("found") or Findings()
    return found
