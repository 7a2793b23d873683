"""The changes of boxes and intervals that are tried, family by family.

What is fitted, is fitted on one half of the items and tested on the other, each way round; maps of items, and
a scale of each item, on other entries of the same items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis import orders, readings
from people_in_video.diagnosis.decision import (
    LEAST_SHARE,
    LEAST_SHARE_OF_COMBINATION,
    Change,
    Family,
    Trial,
    agrees_well,
    may_be_in_other_order,
    may_be_of_own_item,
    may_become_repair,
)
from people_in_video.diagnosis.fits import AxisMap, RegionPairs, Votes, fit_axes, fit_items, map_words, vote
from people_in_video.diagnosis.readings import Reading
from people_in_video.diagnosis.regions import Regions, pair_iou
from people_in_video.diagnosis.sampling import MOST_MAPPED, exchanged_entries, ranks_in_items
from people_in_video.diagnosis.weak_models import is_of_weak_model
from validator.arrays import Bools, Floats, Ints

# The median IoU of regions before and after a change above which it makes no other ones of them.
_SAME_IOU = 0.75
_LATEST_SLOT = 3
# A map of items is tested on each of so many parts of the entries of an item.
_N_PARTS = 5
# A vote is not refined yet: by how much less it may agree, and how much mean IoU it must gain all the same.
_COARSE = 0.15
_LEAST_GAIN = 0.05
# Readings after which votes are worse than this share of the best are not fitted.
_SHARE_OF_BEST_VOTE = 0.85


def region_trials(wide: Regions, deep: Callable[[], Regions]) -> Iterator[list[Trial]]:
    """Yield the trials of each family for boxes or intervals; ``deep`` returns the sample of few items."""
    comparisons = [JudgedRegions(wide, level) for level in wide.levels]
    unclear = [comparison for comparison in comparisons if not agrees_well(comparison.before)]
    # Columns that are read otherwise than they are written make no regions that are near the annotated ones.
    is_read_right = comparisons[0] not in unclear
    other_readings = [] if is_read_right else readings.other_readings(wide)
    fits: list[_Fit] = []
    for number, comparison in enumerate(unclear):
        if not is_read_right:
            yield list(_readings(comparison))
        if not number:
            fits = list(_fits(comparison, other_readings))
        trials_of_fits = [_fit_trials(comparison, fit) for fit in fits]
        yield list(chain.from_iterable(trials_of_fits))
    few_items = JudgedRegions(deep(), wide.levels[0]) if comparisons[0] in unclear else None
    if few_items is not None:
        yield list(_scales_of_items(few_items))
    if wide.has_frames:
        yield list(_exact_shifts(comparisons[0]))
    for comparison in unclear:
        yield list(_shifts_of_slots(comparison))
    if few_items is not None:
        yield list(_shifts_of_items(few_items))
        yield list(_map_of_items(few_items))


class JudgedRegions:
    """A sample whose entries agree above one IoU, and what agrees as submitted."""

    def __init__(self, sample: Regions, level: float) -> None:
        self.sample = sample
        self.level = level
        self.base = readings.as_written(sample.form)
        self.as_submitted = self.base.corners(sample.columns)
        self.iou_before = sample.best_iou(self.as_submitted)
        self.before = self.iou_before > level

    def variants_by_label(self) -> list[JudgedRegions]:
        """Return these, and, where they have labels, the same with those of equal labels only."""
        if self.sample.label is None:
            return [self]
        return [self, JudgedRegions(self.sample.by_label(), self.level)]

    def trials_of_corners(self, family: Family, words: str, corners: Floats, change: Change) -> list[Trial]:
        """Return the trial of a change that gives entries ``corners`` (n, 2 d), unless it is hopeless."""
        own_iou = self.sample.best_iou(corners)
        is_likely = may_become_repair(self.before, own_iou > self.level)
        if not is_likely or not self._makes_others(corners):
            return []
        trial = self._trial(family, words, own_iou, self.sample.exchanged_iou(corners), change)
        is_weak = is_of_weak_model(self.sample, self.as_submitted, float(own_iou.mean()))
        return [trial._replace(is_other=not is_weak)]

    def trials_of_places(
        self, family: Family, words: str, item: Ints, slot: Ints, change: Change
    ) -> list[Trial]:
        """Return the trial of a change that moves entries to other items (n,) or slots (n, s), if it may be a
        repair."""
        moved = self.sample.moved(item, slot)
        own_iou = moved.best_iou(self.as_submitted)
        if not may_become_repair(self.before, own_iou > self.level):
            return []
        return [self._trial(family, words, own_iou, moved.exchanged_iou(self.as_submitted), change)]

    def _trial(
        self, family: Family, words: str, own_iou: Floats, exchanged_iou: Floats, change: Change
    ) -> Trial:
        return Trial(
            family=family,
            words=words,
            before=self.before,
            after=own_iou > self.level,
            item=self.sample.item_of_entry,
            closeness=float(own_iou.mean()),
            change=change,
            own_agreement=own_iou,
            exchanged_agreement=exchanged_iou,
        )

    def may_gain(self, coarse_iou: Floats) -> bool:
        """Return whether a change may be a repair if this is about the IoU (k,) of some entries after it."""
        if not len(coarse_iou) or coarse_iou.mean() < self.iou_before.mean() + _LEAST_GAIN:
            return False
        return may_become_repair(self.before, coarse_iou > self.level - _COARSE)

    def _makes_others(self, corners: Floats) -> bool:
        """Return whether ``corners`` (n, 2 d) are other regions than those submitted."""
        return float(np.median(pair_iou(self.as_submitted, corners))) <= _SAME_IOU


def _readings(comparison: JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of other orders and forms of columns, and of places relative to the box around."""
    sample = comparison.sample
    for reading in [*readings.other_readings(sample), *readings.rare_readings(sample)]:
        change = Change(columns=partial(_read_columns, reading))
        corners = reading.corners(sample.columns)
        yield from comparison.trials_of_corners(Family.READING, reading.words, corners, change)
    if sample.parent is None:
        return
    for words, place_in_parent in readings.PARENT_READINGS:
        change = Change(columns=partial(_read_with_parent, place_in_parent, comparison.base))
        corners = place_in_parent(comparison.as_submitted, sample.parent)
        yield from comparison.trials_of_corners(Family.READING, words, corners, change)


def _read_columns(reading: Reading, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    return reading.corners(columns)


def _read_with_parent(
    place_in_parent: Callable[[Floats, Floats], Floats],
    base: Reading,
    columns: Floats,
    item: Ints,
    parent: Floats | None,
) -> Floats:
    corners = base.corners(columns)
    return corners if parent is None else place_in_parent(corners, parent)


class _Fit(NamedTuple):
    """The map that fits best after a reading, and the corners (n, 2 d) that entries get with the map of the
    other half of the items."""

    reading: Reading
    axis_map: AxisMap
    held_out: Floats


class _VotedReading(NamedTuple):
    """A reading after which a map may become a repair: the corners (n, 2 d) that it gives, and what each half
    of the items votes for."""

    reading: Reading
    corners: Floats
    votes: tuple[Votes, Votes]

    @property
    def mean_iou(self) -> float:
        """The mean IoU of entries after the voted maps."""
        return float(np.mean([votes.iou.mean() for votes in self.votes]))


def _fits(comparison: JudgedRegions, other_readings: Sequence[Reading]) -> Iterator[_Fit]:
    """Yield the scale and offset that fit best as written and after each other reading, where they may become
    a repair.

    Most submissions are right, and a vote is enough to see that no map helps. Fits take longer, so they are
    made after the readings with the best votes only.
    """
    sample = comparison.sample
    voted_readings = list(_vote_after_readings(comparison, other_readings))
    best_iou = max((voted.mean_iou for voted in voted_readings), default=0.0)
    for voted in voted_readings:
        if voted.mean_iou < _SHARE_OF_BEST_VOTE * best_iou:
            continue
        held_out = _fit_on_halves(sample, voted)
        pairs = _region_pairs(sample, voted.corners)
        axis_map = fit_axes(pairs, steps_of_unit=sample.steps_of_unit)
        if axis_map is not None and map_words(axis_map.in_units(sample.steps_of_unit), sample.axes):
            yield _Fit(voted.reading, axis_map, held_out)


def _vote_after_readings(
    comparison: JudgedRegions, other_readings: Sequence[Reading]
) -> Iterator[_VotedReading]:
    """Yield the readings, as written first, after which the votes of both halves promise a repair."""
    sample = comparison.sample
    for reading in [comparison.base, *other_readings]:
        corners = reading.corners(sample.columns)
        regions = _region_pairs(sample, corners)
        first_votes = vote(regions.of_entries(sample.is_even))
        if not comparison.may_gain(first_votes.iou) or not _may_be_of_own_item_after_vote(
            sample, corners, first_votes
        ):
            continue
        second_votes = vote(regions.of_entries(~sample.is_even))
        if comparison.may_gain(second_votes.iou):
            yield _VotedReading(reading, corners, (first_votes, second_votes))


def _may_be_of_own_item_after_vote(sample: Regions, corners: Floats, votes: Votes) -> bool:
    """Return whether regions may agree more with their own item than with others, if they are mapped."""
    if votes.best_map is None:
        return False
    mapped = votes.best_map.corners(corners)
    return may_be_of_own_item(sample.best_iou(mapped), sample.exchanged_iou(mapped))


def _fit_on_halves(sample: Regions, voted: _VotedReading) -> Floats:
    """Return corners (n, 2 d) mapped by the fit of the other half of the items."""
    regions = _region_pairs(sample, voted.corners)
    mapped = voted.corners.copy()
    for half, votes in zip((sample.is_even, ~sample.is_even), voted.votes):
        axis_map = fit_axes(regions.of_entries(half), votes, sample.steps_of_unit)
        if axis_map is not None:
            others = ~half[sample.entries]
            mapped[others] = axis_map.corners(voted.corners[others])
    return mapped


def _fit_trials(comparison: JudgedRegions, fit: _Fit) -> list[Trial]:
    """Return the trial of a map after a reading, unless it is hopeless."""
    sample = comparison.sample
    words_of_fit = map_words(fit.axis_map.in_units(sample.steps_of_unit), sample.axes)
    words = " ".join(filter(None, (fit.reading.words, words_of_fit)))
    change = Change(columns=partial(_fit_columns, fit.reading, fit.axis_map))
    least_share = LEAST_SHARE_OF_COMBINATION if fit.reading.words else LEAST_SHARE
    trials = comparison.trials_of_corners(Family.FIT, words, fit.held_out, change)
    return [trial._replace(least_share=least_share) for trial in trials]


def _region_pairs(sample: Regions, corners: Floats) -> RegionPairs:
    """Return the pairs of each entry if regions had ``corners`` (n, 2 d)."""
    pairs = sample.pairs
    return RegionPairs(sample.by_entry(pairs), corners[pairs.entry], sample.true_corners[pairs.true])


def _fit_columns(
    reading: Reading, fit: AxisMap, columns: Floats, item: Ints, parent: Floats | None
) -> Floats:
    return fit.corners(reading.corners(columns))


def _scales_of_items(comparison: JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of one scale for each item and axis."""
    sample, corners = comparison.sample, comparison.as_submitted
    held_out = _scale_on_halves(sample, corners)
    is_likely = may_become_repair(comparison.before, sample.best_iou(held_out) > comparison.level)
    if not is_likely:
        return
    items, place = np.unique(sample.item_of_entry, return_inverse=True)
    scale_of_item = fit_items(_region_pairs(sample, corners), place, len(items))
    change = Change(columns=partial(_scale_columns, comparison.base, items, scale_of_item))
    axes = " and ".join(sample.axes)
    words = f"with {axes} times a number of its own for each {sample.item_noun}"
    # The predictions of another item may be scaled to fit, too, as the median box everywhere is.
    exchanged_iou = []
    for exchanged in exchanged_entries(sample.item):
        exchanged_iou.append(sample.best_iou(_scale_on_halves(sample, corners[exchanged])))
    if not exchanged_iou:
        return
    for trial in comparison.trials_of_corners(Family.ITEM_SCALE, words, held_out, change):
        yield trial._replace(exchanged_agreement=np.mean(exchanged_iou, axis=0))


def _scale_on_halves(sample: Regions, corners: Floats) -> Floats:
    """Return corners (n, 2 d) times the scale of their item that fits its other entries."""
    items, place = np.unique(sample.item_of_entry, return_inverse=True)
    is_even = ranks_in_items(place) % 2 == 0
    regions = _region_pairs(sample, corners)
    held_out = corners.copy()
    for half in (is_even, ~is_even):
        scale = fit_items(regions.of_entries(half), place[half], len(items))
        others = np.flatnonzero(~half[sample.entries])
        held_out[others] = _scale_by_item(corners[others], scale[place[sample.entries[others]]])
    return held_out


def _scale_by_item(corners: Floats, scale: Floats) -> Floats:
    """Return regions times the scale of each; those without one (NaN) stay. Shapes: (n, 2 d), (n, d)."""
    return corners * np.tile(np.where(np.isnan(scale), 1.0, scale), 2)


def _scale_columns(
    base: Reading, items: Ints, scale_of_item: Floats, columns: Floats, item: Ints, parent: Floats | None
) -> Floats:
    place = np.minimum(np.searchsorted(items, item), len(items) - 1)
    has_scale = items[place] == item
    scale = np.where(has_scale[:, None], scale_of_item[place], np.nan)
    return _scale_by_item(base.corners(columns), scale)


def _exact_shifts(comparison: JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of intervals that begin and end one frame later or earlier, exactly."""
    sample = comparison.sample
    exact_before = sample.is_exact(comparison.as_submitted)
    for shift, words in ((1, "plus 1"), (-1, "less 1")):
        corners = comparison.as_submitted + shift
        is_exact = sample.is_exact(corners)
        exchanged = sample.exchanged_exact(corners)
        yield Trial(
            family=Family.EXACT,
            words=f"with {sample.axes[0]} {words}",
            before=exact_before,
            after=is_exact,
            item=sample.item_of_entry,
            closeness=float(is_exact.mean()),
            change=Change(columns=partial(_shift_columns, comparison.base, shift)),
            own_agreement=is_exact.astype(np.float64),
            exchanged_agreement=exchanged,
        )


def _shift_columns(base: Reading, shift: int, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    return base.corners(columns) + shift


def _shifts_of_slots(comparison: JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of other numbers of frames, segments or words."""
    sample = comparison.sample
    for column, noun in enumerate(sample.slot_nouns):
        if not noun:
            continue
        for distance in range(1, _LATEST_SLOT + 1):
            for shift, words in ((-distance, f"less {distance}"), (distance, f"plus {distance}")):
                change = Change(slot=partial(_shift_slot, column, shift))
                slot = change.slot(sample.slots)
                yield from comparison.trials_of_places(
                    Family.NUMBERS, f"with {noun} {words}", sample.item, slot, change
                )
        low, high = sample.slot_range(column)
        change = Change(slot=partial(_reverse_slot, column, low + high))
        slot = change.slot(sample.slots)
        yield from comparison.trials_of_places(
            Family.NUMBERS, f"with {noun} in reverse order", sample.item, slot, change
        )


def _shift_slot(column: int, shift: int, slot: Ints) -> Ints:
    shifted = slot.copy()
    shifted[:, column] += shift
    return shifted


def _reverse_slot(column: int, total: int, slot: Ints) -> Ints:
    reversed_slot = slot.copy()
    reversed_slot[:, column] = total - slot[:, column]
    return reversed_slot


def _shifts_of_items(comparison: JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of predictions of a neighboring item.

    Places alone may repeat from item to item, as rows that follow each other do; names tell items apart.
    """
    sample = comparison.sample
    for shift in orders.neighbor_shifts():
        change = Change(item=partial(_shift_item, shift))
        words = orders.shift_words(shift, sample.item_noun)
        item = change.item(sample.item)
        # The last item has no next one: what its predictions are of is not known.
        is_tested = sample.of_entries(np.isin(item, sample.annotated_items))
        for judged in comparison.variants_by_label():
            trials = judged.trials_of_places(Family.ITEMS, words, item, judged.sample.slots, change)
            yield from (trial.of_entries(is_tested) for trial in trials if is_tested.any())


def _shift_item(shift: int, item: Ints) -> Ints:
    return item + shift


def _map_of_items(comparison: JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of the one-to-one map of the items of the sample with the most agreements.

    Entries are in several parts, and those of each are tested with the map that the others make.
    """
    judged = comparison.variants_by_label()[-1]
    sample = judged.sample
    items, place = np.unique(sample.item_of_entry, return_inverse=True)
    # Of many items neighbors are in the sample, too, but a map to so many takes too long.
    other_items = sample.annotated_items if sample.n_items <= MOST_MAPPED else items
    if not len(other_items):
        return
    agrees = orders.agreements_with_items(sample, judged.as_submitted, other_items, judged.level)
    counts = _sum_of_items(agrees, place, len(items))
    part = ranks_in_items(place) % _N_PARTS

    def map_held_out(columns_of_rows: Callable[[Ints], Ints]) -> Ints:
        column = np.full(len(place), -1)
        for number in range(_N_PARTS):
            is_tested = part == number
            counts_of_others = counts - _sum_of_items(agrees[is_tested], place[is_tested], len(items))
            column[is_tested] = columns_of_rows(counts_of_others)[place[is_tested]]
        return column

    nearest = map_held_out(orders.nearest)
    agrees_with_nearest = (nearest >= 0) & agrees[np.arange(len(place)), nearest]
    if not may_be_in_other_order(judged.before, agrees_with_nearest):
        return
    mapped = _items_of_columns(other_items, map_held_out(orders.assign))
    item_map = _items_of_columns(other_items, orders.assign(counts))
    change = Change(item=partial(_exchange_items, items, item_map))
    words = f"as predictions of other {sample.item_noun}s, in another order"
    yield from judged.trials_of_places(Family.ITEMS, words, mapped[sample.entries], sample.slots, change)


def _sum_of_items(agrees: Bools, place: Ints, n_items: int) -> Ints:
    """Return how many entries of each item agree with each of k items: (n, k), (n,) -> (n_items, k)."""
    is_of_item = place == np.arange(n_items)[:, None]
    return is_of_item.astype(np.int64) @ agrees.astype(np.int64)


def _items_of_columns(items: Ints, column: Ints) -> Ints:
    """Return the item of each column, -1 for -1."""
    return np.where(column >= 0, items[column], -1)


def _exchange_items(items: Ints, item_map: Ints, item: Ints) -> Ints:
    place = np.minimum(np.searchsorted(items, item), len(items) - 1)
    return np.where(items[place] == item, item_map[place], item)
