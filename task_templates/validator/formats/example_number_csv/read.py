"""One value for each item: a CSV file with a header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from validator.choose import choose_named
from validator.csv_reader import read_table
from validator.findings import Findings, Note, Read
from validator.formats.rules import Format, Rules
from validator.hints import empty_note
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
    (file,) = rules.csv
    table = read_table(data, name, file, keys, name_missing)
    keys, field = table.content.keys, file.fields[1]
    values = np.asarray(table.content.columns[field.name])
    return Read(Items(keys, values, field.enum), table.notes)


def hints(items: Items) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not items.keys:
        return [empty_note()]
    if len(items.keys) < _LEAST or len(set(items.values.tolist())) > 1:
        return []
    text = f"all {counted(len(items.keys), 'item')} have the same number. Was it written by mistake?"
    return [Note("N-LOOKS-CONSTANT", text)]


FORMAT = Format(read, hints, read_items=read)
