"""A list of labels for each item: an entry of a JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools
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
    """Which of ``names`` each item has, bool of shape (n_items, n_names), in the order of ``keys``."""

    keys: list[str]
    values: Bools
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
        if keys is not None:
            places = [f"/{pointer_part(key)}" for key in entry_keys]
            findings.take(match_keys(entry_keys, keys, name, places.__getitem__, name_missing))
            entry_keys = list(keys)
        names = tuple(load_schema(file.schema)["additionalProperties"]["items"]["enum"])
        position = {word: index for index, word in enumerate(names)}
        values = np.zeros((len(entry_keys), len(names)), bool)
        for row, key in zip(values, entry_keys):
            row[[position[label] for label in entries[key]]] = True
    return Read(Items(entry_keys, values, names), findings.notes)


def hints(items: Items) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not items.values.any():
        return [empty_note()]
    if len(items.keys) < _LEAST or (items.values != items.values[0]).any():
        return []
    which = "all labels" if items.values.all() else "the same labels"
    text = f"all {counted(len(items.keys), 'item')} have {which}. Was it written by mistake?"
    return [Note("N-LOOKS-CONSTANT", text)]


FORMAT = Format(read, hints, read_items=read)
