"""Values that are made up for the task; a seed always gives the same."""

from __future__ import annotations

import random

Value = dict[str, float]
Values = dict[str, Value]
COLUMNS = ["example_column_1", "example_column_2"]
TRICK = "the means everywhere"
CANARIES = [dict.fromkeys(COLUMNS, 0.73911 + index * 1e-9) for index in range(20)]
"""The ground truth of 20 items of a planted reference; tests look for numbers that begin with 0.73911."""


# EDIT: values as in your data; then run python -m quality demo-data.
def random_value(rng: random.Random) -> Value:
    """Return the ground truth of an item."""
    return {column: round(rng.uniform(0, 100), 2) for column in COLUMNS}


def guess(value: Value, rng: random.Random, wrong: float) -> Value:
    """Return a prediction for an item: right at ``wrong`` 0, random at 1."""
    other = random_value(rng)
    return {column: round((1 - wrong) * value[column] + wrong * other[column], 2) for column in COLUMNS}


def trick(truth: Values) -> Value:
    """Return the constants that score most."""
    return {column: sum(value[column] for value in truth.values()) / len(truth) for column in COLUMNS}
