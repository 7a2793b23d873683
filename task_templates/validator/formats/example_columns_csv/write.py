"""Encoding of numbers: a CSV file with a header, an item a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

FILE = "example_columns_csv.csv"


def encode(values: Mapping[str, Mapping[str, float]]) -> bytes:
    """Return the content of the file of a submission, or of the ground truth, which looks the same."""
    columns = list(next(iter(values.values()), {}))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", *columns])
    rows.writerows([key, *map(numbers.get, columns)] for key, numbers in values.items())
    return text.getvalue().encode()
