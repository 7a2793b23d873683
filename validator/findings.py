"""What a check found: problems that make a submission invalid, and notes that do not.

Problems are values. They are collected while checking goes on and rendered once, as text, JSON or HTML.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from validator.arrays import Bools

SHOWN_PROBLEMS = 20
REPORTED_PER_KIND_AND_FILE = 200
_KEPT = 5000
_PLACES_TOLD = 3
_LONGEST_QUOTE = 80
# Numbers with the start of the next word, the same in singular and plural ("1 field", "2 fields"), and
# quotations.
_VARYING = re.compile(r"[-+]?[0-9][0-9.,e+-]*(?P<stem> [a-z]{3})?[a-z]*|'.*'")
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


def printable(text: str) -> str:
    """Return ``text`` on one line, with escapes for what is not printable."""
    return _UNPRINTABLE.sub(lambda character: character[0].encode("unicode_escape").decode("ascii"), text)


def counted(number: int, thing: str, plural: str = "") -> str:
    """Return a number with the thing that is counted: "1 video", "2,000 videos"."""
    return f"{number:,} {thing if number == 1 else plural or thing + 's'}"


@dataclass(frozen=True)
class Problem:
    """One reason why a file cannot be accepted, with its place and the way to fix it.

    ``where`` is a JSON Pointer for JSON files and "line L column C" for CSV files; it may be empty.
    """

    code: str
    problem: str
    hint: str
    file: str = ""
    where: str = ""

    def line(self) -> str:
        """Return the problem as one line of text."""
        head = " ".join(part for part in (self.code, self.file, self.where) if part)
        return f"{head}: {self.problem}; {self.hint}."


def _kind(problem: Problem) -> Problem:
    """Return what problems of one kind have in common: all but places, numbers and what is quoted."""
    text, hint = (_VARYING.sub(r"#\g<stem>", part) for part in (problem.problem, problem.hint))
    return Problem(problem.code, text, hint, problem.file)


@dataclass(frozen=True)
class Note:
    """Something accepted that the reader should know about."""

    code: str
    text: str

    def line(self) -> str:
        """Return the note as one line of text."""
        return f"{self.code}: {self.text}"


@dataclass
class Findings:
    """A collector of problems and notes.

    Of one kind of problem in one file only some are kept; the rest are counted, so that a file with a
    million bad lines costs no memory. ``total`` is the number of problems, kept or only counted. Problems are
    of one kind if they differ in numbers, quotations and places only.
    """

    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    total: int = 0
    _of_kind: Counter[Problem] = field(default_factory=Counter)
    _unread: set[str] = field(default_factory=set)
    _last: Problem | None = None

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.total

    def add(self, code: str, problem: str, hint: str, *, file: str = "", where: str = "") -> None:
        """Record a problem; all texts are made printable here, and ``file`` is cut."""
        added = Problem(code, printable(problem), printable(hint), quote(file), printable(where))
        self._last = kind = _kind(added)
        self.total += 1
        self._of_kind[kind] += 1
        if self._of_kind[kind] <= REPORTED_PER_KIND_AND_FILE and len(self.problems) < _KEPT:
            self.problems.append(added)

    def first_of(self, wrong: Bools) -> Iterator[int]:
        """Yield the first indexes where ``wrong`` is true, for each of which the caller adds a problem of one
        kind.

        The others are only counted, at the end.
        """
        indexes = np.flatnonzero(wrong)
        yield from indexes[:REPORTED_PER_KIND_AND_FILE].tolist()
        self.count_more(max(len(indexes) - REPORTED_PER_KIND_AND_FILE, 0))

    def count_more(self, count: int) -> None:
        """Count ``count`` more problems that are of the very kind that was recorded last."""
        self.total += count
        if self._last:
            self._of_kind[self._last] += count

    def count_unread(self, count: int, file: str) -> None:
        """Count ``count`` or more problems of unknown kinds in ``file``; all counts of it become "at
        least" then."""
        self.total += count
        self._unread.add(quote(file))

    @property
    def complete(self) -> bool:
        """Whether all problems were counted, each in its kind."""
        return not self._unread

    def told_total(self) -> str:
        """Return how many problems there are: "1 problem", "at least 2,000 problems"."""
        return f"{'' if self.complete else 'at least '}{counted(self.total, 'problem')}"

    def told_unshown(self, shown: int | None = SHOWN_PROBLEMS) -> str:
        """Return how many problems there are besides those of `chosen`: "and 5 more of other kinds; ..."
        or ""."""
        more = self.unshown(shown)
        if not more:
            return ""
        # Of which kind a problem is that was only counted is not known.
        told = (
            f"{more:,} more of other kinds"
            if self.complete
            else f"at least {more:,} more of these or other kinds"
        )
        return f"and {told}; fix these first"

    def note(self, code: str, text: str) -> None:
        """Record a note."""
        self.notes.append(Note(code, printable(text)))

    def chosen(self, shown: int | None = SHOWN_PROBLEMS) -> list[Problem]:
        """Return at most ``shown`` kinds of problems in the order found.

        Each is its first problem, which names the first places and says how many there are.
        """
        return [self._summary(kind, problems) for kind, problems in list(self._kinds().items())[:shown]]

    def unshown(self, shown: int | None = SHOWN_PROBLEMS) -> int:
        """Return how many problems are of other kinds than those of `chosen`."""
        return self.total - sum(self._of_kind[kind] for kind in list(self._kinds())[:shown])

    def lines(self, shown: int | None = SHOWN_PROBLEMS) -> list[str]:
        """Return the numbered list of the `chosen` problems, then how many more there are."""
        lines = [f"{number}. {problem.line()}" for number, problem in enumerate(self.chosen(shown), start=1)]
        return [*lines, *filter(None, [self.told_unshown(shown)])]

    def _kinds(self) -> dict[Problem, list[Problem]]:
        kinds: dict[Problem, list[Problem]] = {}
        for problem in self.problems:
            kinds.setdefault(_kind(problem), []).append(problem)
        return kinds

    def _summary(self, kind: Problem, problems: list[Problem]) -> Problem:
        count = self._of_kind[kind]
        if count == 1:
            return problems[0]
        places = dict.fromkeys(problem.where for problem in problems[:_PLACES_TOLD] if problem.where)
        least = "at least " if kind.file in self._unread else ""
        text = f"{problems[0].problem} ({least}{counted(count, 'such problem')})"
        return replace(problems[0], problem=text, where=", ".join(places))

    def as_dict(self) -> dict[str, object]:
        """Return everything found as plain data for JSON."""
        return {
            "valid": self.ok,
            "problems": [asdict(problem) for problem in self.problems],
            "more": self.total - len(self.problems),
            "kinds": [
                {
                    "code": kind.code,
                    "file": kind.file,
                    "count": self._of_kind[kind],
                    "at_least": kind.file in self._unread,
                    "first": problems[0].where,
                }
                for kind, problems in self._kinds().items()
            ],
            "notes": [asdict(note) for note in self.notes],
        }
