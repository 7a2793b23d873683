"""What all CSV files have in common: encoding, line ends, and the places of their rows, for problems."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from validator.arrays import Bools, Ints
from validator.findings import Findings
from validator.formats.rules import CsvRules
from validator.texts import counted

MOST_BLANKS = 1000
"""How many blanks may stand before a number, and after it: millions of them take long to match."""
# 18 digits always fit into a signed 64-bit integer.
INTEGER = f"[ \t]{{0,{MOST_BLANKS}}}[0-9]{{1,18}}[ \t]{{0,{MOST_BLANKS}}}"
"""The pattern of an integer in files of items."""
# Other programs treat some of these characters as line ends.
PLAIN = "[^\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]*"
"""The pattern of columns of such files that are not read: they must be plain text as well."""
# Files of Excel are zips.
_EXCEL_START = b"PK\x03\x04"


class CsvReader:
    """Files that are being read: their text, and the places of their rows, for problems.

    Attributes
    ----------
    names : sequence of str
        The names of the files.
    findings : Findings
        Where problems and notes are added.
    rules : CsvRules
        What the files must look like.
    accepted : Counter of str
        In how many files something unusual was accepted, by the words of the note on it.
    columns : list of str
        The names of the columns in the order of the files.
    file_index : int64 array, shape (n_rows,)
        The position in ``names`` of each row's file, ascending.
    """

    def __init__(self, names: Sequence[str], findings: Findings, rules: CsvRules) -> None:
        self.names = names
        self.findings = findings
        self.rules = rules
        self.accepted: Counter[str] = Counter()
        self.columns = [field.name for field in rules.fields]
        self.file_index: Ints = np.zeros(0, np.int64)

    def decode(self, data: bytes, name: str) -> str:
        """Return the text of a file with line ends as newlines, "" after a problem."""
        if _is_utf16(data):
            self.findings.add(
                "E-CSV-ENCODING", "the file is UTF-16", "save it as plain ASCII or UTF-8", file=name
            )
            return ""
        if data.startswith(_EXCEL_START):
            problem = "this is an Excel file (or a zip) that is named like CSV"
            self.findings.add("E-CSV-ENCODING", problem, "save it as CSV", file=name, rule="Excel")
            return ""
        nul = data.find(b"\0")
        if nul >= 0:
            self._refuse_byte(data, nul, "there is a NUL byte", "write plain text", name)
            return ""
        if data.startswith(codecs.BOM_UTF8):
            self.accepted["a byte order mark was skipped"] += 1
            data = data[len(codecs.BOM_UTF8) :]
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"byte {error.start} is not valid UTF-8"
            self._refuse_byte(data, error.start, problem, "save the file as plain ASCII or UTF-8", name)
            return ""
        return self._with_newlines(text)

    def _refuse_byte(self, data: bytes, index: int, problem: str, remedy: str, name: str) -> None:
        """Add what is wrong with the byte of a file at ``index``."""
        line = data.count(b"\n", 0, index) + 1
        self.findings.add("E-CSV-ENCODING", problem, remedy, file=name, where=f"line {line} column 1")

    def _with_newlines(self, text: str) -> str:
        """Return text with other line ends as newlines."""
        if "\r" not in text:
            return text
        kind = "Windows line ends" if "\r\n" in text else "line ends of old Macs (CR)"
        self.accepted[f"{kind} were accepted"] += 1
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def note_accepted(self) -> None:
        """Note what was accepted, and in how many files."""
        for note, count in self.accepted.items():
            self.findings.note("N-CSV-READ", f"{note} in {counted(count, 'file')}")

    def line(self, row: int) -> int:
        """Return the line of a row in its file, from 1."""
        return row + 1 - int(np.searchsorted(self.file_index, self.file_index[row]))

    def place(self, row: int, name: str) -> str:
        """Return line and column of a field."""
        column = self.columns.index(name) + 1
        return f"line {self.line(row)} column {column}"

    def refuse(
        self, code: str, rule: tuple[str, str], is_wrong: Bools, problem: Callable[[int], str], remedy: str
    ) -> None:
        """Add what is wrong in rows, of each file in the first ones; the others are counted.

        ``rule`` is a field and its constraint; problems begin with the name of the field.
        """
        if not is_wrong.any():
            return
        field, _ = rule
        for file in np.unique(self.file_index[is_wrong]).tolist():
            begin = int(np.searchsorted(self.file_index, file))
            end = int(np.searchsorted(self.file_index, file + 1))
            for index in self.findings.first_of(is_wrong[begin:end]):
                row = begin + index
                self.findings.add(
                    code,
                    f"{field} {problem(row)}",
                    remedy,
                    file=self.names[file],
                    where=self.place(row, field),
                    rule=" ".join(rule),
                )


def _is_utf16(data: bytes) -> bool:
    """Return whether a file begins with a byte order mark of UTF-16, or with two ASCII characters in it."""
    has_mark = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return has_mark or (data[1:2] == b"\0" and data[3:4] == b"\0")
