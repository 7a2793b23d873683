"""How the problems of a check are put in words: similar ones in one line, and only the first kinds."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from validator.messages import MOST_KINDS, Problem
from validator.texts import counted

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


class PlacedProblem(NamedTuple):
    """One problem with all its places: of one kind, or of several kinds that differ in their file alone."""

    kinds: list[ProblemKind]

    @property
    def first(self) -> Problem:
        """The problem at its first place, whose words stand for all."""
        return self.kinds[0].first

    @property
    def n_places(self) -> int:
        """How many places it has, or the least that it can have."""
        return sum(kind.number for kind in self.kinds)

    @property
    def is_exact(self) -> bool:
        """Whether all of its places were counted."""
        return all(kind.is_exact for kind in self.kinds)

    def head(self) -> str:
        """Return the code, and the file if it is in one only."""
        return self.first.head() if len(self.kinds) == 1 else self.first.code

    def places_text(self) -> str:
        """Return where it is: "At line 1 column 2.", "In 60 places: /a, /b, /c and 57 more.", or ""."""
        places = self._first_places()
        if self.n_places == 1:
            return f"At {places[0]}." if places else ""
        number = f"In {_at_least(self.is_exact)}{counted(self.n_places, 'place')}"
        if self.is_exact and self.n_places == len(self.kinds):
            number = f"In {counted(len(self.kinds), 'file')}"
        elif len(self.kinds) > 1:
            number += f" in {counted(len(self.kinds), 'file')}"
        n_more = (self.n_places if len(self.kinds) == 1 else len(self.kinds)) - len(places)
        if not places:
            return f"{number}."
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"{number}: {', '.join(places)}{more}."

    def line(self) -> str:
        """Return it as one line of text: what is wrong, how to fix it, and then the places."""
        return f"{self.head()}: {self.first.cure()} {self.places_text()}".rstrip()

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data for JSON; ``where`` are its first places."""
        return {
            **self.first.as_dict(),
            "file": self.first.file if len(self.kinds) == 1 else "",
            "where": ", ".join(self._first_places()),
            "count": self.n_places,
            "at_least": not self.is_exact,
            "files": len(self.kinds),
        }

    def _first_places(self) -> list[str]:
        """Return the first places, of several files each with the file."""
        if len(self.kinds) == 1:
            places = [problem.where for problem in self.kinds[0].problems]
        else:
            places = [f"{kind.first.file} {kind.first.where}".strip() for kind in self.kinds]
        return list(dict.fromkeys(filter(None, places)))[:_PLACES_SHOWN]


class ProblemSummary(NamedTuple):
    """The problems of a check by their kinds, in the order in which they were found.

    ``total`` is the number of places of all problems, or the least that it can be if the check is not
    ``is_complete``; then some were counted without their kind.
    """

    kinds: list[ProblemKind]
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
        n_files = Counter(_without_file(kind) for kind in self.kinds)
        groups: dict[tuple[str, ...], list[ProblemKind]] = {}
        for kind in self.kinds:
            alike = _without_file(kind)
            group = alike if n_files[alike] > _FILES_APART else kind.first.kind
            groups.setdefault(group, []).append(kind)
        return [PlacedProblem(kinds) for kinds in list(groups.values())[:most]]

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

    def lines(self, most: int | None = MOST_KINDS) -> list[str]:
        """Return the numbered list of `problems`, and how many more there are."""
        lines = [f"{number}. {problem.line()}" for number, problem in enumerate(self.problems(most), start=1)]
        if rest := self.not_shown_text(most):
            lines.append(rest)
        return lines


def _without_file(kind: ProblemKind) -> tuple[str, ...]:
    """Return what problems in several files have in common if they are the same."""
    first = kind.first
    # Schemas of several files may have rules of the same name, so the remedy has to be the same, too.
    return first.code, first.rule, first.remedy, "" if first.rule else first.problem


def _at_least(is_exact: bool) -> str:
    return "" if is_exact else "at least "
