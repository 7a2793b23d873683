"""Single messages: a problem that makes a file unacceptable, and a note on something that was accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from validator import console

MOST_KINDS = 20
"""So many kinds of problems are shown of a check."""


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
        """Return the problem as one line of text: what is wrong, how to fix it, and then the place."""
        place = f" At {self.where}." if self.where else ""
        return f"{self.head()}: {self.cure()}{place}"

    def head(self) -> str:
        """Return the code and the file."""
        return f"{self.code} {self.file}".rstrip()

    def cure(self) -> str:
        """Return what is wrong and how to fix it."""
        period = "" if self.remedy.endswith("?") else "."
        return f"{self.problem}; {self.remedy}{period}"

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
        from validator import message_codes

        message_codes.require_known(code)
        return super().__new__(cls, code, text, explains)

    def as_dict(self) -> dict[str, str]:
        """Return the note as plain data for JSON."""
        return {"code": self.code, "text": self.text}

    @property
    def is_mistake(self) -> bool:
        """Whether it tells of a likely mistake: by its code, or because it says why others were made."""
        from validator import message_codes

        return message_codes.is_likely_mistake(self.code) or bool(self.explains)

    def line(self) -> str:
        """Return the note as one line of text."""
        return f"{self.code}: {self.text}"

    def log_line(self) -> str:
        """Return the note as a line of a log, which says whether it tells of a likely mistake."""
        return f"{'likely mistake' if self.is_mistake else 'note'} {self.line()}"


def note_lines(notes: Sequence[Note]) -> list[str]:
    """Return the lines of a log on notes: first those on likely mistakes, in color on a terminal."""
    lines = []
    for note in mistakes_first(notes):
        lines.append(console.highlighted(note.log_line()) if note.is_mistake else note.log_line())
    return lines


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
