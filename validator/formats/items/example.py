"""A value that an item may have, for pages and examples."""

from __future__ import annotations

from typing import Any

from validator.formats.items.arrays import as_instance
from validator.formats.values import Form, Kind

_NUMBER, _SCORE = 17.5, 0.9
_CORNERS = {Kind.SEGMENTS: (0.5, 2.25), Kind.BOXES: (10.5, 20.0, 110.5, 80.0)}


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
