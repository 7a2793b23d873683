"""What a folder of submissions, or a site's download of them, holds: zips, and submissions that are unpacked.

An unpacked submission is a folder with files of the task, or a single file; it is zipped again. A folder may
hold whole downloads, and all files may be in one folder.
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, Union

from organizer.errors import InputError
from organizer.files import DAMAGED, zip_bytes
from organizer.runs.download_names import MEMBERS_PATTERN, is_result, read_members, readings_of
from validator.findings import Findings, Refused
from validator.formats.rules import Rules
from validator.submission import Limits, open_zip
from validator.texts import quote, some_words

_CHUNK = 1 << 20
# The ending of the file of tasks that take one of any name.
_SINGLE = ".json"
# As many files as any task allows: the directory of a zip with more is not read.
_LIMITS_OF_NAMES = Limits(files=50_000, total_bytes=0, file_bytes=0)
_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
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
    downloads : sequence of str
        Whole downloads of the site, whose members are among the submissions.
    unpacked_downloads : sequence of str
        The folders beside them that they were unpacked into, which are left out.
    only_folder : str
        The folder that all files are in, and were read from; "" if there is none.
    archives : sequence of str
        Files of other packing programs, as a RAR file, which no site takes for a submission.
    members : mapping of str to sequence of str
        The users of each team, if the download says it.
    """

    submissions: Mapping[str, Source]
    hidden: Sequence[str] = ()
    results: Sequence[str] = ()
    links: Sequence[str] = ()
    downloads: Sequence[str] = ()
    unpacked_downloads: Sequence[str] = ()
    only_folder: str = ""
    archives: Sequence[str] = ()
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def unpacked(self) -> list[str]:
        """The names of the submissions that are no zips."""
        return [name for name, source in self.submissions.items() if isinstance(source, Mapping)]


def read_source(source: Source) -> bytes:
    """Return the bytes of a submission; of a damaged member of a download those before the damage."""
    if isinstance(source, Mapping):
        return zip_bytes({name: read_source(file) for name, file in source.items()})
    return b"".join(pieces_of(source))


def pieces_of(file: File) -> Iterator[bytes]:
    """Yield what `read_source` returns of a file, in pieces: a download may unpack to any size."""
    # Of a damaged member the validator says what is wrong with it.
    errors = () if isinstance(file, Path) else DAMAGED
    with contextlib.suppress(*errors), _open_file(file) as stream:
        while piece := stream.read(_CHUNK):
            yield piece


def copy_source(source: Source, path: Path) -> None:
    """Write a submission to a zip, which need not fit into memory."""
    if not isinstance(source, Mapping):
        with path.open("wb") as stream:
            stream.writelines(pieces_of(source))
        return
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in source.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.writelines(pieces_of(file))


def hash_of(source: Source) -> str:
    """Return a SHA-256 of a submission, which need not fit into memory: of its bytes, or of its files."""
    total = hashlib.sha256()
    if isinstance(source, Mapping):
        for name, file in source.items():
            total.update(f"{name!r} {hash_of(file)}\n".encode())
        return total.hexdigest()
    for piece in pieces_of(source):
        total.update(piece)
    return total.hexdigest()


def size_of(source: Source) -> int:
    """Return the most bytes that are read of a submission; of an unpacked one, those of its files."""
    if isinstance(source, Mapping):
        return sum(map(size_of, source.values()))
    # zipfile reads no more of a member than it says to have.
    return source.stat().st_size if isinstance(source, Path) else source[1].file_size


def names_in(source: Source) -> list[str]:
    """Return the names of the files of a submission; none of a zip that is damaged, or of very many files."""
    if isinstance(source, Mapping):
        return list(source)
    with ExitStack() as stack, contextlib.suppress(Refused, *DAMAGED):
        stream = stack.enter_context(_open_file(source))
        return open_zip(stream, "", _LIMITS_OF_NAMES, Findings(), stack).namelist()
    return []


def sources_of_folder(folder: Path, rules: Rules | None, stack: ExitStack) -> Sources:
    """Return the submissions in a folder and in the folders below it; ``rules`` are those of the task.

    Whole downloads among the files stay open until ``stack`` ends. Symbolic links, which may lead anywhere,
    are left out.
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
    downloads = _open_downloads(files, stack)
    unpacked_names = {_top_folder(name) for name in files} & {name[: -len(".zip")] for name in downloads}
    kept_files = {
        name: file
        for name, file in files.items()
        if name not in downloads and _top_folder(name) not in unpacked_names
    }
    sources = _sort_files(_with_members(kept_files, downloads.values()), rules, links)
    return replace(sources, downloads=list(downloads), unpacked_downloads=list(unpacked_names))


def _top_folder(name: str) -> str:
    """Return the outermost folder that a file is in, "" for one at the top."""
    return name.partition("/")[0] if "/" in name else ""


def _name_in_utf8(path: Path) -> str:
    """Return a path as UTF-8 reads it, in an ASCII locale, too, in which Python escapes all other bytes."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def sources_of_download(archive: zipfile.ZipFile, rules: Rules | None) -> Sources:
    """Return the submissions in a download; ``rules`` are those of the task.

    Of members with the same name, as two teams of one name have, the second ends with ``(2)``.
    Raises InputError if it holds whole downloads.
    """
    files = _members_of(archive)
    with ExitStack() as stack:
        downloads = list(_open_downloads(files, stack))
    if downloads:
        names = some_words(list(map(quote, downloads)))
        raise InputError(f"it holds whole downloads: {names}; unpack it, and give the folder")
    return _sort_files(files, rules)


def _open_downloads(files: Mapping[str, File], stack: ExitStack) -> dict[str, zipfile.ZipFile]:
    """Return the whole downloads among the files at the top, by name.

    A zip that holds several zips with names of a download is one: no task takes it for a submission.
    """
    downloads = {}
    for name, file in files.items():
        if _is_zip(name) and "/" not in name and not _is_hidden(name) and not readings_of(name):
            with contextlib.suppress(*DAMAGED):
                stream = stack.enter_context(_open_file(file))
                archive = stack.enter_context(zipfile.ZipFile(stream))
                if _n_download_zips(archive.namelist()) > 1:
                    downloads[name] = archive
    return downloads


def _open_file(file: File) -> IO[bytes]:
    """Return the bytes of a file as a stream."""
    if isinstance(file, Path):
        return file.open("rb")
    archive, info = file
    return archive.open(info)


def _n_download_zips(names: Iterable[str]) -> int:
    """Return how many zips are at the top and have the name of a download."""
    top_zips = [name for name in names if _is_zip(name) and "/" not in name]
    return sum(1 for name in top_zips if readings_of(name) or is_result(name))


def _with_members(files: Mapping[str, File], downloads: Iterable[zipfile.ZipFile]) -> dict[str, File]:
    """Return the files and the members of downloads; what has the same name and content is there once."""
    all_files = dict(files)
    for archive in downloads:
        for name, member in _members_of(archive).items():
            number = 1
            while (new_name := _numbered(name, number)) in all_files and not _is_same(
                all_files[new_name], member
            ):
                number += 1
            all_files.setdefault(new_name, member)
    return all_files


def _is_same(file: File, other: File) -> bool:
    return size_of(file) == size_of(other) and hash_of(file) == hash_of(other)


def _members_of(archive: zipfile.ZipFile) -> dict[str, File]:
    """Return the members of a zip by name; of equal names the second ends with ``(2)``."""
    files: dict[str, File] = {}
    n_of_name: Counter[str] = Counter()
    for info in archive.infolist():
        if not info.is_dir():
            n_of_name[info.filename] += 1
            files[_numbered(info.filename, n_of_name[info.filename])] = archive, info
    return files


def _numbered(name: str, number: int) -> str:
    path = PurePosixPath(name)
    return name if number == 1 else str(path.with_name(f"{path.stem} ({number}){path.suffix}"))


def _sort_files(files: Mapping[str, File], rules: Rules | None, links: Sequence[str] = ()) -> Sources:
    only_folder = _only_folder(files)
    if only_folder:
        files = {
            name[len(only_folder) + 1 :]: file
            for name, file in files.items()
            if _top_folder(name) == only_folder
        }
    zips = [name for name in files if _is_zip(name)]
    hidden_names = [name for name in zips if _is_hidden(name)]
    results = [name for name in zips if name not in hidden_names and is_result(name)]
    submissions: dict[str, Source] = {
        name: files[name] for name in zips if name not in hidden_names and name not in results
    }
    other_names = [name for name in files if not _is_zip(name) and not _is_hidden(name)]
    submissions.update(_unpacked_submissions({name: files[name] for name in other_names}, zips, rules))
    archives = [
        name
        for name in other_names
        if name.lower().endswith(_OTHER_ARCHIVES) and not submissions.keys() & _parents(name)
    ]
    members: dict[str, list[str]] = {}
    for name in fnmatch.filter(files, MEMBERS_PATTERN):
        members.update(read_members(read_source(files[name]).decode("utf-8", "replace")))
    return Sources(
        submissions=submissions,
        hidden=hidden_names,
        results=results,
        links=links,
        only_folder=only_folder,
        archives=archives,
        members=members,
    )


def _only_folder(files: Iterable[str]) -> str:
    """Return the folder that all files are in, if names of a download there are of several users; else "".

    A folder is a team; one with the submissions of all is a download that was unpacked or packed again.
    """
    visible_names = [name for name in files if not _is_hidden(name)]
    folders = {_top_folder(name) for name in visible_names}
    readings = [
        readings_of(name)[0]
        for name in visible_names
        if name.count("/") == 1 and _is_zip(name) and readings_of(name)
    ]
    users = {reading.user or reading.team for reading in readings}
    return folders.pop() if len(folders) == 1 and len(users) > 1 else ""


def _unpacked_submissions(
    files: Mapping[str, File], zips: Collection[str], rules: Rules | None
) -> dict[str, dict[str, File]]:
    """Return the submissions that are folders or single files, by name; each holds its files by name."""
    folders_with_zips = {str(parent) for name in zips for parent in PurePosixPath(name).parents}
    packed_names = {name[: -len(".zip")] for name in zips}
    files_of_submission: dict[str, dict[str, File]] = {}
    folders = _submission_folders(files, folders_with_zips, rules)
    for name, file in files.items():
        # A folder within another is a part of that one.
        folder = next((parent for parent in _parents(name) if parent in folders), "")
        if folder:
            if folder not in packed_names:
                files_of_submission.setdefault(folder, {})[name[len(folder) + 1 :]] = file
        elif file_name := _name_in_submission(name, rules):
            files_of_submission[name] = {file_name: file}
    return files_of_submission


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
        download_folders = [parent for parent in parents if readings_of(parent)]
        is_of_task = bool(parents) and _is_of_task(name, rules)
        for folder in download_folders or parents[-1:]:
            if folder not in folders_with_zips and (download_folders or is_of_task):
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
    return any(fnmatch.fnmatchcase(PurePosixPath(name).name, pattern) for pattern in patterns)


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part != ".." for part in PurePosixPath(name).parts)
