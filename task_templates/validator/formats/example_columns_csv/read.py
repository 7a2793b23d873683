"""A number in each column for each item: a CSV file with a header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from validator.arrays import Floats
from validator.choose import choose_named
from validator.csv_reader import read_table
from validator.findings import Findings, Note, Read
from validator.formats.rules import Format, Rules
from validator.hints import empty_note
from validator.submission import Source, open_submission
from validator.texts import counted

_LEAST = 4


class Items(NamedTuple):
    """The numbers of items, of shape (n_items, n_columns): in the order of ``keys``, and of ``names``."""

    keys: list[str]
    values: Floats
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
    names = tuple(field.name for field in file.fields if field.name != file.key)
    values = np.column_stack([np.asarray(table.content.columns[name]) for name in names])
    return Read(Items(table.content.keys, values, names), table.notes)


def hints(items: Items) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not items.keys:
        return [empty_note()]
    if len(items.keys) < _LEAST:
        return []
    is_constant = (items.values == items.values[0]).all(axis=0)
    names = [name for name, is_same in zip(items.names, is_constant.tolist()) if is_same]
    if not names:
        return []
    same = "number" if len(names) == 1 else "numbers"
    text = f"all {counted(len(items.keys), 'item')} have the same {same} in {', '.join(names)}. "
    return [Note("N-LOOKS-CONSTANT", f"{text}Was it written by mistake?")]


FORMAT = Format(read, hints, read_items=read)
