"""The schema files of JSON files, and what is made of each to read files with it.

The schema files of ``validator/formats`` are the authority. A file is an object of entries that all have one
schema, or an object with such an object as its member `JsonFile.each`, and other members around it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from validator import typed_json
from validator.findings import Findings
from validator.json_keys import KeyCounter, Schema, key_counter_for
from validator.schema_errors import Checks
from validator.texts import quote

if TYPE_CHECKING:
    from msgspec.json import Decoder


class FileSchema(NamedTuple):
    """The schema of a file, in parts, and what is made of it.

    ``around`` is the schema of everything but the entries. ``decoder`` accepts an entry, and ``count_keys``
    counts the keys in entries that it has accepted. ``checks`` are those of `SchemaExplainer`.
    """

    whole: Schema
    around: Schema
    entry: Schema
    decoder: Decoder
    count_keys: KeyCounter
    checks: dict[int, Checks]


@cache
def load_schema(path: Path) -> Schema:
    """Return a schema file as data. Raises Refused if it is none that the readers can follow."""
    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        typed_json.decoder_for(schema, schema)
    except ValueError as error:
        _refuse_schema(path, error)
    return schema


@cache
def load_file_schema(path: Path, each: str) -> FileSchema:
    """Return the schema of a file whose entries are in the member ``each``, "" if they are its own members.

    Raises Refused as `load_schema`.
    """
    # Made once for each file, because the types of a decoder stay in memory for ever.
    schema = load_schema(path)
    try:
        entry = _entry_schema(schema, each)
    except ValueError as error:
        _refuse_schema(path, error)
    return FileSchema(
        whole=schema,
        around=_schema_around_entries(schema, each),
        entry=entry,
        decoder=typed_json.decoder_for(entry, schema),
        count_keys=key_counter_for(entry, schema),
        checks={},
    )


def _entry_schema(schema: Schema, each: str) -> Schema:
    """Return the schema of an entry. Raises ValueError where the reader would not check that around it."""
    holder = schema["properties"][each] if each else schema
    unchecked = set(holder) - typed_json.REMARKS - {"type", "additionalProperties"}
    if unchecked:
        raise ValueError(f"no {', '.join(sorted(unchecked))} next to additionalProperties")
    if "additionalProperties" not in holder:
        raise ValueError("additionalProperties, the schema of an entry, is missing")
    return holder["additionalProperties"]


def _schema_around_entries(schema: Schema, each: str) -> Schema:
    if not each:
        return {**schema, "additionalProperties": {}}
    holder = {**schema["properties"][each], "additionalProperties": {}}
    return {**schema, "properties": {**schema["properties"], each: holder}}


def _refuse_schema(path: Path, error: ValueError) -> NoReturn:
    remedy = "docs/new_task.md lists the keywords that work"
    Findings().refuse("E-SCHEMA", f"this schema cannot be used: {quote(str(error))}", remedy, file=path.name)
