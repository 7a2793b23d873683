"""A list of segments for each item: an entry of a JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from validator.arrays import Floats, Ints
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
# A label, a start and an end.
Segment = Mapping[str, Any]


class Items(NamedTuple):
    """The segments of items.

    Attributes
    ----------
    keys : list of str, length n_items
    item : int64 array of shape (n_segments,), ascending
        The position in ``keys`` of the item of each segment.
    label : int64 array of shape (n_segments,)
        Its position in ``names``.
    times : float64 array of shape (n_segments, 2)
        Start and end in seconds, start < end.
    names : tuple of str
        All labels.
    """

    keys: list[str]
    item: Ints
    label: Ints
    times: Floats
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
        segment_schema = load_schema(file.schema)["additionalProperties"]["items"]
        names = tuple(segment_schema["properties"]["label"]["enum"])
        _check_order(entries, name, findings)
        if keys is not None:
            places = [f"/{pointer_part(key)}" for key in entry_keys]
            findings.take(match_keys(entry_keys, keys, name, places.__getitem__, name_missing))
            entry_keys = list(keys)
        findings.refuse_problems()
        items = _flat_items(entry_keys, [entries[key] for key in entry_keys], names)
    return Read(items, findings.notes)


def _check_order(entries: Mapping[str, Sequence[Segment]], name: str, findings: Findings) -> None:
    """Add a problem for each segment that does not end after its start."""
    for key, segments in entries.items():
        for number, segment in enumerate(segments):
            if segment["start"] >= segment["end"]:
                times = f"from {segment['start']:g} to {segment['end']:g}"
                problem = f"the segment {times} does not end after its start"
                remedy = "write start and end in seconds, the end last"
                where = f"/{pointer_part(key)}/{number}"
                findings.add("E-SEGMENT-ORDER", problem, remedy, file=name, where=where)


def _flat_items(keys: list[str], lists: Sequence[Sequence[Segment]], names: tuple[str, ...]) -> Items:
    """Return the segments of all items one after another."""
    position = {label: number for number, label in enumerate(names)}
    segments = list(chain.from_iterable(lists))
    times = [(segment["start"], segment["end"]) for segment in segments]
    return Items(
        keys=keys,
        item=np.repeat(np.arange(len(keys)), [len(segments) for segments in lists]),
        label=np.array([position[segment["label"]] for segment in segments], dtype=np.int64),
        times=np.array(times, dtype=np.float64).reshape(len(segments), 2),
        names=names,
    )


def hints(items: Items) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not len(items.item):
        return [empty_note()]
    rows = np.column_stack([items.label, items.times])
    if len(rows) < _LEAST or (rows != rows[0]).any():
        return []
    text = f"all {counted(len(rows), 'segment')} are the same. Was it written by mistake?"
    return [Note("N-LOOKS-CONSTANT", text)]


FORMAT = Format(read, hints, read_items=read)
