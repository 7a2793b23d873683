"""What a folder of submissions, or a site's download of them, holds: zips, and submissions that are unpacked.

An unpacked submission is a folder with files of the task, or a single file; it is zipped again.
"""

from __future__ import annotations

import contextlib
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Union

from organizer.files import DAMAGED, zip_bytes
from organizer.runs.download_names import MEMBERS_FILE, is_result, read_members, readings_of
from validator.formats.rules import Rules

_CHUNK = 1 << 20
# The ending of the file of tasks that take one of any name.
_SINGLE = ".json"
File = Union[Path, tuple[zipfile.ZipFile, zipfile.ZipInfo]]
# A zip, or the files of an unpacked submission by their names in it.
Source = Union[File, Mapping[str, File]]


@dataclass(frozen=True)
class Sources:
    """The submissions by name, zips and unpacked ones, and what is left out.

    Attributes
    ----------
    submissions : mapping of str to Source
    hidden, results : sequence of str
        Zips that are hidden, or that hold what a run has written.
    links : sequence of str
        Symbolic links that could be submissions.
    members : mapping of str to sequence of str
        The users of each team, if the download says it.
    """

    submissions: Mapping[str, Source]
    hidden: Sequence[str] = ()
    results: Sequence[str] = ()
    links: Sequence[str] = ()
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def unpacked(self) -> list[str]:
        """The names of the submissions that are no zips."""
        return [name for name, source in self.submissions.items() if isinstance(source, Mapping)]


def read_source(source: Source) -> bytes:
    """Return the bytes of a submission; of a damaged member of a download those before the damage."""
    if isinstance(source, Mapping):
        return zip_bytes({name: read_source(file) for name, file in source.items()})
    if isinstance(source, Path):
        return source.read_bytes()
    archive, info = source
    data = bytearray()
    # The validator says what is wrong with it.
    with contextlib.suppress(*DAMAGED), archive.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            data += chunk
    return bytes(data)


def sources_of_folder(folder: Path, rules: Rules | None) -> Sources:
    """Return the submissions in a folder and in the folders below it; ``rules`` are those of the task.

    Symbolic links, which may lead anywhere, are left out.
    """
    files: dict[str, File] = {}
    links = []
    for path in folder.rglob("*"):
        name = _name_in_utf8(path.relative_to(folder))
        if path.is_symlink():
            if path.is_dir() or _is_zip(name):
                links.append(name)
        elif path.is_file():
            files[name] = path
    return _sort_files(files, rules, links)


def _name_in_utf8(path: Path) -> str:
    """Return a path as UTF-8 reads it, in an ASCII locale, too, in which Python escapes all other bytes."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def sources_of_download(archive: zipfile.ZipFile, rules: Rules | None) -> Sources:
    """Return the submissions in a download; ``rules`` are those of the task.

    Of members with the same name, as two teams of one name have, the second ends with ``(2)``.
    """
    files: dict[str, File] = {}
    n_of_name: Counter[str] = Counter()
    for info in archive.infolist():
        if not info.is_dir():
            n_of_name[info.filename] += 1
            files[_numbered(info.filename, n_of_name[info.filename])] = archive, info
    return _sort_files(files, rules)


def _numbered(name: str, number: int) -> str:
    path = PurePosixPath(name)
    return name if number == 1 else str(path.with_name(f"{path.stem} ({number}){path.suffix}"))


def _sort_files(files: Mapping[str, File], rules: Rules | None, links: Sequence[str] = ()) -> Sources:
    zips = [name for name in files if _is_zip(name)]
    hidden = [name for name in zips if _is_hidden(name)]
    results = [name for name in zips if name not in hidden and is_result(name)]
    submissions: dict[str, Source] = {
        name: files[name] for name in zips if name not in hidden and name not in results
    }
    other_names = [name for name in files if not _is_zip(name) and not _is_hidden(name)]
    submissions.update(_unpacked_submissions({name: files[name] for name in other_names}, zips, rules))
    members = files.get(MEMBERS_FILE)
    return Sources(
        submissions=submissions,
        hidden=hidden,
        results=results,
        links=links,
        members=read_members(read_source(members).decode("utf-8", "replace")) if members else {},
    )


def _unpacked_submissions(
    files: Mapping[str, File], zips: Collection[str], rules: Rules | None
) -> dict[str, dict[str, File]]:
    """Return the submissions that are folders or single files, by name; each holds its files by name."""
    folders_with_zips = {str(parent) for name in zips for parent in PurePosixPath(name).parents}
    packed = {name[: -len(".zip")] for name in zips}
    unpacked: dict[str, dict[str, File]] = {}
    folders = _submission_folders(files, folders_with_zips, rules)
    for name, file in files.items():
        # A folder within another is a part of that one.
        folder = next((parent for parent in _parents(name) if parent in folders), "")
        if folder:
            if folder not in packed:
                unpacked.setdefault(folder, {})[name[len(folder) + 1 :]] = file
        elif file_name := _name_in_submission(name, rules):
            unpacked[name] = {file_name: file}
    return unpacked


def _parents(name: str) -> list[str]:
    """Return the folders that a file is in, the outermost first."""
    return [str(parent) for parent in reversed(PurePosixPath(name).parents)][1:]


def _submission_folders(
    names: Iterable[str], folders_with_zips: Collection[str], rules: Rules | None
) -> set[str]:
    """Return the folders that are submissions: named as in a download, or with files of the task."""
    folders = set()
    for name in names:
        parents = _parents(name)
        downloaded = [parent for parent in parents if readings_of(parent)]
        is_of_task = bool(parents) and _is_of_task(name, rules)
        for folder in downloaded or parents[-1:]:
            if folder not in folders_with_zips and (downloaded or is_of_task):
                folders.add(folder)
    return folders


def _name_in_submission(name: str, rules: Rules | None) -> str:
    """Return what a single file is called in a submission that has nothing else; "" if it is none.

    It is one if its name is that of a download, or if the task takes one file of any name.
    """
    path = PurePosixPath(name)
    if readings := readings_of(name):
        return readings[0].file
    takes_any_name = rules is not None and rules.any_single and path.suffix == _SINGLE
    return path.name if takes_any_name else ""


def _is_of_task(name: str, rules: Rules | None) -> bool:
    patterns = rules.name_patterns if rules else ()
    return any(fnmatchcase(PurePosixPath(name).name, pattern) for pattern in patterns)


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part != ".." for part in PurePosixPath(name).parts)
