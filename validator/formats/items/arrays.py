"""The values of items as arrays, and as they are in a JSON file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, Union

import numpy as np

from validator.arrays import Floats, Ints
from validator.formats.values import Form, Kind


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


class Segments(NamedTuple):
    """The segments of items.

    Attributes
    ----------
    keys : list of str, length n_items
    item : int64 array of shape (n_segments,), ascending
        The position in ``keys`` of the item of each segment.
    label : int64 array of shape (n_segments,)
        Its position in ``names``.
    times : float64 array of shape (n_segments, 2)
        Start and end in seconds, start < end.
    names : tuple of str
        All labels.
    """

    keys: list[str]
    item: Ints
    label: Ints
    times: Floats
    names: tuple[str, ...]


Items = Union[Values, Segments]


def as_items(form: Form, keys: list[str], values: Sequence[Any]) -> Items:
    """Return values as they are in a JSON file as arrays."""
    position = {name: number for number, name in enumerate(form.names)}
    if form.kind is Kind.SEGMENTS:
        segments = list(chain.from_iterable(values))
        times = [(segment["start"], segment["end"]) for segment in segments]
        return Segments(
            keys=keys,
            item=np.repeat(np.arange(len(keys)), [len(of_item) for of_item in values]),
            label=np.array([position[segment["label"]] for segment in segments], dtype=np.int64),
            times=np.array(times, dtype=np.float64).reshape(len(segments), 2),
            names=form.names,
        )
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


def plain_values(items: Items) -> dict[str, Any]:
    """Return the value of each item as it is in a JSON file."""
    if isinstance(items, Segments):
        segments: dict[str, Any] = {key: [] for key in items.keys}
        for item, label, (start, end) in zip(items.item.tolist(), items.label.tolist(), items.times.tolist()):
            segments[items.keys[item]].append({"label": items.names[label], "start": start, "end": end})
        return segments
    keys, values, names = items
    if values.dtype == bool:
        return {
            key: [names[label] for label in np.flatnonzero(row).tolist()] for key, row in zip(keys, values)
        }
    if values.ndim == 2:
        return {key: dict(zip(names, row)) for key, row in zip(keys, values.tolist())}
    return dict(zip(keys, [names[label] for label in values.tolist()] if names else values.tolist()))


def select(items: Items, keys: Iterable[str]) -> Items:
    """Return some items, in their order."""
    wanted = set(keys)
    is_selected = np.array([key in wanted for key in items.keys], dtype=bool)
    selected_keys = [key for key in items.keys if key in wanted]
    if isinstance(items, Values):
        return items._replace(keys=selected_keys, values=items.values[is_selected])
    is_kept = is_selected[items.item]
    new_number = np.cumsum(is_selected) - 1
    return items._replace(
        keys=selected_keys,
        item=new_number[items.item[is_kept]],
        label=items.label[is_kept],
        times=items.times[is_kept],
    )


def has_values(items: Items) -> bool:
    """Return whether an item has anything: lists may all be empty."""
    if isinstance(items, Segments):
        return bool(len(items.item))
    return bool(items.keys) and (items.values.dtype != bool or bool(items.values.any()))
