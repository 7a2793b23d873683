"""Decoders made from schemas: they accept what jsonschema accepts, and refuse schemas that they cannot follow."""

from __future__ import annotations

import json

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import ROOT
from validator.typed_json import REMARKS, SchemaError, decoder_for

pytestmark = pytest.mark.interpreters

SCHEMAS = [
    {},
    {"type": "null"},
    {"type": "boolean"},
    {"type": "number"},
    {"type": "number", "minimum": -1, "maximum": 2},
    {"type": "integer", "minimum": 0},
    {"type": ["null", "integer", "string"]},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": "string", "enum": ["a", "bb"]},
    {"type": "array"},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
    {"type": "array", "items": {"type": "number"}, "minItems": 5, "maxItems": 5},
    {"type": "array", "items": {"type": "number"}, "minItems": 3},
    {"type": "array", "items": {"type": "string", "enum": ["a", "bb"]}, "uniqueItems": True},
    {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "uniqueItems": True,
        "minItems": 1,
        "maxItems": 1,
    },
    {"type": "array", "items": {"type": "integer"}, "uniqueItems": False},
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "integer"}}},
    {"$ref": "#/definitions/pair", "definitions": {"pair": {"type": "array", "minItems": 2, "maxItems": 2}}},
    {"type": "array", "items": {"$ref": "#/definitions/x"}, "definitions": {"x": {"type": "number"}}},
]
VALUES = st.recursive(
    st.sampled_from([None, True, False, -2, -1, 0, 1, 2, 3, 0.5, 2.5, "", "a", "bb", "ccc"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def accepts(decoder, value):
    try:
        decoder.decode(json.dumps(value))
    except msgspec.MsgspecError:
        return False
    return True


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_what_jsonschema_accepts_is_accepted(schema):
    decoder, validator = decoder_for(schema, schema), jsonschema.Draft7Validator(schema)

    @given(VALUES)
    def compare(value):
        assert accepts(decoder, value) == validator.is_valid(value)

    compare()
    for n in range(7):
        for value in (
            n,
            [n] * n,
            "a" * n,
            {str(i): i for i in range(n)},
            {"a": n},
            {"a": "x"},
            {"b": "x", "a": n},
        ):
            assert accepts(decoder, value) == validator.is_valid(value)


@pytest.mark.parametrize(("size", "is_tuple"), [(1, True), (3, True), (4, True), (5, False)])
def test_short_lists_of_one_length_become_tuples_which_are_read_faster(size, is_tuple):
    schema = {"type": "array", "items": {"type": "number"}, "minItems": size, "maxItems": size}
    value = decoder_for(schema, schema).decode(json.dumps([1.5] * size))
    assert value == ((1.5,) * size if is_tuple else [1.5] * size)


def test_base64_is_decoded():
    decoder = decoder_for({"type": "string", "contentEncoding": "base64"}, {})
    assert decoder.decode('"AAEC"') == b"\0\1\2"


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "thing"}, "thing"),
        (
            {"type": "number", "multipleOf": 2, "exclusiveMinimum": 0},
            "exclusiveMinimum, multipleOf with type number",
        ),
        ({"type": "string", "pattern": "x"}, "pattern with type string"),
        ({"type": "object", "required": ["b", "a"]}, "required a, b"),
        (
            {"type": "object", "properties": {"a": {}}, "required": ["a", "b"]},
            "required b",
        ),
        ({"minimum": 1}, "minimum"),
        (
            {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
            "uniqueItems",
        ),
        ({"type": "array", "uniqueItems": True}, "uniqueItems"),
        ({"type": "string", "enum": []}, "enum"),
        ({"type": "string", "enum": ["a", 1]}, "enum"),
        ({"type": "integer", "minimum": "0"}, "wrong value"),
        ({"$ref": "#/definitions/none"}, "'#/definitions/none'"),
        ({"type": "string", "contentEncoding": "hex"}, None),
    ],
)
def test_schemas_that_no_type_can_follow_are_refused(schema, keyword):
    if keyword is None:
        assert decoder_for(schema, {}).decode('"x"') == "x"
        return
    with pytest.raises(SchemaError, match=keyword):
        decoder_for(schema, {})


def keywords(schema):
    """Return all keywords that a schema of `SCHEMAS` uses."""
    inner = [schema[keyword] for keyword in ("items", "additionalProperties") if keyword in schema]
    inner += [part for key in ("properties", "definitions") for part in schema.get(key, {}).values()]
    return set(schema).union(*map(keywords, inner))


def test_the_keywords_that_work_are_documented():
    text = (ROOT / "docs" / "new_task.md").read_text(encoding="utf-8")
    table = text.partition("| keywords | where |")[2].partition("\n\n")[0]
    documented = {word for line in table.splitlines()[2:] for word in line.split("|")[1].split("`")[1::2]}
    assert documented == set().union(*map(keywords, SCHEMAS), REMARKS, {"contentEncoding"})
