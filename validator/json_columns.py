"""Columns of JSON values: all values at one place of a schema at once, checked together.

A check is made of a JSON Schema, of the part of draft 7 that docs/new_task.md lists. It takes a list of
values, goes through them level by level with functions that are written in C, and returns their columns, from
which readers make arrays. It says that something is wrong, and never what: that is for
`validator.json_words`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from validator.arrays import Floats, Ints

# A value that was read from JSON: its type is known once its schema is checked.
JsonValue = Any
Schema = Mapping[str, JsonValue]
DEEPEST = 64
"""So many levels of lists and objects a file may have."""
NO_VALUE = "x-no-value"
"""The keyword of a schema that says what to write where a prediction has no number."""
REMARKS = {"$schema", "$comment", "title", "description", "definitions", NO_VALUE}
"""Keywords that say nothing about validity."""
_KEYWORDS = {
    "number": {"minimum", "maximum"},
    "integer": {"minimum", "maximum"},
    "string": {"minLength", "maxLength", "enum", "contentEncoding"},
    "boolean": set(),
    "null": set(),
    "array": {"items", "minItems", "maxItems", "uniqueItems"},
    "object": {"properties", "required", "additionalProperties", "minProperties", "maxProperties"},
    None: set(),
}


class Repeating(dict):  # type: ignore[type-arg]
    """An object in which a key occurs twice."""

    key: str


class _MarkedNumber(float):
    """A number that is made of its ``text``, which it keeps."""

    # A file may have millions of them.
    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> _MarkedNumber:
        number = super().__new__(cls, text)
        number.text = text
        return number


class LargeNumber(_MarkedNumber):
    """A number beyond float64."""

    __slots__ = ()


class NoNumber(_MarkedNumber):
    """NaN or Infinity, which is not JSON."""

    __slots__ = ()


_NO_SIZES = np.zeros(0, np.int32)
_NO_NUMBERS = np.zeros(0)
_NO_MEMBERS: Mapping[str, Any] = {}
_OBJECTS: set[type] = {dict, Repeating}
_LISTS: set[type] = {list}
_NUMBERS: set[type] = {int, float, LargeNumber}
_TYPES: dict[str, set[type]] = {
    "number": _NUMBERS,
    "integer": _NUMBERS,
    "string": {str},
    "boolean": {bool},
    "null": {type(None)},
    "array": _LISTS,
    "object": _OBJECTS,
}


class SchemaError(ValueError):
    """The schema uses a keyword that cannot be checked."""


class UnfitError(Exception):
    """A value does not fit its schema."""


class DepthError(Exception):
    """Values are nested too deeply."""


class Column(NamedTuple):
    """All values at one place of a schema, in the order of the file.

    Attributes
    ----------
    values : list
    n_keys : int
        How many keys all objects in them have, at all depths.
    sizes : int32 array
        How many values each list or object has; empty for others.
    inner : Column, optional
        The values in all lists, or in all objects whose keys the schema does not name.
    members : dict of str to Column
        The members of objects whose keys the schema names; of optional ones the values that are there.
    numbers : float64 array
        The values if they are numbers; all are finite.
    """

    values: list[JsonValue]
    n_keys: int = 0
    sizes: Ints = _NO_SIZES
    inner: Any = None
    members: Mapping[str, Any] = _NO_MEMBERS
    numbers: Floats = _NO_NUMBERS

    @property
    def keys(self) -> list[str]:
        """The keys of all objects, in their order."""
        return list(chain.from_iterable(self.values))


# Takes the values at one place of a schema and returns their column. Raises UnfitError if one does not fit,
# DepthError if one that has no schema is too deep.
Check = Callable[[list[JsonValue]], Column]


def check_of(schema: Schema, root: Schema, levels: int = DEEPEST) -> Check:
    """Return the check of a schema.

    Parameters
    ----------
    schema : mapping
    root : mapping
        The schema that holds its definitions.
    levels : int
        So many levels the values may have.

    Raises
    ------
    SchemaError
        The schema uses what is not supported.
    """
    try:
        return _check_of(schema, root, levels)
    except SchemaError:
        raise
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise SchemaError(f"a keyword has the wrong value: {error}") from error


def resolved(schema: Schema, root: Schema) -> Schema:
    """Return what a schema refers to."""
    while "$ref" in schema:
        schema = root["definitions"][schema["$ref"].rpartition("/")[2]]
    return schema


def keys_of_anything(values: Sequence[JsonValue], levels: int) -> int:
    """Return how many keys values without a schema have, at all depths.

    Raises UnfitError for NaN and Infinity, and DepthError if there are more levels.
    """
    n_keys = 0
    while values:
        types = set(map(type, values))
        if NoNumber in types:
            raise UnfitError
        lists = [value for value in values if isinstance(value, list)] if list in types else []
        objects = [value for value in values if isinstance(value, dict)] if types & _OBJECTS else []
        if (lists or objects) and not levels:
            raise DepthError
        levels -= 1
        n_keys += sum(map(len, objects))
        values = [*chain.from_iterable(lists), *chain.from_iterable(map(dict.values, objects))]
    return n_keys


def _check_of(schema: Schema, root: Schema, levels: int) -> Check:
    schema = resolved(schema, root)
    name = schema.get("type")
    type_names = name if isinstance(name, list) else [name]
    rules = set(schema) - REMARKS - {"type"}
    for type_name in type_names:
        if type_name not in _KEYWORDS:
            raise SchemaError(f"there is no type {type_name}")
        if rules - _KEYWORDS[type_name]:
            place = f"with type {type_name}" if type_name else "without a type"
            raise SchemaError(f"no {', '.join(sorted(rules - _KEYWORDS[type_name]))} {place}")
    if name == "array":
        return _check_of_lists(schema, root, levels)
    if name == "object":
        make = _check_of_records if "properties" in schema else _check_of_mappings
        return make(schema, root, levels)
    if set(type_names) == {"string"}:
        return _check_of_words(schema)
    if name is None:
        return lambda values: Column(values, keys_of_anything(values, levels))
    return _check_of_types(type_names, schema, levels)


def _check_of_types(names: Sequence[Any], schema: Schema, levels: int) -> Check:
    types = set().union(*(_TYPES[name] for name in names))
    are_containers = bool(types & (_LISTS | _OBJECTS))
    are_integers = "number" not in names
    least, most = _bound(schema, "minimum", -math.inf), _bound(schema, "maximum", math.inf)
    is_bounded = least > -math.inf or most < math.inf

    def check_numbers(values: list[JsonValue]) -> Column:
        numbers = _numbers(values)
        if is_bounded and values and not least <= min(values) <= max(values) <= most:
            raise UnfitError
        if are_integers and (numbers != np.floor(numbers)).any():
            raise UnfitError
        return Column(values, numbers=numbers)

    def check(values: list[JsonValue]) -> Column:
        found_types = set(map(type, values))
        if not found_types <= types:
            raise UnfitError
        if found_types & _NUMBERS:
            check_numbers([value for value in values if type(value) in _NUMBERS])
        return Column(values, keys_of_anything(values, levels) if are_containers else 0)

    return check_numbers if types == _NUMBERS else check


def _check_of_words(schema: Schema) -> Check:
    shortest, longest = _bound(schema, "minLength", 0), _bound(schema, "maxLength", math.inf)
    has_lengths = shortest > 0 or longest < math.inf
    words = schema.get("enum")
    if words is not None and not (words and isinstance(words, list) and {str}.issuperset(map(type, words))):
        raise SchemaError("enum needs a list of strings")
    allowed_words = None if words is None else set(words)

    def check(values: list[JsonValue]) -> Column:
        if has_lengths:
            # These may be long, so they are not joined.
            _sizes_between(values, shortest, longest, size_of=str.__len__)
        else:
            try:
                # Joining refuses what is no string, and takes half the time that asking for types does.
                "".join(values)
            except TypeError:
                raise UnfitError from None
        if allowed_words is not None and not allowed_words.issuperset(values):
            raise UnfitError
        return Column(values)

    return check


def _bound(schema: Schema, keyword: str, default: float) -> float:
    bound = schema.get(keyword, default)
    if isinstance(bound, bool) or not isinstance(bound, (int, float)):
        raise SchemaError(f"{keyword} needs a number")
    return bound


def _numbers(values: list[JsonValue]) -> Floats:
    """Return finite numbers as an array. Raises UnfitError."""
    try:
        # A third of the time of array("d", values) or np.array(values).
        numbers = np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except struct.error:
        raise UnfitError from None
    # true and false would become 1 and 0. Few numbers are one of these, and to look at the others takes long.
    zeros_and_ones = np.flatnonzero((numbers == 0) | (numbers == 1)).tolist()
    if any(isinstance(values[index], bool) for index in zeros_and_ones) or not np.isfinite(numbers).all():
        raise UnfitError
    return numbers


def _sizes_between(
    values: list[JsonValue], least: float, most: float, size_of: Callable[[Any], int] = len
) -> Ints:
    """Return the sizes of values. Raises UnfitError unless all have one, in a range."""
    try:
        sizes = np.fromiter(map(size_of, values), np.int32, len(values))
    except TypeError:
        raise UnfitError from None
    if len(sizes) and (sizes.min() < least or sizes.max() > most):
        raise UnfitError
    return sizes


def _check_of_lists(schema: Schema, root: Schema, levels: int) -> Check:
    items = resolved(schema.get("items", {}), root)
    check_items = _check_of(items, root, levels - 1)
    least, most = _bound(schema, "minItems", 0), _bound(schema, "maxItems", math.inf)
    are_distinct = schema.get("uniqueItems", False)
    if are_distinct and items.get("type") != "string":
        raise SchemaError("uniqueItems works for lists of strings only")
    # A text or an object that is not empty holds no numbers, so their check refuses it.
    may_hold_others = items.get("type") not in ("number", "integer") or least < 1

    def check(values: list[JsonValue]) -> Column:
        if may_hold_others and not _LISTS.issuperset(map(type, values)):
            raise UnfitError
        sizes = _sizes_between(values, least, most)
        column = check_items(list(chain.from_iterable(values)))
        if are_distinct and any(len(set(words)) < len(words) for words in values):
            raise UnfitError
        return Column(values, column.n_keys, sizes, column)

    return check


def _check_of_mappings(schema: Schema, root: Schema, levels: int) -> Check:
    """Return the check of objects with keys of any name."""
    if schema.get("required"):
        raise SchemaError(f"no properties for the required {', '.join(sorted(schema['required']))}")
    check_members = _check_of(schema.get("additionalProperties", {}), root, levels - 1)
    least, most = _bound(schema, "minProperties", 0), _bound(schema, "maxProperties", math.inf)

    def check(values: list[JsonValue]) -> Column:
        try:
            children = list(chain.from_iterable(map(dict.values, values)))
        except TypeError:
            raise UnfitError from None
        sizes = _sizes_between(values, least, most)
        members = check_members(children)
        return Column(values, int(sizes.sum()) + members.n_keys, sizes, members)

    return check


def _check_of_records(schema: Schema, root: Schema, levels: int) -> Check:
    """Return the check of objects with keys that the schema names; others are allowed, and not read."""
    checks = {key: _check_of(part, root, levels - 1) for key, part in schema["properties"].items()}
    required = set(schema.get("required", ()))
    if required - set(checks):
        raise SchemaError(f"no properties for the required {', '.join(sorted(required - set(checks)))}")
    other_keywords = set(schema) - REMARKS - {"type", "properties", "required"}
    if other_keywords:
        raise SchemaError(f"no {', '.join(sorted(other_keywords))} beside properties")

    def check(values: list[JsonValue]) -> Column:
        if not _OBJECTS.issuperset(map(type, values)):
            raise UnfitError
        n_keys = sum(map(len, values))
        # Without further keys no optional ones are looked for.
        names = required if n_keys == len(values) * len(required) else checks
        members = {}
        for key, check_member in checks.items():
            values_of_key = _members(values, key, key in required) if key in names else []
            members[key] = check_member(values_of_key)
        n_further = n_keys - sum(len(column.values) for column in members.values())
        if n_further:
            other_values = [child for value in values for key, child in value.items() if key not in checks]
            n_keys += keys_of_anything(other_values, levels - 1)
        n_keys += sum(column.n_keys for column in members.values())
        return Column(values, n_keys, members=members)

    return check


def _members(values: list[JsonValue], key: str, is_required: bool) -> list[JsonValue]:
    """Return the members of objects that have one key. Raises UnfitError if one lacks what it must have."""
    try:
        return list(map(itemgetter(key), values))
    except KeyError:
        if is_required:
            raise UnfitError from None
    return [value[key] for value in values if key in value]
