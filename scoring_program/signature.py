"""The line that makes a score comparable: everything that can move it, and a hash of the reference."""

from __future__ import annotations

import hashlib
import hmac
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scoring_program.marks import MARKS_FILE
from scoring_program.settings import SETTINGS_FILE, Setting, Settings
from validator.findings import Findings

VERSION = "2.0.0"
KEY_FILE = "signature_key.txt"
"""A file of a hidden reference with 32 random hexadecimal digits: without it the hash in the signature
reveals which of several possible references is the true one."""
VOCABULARY_FILE = "vocabulary.json"
"""A file of a reference with all names of each kind (class, part, state), for messages on unknown ones."""
PUBLIC_FILE = "public.json"
"""A file of a prepared reference with what is public and preparing would lose."""
DIGITS = 12


def reference_hash(folder: Path, groups_file: str = "") -> str:
    """Return the SHA-256 in hex over names and contents of the reference files.

    Hidden files do not count, nor do the key, settings.yaml, and the file of item groups; the last two are in
    the signature themselves. Marks, the vocabulary and the public part move no score.
    """
    return contents_hash(_contents(folder, groups_file))


def contents_hash(contents: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256 in hex over the names and the contents of files, in their order."""
    total_hash = hashlib.sha256()
    for name, content in contents:
        total_hash.update(hashlib.sha256(name.encode()).digest())
        total_hash.update(hashlib.sha256(content).digest())
    return total_hash.hexdigest()


def _contents(folder: Path, groups_file: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of a reference that can move a score, in a fixed order."""
    left_out = (SETTINGS_FILE, KEY_FILE, MARKS_FILE, VOCABULARY_FILE, PUBLIC_FILE, groups_file)
    for path in sorted(folder.rglob("*"), key=lambda path: path.parts):
        parts = path.relative_to(folder).parts
        name = "/".join(parts)
        is_hidden = any(part.startswith(".") for part in parts)
        if path.is_file() and not is_hidden and name not in left_out:
            yield name, path.read_bytes()


def read_key(folder: Path) -> bytes:
    """Return the key of a reference folder, empty if it has none, as public data. Raises Refused."""
    path = folder / KEY_FILE
    if not path.is_file():
        return b""
    try:
        text = path.read_bytes().strip()
    except OSError as error:
        mode = stat.S_IMODE(path.stat().st_mode)
        problem = f"it cannot be read: {error.strerror}; its mode is {mode:04o}"
        remedy = "run as its owner, or let the user that runs this read it"
        Findings().refuse("E-REF-KEY", problem, remedy, file=KEY_FILE)
    if not re.fullmatch(rb"[0-9a-f]{32}", text):
        problem = "this is not 32 hexadecimal digits"
        remedy = "bring back your copy, or delete it: bundle writes a new one, and all signatures change"
        Findings().refuse("E-REF-KEY", problem, remedy, file=KEY_FILE)
    return text


def keyed(digest: str, key: bytes) -> str:
    """Return the HMAC-SHA256 of a digest in hex, the digest itself without a key."""
    if not key or not digest:
        return digest
    return hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()


def signature(
    task_id: str,
    settings: Settings,
    known_settings: tuple[Setting, ...],
    digests: tuple[str, str],
    other: Mapping[str, str],
) -> str:
    """Return the signature; two runs with equal signatures have comparable scores.

    ``digests`` are the hashes of the reference and of its item groups, "" without groups; ``other`` names
    what else can move a score.
    """
    reference_digest, groups_digest = digests
    parts = {}
    for setting in known_settings:
        value = settings[setting.name]
        # An empty list changes nothing.
        if setting.signed and value != []:
            parts[setting.name] = ",".join(map(str, value)) if isinstance(value, list) else value
    parts |= other
    parts["item_groups"] = groups_digest[:DIGITS] or "none"
    parts["version"] = VERSION
    parts["ref"] = reference_digest[:DIGITS]
    return "|".join([task_id, *(f"{name}:{value}" for name, value in parts.items())])
