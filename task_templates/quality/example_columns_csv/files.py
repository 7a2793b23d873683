"""The file of a submission, and that of the ground truth, which looks the same."""

from __future__ import annotations

import csv

from task_templates.quality.example_columns_csv.values import Values
from task_templates.scoring_program.challenges.example_columns_csv.reference import TRUTH as TRUTH
from task_templates.validator.formats.example_columns_csv.write import FILE as FILE
from task_templates.validator.formats.example_columns_csv.write import encode as encode


def decode(data: bytes) -> Values:
    """Return the values in a file."""
    values = {}
    for row in csv.DictReader(data.decode().splitlines()):
        key = row.pop("id")
        values[key] = {column: float(number) for column, number in row.items()}
    return values
