"""Ways to spoil a submission. Each takes a random generator and files (name -> bytes) or a zip, and changes them."""

from __future__ import annotations

import base64
import copy
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from organizer.quality.fuzzing.json_texts import odd_json

Files = dict[str, bytes]
_HUGE = [
    "9" * 400,
    "-" + "9" * 30,
    "1e308",
    "1e999",
    "1e-400",
    "NaN",
    "-Infinity",
    "true",
    "null",
    '"7"',
    "0x10",
    "07",
]
_ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e300, -1e300, 10**30, "", "x", "<img src=x onerror=alert(1)>", "\u202e\u0430", "é" * 50,
    [], {}, [[]], [None], {"": None}, [1] * 50, "a" * 5000,
]  # fmt: skip
_CONFUSABLES = {"a": "а", "e": "е", "o": "о", "_": "＿", ".": "․", "-": "‐", "1": "１"}
_DEEP = 100_000


def _pick(rng: random.Random, files: Files) -> str:
    return rng.choice(sorted(files))


def _cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def _flip_bits(rng: random.Random, data: bytearray, most: int) -> None:
    for _ in range(rng.randint(1, most)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(rng: random.Random, files: Files) -> None:
    """Cut a file off."""
    name = _pick(rng, files)
    files[name] = files[name][: rng.randrange(len(files[name]) + 1)]


def repeat(rng: random.Random, files: Files) -> None:
    """Write a stretch of a file twice."""
    name = _pick(rng, files)
    data = files[name]
    begin, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    files[name] = data[:end] + data[begin:end] + data[end:]


def flip_bytes(rng: random.Random, files: Files) -> None:
    """Change a few bytes."""
    name = _pick(rng, files)
    data = bytearray(files[name])
    for _ in range(rng.randint(1, 8)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    files[name] = bytes(data)


def insert_text(rng: random.Random, files: Files) -> None:
    """Put something into the middle."""
    name = _pick(rng, files)
    data = files[name]
    at = rng.randrange(len(data) + 1)
    text = rng.choice(
        [
            "\0",
            "\ufeff",
            ",",
            ";",
            '"',
            "'",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ":",
            "\n",
            "\r",
            "\t",
            "//",
            "\ud800",
            "NaN",
            "é",
            *_HUGE,
        ]
    )
    files[name] = data[:at] + text.encode("utf-8", "surrogatepass") + data[at:]


def encode(rng: random.Random, files: Files) -> None:
    """Save a file in another encoding, or with a byte order mark."""
    name = _pick(rng, files)
    text = files[name].decode("utf-8", "replace")
    encoding = rng.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037"])
    files[name] = text.encode(encoding, "replace")


def line_ends(rng: random.Random, files: Files) -> None:
    """Change the line ends."""
    name = _pick(rng, files)
    files[name] = files[name].replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\x0b", b"\x85", b""]))


def nest(rng: random.Random, files: Files) -> None:
    """Nest far too deep."""
    name = _pick(rng, files)
    bracket = rng.choice([b"[", b'{"a":', b"[[{"])
    files[name] = rng.choice([b"", files[name][:1]]) + bracket * rng.choice([70, 2000, _DEEP])


def replace_number(rng: random.Random, files: Files) -> None:
    """Put something strange in the place of a number."""
    name = _pick(rng, files)
    data = files[name]
    places = [i for i in range(min(len(data), 20_000)) if data[i : i + 1].isdigit()]
    if places:
        at = rng.choice(places)
        end = at
        while data[end : end + 1].isdigit():
            end += 1
        files[name] = data[:at] + rng.choice(_HUGE).encode() + data[end:]


def remove_file(rng: random.Random, files: Files) -> None:
    """Leave a file out."""
    del files[_pick(rng, files)]


def rename_file(rng: random.Random, files: Files) -> None:
    """Give a file another name."""
    name = _pick(rng, files)
    letter = rng.choice(sorted(set(name) & set(_CONFUSABLES)) or ["e"])
    new = rng.choice(
        [
            name.upper(), name.swapcase(), f"folder/{name}", f"a/b/{name}", f"../{name}", f"/{name}", f"C:\\{name}",
            f"x\\{name}", f"{name}.bak", name.replace("_", "-"), name + " ", f" {name}", f"\u202e{name}", f"a\0{name}",
            name.replace(letter, _CONFUSABLES.get(letter, "?")), "x" * 300, "metadata", "metadata.yaml", f"{name}.zip",
            f"__MACOSX/._{name}", ".DS_Store", "<script>alert(1)</script>.csv", "con", "-rf", f"{name}\n",
        ]
    )  # fmt: skip
    files[new] = files.pop(name)


def add_file(rng: random.Random, files: Files) -> None:
    """Add a file that nobody asked for."""
    name = rng.choice(
        ["metadata", "readme.txt", "__MACOSX/x", ".DS_Store", "a/b.csv", "x.json", "x.zip", "scores.txt", "é.csv"]
    )
    files[name] = rng.choice([b"", b"x", b"command: python3 -c 1\n", b"{}", b"[]"])


def csv_dialect(rng: random.Random, files: Files) -> None:
    """Write CSV as other programs do."""
    name = _pick(rng, files)
    text = files[name].decode("utf-8", "replace")
    lines = text.splitlines()
    change = rng.choice(
        ["header", "semicolon", "quote", "float", "blank", "space", "tab", "extra", "fewer", "sign", "swap"]
    )
    if change == "header":
        lines.insert(0, "gesture,start,end")
    elif lines:
        at = rng.randrange(len(lines))
        fields = lines[at].split(",")
        lines[at] = {
            "semicolon": ";".join(fields),
            "quote": ",".join(f'"{field}"' for field in fields),
            "float": ",".join(f"{field}.0" for field in fields),
            "blank": "",
            "space": ", ".join(fields),
            "tab": "\t".join(fields),
            "extra": lines[at] + ",1",
            "fewer": ",".join(fields[:-1]),
            "sign": ",".join(f"-{field}" for field in fields),
            "swap": ",".join(reversed(fields)),
        }[change]
    files[name] = ("\n".join(lines) + rng.choice(["", "\n", "\n\n", "\n \n"])).encode()


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    pending = [(value, path)]
    while pending and len(found) < 3000:
        node, own = pending.pop()
        entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in entries:
            found.append((*own, key))
            pending.append((child, (*own, key)))
    return found


def json_tree(rng: random.Random, files: Files) -> None:
    """Change a JSON document: swap types, delete, add and repeat keys, put odd values."""
    name = _pick(rng, files)
    try:
        document = json.loads(files[name])
    except (ValueError, RecursionError):
        return
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(_paths(document))
        if not path:
            if rng.random() < 0.1:
                document = copy.deepcopy(rng.choice(_ODD_VALUES))
            continue
        try:
            holder = document
            for step in path[:-1]:
                holder = holder[step]
            action = rng.choice(["replace", "delete", "add", "repeat"])
            if action == "delete":
                del holder[path[-1]]
            elif action == "add" and isinstance(holder, dict):
                holder[rng.choice(["box", "number", "<b>", "", "é"])] = copy.deepcopy(rng.choice(_ODD_VALUES))
            elif action == "repeat" and isinstance(holder, list):
                holder[:] = (holder * rng.choice([2, 30]))[:5000]
            else:
                holder[path[-1]] = copy.deepcopy(rng.choice(_ODD_VALUES))
        except (KeyError, IndexError, TypeError):
            continue
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1 and text.startswith("{"):
        text = '{"' + rng.choice(["results", "eval_mode", "v"]) + '": 1, ' + text[1:]
    files[name] = text.encode("utf-8", "surrogatepass")


def json_text(rng: random.Random, files: Files) -> None:
    """Write a JSON document in an odd way."""
    name = _pick(rng, files)
    try:
        document = json.loads(files[name])
    except (ValueError, RecursionError):
        return
    oddity = rng.choice([0.0, 1, 3]) / max(len(_paths(document)), 1)
    files[name] = odd_json(rng, document, oddity).encode("utf-8", "surrogatepass")


def damage_png(rng: random.Random, files: Files) -> None:
    """Spoil the picture of a detection."""
    name = _pick(rng, files)
    try:
        document = json.loads(files[name])
        entry = rng.choice(document)
        text = entry["uv_data"]
        action = rng.choice(["png", "png", "png", "text", "shape"])
        if action == "png":
            entry["uv_data"] = base64.b64encode(damaged_png(rng, base64.b64decode(text))).decode()
        elif action == "shape":
            entry["uv_shape"] = [3, rng.choice([0, 1, -1, 60_000]), entry["uv_shape"][2]]
        else:
            at = rng.randrange(len(text) + 1)
            odd = rng.choice(["=", "==", "!", "\n", "\r\n", " ", "-", "é", "\0"])
            entry["uv_data"] = rng.choice(["", "=", text + "=", text[1:], text[:at] + odd + text[at:]])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return
    files[name] = json.dumps(document).encode()


def damaged_png(rng: random.Random, png: bytes) -> bytes:
    """Return a PNG with something wrong: bytes, or whole chunks with right checksums."""
    data = bytearray(png)
    action = rng.choice(
        ["cut", "flip", "append", "header", "order", "insert", "remove", "stream", "split", "checksum"]
    )
    if action == "cut":
        _cut(rng, data)
    elif action == "flip":
        _flip_bits(rng, data, 5)
    elif action == "append":
        data += bytes(rng.randrange(256) for _ in range(50))
    if action in ("cut", "flip", "append"):
        return bytes(data)
    chunks = _png_chunks(png)
    at = rng.randrange(len(chunks))
    kind, content = chunks[at]
    if action == "header":
        sizes = [rng.choice([0, 1, 20_000, 2**31 - 1]) for _ in range(2)]
        chunks[0] = (b"IHDR", struct.pack(">IIBBBBB", *sizes, *(rng.choice([0, 1, 2, 3, 8, 16]) for _ in range(5))))
    elif action == "order":
        rng.shuffle(chunks)
    elif action == "insert":
        further = [
            (b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)),
            (b"tEXt", b"x"),
            (b"CODE", b"x"),
        ]
        further += [
            (b"iCCP", b"x\0\0" + zlib.compress(bytes(1_000_000))),
            (b"PLTE", bytes(3)),
            (b"IDAT", b""),
            (b"IEND", b""),
        ]
        chunks.insert(at, rng.choice(further))
    elif action == "remove":
        del chunks[at]
    elif action == "split" and content:
        half = rng.randrange(len(content))
        chunks[at : at + 1] = [(kind, content[:half]), *rng.choice([[], [(b"tEXt", b"x")]]), (kind, content[half:])]
    elif action == "stream":
        lines = zlib.decompress(b"".join(own for name, own in chunks if name == b"IDAT"))
        end = rng.randrange(len(lines) + 1)
        changed = [lines[:end], lines + b"\0", bytes(len(lines) * 9), bytes([5 + lines[0]]) + lines[1:]]
        stream = zlib.compress(rng.choice(changed))
        stream = rng.choice([stream, stream[:-4], stream + b"x", stream[:-4] + bytes(4)])
        chunks = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
        chunks.insert(1, (b"IDAT", stream))
    wrong = at if action == "checksum" else -1
    return png[:8] + b"".join(
        struct.pack(">I", len(own)) + name + own + struct.pack(">I", zlib.crc32(name + own) ^ (place == wrong))
        for place, (name, own) in enumerate(chunks)
    )


def _png_chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    chunks, at = [], 8
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += 12 + size
    return chunks


FILE_MUTATIONS: tuple[Callable[[random.Random, Files], None], ...] = (
    truncate, repeat, flip_bytes, insert_text, encode, line_ends, nest, replace_number, remove_file, rename_file, add_file,
)  # fmt: skip


def plain_zip(files: Files) -> bytes:
    """Return an ordinary zip of the files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def spoiled_zip(rng: random.Random, files: Files) -> bytes:
    """Return an archive with a trick in it."""
    trick = rng.choice(
        ["cut", "flip", "twice", "link", "bomb", "nested", "encrypted", "method", "prefix", "suffix", "empty", "none", "many",
         "size", "folder", "not a zip", "name", "junk", "checksum", "other name", "hidden directory"]
    )  # fmt: skip
    if trick == "empty":
        return b""
    if trick == "not a zip":
        return rng.choice(
            [b"\x1f\x8b" + bytes(20), b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"hello", b"PK", b"PK\x05\x06"]
        )
    if trick == "none":
        return plain_zip({})
    if trick == "nested":
        return plain_zip({"inner.zip": plain_zip(files)})
    if trick == "folder":
        return plain_zip({f"top/{name}": data for name, data in files.items()})
    if trick == "name":
        names = [
            "x" * 256,
            ".",
            "./x",
            "a//b",
            "metadata/x",
            "\x1b[31mx",
            "é" * 128,
            "a/" * 600 + "b",
            *sorted(files),
        ]
        return plain_zip({**files, rng.choice(names) + rng.choice(["", "/", "/x"]): b""})
    if trick == "junk":
        name = rng.choice(["__MACOSX/x", "._x", ".DS_Store"])
        return plain_zip({**files, name: bytes(rng.choice([10, 3_000_000]))})
    stream = io.BytesIO(plain_zip(files))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        if trick == "link":
            info = zipfile.ZipInfo("link.csv")
            info.external_attr = 0o120777 << 16
            archive.writestr(info, "/etc/passwd")
        elif trick == "bomb":
            archive.writestr(zipfile.ZipInfo("bomb.csv"), bytes(5_000_000), zipfile.ZIP_DEFLATED)
        elif trick == "many":
            for number in range(1200):
                archive.writestr(zipfile.ZipInfo(f"f{number}"), b"")
    packed = bytearray(stream.getvalue())
    if trick == "cut":
        _cut(rng, packed)
    elif trick == "flip":
        _flip_bits(rng, packed, 4)
    elif trick == "prefix":
        packed[:0] = b"#!/bin/sh\n"
    elif trick == "suffix":
        packed += bytes(rng.randrange(256) for _ in range(40))
    elif trick in ("encrypted", "method", "size", "twice", "checksum", "other name", "hidden directory"):
        _patch_directory(rng, packed, trick)
    return bytes(packed)


def _patch_directory(rng: random.Random, data: bytearray, trick: str) -> None:
    entry = data.find(b"PK\x01\x02")
    if entry < 0:
        return
    if trick == "encrypted":
        data[entry + 8] |= 1
    elif trick == "method":
        struct.pack_into("<H", data, entry + 10, rng.choice([1, 6, 9, 12, 14, 93, 99]))
    elif trick == "size":
        struct.pack_into("<I", data, entry + rng.choice([20, 24]), rng.choice([0, 1, 2**31, 2**32 - 1]))
    elif trick == "checksum":
        data[entry + 16] ^= 1
    elif trick == "other name":
        data[30] ^= 1
    elif trick == "hidden directory":
        end = data.rfind(b"PK\x05\x06")
        entries, size, start = struct.unpack_from("<HII", data, end + 10)
        record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, start)
        locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
        data[end:] = record + locator + struct.pack("<4sHHHHIIH", b"PK\x05\x06", *[0] * 7)
    else:
        second = data.find(b"PK\x01\x02", entry + 4)
        if second > 0:
            (first_length,) = struct.unpack_from("<H", data, entry + 28)
            (second_length,) = struct.unpack_from("<H", data, second + 28)
            if first_length == second_length:
                data[second + 46 : second + 46 + second_length] = data[entry + 46 : entry + 46 + first_length]


def mutate(rng: random.Random, files: Files) -> bytes:
    """Return a spoiled submission."""
    files = dict(files)
    special: list[Callable[[random.Random, Files], None]] = []
    if any(name.endswith(".csv") for name in files):
        special += [csv_dialect] * 4
    if any(name.endswith(".json") for name in files):
        special += [*[json_tree] * 4, *[json_text] * 4]
    if any(b"uv_data" in data[:2000] for data in files.values()):
        special += [damage_png] * 4
    if rng.random() < 0.15:
        return spoiled_zip(rng, files)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if files:
            rng.choice([*FILE_MUTATIONS, *special])(rng, files)
    return plain_zip(files)
