"""Opening a submission safely: a zip file, or a folder that a platform has unpacked.

A submission is hostile input. Names, counts and sizes are checked from the archive's directory before a byte
is inflated, and sizes once more while reading. Nothing is ever written to disk.

The verdict is that of the folder that Codabench's worker makes of a zip (`validator.unpacking`). What leaves
no trace in that folder is a problem at home all the same: links, a name twice, "..".
"""

from __future__ import annotations

import io
import os
import posixpath
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Union

from validator.findings import Findings
from validator.members import (
    FileReader,
    Limits,
    Member,
    add_irregular,
    add_too_many,
    add_unreadable,
    check_members,
    refused_if_damaged,
)
from validator.texts import folded, quote

BASELINE_FILE = "BASELINE.txt"
"""A file that says which baseline of a reference a submission is."""
_BASELINE_BYTES = 200
_REMAKE = "make it again"
_REMAKE_THOUGH_SCORED = "the site may score this zip; make it again"
# A zip file, a folder, or the content of files by name.
Source = Union[Path, Mapping[str, bytes]]


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
        if whole:
            many = whole != self.folder
            done = "only the outermost folder is looked into" if many else "its files were read from there"
            findings.note("N-FOLDER", f"everything is in the folder {quote(whole)}; {done}")
        self._members = {name[len(self.folder) :]: member for name, member in members.items()}
        self.names = sorted(self._members.keys() - {BASELINE_FILE})
        self.is_baseline = BASELINE_FILE in self._members
        if self.is_baseline:
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
    with ExitStack() as opened:
        with Findings.collect() as findings:
            if isinstance(path, Mapping):
                files = {name: Member(len(data), partial(io.BytesIO, data)) for name, data in path.items()}
                members = check_members(files, limits, findings, "")
            else:
                members = _open_path(path, limits, findings, opened)
            members = _look_into_single_zip(members, limits, findings, opened)
        is_unpacked = not isinstance(path, Mapping) and (path / "metadata").is_file()
        yield Submission(members, findings, is_unpacked)


def _open_path(path: Path, limits: Limits, findings: Findings, opened: ExitStack) -> dict[str, Member]:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except PermissionError as error:
        add_unreadable(error, str(path), findings)
        return {}
    except (OSError, ValueError):
        findings.refuse("E-FILE-MISSING", "there is no such file", "check the path", file=str(path))
    if is_folder:
        return check_members(dict(_walk(path, limits, findings)), limits, findings, path.name)
    try:
        stream = opened.enter_context(path.open("rb"))
    except OSError as error:
        add_unreadable(error, path.name, findings)
        return {}
    from validator.zip_files import open_members

    return open_members(stream, path.name, limits, findings, opened, _REMAKE_THOUGH_SCORED)


def _look_into_single_zip(
    members: dict[str, Member], limits: Limits, findings: Findings, opened: ExitStack
) -> dict[str, Member]:
    """Return the files of the zip that is the only member, or else the members, which must not be zips."""
    if len(members) != 1 or not _zip_names(members):
        _add_nested_zips(members, findings)
        return members
    if not findings.ok:
        return members
    (name,) = members
    from validator.zip_files import in_any_order, open_members

    findings.note("N-FOUND-ZIP", f"the submission was read from the zip file {quote(name)}")
    with refused_if_damaged(name):
        try:
            stream = opened.enter_context(in_any_order(members[name].open()))
        except OSError as error:
            add_unreadable(error, name, findings)
            return {}
    inner_members = open_members(stream, name, limits, findings, opened, _REMAKE)
    _add_nested_zips(inner_members, findings)
    return inner_members


def _zip_names(names: Iterable[str]) -> list[str]:
    return [name for name in names if folded(name).endswith(".zip")]


def _add_nested_zips(members: Iterable[str], findings: Findings) -> None:
    for name in _zip_names(members):
        hint = f"unpack {quote(name)} and zip its files directly"
        findings.add("E-ZIP-NESTED", "this is a zip inside the zip", hint, file=name)


def _walk(root: Path, limits: Limits, findings: Findings) -> Iterator[tuple[str, Member]]:
    """Yield the regular files below ``root`` but the platform's own; links are problems, never followed."""
    pending_names = [""]
    left = limits.files
    while pending_names:
        folder = pending_names.pop()
        name = folder.rstrip("/") or "."
        try:
            with os.scandir(root / folder) as listing:
                submitted = (entry for entry in listing if folder or not _is_platforms(entry))
                # One more than allowed is enough to know.
                entries = sorted(islice(submitted, left + 1), key=lambda entry: entry.name)
            left -= len(entries)
            if left < 0:
                add_too_many(findings, root.name, limits)
                return
            for entry in entries:
                name = f"{folder}{entry.name}"
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    pending_names.append(f"{name}/")
                elif stat.S_ISREG(status.st_mode):
                    yield name, Member(status.st_size, partial(_open_file, entry.path))
                else:
                    add_irregular(status.st_mode, name, findings, "put the file itself there", "remove it")
        except OSError as error:
            add_unreadable(error, name, findings)


def _is_platforms(entry: os.DirEntry[str]) -> bool:
    """Return whether this is the file that the platform puts beside those of every submission."""
    return entry.name == "metadata" and entry.is_file(follow_symlinks=False)


def _open_file(path: str) -> BinaryIO:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")
