"""Values that are made up for tasks with a value for each item; a seed always gives the same."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from validator.formats.items.arrays import corners_of
from validator.formats.items.write import as_instance
from validator.formats.values import Form, Kind

_SHARE = 0.4
# Numbers are in this range where the declaration allows it.
_NUMBERS = (0.0, 100.0)
_DECIMALS = 4
_MOST_INSTANCES, _SECONDS = 4, 30.0
# Where boxes are, and their smallest size.
_SIDE, _LEAST_SIDE = 100, 20
TRICKS = {
    Kind.LABEL: "the most frequent label everywhere",
    Kind.NUMBER: "the mean everywhere",
    Kind.COLUMNS: "the means everywhere",
    Kind.LABELS: "the frequent labels everywhere",
    Kind.SEGMENTS: "the most frequent label all the time",
    Kind.BOXES: "the most frequent label everywhere",
    Kind.VALUE: "the same answer everywhere",
}


def random_value(form: Form, rng: random.Random) -> Any:
    """Return the ground truth of an item, or with the form of a submission a random prediction."""
    if form.kind is Kind.LABEL:
        return rng.choice(form.names)
    if form.kind is Kind.NUMBER:
        return _random_number(form, rng)
    if form.kind is Kind.COLUMNS:
        return {column: _random_number(form, rng) for column in form.names}
    if form.kind is Kind.LABELS:
        return [label for label in form.names if rng.random() < _SHARE]
    corners = _random_segments(form, rng) if form.kind is Kind.SEGMENTS else _random_boxes(form, rng)
    return [_random_instance(form, rng, of_instance) for of_instance in corners]


def _random_instance(form: Form, rng: random.Random, corners: Sequence[float]) -> dict[str, Any]:
    label = rng.choice(form.names)
    # Another draw would change the data of tasks without scores.
    score = round(rng.random(), _DECIMALS) if form.has_scores else 1.0
    return as_instance(form.instance_keys, label, corners, score)


def _random_segments(form: Form, rng: random.Random) -> list[tuple[float, float]]:
    """Return segments that do not overlap, in tenths of seconds."""
    times = sorted(rng.sample(range(round(10 * _seconds(form))), 2 * rng.randint(0, _MOST_INSTANCES)))
    return [(start / 10, end / 10) for start, end in zip(times[::2], times[1::2])]


def _random_boxes(form: Form, rng: random.Random) -> list[list[float]]:
    """Return boxes within the range of the declaration."""
    lowest, highest = _numbers(form)
    scale = (highest - lowest) / _SIDE
    boxes = []
    for _ in range(rng.randint(0, _MOST_INSTANCES)):
        starts = [rng.randint(0, _SIDE - _LEAST_SIDE) for _ in range(2)]
        ends = [rng.randint(start + _LEAST_SIDE, _SIDE) for start in starts]
        boxes.append([lowest + scale * corner for corner in (*starts, *ends)])
    return boxes


def _random_number(form: Form, rng: random.Random) -> float:
    return round(rng.uniform(*_numbers(form)), _DECIMALS)


def _numbers(form: Form) -> tuple[float, float]:
    """Return the lowest and the highest number that is made up."""
    lowest, highest = max(form.range[0], _NUMBERS[0]), min(form.range[1], _NUMBERS[1])
    return (lowest, highest) if lowest < highest else form.range


def guess(form: Form, value: Any, rng: random.Random, wrong_share: float) -> Any:
    """Return a prediction for an item: right at ``wrong_share`` 0, random at 1."""
    other = random_value(form, rng)
    if form.kind is Kind.NUMBER:
        return round((1 - wrong_share) * value + wrong_share * other, _DECIMALS)
    if form.kind is Kind.COLUMNS:
        return {
            name: round((1 - wrong_share) * value[name] + wrong_share * other[name], _DECIMALS)
            for name in form.names
        }
    if form.kind is Kind.LABEL:
        return other if rng.random() < wrong_share else value
    if form.kind is Kind.LABELS:
        return [label for label in form.names if label in (other if rng.random() < wrong_share else value)]
    right_instances = [
        _shifted(form, instance, rng, wrong_share) for instance in value if rng.random() >= wrong_share
    ]
    return right_instances + [instance for instance in other if rng.random() < wrong_share]


def _shifted(form: Form, instance: dict[str, Any], rng: random.Random, wrong_share: float) -> dict[str, Any]:
    """Return an instance a little later, or to the right and below, within the range; scores are high."""
    keys = form.instance_keys
    corners = corners_of(keys, instance)
    length = corners[len(corners) // 2] - corners[0]
    latest = form.range[1]
    delay = min(round(wrong_share * rng.random() * length, 2), latest - max(corners))
    score = round(1 - wrong_share * rng.random(), _DECIMALS) if form.has_scores else 1.0
    return as_instance(keys, instance[keys.label], [min(corner + delay, latest) for corner in corners], score)


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
    if form.instance is not None:
        labels = [instance[form.instance.label] for value in values for instance in value]
        lowest, highest = (0.0, _seconds(form)) if form.kind is Kind.SEGMENTS else _numbers(form)
        n_axes = len(form.instance.corners) // 2
        corners = [lowest] * n_axes + [highest] * n_axes
        return [as_instance(form.instance, max(form.names, key=labels.count), corners)]
    count = {label: sum(label in labels for labels in values) for label in form.names}
    frequent = [label for label in form.names if 3 * count[label] >= len(values)]
    return frequent or [max(form.names, key=count.__getitem__)]
