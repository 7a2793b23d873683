"""The file of a submission, and that of the ground truth, which looks the same."""

from __future__ import annotations

import csv

from task_templates.quality.example_number_csv.values import Value, Values

FILE, TRUTH = "example_number_csv.csv", "truth.csv"


def encode(values: Values) -> bytes:
    """Return a file with these values."""
    rows = [f"{key},{value}\n" for key, value in values.items()]
    return "".join(["id,number\n", *rows]).encode()


def decode(data: bytes) -> Values:
    """Return the values in a file."""
    return {row["id"]: Value(row["number"]) for row in csv.DictReader(data.decode().splitlines())}
