"""Parsing and checking in one step: msgspec decoders whose types are made from a JSON Schema.

Supports the part of JSON Schema (draft 7) that docs/new_task.md lists, and refuses others. Importing this
module raises ImportError, with the command that helps, where msgspec is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypedDict, Union

from validator.strict_json import NO_VALUE, JsonValue

try:
    import msgspec
except ImportError as error:
    # Programs that people start print this message and end; they know it by the name.
    raise ImportError(
        "E-NO-MSGSPEC: msgspec, which reads JSON, is not installed: python -m pip install 'msgspec>=0.20'",
        name="msgspec",
    ) from error

# Words that say nothing about validity.
REMARKS = {"$schema", "$comment", "title", "description", "definitions", NO_VALUE}
_LONGEST_TUPLE = 4
# A class, or what `typing` makes of some.
_Type = Any


class SchemaError(ValueError):
    """The schema uses a keyword that cannot be turned into a type."""


def decoder_for(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]) -> msgspec.json.Decoder:
    """Return a decoder that accepts what ``schema`` accepts; ``root`` holds its definitions.

    Raises SchemaError.
    """
    definitions = {f"#/definitions/{name}": part for name, part in root.get("definitions", {}).items()}
    try:
        return msgspec.json.Decoder(_type_of(schema, definitions), dec_hook=_distinct)
    except SchemaError:
        raise
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise SchemaError(f"a keyword has the wrong value: {error}") from error


LONGEST_NAME = 255
"""Characters that the name of an entry of a large file may have, as many as file systems allow in a name.

There may be many names, and all characters of one take 4 bytes each in memory if one is beyond U+FFFF.
"""
RAW_MEMBERS = msgspec.json.Decoder(
    dict[Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)], msgspec.Raw]  # type: ignore[misc]
)
DECODE_ERRORS = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


def _type_of(schema: Mapping[str, JsonValue], definitions: Mapping[str, JsonValue]) -> _Type:
    if "$ref" in schema:
        return _type_of(definitions[schema["$ref"]], definitions)
    rules = {key: value for key, value in schema.items() if key not in REMARKS}
    name = rules.pop("type", None)
    if isinstance(name, list):
        return Union[tuple(_type_of({**rules, "type": one}, definitions) for one in name)]
    if name in _NUMBERS:
        made = _limited(_NUMBERS[name], rules, {"ge": "minimum", "le": "maximum"})
    elif name in _PLAIN:
        made = _PLAIN[name]
    elif name == "string":
        made = _string(rules)
    elif name in _CONTAINERS:
        made = _CONTAINERS[name](rules, definitions)
    else:
        raise SchemaError(f"there is no type {name}")
    if rules:
        place = f"with type {name}" if name else "without a type"
        raise SchemaError(f"no {', '.join(sorted(rules))} {place}")
    return made


def _object(rules: dict[str, JsonValue], definitions: Mapping[str, JsonValue]) -> _Type:
    properties = rules.pop("properties", None)
    required = set(rules.pop("required", ()))
    unknown_keys = required - set(properties or ())
    if unknown_keys:
        raise SchemaError(f"no properties for the required {', '.join(sorted(unknown_keys))}")
    if properties is None:
        value = _type_of(rules.pop("additionalProperties", {}), definitions)
        sizes = {"min_length": "minProperties", "max_length": "maxProperties"}
        return _limited(dict[str, value], rules, sizes)  # type: ignore[valid-type]
    types = {key: _type_of(property_schema, definitions) for key, property_schema in properties.items()}
    required_types = {key: made for key, made in types.items() if key in required}
    optional_types = {key: made for key, made in types.items() if key not in required}
    # Two classes, because NotRequired is younger than the oldest Python that this runs on.
    base = TypedDict("base", required_types)  # type: ignore[misc]
    if not optional_types:
        return base
    return type("Object", (base,), {"__annotations__": optional_types}, total=False)


def _array(rules: dict[str, JsonValue], definitions: Mapping[str, JsonValue]) -> _Type:
    item = _type_of(rules.pop("items", {}), definitions)
    size = rules.get("minItems")
    are_distinct = rules.pop("uniqueItems", False)
    if size is not None and size == rules.get("maxItems") and size <= _LONGEST_TUPLE and not are_distinct:
        del rules["minItems"], rules["maxItems"]
        return tuple[(item,) * size]  # type: ignore[misc]
    sizes = {"min_length": "minItems", "max_length": "maxItems"}
    made = _limited(list[item], rules, sizes)  # type: ignore[valid-type]
    if not are_distinct:
        return made
    if getattr(item, "__origin__", item) not in (str, Literal):
        raise SchemaError("uniqueItems works for lists of strings only")
    # A class that is no type of its own is left to a function; that of a struct is analyzed only once.
    return type("Distinct", (list,), {"holder": msgspec.defstruct("Holder", [("words", made)])})


def _distinct(made: _Type, value: JsonValue) -> JsonValue:
    """Return a list of different strings, of a type of `_array`. Raises ValueError."""
    words = msgspec.convert({"words": value}, made.holder).words
    if len(set(words)) < len(words):
        raise ValueError("strings occur twice")
    return made(words)


def _string(rules: dict[str, JsonValue]) -> _Type:
    if "enum" in rules:
        words = rules.pop("enum")
        if not words or not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise SchemaError("enum needs a list of strings")
        return Literal[tuple(words)]
    if rules.pop("contentEncoding", "") == "base64":
        # msgspec decodes it strictly, three times as fast as binascii; what it refuses may still have line
        # breaks.
        return bytes
    return _limited(str, rules, {"min_length": "minLength", "max_length": "maxLength"})


_NUMBERS: dict[object, _Type] = {"number": float, "integer": int}
_PLAIN: dict[object, _Type] = {None: Any, "boolean": bool, "null": None}
_CONTAINERS: dict[object, Callable[..., _Type]] = {"object": _object, "array": _array}


def _limited(made: _Type, rules: dict[str, JsonValue], limits: Mapping[str, str]) -> _Type:
    """Return a type with limits, taken out of ``rules``; ``limits`` maps msgspec's names to the rules'."""
    values = {}
    for name, key in limits.items():
        if key in rules:
            values[name] = rules.pop(key)
    if not values:
        return made
    return Annotated[made, msgspec.Meta(**values)]
