"""The file of a submission with a value for each item, for the kit, demo data and baselines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from validator.checking import Format
from validator.formats.items.read import hints, read
from validator.formats.values import Form, InstanceKeys, Kind

Value = Any
"""What an item has, as it is in a JSON file."""
# Of the example of a value.
_NUMBER, _SCORE = 17.5, 0.9
_CORNERS = {Kind.SEGMENTS: (0.5, 2.25), Kind.BOXES: (10.5, 20.0, 110.5, 80.0)}


def encode(form: Form, values: Mapping[str, Value]) -> bytes:
    """Return the content of the file of a submission, or with its own form that of the ground truth."""
    return _encode_table(form, values) if form.is_table else _encode_json(form, values)


def as_instance(
    keys: InstanceKeys, label: str, corners: Sequence[float], score: float = 1.0
) -> dict[str, Any]:
    """Return an instance as it is in a JSON file."""
    instance: dict[str, Any] = {keys.label: label}
    instance.update({keys.list: list(corners)} if keys.list else zip(keys.corners, corners))
    if keys.score:
        instance[keys.score] = score
    return instance


def example_value(form: Form) -> Any:
    """Return what an item may have, as it is in a JSON file."""
    if form.schema is not None:
        return form.example
    first_label = "".join(form.names[:1])
    number = min(max(_NUMBER, form.range[0]), form.range[1])
    if form.instance is not None:
        corners = _CORNERS[form.kind]
        return [as_instance(form.instance, first_label, corners, _SCORE)]
    return {
        Kind.LABEL: first_label,
        Kind.NUMBER: number,
        Kind.COLUMNS: dict.fromkeys(form.names, number),
        Kind.LABELS: list(form.names[:2]),
    }[form.kind]


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


FORMAT = Format(read, lambda items, rules: hints(items))
