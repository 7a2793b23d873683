"""Encoding of numbers: a JSON object, an item a line."""

from __future__ import annotations

import json
from collections.abc import Mapping

FILE = "example_columns_json.json"


def encode(values: Mapping[str, Mapping[str, float]]) -> bytes:
    """Return the content of the file of a submission, or of the ground truth, which looks the same."""
    lines = [f"{json.dumps(key)}: {json.dumps(dict(value))}" for key, value in values.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
