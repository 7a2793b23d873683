"""Parsing and checking in one step: msgspec decoders whose types are made from a JSON Schema.

Supports the part of JSON Schema (draft 7) that our schema files use, and refuses others. Importing this module
raises ImportError where msgspec, which is compiled, has no build for the interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict, Union

import msgspec

# Words that say nothing about validity.
_REMARKS = {"$schema", "$comment", "title", "description", "definitions"}
_LONGEST_TUPLE = 4


class SchemaError(Exception):
    """The schema uses a word that cannot be turned into a type."""


def decoder_for(schema: Mapping[str, Any], root: Mapping[str, Any]) -> msgspec.json.Decoder:
    """Return a decoder that accepts what ``schema`` accepts; ``root`` holds its definitions."""
    return msgspec.json.Decoder(_type_of(schema, _definitions(root)))


RAW_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
DECODE_ERRORS = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


def _definitions(root: Mapping[str, Any]) -> Mapping[str, Any]:
    return {f"#/definitions/{name}": schema for name, schema in root.get("definitions", {}).items()}


def _type_of(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _type_of(definitions[schema["$ref"]], definitions)
    rules = {key: value for key, value in schema.items() if key not in _REMARKS}
    kind = rules.pop("type", None)
    if isinstance(kind, list):
        return Union[tuple(_type_of({**rules, "type": one}, definitions) for one in kind)]
    made = _MAKERS.get(kind, _unknown)(rules, definitions)
    if rules:
        raise SchemaError(f"no type for {', '.join(sorted(rules))} next to type {kind}")
    return made


def _any(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    return Any


def _unknown(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    raise SchemaError("there is no such type")


def _object(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    properties = rules.pop("properties", None)
    required = set(rules.pop("required", ()))
    if properties is None:
        value = _type_of(rules.pop("additionalProperties", {}), definitions)
        return _limited(dict[str, value], rules, "minProperties", "maxProperties")  # type: ignore[valid-type]
    must = {key: _type_of(sub, definitions) for key, sub in properties.items() if key in required}
    may = {key: _type_of(sub, definitions) for key, sub in properties.items() if key not in required}
    # Two classes, because NotRequired is younger than the oldest Python that this runs on.
    base = TypedDict("base", must)  # type: ignore[misc]
    return type("Object", (base,), {"__annotations__": may}, total=False) if may else base


def _array(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    item = _type_of(rules.pop("items", {}), definitions)
    size = rules.get("minItems")
    if size is not None and size == rules.get("maxItems") and size <= _LONGEST_TUPLE:
        del rules["minItems"], rules["maxItems"]
        return tuple[(item,) * size]  # type: ignore[misc]
    return _limited(list[item], rules, "minItems", "maxItems")  # type: ignore[valid-type]


def _string(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    if "enum" in rules:
        return Literal[tuple(rules.pop("enum"))]
    if rules.pop("contentEncoding", "") == "base64":
        # msgspec decodes it strictly, three times as fast as binascii; what it refuses may still have line breaks.
        return bytes
    return _limited(str, rules, "minLength", "maxLength")


def _number(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    return _bounded(float, rules)


def _integer(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    return _bounded(int, rules)


def _boolean(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    return bool


def _null(rules: dict[str, Any], definitions: Mapping[str, Any]) -> Any:
    return None


_MAKERS = {
    None: _any, "object": _object, "array": _array, "string": _string, "number": _number, "integer": _integer,
    "boolean": _boolean, "null": _null,
}  # fmt: skip


def _limited(made: Any, rules: dict[str, Any], low: str, high: str) -> Any:
    limits = {name: rules.pop(key) for name, key in (("min_length", low), ("max_length", high)) if key in rules}
    return Annotated[made, msgspec.Meta(**limits)] if limits else made


def _bounded(made: Any, rules: dict[str, Any]) -> Any:
    limits = {name: rules.pop(key) for name, key in (("ge", "minimum"), ("le", "maximum")) if key in rules}
    return Annotated[made, msgspec.Meta(**limits)] if limits else made
