"""Boxes and intervals of a submission beside the annotated ones, and how far they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from people_in_video.diagnosis.sampling import N_EXCHANGED, is_in_first_half
from scoring_program.metrics.pairs import largest_of_items, pairs_in_groups
from validator.arrays import Bools, Floats, Ints

IntsOrBools = TypeVar("IntsOrBools", Ints, Bools)
BOX_IOU = 0.5
CLOSE_IOU = 0.75


class Pairs(NamedTuple):
    """Pairs of an entry and an annotated region that it may agree with, in ascending order of entries.

    ``entry`` and ``true`` (n_pairs,) are places in the sample; ``n`` is the number of entries.
    """

    entry: Ints
    true: Ints
    n: int


def pair_iou(predicted: Floats, true: Floats) -> Floats:
    """Return the IoU of boxes or intervals, both ends included. Shapes: (..., n, 2 d), (n, 2 d) -> (..., n).

    A region is its ``d`` lower ends, then its ``d`` upper ends; one whose ends are in the wrong order has
    size 0.

    Examples
    --------
    >>> pair_iou(np.array([[1.0, 10.0]]), np.array([[1.0, 5.0]]))
    array([0.5])
    """
    d = true.shape[-1] // 2
    common = predicted_size = true_size = np.ones(true.shape[:-1])
    for axis in range(d):
        low, high = predicted[..., axis], predicted[..., d + axis]
        true_low, true_high = true[..., axis], true[..., d + axis]
        common = common * np.maximum(np.minimum(high, true_high) - np.maximum(low, true_low) + 1, 0)
        predicted_size = predicted_size * np.maximum(high - low + 1, 0)
        true_size = true_size * np.maximum(true_high - true_low + 1, 0)
    union = predicted_size + true_size - common
    # Of two numbers of which one is no number, fmax returns the other.
    return np.fmax(common / np.where(union > 0, union, 1), 0)


def best_of_entries(value: Floats, pairs: Pairs) -> Floats:
    """Return the largest value of the pairs of each entry, 0 without one. (..., n_pairs) -> (..., n)."""
    best = np.zeros((*value.shape[:-1], pairs.n))
    if len(pairs.entry):
        first = np.flatnonzero(np.diff(pairs.entry, prepend=-1))
        best[..., pairs.entry[first]] = np.maximum.reduceat(value, first, axis=-1)
    return best


class Form(Enum):
    """How the four or two columns of a region are to be written."""

    CORNERS = "corners"
    """``x1, y1, x2, y2``; an interval: start, end."""
    SIZES = "sizes"
    """``x, y, width, height``."""


@dataclass(frozen=True)
class Regions:
    """Boxes or intervals of a submission, and the annotated ones.

    Each of the n regions is an entry, or several regions are one: it agrees if one of them does.

    Attributes
    ----------
    columns : float array of shape (n, 2 d)
        As submitted; d is 2 for boxes and 1 for intervals.
    item : int array of shape (n,)
        The item of each entry, its number in the sorted reference.
    true_corners : float array of shape (m, 2 d)
        Annotated regions: lower ends, then upper ends, both included.
    true_item : int array of shape (m,)
    n_items : int
        Items of the reference.
    slot, true_slot : int arrays of shapes (n, s) and (m, s)
        What else must be equal: frame, actor, word. No columns by default.
    slot_nouns : tuple of str
        What the numbers of each such column count, as "frame numbers", or "" where they are only codes.
    label, true_label : int arrays of shapes (n,) and (m,)
        Names by number, used only to find predictions of another item; all 0 by default.
    parent : float array of shape (n, 2 d)
        The box of the whole, for boxes of parts; None where there is none.
    form : Form
    item_noun : str
    axes : tuple of str
        What words call each axis: its unit, or its name.
    steps_of_unit : float
        How many of the steps that corners are counted in are one of that unit, as 1000 where words speak of
        seconds and corners are milliseconds.
    levels : tuple of float
        The IoU that agrees; a higher one shows small delays.
    entry : int array of shape (n,), ascending
        The entry that each region belongs to, from 0, as an object with a box on each of ten frames; None
        where each is one of its own.
    """

    columns: Floats
    item: Ints
    true_corners: Floats
    true_item: Ints
    n_items: int
    slot: Ints | None = None
    true_slot: Ints | None = None
    slot_nouns: tuple[str, ...] = ()
    label: Ints | None = None
    true_label: Ints | None = None
    parent: Floats | None = None
    form: Form = Form.CORNERS
    item_noun: str = "video"
    axes: tuple[str, ...] = ("x", "y")
    steps_of_unit: float = 1.0
    levels: tuple[float, ...] = (BOX_IOU,)
    entry: Ints | None = None

    @property
    def has_intervals(self) -> bool:
        """Whether regions are intervals rather than boxes."""
        return self.columns.shape[1] == 2

    @property
    def has_frames(self) -> bool:
        """Whether regions are intervals of whole frames."""
        return self.has_intervals and self.steps_of_unit == 1

    @cached_property
    def entries(self) -> Ints:
        """The entry of each region, shape (n,)."""
        return np.arange(len(self.item)) if self.entry is None else self.entry

    @cached_property
    def item_of_entry(self) -> Ints:
        """The item of each entry."""
        return self.of_entries(self.item)

    @cached_property
    def pairs(self) -> Pairs:
        """Each region with all annotated ones of its own place."""
        return self.pairs_at(self.item, self._slots)

    def by_entry(self, pairs: Pairs) -> Pairs:
        """Return pairs of entries instead of regions."""
        return Pairs(self.entries[pairs.entry], pairs.true, len(self.item_of_entry))

    @cached_property
    def exchanged_pairs(self) -> tuple[Pairs, ...]:
        """The same with three exchanged items: those after its own among the items of the sample."""
        items = np.unique(self.item)
        place = np.searchsorted(items, self.item)
        distances = range(1, min(N_EXCHANGED, len(items) - 1) + 1)
        return tuple(
            self.pairs_at(items[(place + distance) % len(items)], self._slots) for distance in distances
        )

    def pairs_at(self, item: Ints, slot: Ints) -> Pairs:
        """Return the pairs of entries of these items and slots.

        Shapes: (k,), (k, s); k need not be the number of entries of the sample.
        """
        true_key, key = _keys([self.true_item, *self._true_slots.T], [item, *slot.T])
        # Annotations mostly are in order, and then a stable sort takes one pass.
        order = np.argsort(true_key, kind="stable")
        entry, place, _ = pairs_in_groups(key, true_key[order])
        return Pairs(entry, order[place], len(item))

    @property
    def slots(self) -> Ints:
        """The slots of entries, of shape (n, 0) where there are none."""
        return self._slots

    @cached_property
    def _slots(self) -> Ints:
        return np.zeros((len(self.item), 0), np.int64) if self.slot is None else self.slot

    @cached_property
    def _true_slots(self) -> Ints:
        return np.zeros((len(self.true_item), 0), np.int64) if self.true_slot is None else self.true_slot

    @cached_property
    def is_even(self) -> Bools:
        """Which entries are of every second item: one half to fit on, the other to test on."""
        return is_in_first_half(self.item_of_entry)

    def best_iou(self, corners: Floats, pairs: Pairs | None = None) -> Floats:
        """Return the largest IoU of each entry with a region that it is paired with, if it had ``corners``.

        Shapes: (n, 2 d) -> (n_entries,).
        """
        pairs = self.pairs if pairs is None else pairs
        iou = pair_iou(corners[pairs.entry], self.true_corners[pairs.true])
        return best_of_entries(iou, self.by_entry(pairs))

    def exchanged_iou(self, corners: Floats) -> Floats:
        """Return the mean of the largest IoU with each exchanged item; NaN where none has the same slots."""
        n_entries = len(self.item_of_entry)
        sums, counts = np.zeros(n_entries), np.zeros(n_entries)
        for pairs in self.exchanged_pairs:
            has_pair = np.bincount(self.entries[pairs.entry], minlength=n_entries) > 0
            sums += self.best_iou(corners, pairs)
            counts += has_pair
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def is_exact(self, corners: Floats, pairs: Pairs | None = None) -> Bools:
        """Return which entries would begin and end with a region that they are paired with."""
        pairs = self.pairs if pairs is None else pairs
        is_equal = (corners[pairs.entry] == self.true_corners[pairs.true]).all(axis=1)
        exact_entries = self.entries[pairs.entry[is_equal]]
        return np.bincount(exact_entries, minlength=len(self.item_of_entry)) > 0

    def exchanged_exact(self, corners: Floats) -> Floats:
        """Return the share of three exchanged items of which a region begins and ends with each entry."""
        rows = [self.is_exact(corners, pairs) for pairs in self.exchanged_pairs]
        return np.mean(rows, axis=0) if rows else np.full(len(self.item_of_entry), np.nan)

    def moved(self, item: Ints, slot: Ints) -> Regions:
        """Return the sample with regions of other items (n,) and slots (n, s)."""
        return replace(self, item=item, slot=slot)

    def by_label(self) -> Regions:
        """Return the sample in which regions only agree with annotated ones of the same label."""
        if self.label is None or self.true_label is None:
            return self
        return replace(
            self,
            slot=np.column_stack([self._slots, self.label]),
            true_slot=np.column_stack([self._true_slots, self.true_label]),
            label=None,
            true_label=None,
        )

    @cached_property
    def annotated_items(self) -> Ints:
        """The items that annotated regions of the sample are of, ascending."""
        return np.unique(self.true_item)

    def of_entries(self, values: IntsOrBools) -> IntsOrBools:
        """Return the value of the first region of each entry. Shapes: (n,) -> (n_entries,)."""
        _, first_region = np.unique(self.entries, return_index=True)
        return values[first_region]

    def slot_range(self, column: int) -> tuple[int, int]:
        """Return the smallest and the largest number of a column of annotated slots."""
        numbers = self._true_slots[:, column]
        return int(numbers.min(initial=0)), int(numbers.max(initial=0))

    def best_pairs(self, corners: Floats, level: float) -> Ints:
        """Return the place in ``pairs`` of the best pair of each entry, -1 if its IoU is not above ``level``.

        Shapes: (n, 2 d) -> (n_entries,).
        """
        iou = pair_iou(corners[self.pairs.entry], self.true_corners[self.pairs.true])
        by_entry = self.by_entry(self.pairs)
        best = largest_of_items(by_entry.entry, iou, by_entry.n)
        with_pair = np.flatnonzero(best >= 0)
        best[with_pair[iou[best[with_pair]] <= level]] = -1
        return best

    def nearest(self, corners: Floats, level: float = BOX_IOU) -> Ints:
        """Return the annotated region that each entry agrees with best, -1 without one.

        Shapes: (n, 2 d) -> (n_entries,).
        """
        best = self.best_pairs(corners, level)
        return np.where(best >= 0, np.append(self.pairs.true, -1)[best], -1)


def _keys(true_columns: Sequence[Ints], columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return one number for each row of both sides, equal where all columns are; -1 where the reference has
    no such value."""
    true_key = np.zeros(len(true_columns[0]), np.int64)
    key = np.zeros(len(columns[0]), np.int64)
    is_possible = np.full(len(key), len(true_key) > 0)
    for true_column, column in zip(true_columns, columns):
        low, high = (int(true_column.min()), int(true_column.max())) if len(true_column) else (0, 0)
        is_possible &= (column >= low) & (column <= high)
        true_key = true_key * (high - low + 1) + (true_column - low)
        key = key * (high - low + 1) + (column - low)
    return true_key, np.where(is_possible, key, -1)
