"""The text of a CSV file, and the characters that people write in place of commas."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from validator.findings import Findings
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.texts import counted, printed_value, quote

Line = tuple[str, int, str]
"""The name of a file, the number of a line from 1, and the line."""
BLANKS = " \t"
"""The characters that are taken off fields."""
# 18 digits always fit into a signed 64-bit integer.
_INTEGER = f"[{BLANKS}]*[0-9]{{1,18}}[{BLANKS}]*"
# Other programs treat some of these characters as line ends.
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
SEPARATORS = {
    ";": "semicolon",
    "|": "vertical bar",
    "\t": "tab",
    "\xa0": "no-break space",
    "\u060c": "Arabic comma",
    "\u061b": "Arabic semicolon",
    "\u3000": "ideographic space",
    "\u3001": "ideographic comma",
    "\ufe50": "small comma",
    "\ufe51": "small ideographic comma",
    "\ufe54": "small semicolon",
    "\uff0c": "full-width comma",
    "\uff1b": "full-width semicolon",
    "\uff5c": "full-width vertical bar",
    "\uff64": "half-width ideographic comma",
}
"""The characters that people write between fields in place of commas, and their names."""


def decode_csv(data: bytes, name: str) -> tuple[str, list[str]]:
    """Return the text of a file with newlines as line ends, and what was accepted. Raises Refused."""
    refuse_other_kind(data[:HEAD_BYTES], name, "CSV")
    remarks = []
    n_mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    if n_mark:
        remarks.append("a byte order mark was skipped")
    try:
        text = data[n_mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        byte = n_mark + error.start
        line = data.count(b"\n", 0, byte) + 1
        problem = f"byte {byte} is not valid UTF-8"
        _refuse(problem, "save the file as plain ASCII or UTF-8", name, f"line {line} column 1")
    if "\r" in text:
        kind_of_ends = "Windows line ends" if "\r\n" in text else "line ends of old Macs (CR)"
        if "\r\r\n" in text:
            # Read as an end and an empty line.
            kind_of_ends = "line ends CR CR LF (in Python, open a file for csv.writer with newline='')"
        remarks.append(f"{kind_of_ends} were accepted")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    control = _CONTROL.search(text)
    if control is not None:
        text_before = text[: control.start()]
        line = text_before.count("\n") + 1
        column = text_before.count(",", text_before.rfind("\n") + 1) + 1
        noun = "a NUL byte" if control[0] == "\0" else f"the control character '{quote(control[0])}'"
        _refuse(f"there is {noun}", "write plain text", name, f"line {line} column {column}")
    return text, remarks


def _refuse(problem: str, remedy: str, name: str, where: str) -> None:
    Findings().refuse("E-CSV-ENCODING", problem, remedy, file=name, where=where)


def note_accepted(remarks: Iterable[str], findings: Findings) -> None:
    """Note what was accepted in the files of a submission, each with the number of files."""
    for text, n_files in Counter(remarks).items():
        findings.note("N-CSV-READ", f"{text} in {counted(n_files, 'file')}")


@cache
def row_pattern(n_fields: int) -> re.Pattern[str]:
    """Return the pattern of a row of whole numbers."""
    return re.compile(",".join([_INTEGER] * n_fields))


def numbered_header(n_fields: int) -> str:
    """Return the header that pandas writes above rows whose columns have no names."""
    return ",".join(map(str, range(n_fields)))


def printed_words(texts: Iterable[str]) -> str:
    """Return what to add to the message on some texts if a library printed one of them, otherwise "".

    Examples
    --------
    >>> printed_words(["id", "np.float64(3.0)"]), printed_words(["3.0"])
    (' (numpy prints values like this; convert them with .item() first)', '')
    """
    for text in texts:
        printed = printed_value(text.strip(BLANKS))
        if printed:
            return f" ({printed.library} prints values like this; convert them with .item() first)"
    return ""


def other_separator(header: Sequence[str], wanted_columns: Sequence[str]) -> str:
    """Return what separates the fields of a header in place of commas, "" if nothing does."""
    if len(header) == 1:
        for separator, separator_name in SEPARATORS.items():
            names = {name.strip() for name in header[0].split(separator)}
            if names.issuperset(wanted_columns):
                return f"{separator_name}s"
        if set(header[0].split()).issuperset(wanted_columns):
            return "blanks"
    return ""
