"""The file of a submission, and that of the ground truth, which looks the same."""

from __future__ import annotations

import json

from task_templates.quality.example_columns_json.values import Values
from task_templates.scoring_program.challenges.example_columns_json.reference import TRUTH as TRUTH
from task_templates.validator.formats.example_columns_json.write import FILE as FILE
from task_templates.validator.formats.example_columns_json.write import encode as encode


def decode(data: bytes) -> Values:
    """Return the values in a file."""
    values: Values = json.loads(data)
    return values
