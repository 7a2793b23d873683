"""JSON files that are one long list, entry by entry: only a part of such a file is in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NoReturn

from validator.findings import Findings
from validator.json_columns import DEEPEST, Schema, check_of
from validator.json_reader import (
    Batch,
    Budget,
    Cursor,
    Entry,
    EntryLimit,
    FileSchema,
    Reader,
    SchemaPart,
    load_schema,
)


@cache
def load_list_schema(path: Path) -> FileSchema:
    """Return the schema of a file that is a list, from the schema of its entries. Raises Refused."""
    entry = load_schema(path)
    around: Schema = {"type": "array"}
    return FileSchema(
        whole=entry,
        entry=SchemaPart(entry, check_of(entry, entry, DEEPEST - 1)),
        around=SchemaPart(around, check_of(around, around)),
        place="",
    )


def read_list(
    stream: Callable[[int], bytes],
    name: str,
    schema: FileSchema,
    findings: Findings,
    budget: Budget,
    limit: EntryLimit | None = None,
) -> Iterator[Batch]:
    """Read a JSON file that is one long list, of which only a part is in memory.

    Yields the entries that fit their schema, with their positions as keys; what is wrong with the others is
    added to ``findings``. Raises Refused at what is no JSON.

    Parameters
    ----------
    stream : callable
        Takes a number of bytes; returns the next ones, at most so many, none at the end.
    name : str
        The name of the file, for messages.
    schema : FileSchema
        That of `load_list_schema`.
    findings : Findings
    budget : Budget
    limit : EntryLimit, optional
    """
    cursor = Cursor(stream, name, findings)
    reader = ListReader(cursor, name, schema, budget, findings)
    return reader.batches(reader.items_of_file(), limit)


class ListReader(Reader):
    """Reads the entries of a file that is a list; what is wrong with others is added to findings."""

    # Most of an entry is a text, of which only the kind is checked.
    characters_at_once = 1_000_000

    def items_of_file(self) -> Iterator[Entry]:
        """Yield the entries of a file that is a list. Raises Refused if it is none."""
        if self._cursor.mark() != "[":
            self._refuse_no_list()
        yield from self._items()
        self._cursor.finish()

    def _items(self) -> Iterator[Entry]:
        """Yield the values of the list that begins here, with their positions as keys."""
        self._cursor.at += 1
        index = 0
        while not (self._cursor.mark() == "]" and not index):
            yield self._cursor.entry(index)
            index += 1
            if self._cursor.mark() == "]":
                break
            self._cursor.skip(",", "Expecting ',' delimiter")
        self._cursor.at += 1

    def _refuse_no_list(self) -> NoReturn:
        """Refuse a file that should be a list, and is none."""
        remedy = "write a list of entries: [{...}, ...]"
        try:
            value = self._cursor.entry("").value
            if isinstance(value, dict):
                if self._cursor.mark() == "{":
                    problem = "there is a JSON value on each line, as in JSON Lines"
                    remedy = "make one list of all lines: [{...}, {...}, ...]"
                    self._findings.refuse("E-JSON-SYNTAX", problem, remedy, file=self._name, rule="lines")
                problem = "the file holds an object instead of a list"
            else:
                problem = "the file holds something else instead of a list"
        except (json.JSONDecodeError, RecursionError) as error:
            self._refuse(error)
        self._findings.refuse("E-JSON-SCHEMA", problem, remedy, file=self._name, rule="list")
