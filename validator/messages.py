"""Single messages: a problem that makes a file unacceptable, and a note on something that was accepted."""

from __future__ import annotations

from typing import NamedTuple

from validator import message_codes


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
