"""Opening a submission safely: a zip file, or a folder that a platform has unpacked.

A submission is hostile input. Names, counts, sizes and compression ratios are checked from the archive's
directory before a byte is inflated, and sizes once more while reading. Nothing is ever written to disk.
"""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Union

from validator.findings import Findings, is_printable, quote

# A member below this size may have any ratio: a thousand equal rows compress well.
_RATIO_COUNTS_FROM_BYTES = 1 << 20
# The central directory holds at least 46 bytes an entry; names and extra fields add to it.
_DIRECTORY_BYTES_PER_FILE = 1024
_JUNK = re.compile(r"(^|/)(__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._[^/]*$)")
_PIECE = 1 << 16
_PLATFORM_FILES = ("metadata", "metadata.yaml")
_READ_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True)
class Limits:
    """What an archive may hold at most. Sizes are in bytes, unpacked; ``ratio`` is unpacked to packed size."""

    files: int
    total_bytes: int
    file_bytes: int
    ratio: int = 200


@dataclass(frozen=True)
class _ZipMember:
    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    @property
    def size(self) -> int:
        return self.info.file_size

    def open(self) -> BinaryIO:
        return self.archive.open(self.info)  # type: ignore[return-value]


@dataclass(frozen=True)
class _FileMember:
    path: Path
    size: int

    def open(self) -> BinaryIO:
        descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        return os.fdopen(descriptor, "rb")


_Member = Union[_ZipMember, _FileMember]


class UnreadableFileError(Exception):
    """A member of the submission could not be read although the archive's directory looked right."""


@contextmanager
def _unreadable() -> Iterator[None]:
    try:
        yield
    except _READ_ERRORS as error:
        raise UnreadableFileError(type(error).__name__) from error


class FileReader:
    """A file that is being read; only its own errors become `UnreadableFileError`, not those of who reads it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most ``size``; none at the end. Raises UnreadableFileError."""
        parts = []
        with _unreadable():
            # zipfile copies what it has not yet inflated again and again if it is asked for much at once.
            while size and (part := self._stream.read(min(size, _PIECE))):
                parts.append(part)
                size -= len(part)
        return b"".join(parts)


class Submission:
    """The files of an opened submission by their POSIX names, the one wrapping folder removed."""

    def __init__(self, members: Mapping[str, _Member]) -> None:
        self._members = dict(members)
        self.names = sorted(self._members)

    def size(self, name: str) -> int:
        """Return the size of a file in bytes, unpacked."""
        return self._members[name].size

    @contextmanager
    def open(self, name: str) -> Iterator[FileReader]:
        """Open a file for reading bytes.

        Raises
        ------
        UnreadableFileError
            The file is damaged, or longer than the archive's directory says; also while it is read.
        """
        with _unreadable():
            stream = self._members[name].open()
        with stream:
            yield FileReader(stream)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file, at most as many as were declared. Raises as `open`."""
        with self.open(name) as stream:
            return stream.read(self.size(name))


@contextmanager
def open_submission(path: Path, limits: Limits, findings: Findings) -> Iterator[Submission | None]:
    """Open the zip file or folder at ``path``; yield None if problems were added to ``findings``.

    A folder may hold the files themselves, one folder with the files, or a single zip file. The file
    ``metadata`` that platforms put beside an unpacked submission is ignored.
    """
    before = findings.total
    if not path.exists():
        findings.add("E-FILE-MISSING", "there is no such file", "check the path", file=str(path))
        yield None
        return
    archive = None
    if path.is_dir():
        members, archive = _open_folder(path, limits, findings)
    else:
        archive = _open_zip(path, limits, findings)
        members = _zip_members(archive, path, limits, findings) if archive else {}
    try:
        yield Submission(members) if findings.total == before else None
    finally:
        if archive:
            archive.close()


def _open_folder(path: Path, limits: Limits, findings: Findings) -> tuple[dict[str, _Member], zipfile.ZipFile | None]:
    members: dict[str, _Member] = {}
    for name, found in _walk(path, limits, findings):
        if name != "metadata":
            members[name] = found
    members = _drop_junk(members, findings)
    names = list(members)
    if len(names) == 1 and names[0].lower().endswith(".zip"):
        findings.note("N-FOUND-ZIP", f"the submission was read from the zip file {quote(names[0])}")
        inner = path / names[0]
        archive = _open_zip(inner, limits, findings)
        return (_zip_members(archive, inner, limits, findings) if archive else {}), archive
    _check_members(members, limits, findings, path.name)
    return _strip_folder(members, findings), None


def _walk(root: Path, limits: Limits, findings: Findings) -> Iterator[tuple[str, _FileMember]]:
    """Yield the regular files below ``root``; links are problems and are never followed."""
    pending = [root]
    count = 0
    while pending:
        for entry in sorted(os.scandir(pending.pop()), key=lambda found: found.name):
            name = Path(entry.path).relative_to(root).as_posix()
            if entry.is_symlink():
                findings.add("E-ZIP-LINK", "this is a symbolic link", "put the file itself there", file=name)
            elif entry.is_dir():
                pending.append(Path(entry.path))
            elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                count += 1
                if count > limits.files + len(_PLATFORM_FILES):
                    _too_many(findings, root.name, limits)
                    return
                yield name, _FileMember(Path(entry.path), entry.stat().st_size)
            else:
                findings.add("E-ZIP-SPECIAL", "this is not a regular file", "remove it", file=name)


def _too_many(findings: Findings, file: str, limits: Limits) -> None:
    findings.add(
        "E-ZIP-COUNT",
        f"there are more than {limits.files:,} files",
        "submit only the files that the challenge asks for",
        file=file,
    )


def _open_zip(path: Path, limits: Limits, findings: Findings) -> zipfile.ZipFile | None:
    with path.open("rb") as stream:
        head = stream.read(512)
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - 65_557))
        tail = stream.read()
    if not size:
        findings.add(
            "E-ZIP-EMPTY", "the file is empty (0 bytes)", "zip your files and upload the zip", file=path.name
        )
        return None
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        problem, hint = _not_a_zip(head)
        findings.add("E-ZIP-NOT", problem, hint, file=path.name)
        return None
    (directory_bytes,) = struct.unpack_from("<I", tail, end + 12)
    if directory_bytes > limits.files * _DIRECTORY_BYTES_PER_FILE:
        _too_many(findings, path.name, limits)
        return None
    try:
        return zipfile.ZipFile(path)
    except (*_READ_ERRORS, struct.error):
        findings.add(
            "E-ZIP-DAMAGED",
            "the zip file is damaged",
            "make it anew and compare the size after the upload",
            file=path.name,
        )
        return None


def _not_a_zip(head: bytes) -> tuple[str, str]:
    kinds = (
        (b"\x1f\x8b", "a gzip file"),
        (b"7z\xbc\xaf", "a 7-Zip file"),
        (b"Rar!", "a RAR file"),
        (b"BZh", "a bzip2 file"),
        (b"\xfd7zXZ", "an xz file"),
    )
    for magic, name in kinds:
        if head.startswith(magic):
            return f"this is {name}, not a zip file", "pack the files as .zip"
    if head[257:262] == b"ustar":
        return "this is a tar file, not a zip file", "pack the files as .zip"
    if head.startswith(b"PK\x03\x04"):
        return "this zip file is truncated: its end is missing", "make it anew and upload it again"
    return "this is not a zip file", "put your files into a .zip and submit that"


def _zip_members(archive: zipfile.ZipFile, path: Path, limits: Limits, findings: Findings) -> dict[str, _Member]:
    infos = archive.infolist()
    if len(infos) > 2 * limits.files:
        _too_many(findings, path.name, limits)
        return {}
    members: dict[str, _Member] = {}
    packed = 0
    for info in infos:
        # ZipInfo.filename has lost everything behind a NUL byte and, on Windows, its backslashes.
        name = info.orig_filename
        packed += info.compress_size
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind == stat.S_IFLNK:
            findings.add("E-ZIP-LINK", "this is a symbolic link", "put the file itself there", file=name)
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            findings.add("E-ZIP-SPECIAL", "this is not a regular file", "remove it", file=name)
        elif info.flag_bits & 0x1:
            findings.add("E-ZIP-ENCRYPTED", "this file is encrypted", "zip it without a password", file=name)
        elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            findings.add(
                "E-ZIP-METHOD",
                "this file is packed with a rare compression method",
                "use the ordinary method, deflate",
                file=name,
            )
        elif name in members:
            findings.add("E-ZIP-TWICE", "two files in the zip have this name", "keep one of them", file=name)
        elif name.endswith("/"):
            _check_names({name.rstrip("/"): None}, findings)
        else:
            members[name] = _ZipMember(archive, info)
    if packed > path.stat().st_size:
        findings.add(
            "E-ZIP-BOMB",
            "its files overlap inside the archive",
            "make it anew with an ordinary zip program",
            file=path.name,
        )
    members = _drop_junk(members, findings)
    if len(members) > limits.files:
        _too_many(findings, path.name, limits)
    _check_members(members, limits, findings, path.name)
    return _strip_folder(members, findings)


def _check_members(members: Mapping[str, _Member], limits: Limits, findings: Findings, file: str) -> None:
    _check_names(members, findings)
    _check_sizes(members, limits, findings, file)
    for name in members:
        if PurePosixPath(name).name in _PLATFORM_FILES:
            findings.add(
                "E-FILE-RESERVED",
                "a platform would run a file of this name as a program",
                "remove it from your submission",
                file=name,
            )
        if name.lower().endswith(".zip"):
            findings.add(
                "E-ZIP-NESTED",
                "this is a zip inside the zip",
                f"unpack {quote(name)} and zip its files directly",
                file=name,
            )


def _check_names(members: Mapping[str, object], findings: Findings) -> None:
    folded: dict[str, str] = {}
    for name in members:
        if re.match(r"[A-Za-z]:", name) or name.startswith(("/", "\\")):
            findings.add("E-ZIP-NAME", "the name is absolute", "use plain file names", file=name)
        elif ".." in re.split(r"[/\\]", name):
            findings.add("E-ZIP-NAME", 'the name holds ".."', "use plain file names", file=name)
        elif "\\" in name:
            findings.add("E-ZIP-NAME", "the name holds a backslash", "use / or no folders at all", file=name)
        elif not name or not is_printable(name):
            findings.add("E-ZIP-NAME", "the name holds unprintable characters", "use plain file names", file=name)
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            findings.add(
                "E-ZIP-CASE",
                f"the name differs from {quote(other)} only in upper and lower case",
                "keep one of them",
                file=name,
            )


def _check_sizes(members: Mapping[str, _Member], limits: Limits, findings: Findings, file: str) -> None:
    total = 0
    for name, member in members.items():
        total += member.size
        if member.size > limits.file_bytes:
            findings.add(
                "E-ZIP-SIZE",
                f"the file has {member.size:,} bytes unpacked; at most {limits.file_bytes:,} are allowed",
                "check what you wrote into it",
                file=name,
            )
        elif isinstance(member, _ZipMember) and member.size > max(
            _RATIO_COUNTS_FROM_BYTES, limits.ratio * member.info.compress_size
        ):
            findings.add(
                "E-ZIP-BOMB",
                f"the file unpacks to more than {limits.ratio} times its packed size",
                "a file of real predictions does not; check what you wrote into it",
                file=name,
            )
    if total > limits.total_bytes:
        findings.add(
            "E-ZIP-SIZE",
            f"the files have {total:,} bytes unpacked; at most {limits.total_bytes:,} are allowed",
            "submit only the files that the challenge asks for",
            file=file,
        )


def _drop_junk(members: dict[str, _Member], findings: Findings) -> dict[str, _Member]:
    kept = {name: member for name, member in members.items() if not _JUNK.search(name)}
    if len(kept) < len(members):
        findings.note(
            "N-JUNK",
            f"{len(members) - len(kept)} files of the operating system were ignored (__MACOSX, .DS_Store)",
        )
    return kept


def _strip_folder(members: dict[str, _Member], findings: Findings) -> dict[str, _Member]:
    tops = {name.split("/", 1)[0] for name in members}
    if len(tops) != 1 or not all("/" in name for name in members):
        return members
    (top,) = tops
    findings.note("N-FOLDER", f"everything lies in the folder {quote(top)}; its files were read from there")
    return {name[len(top) + 1 :]: member for name, member in members.items()}
