"""Values that are made up for the task; a seed always gives the same."""

from __future__ import annotations

import random
from typing import Any

# A label, a start and an end.
Segment = dict[str, Any]
Value = list[Segment]
Values = dict[str, Value]
# EDIT: values as in your data; then run python -m quality demo-data.
LABELS = ["example_label_1", "example_label_2", "example_label_3"]
MOST = 4
"""An item has at most this many segments."""
SECONDS = 30.0
"""The length of an item."""
TRICK = "the most frequent label all the time"
CANARIES = [[{"label": LABELS[0], "start": 0.73911 + index * 1e-9, "end": 7.5}] for index in range(20)]
"""The ground truth of 20 items of a planted reference; tests look for numbers that begin with 0.73911."""


def random_value(rng: random.Random) -> Value:
    """Return the ground truth of an item: segments one after another, perhaps none."""
    n_segments = rng.randint(0, MOST)
    # In tenths of seconds.
    times = sorted(rng.sample(range(round(10 * SECONDS)), 2 * n_segments))
    value = []
    for start, end in zip(times[::2], times[1::2]):
        value.append({"label": rng.choice(LABELS), "start": start / 10, "end": end / 10})
    return value


def guess(value: Value, rng: random.Random, wrong: float) -> Value:
    """Return a prediction for an item: right at ``wrong`` 0, random at 1."""
    prediction = []
    for segment in value:
        if rng.random() >= wrong:
            prediction.append(_shifted(segment, rng, wrong))
    return prediction + [segment for segment in random_value(rng) if rng.random() < wrong]


def _shifted(segment: Segment, rng: random.Random, wrong: float) -> Segment:
    """Return a segment that is later by up to a share of its length."""
    delay = round(wrong * rng.random() * (segment["end"] - segment["start"]), 2)
    return {**segment, "start": segment["start"] + delay, "end": segment["end"] + delay}


def trick(truth: Values) -> Value:
    """Return one segment of the most frequent label for the whole length of an item."""
    labels = [segment["label"] for value in truth.values() for segment in value]
    return [{"label": max(LABELS, key=labels.count), "start": 0, "end": SECONDS}]
