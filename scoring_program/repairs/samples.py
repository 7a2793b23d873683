"""Samples: what of a submission is compared with the reference, by kind, and what "agrees" means for each.

=========  ===============================================================================================
kind       an entry agrees if
=========  ===============================================================================================
boxes      its IoU with an annotated box of the same place (item and slots) is above 0.5; names do not matter
intervals  the same; above 0.75 for small delays; the same first and last frame for frames counted from 0
names      its word is the one of the annotated thing that it is matched with by place
ids        entries are ids of the *reference*; one agrees if the submission has it
arrays     a quarter of its points, or half of them, have the right part, and U and V within 0.2
=========  ===============================================================================================

Items are what scores are averaged over (videos, sequences, images), numbered in the sorted reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeVar, Union

import numpy as np

from scoring_program.metrics.pairs import largest_of_items, pairs_in_groups
from scoring_program.repairs.names import Folding, last_number
from validator.arrays import Bools, Floats, Ints

IntsOrBools = TypeVar("IntsOrBools", Ints, Bools)
MOST_ENTRIES = 400
MOST_ITEMS = 40
MOST_OF_ITEM = 10
# Of so many items a one-to-one map is looked for; of more only the neighbors are compared.
MOST_MAPPED = 100
BOX_IOU = 0.5
CLOSE_IOU = 0.75
# How many items before and after its own the predictions of an item may belong to.
NEIGHBORS = 2
N_EXCHANGED = 3
_NEAR_BYTES = 0.2 * 255
SHARES_OF_POINTS = (0.25, 0.5)
"""How many of its points must be near for an array to agree: few of a weak model, many where U and V are
exchanged, which then are near each other at a third of the points."""


class Kind(Enum):
    """What a repair changes; a submission gets at most one repair of each kind."""

    IDS = "ids"
    BOXES = "boxes"
    INTERVALS = "intervals"
    NAMES = "names"
    ARRAYS = "arrays"


class Spread(Enum):
    """How entries are sampled.

    ``WIDE``: at most 400 of all entries, evenly spread. ``DEEP``: at most 10 of each of at most 40 items, for
    families with parameters of each item.
    """

    WIDE = "wide"
    DEEP = "deep"

    def choose(self, item: Ints) -> Ints:
        """Return the sampled entries as ascending places in ``item`` (n,), the item of each entry."""
        if self is Spread.WIDE:
            return spread_evenly(len(item), MOST_ENTRIES)
        items = np.unique(item)
        chosen_items = items[spread_evenly(len(items), MOST_ITEMS)]
        candidates = np.flatnonzero(np.isin(item, chosen_items))
        by_item = candidates[np.argsort(item[candidates], kind="stable")]
        rank, size = ranks_in_groups(item[by_item])
        # Of n entries those that are evenly spread: the place of each among 10.
        bounded = np.minimum(size, MOST_OF_ITEM)
        is_chosen = (rank * bounded) // size != ((rank - 1) * bounded) // size
        return np.sort(by_item[is_chosen])

    def items_nearby(self, items: Ints, n_items: int) -> Ints:
        """Return the items whose annotations a sample needs: its own, and in a deep sample all others, or the
        neighbors where there are many."""
        if self is Spread.DEEP and n_items <= MOST_MAPPED:
            return np.arange(n_items)
        distance = NEIGHBORS if self is Spread.DEEP else 0
        nearby = np.unique(items)[:, None] + np.arange(-distance, distance + 1)
        return np.unique(nearby[(nearby >= 0) & (nearby < n_items)])


def spread_evenly(n: int, most: int) -> Ints:
    """Return at most ``most`` of the places 0..n-1, evenly spread and the same each time.

    Examples
    --------
    >>> spread_evenly(5, 3).tolist(), spread_evenly(2, 3).tolist()
    ([0, 2, 4], [0, 1])
    """
    if n <= most:
        return np.arange(n)
    return np.linspace(0, n - 1, most).astype(np.int64)


def ranks_in_groups(group: Ints) -> tuple[Ints, Ints]:
    """Return the place of each entry in its group, and the size of the group; ``group`` (n,) ascends.

    Examples
    --------
    >>> ranks_in_groups(np.array([2, 2, 5]))
    (array([0, 1, 0]), array([2, 2, 1]))
    """
    _, first, inverse, size = np.unique(group, return_index=True, return_inverse=True, return_counts=True)
    return np.arange(len(group)) - first[inverse], size[inverse]


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
        What words call each axis.
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
    levels: tuple[float, ...] = (BOX_IOU,)
    entry: Ints | None = None

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
        return _in_first_half(self.item_of_entry)

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


@dataclass(frozen=True)
class Names:
    """Names that a submission gives to things which are matched with annotated ones by place.

    Attributes
    ----------
    predicted : sequence of str
        The name of each entry, n of them.
    true : sequence of str
        The annotated name of each entry.
    item : int array of shape (n,)
    vocabulary : sequence of str
        All names that are right to use, in the order of the public list.
    true_of_item : sequence of str
        The annotated name of each item of the reference, where there is one for each; otherwise empty. Then
        names may be those of another item.
    item_noun, what : str
        What words call items and these names: "videos", "action classes".
    foldings : sequence of Folding
        Ways of a challenge under which different spellings are equal, beside the usual ones.
    """

    predicted: Sequence[str]
    true: Sequence[str]
    item: Ints
    vocabulary: Sequence[str]
    true_of_item: Sequence[str] = ()
    item_noun: str = "video"
    what: str = "names"
    foldings: Sequence[Folding] = ()

    @cached_property
    def predicted_words(self) -> list[str]:
        """The different names of the submission."""
        return sorted(set(self.predicted))

    @cached_property
    def predicted_codes(self) -> Ints:
        """The places of the predicted names in `predicted_words`."""
        return _codes(self.predicted, self.predicted_words)

    @cached_property
    def true_codes(self) -> Ints:
        """The places of the annotated names in the vocabulary, -1 where it lacks one."""
        return _codes(self.true, self.vocabulary)

    @cached_property
    def exchanged_codes(self) -> Ints:
        """The annotated names of entries of three exchanged items, shape (up to 3, n)."""
        items, starts, sizes = np.unique(self.item, return_index=True, return_counts=True)
        order = np.argsort(self.item, kind="stable")
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(starts, sizes)
        place = np.searchsorted(items, self.item)
        rows = []
        for distance in range(1, min(N_EXCHANGED, len(items) - 1) + 1):
            other = (place + distance) % len(items)
            rows.append(self.true_codes[order[starts[other] + rank % sizes[other]]])
        return np.array(rows, dtype=np.int64).reshape(-1, len(self.item))

    def agrees(self, codes: Ints) -> Bools:
        """Return which entries have the right name if ``codes`` (n,) are their places in the vocabulary."""
        return (codes == self.true_codes) & (codes >= 0)

    def agrees_with_exchanged(self, codes: Ints) -> Floats:
        """Return the share of exchanged entries whose annotated name is the same, shape (n,)."""
        if not len(self.exchanged_codes):
            return np.full(len(codes), np.nan)
        return ((self.exchanged_codes == codes) & (codes >= 0)).mean(axis=0)

    @cached_property
    def as_submitted(self) -> Ints:
        """The places of the predicted names in the vocabulary, -1 for names that it lacks."""
        return self.coded(str)

    def coded(self, change: Callable[[str], str]) -> Ints:
        """Return the places of changed names in the vocabulary, -1 for names that it lacks, shape (n,)."""
        changed_words = [change(word) for word in self.predicted_words]
        return _codes(changed_words, self.vocabulary)[self.predicted_codes]

    @cached_property
    def is_even(self) -> Bools:
        """Which entries are of every second item: one half to fit on, the other to test on."""
        return _in_first_half(self.item)


def _in_first_half(item: Ints) -> Bools:
    """Return which entries are of every second item. Shapes: (n,) -> (n,)."""
    _, place = np.unique(item, return_inverse=True)
    return place % 2 == 0


def _codes(words: Sequence[str], vocabulary: Sequence[str]) -> Ints:
    number_of_word = {word: number for number, word in enumerate(vocabulary)}
    return np.array([number_of_word.get(word, -1) for word in words], dtype=np.int64)


@dataclass(frozen=True)
class Ids:
    """Ids of items, or of what is in each item; agreement is counted over the reference's.

    Attributes
    ----------
    predicted, true : sequences of str
        The ids of the submission, n of them, and of the reference, m of them.
    group, true_group : int arrays of shapes (n,) and (m,)
        The item that an id is in, where ids are of frames or segments; None for ids of items.
    what : str
        What words call them: "frames".
    is_in_reference : bool array of shape (n,)
        Which predicted ids the reference has, where ``true`` has only some of its ids; otherwise None.
    """

    predicted: Sequence[str]
    true: Sequence[str]
    group: Ints | None = None
    true_group: Ints | None = None
    what: str = "ids"
    is_in_reference: Bools | None = None

    @cached_property
    def groups(self) -> list[int]:
        """The group of each predicted id, 0 for ids of items."""
        return [0] * len(self.predicted) if self.group is None else self.group.tolist()

    @cached_property
    def true_groups(self) -> list[int]:
        """The group of each id of the reference, 0 for ids of items."""
        return [0] * len(self.true) if self.true_group is None else self.true_group.tolist()

    @property
    def item(self) -> Ints:
        """What a sign test counts for each id of the reference: its group, or the id itself."""
        return np.arange(len(self.true)) if self.true_group is None else self.true_group

    @cached_property
    def predicted_numbers(self) -> list[int | None]:
        """The last number in each predicted id, None without any."""
        return _last_numbers(self.predicted)

    @cached_property
    def true_numbers(self) -> list[int | None]:
        """The last number in each id of the reference, None without any."""
        return _last_numbers(self.true)

    @property
    def is_known(self) -> Bools:
        """Which predicted ids the reference has."""
        if self.is_in_reference is not None:
            return self.is_in_reference
        true_ids = set(zip(self.true_groups, self.true))
        return np.array([key in true_ids for key in zip(self.groups, self.predicted)], dtype=bool)

    @cached_property
    def is_even(self) -> Bools:
        """Which ids of the reference are of every second item."""
        return _in_first_half(self.item)

    def covered(self, predicted: Sequence[object], true: Sequence[object]) -> Bools:
        """Return which ids of the reference the submission has, if both sides were written so; None is no id.

        Shapes: (n,), (m,) -> (m,).
        """
        predicted_ids = {key for key in zip(self.groups, predicted) if key[1] is not None}
        return np.array([key in predicted_ids for key in zip(self.true_groups, true)], dtype=bool)


def _last_numbers(words: Sequence[str]) -> list[int | None]:
    number_of_word = {word: last_number(word) for word in set(words)}
    return [number_of_word[word] for word in words]


@dataclass(frozen=True)
class Arrays:
    """Values of parts and coordinates that a submission has at annotated points.

    Attributes
    ----------
    item : int array of shape (n,)
        The item of each entry, which is an array.
    entry : int array of shape (p,), ascending
        The entry of each point.
    readings : mapping of str to int array of shape (p, 3)
        The bytes I, U, V at each point, by the words for how the array is read: "" as submitted, first;
        others as "with arrays flipped left to right".
    true_values : float array of shape (p, 3)
        The annotated part, and U and V times 255.
    mirrored_parts : int array of shape (n_parts + 1,)
        The part on the other side of the body of each part.
    """

    item: Ints
    entry: Ints
    readings: Mapping[str, Ints]
    true_values: Floats
    mirrored_parts: Ints

    @property
    def as_submitted(self) -> Ints:
        """The values at the points as the task's page says how to read them, shape (p, 3)."""
        return next(iter(self.readings.values()))

    def shares_near(self, values: Floats | Ints, true_values: Floats | None = None) -> Floats:
        """Return the share of the points of each entry that are near the annotated ones, shape (n,).

        ``values`` (p, 3) are those at the points; other ``true_values`` (p, 3) may be given.
        """
        is_near = _is_near(values, self.true_values if true_values is None else true_values)
        n_near = np.bincount(self.entry[is_near], minlength=len(self.item))
        return n_near / np.maximum(self._n_points, 1)

    def exchanged_shares_near(self, values: Floats | Ints) -> Floats:
        """Return the mean of the shares that are near those of three exchanged entries, point by point.

        Shape: (n,).
        """
        n = len(self.item)
        if n < 2:
            return np.full(n, np.nan)
        sizes = np.maximum(self._n_points, 1)
        starts = np.cumsum(self._n_points) - self._n_points
        rank = np.arange(len(self.entry)) - starts[self.entry]
        shares = np.zeros(n)
        distances = range(1, min(N_EXCHANGED, n - 1) + 1)
        for distance in distances:
            other = (self.entry + distance) % n
            point = np.minimum(starts[other] + rank % sizes[other], len(self.entry) - 1)
            shares += self.shares_near(values, self.true_values[point])
        return shares / len(distances)

    @cached_property
    def _n_points(self) -> Ints:
        return np.bincount(self.entry, minlength=len(self.item))


def _is_near(values: Floats | Ints, true_values: Floats) -> Bools:
    """Return which points have the right part, and U and V within 0.2. Shapes: (p, 3), (p, 3) -> (p,)."""
    is_part = (values[:, 0] == true_values[:, 0]) & (values[:, 0] > 0)
    is_near = np.abs(values[:, 1:] - true_values[:, 1:]) < _NEAR_BYTES
    return is_part & is_near[:, 0] & is_near[:, 1]


Sample = Union[Regions, Names, Ids, Arrays]
