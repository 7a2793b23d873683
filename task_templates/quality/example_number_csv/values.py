"""Values that are made up for the task; a seed always gives the same."""

from __future__ import annotations

import random

Value = float
Values = dict[str, Value]
TRICK = "the mean everywhere"
CANARIES = [0.73911 + index * 1e-9 for index in range(20)]
"""The ground truth of 20 items of a planted reference; tests look for numbers that begin with 0.73911."""


# EDIT: values as in your data; then run python -m quality demo-data.
def random_value(rng: random.Random) -> Value:
    """Return the ground truth of an item."""
    return round(rng.uniform(0, 100), 2)


def guess(value: Value, rng: random.Random, wrong: float) -> Value:
    """Return a prediction for an item: right at ``wrong`` 0, random at 1."""
    return round((1 - wrong) * value + wrong * random_value(rng), 2)


def trick(truth: Values) -> Value:
    """Return the constant that scores most."""
    return sum(truth.values()) / len(truth)
