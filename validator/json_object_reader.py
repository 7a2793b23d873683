"""JSON files that are an object, entry by entry; and files without a schema, as one value."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

from validator.choose_named import naming_other_task
from validator.collector import collector_off
from validator.findings import Findings, Read
from validator.formats.rules import JsonFile
from validator.json_columns import DEEPEST, REMARKS, DepthError, JsonValue, UnfitError, check_of
from validator.json_reader import (
    ANYTHING,
    Batch,
    Budget,
    Cursor,
    Entry,
    EntryLimit,
    FileSchema,
    Reader,
    SchemaPart,
    count_values,
    load_schema,
    refuse_schema,
    refuse_too_many,
)
from validator.texts import pointer_part

Content = TypeVar("Content")
Members = dict[str, JsonValue]


class Entries:
    """The entries of a file that fit their schema, which can be gone through once.

    Iterating gives keys and values; `batches` gives some entries together, as columns.
    """

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[tuple[str, JsonValue]]:
        for batch in self._batches:
            yield from zip(batch.keys, batch.column.values)

    def batches(self) -> Iterator[Batch]:
        """Yield the entries, some at a time."""
        return self._batches


@cache
def load_file_schema(path: Path, each: str) -> FileSchema:
    """Return the schema of a file whose entries are in the member ``each``, "" if they are its own members.

    Raises Refused as `load_schema`.
    """
    whole = load_schema(path)
    holder = whole["properties"][each] if each else whole
    unchecked = set(holder) - REMARKS - {"type", "additionalProperties"}
    if unchecked:
        refuse_schema(path, ValueError(f"no {', '.join(sorted(unchecked))} next to additionalProperties"))
    if "additionalProperties" not in holder:
        refuse_schema(path, ValueError("additionalProperties, the schema of an entry, is missing"))
    entry = holder["additionalProperties"]
    around = {**holder, "additionalProperties": {}}
    if each:
        around = {**whole, "properties": {**whole["properties"], each: around}}
    levels_above = 2 if each else 1
    return FileSchema(
        whole=whole,
        entry=SchemaPart(entry, check_of(entry, whole, DEEPEST - levels_above)),
        around=SchemaPart(around, check_of(around, whole)),
        place=f"/{each}" if each else "",
    )


def read_json(
    stream: Callable[[int], bytes],
    name: str,
    file: JsonFile,
    build: Callable[[Entries], Content],
    check: Callable[[Content, Members, Findings], None] | None = None,
    budget: Budget | None = None,
) -> Read[tuple[Content, Members]]:
    """Read a JSON object, entry by entry, and check it against its schema.

    Parameters
    ----------
    stream : callable
        Takes a number of bytes; returns the next ones, at most so many, none at the end.
    name : str
        The name of the file, for messages.
    file : JsonFile
        Its schema and limits.
    build : callable
        Builds the content from the entries.
    check : callable, optional
        Takes the content and the other members of the file, and adds what is wrong in them although they fit
        the schema. Where entries do not fit it, the content is made of the others, so that the problems of
        all are reported together.
    budget : Budget, optional
        One for all files of a submission, so that explaining them takes bounded time.

    Returns
    -------
    Read of (content, members)
        ``members`` are the other members of the top-level object.

    Raises
    ------
    Refused
        With JSON Pointers.
    """
    with naming_other_task(name, file.name), Findings.collect() as findings, collector_off():
        if file.values is not None:
            stream = _counting_values(stream, file.values, name, findings)
        cursor = Cursor(stream, name, findings)
        reader = _ObjectReader(
            cursor, name, load_file_schema(file.schema, file.each), budget or Budget(), findings
        )
        limit = None if file.entries is None else EntryLimit(file.entries)
        content = build(Entries(reader.batches(reader.members_of_file(file.each), limit)))
        if reader.check_around() and check is not None:
            check(content, reader.members, findings)
    return Read((content, reader.members), findings.notes)


def _counting_values(
    stream: Callable[[int], bytes], most: int, name: str, findings: Findings
) -> Callable[[int], bytes]:
    """Return a function that returns the next bytes as ``stream`` does.

    It raises Refused before more values are decoded than a file may have: each takes far more memory than its
    text.
    """
    n_values = 0.0

    def read_on(size: int) -> bytes:
        nonlocal n_values
        data = stream(size)
        n_values += count_values(data)
        if n_values > most:
            what = f"values than {most:,} (strings count twice, lists and objects two and a half times)"
            refuse_too_many(what, name, findings, "/")
        return data

    return read_on


def strict_loads(data: bytes, name: str) -> Read[JsonValue]:
    """Parse a JSON file without a schema.

    Raises Refused for anything that RFC 8259 does not allow, keys that occur twice, numbers outside of
    float64, nesting deeper than `DEEPEST`, and text that is not UTF-8.
    """
    stream = io.BytesIO(data)
    with Findings.collect() as findings:
        # Read at once: it may be as large as it likes.
        cursor = Cursor(lambda size: stream.read(), name, findings)
        value = _ObjectReader(cursor, name, ANYTHING, Budget(), findings).whole_file()
    return Read(value, findings.notes)


class _ObjectReader(Reader):
    """Reads the entries of a file that is an object; ``members`` are those around the entries."""

    def __init__(
        self, cursor: Cursor, name: str, schema: FileSchema, budget: Budget, findings: Findings
    ) -> None:
        super().__init__(cursor, name, schema, budget, findings)
        # Stands for the file, its entries left out.
        self._around: JsonValue = {}
        self.members: Members = {}

    def members_of_file(self, each: str) -> Iterator[Entry]:
        """Yield the entries of a file that is an object, or that has them in its member ``each``."""
        if self._cursor.mark() != "{":
            entry = self._cursor.entry("")._replace(value=None)
            self._around = self._marked_value(entry, "", self._schema.whole)
            self._cursor.finish()
            return
        keys: set[str] = set()
        for key in self._cursor.names():
            self._check_repeated(key, keys, "/")
            if not each:
                yield self._cursor.entry(key)
            elif key == each and self._cursor.mark() == "{":
                self._around[key] = {}
                yield from self._members_of_holder()
            else:
                value = self._marked_value(
                    self._cursor.entry(key), f"/{pointer_part(key)}", self._schema.whole
                )
                self._around[key] = value
                if key != each:
                    self.members[key] = value
        self._cursor.finish()

    def _members_of_holder(self) -> Iterator[Entry]:
        """Yield the entries that are in a member of the file."""
        keys: set[str] = set()
        for key in self._cursor.names():
            self._check_repeated(key, keys, self._schema.place)
            yield self._cursor.entry(key)

    def whole_file(self) -> JsonValue:
        """Return the value of a file without a schema. Raises Refused."""
        try:
            entry = self._cursor.entry("")._replace(value=None)
            self._cursor.finish()
        except (json.JSONDecodeError, RecursionError) as error:
            self._refuse(error)
        value = self._marked_value(entry, "", None)
        self._findings.refuse_problems()
        return value

    def check_around(self) -> bool:
        """Add what is wrong around the entries; return whether nothing is."""
        n_before = self._findings.total
        try:
            self._schema.around.check([self._around])
        except UnfitError:
            self._explain(self._around, self._schema.around.schema, "", "", n_before)
        except DepthError:
            self._refuse_depth()
        return self._findings.total == n_before

    def _check_repeated(self, key: str, keys: set[str], where: str) -> None:
        """Add a key to the ``keys`` of an object, and a problem if it is one of them."""
        if key in keys:
            from validator.json_words import repeated_words

            self._add([repeated_words(key, where)])
        keys.add(key)
