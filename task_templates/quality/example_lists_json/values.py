"""Values that are made up for the task; a seed always gives the same."""

from __future__ import annotations

import random

Value = list[str]
Values = dict[str, Value]
# EDIT: values as in your data; then run python -m quality demo-data.
LABELS = ["example_label_1", "example_label_2", "example_label_3"]
SHARE = 0.4
"""The share of the items that have a label."""
TRICK = "the frequent labels everywhere"
CANARIES = [[label] for label in LABELS * 10][:20]
"""The ground truth of 20 items of a planted reference."""


def random_value(rng: random.Random) -> Value:
    """Return the ground truth of an item."""
    return [label for label in LABELS if rng.random() < SHARE]


def guess(value: Value, rng: random.Random, wrong: float) -> Value:
    """Return a prediction for an item: right at ``wrong`` 0, random at 1."""
    other = random_value(rng)
    return [label for label in LABELS if label in (other if rng.random() < wrong else value)]


def trick(truth: Values) -> Value:
    """Return the labels that a third of the items have, or the most frequent one."""
    count = {label: sum(label in labels for labels in truth.values()) for label in LABELS}
    return [label for label in LABELS if 3 * count[label] >= len(truth)] or [
        max(LABELS, key=count.__getitem__)
    ]
