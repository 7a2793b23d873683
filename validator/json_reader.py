"""Reading JSON entry by entry: whole columns are checked, and only what does not fit is explained.

`json` decodes an entry after the other, and some entries together are checked, column by column, against
their schema (`validator.json_columns`). Entries that do not fit are decoded again, with hooks that mark keys
that occur twice, NaN, and numbers that are too large; they are explained (`validator.json_words`) until there
are so many problems as are explained of a file, and after that they are counted.

Duplicate keys
--------------
`json` keeps the last of equal keys. That nothing was dropped is known by counting: the colons of a text are
those after the keys that were kept, those after the keys that were dropped, and those in strings. If there
are as many colons as keys that were kept, there are no others. Otherwise the entries are decoded again with
the hooks, which takes two thirds longer.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from validator.choose_named import naming_other_task
from validator.collector import collector_off
from validator.findings import Findings, Problem, Read, Refused
from validator.formats.rules import JsonFile
from validator.items import LIMIT_OF_REFERENCE
from validator.json_columns import (
    DEEPEST,
    REMARKS,
    Check,
    Column,
    DepthError,
    JsonValue,
    Schema,
    UnfitError,
    check_of,
    keys_of_anything,
)
from validator.json_text import SUBMIT_LESS, Cursor, Entry, Marks
from validator.texts import pointer_part, quote

if TYPE_CHECKING:
    from validator.json_words import Explainer

Content = TypeVar("Content")
Members = dict[str, JsonValue]

_MOST_EXPLAINED = 200
# Entries are checked together once they have so many characters: their values are still in the cache of a
# core. With a hundred times as many, reading takes half as long again. Most of an entry of a list is a text.
_CHARACTERS_AT_ONCE, _CHARACTERS_OF_LIST = 30_000, 1_000_000


class Batch(NamedTuple):
    """Some entries of a file that fit their schema: keys, the column of their values, and lengths of texts.

    Entries of a list have their positions as keys.
    """

    keys: list[Any]
    column: Column
    lengths: list[int]


class EntryLimit(NamedTuple):
    """How many entries a file may have.

    ``origin`` says, after a blank, what the number is made of if it grows with the reference.
    """

    number: float = math.inf
    origin: str = ""


class _FileSchema(NamedTuple):
    """The schema of a file: of all of it, of an entry with its check, and of the file with any entries.

    The entries are in the member ``each`` of the file, whose JSON Pointer is ``place``; both are "" if the
    file itself holds them, an object or a list.
    """

    whole: Schema
    entry: Schema
    check: Check
    outer: Schema
    each: str = ""

    @property
    def place(self) -> str:
        return f"/{self.each}" if self.each else ""

    @property
    def is_list(self) -> bool:
        return self.outer.get("type") == "array"


@cache
def load_schema(path: Path) -> Schema:
    """Return a schema file as data. Raises Refused if it is none that can be checked."""
    try:
        schema: Schema = json.loads(path.read_text(encoding="utf-8"))
        check_of(schema, schema)
    except ValueError as error:
        _refuse_schema(path, str(error))
    return schema


def _refuse_schema(path: Path, problem: str) -> NoReturn:
    remedy = "docs/new_task.md lists the keywords that work"
    Findings().refuse("E-SCHEMA", f"this schema cannot be used: {quote(problem)}", remedy, file=path.name)


@cache
def _schema_of_object(path: Path, each: str) -> _FileSchema:
    """Return the schema of a file that is an object. Raises Refused as `load_schema`."""
    whole = load_schema(path)
    holder = whole["properties"][each] if each else whole
    unchecked = set(holder) - REMARKS - {"type", "additionalProperties"}
    if unchecked:
        _refuse_schema(path, f"no {', '.join(sorted(unchecked))} next to additionalProperties")
    if "additionalProperties" not in holder:
        _refuse_schema(path, "additionalProperties, the schema of an entry, is missing")
    entry = holder["additionalProperties"]
    outer = {**holder, "additionalProperties": {}}
    if each:
        outer = {**whole, "properties": {**whole["properties"], each: outer}}
    levels_above = 2 if each else 1
    return _FileSchema(
        whole=whole,
        entry=entry,
        check=check_of(entry, whole, DEEPEST - levels_above),
        outer=outer,
        each=each,
    )


def _list_of(entry: Schema) -> _FileSchema:
    """Return the schema of a file that is a list, from that of its entries."""
    outer: Schema = {"type": "array", "description": "Write [{...}, {...}, ...], a list of entries"}
    return _FileSchema(
        # Definitions and remarks are those of the entries.
        whole={**entry, **outer},
        entry=entry,
        check=check_of(entry, entry, DEEPEST - 1),
        outer=outer,
    )


def read_json(
    stream: Callable[[int], bytes],
    name: str,
    file: JsonFile,
    build: Callable[[Iterator[Batch]], Content],
    check: Callable[[Content, Members, Findings], None] | None = None,
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
        Builds the content from the entries, which it can go through once.
    check : callable, optional
        Takes the content and the other members of the file, and adds what is wrong in them although they fit
        the schema. Where entries do not fit it, the content is made of the others, so that the problems of
        all are reported together.

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
        cursor = Cursor(stream, name, findings, file.values or math.inf)
        reader = _Reader(cursor, name, _schema_of_object(file.schema, file.each), findings)
        content = build(reader.batches(EntryLimit(file.entries or math.inf)))
        members: Members = {}
        if reader.check_outer():
            members = {key: value for key, value in reader.outer.items() if key != file.each}
            if check is not None:
                check(content, members, findings)
    return Read((content, members), findings.notes)


def as_dict(batches: Iterable[Batch]) -> dict[str, JsonValue]:
    """Return the value of each entry."""
    values: dict[str, JsonValue] = {}
    for batch in batches:
        values.update(zip(batch.keys, batch.column.values))
    return values


def read_list(
    stream: Callable[[int], bytes],
    name: str,
    schema: Path,
    findings: Findings,
    limit: EntryLimit | None = None,
) -> Iterator[Batch]:
    """Read a JSON file that is one long list, of which only a part is in memory.

    Yields the entries that fit their ``schema``, with their positions as keys; what is wrong with the others
    is added to ``findings``. Parameters are those of `read_json`. Raises Refused at what is no JSON.
    """
    reader = _Reader(Cursor(stream, name, findings), name, _list_of(load_schema(schema)), findings)
    yield from reader.batches(limit or EntryLimit())
    reader.check_outer()


def iter_list(stream: Callable[[int], bytes], name: str) -> Iterator[JsonValue]:
    """Yield the values of a list without a schema, as other tools write. Raises Refused as `strict_loads`."""
    with Findings.collect() as findings:
        schema = _list_of({})._replace(whole={})
        reader = _Reader(Cursor(stream, name, findings), name, schema, findings)
        with reader.refusing():
            for entry in reader.entries():
                value = reader.marked_value(entry, f"/{entry.key}")
                findings.refuse_problems()
                yield value
        reader.check_outer()


def strict_loads(data: bytes, name: str) -> Read[JsonValue]:
    """Parse a JSON file without a schema.

    Raises Refused for anything that RFC 8259 does not allow, keys that occur twice, numbers outside of
    float64, nesting deeper than `DEEPEST`, and text that is not UTF-8.
    """
    stream = io.BytesIO(data)
    with Findings.collect() as findings:
        # Read at once: it may be as large as it likes.
        cursor = Cursor(lambda size: stream.read(), name, findings)
        reader = _Reader(cursor, name, _FileSchema({}, {}, check_of({}, {}), {}), findings)
        with reader.refusing():
            entry = cursor.entry("")._replace(value=None)
            cursor.finish()
        value = reader.marked_value(entry, "")
    return Read(value, findings.notes)


class _Reader:
    """Reads the entries of a file; what is wrong with others is added to findings.

    ``outer`` stands for the file, its entries left out.
    """

    def __init__(self, cursor: Cursor, name: str, schema: _FileSchema, findings: Findings) -> None:
        self._cursor = cursor
        self._name = name
        self._schema = schema
        self._findings = findings
        self._explainer: Explainer | None = None
        self._n_entries = 0
        self._n_left_to_explain = _MOST_EXPLAINED
        self.outer: JsonValue = [] if schema.is_list else {}

    def batches(self, limit: EntryLimit) -> Iterator[Batch]:
        """Yield the entries that fit their schema, some at a time; the last ones may be none.

        Raises Refused at what is no JSON, and after too many entries.
        """
        pending: list[Entry] = []
        n_characters = 0
        most_characters = _CHARACTERS_OF_LIST if self._schema.is_list else _CHARACTERS_AT_ONCE
        end: Exception | None = None
        try:
            for entry in self.entries():
                self._n_entries += 1
                if self._n_entries > limit.number:
                    problem = f"there are more entries than {limit.number:,}{limit.origin}"
                    rule = LIMIT_OF_REFERENCE if limit.origin else "entries"
                    self._findings.refuse(
                        "E-JSON-COUNT",
                        problem,
                        SUBMIT_LESS,
                        file=self._name,
                        where=self._schema.place or "/",
                        rule=rule,
                    )
                pending.append(entry)
                n_characters += entry.end - entry.start
                # Its value goes once it is looked at.
                del entry
                if n_characters >= most_characters:
                    yield self._fitting(pending)
                    pending, n_characters = [], 0
        except (json.JSONDecodeError, RecursionError, Refused) as error:
            end = error
        # What was wrong before is listed, too.
        yield self._fitting(pending)
        if end is not None:
            self._refuse(end)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of the file. Raises as `Cursor`."""
        if self._cursor.mark() != ("[" if self._schema.is_list else "{"):
            self.outer = self.marked_value(self._cursor.entry("")._replace(value=None), "")
        elif self._schema.is_list:
            yield from self._cursor.items()
        elif not self._schema.each:
            yield from self._members_of_object()
        else:
            for key in self._names("/"):
                if key == self._schema.each and self._cursor.mark() == "{":
                    self.outer[key] = {}
                    yield from self._members_of_object()
                else:
                    value = self.marked_value(self._cursor.entry(key), f"/{pointer_part(key)}")
                    self.outer[key] = value
        self._cursor.finish()

    def _members_of_object(self) -> Iterator[Entry]:
        for key in self._names(self._schema.place or "/"):
            yield self._cursor.entry(key)

    def _names(self, where: str) -> Iterator[str]:
        """Yield the names in the object that begins here; add those that occur twice."""
        names: set[str] = set()
        for name in self._cursor.names():
            if name in names:
                from validator.json_words import repeated_problem

                self._add([repeated_problem(name, where)])
            names.add(name)
            yield name

    def check_outer(self) -> bool:
        """Add what is wrong around the entries; return whether nothing is."""
        n_before = self._findings.total
        try:
            check_of(self._schema.outer, self._schema.whole)([self.outer])
        except UnfitError:
            self._explain(self.outer, self._schema.outer, "", "", n_before)
        except DepthError:
            self._refuse_depth()
        return self._findings.total == n_before

    def _fitting(self, entries: list[Entry]) -> Batch:
        """Return the entries that fit their schema; add what is wrong with the others."""
        check = self._schema.check
        column = None
        with suppress(UnfitError, DepthError):
            column = check([entry.value for entry in entries])
        n_colons = sum(entry.text.count(":", entry.start, entry.end) for entry in entries)
        if column is None or column.n_keys != n_colons:
            entries = self._fitting_one_by_one(entries)
            column = check([entry.value for entry in entries])
        return Batch(
            keys=[entry.key for entry in entries],
            column=column,
            lengths=[entry.end - entry.start for entry in entries],
        )

    def _fitting_one_by_one(self, entries: list[Entry]) -> list[Entry]:
        """Return the entries that fit their schema, which are taken out of the list; explain the others."""
        fitting_entries = []
        entries.reverse()
        while entries:
            # Values that may be as large as the file are in memory once: they are read again.
            entry = entries.pop()._replace(value=None)
            n_before = self._findings.total
            where = f"{self._schema.place}/{pointer_part(entry.key)}"
            value = self.marked_value(entry, where)
            if not _fits(value, self._schema.check):
                self._explain_entry(value, where, n_before)
            elif self._findings.total == n_before:
                fitting_entries.append(entry._replace(value=value))
        return fitting_entries

    def _explain_entry(self, value: JsonValue, where: str, n_before: int) -> None:
        if self._is_holder(value):
            problem, remedy = "the entries are in a further object", "remove the object, keep its entries"
            self._findings.add("E-JSON-SCHEMA", problem, remedy, file=self._name, where=where)
        else:
            self._explain(value, self._schema.entry, where, "entry", n_before)

    def _is_holder(self, value: JsonValue) -> bool:
        """Return whether a value is the only entry, and holds what should be the entries.

        An empty object or list could be anything.
        """
        if self._n_entries > 1 or not isinstance(value, dict) or self._cursor.mark() == ",":
            return False
        first = next((entry for entry in value.values() if entry not in ({}, [])), None)
        return first is not None and _fits(first, self._schema.check)

    def marked_value(self, entry: Entry, where: str) -> JsonValue:
        """Return a value as the hooks mark it; add what no JSON has. Raises Refused if it is too deep."""
        marks = Marks()
        try:
            value, _ = marks.scan(entry.text, entry.start)
            with suppress(UnfitError):
                keys_of_anything([value], DEEPEST - where.count("/"))
        except (DepthError, RecursionError):
            self._refuse_depth()
        if marks.any:
            from validator.json_words import marked_problems

            self._add(marked_problems(value, where, self._schema.whole))
        return value

    def _explain(self, value: JsonValue, schema: Schema, where: str, rule: str, n_before: int) -> None:
        """Add what does not fit in a value; ``n_before`` problems were there before all of its own."""
        if not self._n_left_to_explain:
            if self._findings.total == n_before:
                self._findings.count_unread(1, self._name)
            return
        if self._explainer is None:
            from validator.json_words import Explainer

            self._explainer = Explainer(self._schema.whole)
        self._add(self._explainer.problems(value, schema, where, rule))
        if self._findings.total == n_before:
            problem, remedy = "this value does not fit the schema", "see the format's example"
            self._findings.add(
                "E-JSON-SCHEMA", problem, remedy, file=self._name, where=where or "/", rule=rule
            )

    def _add(self, problems: Iterable[Problem]) -> None:
        """Add problems, as many as are explained."""
        for problem in problems:
            if not self._n_left_to_explain:
                self._findings.count_unread(1, self._name)
                break
            self._n_left_to_explain -= 1
            self._findings.repeat(problem, file=self._name)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Refuse the file for an error that ends its reading."""
        try:
            yield
        except (json.JSONDecodeError, RecursionError) as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> NoReturn:
        if isinstance(error, Refused):
            raise error
        if not isinstance(error, json.JSONDecodeError):
            self._refuse_depth()
        from validator.json_words import syntax_problem

        position, problem = syntax_problem(error, self._schema.whole)
        where = "" if problem.rule == "empty" else self._cursor.place(position)
        self._findings.repeat(problem, file=self._name, where=where)
        raise Refused(self._findings) from None

    def _refuse_depth(self) -> NoReturn:
        problem = f"the nesting is deeper than {DEEPEST} levels"
        remedy = "see the format's example for the right shape"
        self._findings.refuse("E-JSON-DEPTH", problem, remedy, file=self._name)


def _fits(value: JsonValue, check: Check) -> bool:
    try:
        check([value])
    except (UnfitError, DepthError):
        return False
    return True
