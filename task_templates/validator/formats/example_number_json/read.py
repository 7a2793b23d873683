"""One value for each item: an entry of a JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from validator.choose import choose_named
from validator.findings import Findings, Note, Read
from validator.formats.rules import Format, Rules
from validator.hints import empty_note
from validator.items import match_keys
from validator.json_document import Conversion
from validator.json_files import read_json
from validator.json_schemas import load_schema
from validator.strict_json import pointer_part
from validator.submission import Source, open_submission
from validator.texts import counted

_LEAST = 4


class Items(NamedTuple):
    """The values of items, in the order of ``keys``: numbers, or positions in ``names``."""

    keys: list[str]
    values: np.ndarray
    names: tuple[str, ...]


def read(
    path: Source, rules: Rules, keys: Sequence[str] | None = None, name_missing: bool = False
) -> Read[Items]:
    """Check a submission and read its one file. Raises Refused.

    ``keys`` are those of the reference, None at home; messages may name missing ones with ``name_missing``.
    """
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()
        items = findings.take(read_file(submission.read(name), name, rules, keys, name_missing))
    return Read(items, findings.notes)


def read_file(
    data: bytes, name: str, rules: Rules, keys: Sequence[str] | None = None, name_missing: bool = False
) -> Read[Items]:
    """Read the file of a submission, or the ground truth, which looks the same. Raises Refused."""
    (file,) = rules.json
    with Findings.collect() as findings:
        entries, _ = findings.take(read_json(data, name, file, Conversion(dict)))
        entry_keys = list(entries)
        names = tuple(load_schema(file.schema)["additionalProperties"].get("enum", ()))
        position = {word: index for index, word in enumerate(names)}
        values = np.array(
            [position.get(value, value) for value in entries.values()], np.int64 if names else np.float64
        )
        if keys is not None:
            places = [f"/{pointer_part(key)}" for key in entry_keys]
            order = findings.take(match_keys(entry_keys, keys, name, places.__getitem__, name_missing))
            entry_keys, values = list(keys), values[order]
    return Read(Items(entry_keys, values, names), findings.notes)


def hints(items: Items) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not items.keys:
        return [empty_note()]
    if len(items.keys) < _LEAST or len(set(items.values.tolist())) > 1:
        return []
    text = f"all {counted(len(items.keys), 'item')} have the same number. Was it written by mistake?"
    return [Note("N-LOOKS-CONSTANT", text)]


FORMAT = Format(read, hints, read_items=read)
