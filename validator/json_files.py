"""Checking JSON files against their schemas, fast where they are good and in detail where they are not.

The schema files of ``validator/formats`` are the authority. A good file is read by msgspec into types that
are made from its schema: parsing and checking in one step. Entries that msgspec does not accept are parsed
strictly, by `validator.strict_json`, and explained by jsonschema, in `validator.schema_errors`. Where a file
cannot be cut into entries, the whole file is. That takes many times as long, and as much memory, as reading,
so of a file above a megabyte only the first wrong entries are explained, each by itself, and
`validator.json_damage` says where it is no JSON.

Duplicate keys
--------------
A decoder keeps the last of equal keys and drops keys that its type does not have, with their values unseen.
That nothing was dropped is known by counting: outside of strings each key is followed by one colon, and there
are no other colons. If as many keys were kept as there are colons in the file, no key was dropped, and a type
has checked every value. Otherwise a string holds a colon, there are further keys, or a key occurs twice:
then, and only then, the whole file is parsed strictly as well, which takes a few times as long and finds the
duplicates; of a large file, the entries in which the numbers differ. Colons that are written as escape
sequences change neither number.

Two processes
-------------
Of a very large file a second process reads the second half of the entries, if there is a second core and all
of them fit. If one does not, this process reads all entries, so that the messages are those of one reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, NoReturn, TypeVar, Union

import numpy as np

from validator import typed_json
from validator.files import naming_other_task
from validator.findings import Findings, Read, Refused
from validator.formats.rules import JsonFile
from validator.json_damage import read_outline
from validator.json_keys import KeyCounter, Schema, key_counter_for
from validator.limits import collector_off, require_memory
from validator.schema_errors import Budget, Checks, SchemaExplainer
from validator.strict_json import DEEPEST, Advice, JsonValue, check_encoding, parse, pointer_part
from validator.texts import quote
from validator.workers import call_together, usable_cores

if TYPE_CHECKING:
    from msgspec import Raw
    from msgspec.json import Decoder

_BLOCK = 65_536
# From this many bytes on numpy counts characters faster than bytes count their own.
_LONG_TEXT = 8_000
# The most that a byte of text takes as objects: {"a":[]} becomes about 400.
_BYTES_A_BYTE = 50
_BYTES_TO_SPARE = 16 << 20
# Memory is asked for once for so many bytes of small entries.
_BYTES_AT_ONCE = 100_000
# An entry of a large file is not larger: it is held as objects.
_ENTRY_BYTES = 10_000_000
# A string takes 2 or 4 bytes for each character if one is beyond U+00FF. Entries of a large file with such
# characters have at most so many bytes together.
_MOST_WIDE_BYTES = 50_000_000
_WIDE_CHARACTER = re.compile(rb"[\xc4-\xf4]|\\u(?!00)")
# From this many bytes on a second process pays.
_HALVES_FROM_BYTES = 20_000_000
# Stands for the value of an entry that does not fit its schema.
_UNFIT = object()
_ESCAPED_COLON = re.compile(rb"\\u003a", re.IGNORECASE)
_STRING_WITHOUT_ESCAPES = re.compile(rb'"[^"]*"')

Content = TypeVar("Content")
Members = dict[str, JsonValue]
Entries = Iterator[tuple[str, JsonValue]]
_Text = Union[bytes, "Raw"]


@dataclass(frozen=True)
class Conversion(Generic[Content]):
    """What is made of the entries of a file.

    Attributes
    ----------
    build : callable
        Builds the content from the entries, keys and values in their order, as `dict` does.
    check : callable, optional
        Takes the content and the other members of the file, and adds what is wrong in them although they fit
        the schema. Where entries do not fit it, the content is made of the others, so that the problems of
        all are reported together.
    join : callable, optional
        Returns the content of a very large file by those of its two halves, None if that is not what one
        process would build. Without it one process reads the file.
    """

    build: Callable[[Entries], Content]
    check: Callable[[Content, Members, Findings], None] | None = None
    join: Callable[[Sequence[Content]], Content | None] | None = None


class _FileSchema(NamedTuple):
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


class _CutFile(NamedTuple):
    """A file that is cut into the texts of its entries and the other members of its top-level object.

    ``n_colons`` are the colons of the file that belong neither to the keys of entries nor to other members:
    those in the texts of the entries and, if keys of entries hold colons or occur twice, further ones.
    """

    entries: dict[str, Raw]
    members: Members
    n_colons: int


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
def _load_file_schema(path: Path, each: str) -> _FileSchema:
    # Made once for each file, because the types of a decoder stay in memory for ever.
    schema = load_schema(path)
    try:
        entry = _entry_schema(schema, each)
    except ValueError as error:
        _refuse_schema(path, error)
    return _FileSchema(
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


def read_json(
    data: bytes,
    name: str,
    file: JsonFile,
    conversion: Conversion[Content],
    budget: Budget | None = None,
) -> Read[tuple[Content, Members]]:
    """Read a JSON object, entry by entry, and check it against its schema.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for messages.
    file : JsonFile
        Its schema and limits.
    conversion : Conversion
        Builds and checks the content.
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
        # Before anything is parsed: a value takes far more memory than its text.
        if file.values is not None and count_marks(data, b",:") > file.values:
            _refuse_too_many(f"values (commas and colons in the text) than {file.values:,}", name, findings)
        data = findings.take(check_encoding(data, name))
        budget = budget or Budget()
        make_document = _LargeDocument if len(data) > budget.bytes else _Document
        document = make_document(data, name, file, budget)
        content = document.read(conversion, findings)
    return Read((content, document.members), findings.notes)


def _refuse_too_many(what: str, name: str, findings: Findings, member: str = "") -> NoReturn:
    findings.refuse(
        "E-JSON-COUNT",
        f"there are more {what}",
        "submit only what is asked for",
        file=name,
        where=f"/{member}",
        rule=member,
    )


class _Document:
    """A JSON file that is being read; ``members`` are those around the entries, for files that have some.

    Making one raises Refused.
    """

    def __init__(self, data: bytes, name: str, file: JsonFile, budget: Budget) -> None:
        self._data = data
        self._name = name
        self._file = file
        self._budget = budget
        self._schema = _load_file_schema(file.schema, file.each)
        # What the strict parser has read: all entries, or those that their type refuses.
        self._strict_entries: Members | None = None
        # Keys in the entries that their type accepts.
        self._n_keys = 0
        self.members: Members = {}
        self._cut = _cut_file(data, self._schema.whole, file.each, budget.bytes)
        if self._cut is not None:
            self._check_number_of_entries(len(self._cut.entries))
            self.members = self._cut.members

    def read(self, conversion: Conversion[Content], findings: Findings) -> Content:
        """Return what is built of the entries; ``findings`` get what is wrong.

        Raises Refused where there is nothing to go on with.
        """
        if self._cut is None:
            self._read_whole()
        with findings.part():
            content = conversion.build(self._entries())
            self._check_keys()
        if conversion.check is not None:
            checked = content if findings.ok else conversion.build(self._fitting_entries())
            conversion.check(checked, self.members, findings)
        findings.refuse_problems()
        return content

    def _read_whole(self) -> None:
        """Read a file that cannot be cut. Raises Refused unless the strict parser takes it."""
        whole = self._parse_file()
        self._strict_entries = _entries_of(whole, self._file.each)
        if self._file.each:
            self.members = {key: value for key, value in whole.items() if key != self._file.each}

    def _entries(self) -> Entries:
        """Yield the entries, from the strict parser where their type does not accept them. Raises Refused."""
        if self._cut is None:
            yield from (self._strict_entries or {}).items()
            return
        for key, text in self._cut.entries.items():
            try:
                value = _decode(text, self._schema.decoder)
            except typed_json.DECODE_ERRORS:
                value = self._strict_value(self._cut, key)
            else:
                self._n_keys += self._schema.count_keys((value,))
            yield key, value

    def _fitting_entries(self) -> Entries:
        """Yield the entries that their type accepts, in a file that can be cut into entries."""
        for key, text in self._cut.entries.items() if self._cut else ():
            with suppress(*typed_json.DECODE_ERRORS):
                yield key, _decode(text, self._schema.decoder)

    def _check_keys(self) -> None:
        """Look for duplicate keys unless the entries hold as many keys as colons. Raises Refused."""
        if self._cut is None or self._strict_entries is not None:
            # The strict parser has looked for them.
            return
        if self._n_keys != self._cut.n_colons:
            with Findings.collect() as findings:
                self._parse(self._data, findings)

    def _strict_value(self, cut: _CutFile, key: str) -> JsonValue:
        """Return the value of an entry that its type refuses. Raises Refused for the problems of all."""
        if self._strict_entries is None:
            refused_texts, n_colons_left = self._refused_texts(cut)
            if n_colons_left == 0:
                self._strict_entries = self._parse_refused(refused_texts, len(cut.entries))
        if self._strict_entries is None:
            self._strict_entries = _entries_of(self._parse_file(), self._file.each)
        return self._strict_entries[key]

    def _refused_texts(self, cut: _CutFile) -> tuple[dict[str, Raw], int]:
        """Return the entries that their type refuses, and how many colons all others have more than keys."""
        refused_texts = {}
        n_colons_left = cut.n_colons
        for key, text in cut.entries.items():
            try:
                value = _decode(text, self._schema.decoder)
            except typed_json.DECODE_ERRORS:
                refused_texts[key] = text
                n_colons_left -= count_marks(text)
            else:
                n_colons_left -= self._schema.count_keys((value,))
        return refused_texts, n_colons_left

    def _parse_refused(self, texts: Mapping[str, _Text], n_entries: int) -> Members | None:
        """Return the values of entries that their type refuses, None if the place of a problem is a line.

        Raises Refused if they are wrong.
        """
        # Nested as they are in the file: places are the same, and levels are counted from there.
        text = _object_text(texts)
        if self._file.each:
            text = b"{" + json.dumps(self._file.each).encode() + b":" + text + b"}"
        whole = None
        parse_findings = Findings()
        with parse_findings.part():
            whole = self._parse(text, parse_findings)
        if whole is None:
            return None
        entries = _entries_of(whole, self._file.each)
        with Findings.collect() as findings:
            findings.extend(parse_findings)
            self._explain_entries(entries, n_entries, self._explainer(findings))
        return entries

    def _parse_file(self) -> JsonValue:
        """Return the file as the strict parser reads it, checked by jsonschema. Raises Refused."""
        with Findings.collect() as findings:
            whole = self._parse(self._data, findings)
            entries = _entries_of(whole, self._file.each)
            self._check_number_of_entries(len(entries))
            explainer = self._explainer(findings)
            explainer.explain(whole, self._schema.around)
            self._explain_entries(entries, len(entries), explainer)
        return whole

    def _parse(self, data: bytes, findings: Findings) -> JsonValue:
        """Return what the strict parser makes of a text. Raises Refused."""
        return parse(data, self._name, findings, advice=Advice.of(self._schema.whole))

    def _check_number_of_entries(self, n_entries: int) -> None:
        most = self._file.entries
        if most is not None and n_entries > most:
            _refuse_too_many(f"entries than {most:,}", self._name, Findings(), self._file.each)

    def _explainer(self, findings: Findings) -> SchemaExplainer:
        definitions = self._schema.whole.get("definitions", {})
        return SchemaExplainer(definitions, findings, self._name, self._budget, checks=self._schema.checks)

    def _explain_entries(self, entries: Members, n_entries: int, explainer: SchemaExplainer) -> None:
        """Add the problems of entries; the file has ``n_entries`` of them in all."""
        schema, each = self._schema.entry, self._file.each
        for key, value in entries.items():
            if explainer.fits(value, schema):
                continue
            where = f"/{each}/{pointer_part(key)}" if each else f"/{pointer_part(key)}"
            if not explainer.explain_entry(value, schema, where, is_only_entry=n_entries == 1):
                break


class _UnfitError(Exception):
    """An entry does not fit its schema at first sight."""


@dataclass(frozen=True)
class _Half(Generic[Content]):
    """What is built of a half of the entries, the number of colons in these, and the bytes of wide ones."""

    content: Content
    n_colons: int
    n_wide_bytes: int


class _LargeDocument(_Document):
    """A file that is too large to be parsed strictly as a whole.

    Each entry is checked by itself, and the first wrong ones are explained.
    """

    def __init__(self, data: bytes, name: str, file: JsonFile, budget: Budget) -> None:
        super().__init__(data, name, file, budget)
        self._entry_findings = Findings()
        # Colons in the entries.
        self._n_colons = 0
        # Bytes of entries with wide characters.
        self._n_wide_bytes = 0
        # Bytes of entries for which memory was asked for and that were not decoded yet.
        self._n_bytes_with_memory = 0

    def read(self, conversion: Conversion[Content], findings: Findings) -> Content:
        """As for smaller files; the content is that of the entries that fit."""
        if self._cut is None:
            self._refuse_uncut()
        content = self._content_of_halves(conversion)
        if content is None:
            self._n_colons = self._n_wide_bytes = 0
            content = conversion.build(self._fitting_entries())
        n_colons_outside = self._cut.n_colons - self._n_colons
        if n_colons_outside and n_colons_outside != self._n_colons_in_names():
            # Names of entries occur twice, or hold escape sequences.
            self._read_outline(self._entry_findings)
        findings.extend(self._entry_findings)
        if conversion.check is not None:
            conversion.check(content, self.members, findings)
        return content

    def _content_of_halves(self, conversion: Conversion[Content]) -> Content | None:
        """Return the content as two processes read it, None where one has to read all entries."""
        is_worth_it = len(self._data) >= _HALVES_FROM_BYTES and usable_cores() > 1
        if self._cut is None or conversion.join is None or not is_worth_it:
            return None
        entries = list(self._cut.entries.items())
        middle = len(entries) // 2
        first, second = entries[:middle], entries[middle:]
        halves = call_together([partial(self._read_half, half, conversion) for half in (first, second)])
        contents = []
        n_colons = n_wide_bytes = 0
        for half in halves:
            if half is None:
                return None
            contents.append(half.content)
            n_colons += half.n_colons
            n_wide_bytes += half.n_wide_bytes
        if n_wide_bytes > _MOST_WIDE_BYTES:
            return None
        self._n_colons = n_colons
        return conversion.join(contents)

    def _read_half(
        self, entries: Sequence[tuple[str, Raw]], conversion: Conversion[Content]
    ) -> _Half[Content] | None:
        """Return what is built of some entries, None if one of them does not fit its schema."""
        self._n_colons = self._n_wide_bytes = 0
        try:
            content = conversion.build(self._typed_entries(entries))
        except _UnfitError:
            return None
        return _Half(content, self._n_colons, self._n_wide_bytes)

    def _typed_entries(self, entries: Iterable[tuple[str, Raw]]) -> Entries:
        """Yield the entries. Raises _UnfitError for the first that does not fit its schema."""
        for key, text in entries:
            data = bytes(text)
            value = self._typed_value(data)
            if value is _UNFIT:
                raise _UnfitError
            yield key, value

    def _n_colons_in_names(self) -> int:
        """Return how many colons the text has in names of entries, -1 if some may be escape sequences."""
        if self._cut is None or _ESCAPED_COLON.search(self._data):
            return -1
        return sum(name.count(":") for name in self._cut.entries)

    def _refuse_uncut(self) -> NoReturn:
        """Refuse a file that is no JSON, or of another shape."""
        with Findings.collect() as findings:
            outline = self._read_outline(findings)
            self._explainer(findings).explain(outline, self._schema.around)
        Findings().refuse(
            "E-JSON-STOPPED",
            "something is wrong around the entries",
            "write the file with a JSON library",
            file=self._name,
        )

    def _read_outline(self, findings: Findings) -> JsonValue:
        """Return the file without its entries, looked through for what is no JSON. Raises Refused."""
        advice = Advice.of(self._schema.whole)
        outline = read_outline(
            self._data, self._name, self._file.each, advice, self._budget, self._file.entries
        )
        return findings.take(outline)

    def _fitting_entries(self) -> Entries:
        """Yield the entries that fit their schema; add what is wrong with the others."""
        # There may be 200,000 entries, so those that fit take no detours.
        for key, text in self._cut.entries.items() if self._cut else ():
            data = bytes(text)
            value = self._typed_value(data)
            if value is not _UNFIT:
                yield key, value
                continue
            with self._entry_findings.part():
                yield key, self._explained_value(key, data)

    def _typed_value(self, data: bytes) -> JsonValue:
        """Return the value of an entry, or `_UNFIT` if it is too large, does not fit, or has a key twice."""
        if len(data) > _ENTRY_BYTES:
            return _UNFIT
        if _is_wide(data):
            self._n_wide_bytes += len(data)
            if self._n_wide_bytes > _MOST_WIDE_BYTES:
                return _UNFIT
        n_colons = count_marks(data)
        self._n_colons += n_colons
        self._require_memory(len(data))
        with suppress(*typed_json.DECODE_ERRORS):
            value = self._schema.decoder.decode(data)
            n_keys = self._schema.count_keys((value,))
            if n_keys == n_colons or n_keys == _n_colons_outside_strings(data):
                return value
        return _UNFIT

    def _require_memory(self, n_bytes: int) -> None:
        """Raise MemoryError if there is none for decoding so many bytes; ask seldom for small entries."""
        if n_bytes > self._n_bytes_with_memory:
            self._n_bytes_with_memory = max(n_bytes, _BYTES_AT_ONCE)
            _require_memory(self._n_bytes_with_memory)
        self._n_bytes_with_memory -= n_bytes

    def _explained_value(self, key: str, data: bytes) -> JsonValue:
        """Return the value of an entry that does not fit at first sight. Raises Refused."""
        if len(data) > _ENTRY_BYTES:
            problem = f"the entry has {len(data):,} bytes; at most {_ENTRY_BYTES:,} are allowed"
            self._refuse_entry("E-JSON-COUNT", key, problem, "check what you wrote into it")
        if _is_wide(data) and self._n_wide_bytes > _MOST_WIDE_BYTES:
            problem = f"the entries with characters beyond U+00FF have more than {_MOST_WIDE_BYTES:,} bytes"
            self._refuse_entry("E-JSON-COUNT", key, problem, "write names and classes as the data has them")
        if self._budget.entries <= 0:
            only_counted = Findings()
            only_counted.count_unread(1, self._name)
            only_counted.refuse_problems()
        try:
            return self._strict_entry(key, data)
        except Refused:
            self._budget.entries -= 1
            raise

    def _strict_entry(self, key: str, data: bytes) -> JsonValue:
        """Return the value of an entry as the strict parser reads it. Raises Refused, with explanations."""
        if len(data) > self._budget.bytes:
            problem = f"something is wrong in this entry, which has {len(data):,} bytes"
            remedy = f"check it; entries of at most {self._budget.bytes:,} bytes are explained"
            self._refuse_entry("E-JSON-STOPPED", key, problem, remedy)
        entries = self._parse_refused({key: data}, n_entries=2)
        if entries is None:
            problem = f"this entry is nested deeper than {DEEPEST} levels"
            self._refuse_entry("E-JSON-DEPTH", key, problem, "see the format's example for the right shape")
        return entries[key]

    def _refuse_entry(self, code: str, key: str, problem: str, remedy: str) -> NoReturn:
        each = self._file.each
        where = f"/{each}/{pointer_part(key)}" if each else f"/{pointer_part(key)}"
        Findings().refuse(code, problem, remedy, file=self._name, where=where, rule="entry")


def _cut_file(data: bytes, schema: Schema, each: str, largest_around: int) -> _CutFile | None:
    """Return a file cut into its entries, None where only the strict parser knows what it holds.

    What is around the entries has at most ``largest_around`` bytes, and names at most
    `typed_json.LONGEST_NAME` characters.
    """
    try:
        members = typed_json.RAW_MEMBERS.decode(data)
        if not each:
            return _CutFile(entries=members, members={}, n_colons=count_marks(data) - len(members))
        if each not in members or not members.keys() >= set(schema.get("required", ())):
            return None
        entries = typed_json.RAW_MEMBERS.decode(members.pop(each))
        return _cut_file_around(data, entries, members, schema, largest_around)
    except typed_json.DECODE_ERRORS:
        return None


def _cut_file_around(
    data: bytes, entries: dict[str, Raw], member_texts: dict[str, Raw], schema: Schema, largest: int
) -> _CutFile | None:
    """Return a file cut into entries and members, None if the strict parser does not accept the members.

    Raises what `typed_json.DECODE_ERRORS` lists if their types do not.
    """
    n_bytes = sum(len(name) + len(memoryview(text)) for name, text in member_texts.items())
    if n_bytes > largest:
        return None
    text = _object_text(member_texts)
    findings = Findings()
    members: Members = {}
    with findings.part():
        # All JSON is allowed in some members, and there a decoder is lenient.
        members = parse(text, "", findings)
    properties = schema["properties"]
    for key in properties.keys() & member_texts.keys():
        _decode(member_texts[key], typed_json.decoder_for(properties[key], schema))
    if not findings.ok:
        return None
    n_colons_around = 1 + count_marks(text)
    return _CutFile(entries, members, n_colons=count_marks(data) - n_colons_around - len(entries))


def _object_text(members: Mapping[str, _Text]) -> bytes:
    """Return the text of an object with these members."""
    member_texts = []
    for key, value_text in members.items():
        member_texts.append(json.dumps(key).encode() + b":" + bytes(value_text))
    return b"{" + b",".join(member_texts) + b"}"


def _entries_of(whole: JsonValue, each: str) -> Members:
    """Return the entries of a file; none if it has another shape."""
    entries = whole.get(each) if each and isinstance(whole, dict) else whole
    return entries if isinstance(entries, dict) else {}


def check_value(data: bytes, schema_file: Path, where: str, budget: Budget) -> JsonValue:
    """Parse and check one value of a larger file; return it.

    Parameters
    ----------
    data : bytes
        The value.
    schema_file : Path
    where : str
        The JSON Pointer of the value in its file; those of problems are below it.
    budget : Budget
        One for many values, so that explaining them takes bounded time.

    Returns
    -------
    JSON value
        A string that is base64 by the schema may be given as bytes.

    Raises
    ------
    Refused
        The problems name no file.
    """
    with suppress(*typed_json.DECODE_ERRORS):
        decoder, count_keys = _value_decoder(schema_file)
        value = _decode(data, decoder)
        if not data.isascii():
            data.decode("utf-8")  # one more of these errors, where it is not
        if count_marks(data) == count_keys((value,)):
            return value
    return _parse_value(data, schema_file, where, budget)


@cache
def _value_decoder(schema_file: Path) -> tuple[Decoder, KeyCounter]:
    schema = load_schema(schema_file)
    return typed_json.decoder_for(schema, schema), key_counter_for(schema, schema)


def _parse_value(data: bytes, schema_file: Path, where: str, budget: Budget) -> JsonValue:
    """Return a value as the strict parser reads it, checked by jsonschema. Raises Refused."""
    inner_findings = Findings()
    value = None
    with inner_findings.part():
        schema = load_schema(schema_file)
        value = parse(data, "", inner_findings, advice=Advice.of(schema))
        explainer = SchemaExplainer(schema.get("definitions", {}), inner_findings, "", budget)
        explainer.explain(value, schema)
    with Findings.collect() as findings:
        for problem in inner_findings.problems:
            is_pointer = problem.where.startswith("/")
            below = problem.where.rstrip("/") if is_pointer else f" {problem.where} of this entry".rstrip()
            findings.repeat(problem, where=where + below)
        if not inner_findings.is_complete:
            findings.count_unread(inner_findings.total - len(inner_findings.problems), "")
    return value


def _decode(data: _Text, decoder: Decoder) -> JsonValue:
    """Return the decoded value. Raises what `DECODE_ERRORS` lists, and MemoryError."""
    _require_memory(len(memoryview(data)))
    return decoder.decode(data)


def _require_memory(n_bytes: int) -> None:
    """Raise MemoryError if there is none for decoding so many bytes: msgspec then ends the process."""
    require_memory(_BYTES_A_BYTE * n_bytes + _BYTES_TO_SPARE)


def _is_wide(data: bytes) -> bool:
    """Return whether a JSON text holds characters beyond U+00FF, with which strings are larger in memory."""
    may_be_wide = not data.isascii() or b"\\u" in data
    return may_be_wide and _WIDE_CHARACTER.search(data) is not None


def _n_colons_outside_strings(data: bytes) -> int:
    """Return how many keys the objects of a JSON text have."""
    # Escaped backslashes come first. A pattern with a repeated group would take a record for each escape.
    text = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    return _STRING_WITHOUT_ESCAPES.sub(b"", text).count(b":")


def count_marks(data: _Text, marks: bytes = b":") -> int:
    """Return how often some characters occur in a text.

    In JSON a key is followed by a colon, and each value but the first in its list by a comma or a key.
    """
    if isinstance(data, bytes) and len(data) < _LONG_TEXT:
        return sum(data.count(mark) for mark in marks)
    text = np.frombuffer(data, np.uint8)
    n_marks = 0
    # Block by block: what is looked at stays in the processor's cache.
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        for mark in marks:
            n_marks += int(np.count_nonzero(block == mark))
    return n_marks
