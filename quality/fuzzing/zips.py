"""Ways to damage the zip of a submission."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Callable

from organizer.files import Files, zip_bytes
from quality.fuzzing.pngs import append, cut, flip_bits

_NO_ZIPS = (
    b"\x1f\x8b" + bytes(20),
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"hello",
    b"PK",
    b"PK\x05\x06",
    b"",
)
_NAMES = ("x" * 256, ".", "./x", "a//b", "metadata/x", "\x1b[31mx", "é" * 128, "a/" * 600 + "b")
_JUNK = ("__MACOSX/x", "._x", ".DS_Store")
_ENTRY, _END = b"PK\x01\x02", b"PK\x05\x06"


def damaged_zip(rng: random.Random, files: Files) -> bytes:
    """Return an archive with something wrong."""
    return rng.choice((*_CHANGES, *[_with_patch] * 6, _with_link))(rng, files)


def _with_link(rng: random.Random, files: Files) -> bytes:
    stream = io.BytesIO(zip_bytes(files))
    with zipfile.ZipFile(stream, "a") as archive:
        info = zipfile.ZipInfo("link.csv")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def _any_name(rng: random.Random, files: Files) -> str:
    return rng.choice([*_NAMES, *sorted(files)]) + rng.choice(["", "/", "/x"])


_CHANGES: tuple[Callable[[random.Random, Files], bytes], ...] = (
    lambda rng, files: rng.choice(_NO_ZIPS),
    lambda rng, files: zip_bytes({}),
    lambda rng, files: zip_bytes({"inner.zip": zip_bytes(files)}),
    lambda rng, files: zip_bytes({f"top/{name}": data for name, data in files.items()}),
    lambda rng, files: zip_bytes({**files, _any_name(rng, files): b""}),
    lambda rng, files: zip_bytes({**files, rng.choice(_JUNK): bytes(rng.choice([10, 3_000_000]))}),
    lambda rng, files: zip_bytes({**files, "bomb.csv": bytes(5_000_000)}),
    lambda rng, files: zip_bytes({**files, **{f"f{number}": b"" for number in range(1200)}}),
    lambda rng, files: cut(rng, zip_bytes(files)),
    lambda rng, files: flip_bits(rng, zip_bytes(files)),
    lambda rng, files: append(rng, zip_bytes(files)),
    lambda rng, files: b"#!/bin/sh\n" + zip_bytes(files),
)


def _with_patch(rng: random.Random, files: Files) -> bytes:
    """Return a zip whose directory contradicts its members."""
    data = bytearray(zip_bytes(files))
    entry = data.find(_ENTRY)
    if entry >= 0:
        rng.choice(_PATCHES)(rng, data, entry)
    return bytes(data)


def _same_name(rng: random.Random, data: bytearray, entry: int) -> None:
    """Give the second member the name of the first, if both names have one length."""
    second = data.find(_ENTRY, entry + 4)
    (length,) = struct.unpack_from("<H", data, entry + 28)
    if second >= 0 and struct.unpack_from("<H", data, second + 28) == (length,):
        data[second + 46 : second + 46 + length] = data[entry + 46 : entry + 46 + length]


def _zip64_directory(rng: random.Random, data: bytearray, entry: int) -> None:
    """Hide the directory behind the records of a zip64 archive."""
    end = data.rfind(_END)
    entries, size, start = struct.unpack_from("<HII", data, end + 10)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    data[end:] = record + locator + struct.pack("<4sHHHHIIH", _END, *[0] * 7)


def _field(rng: random.Random, data: bytearray, entry: int) -> None:
    """Change a field of the first entry: the flags, the method, the checksum, a size."""
    form, offset, values = rng.choice(_FIELDS)
    struct.pack_into(form, data, entry + offset, rng.choice(values))


def _member_name(rng: random.Random, data: bytearray, entry: int) -> None:
    data[30] ^= 1


_SIZES = (0, 1, 2**31, 2**32 - 1)
_METHODS = (1, 6, 9, 12, 14, 93, 99)
_FIELDS = (("<H", 8, (1,)), ("<H", 10, _METHODS), ("<I", 16, (1,)), ("<I", 20, _SIZES), ("<I", 24, _SIZES))
_PATCHES = (_same_name, _zip64_directory, _member_name, _field, _field)
