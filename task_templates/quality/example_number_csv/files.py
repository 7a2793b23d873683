"""The file of a submission, and that of the ground truth, which looks the same."""

from __future__ import annotations

import csv

from task_templates.quality.example_number_csv.values import Value, Values
from task_templates.scoring_program.challenges.example_number_csv.reference import TRUTH as TRUTH
from task_templates.validator.formats.example_number_csv.write import FILE as FILE
from task_templates.validator.formats.example_number_csv.write import encode as encode


def decode(data: bytes) -> Values:
    """Return the values in a file."""
    return {row["id"]: Value(row["number"]) for row in csv.DictReader(data.decode().splitlines())}
