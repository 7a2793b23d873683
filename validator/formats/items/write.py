"""The file of a submission with a value for each item, for the kit, demo data and baselines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from validator.formats.items.arrays import as_instance
from validator.formats.values import Form, Kind

_EXAMPLE_NUMBER, _EXAMPLE_SCORE = 17.5, 0.9
_EXAMPLE_CORNERS = {Kind.SEGMENTS: (0.5, 2.25), Kind.BOXES: (10.5, 20.0, 110.5, 80.0)}
Value = Any
"""What an item has, as it is in a JSON file."""


def encode(form: Form, values: Mapping[str, Value]) -> bytes:
    """Return the content of the file of a submission, or with its own form that of the ground truth."""
    return _encode_table(form, values) if form.is_table else _encode_json(form, values)


def _encode_json(form: Form, values: Mapping[str, Value]) -> bytes:
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()]
    text = "{\n" + ",\n".join(lines) + "\n}"
    if form.each:
        text = f"{{{json.dumps(form.each)}: {text}}}"
    return f"{text}\n".encode()


def _encode_table(form: Form, values: Mapping[str, Value]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([form.key, *form.columns])
    for key, value in values.items():
        is_row = isinstance(value, Mapping)
        cells = [value[column] for column in form.columns] if is_row else [value]
        writer.writerow([key, *cells])
    return text.getvalue().encode()


def decode(form: Form, data: bytes) -> dict[str, Value]:
    """Return the value of each item in a file that is right."""
    if not form.is_table:
        content = json.loads(data)
        entries: dict[str, Value] = content[form.each] if form.each else content
        return entries
    values: dict[str, Value] = {}
    for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
        cells = {column: row[column] for column in form.columns}
        if form.kind is not Kind.LABEL:
            cells = {column: float(cell) for column, cell in cells.items()}
        values[row[form.key]] = cells if form.kind is Kind.COLUMNS else cells[form.column]
    return values


def _example_of_schema(schema: Mapping[str, Any]) -> Value:
    """Return a value that a schema accepts, with at most one entry of each list."""
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {key: _example_of_schema(schema_of_key) for key, schema_of_key in properties.items()}
    if kind == "array":
        n_entries = schema.get("minItems", 1)
        return [_example_of_schema(schema["items"]) for _ in range(n_entries)] if "items" in schema else []
    kinds = [kind] if isinstance(kind, str) else kind or ["null"]
    return {"string": "text", "number": 0.5, "boolean": True}.get(kinds[-1])


def example_value(form: Form) -> Value:
    """Return what an item may have, for pages and examples."""
    if form.schema is not None:
        return _example_of_schema(form.schema) if form.example is None else form.example
    first_label = "".join(form.names[:1])
    number = min(max(_EXAMPLE_NUMBER, form.range[0]), form.range[1])
    if form.instance is not None:
        corners = _EXAMPLE_CORNERS[form.kind]
        return [as_instance(form.instance, first_label, corners, _EXAMPLE_SCORE)]
    return {
        Kind.LABEL: first_label,
        Kind.NUMBER: number,
        Kind.COLUMNS: dict.fromkeys(form.names, number),
        Kind.LABELS: list(form.names[:2]),
    }[form.kind]
