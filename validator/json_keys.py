"""Counting the keys of values that a schema describes.

Outside of strings each key of a JSON text is followed by one colon, and there are no other colons. So a value
that has as many keys as its text has colons was read without dropping any key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain

from validator.strict_json import JsonValue

Schema = Mapping[str, JsonValue]
# Takes values that have one schema; returns how many keys their objects have together, at all depths.
KeyCounter = Callable[[Iterable[JsonValue]], int]
_WITHOUT_KEYS = {"boolean", "integer", "null", "number", "string"}


def key_counter_for(schema: Schema, root: Schema) -> KeyCounter:
    """Return a function that counts the keys of values that ``schema`` accepts.

    It follows the schema, so that it visits only what can hold keys. That takes a fifth of the time of a
    visit to all values.

    Parameters
    ----------
    schema : mapping
        A schema that `validator.typed_json` can follow.
    root : mapping
        The schema that holds its definitions.
    """
    return _counter(schema, root.get("definitions", {})) or _count_none


def _counter(schema: Schema, definitions: Schema) -> KeyCounter | None:
    """Return the counter of a schema; None if its values hold no keys."""
    if "$ref" in schema:
        return _counter(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    types = schema.get("type")
    names = types if isinstance(types, list) else [types]
    if _WITHOUT_KEYS.issuperset(names):
        return None
    if types == "array":
        return _counter_of_lists(schema, definitions)
    if types == "object" and "properties" in schema:
        return _counter_of_records(schema, definitions)
    if types == "object":
        return _counter_of_mappings(schema, definitions)
    return _count_any


def _counter_of_lists(schema: Schema, definitions: Schema) -> KeyCounter | None:
    count_items = _counter(schema.get("items", {}), definitions)
    if count_items is None:
        return None
    return lambda lists: count_items(chain.from_iterable(lists))


def _counter_of_mappings(schema: Schema, definitions: Schema) -> KeyCounter:
    """Return the counter of objects whose keys are free and whose values have one schema."""
    count_values = _counter(schema.get("additionalProperties", {}), definitions)
    if count_values is None:
        return _count_own_keys

    def count(mappings: Iterable[JsonValue]) -> int:
        mappings = list(mappings)
        return _count_own_keys(mappings) + count_values(chain.from_iterable(map(dict.values, mappings)))

    return count


def _counter_of_records(schema: Schema, definitions: Schema) -> KeyCounter:
    """Return the counter of objects whose keys are named in the schema."""
    counters = {key: _counter(value, definitions) for key, value in schema["properties"].items()}
    inner_counters = {key: counter for key, counter in counters.items() if counter is not None}
    if not inner_counters:
        return _count_own_keys

    def count(records: Iterable[JsonValue]) -> int:
        records = list(records)
        n_keys = _count_own_keys(records)
        for key, count_values in inner_counters.items():
            n_keys += count_values([record[key] for record in records if key in record])
        return n_keys

    return count


def _count_own_keys(objects: Iterable[JsonValue]) -> int:
    return sum(map(len, objects))


def _count_none(values: Iterable[JsonValue]) -> int:
    return 0


def _count_any(values: Iterable[JsonValue]) -> int:
    """Count the keys of values whose schema does not say what they hold."""
    n_keys, pending = 0, list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            n_keys += len(value)
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
    return n_keys
