"""Encoding of lists of labels: a JSON object, an item a line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

FILE = "example_lists_json.json"


def encode(values: Mapping[str, Sequence[str]]) -> bytes:
    """Return the content of the file of a submission, or of the ground truth, which looks the same."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
