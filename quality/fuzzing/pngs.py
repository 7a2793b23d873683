"""Ways to damage bytes, and a PNG: whole chunks with right checksums."""

from __future__ import annotations

import random
import struct
import zlib

_SIGNATURE = 8
# A header of a huge image, a large color profile, and chunks that are unknown or out of place.
_INSERTED = (
    (b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)), (b"tEXt", b"x"), (b"CODE", b"x"),
    (b"iCCP", b"x\0\0" + zlib.compress(bytes(1_000_000))), (b"PLTE", bytes(3)), (b"IDAT", b""),
    (b"IEND", b""),
)  # fmt: skip
_SIDES = (0, 1, 20_000, 2**31 - 1)


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
    """Return a PNG with something wrong: bytes, or whole chunks with right checksums, or one checksum."""
    if rng.random() < 0.3:
        return rng.choice(BYTE_CHANGES)(rng, png)
    chunks, action = _chunks(png), rng.choice(["sum", "header", "order", "chunk", "chunk", "pixels", "split"])
    index = rng.randrange(len(chunks))
    name, data = chunks[index]
    if action == "header":
        modes = [rng.choice([0, 1, 2, 3, 8, 16]) for _ in range(5)]
        chunks[0] = b"IHDR", struct.pack(">IIBBBBB", rng.choice(_SIDES), rng.choice(_SIDES), *modes)
    elif action == "order":
        rng.shuffle(chunks)
    elif action == "chunk":
        chunks[index : index + 1] = rng.choice([[], [rng.choice(_INSERTED), (name, data)]])
    elif action == "pixels":
        stream = zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT"))
        others = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
        chunks = [others[0], (b"IDAT", _other_pixels(rng, stream)), *others[1:]]
    elif action == "split":
        middle, between = rng.randrange(len(data) + 1), rng.choice([[], [(b"tEXt", b"x")]])
        chunks[index : index + 1] = [(name, data[:middle]), *between, (name, data[middle:])]
    wrong = index if action == "sum" else None
    parts = [png[:_SIGNATURE]]
    for at, (name, data) in enumerate(chunks):
        checksum = zlib.crc32(name + data) ^ (at == wrong)
        parts += [struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)]
    return b"".join(parts)


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    chunks, start = [], _SIGNATURE
    while start < len(png):
        (size,) = struct.unpack_from(">I", png, start)
        chunks.append((png[start + 4 : start + 8], png[start + 8 : start + 8 + size]))
        start += 12 + size
    return chunks


def _other_pixels(rng: random.Random, lines: bytes) -> bytes:
    """Return a compressed stream with other pixels, or with another end."""
    longer, wrong_filter = bytes(len(lines) * 9), bytes([5 + lines[0]]) + lines[1:]
    stream = zlib.compress(rng.choice([cut(rng, lines), lines + b"\0", longer, wrong_filter]))
    return rng.choice([stream, stream[:-4], stream + b"x", stream[:-4] + bytes(4)])
