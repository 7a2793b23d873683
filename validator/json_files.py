"""Checking JSON files against their schemas, fast where they are good and in detail where they are not.

The schema files in ``validator/schemas`` are the authority. A good file is read by msgspec into types that are
made from the schema: parsing and checking in one. Only what it does not accept is parsed strictly
(`validator.strict_json`) and explained by jsonschema. Where msgspec is missing, the slow way gives the same verdict.
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from mmap import mmap
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from validator import forks, limits
from validator.findings import Findings, counted, quote
from validator.strict_json import UNPARSED, collector_off, decode_text, pointer_part, strict_loads

try:
    from validator import typed_json
except ImportError:  # msgspec is compiled; an interpreter that it was not made for takes the slow way
    typed_json = None  # type: ignore[assignment]

SCHEMAS = Path(__file__).parent / "schemas"
_EXPLAINED = 200

# From this size on a file is read in two processes.
_PARALLEL_FROM_BYTES = 16_000_000
_BLOCK = 1 << 16
# The most that a byte of text takes as objects: {"a":[]} becomes about 400.
_BYTES_A_BYTE = 50
_BYTES_TO_SPARE = 16 << 20

Content = TypeVar("Content")
# Takes the entries (key and value) of a file in their order; returns what it made of them and how many keys
# the values hold at all depths.
Gather = Callable[[Iterator[tuple[str, Any]]], tuple[Content, int]]
# Puts together what was made of the first entries and of the later ones.
Merge = Callable[[Content, Content], Content]


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
def load_schema(name: str) -> Mapping[str, Any]:
    """Return a file of ``validator/schemas`` as data."""
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def read_json(
    data: bytes,
    name: str,
    form: JsonForm,
    findings: Findings,
    gather: Gather[Content],
    merge: Merge[Content] | None = None,
) -> tuple[Content, dict[str, Any]] | None:
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
    gather : callable
        Makes something of the entries. It is called again from the start if the fast reader gives up.
    merge : callable, optional
        With it a large file is gathered in two processes.

    Returns
    -------
    (content, members) or None
        What ``gather`` made, and the other members of the top-level object; None after a problem.
    """
    # Before anything is parsed: a value takes far more memory than its text.
    if form.values is not None and _count(data, b",:") > form.values:
        _too_many(f"values (commas and colons in the text) than {form.values:,}", name, findings)
        return None
    with collector_off():
        if typed_json is not None:
            try:
                return _read_typed(data, form, gather, merge)
            except _UncertainError:
                pass
            except _TooManyEntriesError:
                _too_many(f"entries than {form.entries:,}", name, findings, form.each)
                return None
        return _read_strictly(data, name, form, findings, gather)


def _read_strictly(
    data: bytes, name: str, form: JsonForm, findings: Findings, gather: Gather[Content]
) -> tuple[Content, dict[str, Any]] | None:
    before = findings.total
    whole = strict_loads(data, name, findings)
    if whole is not UNPARSED:
        entries = whole.get(form.each) if form.each and isinstance(whole, dict) else whole
        if form.entries is not None and isinstance(entries, dict) and len(entries) > form.entries:
            _too_many(f"entries than {form.entries:,}", name, findings, form.each)
        else:
            _explain(whole, name, load_schema(form.schema), findings, form.each)
    if findings.total > before:
        return None
    members = dict(whole)
    content, _ = gather(iter((members.pop(form.each) if form.each else whole).items()))
    return content, members if form.each else {}


def _too_many(what: str, name: str, findings: Findings, member: str = "") -> None:
    findings.add(
        "E-JSON-COUNT", f"there are more {what}", "submit only what is asked for", file=name, where=f"/{member}"
    )


def check_value(data: bytes, schema_name: str, findings: Findings, where: str) -> Any:
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
    own = Findings()
    value = strict_loads(data, "", own)
    if value is not UNPARSED:
        _add(_explainer()(schema).iter_errors(value), "", "", own, _EXPLAINED)
    for problem in own.problems:
        inside = problem.where if problem.where.startswith("/") else f" {problem.where} of this entry".rstrip()
        findings.add(problem.code, problem.problem, problem.hint, file=problem.file, where=where + inside.rstrip("/"))
    if not own.complete:
        findings.count_unread(own.total - len(own.problems), "")
    return value if own.ok else None


@cache
def _decoder(schema_name: str) -> Any:
    return typed_json.decoder_for(load_schema(schema_name), load_schema(schema_name))


def _is_utf8(data: bytes) -> bool:
    return decode_text(data, "", Findings()) is not None


def _read_typed(
    data: bytes, form: JsonForm, gather: Gather[Content], merge: Merge[Content] | None
) -> tuple[Content, dict[str, Any]]:
    schema, each = load_schema(form.schema), form.each
    if not data.isascii() and (data.startswith(b"\xef\xbb\xbf") or not _is_utf8(data)):
        raise _UncertainError
    entry = typed_json.decoder_for(_entry_schema(schema, each), schema)
    members: dict[str, Any] = {}
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
            content, inside = _gather_in_two(list(entries.items()), entry, gather, merge)
        else:
            content, inside = gather(_decoded(entries.items(), entry))
    except typed_json.DECODE_ERRORS:
        raise _UncertainError from None
    # The decoder drops keys that it does not know, with their values unseen, and all but the last of equal ones.
    # There are none of these if it kept as many keys as there are colons: then a type has checked every value.
    # Otherwise a colon is part of a string, or the strict reader must look at everything.
    if keys + inside != unknown:
        strict = Findings()
        strict_loads(data, "", strict)
        if not strict.ok:
            raise _UncertainError
    return content, members


def _member(text: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return a member of the top-level object. Any JSON is allowed in some, and there a decoder is lenient."""
    findings = Findings()
    value = strict_loads(bytes(text), "", findings, depth=1)
    if not findings.ok:
        raise _UncertainError
    _decode(text, typed_json.decoder_for(schema, root))
    return value


def _decoded(raw: Iterable[tuple[str, Any]], decoder: Any) -> Iterator[tuple[str, Any]]:
    return ((key, _decode(value, decoder)) for key, value in raw)


def _decode(data: Any, decoder: Any) -> Any:
    """Return the decoded value. Raises what `DECODE_ERRORS` lists, and MemoryError."""
    # msgspec ends the process if there is no memory for a string.
    limits.require_memory(_BYTES_A_BYTE * len(memoryview(data)) + _BYTES_TO_SPARE)
    return decoder.decode(data)


def _count(data: Any, marks: bytes = b":") -> int:
    """Return how often some characters occur in a text.

    In JSON a key is followed by a colon, and each value but the first in its list by a comma or a key: there are at
    most as many keys as colons.
    """
    text = np.frombuffer(data, np.uint8)
    # Block by block: what is compared stays in the processor's cache.
    blocks = [text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK)]
    return sum(int(np.count_nonzero(block == mark)) for mark in marks for block in blocks)


def _gather_in_two(
    raw: list[tuple[str, Any]], decoder: Any, gather: Gather[Content], merge: Merge[Content]
) -> tuple[Content, int]:
    ends = list(accumulate((len(memoryview(value)) for _, value in raw), initial=0))
    half = bisect.bisect(ends, ends[-1] / 2) - 1
    try:
        # Arrays of numbers are seldom larger than their text.
        room = forks.shared_room(2 * (ends[-1] - ends[half]))
        process, pipe = forks.start(_gather_rest, room, raw[half:], decoder, gather)
    except OSError:  # the system allows no further process
        return gather(_decoded(raw, decoder))
    try:
        first, first_keys = gather(_decoded(raw[:half], decoder))
        try:
            rest = forks.receive(pipe, room)
        except EOFError:  # the other process died, for want of memory as a rule
            rest = gather(_decoded(raw[half:], decoder))
    finally:
        process.kill()
        process.join()
        pipe.close()
    if rest is None:
        raise _UncertainError
    return merge(first, rest[0]), first_keys + rest[1]


def _gather_rest(pipe: Any, room: mmap, raw: list[tuple[str, Any]], decoder: Any, gather: Gather[Content]) -> None:
    """Send what was made of the entries, or None if the fast reader cannot vouch for them."""
    try:
        found = gather(_decoded(raw, decoder))
    except typed_json.DECODE_ERRORS:
        found = None
    forks.send(pipe, room, found)


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    return sum(map(_count_keys, value)) if isinstance(value, list) else 0


def _entry_schema(schema: Mapping[str, Any], each: str) -> Mapping[str, Any]:
    holder = schema["properties"][each] if each else schema
    return holder["additionalProperties"]


def _explain(whole: Any, name: str, schema: Mapping[str, Any], findings: Findings, each: str) -> None:
    """Add what jsonschema finds, entry by entry; of a file with very many problems only the first."""
    outer = _without_entries(schema, each)
    _add(_explainer()(outer).iter_errors(whole), "", name, findings, _EXPLAINED)
    entries = whole.get(each) if each and isinstance(whole, dict) else whole
    if not isinstance(entries, dict):
        return
    own = {**_entry_schema(schema, each), "definitions": schema.get("definitions", {})}
    validator = _explainer()(own)
    typed = typed_json and typed_json.decoder_for(own, own)
    left = _EXPLAINED
    for key, value in entries.items():
        if typed and _fits(value, typed):
            continue
        if left <= 0:
            findings.count_unread(1, name)
            continue
        where = f"/{each}/{pointer_part(key)}" if each else f"/{pointer_part(key)}"
        left -= _add(validator.iter_errors(value), where, name, findings, left)


@cache
def _explainer() -> Any:
    """Return jsonschema's validator, which goes through further keys in the order of a set, with that of the file."""
    import jsonschema

    def further_keys(validator: Any, rule: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
        for key, child in value.items() if isinstance(value, dict) else ():
            if key not in schema.get("properties", {}):
                yield from validator.descend(child, rule, path=key)

    return jsonschema.validators.extend(jsonschema.Draft7Validator, {"additionalProperties": further_keys})


def _fits(value: Any, decoder: Any) -> bool:
    """Return whether the typed reader accepts a value; then jsonschema does so too and need not walk it."""
    try:
        decoder.decode(json.dumps(value).encode())
    except (*typed_json.DECODE_ERRORS, ValueError):
        return False
    return True


def _without_entries(schema: Mapping[str, Any], each: str) -> Mapping[str, Any]:
    """Return the schema of everything around the entries."""
    if not each:
        return {**schema, "additionalProperties": {}}
    inner = {**schema["properties"][each], "additionalProperties": {}}
    return {**schema, "properties": {**schema["properties"], each: inner}}


def _add(errors: Iterator[Any], prefix: str, name: str, findings: Findings, most: int) -> int:
    """Add errors of jsonschema to ``findings``; return how many."""
    count = 0
    for error in errors:
        count += 1
        if count > most:
            findings.count_unread(1, name)
            break
        where = prefix + "".join(f"/{pointer_part(part)}" for part in error.absolute_path)
        problem, hint = _words(error)
        findings.add("E-JSON-SCHEMA", problem, hint, file=name, where=where or "/")
    return count


_KINDS = {
    "object": "an object {…}", "array": "a list […]", "string": "a string", "number": "a number",
    "integer": "a whole number", "boolean": "true or false",
}  # fmt: skip


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {quote(repr(value), 24)}"
    return "a string" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _words(error: Any) -> tuple[str, str]:
    """Return what is wrong and how to fix it, for an error of jsonschema."""
    rule, wanted, value = error.validator, error.validator_value, error.instance
    about = error.schema.get("description", "see the schema of the file")
    hint = about[0].lower() + about[1:] if about else about
    if rule == "type":
        kinds = " or ".join(_KINDS.get(kind, kind) for kind in ([wanted] if isinstance(wanted, str) else wanted))
        return f"this is {_kind(value)} instead of {kinds}", hint
    if rule == "required":
        missing = [key for key in wanted if key not in value]
        verb = "is" if len(missing) == 1 else "are"
        return f"{' and '.join(map(repr, missing[:3]))} {verb} missing", hint
    if rule in ("minItems", "maxItems"):
        few = "at least" if rule == "minItems" else "at most"
        return f"the list has {counted(len(value), 'entry', 'entries')} instead of {few} {wanted}", hint
    if rule == "maxProperties":
        return f"the object has {counted(len(value), 'entry', 'entries')} instead of at most {wanted}", hint
    if rule in ("minimum", "maximum"):
        return f"{quote(repr(value), 24)} is {'less' if rule == 'minimum' else 'more'} than {wanted}", hint
    return quote(error.message), hint
