"""The files of a submission before they are read: their names and sizes, in a zip as in a folder.

A submission is hostile input. Names, counts and sizes are checked before a byte is inflated, and sizes once
more while reading.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from pathlib import PurePosixPath
from typing import IO, NamedTuple

import yaml

from validator.findings import Findings
from validator.strict_yaml import load_plain
from validator.texts import counted, folded, is_printable, quote

# The longest names that file systems take: of one file or folder, and of a file with all its folders.
_LONGEST_PART = 255
_LONGEST_NAME = 1000
# What macOS and Windows put beside the files of users.
_JUNK = re.compile(r"(^|/)(__MACOSX/|\.DS_Store\Z|Thumbs\.db\Z|desktop\.ini\Z|\._[^/]*\Z)")
_PIECE = 65_536
PLATFORM_FILES = ("metadata.yaml", "metadata")
"""Files in which a platform looks for a command to run; it reads the first one that is there."""
_MOST_METADATA_BYTES = 1 << 16
_PLAIN_NAMES = "use plain, short file names and no folders"
_ONLY_NEEDED = "submit only the files that the challenge asks for"


class Limits(NamedTuple):
    """What an archive may hold at most. Sizes are in bytes, unpacked."""

    files: int
    total_bytes: int
    file_bytes: int


class Member(NamedTuple):
    """A file that is not read yet: its bytes, unpacked, and what opens it."""

    size: int
    open: Callable[[], IO[bytes]]


def _ignore(n_bytes: int) -> None:
    """Do nothing with what was read."""


on_read: ContextVar[Callable[[int], None]] = ContextVar("on_read", default=_ignore)
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
    import zipfile
    import zlib

    return (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


def add_unreadable(error: OSError, name: str, findings: Findings) -> None:
    """Add that a file or folder cannot be opened."""
    problem, remedy = f"it cannot be opened ({error.strerror})", "allow reading it, or copy it"
    if not isinstance(error, PermissionError):
        remedy = "zip your files again, with short names and no folders"
    findings.add("E-FILE-UNREADABLE", problem, remedy, file=name)


def add_irregular(
    mode: int, name: str, findings: Findings, remedy_for_link: str, remedy_for_others: str
) -> None:
    """Add that a file is a link or of another special kind, as its ``mode`` says."""
    if stat.S_ISLNK(mode):
        findings.add("E-ZIP-LINK", "this is a symbolic link", remedy_for_link, file=name)
    else:
        findings.add("E-ZIP-SPECIAL", "this is not a regular file", remedy_for_others, file=name)


def add_too_many(findings: Findings, file: str, limits: Limits) -> None:
    """Add that there are more files than a submission may have; ``file`` is the zip or folder."""
    findings.add("E-ZIP-COUNT", f"there are more files than {limits.files:,}", _ONLY_NEEDED, file=file)


def check_members(
    members: dict[str, Member],
    limits: Limits,
    findings: Findings,
    file: str,
    folders: Iterable[str] = (),
    remake: str = "",
) -> dict[str, Member]:
    """Check the files and return those to read; what operating systems add counts too, but is left out.

    ``remake`` says to make a zip again whose names the site would change; "" if there is no zip.
    """
    if _has_backslashes_only([*members, *folders]):
        members, folders = _with_slashes(members, folders, findings)
        # The site keeps these names as they are.
        remake = ""
    _check_names(members, folders, findings, remake)
    _check_sizes(members, limits, findings, file)
    kept = {name: member for name, member in members.items() if not _JUNK.search(name)}
    if len(kept) < len(members):
        junk = counted(len(members) - len(kept), "file")
        findings.note("N-JUNK", f"{junk} of the operating system ignored (__MACOSX, .DS_Store)")
    return _without_metadata(kept, findings)


def _without_metadata(members: Mapping[str, Member], findings: Findings) -> dict[str, Member]:
    """Return the members but files in which a platform looks for a command; one that has it is a problem."""
    kept: dict[str, Member] = {}
    for name, member in members.items():
        *folders, file_name = PurePosixPath(name).parts or ("",)
        is_in_folder = not set(folders).isdisjoint(PLATFORM_FILES)
        is_metadata = file_name in PLATFORM_FILES
        if is_in_folder or (is_metadata and holds_command(name, member.open)):
            problem = "a platform would run a file of this name as a program"
            findings.add("E-FILE-RESERVED", problem, "remove it from your submission", file=name)
        elif is_metadata:
            findings.note("N-FILE-IGNORED", f"{quote(name)}: not needed, ignored")
        if not is_metadata:
            kept[name] = member
    return kept


def holds_command(name: str, open_file: Callable[[], IO[bytes]]) -> bool:
    """Return whether a platform would take a file for the description of a program. Raises Refused.

    One that is no UTF-8, or too large to be looked at, is taken for it.
    """
    with refused_if_damaged(name), open_file() as stream:
        data = stream.read(_MOST_METADATA_BYTES + 1)
    if len(data) > _MOST_METADATA_BYTES:
        return True
    try:
        content = load_plain(data.decode("utf-8"))
    except UnicodeDecodeError:
        return True
    except yaml.YAMLError:
        return False
    return isinstance(content, Mapping) and bool(content.get("command"))


def _has_backslashes_only(names: Sequence[str]) -> bool:
    r"""Return whether paths are written as tools of Windows do, as ``mine\\a.csv``, and none with a slash."""
    return any("\\" in name for name in names) and not any("/" in name for name in names)


def _with_slashes(
    members: Mapping[str, Member], folders: Iterable[str], findings: Findings
) -> tuple[dict[str, Member], dict[str, None]]:
    """Return members and folders by their names with slashes for backslashes, with a note.

    All checks of names are made after this. No name holds a slash before, so that no two become the same. A
    folder is an empty file whose name ends with a backslash.
    """
    members_with_slashes: dict[str, Member] = {}
    folders_with_slashes = dict.fromkeys(name.replace("\\", "/") for name in folders)
    for name, member in members.items():
        path = name.replace("\\", "/")
        if path.endswith("/") and not member.size:
            folders_with_slashes[path[:-1]] = None
        else:
            members_with_slashes[path] = member
    findings.note("N-BACKSLASH", "folders are separated by backslashes, which were read as /")
    return members_with_slashes, folders_with_slashes


def _check_names(
    members: Mapping[str, object], folders: Iterable[str], findings: Findings, remake: str
) -> None:
    for name in chain(members, folders):
        problem = _name_problem(name)
        if problem:
            is_changed = remake and _is_changed_by_unpacking(name)
            remedy = f"{remake} with plain, short file names and no folders" if is_changed else _PLAIN_NAMES
            findings.add("E-ZIP-NAME", problem, remedy, file=name)
    name_by_folded: dict[str, str] = {}
    for name in members:
        other = name_by_folded.setdefault(folded(name), name)
        if other != name:
            problem = f"the name differs from {quote(other)} only in upper and lower case"
            findings.add("E-ZIP-CASE", problem, "keep one of them", file=name)
    # With the smallest character for a slash, what is in a folder comes right after a file of the folder's
    # name.
    ordered = sorted(name.replace("/", "\0") for name in chain(members, (f"{name}/" for name in folders)))
    for first, second in zip(ordered, ordered[1:]):
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


def _is_changed_by_unpacking(name: str) -> bool:
    """Return whether a zip's file or folder gets another name where a platform unpacks it."""
    return "\0" in name or not {"", ".", ".."}.isdisjoint(name.split("/"))


def _check_sizes(members: Mapping[str, Member], limits: Limits, findings: Findings, file: str) -> None:
    for name, member in members.items():
        size, most = member.size, limits.file_bytes
        if size > most:
            problem = f"the file has {size:,} bytes unpacked; at most {most:,} are allowed"
            findings.add("E-ZIP-SIZE", problem, "check what you wrote into it", file=name)
    total = sum(member.size for member in members.values())
    if total > limits.total_bytes:
        problem = f"the files have {total:,} bytes unpacked; at most {limits.total_bytes:,} are allowed"
        findings.add("E-ZIP-SIZE", problem, _ONLY_NEEDED, file=file, rule="total")
