"""Ways to damage the zip of a submission."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Callable

from organizer.files import Files, zip_bytes
from quality.fuzzing.pngs import BYTE_CHANGES

_NO_ZIPS = (
    b"\x1f\x8b" + bytes(20), b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"hello", b"PK", b"PK\x05\x06", b"",
)  # fmt: skip
_NAMES = ("x" * 256, ".", "./x", "a//b", "metadata/x", "\x1b[31mx", "é" * 128, "a/" * 600 + "b")
_JUNK = ("__MACOSX/x", "._x", ".DS_Store")
_ENTRY, _END = b"PK\x01\x02", b"PK\x05\x06"
_SIZES = (0, 1, 2**31, 2**32 - 1)
# Of an entry of the directory: format, offset and other values of flags, method, checksum, both sizes.
_FIELDS = (
    ("<H", 8, (1,)), ("<H", 10, (1, 6, 9, 12, 14, 93, 99)), ("<I", 16, (1,)),
    ("<I", 20, _SIZES), ("<I", 24, _SIZES),
)  # fmt: skip


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
    *[lambda rng, files: rng.choice(BYTE_CHANGES)(rng, zip_bytes(files))] * 3,
    lambda rng, files: b"#!/bin/sh\n" + zip_bytes(files),
)


def _with_patch(rng: random.Random, files: Files) -> bytes:
    """Return a zip whose directory contradicts its members."""
    data = bytearray(zip_bytes(files))
    entry, end = data.find(_ENTRY), data.rfind(_END)
    change = rng.choice(["field", "field", "name", "twice", "zip64"])
    if entry < 0:
        return bytes(data)
    if change == "field":
        form, offset, values = rng.choice(_FIELDS)
        struct.pack_into(form, data, entry + offset, rng.choice(values))
    elif change == "name":
        data[30] ^= 1
    elif change == "twice":
        # The second member gets the name of the first, if both names have one length.
        second, (length,) = data.find(_ENTRY, entry + 4), struct.unpack_from("<H", data, entry + 28)
        if second >= 0 and struct.unpack_from("<H", data, second + 28) == (length,):
            data[second + 46 : second + 46 + length] = data[entry + 46 : entry + 46 + length]
    else:
        # The directory is behind the records of a zip64 archive.
        entries, size, start = struct.unpack_from("<HII", data, end + 10)
        record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
        locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
        data[end:] = record + locator + struct.pack("<4sHHHHIIH", _END, *[0] * 7)
    return bytes(data)
