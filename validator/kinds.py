"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from validator.findings import Findings

HEAD_BYTES = 512
"""How many bytes of a file `kind_of` looks at."""
# Where in a zip the name of its first member begins.
_MEMBER_NAME = 30


class FileKind(NamedTuple):
    """A kind of file: what a message calls it, and what makes the wanted file of it.

    ``remedy`` may hold {} for what is wanted, as "JSON". ``is_archive`` says whether something else is packed
    in it.
    """

    name: str
    remedy: str
    is_archive: bool = False

    def how(self, expected_kind: str) -> str:
        """Return what makes a file of the expected kind of it."""
        return self.remedy.format(expected_kind)

    def how_to_zip(self) -> str:
        """Return what makes the zip of a submission of it."""
        if self.is_archive:
            return "unpack it, and pack its files as .zip"
        return f"{self.how('the page of the task says')}, and zip it"


_EXPORT = "export it as {}"
_WRITE = "write its content as {}"
_COPY = "copy the file itself"
_UNPACK = "unpack it"
_ENCODE = "save it as UTF-8"
# By their first bytes.
_KINDS = {
    b"version https://git-lfs": FileKind("a pointer of git-lfs", "get the file itself with git lfs pull"),
    b"\x1f\x8b": FileKind("a gzip file", _UNPACK, is_archive=True),
    b"\xfd7zXZ": FileKind("an xz file", _UNPACK, is_archive=True),
    b"BZh": FileKind("a bzip2 file", _UNPACK, is_archive=True),
    b"7z\xbc\xaf": FileKind("a 7-Zip file", _UNPACK, is_archive=True),
    b"Rar!": FileKind("a RAR file", _UNPACK, is_archive=True),
    b"\x28\xb5\x2f\xfd": FileKind("a Zstandard file", _UNPACK, is_archive=True),
    b"\x93NUMPY": FileKind("a file of numpy (.npy)", _WRITE),
    b"\xd0\xcf\x11\xe0": FileKind("an old Excel file (.xls)", _EXPORT),
    b"\x89HDF": FileKind("an HDF5 file", _WRITE),
    b"MATLAB ": FileKind("a MATLAB file (.mat)", _WRITE),
    b"PAR1": FileKind("a Parquet file", _WRITE),
    b"ARROW1": FileKind("a Feather file", _WRITE),
    b"L\0\0\0\x01\x14\x02\0": FileKind("a shortcut of Windows", _COPY),
    b"bplist00": FileKind("a property list of macOS, as iCloud leaves for a file", _COPY),
    b"%PDF": FileKind("a PDF", _WRITE),
    b"\x89PNG": FileKind("a PNG image", _WRITE),
    b"{\\rtf": FileKind("rich text (RTF)", "save it as plain text"),
    b"<?xml": FileKind("an XML file", _WRITE),
    b"```": FileKind("text in a fence (```)", "delete the lines with ``` before and after it"),
}
_ZIP = FileKind("a zip file", _UNPACK, is_archive=True)
_TAR = FileKind("a tar file", _UNPACK, is_archive=True)
PICKLE = FileKind("a pickle of Python", _WRITE)
PYTORCH = FileKind("a file of PyTorch", _WRITE)
_HTML = FileKind("a web page (HTML)", "download the file itself, perhaps after logging in")
_UTF16 = FileKind("UTF-16 text", _ENCODE)
_UTF32 = FileKind("UTF-32 text", _ENCODE)
# Zips of programs, by patterns of the name of their first member.
_FIRST_MEMBERS = {
    rb"\[Content_Types\]\.xml|_rels/|xl/|docProps/": FileKind("an Excel file (.xlsx)", _EXPORT),
    rb"mimetype": FileKind("a file of an office program", _EXPORT),
    rb"(?s:.*)\.npy\Z": FileKind("an archive of numpy (.npz)", _WRITE),
    rb"(?s:.*)/data\.pkl\Z": PYTORCH,
}


def kind_of(head: bytes) -> FileKind | None:
    """Return what a file is that begins with ``head``, None for text, JSON, CSV, and what is not known.

    Examples
    --------
    >>> kind_of(b"version https://git-lfs.github.com/spec/v1\\n").name, kind_of(b"{}")
    ('a pointer of git-lfs', None)
    """
    encoding = _wide_encoding(head)
    if encoding is not None:
        return encoding
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    for magic, kind in _KINDS.items():
        if text.startswith(magic):
            return kind
    if head.startswith(b"PK\x03\x04"):
        return _kind_of_zip(head)
    if head[257:262] == b"ustar":
        return _TAR
    if head[:1] == b"\x80" and head[1:2] in b"\2\3\4\5":
        return PICKLE
    if text[:15].lower().startswith((b"<!doctype html", b"<html")):
        return _HTML
    return None


def refuse_other_kind(head: bytes, name: str, expected_kind: str, form: str = "") -> None:
    """Raise Refused if a file begins like one of another kind than the expected one, "JSON" or "CSV".

    ``form`` says more of that, after a blank.
    """
    kind = kind_of(head)
    if kind is not None:
        problem = f"this is {kind.name}, not {expected_kind}"
        Findings().refuse(
            "E-FILE-KIND", problem, kind.how(f"{expected_kind}{form}"), file=name, rule=kind.name
        )


def _kind_of_zip(head: bytes) -> FileKind:
    """Return which program writes a zip that begins so."""
    n_name = int.from_bytes(head[26:28], "little")
    name = head[_MEMBER_NAME : _MEMBER_NAME + n_name]
    kinds = (kind for pattern, kind in _FIRST_MEMBERS.items() if re.match(pattern, name))
    return next(kinds, _ZIP)


def _wide_encoding(head: bytes) -> FileKind | None:
    """Return UTF-16 or UTF-32 if a text begins with its mark, or with ASCII characters in it."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return _UTF32
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _UTF16
    start = head[:8]
    if len(start) < 4:
        return None
    # Which bytes are 0, of big and little endian: ASCII characters have one byte that is not.
    zeros = [not byte for byte in start]
    for width, kind in ((4, _UTF32), (2, _UTF16)):
        for place in (0, width - 1):
            if zeros == [index % width != place for index in range(len(start))]:
                return kind
    return None
