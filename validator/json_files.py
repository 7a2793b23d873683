"""Checking JSON files against their schemas, fast where they are good and in detail where they are not.

The schema files in ``validator/schemas`` are the authority. A good file is read by msgspec into types that
are made from the schema: parsing and checking in one. Only what it does not accept is parsed strictly
(`validator.strict_json`) and explained by jsonschema. Where msgspec is missing, the slow way gives the same
verdict.
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Union

import numpy as np

from validator import forks, limits
from validator.findings import Findings, counted, quote
from validator.strict_json import UNPARSED, JsonValue, collector_off, decode_text, pointer_part, strict_loads

try:
    from validator import typed_json
except ImportError:  # msgspec is compiled; an interpreter that it was not made for takes the slow way
    typed_json = None  # type: ignore[assignment]
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from msgspec import Raw
    from msgspec.json import Decoder

    Errors = Iterator[ValidationError]

SCHEMAS = Path(__file__).parent / "schemas"
_EXPLAINED = 200

# From this size on a file is read in two processes.
_PARALLEL_FROM_BYTES = 16_000_000
_BLOCK = 65_536
# The most that a byte of text takes as objects: {"a":[]} becomes about 400.
_BYTES_A_BYTE = 50
_BYTES_TO_SPARE = 16 << 20

Content = TypeVar("Content")
Schema = Mapping[str, JsonValue]
Entries = Iterator[tuple[str, JsonValue]]
# Takes the entries (key and value) of a file in their order; returns what it made of them and how many keys
# the values hold at all depths.
Convert = Callable[[Entries], tuple[Content, int]]
# Puts together what was made of the first entries and of the later ones.
Merge = Callable[[Content, Content], Content]
# An entry, or another part of a file, that is not parsed yet.
_Text = Union[bytes, "Raw"]


@dataclass(frozen=True)
class JsonForm:
    """What a JSON file must look like.

    Attributes
    ----------
    schema : str
        A file of ``validator/schemas``.
    each : str
        The member of the top-level object whose entries are read one by one; "" if it is that object itself.
    entries, values : int, optional
        How many entries, and values at all depths, a file may have; None for as many as there are.
    """

    schema: str
    each: str = ""
    entries: int | None = None
    values: int | None = None


class _TooManyEntriesError(Exception):
    """There are more entries than are allowed."""


class _UncertainError(Exception):
    """The fast reader cannot vouch for the file."""


@cache
def load_schema(name: str) -> Schema:
    """Return a file of ``validator/schemas`` as data."""
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def as_dict(entries: Entries) -> tuple[dict[str, JsonValue], int]:
    """Return entries that are no objects or lists as one dict; they hold no keys."""
    return dict(entries), 0


def read_json(
    data: bytes,
    name: str,
    form: JsonForm,
    findings: Findings,
    convert: Convert[Content],
    merge: Merge[Content] | None = None,
) -> tuple[Content, dict[str, JsonValue]] | None:
    """Read a JSON object, entry by entry, and check it against its schema.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for messages.
    form : JsonForm
        What the file must look like.
    findings : Findings
        Gets the problems, with JSON Pointers.
    convert : callable
        Makes something of the entries, as `as_dict` does. It is called again if the fast reader gives up.
    merge : callable, optional
        With it a large file is converted in two processes.

    Returns
    -------
    (content, members) or None
        What ``convert`` made, and the other members of the top-level object; None after a problem.
    """
    # Before anything is parsed: a value takes far more memory than its text.
    if form.values is not None and _count(data, b",:") > form.values:
        _too_many(f"values (commas and colons in the text) than {form.values:,}", name, findings)
        return None
    with collector_off():
        if typed_json is not None:
            try:
                return _read_typed(data, form, convert, merge)
            except _UncertainError:
                pass
            except _TooManyEntriesError:
                _too_many(f"entries than {form.entries:,}", name, findings, form.each)
                return None
        return _read_strictly(data, name, form, findings, convert)


def _read_strictly(
    data: bytes, name: str, form: JsonForm, findings: Findings, convert: Convert[Content]
) -> tuple[Content, dict[str, JsonValue]] | None:
    before = findings.total
    whole = strict_loads(data, name, findings)
    if whole is not UNPARSED:
        entries = _entries(whole, form.each)
        if form.entries is not None and len(entries) > form.entries:
            _too_many(f"entries than {form.entries:,}", name, findings, form.each)
        else:
            _explain(whole, name, load_schema(form.schema), findings, form.each)
    if findings.total > before:
        return None
    members = dict(whole)
    content, _ = convert(iter((members.pop(form.each) if form.each else whole).items()))
    return content, members if form.each else {}


def _too_many(what: str, name: str, findings: Findings, member: str = "") -> None:
    hint = "submit only what is asked for"
    findings.add("E-JSON-COUNT", f"there are more {what}", hint, file=name, where=f"/{member}")


def _entries(whole: JsonValue, each: str) -> dict[str, JsonValue]:
    """Return the entries of a file; none if it has another shape."""
    entries = whole.get(each) if each and isinstance(whole, dict) else whole
    return entries if isinstance(entries, dict) else {}


def check_value(data: bytes, schema_name: str, findings: Findings, where: str) -> JsonValue:
    """Parse and check one value of a larger file; return it, None after a problem.

    ``where`` is the JSON Pointer of the value; problems are placed below it. A string that is base64 by
    the schema may be given as bytes.
    """
    schema = load_schema(schema_name)
    if typed_json is not None:
        try:
            value = _decode(data, _decoder(schema_name))
            if _count(data) == _count_keys(value) and (data.isascii() or _is_utf8(data)):
                return value
        except typed_json.DECODE_ERRORS:
            pass
    inner = Findings()
    value = strict_loads(data, "", inner)
    if value is not UNPARSED:
        _add(_explainer()(schema).iter_errors(value), "", "", inner, _EXPLAINED)
    for problem in inner.problems:
        below = problem.where if problem.where.startswith("/") else f" {problem.where} of this entry".rstrip()
        findings.add(
            problem.code, problem.problem, problem.hint, file=problem.file, where=where + below.rstrip("/")
        )
    if not inner.complete:
        findings.count_unread(inner.total - len(inner.problems), "")
    return value if inner.ok else None


@cache
def _decoder(schema_name: str) -> Decoder:
    return typed_json.decoder_for(load_schema(schema_name), load_schema(schema_name))


def _is_utf8(data: bytes) -> bool:
    return decode_text(data, "", Findings()) is not None


def _read_typed(
    data: bytes, form: JsonForm, convert: Convert[Content], merge: Merge[Content] | None
) -> tuple[Content, dict[str, JsonValue]]:
    schema, each = load_schema(form.schema), form.each
    if not data.isascii() and (data.startswith(b"\xef\xbb\xbf") or not _is_utf8(data)):
        raise _UncertainError
    entry = typed_json.decoder_for(_entry_schema(schema, each), schema)
    members: dict[str, JsonValue] = {}
    try:
        top = typed_json.RAW_MEMBERS.decode(data)
        keys = len(top)
        unknown = _count(data)
        if each:
            if not top.keys() >= set(schema["required"]):
                raise _UncertainError
            entries = typed_json.RAW_MEMBERS.decode(top.pop(each))
            for key, value in top.items():
                members[key] = _member(value, schema["properties"].get(key, {}), schema)
                unknown -= _count(value)
            keys += len(entries)
        else:
            entries = top
        if form.entries is not None and len(entries) > form.entries:
            raise _TooManyEntriesError
        if merge is not None and len(data) >= _PARALLEL_FROM_BYTES and forks.usable_cores() > 1:
            content, inside = _convert_in_two(list(entries.items()), entry, convert, merge)
        else:
            content, inside = convert(_decoded(entries.items(), entry))
    except typed_json.DECODE_ERRORS:
        raise _UncertainError from None
    # The decoder drops keys that it does not know, with their values unseen, and all but the last of equal
    # ones. There are none of these if it kept as many keys as there are colons: then a type has checked every
    # value. Otherwise a colon is part of a string, or the strict reader must look at everything.
    if keys + inside != unknown:
        _load_sound(data)
    return content, members


def _load_sound(data: bytes, depth: int = 0) -> JsonValue:
    """Return the value that the strict reader sees. Raises `_UncertainError` if it finds a problem."""
    findings = Findings()
    value = strict_loads(data, "", findings, depth)
    if not findings.ok:
        raise _UncertainError
    return value


def _member(text: Raw, schema: Schema, root: Schema) -> JsonValue:
    """Return a member of the top-level object. Any JSON is allowed in some, and there a decoder is
    lenient."""
    value = _load_sound(bytes(text), depth=1)
    _decode(text, typed_json.decoder_for(schema, root))
    return value


def _decoded(raw: Iterable[tuple[str, Raw]], decoder: Decoder) -> Entries:
    return ((key, _decode(value, decoder)) for key, value in raw)


def _decode(data: _Text, decoder: Decoder) -> JsonValue:
    """Return the decoded value. Raises what `DECODE_ERRORS` lists, and MemoryError."""
    # msgspec ends the process if there is no memory for a string.
    limits.require_memory(_BYTES_A_BYTE * len(memoryview(data)) + _BYTES_TO_SPARE)
    return decoder.decode(data)


def _count(data: _Text, marks: bytes = b":") -> int:
    """Return how often some characters occur in a text.

    In JSON a key is followed by a colon, and each value but the first in its list by a comma or a key: there
    are at most as many keys as colons.
    """
    text = np.frombuffer(data, np.uint8)
    # Block by block: what is compared stays in the processor's cache.
    blocks = [text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK)]
    return sum(int(np.count_nonzero(block == mark)) for mark in marks for block in blocks)


def _convert_in_two(
    raw: list[tuple[str, Raw]], decoder: Decoder, convert: Convert[Content], merge: Merge[Content]
) -> tuple[Content, int]:
    ends = list(accumulate((len(memoryview(value)) for _, value in raw), initial=0))
    half = bisect.bisect(ends, ends[-1] / 2) - 1
    try:
        # Arrays of numbers are seldom larger than their text.
        room = forks.shared_room(2 * (ends[-1] - ends[half]))
        process, pipe = forks.start(_convert_rest, room, raw[half:], decoder, convert)
    except OSError:  # the system allows no further process
        return convert(_decoded(raw, decoder))
    try:
        first, first_keys = convert(_decoded(raw[:half], decoder))
        try:
            rest = forks.receive(pipe, room)
        except EOFError:  # the other process died, for want of memory as a rule
            rest = convert(_decoded(raw[half:], decoder))
    finally:
        process.kill()
        process.join()
        pipe.close()
    if rest is None:
        raise _UncertainError
    return merge(first, rest[0]), first_keys + rest[1]


def _convert_rest(
    pipe: Connection, room: mmap, raw: list[tuple[str, Raw]], decoder: Decoder, convert: Convert[Content]
) -> None:
    """Send what was made of the entries, or None if the fast reader cannot vouch for them."""
    try:
        forks.send(pipe, room, convert(_decoded(raw, decoder)))
    except typed_json.DECODE_ERRORS:
        forks.send(pipe, room, None)


def _count_keys(value: JsonValue) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    return sum(map(_count_keys, value)) if isinstance(value, list) else 0


def _entry_schema(schema: Schema, each: str) -> Schema:
    """Return the schema of an entry. Raises SchemaError where the readers would not check what is around
    it."""
    holder = schema["properties"][each] if each else schema
    rules = set(holder) - typed_json.REMARKS - {"type", "additionalProperties"} if typed_json else ()
    if rules:
        raise typed_json.SchemaError(f"no entries with {', '.join(sorted(rules))} next to them")
    return holder["additionalProperties"]


def _explain(whole: JsonValue, name: str, schema: Schema, findings: Findings, each: str) -> None:
    """Add what jsonschema finds, entry by entry; of a file with very many problems only the first."""
    outer = _without_entries(schema, each)
    _add(_explainer()(outer).iter_errors(whole), "", name, findings, _EXPLAINED)
    inner = {**_entry_schema(schema, each), "definitions": schema.get("definitions", {})}
    validator = _explainer()(inner)
    fits = partial(_fits, typed_json.decoder_for(inner, inner)) if typed_json else validator.is_valid
    left = _EXPLAINED
    for key, value in _entries(whole, each).items():
        if fits(value):
            continue
        if left <= 0:
            findings.count_unread(1, name)
            continue
        where = f"/{each}/{pointer_part(key)}" if each else f"/{pointer_part(key)}"
        left -= _add(validator.iter_errors(value), where, name, findings, left)


@cache
def _explainer() -> Callable[[Schema], Validator]:
    """Return jsonschema's validator, but with further keys in the order of the file, and all missing ones
    at once."""
    import jsonschema

    def further_keys(validator: Validator, rule: Schema, value: JsonValue, schema: Schema) -> Errors:
        for key, child in value.items() if isinstance(value, dict) else ():
            if key not in schema.get("properties", {}):
                yield from validator.descend(child, rule, path=key)

    def required(validator: Validator, keys: list[str], value: JsonValue, schema: Schema) -> Errors:
        if isinstance(value, dict) and not value.keys() >= set(keys):
            yield jsonschema.ValidationError("keys are missing")

    rules = {"additionalProperties": further_keys, "required": required}
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


def _add(errors: Errors, prefix: str, name: str, findings: Findings, most: int) -> int:
    """Add errors of jsonschema to ``findings``; return how many."""
    count = 0
    for count, error in enumerate(errors, start=1):
        if count > most:
            findings.count_unread(1, name)
            break
        where = prefix + "".join(f"/{pointer_part(part)}" for part in error.absolute_path)
        problem, hint = _problem_and_hint(error)
        findings.add("E-JSON-SCHEMA", problem, hint, file=name, where=where or "/")
    return count


_TYPES = {
    "object": "an object {…}", "array": "a list […]", "string": "a string", "number": "a number",
    "integer": "a whole number", "boolean": "true or false",
}  # fmt: skip


def _described(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {quote(repr(value), 24)}"
    return "a string" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _problem_and_hint(error: ValidationError) -> tuple[str, str]:
    """Return what is wrong and how to fix it, for an error of jsonschema."""
    rule, allowed, value = error.validator, error.validator_value, error.instance
    about = error.schema.get("description", "see the schema of the file")
    problem = quote(error.message)
    if rule == "type":
        types = " or ".join(
            _TYPES.get(name, name) for name in ([allowed] if isinstance(allowed, str) else allowed)
        )
        problem = f"this is {_described(value)} instead of {types}"
    elif rule == "required":
        missing = [key for key in allowed if key not in value]
        problem = f"{' and '.join(map(repr, missing[:3]))} {'is' if len(missing) == 1 else 'are'} missing"
    elif rule in ("minItems", "maxItems", "maxProperties"):
        container = "object" if rule == "maxProperties" else "list"
        bound = f"at {'least' if rule == 'minItems' else 'most'} {allowed}"
        problem = f"the {container} has {counted(len(value), 'entry', 'entries')} instead of {bound}"
    elif rule in ("minimum", "maximum"):
        problem = f"{quote(repr(value), 24)} is {'less' if rule == 'minimum' else 'more'} than {allowed}"
    return problem, about[:1].lower() + about[1:]
