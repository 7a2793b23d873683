"""The file of a submission, and that of the ground truth, which looks the same."""

from __future__ import annotations

import json

from task_templates.quality.example_label_json.values import Values

FILE, TRUTH = "example_label_json.json", "truth.json"


def encode(values: Values) -> bytes:
    """Return a file with these values."""
    return (json.dumps(values, indent=1) + "\n").encode()


def decode(data: bytes) -> Values:
    """Return the values in a file."""
    values: Values = json.loads(data)
    return values
