"""Encoding of labels: a CSV file with a header, an item a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

FILE = "example_label_csv.csv"


def encode(values: Mapping[str, str]) -> bytes:
    """Return the content of the file of a submission, or of the ground truth, which looks the same."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("id", "label"), *values.items()])
    return text.getvalue().encode()
