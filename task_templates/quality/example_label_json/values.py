"""Values that are made up for the task; a seed always gives the same."""

from __future__ import annotations

import random

Value = str
Values = dict[str, Value]
# EDIT: values as in your data; then run python -m quality demo-data.
LABELS = ["example_label_1", "example_label_2", "example_label_3"]
TRICK = "the most frequent label everywhere"
CANARIES = (LABELS * 10)[:20]
"""The ground truth of 20 items of a planted reference."""


def random_value(rng: random.Random) -> Value:
    """Return the ground truth of an item."""
    return rng.choice(LABELS)


def guess(value: Value, rng: random.Random, wrong: float) -> Value:
    """Return a prediction for an item: right at ``wrong`` 0, random at 1."""
    return random_value(rng) if rng.random() < wrong else value


def trick(truth: Values) -> Value:
    """Return the constant that scores most."""
    return max(LABELS, key=list(truth.values()).count)
