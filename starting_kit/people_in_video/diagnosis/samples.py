"""Samples: what of a submission is compared with the reference, and what "agrees" means.

A sample is `Regions`, `Names`, or `Arrays`, or a `trials.Trial` where what may be wrong is special to a
challenge. Items are what scores are averaged over (videos, sequences, images), by their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.trials import Change
from scoring_program.metrics.group_values import group_means, largest_of_items
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints

MOST_ITEMS = 100
"""So many items are compared, evenly spread; of more items only neighbors are exchanged."""
_MOST_ENTRIES = 400
_LEAST_OF_ITEM = 10
NEIGHBORS = 2
"""How many items before and after its own the predictions of an item may belong to."""
_N_EXCHANGED = 3
BOX_IOU = 0.5
CLOSE_IOU = 0.75
_NEAR_BYTES = 0.2 * 255
# Of a submission of which a part is written otherwise, so much of the items agrees, or does not.
_MOST_OF_BAD_ITEM = 0.25
_LEAST_OF_GOOD_ITEM = 0.5
_LEAST_CLEAR = 0.7


def spread_evenly(n: int, most: int) -> Ints:
    """Return at most ``most`` of the places 0..n-1, evenly spread and the same each time.

    Examples
    --------
    >>> spread_evenly(5, 3).tolist(), spread_evenly(2, 3).tolist()
    ([0, 2, 4], [0, 1])
    """
    return np.linspace(0, n - 1, min(n, most)).astype(np.int64)


def choose_entries(item: Ints) -> Ints:
    """Return sampled entries as ascending places in ``item`` (n,), the item of each entry: of at most 100
    items, of each at least 10 if it has them."""
    items, start, size = np.unique(np.sort(item), return_index=True, return_counts=True)
    by_item = np.argsort(item, kind="stable")
    places = spread_evenly(len(items), MOST_ITEMS)
    most = max(_MOST_ENTRIES // max(len(places), 1), _LEAST_OF_ITEM)
    entries = [by_item[start[place] + spread_evenly(int(size[place]), most)] for place in places.tolist()]
    return np.sort(np.concatenate([np.zeros(0, np.int64), *entries]))


def items_nearby(item: Ints, n_items: int) -> Ints:
    """Return the items whose annotations sampled entries may be of: all of few items, else neighbors."""
    if n_items <= MOST_ITEMS:
        return np.arange(n_items)
    shifted = np.unique(item)[:, None] + np.arange(-NEIGHBORS, NEIGHBORS + 1)
    return np.unique(shifted[(shifted >= 0) & (shifted < n_items)])


def ranks_in_groups(group: Ints) -> Ints:
    """Return the place of each entry among those of its group, in any order. Shapes: (n,) -> (n,).

    Examples
    --------
    >>> ranks_in_groups(np.array([5, 2, 5]))
    array([0, 0, 1])
    """
    order = np.argsort(group, kind="stable")
    _, first, inverse = np.unique(group[order], return_index=True, return_inverse=True)
    ranks = np.empty(len(group), np.int64)
    ranks[order] = np.arange(len(group)) - first[inverse]
    return ranks


def exchanged_entries(item: Ints) -> list[Ints]:
    """Return for each entry one of the item after its own, of the same place in it; then of those two and
    three after. ``item`` and the results have shape (n,); with one item there are none."""
    items, place, sizes = np.unique(item, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    first = np.cumsum(sizes) - sizes
    rank = ranks_in_groups(place)
    exchanged: list[Ints] = []
    for distance in range(1, min(_N_EXCHANGED, len(items) - 1) + 1):
        other = (place + distance) % len(items)
        exchanged.append(order[first[other] + rank % sizes[other]])
    return exchanged


def is_in_first_half(item: Ints) -> Bools:
    """Return which entries are of every second item. Shapes: (n,) -> (n,)."""
    _, place = np.unique(item, return_inverse=True)
    return place % 2 == 0


def one_to_one_map(counts: Ints) -> Ints:
    """Return a column for each row such that no column is taken twice, -1 for rows without one.

    Pairs are taken from the largest count down. Where a map holds for most of what was counted, that is the
    map with the largest sum; no package for the assignment problem is needed for it.

    Examples
    --------
    >>> one_to_one_map(np.array([[5, 9, 0], [4, 8, 0], [0, 0, 0]])).tolist()
    [1, 0, -1]
    """
    place = np.full(len(counts), -1)
    is_free = np.ones(counts.shape[1], dtype=bool)
    rows, columns = np.nonzero(counts)
    order = np.argsort(-counts[rows, columns], kind="stable")
    for row, column in zip(rows[order].tolist(), columns[order].tolist()):
        if place[row] < 0 and is_free[column]:
            place[row] = column
            is_free[column] = False
    return place


class PartOfItems(NamedTuple):
    """Items that seem to be written in another way than the others.

    Attributes
    ----------
    items : int array
        The items.
    n_items : int
        How many items the sample has.
    is_tested : bool array of shape (n_entries,)
        The entries of these items by which they were not found.
    """

    items: Ints
    n_items: int
    is_tested: Bools

    def words(self, item_noun: str) -> str:
        """Return how many items they are."""
        return f"in {len(self.items)} of {self.n_items} {item_noun}s"


def find_part(agrees: Bools, item: Ints) -> PartOfItems | None:
    """Return the items in which hardly any entry agrees where others are right, as after a crash or from two
    sources; None if there are none, or most are neither. Shapes: (n_entries,), (n_entries,).

    They are found by every second of their entries.
    """
    items, place = np.unique(item, return_inverse=True)
    is_second = ranks_in_groups(place) % 2 == 1
    share = group_means(agrees[~is_second], place[~is_second], len(items))
    is_bad, is_good = share <= _MOST_OF_BAD_ITEM, share >= _LEAST_OF_GOOD_ITEM
    if not is_good.any() or (is_bad | is_good).mean() < _LEAST_CLEAR:
        return None
    is_tested = is_second & is_bad[place]
    return PartOfItems(items[is_bad], len(items), is_tested) if is_tested.any() else None


class Pairs(NamedTuple):
    """Pairs of a region and an annotated one that it may agree with, in ascending order of regions."""

    region: Ints
    true: Ints


def pair_iou(predicted: Floats, true: Floats) -> Floats:
    """Return the IoU of boxes or intervals, both ends included. Shapes: (n, 2 d), (n, 2 d) -> (n,).

    A region is its ``d`` lower ends, then its ``d`` upper ends; one whose ends are in the wrong order has
    size 0.

    Examples
    --------
    >>> pair_iou(np.array([[1.0, 10.0]]), np.array([[1.0, 5.0]]))
    array([0.5])
    """
    d = true.shape[1] // 2
    common = predicted_size = true_size = np.ones(1)
    # Axis by axis: numpy multiplies a few long columns much faster than many short rows.
    for low, high in zip(range(d), range(d, 2 * d)):
        common_low = np.maximum(predicted[:, low], true[:, low])
        common_high = np.minimum(predicted[:, high], true[:, high])
        common = common * lengths(common_low, common_high)
        predicted_size = predicted_size * lengths(predicted[:, low], predicted[:, high])
        true_size = true_size * lengths(true[:, low], true[:, high])
    return iou_of_sizes(common, predicted_size, true_size)


def lengths(low: Floats, high: Floats) -> Floats:
    """Return the lengths of intervals, both ends included; 0 of those whose ends are in the wrong order."""
    return np.maximum(high - low + 1, 0)


def iou_of_sizes(common: Floats, predicted_size: Floats, true_size: Floats) -> Floats:
    """Return the IoU of regions of two sizes that have so much in common."""
    union = predicted_size + true_size - common
    # Of two numbers of which one is no number, fmax returns the other.
    return np.fmax(common / np.where(union > 0, union, 1), 0)


def to_sizes(corners: Floats) -> Floats:
    """Return ``x, y, width, height``, or ``start, length``, of corners."""
    d = corners.shape[-1] // 2
    return np.concatenate([corners[..., :d], corners[..., d:] - corners[..., :d]], axis=-1)


def from_sizes(columns: Floats) -> Floats:
    """Return the corners of ``x, y, width, height``, or of ``start, length``."""
    d = columns.shape[-1] // 2
    low, size = columns[..., :d], columns[..., d:]
    return np.concatenate([low, low + size], axis=-1)


@dataclass(frozen=True)
class Regions:
    """Boxes or intervals of a submission, and the annotated ones.

    Each of the n regions is an entry, or several regions are one: it agrees if one of them does.

    Attributes
    ----------
    corners : float array of shape (n, 2 d)
        As submitted: lower ends, then upper ends; d is 2 for boxes and 1 for intervals.
    item : int array of shape (n,)
        The item of each region.
    true_corners : float array of shape (m, 2 d)
        Annotated regions: lower ends, then upper ends, both included.
    true_item : int array of shape (m,)
    n_items : int
        Items of the reference.
    slot, true_slot : int arrays of shapes (n, s) and (m, s)
        What else must be equal: frame, actor, segment.
    slot_nouns : tuple of str
        What the numbers of each such column count, as "frame numbers", or "" where they are only codes.
    label, true_label : int arrays of shapes (n,) and (m,), optional
        Names by number, used only to find predictions of another item.
    parent : float array of shape (n, 4), optional
        The box of the whole, for boxes of parts.
    has_sizes : bool
        Whether columns of the file are to be ``x, y, width, height``.
    item_noun : str
    axes : tuple of str
        What words call each axis.
    steps_of_unit : int
        How many steps, in which regions are, make the unit in which words count.
    levels : tuple of float
        The IoU above which entries agree; then higher ones, which show small delays.
    entry : int array of shape (n,), ascending, optional
        The entry that each region belongs to, from 0, as an object with a box on each of ten frames.
    """

    corners: Floats
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
    has_sizes: bool = False
    item_noun: str = "video"
    axes: tuple[str, ...] = ("x", "y")
    steps_of_unit: int = 1
    levels: tuple[float, ...] = (BOX_IOU,)
    entry: Ints | None = None

    @cached_property
    def agrees(self) -> Bools:
        """Which entries agree as submitted, shape (n_entries,)."""
        return self.best_iou(self.corners) > self.levels[0]

    @property
    def has_intervals(self) -> bool:
        """Whether regions are intervals rather than boxes."""
        return self.corners.shape[1] == 2

    @cached_property
    def entries(self) -> Ints:
        """The entry of each region, shape (n,)."""
        return np.arange(len(self.item)) if self.entry is None else self.entry

    @cached_property
    def item_of_entry(self) -> Ints:
        """The item of each entry, shape (n_entries,)."""
        _, first_region = np.unique(self.entries, return_index=True)
        return self.item[first_region]

    @cached_property
    def slots(self) -> Ints:
        """The slots of regions, of shape (n, 0) where there are none."""
        return np.zeros((len(self.item), 0), np.int64) if self.slot is None else self.slot

    @cached_property
    def true_slots(self) -> Ints:
        """The slots of annotated regions."""
        return np.zeros((len(self.true_item), 0), np.int64) if self.true_slot is None else self.true_slot

    @cached_property
    def pairs(self) -> Pairs:
        """Each region with all annotated ones of its own place."""
        return self._pairs_at(self.item)

    def _pairs_at(self, item: Ints) -> Pairs:
        true_columns = np.column_stack([self.true_item, self.true_slots])
        columns = np.concatenate([true_columns, np.column_stack([item, self.slots])])
        # A place is one number, the same on both sides.
        place = np.zeros(len(columns), np.int64)
        for column in columns.T:
            numbers = column - column.min(initial=0)
            place = place * (numbers.max(initial=0) + 1) + numbers
        true_place, own_place = np.split(place, [len(true_columns)])
        order = np.argsort(true_place, kind="stable")
        region, rank, _ = pairs_in_groups(own_place, true_place[order])
        return Pairs(region, order[rank])

    def best_iou(self, corners: Floats, pairs: Pairs | None = None) -> Floats:
        """Return the largest IoU of each entry with a region that it is paired with, if it had ``corners``.

        Shapes: (n, 2 d) -> (n_entries,).
        """
        pairs = self.pairs if pairs is None else pairs
        return self.largest_of_entries(pair_iou(corners[pairs.region], self.true_corners[pairs.true]), pairs)

    def largest_of_entries(self, iou: Floats, pairs: Pairs) -> Floats:
        """Return the largest IoU of the pairs of each entry, 0 without any.

        Shapes: (..., n_pairs) -> (..., n_entries).
        """
        largest = np.zeros((*iou.shape[:-1], len(self.item_of_entry)))
        # Pairs are in the order of their entries.
        entry = self.entries[pairs.region]
        first_pair = np.flatnonzero(np.diff(entry, prepend=-1))
        largest[..., entry[first_pair]] = np.maximum.reduceat(iou, first_pair, axis=-1)
        return largest

    @cached_property
    def exchanged_pairs(self) -> list[Pairs]:
        """Each region with all annotated ones of the same slots in an exchanged item: each of the three after
        its own in the sample."""
        items, place = np.unique(self.item, return_inverse=True)
        distances = range(1, min(_N_EXCHANGED, len(items) - 1) + 1)
        return [self._pairs_at(items[(place + distance) % len(items)]) for distance in distances]

    def exchanged_iou(self) -> Floats:
        """Return the mean of the largest IoU with each of the exchanged items, for each entry; NaN where none
        has the same slots."""
        sums, counts = np.zeros((2, len(self.item_of_entry)))
        for pairs in self.exchanged_pairs:
            sums += self.best_iou(self.corners, pairs)
            counts += np.bincount(self.entries[pairs.region], minlength=len(counts)) > 0
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def best_pairs(self, corners: Floats, level: float) -> Ints:
        """Return the place in ``pairs`` of the best pair of each entry whose IoU is above ``level``, in
        ascending order of entries."""
        iou = pair_iou(corners[self.pairs.region], self.true_corners[self.pairs.true])
        best = largest_of_items(self.entries[self.pairs.region], iou, len(self.item_of_entry))
        best = best[best >= 0]
        return best[iou[best] > level]

    @property
    def can_change(self) -> bool:
        """Whether a change that was fitted to items can be made of all of the submission."""
        return self.n_items <= MOST_ITEMS

    def changed(self, change: Change) -> Regions:
        """Return the sample after a change."""
        corners = change.corners(self.corners, self.item, self.parent)
        item, slots = change.item(self.item), change.slot(self.slots)
        sample = replace(self, corners=corners, item=item, slot=slots)
        if item is self.item and slots is self.slots:
            # Regions stay where they are, and pairing takes longer than all else.
            vars(sample).update(pairs=self.pairs, exchanged_pairs=self.exchanged_pairs)
        return sample

    def names(self, words: Sequence[str], noun: str) -> Names:
        """Return the names of regions that are on an annotated one; labels are places in ``words``."""
        if self.label is None or self.true_label is None:
            raise ValueError("these regions have no labels")
        best = self.best_pairs(self.corners, BOX_IOU)
        region, true = self.pairs.region[best], self.pairs.true[best]
        return Names(
            words=words,
            predicted=self.label[region],
            vocabulary=words,
            true=self.true_label[true],
            item=self.item[region],
            item_noun=self.item_noun,
            noun=noun,
        )

    def by_label(self) -> Regions:
        """Return the sample in which regions only agree with annotated ones of the same label."""
        if self.label is None or self.true_label is None:
            return self
        slot = np.column_stack([self.slots, self.label])
        true_slot = np.column_stack([self.true_slots, self.true_label])
        return replace(self, slot=slot, true_slot=true_slot, slot_nouns=(), label=None, true_label=None)

    def of_entries(self, is_kept: Bools) -> Regions:
        """Return the sample of some entries; ``is_kept`` has shape (n_entries,)."""
        is_region_kept = is_kept[self.entries]
        return replace(
            self,
            corners=self.corners[is_region_kept],
            item=self.item[is_region_kept],
            slot=self.slots[is_region_kept],
            label=None if self.label is None else self.label[is_region_kept],
            parent=None if self.parent is None else self.parent[is_region_kept],
            entry=(np.cumsum(is_kept) - 1)[self.entries[is_region_kept]],
        )

    def sampled(self) -> Regions:
        """Return the sample of some entries, with the annotated regions that these may be of."""
        is_chosen = np.zeros(len(self.item_of_entry), dtype=bool)
        is_chosen[choose_entries(self.item_of_entry)] = True
        sample = self.of_entries(is_chosen)
        is_near = np.isin(self.true_item, items_nearby(sample.item, self.n_items))
        return replace(
            sample,
            true_corners=self.true_corners[is_near],
            true_item=self.true_item[is_near],
            true_slot=self.true_slots[is_near],
            true_label=None if self.true_label is None else self.true_label[is_near],
        )


@dataclass(frozen=True)
class Names:
    """Names that a submission gives to things which are matched with annotated ones by place.

    Attributes
    ----------
    words : sequence of str
        The different names of the submission.
    predicted : int array of shape (n,)
        The name of each entry, as a place in ``words``; -1 for one that is not known.
    vocabulary : sequence of str
        All names that are right to use, in the order of the public list.
    true : int array of shape (n,)
        The annotated name of each entry, as a place in ``vocabulary``.
    item : int array of shape (n,)
    true_of_item : int array of shape (n_items,), optional
        The annotated name of each item where there is one for each; then names may be those of another item.
    item_noun, noun : str
        What words call items and these names: "video", "action classes".
    """

    words: Sequence[str]
    predicted: Ints
    vocabulary: Sequence[str]
    true: Ints
    item: Ints
    true_of_item: Ints | None = None
    item_noun: str = "video"
    noun: str = "names"

    @cached_property
    def as_submitted(self) -> Ints:
        """The places of the predicted names in the vocabulary, -1 for names that it lacks, shape (n,)."""
        return self.coded(str)

    def coded(self, change: Callable[[str], str]) -> Ints:
        """Return the places of changed names in the vocabulary, -1 for names that it lacks, shape (n,)."""
        place_of_name = {name: place for place, name in enumerate(self.vocabulary)}
        codes = [place_of_name.get(change(word), -1) for word in self.words]
        return np.array([*codes, -1], dtype=np.int64)[self.predicted]

    def agrees(self, codes: Ints) -> Bools:
        """Return which entries have the right name if ``codes`` (n,) are their places in the vocabulary."""
        return (codes == self.true) & (codes >= 0)

    def agrees_with_exchanged(self, codes: Ints) -> Floats:
        """Return the share of exchanged entries whose annotated name is the same, shape (n,)."""
        rows = [(self.true[entries] == codes) & (codes >= 0) for entries in exchanged_entries(self.item)]
        return np.mean(rows, axis=0) if rows else np.full(len(codes), np.nan)


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
    has_coarse_parts : bool
        Whether its parts are other, coarser ones, of which a note tells.
    """

    item: Ints
    entry: Ints
    readings: Mapping[str, Ints]
    true_values: Floats
    mirrored_parts: Ints
    has_coarse_parts: bool = False

    @property
    def as_submitted(self) -> Ints:
        """The values at the points as the task's page says how to read them, shape (p, 3)."""
        return self.readings[""]

    def shares_near(self, values: Ints, true_values: Floats | None = None) -> Floats:
        """Return the share of the points of each entry with the right part, and U and V within 0.2.

        Shapes: (p, 3) -> (n,); other ``true_values`` (p, 3) may be given.
        """
        true_values = self.true_values if true_values is None else true_values
        is_near = (np.abs(values - true_values) < [0.5, _NEAR_BYTES, _NEAR_BYTES]).all(axis=1)
        n_near = np.bincount(self.entry[is_near & (values[:, 0] > 0)], minlength=len(self.item))
        return n_near / np.maximum(self._n_points, 1)

    def exchanged_shares_near(self, values: Ints) -> Floats:
        """Return the mean of the shares that are near those of three exchanged entries, point by point."""
        n = len(self.item)
        sizes = np.maximum(self._n_points, 1)
        starts = np.cumsum(self._n_points) - self._n_points
        rank = np.arange(len(self.entry)) - starts[self.entry]
        rows = []
        for distance in range(1, min(_N_EXCHANGED, n - 1) + 1):
            other = (self.entry + distance) % n
            point = np.minimum(starts[other] + rank % sizes[other], len(self.entry) - 1)
            rows.append(self.shares_near(values, self.true_values[point]))
        return np.mean(rows, axis=0) if rows else np.full(n, np.nan)

    @cached_property
    def _n_points(self) -> Ints:
        return np.bincount(self.entry, minlength=len(self.item))
