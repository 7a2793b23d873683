"""Checking JSON files against their schemas, fast where they are good and in detail where they are not.

The schema files of ``validator/formats`` are the authority. A good file is read by msgspec into types that
are made from its schema: parsing and checking in one step. What msgspec does not accept is parsed strictly
(`validator.strict_json`) and explained by jsonschema. Where msgspec is missing, all files are read the second
way, with the same verdict.

Duplicate keys
--------------
A decoder keeps the last of equal keys and drops keys that its type does not have, with their values unseen.
That nothing was dropped is known by counting: outside of strings each key is followed by one colon, and there
are no other colons. If as many keys were kept as there are colons in the file, no key was dropped, and a type
has checked every value. Otherwise a string holds a colon, there are further keys, or a key occurs twice:
then, and only then, the whole file is parsed strictly as well, which takes a few times as long and finds the
duplicates.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar, Union

import numpy as np

from validator.files import naming_other_task
from validator.findings import Findings, Read
from validator.formats.rules import JsonFile
from validator.limits import collector_off, require_memory
from validator.strict_json import BOM, JsonValue, decode_text, parse, pointer_part
from validator.texts import counted, quote, some_words

try:
    from validator import typed_json
except ImportError:  # msgspec is compiled; an interpreter that it was not made for takes the slow way
    typed_json = None  # type: ignore[assignment]
if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from msgspec import Raw
    from msgspec.json import Decoder

    Errors = Iterator[ValidationError]

# How many values are explained at once.
_SMALL = 200
_BLOCK = 65_536
# The most that a byte of text takes as objects: {"a":[]} becomes about 400.
_BYTES_A_BYTE = 50
_BYTES_TO_SPARE = 16 << 20

Content = TypeVar("Content")
Schema = Mapping[str, JsonValue]
Members = dict[str, JsonValue]
Entries = Iterator[tuple[str, JsonValue]]
# Takes the entries (key and value) of a file in their order; returns what it builds of them and how many keys
# the values hold at all depths.
Convert = Callable[[Entries], tuple[Content, int]]
_Text = Union[bytes, "Raw"]


@dataclass
class Budget:
    """How many problems of a submission's files may still be explained, and values looked at for that."""

    problems: int = 200
    values: int = 500_000


@cache
def load_schema(path: Path) -> Schema:
    """Return a schema file as data. Raises Refused if it is none that the readers can follow."""
    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        if typed_json:
            typed_json.decoder_for(schema, schema)
    except ValueError as error:
        _refuse_schema(path, error)
    return schema


def _refuse_schema(path: Path, error: ValueError) -> NoReturn:
    remedy = "docs/new_task.md lists the keywords that work"
    Findings().refuse("E-SCHEMA", f"this schema cannot be used: {quote(str(error))}", remedy, file=path.name)


def as_dict(entries: Entries) -> tuple[Members, int]:
    """Return entries that hold no objects as one dict; they hold no keys."""
    return dict(entries), 0


def read_json(
    data: bytes, name: str, file: JsonFile, convert: Convert[Content], budget: Budget | None = None
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
    convert : callable
        Builds the content from the entries, as `as_dict` does.
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
        if file.values is not None and _count(data, b",:") > file.values:
            _refuse_too_many(f"values (commas and colons in the text) than {file.values:,}", name, findings)
        document = _Document(data, name, file, findings, budget or Budget())
        content, n_keys = convert(document.entries())
        document.check_keys(n_keys)
    return Read((content, document.members), findings.notes)


def _refuse_too_many(what: str, name: str, findings: Findings, member: str = "") -> NoReturn:
    problem, remedy = f"there are more {what}", "submit only what is asked for"
    findings.refuse("E-JSON-COUNT", problem, remedy, file=name, where=f"/{member}", rule=member)


class _Document:
    """A JSON file that is being read; ``members`` are those around the entries, for files that have some."""

    def __init__(self, data: bytes, name: str, file: JsonFile, findings: Findings, budget: Budget) -> None:
        if not data.isascii():
            findings.take(decode_text(data, name))
            data = data[len(BOM) :] if data.startswith(BOM) else data
        self._data, self._name, self._file, self._budget = data, name, file, budget
        self._schema = load_schema(file.schema)
        try:
            _entry_schema(self._schema, file.each)
        except ValueError as error:
            _refuse_schema(file.schema, error)
        self.members: Members = {}
        # Colons in what the typed decoders read, less the keys that they keep.
        self._colons_left = _count(data)
        self._raw = self._raw_entries()
        if self._raw is None:
            whole = self._explained
            self.members = {key: whole[key] for key in whole if key != file.each} if file.each else {}
        elif file.entries is not None and len(self._raw) > file.entries:
            _refuse_too_many(f"entries than {file.entries:,}", name, findings, file.each)

    def _raw_entries(self) -> dict[str, Raw] | None:
        """Return the texts of the entries, None where only the strict parser knows."""
        if typed_json is None:
            return None
        try:
            entries = typed_json.RAW_MEMBERS.decode(self._data)
            if self._file.each:
                top, missing = entries, set(self._schema["required"]) - entries.keys()
                entries = {} if missing else typed_json.RAW_MEMBERS.decode(top.pop(self._file.each))
                if missing or not self._are_sound(top):
                    return None
                self._colons_left -= 1
        except typed_json.DECODE_ERRORS:
            return None
        self._colons_left -= len(entries)
        return entries

    def _are_sound(self, members: dict[str, Raw]) -> bool:
        """Keep members that the strict parser and their types accept. Raises what `DECODE_ERRORS` lists."""
        if not members:
            return True
        pairs = (json.dumps(key).encode() + b":" + bytes(text) for key, text in members.items())
        text = b"{" + b",".join(pairs) + b"}"
        findings = Findings()
        with findings.part():
            # All JSON is allowed in some members, and there a decoder is lenient.
            self.members = parse(text, "", findings)
        properties = self._schema["properties"]
        for key in properties.keys() & members.keys():
            _decode(members[key], typed_json.decoder_for(properties[key], self._schema))
        self._colons_left -= _count(text)
        return findings.ok

    def entries(self) -> Entries:
        """Yield the entries, from the strict parser where their type does not accept them. Raises Refused."""
        if self._raw is None:
            yield from _entries(self._explained, self._file.each).items()
            return
        decoder = _entry_decoder(self._file.schema, self._file.each)
        for key, text in self._raw.items():
            try:
                value = _decode(text, decoder)
            except typed_json.DECODE_ERRORS:
                value = _entries(self._explained, self._file.each)[key]
            yield key, value

    def check_keys(self, n_keys: int) -> None:
        """Look for duplicate keys unless the values hold as many keys as there are colons. Raises Refused."""
        is_explained = "_explained" in self.__dict__
        if not is_explained and n_keys != self._colons_left:
            with Findings.collect() as findings:
                parse(self._data, self._name, findings)

    @cached_property
    def _explained(self) -> JsonValue:
        """The file as the strict parser reads it, checked by jsonschema. Raises Refused."""
        with Findings.collect() as findings:
            whole = parse(self._data, self._name, findings)
            each, most = self._file.each, self._file.entries
            if most is not None and len(_entries(whole, each)) > most:
                _refuse_too_many(f"entries than {most:,}", self._name, findings, each)
            explained = _Explained(self._schema.get("definitions", {}), findings, self._name, self._budget)
            explained.add_file(whole, self._file)
        return whole


def _entries(whole: JsonValue, each: str) -> Members:
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
    if typed_json is not None:
        with suppress(*typed_json.DECODE_ERRORS):
            value = _decode(data, _decoder(schema_file))
            if not data.isascii():
                data.decode("utf-8")  # one more of these errors, where it is not
            if _count(data) == _count_keys(value):
                return value
    found = Findings()
    with found.part():
        value = parse(data, "", found)
        schema = load_schema(schema_file)
        _Explained(schema.get("definitions", {}), found, "", budget).add(value, schema)
    with Findings.collect() as findings:
        for problem in found.problems:
            is_pointer = problem.where.startswith("/")
            below = problem.where.rstrip("/") if is_pointer else f" {problem.where} of this entry".rstrip()
            findings.repeat(problem, where=where + below)
        if not found.is_complete:
            findings.count_unread(found.total - len(found.problems), "")
    return value


@cache
def _decoder(schema_file: Path) -> Decoder:
    return typed_json.decoder_for(load_schema(schema_file), load_schema(schema_file))


@cache
def _entry_decoder(schema_file: Path, each: str) -> Decoder:
    # The types of each decoder stay in memory for ever.
    schema = load_schema(schema_file)
    return typed_json.decoder_for(_entry_schema(schema, each), schema)


def _decode(data: _Text, decoder: Decoder) -> JsonValue:
    """Return the decoded value. Raises what `DECODE_ERRORS` lists, and MemoryError."""
    # msgspec ends the process if there is no memory for a string.
    require_memory(_BYTES_A_BYTE * len(memoryview(data)) + _BYTES_TO_SPARE)
    return decoder.decode(data)


def _count(data: _Text, marks: bytes = b":") -> int:
    """Return how often some characters occur in a text.

    In JSON a key is followed by a colon, and each value but the first in its list by a comma or a key.
    """
    text = np.frombuffer(data, np.uint8)
    # Block by block: what is compared stays in the processor's cache.
    blocks = [text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK)]
    return sum(int(np.count_nonzero(block == mark)) for mark in marks for block in blocks)


def _count_keys(value: JsonValue) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    return sum(map(_count_keys, value)) if isinstance(value, list) else 0


def _entry_schema(schema: Schema, each: str) -> Schema:
    """Return the schema of an entry. Raises ValueError where readers would not check that around it."""
    holder = schema["properties"][each] if each else schema
    rules = set(holder) - typed_json.REMARKS - {"type", "additionalProperties"} if typed_json else ()
    if rules:
        raise ValueError(f"no {', '.join(sorted(rules))} next to additionalProperties")
    if "additionalProperties" not in holder:
        raise ValueError("additionalProperties, the schema of an entry, is missing")
    return holder["additionalProperties"]


class _Explained:
    """Problems of one file, explained by jsonschema in bounded time.

    It takes a hundred times as long as reading. So large values are taken apart, what the typed readers
    accept is left out, and after the budget the rest is not explained.
    """

    def __init__(self, definitions: Schema, findings: Findings, name: str, budget: Budget) -> None:
        self._definitions, self._findings, self._name = definitions, findings, name
        self._budget = budget
        self._of_schema: dict[int, tuple[Validator, Callable[[JsonValue], bool], Schema]] = {}

    def _checks(self, schema: Schema) -> tuple[Validator, Callable[[JsonValue], bool], Schema]:
        """Return jsonschema's validator of a part of the schema, what says whether a value fits, and the
        part itself, whose id is its own only as long as it is there."""
        if id(schema) not in self._of_schema:
            whole = {**schema, "definitions": self._definitions}
            validator = _explainer()(whole)
            fits = partial(_fits, typed_json.decoder_for(whole, whole)) if typed_json else validator.is_valid
            self._of_schema[id(schema)] = validator, fits, schema
        return self._of_schema[id(schema)]

    def _fits(self, value: JsonValue, schema: Schema) -> bool:
        """Return whether a value has no errors."""
        return self._checks(schema)[1](value)

    def add_file(self, whole: JsonValue, file: JsonFile) -> None:
        """Add the errors of a file, entry by entry; of very many only how many entries have some."""
        schema, each = load_schema(file.schema), file.each
        self.add(whole, _without_entries(schema, each))
        inner = _entry_schema(schema, each)
        entries = _entries(whole, each)
        for key, value in entries.items():
            if self._fits(value, inner):
                continue
            where = f"/{each}/{pointer_part(key)}" if each else f"/{pointer_part(key)}"
            first = next(iter(value.values()), None) if isinstance(value, dict) else None
            if len(entries) == 1 and first is not None and self._fits(first, inner):
                problem, remedy = "the entries are in a further object", "remove the object, keep its entries"
                self._findings.add("E-JSON-SCHEMA", problem, remedy, file=self._name, where=where)
            elif self._budget.problems <= 0:
                self._findings.count_unread(1, self._name)
            elif not self.add(value, inner, where):
                break

    def add(self, value: JsonValue, schema: Schema, where: str = "") -> bool:
        """Add the errors of a value; return whether the next one may be explained."""
        rule = "entry" if where else ""
        try:
            self._add(value, schema, where, rule)
        except _EnoughError:
            self._findings.count_unread(1, self._name)
        except _StoppedError as error:
            problem = f"explaining stopped at {error or '/'}; there may be more"
            remedy = "correct what is listed, and check again"
            self._findings.add("E-JSON-STOPPED", problem, remedy, file=self._name)
            return False
        return True

    def _add(self, value: JsonValue, schema: Schema, where: str, rule: str) -> None:
        while "$ref" in schema:
            schema = self._definitions[schema["$ref"].rpartition("/")[2]]
        size = _size(value)
        self._budget.values -= size if size <= _SMALL else len(value)
        if self._budget.values < 0:
            raise _StoppedError(where)
        if size <= _SMALL:
            self._report(self._checks(schema)[0].iter_errors(value), where, rule)
            return
        shallow = _explainer()(_without_children(schema))
        self._report(shallow.iter_errors(value), where, rule)
        for key, child, own, path in _children(value, schema):
            if not own or self._fits(child, own):
                continue
            if self._budget.problems <= 0:
                raise _EnoughError
            self._add(child, own, f"{where}/{pointer_part(key)}", "/".join([rule, *path]))

    def _report(self, errors: Errors, where: str, rule: str) -> None:
        for error in errors:
            if self._budget.problems <= 0:
                raise _EnoughError
            self._budget.problems -= 1
            place = where + "".join(f"/{pointer_part(part)}" for part in error.absolute_path)
            problem, remedy, variant = _described_error(error)
            own = "/".join([rule, *map(str, error.absolute_schema_path), variant])
            texts = "E-JSON-SCHEMA", problem, remedy
            self._findings.add(*texts, file=self._name, where=place or "/", rule=own)


class _EnoughError(Exception):
    """A value has more problems than are explained."""


class _StoppedError(Exception):
    """Explaining has taken long enough; the message is the place."""


def _size(value: JsonValue) -> int:
    """Return how many values a value holds, itself among them; more than `_SMALL` if it is large."""
    size, pending = 0, [value]
    while pending and size <= _SMALL:
        current = pending.pop()
        size += 1
        if isinstance(current, (dict, list)):
            size += max(len(current) - _SMALL, 0)
            pending += islice(current.values() if isinstance(current, dict) else current, _SMALL)
    return size


def _without_children(schema: Schema) -> Schema:
    """Return the part of a schema that is about a value itself."""
    children = ("properties", "additionalProperties", "items")
    return {key: rule for key, rule in schema.items() if key not in children}


def _children(value: JsonValue, schema: Schema) -> Iterator[tuple[object, JsonValue, Schema, list[str]]]:
    """Yield key, value, schema, and path in the schema of what is directly in a value."""
    if isinstance(value, list):
        yield from ((index, child, schema.get("items", {}), ["items"]) for index, child in enumerate(value))
        return
    known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
    yield from ((key, value[key], known[key], ["properties", key]) for key in known if key in value)
    for key, child in value.items():
        if key not in known:
            yield key, child, other, ["additionalProperties"]


@cache
def _explainer() -> Callable[[Schema], Validator]:
    """Return jsonschema's validator with further keys in the order of the file, all missing ones at once,
    and rules of lists of words that take linear time."""
    import jsonschema

    def further_keys(validator: Validator, rule: Schema, value: JsonValue, schema: Schema) -> Errors:
        for key, child in value.items() if isinstance(value, dict) else ():
            if key not in schema.get("properties", {}):
                yield from validator.descend(child, rule, path=key)

    def required(validator: Validator, keys: list[str], value: JsonValue, schema: Schema) -> Errors:
        if isinstance(value, dict) and not value.keys() >= set(keys):
            yield jsonschema.ValidationError("keys are missing")

    def enum(validator: Validator, words: list[str], value: JsonValue, schema: Schema) -> Errors:
        if isinstance(value, str) and value not in words:
            yield jsonschema.ValidationError("it is another word")

    def distinct(validator: Validator, rule: bool, value: JsonValue, schema: Schema) -> Errors:
        # jsonschema would compare each pair of a list with values of several types.
        words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
        if rule and len(set(words)) < len(words):
            repeated = next(word for word, number in Counter(words).items() if number > 1)
            yield jsonschema.ValidationError(f"'{quote(repeated, 24)}' occurs more than once")

    rules = {
        "additionalProperties": further_keys,
        "required": required,
        "enum": enum,
        "uniqueItems": distinct,
    }
    return jsonschema.validators.extend(jsonschema.Draft7Validator, rules)


def _fits(decoder: Decoder, value: JsonValue) -> bool:
    """Return whether the typed reader accepts a value; then jsonschema does so too and need not walk it."""
    try:
        decoder.decode(json.dumps(value).encode())
    except (*typed_json.DECODE_ERRORS, ValueError):
        return False
    return True


def _without_entries(schema: Schema, each: str) -> Schema:
    """Return the schema of everything around the entries."""
    if not each:
        return {**schema, "additionalProperties": {}}
    inner = {**schema["properties"][each], "additionalProperties": {}}
    return {**schema, "properties": {**schema["properties"], each: inner}}


_TYPES = {
    "object": "an object {…}", "array": "a list […]", "string": "a string", "number": "a number",
    "integer": "a whole number", "boolean": "true or false",
}  # fmt: skip


def _described(value: JsonValue) -> tuple[str, str]:
    """Return a value's type in JSON, and what it is for messages."""
    if value is None:
        return "null", "null"
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, (int, float)):
        variant = "number" if abs(value) < np.inf else "not finite"
        return variant, f"the number {quote(repr(value), 24)}"
    if isinstance(value, str):
        return "string", "a string"
    return ("array", "a list") if isinstance(value, list) else ("object", "an object")


def _described_error(error: ValidationError) -> tuple[str, str, str]:
    """Return what is wrong, how to fix it, and in which of several ways a rule is broken."""
    keyword, allowed, value = error.validator, error.validator_value, error.instance
    about = error.schema.get("description", "see the schema of the file")
    problem, variant = quote(error.message), ""
    if keyword == "type":
        names = [allowed] if isinstance(allowed, str) else allowed
        types = " or ".join(_TYPES.get(name, name) for name in names)
        variant, given = _described(value)
        problem = f"this is {given} instead of {types}"
    elif keyword == "required":
        missing = [key for key in allowed if key not in value]
        verb = variant = "is" if len(missing) == 1 else "are"
        problem = f"{' and '.join(map(repr, missing[:3]))} {verb} missing"
    elif keyword == "enum":
        problem = f"'{quote(value, 40)}' is not {'one of ' * (len(allowed) > 1)}{some_words(allowed, value)}"
    elif keyword in ("minItems", "maxItems", "minProperties", "maxProperties"):
        container = "list" if keyword.endswith("Items") else "object"
        bound = f"at {'least' if keyword.startswith('min') else 'most'} {allowed}"
        problem = f"the {container} has {counted(len(value), 'entry', 'entries')} instead of {bound}"
    elif keyword in ("minimum", "maximum"):
        problem = f"{quote(repr(value), 24)} is {'less' if keyword == 'minimum' else 'more'} than {allowed}"
    return problem, about[:1].lower() + about[1:], variant
