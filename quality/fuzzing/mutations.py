"""Ways to corrupt a submission, as its participant, another program or an attacker might."""

from __future__ import annotations

import base64
import json
import random
import re
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress

from organizer.files import Files, zip_bytes
from quality.fuzzing.damage import BYTE_CHANGES, damaged_png, damaged_zip
from quality.fuzzing.json_texts import ODD_NUMBERS, odd_json

Change = Callable[[random.Random, bytes], bytes]
_NUMBERS = (*ODD_NUMBERS, "true", "null", '"7"')
_TEXTS = (*"\0\ufeff,;\"'\\{}[]:\n\r\t\ud800é", "//", *_NUMBERS)
_CONFUSABLES = {"a": "а", "e": "е", "o": "о", "_": "＿", ".": "․", "-": "‐", "1": "１"}
_NEW_NAMES = (
    "{upper}", "{swapped}", "{hyphens}", "{confusable}", "{name} ", " {name}", "{name}\n", "\u202e{name}",
    "a\0{name}", "folder/{name}", "a/b/{name}", "../{name}", "/{name}", "C:\\{name}", "x\\{name}",
    "{name}.bak", "{name}.zip", "x" * 300, "metadata", "metadata.yaml", "__MACOSX/._{name}", ".DS_Store",
    "<script>alert(1)</script>.csv", "con", "-rf",
)  # fmt: skip
_ADDED_NAMES = ("metadata", "readme.txt", "__MACOSX/x", ".DS_Store", "a/b.csv", "x.json", "x.zip", "é.csv")
_ADDED = (b"", b"x", b"command: python3 -c 1\n", b"{}", b"[]")
_LINES: tuple[Callable[[list[str]], str], ...] = (
    ";".join, ", ".join, "\t".join, lambda fields: "",
    lambda fields: ",".join(f'"{field}"' for field in fields), lambda fields: ",".join([*fields, "1"]),
    lambda fields: ",".join(f"{field}.0" for field in fields), lambda fields: ",".join(fields[:-1]),
    lambda fields: ",".join(f"-{field}" for field in fields), lambda fields: ",".join(reversed(fields)),
    lambda fields: "gesture,start,end\n" + ",".join(fields),
)  # fmt: skip
# How a PNG begins in base64.
_PNG = "iVBOR"
# What reading a document raises that an earlier change damaged.
_UNREADABLE = (
    *(StopIteration, ValueError, LookupError, TypeError, AttributeError, RecursionError),
    *(struct.error, zlib.error),
)


def _insert_text(rng: random.Random, data: bytes) -> bytes:
    middle = rng.randrange(len(data) + 1)
    inserted_text = rng.choice(_TEXTS).encode("utf-8", "surrogatepass")
    return data[:middle] + inserted_text + data[middle:]


def _encode(rng: random.Random, data: bytes) -> bytes:
    """Save a text in another encoding, or with a byte order mark."""
    encoding = rng.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037"])
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def _line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\x0b", b"\x85", b""]))


def _nest(rng: random.Random, data: bytes) -> bytes:
    bracket = rng.choice([b"[", b'{"a":', b"[[{"])
    begin = rng.choice([b"", data[:1]])
    n_levels = rng.choice([70, 2000, 100_000])
    return begin + bracket * n_levels


def _replace_number(rng: random.Random, data: bytes) -> bytes:
    numbers = list(re.finditer(rb"[0-9]+", data[:20_000]))
    if not numbers:
        return data
    number = rng.choice(numbers)
    return data[: number.start()] + rng.choice(_NUMBERS).encode() + data[number.end() :]


def _csv_dialect(rng: random.Random, data: bytes) -> bytes:
    """Write a line, and the end, as other programs do."""
    lines = data.decode("utf-8", "replace").splitlines() or [""]
    index = rng.randrange(len(lines))
    lines[index] = rng.choice(_LINES)(lines[index].split(","))
    return ("\n".join(lines) + rng.choice(["", "\n", "\n\n", "\n \n"])).encode()


def _json(rng: random.Random, data: bytes) -> bytes:
    """Write a JSON document in an odd way; most often one to three places are odd."""
    n_values = data.count(b",") + 1
    text = odd_json(rng, json.loads(data), rng.choice([0.0, 0.5, 1, 3]) / n_values)
    return text.encode("utf-8", "surrogatepass")


def _damage_image(rng: random.Random, data: bytes) -> bytes:
    document = json.loads(data)
    entry = rng.choice(document)
    key, text = next((key, text) for key, text in entry.items() if str(text).startswith(_PNG))
    action = rng.choice(["png", "png", "png", "text", "shape"])
    if action == "png":
        entry[key] = base64.b64encode(damaged_png(rng, base64.b64decode(text))).decode()
    elif action == "shape":
        sides = rng.choice([value for value in entry.values() if isinstance(value, list)])
        sides[1] = rng.choice([0, 1, -1, 60_000])
    else:
        middle = rng.randrange(len(text) + 1)
        odd = rng.choice(["=", "==", "!", "\n", "\r\n", " ", "-", "é", "\0"])
        entry[key] = rng.choice(["", "=", text + "=", text[1:], text[:middle] + odd + text[middle:]])
    return json.dumps(document).encode()


def rename(rng: random.Random, name: str) -> str:
    """Return another name for a file."""
    letters = sorted(set(name) & set(_CONFUSABLES)) or ["e"]
    letter = rng.choice(letters)
    new_name = rng.choice(_NEW_NAMES)
    return new_name.format(
        name=name,
        confusable=name.replace(letter, _CONFUSABLES[letter]),
        upper=name.upper(),
        swapped=name.swapcase(),
        hyphens=name.replace("_", "-"),
    )


CHANGES: tuple[Change, ...] = (*BYTE_CHANGES, _insert_text, _encode, _line_ends, _nest, _replace_number)


def _changes_of(files: Files) -> list[Change]:
    """Return the changes that suit the files, those of their format more often."""
    changes = list(CHANGES)
    if any(name.endswith(".csv") for name in files):
        changes += [_csv_dialect] * 4
    if any(name.endswith(".json") for name in files):
        changes += [_json] * 8
    if any(_PNG.encode() in data[:2000] for data in files.values()):
        changes += [_damage_image] * 4
    return changes


def mutate(rng: random.Random, files: Files) -> bytes:
    """Return a corrupted submission."""
    if rng.random() < 0.15:
        return damaged_zip(rng, files)
    return zip_bytes(mutated_files(rng, files))


def mutated_files(rng: random.Random, files: Files) -> Files:
    """Return the files of a corrupted submission."""
    files = dict(files)
    changes = _changes_of(files)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change = rng.choice([*changes, "add", "delete", "rename"])
        name = rng.choice(sorted(files) or [""])
        if change == "add" or not name:
            files[rng.choice(_ADDED_NAMES)] = rng.choice(_ADDED)
        elif change == "delete":
            del files[name]
        elif change == "rename":
            files[rename(rng, name)] = files.pop(name)
        elif callable(change):
            with suppress(*_UNREADABLE):
                files[name] = change(rng, files[name])
    return files
