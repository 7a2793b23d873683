"""The values of items as arrays, and as they are in a JSON file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Union

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.formats.values import Form, InstanceKeys, Kind


class Values(NamedTuple):
    """The values of items, in the order of ``keys``.

    Attributes
    ----------
    keys : list of str
    values : array of shape (n_items,) or (n_items, n_names)
        Labels as positions in ``names``; numbers; numbers of the columns ``names``; or which of ``names`` are
        in the list of an item, as bool.
    names : tuple of str
        All labels, or all columns.
    """

    keys: list[str]
    values: np.ndarray
    names: tuple[str, ...]


class Regions(NamedTuple):
    """The segments or boxes of items.

    Attributes
    ----------
    keys : list of str, length n_items
    item : int64 array of shape (n,), ascending
        The position in ``keys`` of the item of each region.
    label : int64 array of shape (n,)
        Its position in ``names``.
    extent : float64 array of shape (n, 2) or (n, 4)
        ``start, end`` of segments in seconds, ``x1, y1, x2, y2`` of boxes; each start is below its end.
    score : float64 array of shape (n,)
        1 where instances have none.
    names : tuple of str
        All labels.
    is_submitted : bool array of shape (n_items,)
        Whether the item is in the file: those that are not may count as empty.
    unknown_labels : mapping of str to int
        How many regions, which are left out, have each label that is not in ``names``.
    """

    keys: list[str]
    item: Ints
    label: Ints
    extent: Floats
    score: Floats
    names: tuple[str, ...]
    is_submitted: Bools
    unknown_labels: Mapping[str, int]


class PlainValues(NamedTuple):
    """The values of items as they are in a JSON file, for an evaluator of one's own.

    Attributes
    ----------
    keys : list of str
    values : list
    is_submitted : bool array of shape (n_items,)
        Whether the item is in the file; others have the value None.
    """

    keys: list[str]
    values: list[Any]
    is_submitted: Bools

    def submitted(self) -> dict[str, Any]:
        """Return the value of each item that is submitted."""
        rows = zip(self.keys, self.values, self.is_submitted.tolist())
        return {key: value for key, value, is_submitted in rows if is_submitted}


Items = Union[Values, Regions, PlainValues]
MISSING = object()
"""The value of an item that is not in a file."""


def corners_of(keys: InstanceKeys, instance: Mapping[str, Any]) -> list[float]:
    """Return the numbers that say where an instance is, as it is in a JSON file."""
    corners: list[float] = instance[keys.list] if keys.list else [instance[corner] for corner in keys.corners]
    return corners


def as_instance(
    keys: InstanceKeys, label: str, corners: Sequence[float], score: float = 1.0
) -> dict[str, Any]:
    """Return an instance as it is in a JSON file."""
    instance: dict[str, Any] = {keys.label: label}
    instance.update({keys.list: list(corners)} if keys.list else zip(keys.corners, corners))
    if keys.score:
        instance[keys.score] = score
    return instance


def as_regions(form: Form, keys: list[str], values: Sequence[Sequence[Any] | None]) -> Regions:
    """Return lists of instances as they are in a JSON file as arrays; None stands for no list."""
    names = form.instance_keys
    position = {label: number for number, label in enumerate(form.names)}
    instances = list(chain.from_iterable(value or () for value in values))
    labels = [instance[names.label] for instance in instances]
    label = np.array([position.get(text, -1) for text in labels], dtype=np.int64)
    corners = [corners_of(names, instance) for instance in instances]
    extent = np.array(corners, dtype=np.float64).reshape(len(instances), len(names.corners))
    score = np.ones(len(instances))
    if names.score:
        score[:] = [instance[names.score] for instance in instances]
    item = np.repeat(np.arange(len(keys)), [len(value or ()) for value in values])
    is_known = label >= 0
    return Regions(
        keys=keys,
        item=item[is_known],
        label=label[is_known],
        extent=extent[is_known],
        score=score[is_known],
        names=form.names,
        is_submitted=np.array([value is not None for value in values], dtype=bool),
        unknown_labels=Counter(text for text in labels if text not in position),
    )


def as_items(form: Form, keys: list[str], values: Sequence[Any]) -> Items:
    """Return values as they are in a JSON file as arrays."""
    is_submitted = np.array([value is not MISSING for value in values], dtype=bool)
    values = [None if value is MISSING else value for value in values]
    if form.instance is not None:
        return as_regions(form, keys, values)
    if form.schema is not None:
        return PlainValues(keys, values, is_submitted)
    position = {name: number for number, name in enumerate(form.names)}
    if form.kind is Kind.LABELS:
        has_label = np.zeros((len(keys), len(form.names)), bool)
        for row, labels in zip(has_label, values):
            row[[position[label] for label in labels]] = True
        return Values(keys, has_label, form.names)
    if form.kind is Kind.COLUMNS:
        rows = [[numbers[name] for name in form.names] for numbers in values]
        return Values(keys, np.array(rows, np.float64).reshape(len(rows), len(form.names)), form.names)
    if form.kind is Kind.LABEL:
        return Values(keys, np.array([position[label] for label in values], np.int64), form.names)
    return Values(keys, np.array(values, np.float64), ())


def has_values(items: Items) -> bool:
    """Return whether an item has anything: lists may all be empty."""
    if isinstance(items, Regions):
        return bool(len(items.item))
    if isinstance(items, PlainValues):
        return bool(items.is_submitted.any())
    return bool(items.keys) and (items.values.dtype != bool or bool(items.values.any()))
