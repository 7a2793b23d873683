"""What is in the zips of a bundle, in bounded time and memory: a bundle may be somebody else's.

The zips of a bundle are opened, and the zips in these, but no deeper.
"""

from __future__ import annotations

import contextlib
import io
import posixpath
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from organizer.files import DAMAGED

MOST_BYTES = 4 << 30
"""The most bytes that the zips of a bundle may unpack to, together."""
_LARGEST_MEMBER = 2 << 30
_ENDING = ".zip"


class Member(NamedTuple):
    """A file in a zip; the name of one in a zip of it begins with the name of that zip."""

    name: str
    data: bytes


class Extent(NamedTuple):
    """What a zip unpacks to: how many bytes, and the names of the zips that are too deep to be opened."""

    n_bytes: int
    deep_zips: list[str]


def has_password(archive: Path | io.BytesIO) -> bool:
    """Return whether a file of a zip is encrypted; not if it is no zip."""
    try:
        with zipfile.ZipFile(archive) as zip_file:
            return any(info.flag_bits & 1 for info in zip_file.infolist())
    except DAMAGED:
        return False


def is_zip(data: bytes) -> bool:
    """Return whether this is the content of a zip."""
    return zipfile.is_zipfile(io.BytesIO(data))


def unpacked_bytes(archive: Path | io.BytesIO) -> int:
    """Return how many bytes a zip says that it unpacks to; never are more read. Raises one of `DAMAGED`."""
    with zipfile.ZipFile(archive) as zip_file:
        sizes = [info.file_size for info in zip_file.infolist()]
    if max(sizes, default=0) > _LARGEST_MEMBER:
        return MOST_BYTES + 1
    return sum(sizes)


def members_of(data: bytes) -> Iterator[Member]:
    """Yield the files of a zip, and those of the zips in it. Raises one of `DAMAGED`.

    A damaged zip in the zip is a file like others.
    """
    for outer in _direct_members(data):
        yield outer
        if _is_named_zip(outer):
            for inner in _readable_members(outer.data):
                yield Member(posixpath.join(outer.name, inner.name), inner.data)


@lru_cache
def member_names(data: bytes) -> tuple[str, ...]:
    """Return the names of what `members_of` yields, nothing of a file that is no zip; they are kept."""
    return tuple(member.name for member in members_of(data)) if is_zip(data) else ()


def outer_names(data: bytes) -> list[str]:
    """Return the names in a zip, not those in the zips in it; nothing of a file that is no zip."""
    with contextlib.suppress(*DAMAGED), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.namelist()
    return []


@lru_cache
def measure_zip(data: bytes, allowed_bytes: int) -> Extent:
    """Return what a zip and the zips in it unpack to; the count ends above ``allowed_bytes``. It is kept.

    All files of the zip itself are unpacked, of the zips in it only further zips. Raises one of `DAMAGED` if
    the zip itself is damaged.
    """
    n_bytes = unpacked_bytes(io.BytesIO(data))
    deep_zips: list[str] = []
    if n_bytes > allowed_bytes:
        return Extent(n_bytes, deep_zips)
    for outer in _direct_members(data):
        if not _is_named_zip(outer):
            continue
        try:
            n_bytes += unpacked_bytes(io.BytesIO(outer.data))
        except DAMAGED:
            continue
        if n_bytes > allowed_bytes:
            return Extent(n_bytes, deep_zips)
        for inner in _readable_members(outer.data, _ENDING):
            if is_zip(inner.data):
                deep_zips.append(posixpath.join(outer.name, inner.name))
    return Extent(n_bytes, deep_zips)


def _is_named_zip(member: Member) -> bool:
    return member.name.lower().endswith(_ENDING) and is_zip(member.data)


def _direct_members(data: bytes, ending: str = "") -> Iterator[Member]:
    """Yield the files of a zip whose names end so, in any case; others are not unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.filename.lower().endswith(ending):
                yield Member(info.filename, archive.read(info))


def _readable_members(data: bytes, ending: str = "") -> list[Member]:
    """Return what `_direct_members` yields of a zip in a zip; nothing if it is damaged."""
    try:
        return list(_direct_members(data, ending))
    except DAMAGED:
        return []
