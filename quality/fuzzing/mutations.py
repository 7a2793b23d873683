"""Ways to corrupt a submission, as its participant, another program or an attacker might."""

from __future__ import annotations

import base64
import copy
import json
import random
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any

from organizer.files import Files, zip_bytes
from quality.fuzzing.json_texts import odd_json
from quality.fuzzing.pngs import cut, damaged_png
from quality.fuzzing.zips import damaged_zip

Change = Callable[[random.Random, bytes], bytes]
_NUMBERS = (
    "9" * 400, "-" + "9" * 30, "1e308", "1e999", "1e-400", "NaN", "-Infinity", "true", "null", '"7"', "0x10", "07",
)  # fmt: skip
_TEXTS = (*"\0\ufeff,;\"'\\{}[]:\n\r\t\ud800é", "//", *_NUMBERS)
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1e300, -1e300, 10**30, "", "x", "<img src=x onerror=alert(1)>", "\u202e\u0430", "é" * 50,
    [], {}, [[]], [None], {"": None}, [1] * 50, "a" * 5000,
)  # fmt: skip
_CONFUSABLES = {"a": "а", "e": "е", "o": "о", "_": "＿", ".": "․", "-": "‐", "1": "１"}
_NEW_NAMES = (
    "{upper}", "{swapped}", "folder/{name}", "a/b/{name}", "../{name}", "/{name}", "C:\\{name}", "x\\{name}", "{name}.bak",
    "{hyphens}", "{name} ", " {name}", "\u202e{name}", "a\0{name}", "{confusable}", "x" * 300, "metadata", "metadata.yaml",
    "{name}.zip", "__MACOSX/._{name}", ".DS_Store", "<script>alert(1)</script>.csv", "con", "-rf", "{name}\n",
)  # fmt: skip
_ADDED_NAMES = ("metadata", "readme.txt", "__MACOSX/x", ".DS_Store", "a/b.csv", "x.json", "x.zip", "é.csv")
_ADDED = (b"", b"x", b"command: python3 -c 1\n", b"{}", b"[]")
_LINES: tuple[Callable[[list[str]], str], ...] = (
    ";".join, ", ".join, "\t".join, lambda fields: ",".join(f'"{field}"' for field in fields), lambda fields: "",
    lambda fields: ",".join(f"{field}.0" for field in fields), lambda fields: ",".join([*fields, "1"]),
    lambda fields: ",".join(fields[:-1]), lambda fields: ",".join(f"-{field}" for field in fields),
    lambda fields: ",".join(reversed(fields)), lambda fields: "gesture,start,end\n" + ",".join(fields),
)  # fmt: skip
# How a PNG begins in base64.
_PNG = "iVBOR"
_UNREADABLE = (
    StopIteration, ValueError, LookupError, TypeError, AttributeError, RecursionError, struct.error, zlib.error,
)  # fmt: skip


def _repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] + data[end:]


def _replace_bytes(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if data else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _insert_text(rng: random.Random, data: bytes) -> bytes:
    middle = rng.randrange(len(data) + 1)
    return data[:middle] + rng.choice(_TEXTS).encode("utf-8", "surrogatepass") + data[middle:]


def _encode(rng: random.Random, data: bytes) -> bytes:
    """Save a text in another encoding, or with a byte order mark."""
    encoding = rng.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037"])
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def _line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\x0b", b"\x85", b""]))


def _nest(rng: random.Random, data: bytes) -> bytes:
    bracket = rng.choice([b"[", b'{"a":', b"[[{"])
    return rng.choice([b"", data[:1]]) + bracket * rng.choice([70, 2000, 100_000])


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


def _json_tree(rng: random.Random, data: bytes) -> bytes:
    """Change a JSON document: replace, delete, add and repeat values."""
    document = [json.loads(data)]
    for _ in range(rng.randint(1, 3)):
        holder, key = rng.choice(_entries(document))
        action = rng.choice(["replace", "delete", "add", "repeat"]) if holder is not document else "keep"
        if action == "delete":
            del holder[key]
        elif action == "add" and isinstance(holder, dict):
            holder[rng.choice(["box", "number", "<b>", "", "é"])] = copy.deepcopy(rng.choice(_VALUES))
        elif action == "repeat" and isinstance(holder, list):
            holder[:] = (holder * rng.choice([2, 30]))[:5000]
        elif action != "keep" or rng.random() < 0.1:
            holder[key] = copy.deepcopy(rng.choice(_VALUES))
    text = json.dumps(document[0], ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1 and text.startswith("{"):
        text = '{"' + rng.choice(["results", "eval_mode", "v"]) + '": 1, ' + text[1:]
    return text.encode("utf-8", "surrogatepass")


def _entries(document: list[Any]) -> list[tuple[Any, Any]]:
    """Return the first 3,000 values of a document, each as its container and its key there."""
    entries: list[tuple[Any, Any]] = [(document, 0)]
    for holder, key in entries:
        child = holder[key]
        if len(entries) < 3000 and isinstance(child, (dict, list)):
            entries += [(child, name) for name in (child if isinstance(child, dict) else range(len(child)))]
    return entries


def _json_text(rng: random.Random, data: bytes) -> bytes:
    """Write a JSON document in an odd way."""
    document = json.loads(data)
    oddity = rng.choice([0.0, 1, 3]) / len(_entries([document]))
    return odd_json(rng, document, oddity).encode("utf-8", "surrogatepass")


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
    letter = rng.choice(sorted(set(name) & set(_CONFUSABLES)) or ["e"])
    changed = {"upper": name.upper(), "swapped": name.swapcase(), "hyphens": name.replace("_", "-")}
    confusable = name.replace(letter, _CONFUSABLES[letter])
    return rng.choice(_NEW_NAMES).format(name=name, confusable=confusable, **changed)


CHANGES: tuple[Change, ...] = (
    cut, _repeat, _replace_bytes, _insert_text, _encode, _line_ends, _nest, _replace_number,
)  # fmt: skip


def _changes_of(files: Files) -> list[Change]:
    """Return the changes that suit the files, those of their format more often."""
    chosen = list(CHANGES)
    if any(name.endswith(".csv") for name in files):
        chosen += [_csv_dialect] * 4
    if any(name.endswith(".json") for name in files):
        chosen += [_json_tree, _json_text] * 4
    if any(_PNG.encode() in data[:2000] for data in files.values()):
        chosen += [_damage_image] * 4
    return chosen


def mutate(rng: random.Random, files: Files) -> bytes:
    """Return a corrupted submission."""
    files = dict(files)
    if rng.random() < 0.15:
        return damaged_zip(rng, files)
    changes = _changes_of(files)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = rng.choice(sorted(files)) if files else ""
        number = rng.randrange(len(changes) + 3)
        if number == len(changes) or not files:
            files[rng.choice(_ADDED_NAMES)] = rng.choice(_ADDED)
        elif number == len(changes) + 1:
            del files[name]
        elif number == len(changes) + 2:
            files[rename(rng, name)] = files.pop(name)
        else:
            files[name] = _changed(rng, changes[number], files[name])
    return zip_bytes(files)


def _changed(rng: random.Random, change: Change, data: bytes) -> bytes:
    try:
        return change(rng, data)
    except _UNREADABLE:  # an earlier change left no such document
        return data
