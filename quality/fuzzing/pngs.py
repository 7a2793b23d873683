"""Ways to damage bytes, and a PNG: whole chunks with right checksums."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable

Chunk = tuple[bytes, bytes]
_SIGNATURE = 8
_INSERTED = (
    (b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)), (b"tEXt", b"x"), (b"CODE", b"x"),
    (b"iCCP", b"x\0\0" + zlib.compress(bytes(1_000_000))), (b"PLTE", bytes(3)), (b"IDAT", b""),
    (b"IEND", b""),
)  # fmt: skip


def cut(rng: random.Random, data: bytes) -> bytes:
    """Cut bytes off at the end."""
    return data[: rng.randrange(len(data) + 1)]


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    """Change up to five bits."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def append(rng: random.Random, data: bytes) -> bytes:
    """Add random bytes at the end."""
    return data + bytes(rng.randrange(256) for _ in range(50))


def repeat(rng: random.Random, data: bytes) -> bytes:
    """Repeat a part."""
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] + data[end:]


BYTE_CHANGES = (cut, flip_bits, append, repeat)


def damaged_png(rng: random.Random, png: bytes) -> bytes:
    """Return a PNG with something wrong."""
    if rng.random() < 0.3:
        return rng.choice(BYTE_CHANGES)(rng, png)
    chunks = _chunks(png)
    index = rng.randrange(len(chunks))
    change = rng.choice((*_CHANGES, None))
    if change:
        chunks = change(rng, chunks, index)
    return png[:_SIGNATURE] + b"".join(
        struct.pack(">I", len(data))
        + name
        + data
        + struct.pack(">I", zlib.crc32(name + data) ^ (not change and i == index))
        for i, (name, data) in enumerate(chunks)
    )


def _chunks(png: bytes) -> list[Chunk]:
    chunks, start = [], _SIGNATURE
    while start < len(png):
        (size,) = struct.unpack_from(">I", png, start)
        chunks.append((png[start + 4 : start + 8], png[start + 8 : start + 8 + size]))
        start += 12 + size
    return chunks


def _split(rng: random.Random, chunks: list[Chunk], index: int) -> list[Chunk]:
    name, data = chunks[index]
    middle = rng.randrange(len(data) + 1)
    between = rng.choice([[], [(b"tEXt", b"x")]])
    return [*chunks[:index], (name, data[:middle]), *between, (name, data[middle:]), *chunks[index + 1 :]]


def _stream(rng: random.Random, chunks: list[Chunk], index: int) -> list[Chunk]:
    """Change the pixels, or the end of their compressed stream."""
    lines = zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT"))
    longer, wrong_filter = bytes(len(lines) * 9), bytes([5 + lines[0]]) + lines[1:]
    stream = zlib.compress(rng.choice([cut(rng, lines), lines + b"\0", longer, wrong_filter]))
    stream = rng.choice([stream, stream[:-4], stream + b"x", stream[:-4] + bytes(4)])
    others = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
    return [others[0], (b"IDAT", stream), *others[1:]]


def _header(rng: random.Random) -> Chunk:
    sizes = [rng.choice([0, 1, 20_000, 2**31 - 1]) for _ in range(2)]
    modes = [rng.choice([0, 1, 2, 3, 8, 16]) for _ in range(5)]
    return b"IHDR", struct.pack(">IIBBBBB", *sizes, *modes)


_CHANGES: tuple[Callable[[random.Random, list[Chunk], int], list[Chunk]], ...] = (
    lambda rng, chunks, index: [_header(rng), *chunks[1:]],
    lambda rng, chunks, index: rng.sample(chunks, len(chunks)),
    lambda rng, chunks, index: [*chunks[:index], rng.choice(_INSERTED), *chunks[index:]],
    lambda rng, chunks, index: chunks[:index] + chunks[index + 1 :],
    *(_stream, _split),
)
