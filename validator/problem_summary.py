"""How the problems of a check are put in words: similar ones in one line, and only the first kinds."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from validator.messages import Problem
from validator.texts import counted

MOST_KINDS = 20
_PLACES_SHOWN = 3
# The same problem in more files than these is one line.
_FILES_APART = 3


class ProblemKind(NamedTuple):
    """The problems with the same code, file, and rule.

    Attributes
    ----------
    problems : list of Problem
        The first ones, at least one.
    number : int
        How many there are.
    is_exact : bool
        Whether they were all counted; otherwise there are at least ``number``.
    """

    problems: list[Problem]
    number: int
    is_exact: bool

    @property
    def first(self) -> Problem:
        """The first problem."""
        return self.problems[0]


class ProblemSummary(NamedTuple):
    """The problems of a check by their kinds, in the order in which they were found.

    ``total`` is the number of all problems, or the least that it can be if the check is not ``is_complete``;
    then some problems were counted without their kind.
    """

    kinds: list[ProblemKind]
    total: int
    is_complete: bool

    def total_text(self) -> str:
        """Return how many problems there are: "1 problem", "at least 2,000 problems"."""
        return f"{_at_least(self.is_complete)}{counted(self.total, 'problem')}"

    def problems(self, most: int | None = MOST_KINDS) -> list[Problem]:
        """Return at most ``most`` kinds of problems in the order found; the same in many files is one.

        Each is its first problem, which names the first places or files and says how many there are.
        """
        return [_summarized(kinds) for kinds in self._groups()[:most]]

    def not_shown(self, most: int | None = MOST_KINDS) -> int:
        """Return how many problems are of other kinds than those of `problems`."""
        shown_kinds = [kind for kinds in self._groups()[:most] for kind in kinds]
        return self.total - sum(kind.number for kind in shown_kinds)

    def not_shown_text(self, most: int | None = MOST_KINDS) -> str:
        """Return how many problems `problems` leaves out: "and 5 more of other kinds; ..." or ""."""
        more = self.not_shown(most)
        if not more:
            return ""
        # Of which kind a problem is that was only counted is not known.
        which = "other kinds" if self.is_complete else "these or other kinds"
        return f"and {_at_least(self.is_complete)}{more:,} more of {which}; fix these first"

    def lines(self, most: int | None = MOST_KINDS) -> list[str]:
        """Return the numbered list of `problems`, and how many more there are."""
        lines = [f"{number}. {problem.line()}" for number, problem in enumerate(self.problems(most), start=1)]
        if rest := self.not_shown_text(most):
            lines.append(rest)
        return lines

    def _groups(self) -> list[list[ProblemKind]]:
        """Return the kinds, those together that differ in the file alone and are many."""
        n_files = Counter(_without_file(kind) for kind in self.kinds)
        groups: dict[tuple[str, ...], list[ProblemKind]] = {}
        for kind in self.kinds:
            alike = _without_file(kind)
            group = alike if n_files[alike] > _FILES_APART else kind.first.kind
            groups.setdefault(group, []).append(kind)
        return list(groups.values())


def _without_file(kind: ProblemKind) -> tuple[str, ...]:
    """Return what problems in several files have in common if they are the same."""
    first = kind.first
    # Schemas of several files may have rules of the same name, so the remedy has to be the same, too.
    return first.code, first.rule, first.remedy, "" if first.rule else first.problem


def _summarized(kinds: list[ProblemKind]) -> Problem:
    """Return the first problem of kinds that differ in their file alone, with the number of all."""
    first = kinds[0].first
    count = sum(kind.number for kind in kinds)
    if count == 1:
        return first
    is_exact = all(kind.is_exact for kind in kinds)
    number = f"{_at_least(is_exact)}{counted(count, 'such problem')}"
    if len(kinds) > 1:
        text = f"{number} in {_files_text([kind.first.file for kind in kinds])}"
        return first._replace(problem=f"{first.problem} ({text})")
    places = [problem.where for problem in kinds[0].problems[:_PLACES_SHOWN] if problem.where]
    return first._replace(problem=f"{first.problem} ({number})", where=", ".join(dict.fromkeys(places)))


def _files_text(files: list[str]) -> str:
    """Return the number of files and the first of them: "5 files: a.csv, b.csv, c.csv and 2 more"."""
    more = len(files) - _PLACES_SHOWN
    text = f"{counted(len(files), 'file')}: {', '.join(files[:_PLACES_SHOWN])}"
    return f"{text} and {more:,} more" if more > 0 else text


def _at_least(is_exact: bool) -> str:
    return "" if is_exact else "at least "
