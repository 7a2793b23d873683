"""The line that makes a score comparable: everything that can move it, and a hash of the reference."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from scoring_program.settings import SETTINGS_FILE, Setting, Settings

VERSION = "1.2.0"
_DIGITS = 12


def reference_hash(folder: Path, groups_file: str = "") -> str:
    """Return the SHA-256 in hex over names and contents of the reference files.

    Hidden files do not count, nor do settings.yaml and the file of item groups, which are in the signature
    themselves.
    """
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_hidden = any(part.startswith(".") for part in name.split("/"))
        if path.is_file() and name not in (SETTINGS_FILE, groups_file) and not is_hidden:
            total.update(hashlib.sha256(name.encode()).digest())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def signature(
    task_id: str,
    settings: Settings,
    known: tuple[Setting, ...],
    digests: tuple[str, str],
    other: Mapping[str, str],
) -> str:
    """Return the signature; two runs with equal signatures have comparable scores.

    ``digests`` are the hashes of the reference and of its item groups, "" without groups; ``other`` names
    what else can move a score.
    """
    parts = {setting.name: settings[setting.name] for setting in known if setting.signed}
    parts = {name: ",".join(value) if isinstance(value, list) else value for name, value in parts.items()}
    reference, groups = (digest[:_DIGITS] for digest in digests)
    parts |= {**other, "item_groups": groups or "none", "version": VERSION, "ref": reference}
    return "|".join([task_id, *(f"{name}:{value}" for name, value in parts.items())])
