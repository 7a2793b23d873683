"""Opening a zip file safely: its directory is checked before a byte is inflated."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from contextlib import ExitStack
from functools import partial
from typing import IO, NoReturn

from validator.findings import Findings
from validator.members import (
    Limits,
    Member,
    add_irregular,
    add_too_many,
    add_unreadable,
    check_members,
    read_errors,
)

# The central directory holds at least 46 bytes an entry; names and extra fields add to it.
_DIRECTORY_BYTES_PER_FILE = 1024
_ENTRY, _ENTRY_BYTES, _HEADER_BYTES = b"PK\x01\x02", 46, 30
_IS_UTF8, _UNICODE_PATH = 0x800, 0x7075
# The end of a zip64's directory, and after it the locator of this end.
_END_64, _END_64_BYTES, _LOCATOR_64, _LOCATOR_64_BYTES = b"PK\x06\x06", 56, b"PK\x06\x07", 20
_OTHER_ARCHIVES = {
    b"\x1f\x8b": "a gzip", b"7z\xbc\xaf": "a 7-Zip", b"Rar!": "a RAR", b"BZh": "a bzip2",
    b"\xfd7zXZ": "an xz",
}  # fmt: skip
# The end of a directory and the longest comment after it.
_LONGEST_END = 65_557
_UNREADABLE: tuple[type[Exception], ...] = (*read_errors(), struct.error)


def open_members(
    stream: IO[bytes], name: str, limits: Limits, findings: Findings, opened: ExitStack, remake: str
) -> dict[str, Member]:
    """Return the files of a zip to read, none if there are too many; ``remake`` says to make a zip again that
    should be made otherwise. The other parameters are those of `open_zip`, as is what is raised."""
    archive = open_zip(stream, name, limits, findings, opened)
    return _members_of(archive, name, limits, findings, remake) if archive else {}


def open_zip(
    stream: IO[bytes], name: str, limits: Limits, findings: Findings, opened: ExitStack
) -> zipfile.ZipFile | None:
    """Open a zip whose directory every version of Python reads alike; None if it has too many entries.

    ``name`` is what findings call the zip. Raises Refused if it cannot be read.
    """
    try:
        head = stream.read(512)
        size = stream.seek(0, io.SEEK_END)
        tail = _bytes_at(stream, max(0, size - _LONGEST_END), _LONGEST_END)
    except OSError as error:
        add_unreadable(error, name, findings)
        return None
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        findings.refuse(*_why_no_zip(head), file=name)
    guarded = _GuardedFile(stream, limits.files)
    try:
        _check_end(stream, size - len(tail) + end)
        archive = opened.enter_context(zipfile.ZipFile(guarded))  # type: ignore[call-overload]
    except _TooManyEntriesError:
        add_too_many(findings, name, limits)
        return None
    except _UNREADABLE:
        _refuse_damaged(name, findings)
    # Newer releases of Python refuse a directory that puts files before the beginning of the zip.
    if any(info.header_offset < 0 for info in archive.infolist()):
        _refuse_damaged(name, findings)
    guarded.is_trusted = True
    if _overlap(archive):
        hint = "create it again with an ordinary zip program"
        findings.add("E-ZIP-BOMB", "its files overlap inside the archive", hint, file=name)
    return archive


class _GuardedFile:
    """A zip file whose directory is no larger in memory than its limits allow, whatever it says of itself."""

    def __init__(self, stream: IO[bytes], most_entries: int) -> None:
        self._stream = stream
        self._most_entries = most_entries
        self.is_trusted = False
        self.seek = stream.seek
        self.tell = stream.tell
        self.seekable = stream.seekable

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. Raises `_TooManyEntriesError` while the directory is read."""
        if self.is_trusted:
            return self._stream.read(size)
        if size > self._most_entries * _DIRECTORY_BYTES_PER_FILE:
            raise _TooManyEntriesError
        data = self._stream.read(size)
        if data.count(_ENTRY) > self._most_entries:
            raise _TooManyEntriesError
        if data.startswith(_ENTRY):
            _check_directory(data)
        return data


def _check_directory(data: bytes) -> None:
    """Raise BadZipFile for a Unicode path (extra field 0x7075) that versions of zipfile do not agree on."""
    begin = 0
    while data[begin : begin + 4] == _ENTRY and len(data) >= begin + _ENTRY_BYTES:
        (flags,) = struct.unpack_from("<H", data, begin + 8)
        n_name, n_extra, n_comment = struct.unpack_from("<3H", data, begin + 28)
        begin += _ENTRY_BYTES
        name, extra = data[begin : begin + n_name], data[begin + n_name : begin + n_name + n_extra]
        text = name.decode("utf-8" if flags & _IS_UTF8 else "cp437", "replace")
        while len(extra) >= 4:
            kind, size = struct.unpack_from("<HH", extra)
            # A version, a checksum, and the name.
            path = extra[9 : 4 + size].decode("utf-8", "replace")
            if kind == _UNICODE_PATH and (not path or path != text):
                raise zipfile.BadZipFile("Unicode path")
            extra = extra[4 + size :]
        begin += n_name + n_extra + n_comment


def _check_end(stream: IO[bytes], end: int) -> None:
    """Raise BadZipFile for a zip64 end, before ``end``, that versions of zipfile do not agree on."""
    locator = end - _LOCATOR_64_BYTES
    if locator < 0 or _bytes_at(stream, locator, 4) != _LOCATOR_64:
        return
    (place,) = struct.unpack("<Q", _bytes_at(stream, locator + 8, 8))
    record_start = locator - _END_64_BYTES
    record = _bytes_at(stream, max(record_start, 0), _END_64_BYTES)
    (n_left,) = struct.unpack_from("<Q", record, 4)
    is_whole = record_start >= place and record.startswith(_END_64) and n_left == _END_64_BYTES - 12
    # With data before the zip, its own places are smaller.
    is_other = is_whole and place != record_start and _bytes_at(stream, place, 4) == _END_64
    if is_whole and not is_other:
        directory_size, directory_start = struct.unpack_from("<QQ", record, 40)
        if directory_start + directory_size == place:
            return
    raise zipfile.BadZipFile("zip64 end")


def _bytes_at(stream: IO[bytes], place: int, size: int) -> bytes:
    stream.seek(place)
    return stream.read(size)


class _TooManyEntriesError(Exception):
    """The archive's directory has more entries than a submission may have files."""


def _refuse_damaged(name: str, findings: Findings) -> NoReturn:
    hint = "create the zip again and check its size after uploading"
    findings.refuse("E-ZIP-DAMAGED", "the zip file is damaged", hint, file=name)


def _why_no_zip(head: bytes) -> tuple[str, str, str]:
    """Return code, problem and hint for a file that begins with ``head`` and has no end of a zip."""
    if not head:
        return "E-ZIP-EMPTY", "the file is empty (0 bytes)", "zip your files and upload the zip"
    names = [name for magic, name in _OTHER_ARCHIVES.items() if head.startswith(magic)]
    if head[257:262] == b"ustar":
        names = ["a tar"]
    if names:
        return "E-ZIP-NOT", f"this is {names[0]} file, not a zip file", "pack the files as .zip"
    if head.startswith(b"PK\x03\x04"):
        problem = "this zip file is truncated: its end is missing"
        return "E-ZIP-NOT", problem, "create it again and upload it again"
    return "E-ZIP-NOT", "this is not a zip file", "put your files into a .zip and submit that"


def _members_of(
    archive: zipfile.ZipFile, zip_name: str, limits: Limits, findings: Findings, remake: str
) -> dict[str, Member]:
    members: dict[str, Member] = {}
    folders: dict[str, None] = {}
    for info in archive.infolist():
        # ZipInfo.filename has lost everything after a NUL byte and, on Windows, its backslashes.
        name = info.orig_filename
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            add_irregular(mode, name, findings, f"{remake} with the file itself", f"{remake} without it")
        elif info.flag_bits & 0x1:
            findings.add("E-ZIP-ENCRYPTED", "this file is encrypted", "zip it without a password", file=name)
        elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            problem = "this file is packed with a rare compression method"
            remedy = f"{remake} with the ordinary method, deflate"
            findings.add("E-ZIP-METHOD", problem, remedy, file=name)
        elif name in members:
            problem = "two files in the zip have this name"
            findings.add("E-ZIP-TWICE", problem, f"{remake} with one of them", file=name)
        elif name.endswith("/"):
            folders[name[:-1]] = None
        else:
            members[name] = Member(info.file_size, partial(archive.open, info))
    return check_members(members, limits, findings, zip_name, folders, remake)


def _overlap(archive: zipfile.ZipFile) -> bool:
    """Return whether any member reaches into the next one or into the directory, from offsets and headers."""
    end, stream = archive.start_dir, archive.fp
    assert stream is not None  # noqa: S101 - it is open
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset, reverse=True):
        stream.seek(info.header_offset)
        header = stream.read(_HEADER_BYTES)
        lengths = struct.unpack_from("<HH", header, 26) if len(header) == _HEADER_BYTES else (0, 0)
        if info.header_offset + _HEADER_BYTES + sum(lengths) + info.compress_size > end:
            return True
        end = info.header_offset
    return False


def in_any_order(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream to read in any order: one from a zip is inflated anew for each step back."""
    if not isinstance(stream, zipfile.ZipExtFile):
        return stream
    with stream:
        return io.BytesIO(stream.read())
