"""Opening a submission safely: a zip file, a folder that a platform has unpacked, or files in memory.

A submission is hostile input. Names, counts and sizes are checked from the archive's directory before a byte
is inflated, and sizes once more while reading. Nothing is ever written to disk.

The verdict is that of the folder that Codabench's worker makes of a zip. What leaves
no trace in that folder is a problem at home all the same: links, a name twice, "..".
"""

from __future__ import annotations

import io
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, NoReturn, Union

from validator.findings import Findings
from validator.kinds import HEAD_BYTES, kind_of
from validator.texts import counted, folded, is_printable, quote, some_words

if TYPE_CHECKING:
    import zipfile

BASELINE_FILE = "BASELINE.txt"
"""A file that says which baseline of a reference a submission is."""
_BASELINE_BYTES = 200
# A zip file, a folder, or the content of files by name.
Source = Union[Path, Mapping[str, bytes]]
# The longest names that file systems take: of one file or folder, and of a file with all its folders.
_LONGEST_PART = 255
_LONGEST_NAME = 1000
# What macOS and Windows put beside the files of users.
_JUNK = re.compile(r"(?:^|/)(?:__MACOSX(?:/|\Z)|(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)\Z)")
_PIECE = 1 << 20
PLATFORM_FILES = ("metadata.yaml", "metadata")
"""Files in which a platform looks for a command to run; it reads the first one that is there."""
_PLAIN_NAMES = "use plain, short file names and no folders"
_ONLY_NEEDED = "submit only the files that the challenge asks for"
# The central directory holds at least 46 bytes an entry; names and extra fields add to it.
_DIRECTORY_BYTES_PER_FILE = 512
_HEADER_BYTES = 30
# What the number of a method of compression stands for.
_METHODS = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd"}
_DEFLATE64 = 9
# The end of a directory and the longest comment after it.
_LONGEST_END = 65_557


class Limits(NamedTuple):
    """What an archive may hold at most. Sizes are in bytes, unpacked."""

    files: int
    total_bytes: int
    file_bytes: int

    @property
    def packed_bytes(self) -> int:
        """The most bytes of a zip of such files: what does not get smaller grows by less than a hundredth."""
        return self.total_bytes + self.total_bytes // 100 + 2 * self.files * _DIRECTORY_BYTES_PER_FILE


class Member(NamedTuple):
    """A file that is not read yet: its bytes, unpacked, and what opens it."""

    size: int
    open: Callable[[], IO[bytes]]


def is_junk(name: str) -> bool:
    """Return whether a file or folder is one that macOS or Windows puts beside those of users."""
    return _JUNK.search(name) is not None


on_read: ContextVar[Callable[[int], None]] = ContextVar("on_read", default=lambda n_bytes: None)
"""Called with the number of bytes whenever a piece of a submission was read, to show how far reading is."""


class FileReader(NamedTuple):
    """A file that is being read; errors while reading become `Refused`, the caller's own pass through."""

    name: str
    stream: IO[bytes]

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most ``size``; none at the end. Raises Refused."""
        parts = []
        with refused_if_damaged(self.name):
            # zipfile copies what it has not yet inflated again and again if it is asked for much at once.
            while size and (part := self.stream.read(min(size, _PIECE))):
                parts.append(part)
                size -= len(part)
                on_read.get()(len(part))
        return b"".join(parts)


@contextmanager
def refused_if_damaged(name: str) -> Iterator[None]:
    """Refuse a member that cannot be read although the archive's directory looked right."""
    try:
        yield
    except read_errors():
        Findings().refuse("E-ZIP-DAMAGED", "the file cannot be unpacked", "create the zip again", file=name)


def read_errors() -> tuple[type[Exception], ...]:
    """Return what reading raises; the modules that read zips are not imported for a folder."""
    import struct
    import zipfile
    import zlib

    return (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError)


def _refuse_unreadable(error: OSError, name: str, findings: Findings) -> NoReturn:
    problem = f"it cannot be opened ({error.strerror})"
    remedy = "allow reading it, or zip your files again, with short names and no folders"
    findings.refuse("E-FILE-UNREADABLE", problem, remedy, file=name)


def _add_irregular(mode: int, name: str, findings: Findings) -> None:
    """Add that a file is a link or of another special kind, as its ``mode`` says."""
    if stat.S_ISLNK(mode):
        problem, remedy = "this is a symbolic link", "put the file itself there"
        findings.add("E-ZIP-LINK", problem, remedy, file=name)
    else:
        findings.add("E-ZIP-SPECIAL", "this is not a regular file", "remove it", file=name)


def _refuse_too_many(findings: Findings, file: str, limits: Limits) -> NoReturn:
    findings.refuse("E-ZIP-COUNT", f"there are more files than {limits.files:,}", _ONLY_NEEDED, file=file)


def _check_members(
    members: Mapping[str, Member], limits: Limits, findings: Findings, file: str
) -> dict[str, Member]:
    """Check the files and return those to read; what operating systems add counts too, but is left out.

    Names of folders end with a slash.
    """
    members = _with_slashes(members, findings)
    _check_names(members, findings)
    _check_sizes(members, limits, findings, file)
    members_to_read: dict[str, Member] = {}
    junk = []
    for name, member in members.items():
        if name.endswith("/"):
            continue
        if is_junk(name):
            junk.append(quote(name))
        elif set(PurePosixPath(name).parts).isdisjoint(PLATFORM_FILES):
            members_to_read[name] = member
        else:
            problem = "a platform would take a file of this name for a program to run"
            findings.add("E-FILE-RESERVED", problem, "remove it from your submission", file=name)
    if junk:
        some_junk = some_words(sorted(junk), most=2)
        findings.note("N-JUNK", f"{counted(len(junk), 'file')} of the operating system ignored: {some_junk}")
    return members_to_read


def _with_slashes(members: Mapping[str, Member], findings: Findings) -> Mapping[str, Member]:
    r"""Return members with slashes for backslashes, with a note, if paths are written as tools of Windows do,
    as ``mine\\a.csv``, and none with a slash.

    All checks of names are made after this. What ends with a backslash is a folder.
    """
    has_slash = any("/" in name[:-1] for name in members)
    if has_slash or not any("\\" in name for name in members):
        return members
    findings.note("N-BACKSLASH", "folders are separated by backslashes, which were read as /")
    return {name.replace("\\", "/"): member for name, member in members.items()}


def _check_names(members: Mapping[str, Member], findings: Findings) -> None:
    for name, member in members.items():
        # A folder holds nothing itself.
        path = name if member.size else name.removesuffix("/")
        problem = _name_problem(path)
        if problem:
            findings.add("E-ZIP-NAME", problem, _PLAIN_NAMES, file=path)
    name_by_folded: dict[str, str] = {}
    for name in members:
        if name.endswith("/"):
            continue
        other = name_by_folded.setdefault(folded(name), name)
        if other != name:
            problem = f"there is {quote(other)}, too, which differs only in upper and lower case"
            findings.add("E-ZIP-CASE", problem, "keep one of them", file=name, rule="case")
    # With the smallest character for a slash, what is in a folder comes right after a file of the folder's
    # name.
    sorted_paths = sorted(name.replace("/", "\0") for name in members)
    for first, second in zip(sorted_paths, sorted_paths[1:]):
        if second.startswith(f"{first}\0"):
            problem, name = "a file and a folder have this name", first.replace("\0", "/")
            findings.add("E-ZIP-NAME", problem, "rename one of them", file=name, rule="folder")


def _name_problem(name: str) -> str:
    """Return why a file or folder must not have this name, "" if it may."""
    parts = re.split(r"[/\\]", name)
    if re.match(r"[A-Za-z]:", name) or name.startswith(("/", "\\")):
        return "the name is absolute"
    if ".." in parts:
        return 'the name holds ".."'
    if "\\" in name:
        return "the name holds a backslash"
    if not is_printable(name):
        return "the name holds unprintable characters"
    if "" in parts or "." in parts:
        return "a part of the name is empty or a dot"
    if len(name) > _LONGEST_NAME or any(len(part.encode()) > _LONGEST_PART for part in parts):
        limits = f"{_LONGEST_NAME} characters, or a part of it more than {_LONGEST_PART} bytes"
        return f"the name has more than {limits}"
    return ""


def _check_sizes(members: Mapping[str, Member], limits: Limits, findings: Findings, file: str) -> None:
    for name, member in members.items():
        size, most = member.size, limits.file_bytes
        if size > most:
            problem = f"the file has {size:,} bytes unpacked; at most {most:,} are allowed"
            findings.add("E-ZIP-SIZE", problem, "check what you wrote into it", file=name, rule="file")
    total = sum(member.size for member in members.values())
    if total > limits.total_bytes:
        problem = f"the files have {total:,} bytes unpacked; at most {limits.total_bytes:,} are allowed"
        findings.add("E-ZIP-SIZE", problem, _ONLY_NEEDED, file=file, rule="total")


class Submission:
    """The files of an opened submission by their POSIX names, the one wrapping ``folder`` removed.

    ``is_unpacked`` says whether a platform unpacked it and put its own file ``metadata`` beside them.
    """

    def __init__(self, members: Mapping[str, Member], findings: Findings, is_unpacked: bool = False) -> None:
        self.notes = findings.notes
        self.is_unpacked = is_unpacked
        common = posixpath.commonpath(list(map(posixpath.dirname, members))) if members else ""
        whole = f"{common}/" if common else ""
        self.folder = whole[: whole.find("/") + 1]
        if whole and whole == self.folder:
            text = f"everything is in the folder {quote(whole)}; its files were read from there"
            findings.note("N-FOLDER", text)
        self._members = {name[len(self.folder) :]: member for name, member in members.items()}
        self.names = sorted(self._members.keys() - {BASELINE_FILE})
        if BASELINE_FILE in self._members:
            with self.open(BASELINE_FILE) as stream:
                first = stream.read(_BASELINE_BYTES).decode("utf-8", "replace").partition("\n")[0]
            findings.note("N-BASELINE", f"it holds {BASELINE_FILE}: {quote(first)}")

    def size(self, name: str) -> int:
        """Return the size of a file in bytes, unpacked."""
        return self._members[name].size

    @contextmanager
    def open(self, name: str) -> Iterator[FileReader]:
        """Open a file for reading bytes.

        Raises
        ------
        Refused
            The file is damaged, or longer than the archive's directory says; also while it is read.
        """
        with refused_if_damaged(name):
            stream = self._members[name].open()
        with stream:
            yield FileReader(name, stream)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file, at most as many as were declared. Raises as `open`."""
        with self.open(name) as stream:
            return stream.read(self.size(name))


@contextmanager
def open_submission(path: Source, limits: Limits) -> Iterator[Submission]:
    """Open the zip file or folder at ``path``, or files in memory. Raises Refused.

    A zip or folder may hold the files themselves, one folder with the files, or a single zip file. The file
    ``metadata``, which platforms put next to an unpacked submission, is ignored.
    """
    with ExitStack() as stack:
        with Findings.collect() as findings:
            if isinstance(path, Mapping):
                files = {name: Member(len(data), partial(io.BytesIO, data)) for name, data in path.items()}
                members = _check_members(files, limits, findings, "")
            else:
                members = _open_path(path, limits, findings, stack)
            members = _look_into_single_zip(members, limits, findings, stack)
        is_unpacked = not isinstance(path, Mapping) and (path / "metadata").is_file()
        yield Submission(members, findings, is_unpacked)


def _open_path(path: Path, limits: Limits, findings: Findings, stack: ExitStack) -> dict[str, Member]:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except PermissionError as error:
        _refuse_unreadable(error, path.name, findings)
    except (OSError, ValueError):
        findings.refuse("E-FILE-MISSING", "there is no such file", "check the path", file=str(path))
    if is_folder:
        return _check_members(dict(_walk(path, limits, findings)), limits, findings, path.name)
    try:
        stream = stack.enter_context(path.open("rb"))
    except OSError as error:
        _refuse_unreadable(error, path.name, findings)
    return _open_members(stream, path.name, limits, findings, stack)


def _look_into_single_zip(
    members: dict[str, Member], limits: Limits, findings: Findings, stack: ExitStack
) -> dict[str, Member]:
    """Return the files of the zip that is the only member, or else the members, which must not be zips."""
    if len(members) == 1 and _zip_names(members) and findings.ok:
        (name,) = members
        findings.note("N-FOUND-ZIP", f"the submission was read from the zip file {quote(name)}")
        with refused_if_damaged(name):
            try:
                stream = stack.enter_context(_in_any_order(members[name].open()))
            except OSError as error:
                _refuse_unreadable(error, name, findings)
        members = _open_members(stream, name, limits, findings, stack)
    for name in _zip_names(members):
        remedy = "unpack it and zip its files directly"
        findings.add("E-ZIP-NESTED", "this is a zip inside the zip", remedy, file=name)
    return members


def _zip_names(names: Iterable[str]) -> list[str]:
    return [name for name in names if folded(name).endswith(".zip")]


def _walk(root: Path, limits: Limits, findings: Findings) -> Iterator[tuple[str, Member]]:
    """Yield the regular files below ``root`` but the platform's own; links are problems, never followed."""
    pending_names = [""]
    n_left = limits.files
    while pending_names:
        folder = pending_names.pop()
        name = folder.rstrip("/") or "."
        try:
            with os.scandir(root / folder) as listing:
                submitted = (entry for entry in listing if folder or not _is_platforms(entry))
                # One more than allowed is enough to know.
                entries = sorted(islice(submitted, n_left + 1), key=lambda entry: entry.name)
            n_left -= len(entries)
            if n_left < 0:
                _refuse_too_many(findings, root.name, limits)
            for entry in entries:
                name = f"{folder}{entry.name}"
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    pending_names.append(f"{name}/")
                elif stat.S_ISREG(status.st_mode):
                    yield name, Member(status.st_size, partial(_open_file, entry.path))
                else:
                    _add_irregular(status.st_mode, name, findings)
        except OSError as error:
            _refuse_unreadable(error, name, findings)


def _is_platforms(entry: os.DirEntry[str]) -> bool:
    """Return whether this is the file that the platform puts beside those of every submission."""
    return entry.name == "metadata" and entry.is_file(follow_symlinks=False)


def _open_file(path: str) -> BinaryIO:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")


def _open_members(
    stream: IO[bytes], zip_name: str, limits: Limits, findings: Findings, stack: ExitStack
) -> dict[str, Member]:
    """Return the files of a zip to read; parameters and what is raised are those of `open_zip`."""
    import zipfile

    members: dict[str, Member] = {}
    archive = open_zip(stream, zip_name, limits, findings, stack)
    for info in archive.infolist():
        # ZipInfo.filename has lost everything after a NUL byte and, on Windows, its backslashes.
        name = info.orig_filename
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            _add_irregular(mode, name, findings)
        elif info.flag_bits & 0x1:
            findings.add("E-ZIP-ENCRYPTED", "this file is encrypted", "zip it without a password", file=name)
        elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            method = _METHODS.get(info.compress_type, "a rare method")
            remedy = "zip again, with the ordinary method (deflate)"
            if info.compress_type == _DEFLATE64:
                remedy += "; Windows Explorer does this above 2 GB: use another program, such as 7-Zip"
            problem = f"this file is packed with {method}, which cannot be unpacked here"
            findings.add("E-ZIP-METHOD", problem, remedy, file=name, rule=method)
        elif name in members and not name.endswith("/"):
            findings.add("E-ZIP-TWICE", "two files in the zip have this name", "keep one of them", file=name)
        else:
            members[name] = Member(info.file_size, partial(archive.open, info))
    return _check_members(members, limits, findings, zip_name)


def open_zip(
    stream: IO[bytes], name: str, limits: Limits, findings: Findings, stack: ExitStack
) -> zipfile.ZipFile:
    """Open a zip whose directory every version of Python reads alike.

    ``name`` is what findings call the zip. Raises Refused if it cannot be read, or has too many entries.
    """
    import zipfile

    try:
        head = stream.read(HEAD_BYTES)
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - _LONGEST_END))
        tail = stream.read(_LONGEST_END)
    except OSError as error:
        _refuse_unreadable(error, name, findings)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        findings.refuse(*_why_no_zip(head), file=name)
    guarded = _GuardedFile(stream, partial(_refuse_too_many, findings, name, limits), limits)
    try:
        archive = stack.enter_context(zipfile.ZipFile(guarded))  # type: ignore[call-overload]
        if len(archive.infolist()) > limits.files:
            _refuse_too_many(findings, name, limits)
        # Newer releases of Python refuse a directory that puts files before the beginning of the zip.
        if any(info.header_offset < 0 for info in archive.infolist()):
            raise zipfile.BadZipFile
    except read_errors():
        hint = "create the zip again and check its size after uploading"
        findings.refuse("E-ZIP-DAMAGED", "the zip file is damaged", hint, file=name)
    guarded.is_trusted = True
    if _overlap(archive):
        hint = "create it again with an ordinary zip program"
        findings.add("E-ZIP-BOMB", "its files overlap inside the archive", hint, file=name)
    return archive


class _GuardedFile:
    """A zip file whose directory is no larger than its limits allow, whatever it says of itself."""

    def __init__(self, stream: IO[bytes], refuse: Callable[[], NoReturn], limits: Limits) -> None:
        self._stream = stream
        self._refuse = refuse
        self._most_bytes = max(limits.files * _DIRECTORY_BYTES_PER_FILE, _LONGEST_END)
        self.is_trusted = False
        self.seek = stream.seek
        self.tell = stream.tell
        self.seekable = stream.seekable

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. Raises Refused for too many before the directory was read."""
        if not self.is_trusted and size > self._most_bytes:
            self._refuse()
        return self._stream.read(size)


def _why_no_zip(head: bytes) -> tuple[str, str, str]:
    """Return code, problem and hint for a file that begins with ``head`` and has no end of a zip."""
    if not head:
        return "E-ZIP-EMPTY", "the file is empty (0 bytes)", "zip your files and upload the zip"
    kind = kind_of(head)
    if kind is None:
        return "E-ZIP-NOT", "this is not a zip file", "put your files into a .zip and submit that"
    if head.startswith(b"PK\x03\x04"):
        problem = "this zip file is truncated: its end is missing"
        return "E-ZIP-NOT", problem, "create it again and upload it again"
    return "E-ZIP-NOT", f"this is {kind.name}, not a zip file", kind.how_to_zip()


def _overlap(archive: zipfile.ZipFile) -> bool:
    """Return whether any member reaches into the next one or into the directory, from offsets and headers."""
    import struct

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


def _in_any_order(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream to read in any order: one from a zip is inflated anew for each step back."""
    import zipfile

    if not isinstance(stream, zipfile.ZipExtFile):
        return stream
    with stream:
        return io.BytesIO(stream.read())
