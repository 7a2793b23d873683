"""Checking JSON files and values against their schemas, fast where they are good and in detail where not.

`read_json` reads a file: `validator.json_document` in general, `validator.large_json` above a megabyte.
`check_value` reads a value of a file that is read as a stream.

Duplicate keys
--------------
A decoder keeps the last of equal keys and drops keys that its type does not have, with their values unseen.
That nothing was dropped is known by counting: outside of strings each key is followed by one colon, and there
are no other colons. If as many keys were kept as there are colons in the file, no key was dropped, and a type
has checked every value. Otherwise a string holds a colon, there are further keys, or a key occurs twice:
then, and only then, the whole file is parsed strictly as well, which takes a few times as long and finds the
duplicates; of a large file, only the entries in which the numbers differ are parsed strictly. Colons that are
written as escape sequences change neither number.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from validator import strict_json, typed_json
from validator.choose import naming_other_task
from validator.findings import Findings, Read
from validator.formats.rules import JsonFile
from validator.json_cutting import Members
from validator.json_decoding import count_marks, decode
from validator.json_document import Content, Conversion, Document, refuse_too_many
from validator.json_keys import KeyCounter, key_counter_for
from validator.json_schemas import load_schema
from validator.large_json import LargeDocument
from validator.limits import collector_off
from validator.schema_errors import Budget, SchemaExplainer
from validator.strict_json import Advice, JsonValue, check_encoding

if TYPE_CHECKING:
    from msgspec.json import Decoder


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
            refuse_too_many(f"values (commas and colons in the text) than {file.values:,}", name, findings)
        data = findings.take(check_encoding(data, name))
        budget = budget or Budget()
        make_document = LargeDocument if len(data) > budget.bytes else Document
        document = make_document(data, name, file, budget)
        content = document.read(conversion, findings)
    return Read((content, document.members), findings.notes)


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
        value = decode(data, decoder)
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
        value = strict_json.parse(data, "", inner_findings, advice=Advice.of(schema))
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
