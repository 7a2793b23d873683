"""Encoding of numbers: a CSV file with a header, an item a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

FILE = "example_number_csv.csv"


def encode(values: Mapping[str, float]) -> bytes:
    """Return the content of the file of a submission, or of the ground truth, which looks the same."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("id", "number"), *values.items()])
    return text.getvalue().encode()
