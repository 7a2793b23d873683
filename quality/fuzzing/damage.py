"""Ways to damage bytes, a PNG (whole chunks with right checksums), and the zip of a submission."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable

from organizer.files import Files, zip_bytes

# The name and the data of a part of a PNG.
_Chunk = tuple[bytes, bytes]
_SIGNATURE = 8
# A header of a huge image, a large color profile, and chunks that are unknown or out of place.
_INSERTED = (
    (b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)), (b"tEXt", b"x"), (b"CODE", b"x"),
    (b"iCCP", b"x\0\0" + zlib.compress(bytes(1_000_000))), (b"PLTE", bytes(3)), (b"IDAT", b""),
    (b"IEND", b""),
)  # fmt: skip
_SIDES = (0, 1, 20_000, 2**31 - 1)
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


def cut(rng: random.Random, data: bytes) -> bytes:
    """Cut bytes off at the end."""
    return data[: rng.randrange(len(data) + 1)]


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    """Change up to five bits."""
    changed_data = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        if changed_data:
            changed_data[rng.randrange(len(changed_data))] ^= 1 << rng.randrange(8)
    return bytes(changed_data)


def append(rng: random.Random, data: bytes) -> bytes:
    """Add random bytes at the end."""
    return data + bytes(rng.randrange(256) for _ in range(50))


def repeat(rng: random.Random, data: bytes) -> bytes:
    """Repeat a part."""
    n_places = len(data) + 1
    places = [rng.randrange(n_places), rng.randrange(n_places)]
    start, end = min(places), max(places)
    return data[:end] + data[start:end] + data[end:]


BYTE_CHANGES = (cut, flip_bits, append, repeat)


def damaged_png(rng: random.Random, png: bytes) -> bytes:
    """Return a PNG with something wrong: bytes, or whole chunks with right checksums, or one checksum."""
    if rng.random() < 0.3:
        return rng.choice(BYTE_CHANGES)(rng, png)
    chunks = _chunks(png)
    action = rng.choice(["sum", "header", "order", "chunk", "chunk", "pixels", "split"])
    index = rng.randrange(len(chunks))
    if action == "header":
        chunks[0] = _other_header(rng)
    elif action == "order":
        rng.shuffle(chunks)
    elif action == "chunk":
        chunks[index : index + 1] = rng.choice([[], [rng.choice(_INSERTED), chunks[index]]])
    elif action == "pixels":
        chunks = _with_other_pixels(rng, chunks)
    elif action == "split":
        chunks[index : index + 1] = _split_chunk(rng, chunks[index])
    return _join_chunks(png[:_SIGNATURE], chunks, wrong_index=index if action == "sum" else None)


def _chunks(png: bytes) -> list[_Chunk]:
    chunks, start = [], _SIGNATURE
    while start < len(png):
        (size,) = struct.unpack_from(">I", png, start)
        chunks.append((png[start + 4 : start + 8], png[start + 8 : start + 8 + size]))
        start += 12 + size
    return chunks


def _join_chunks(signature: bytes, chunks: list[_Chunk], wrong_index: int | None) -> bytes:
    """Return a PNG of chunks, of which one may have a wrong checksum."""
    pieces = [signature]
    for index, (name, data) in enumerate(chunks):
        checksum = zlib.crc32(name + data)
        if index == wrong_index:
            checksum ^= 1
        pieces += [struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)]
    return b"".join(pieces)


def _other_header(rng: random.Random) -> _Chunk:
    modes = [rng.choice([0, 1, 2, 3, 8, 16]) for _ in range(5)]
    width, height = rng.choice(_SIDES), rng.choice(_SIDES)
    return b"IHDR", struct.pack(">IIBBBBB", width, height, *modes)


def _split_chunk(rng: random.Random, chunk: _Chunk) -> list[_Chunk]:
    """Return a chunk in two pieces, with or without another chunk between them."""
    name, data = chunk
    middle = rng.randrange(len(data) + 1)
    chunks_between = rng.choice([[], [(b"tEXt", b"x")]])
    return [(name, data[:middle]), *chunks_between, (name, data[middle:])]


def _with_other_pixels(rng: random.Random, chunks: list[_Chunk]) -> list[_Chunk]:
    """Return chunks with other image data: one compressed stream of other pixels, or with another end."""
    lines = zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT"))
    header, *other_chunks = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
    too_many_lines = bytes(len(lines) * 9)
    unknown_filter = bytes([5 + lines[0]]) + lines[1:]
    stream = zlib.compress(rng.choice([cut(rng, lines), lines + b"\0", too_many_lines, unknown_filter]))
    without_checksum = stream[:-4]
    wrong_checksum = without_checksum + bytes(4)
    stream = rng.choice([stream, without_checksum, stream + b"x", wrong_checksum])
    return [header, (b"IDAT", stream), *other_chunks]


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
    name = rng.choice([*_NAMES, *sorted(files)])
    ending = rng.choice(["", "/", "/x"])
    return name + ending


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
        _name_second_as_first(data, entry)
    else:
        _append_zip64_records(data, end)
    return bytes(data)


def _name_second_as_first(data: bytearray, first: int) -> None:
    """Give the second entry of a directory the name of the first, if both names have one length."""
    second = data.find(_ENTRY, first + 4)
    (length,) = struct.unpack_from("<H", data, first + 28)
    if second < 0:
        return
    (length_of_second,) = struct.unpack_from("<H", data, second + 28)
    if length_of_second == length:
        name = data[first + 46 : first + 46 + length]
        data[second + 46 : second + 46 + length] = name


def _append_zip64_records(data: bytearray, end: int) -> None:
    """Write the end of a zip as that of a zip64 archive; the directory is behind its records."""
    entries, size, start = struct.unpack_from("<HII", data, end + 10)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    data[end:] = record + locator + struct.pack("<4sHHHHIIH", _END, *[0] * 7)
