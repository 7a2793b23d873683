"""Cutting a JSON file into the texts of its entries, without decoding these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from validator import strict_json, typed_json
from validator.findings import Findings
from validator.json_decoding import Text, count_marks, decode
from validator.json_keys import Schema
from validator.strict_json import JsonValue

if TYPE_CHECKING:
    from msgspec import Raw

Members = dict[str, JsonValue]


class CutFile(NamedTuple):
    """A file that is cut into the texts of its entries and the other members of its top-level object.

    ``n_colons`` are the colons of the file that belong neither to the keys of entries nor to other members:
    those in the texts of the entries and, if keys of entries hold colons or occur twice, further ones.
    """

    entries: dict[str, Raw]
    members: Members
    n_colons: int


def cut_file(data: bytes, schema: Schema, each: str, largest_around: int) -> CutFile | None:
    """Return a file cut into its entries, None where only the strict parser knows what it holds.

    What is around the entries has at most ``largest_around`` bytes, and names at most
    `typed_json.LONGEST_NAME` characters.
    """
    try:
        members = typed_json.RAW_MEMBERS.decode(data)
        if not each:
            return CutFile(entries=members, members={}, n_colons=count_marks(data) - len(members))
        if each not in members or not members.keys() >= set(schema.get("required", ())):
            return None
        entries = typed_json.RAW_MEMBERS.decode(members.pop(each))
        return _cut_around(data, entries, members, schema, largest_around)
    except typed_json.DECODE_ERRORS:
        return None


def _cut_around(
    data: bytes, entries: dict[str, Raw], member_texts: dict[str, Raw], schema: Schema, largest: int
) -> CutFile | None:
    """Return a file cut into entries and members, None if the strict parser does not accept the members.

    Raises what `typed_json.DECODE_ERRORS` lists if their types do not.
    """
    n_bytes = sum(len(name) + len(memoryview(text)) for name, text in member_texts.items())
    if n_bytes > largest:
        return None
    text = object_text(member_texts)
    findings = Findings()
    members: Members = {}
    with findings.part():
        # All JSON is allowed in some members, and there a decoder is lenient.
        members = strict_json.parse(text, "", findings)
    properties = schema["properties"]
    for key in properties.keys() & member_texts.keys():
        decode(member_texts[key], typed_json.decoder_for(properties[key], schema))
    if not findings.ok:
        return None
    n_colons_around = 1 + count_marks(text)
    return CutFile(entries, members, n_colons=count_marks(data) - n_colons_around - len(entries))


def object_text(members: Mapping[str, Text]) -> bytes:
    """Return the text of an object with these members."""
    member_texts = []
    for key, value_text in members.items():
        member_texts.append(json.dumps(key).encode() + b":" + bytes(value_text))
    return b"{" + b",".join(member_texts) + b"}"


def entries_of(whole: JsonValue, each: str) -> Members:
    """Return the entries of a file; none if it has another shape."""
    entries = whole.get(each) if each and isinstance(whole, dict) else whole
    return entries if isinstance(entries, dict) else {}
