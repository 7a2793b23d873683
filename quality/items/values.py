"""Values that are made up for tasks with a value for each item; a seed always gives the same."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from validator.formats.values import Form, Kind

N_CANARIES = 20
"""The number of items of a planted reference."""
_CANARY = 0.73911
_SHARE = 0.4
# Numbers are in this range where the declaration allows it.
_NUMBERS = (0.0, 100.0)
_DECIMALS = 4
_MOST_SEGMENTS, _SECONDS = 4, 30.0
TRICKS = {
    Kind.LABEL: "the most frequent label everywhere",
    Kind.NUMBER: "the mean everywhere",
    Kind.COLUMNS: "the means everywhere",
    Kind.LABELS: "the frequent labels everywhere",
    Kind.SEGMENTS: "the most frequent label all the time",
}


def random_value(form: Form, rng: random.Random) -> Any:
    """Return the ground truth of an item."""
    if form.kind is Kind.LABEL:
        return rng.choice(form.names)
    if form.kind is Kind.NUMBER:
        return _random_number(form, rng)
    if form.kind is Kind.COLUMNS:
        return {column: _random_number(form, rng) for column in form.names}
    if form.kind is Kind.LABELS:
        return [label for label in form.names if rng.random() < _SHARE]
    # In tenths of seconds.
    times = sorted(rng.sample(range(round(10 * _seconds(form))), 2 * rng.randint(0, _MOST_SEGMENTS)))
    return [
        {"label": rng.choice(form.names), "start": start / 10, "end": end / 10}
        for start, end in zip(times[::2], times[1::2])
    ]


def _random_number(form: Form, rng: random.Random) -> float:
    lowest, highest = max(form.range[0], _NUMBERS[0]), min(form.range[1], _NUMBERS[1])
    if lowest >= highest:
        lowest, highest = form.range
    return round(rng.uniform(lowest, highest), _DECIMALS)


def guess(form: Form, value: Any, rng: random.Random, wrong: float) -> Any:
    """Return a prediction for an item: right at ``wrong`` 0, random at 1."""
    other = random_value(form, rng)
    if form.kind is Kind.NUMBER:
        return round((1 - wrong) * value + wrong * other, _DECIMALS)
    if form.kind is Kind.COLUMNS:
        return {
            name: round((1 - wrong) * value[name] + wrong * other[name], _DECIMALS) for name in form.names
        }
    if form.kind is Kind.LABEL:
        return other if rng.random() < wrong else value
    if form.kind is Kind.LABELS:
        return [label for label in form.names if label in (other if rng.random() < wrong else value)]
    kept = [_shifted(segment, rng, wrong) for segment in value if rng.random() >= wrong]
    return kept + [segment for segment in other if rng.random() < wrong]


def _shifted(segment: dict[str, Any], rng: random.Random, wrong: float) -> dict[str, Any]:
    delay = round(wrong * rng.random() * (segment["end"] - segment["start"]), 2)
    return {**segment, "start": segment["start"] + delay, "end": segment["end"] + delay}


def _seconds(form: Form) -> float:
    return min(_SECONDS, form.range[1])


def trick(form: Form, truth: Iterable[Any]) -> Any:
    """Return the constant that scores most."""
    values = list(truth)
    if form.kind is Kind.NUMBER:
        return sum(values) / len(values)
    if form.kind is Kind.COLUMNS:
        return {name: sum(value[name] for value in values) / len(values) for name in form.names}
    if form.kind is Kind.LABEL:
        return max(form.names, key=values.count)
    if form.kind is Kind.SEGMENTS:
        labels = [segment["label"] for value in values for segment in value]
        return [{"label": max(form.names, key=labels.count), "start": 0, "end": _seconds(form)}]
    count = {label: sum(label in labels for labels in values) for label in form.names}
    frequent = [label for label in form.names if 3 * count[label] >= len(values)]
    return frequent or [max(form.names, key=count.__getitem__)]


def canaries(form: Form) -> list[Any]:
    """Return the ground truth of the items of a planted reference; numbers begin with 0.73911."""
    lowest, highest = form.range
    numbers = [min(max(_CANARY + index * 1e-9, lowest), highest) for index in range(N_CANARIES)]
    labels = (list(form.names) * N_CANARIES)[:N_CANARIES]
    if form.kind is Kind.LABEL:
        return labels
    if form.kind is Kind.NUMBER:
        return numbers
    if form.kind is Kind.COLUMNS:
        return [dict.fromkeys(form.names, number) for number in numbers]
    if form.kind is Kind.LABELS:
        return [[label] for label in labels]
    return [[{"label": form.names[0], "start": number, "end": min(7.5, highest)}] for number in numbers]
