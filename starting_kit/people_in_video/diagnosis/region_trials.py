"""The changes of boxes and intervals that are tried, family by family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from people_in_video.diagnosis.fits import SCALE_WIDTH, AxisMap, centers, fit_axes, map_words, mode
from people_in_video.diagnosis.name_trials import add, neighbor_shifts
from people_in_video.diagnosis.one_to_one import one_to_one_map
from people_in_video.diagnosis.samples import (
    MOST_ITEMS,
    Regions,
    exchanged_entries,
    from_sizes,
    pair_iou,
    ranks_in_groups,
)
from people_in_video.diagnosis.trials import (
    LEAST_SHARE,
    LEAST_SHARE_OF_COMBINATION,
    Change,
    Family,
    Trial,
    agrees_well,
)
from people_in_video.diagnosis.weak_models import mean_iou_of_weak_model
from scoring_program.metrics.pairs import group_means
from validator.arrays import Bools, Floats, Ints

Reading = Callable[[Floats], Floats]
# The median IoU of regions before and after a change above which it makes no other ones of them.
_SAME_IOU = 0.75
_LATEST_SLOT = 3
# A map of items is tested on each of so many parts of the entries of an item.
_N_PARTS = 5
# Of a submission of which a part is written otherwise, so much of the items agrees, or does not.
_MOST_OF_BAD_ITEM = 0.25
_LEAST_OF_GOOD_ITEM = 0.5
_LEAST_CLEAR = 0.7


def as_corners(columns: Floats) -> Floats:
    """Return corners that are written as corners."""
    return columns


def _from_centers(columns: Floats) -> Floats:
    d = columns.shape[1] // 2
    center, half = columns[:, :d], columns[:, d:] / 2
    return np.concatenate([center - half, center + half], axis=1)


def _from_corners_of_centers(columns: Floats) -> Floats:
    """Return the corners of ``center, center + size``, which those get who take a center for a corner."""
    d = columns.shape[1] // 2
    return _from_centers(np.concatenate([columns[:, :d], columns[:, d:] - columns[:, :d]], axis=1))


def _in_order(order: list[int], read: Reading, columns: Floats) -> Floats:
    return read(columns[:, order])


_READINGS_OF_BOXES: dict[str, Reading] = {
    "as [x1, y1, x2, y2]": as_corners,
    "as [x, y, width, height]": from_sizes,
    "as [center x, center y, width, height]": _from_centers,
    "as [y1, x1, y2, x2]": partial(_in_order, [1, 0, 3, 2], as_corners),
    "as [x1, x2, y1, y2]": partial(_in_order, [0, 2, 1, 3], as_corners),
    "as [y1, y2, x1, x2]": partial(_in_order, [2, 0, 3, 1], as_corners),
    "as [x2, y2, x1, y1]": partial(_in_order, [2, 3, 0, 1], as_corners),
    "as [y, x, height, width]": partial(_in_order, [1, 0, 3, 2], from_sizes),
    "as [y, x, width, height]": partial(_in_order, [1, 0, 2, 3], from_sizes),
}
_READINGS_OF_INTERVALS: dict[str, Reading] = {
    "as start, end": as_corners,
    "as start, length": from_sizes,
    "as middle, length": _from_centers,
}


def region_trials(sample: Regions) -> Iterator[list[Trial]]:
    """Yield the trials of each family for boxes or intervals."""
    for level in sample.levels:
        judged = _JudgedRegions(sample, level)
        if agrees_well(judged.before):
            continue
        yield list(_readings(judged))
        yield [*_fits(judged), *_corners_of_centers(judged)]
        yield list(_changes_of_part(sample, level))
        yield list(_scales_of_items(judged))
        yield [*_shifts_of_slots(judged), *_shifts_of_items(judged)]
        yield list(_map_of_items(judged))
    yield list(_exact_shifts(sample))


class _JudgedRegions:
    """A sample whose entries agree above one IoU, and what agrees as submitted."""

    def __init__(self, sample: Regions, level: float) -> None:
        self.sample = sample
        self.level = level
        self.before = sample.best_iou(sample.as_submitted) > level
        self._iou_of_weak_model: float | None = None

    def trials_of_corners(
        self,
        family: Family,
        words: str,
        corners: Floats,
        change: Change | None,
        least_share: float = LEAST_SHARE,
        exchanged_iou: Floats | None = None,
    ) -> Iterator[Trial]:
        """Yield the trial of a change that gives entries ``corners`` (n, 2 d), if it may be a repair."""
        sample = self.sample
        own_iou = sample.best_iou(corners)
        trial = Trial(
            family=family,
            words=words,
            before=self.before,
            after=own_iou > self.level,
            item=sample.item_of_entry,
            own_agreement=own_iou,
            exchanged_agreement=sample.exchanged_iou(corners) if exchanged_iou is None else exchanged_iou,
            change=change,
            least_share=least_share,
        )
        if not trial.is_repair() or np.median(pair_iou(sample.as_submitted, corners)) > _SAME_IOU:
            return
        if self._iou_of_weak_model is None:
            self._iou_of_weak_model = mean_iou_of_weak_model(sample)
        if trial.closeness > self._iou_of_weak_model:
            yield trial

    def trial_of_places(
        self, family: Family, words: str, item: Ints, slot: Ints, change: Change | None
    ) -> Trial:
        """Return the trial of a change that moves regions to other items (n,) or slots (n, s)."""
        corners = self.sample.as_submitted
        moved = self.sample.moved(item, slot)
        own_iou = moved.best_iou(corners)
        return Trial(
            family=family,
            words=words,
            before=self.before,
            after=own_iou > self.level,
            item=self.sample.item_of_entry,
            own_agreement=own_iou,
            exchanged_agreement=moved.exchanged_iou(corners),
            change=change,
        )


def _named_readings(sample: Regions) -> Mapping[str, Reading]:
    """Return the readings of columns by their words, "" for that of the task's page."""
    readings = _READINGS_OF_INTERVALS if sample.has_intervals else _READINGS_OF_BOXES
    written = from_sizes if sample.has_sizes else as_corners
    return {"" if reading is written else words: reading for words, reading in readings.items()}


def _readings(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of other orders and forms of columns, and of places relative to the box around."""
    sample = judged.sample
    for words, read in _named_readings(sample).items():
        change = Change(columns=partial(_read_columns, read))
        yield from judged.trials_of_corners(Family.READING, words, read(sample.columns), change)
    if sample.parent is None:
        return
    for words, is_share in (
        ("from the upper left corner of the box that they are in", False),
        ("as shares of the box that they are in", True),
    ):
        corners = _in_parent(is_share, sample.as_submitted, sample.item, sample.parent)
        change = Change(columns=partial(_in_parent, is_share))
        yield from judged.trials_of_corners(Family.READING, words, corners, change)


def _corners_of_centers(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of centers that were taken for corners: regions are off by half of their size, which is
    nearly one offset where sizes are alike."""
    corners = _from_corners_of_centers(judged.sample.as_submitted)
    words = "with the first numbers as the center, from which the size was added"
    change = Change(columns=partial(_read_columns, _from_corners_of_centers))
    if not judged.sample.has_sizes:
        yield from judged.trials_of_corners(Family.READING, words, corners, change)


def _read_columns(read: Reading, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    return read(columns)


def _in_parent(is_share: bool, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    if parent is None:
        return columns
    low, size = parent[:, :2], parent[:, 2:] - parent[:, :2]
    return columns * np.tile(size if is_share else np.ones_like(size), 2) + np.tile(low, 2)


def _fits(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of the scale and offset that fit best, as written and after each other reading."""
    sample = judged.sample
    for words, read in _named_readings(sample).items():
        corners = read(sample.columns)
        axis_map = fit_axes(sample, corners)
        words_of_map = map_words(axis_map, sample.axes)
        if words_of_map:
            yield from judged.trials_of_corners(
                Family.FIT,
                " ".join(filter(None, (words, words_of_map))),
                axis_map.corners(corners),
                Change(columns=partial(_fit_columns, read, axis_map)),
                LEAST_SHARE_OF_COMBINATION if words else LEAST_SHARE,
            )


def _fit_columns(
    read: Reading, axis_map: AxisMap, columns: Floats, item: Ints, parent: Floats | None
) -> Floats:
    return axis_map.corners(read(columns))


def _shift_columns(shift: int, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    return columns + shift


def _scales_of_items(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of one scale for each item and axis, tested on entries that it was not fitted on."""
    sample, corners = judged.sample, judged.sample.as_submitted
    is_even = ranks_in_groups(sample.item_of_entry) % 2 == 0
    all_scales = _fit_items(sample, corners, np.ones(len(is_even), dtype=bool))
    # The predictions of another item may be scaled to fit, too, as the median box everywhere is.
    exchanged = exchanged_entries(sample.item)[:1]
    if not exchanged:
        return
    held_out = _scale_held_out(sample, corners, is_even)
    others = sample.best_iou(_scale_held_out(sample, corners[exchanged[0]], is_even))
    words = f"with {' and '.join(sample.axes)} times a number of its own for each {sample.item_noun}"
    change = Change(columns=partial(_scale_columns, sample.has_sizes, all_scales))
    yield from judged.trials_of_corners(
        Family.ITEM_SCALE,
        words,
        held_out,
        change if sample.n_items <= MOST_ITEMS else None,
        exchanged_iou=others,
    )


def _fit_items(sample: Regions, corners: Floats, is_used: Bools) -> Floats:
    """Return the scale of each item and axis on which most pairs of some entries agree, 1 without any."""
    d = corners.shape[1] // 2
    pairs = np.flatnonzero(is_used[sample.entries[sample.pairs.region]])
    region, true = sample.pairs.region[pairs], sample.pairs.true[pairs]
    ratio = np.log(centers(sample.true_corners[true]) / centers(corners[region]))
    scales = np.ones((sample.n_items, d))
    item = sample.item[region]
    for number in np.unique(item).tolist():
        of_item = ratio[item == number]
        scales[number] = [np.exp(np.nan_to_num(mode(of_item[:, axis], SCALE_WIDTH))) for axis in range(d)]
    return scales


def _scale_held_out(sample: Regions, corners: Floats, is_even: Bools) -> Floats:
    """Return corners (n, 2 d) times the scale of their item that fits its other entries."""
    of_odd, of_even = _fit_items(sample, corners, ~is_even), _fit_items(sample, corners, is_even)
    scale = np.where(is_even[sample.entries][:, None], of_odd[sample.item], of_even[sample.item])
    return corners * np.tile(scale, 2)


def _scale_columns(
    has_sizes: bool, scales: Floats, columns: Floats, item: Ints, parent: Floats | None
) -> Floats:
    scale = np.where((item >= 0)[:, None], scales[item], 1.0)
    return (from_sizes(columns) if has_sizes else columns) * np.tile(scale, 2)


def _exact_shifts(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of intervals that begin and end one frame later or earlier, exactly."""
    if not sample.has_intervals:
        return
    for shift, words in ((1, "plus 1"), (-1, "less 1")):
        corners = sample.as_submitted + shift
        is_exact = sample.is_exact(corners)
        yield Trial(
            family=Family.EXACT,
            words=f"with {sample.axes[0]} {words}",
            before=sample.is_exact(sample.as_submitted),
            after=is_exact,
            item=sample.item_of_entry,
            own_agreement=is_exact.astype(np.float64),
            exchanged_agreement=sample.exchanged_exact(corners),
            change=Change(columns=partial(_shift_columns, shift)),
        )


def _shifts_of_slots(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of other numbers of frames."""
    sample = judged.sample
    for column, noun in enumerate(sample.slot_nouns):
        if not noun:
            continue
        changes = {}
        for distance in range(1, _LATEST_SLOT + 1):
            changes[f"with {noun} less {distance}"] = partial(_map_slot, column, 1, -distance)
            changes[f"with {noun} plus {distance}"] = partial(_map_slot, column, 1, distance)
        numbers = sample.true_slots[:, column]
        total = int(numbers.min(initial=0) + numbers.max(initial=0))
        changes[f"with {noun} in reverse order"] = partial(_map_slot, column, -1, total)
        for words, change in changes.items():
            slot = change(sample.slots)
            yield judged.trial_of_places(Family.NUMBERS, words, sample.item, slot, Change(slot=change))


def _map_slot(column: int, factor: int, offset: int, slot: Ints) -> Ints:
    mapped = slot.copy()
    mapped[:, column] = factor * slot[:, column] + offset
    return mapped


def _shifts_of_items(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of predictions of a neighboring item.

    Places alone may repeat from item to item, as rows that follow each other do; names tell items apart.
    """
    sample = judged.sample
    views = [judged] if sample.label is None else [judged, _JudgedRegions(sample.by_label(), judged.level)]
    annotated_items = np.unique(sample.true_item)
    for shift, words in neighbor_shifts(sample.item_noun):
        # The last item has no next one: what its predictions are of is not known.
        is_tested = np.isin(sample.item_of_entry + shift, annotated_items)
        change = Change(item=partial(add, shift))
        for view in views:
            item, slot = sample.item + shift, view.sample.slots
            trial = view.trial_of_places(Family.ITEMS, words, item, slot, change)
            yield trial._replace(
                before=trial.before[is_tested],
                after=trial.after[is_tested],
                item=trial.item[is_tested],
                own_agreement=trial.own_agreement[is_tested],
                exchanged_agreement=trial.exchanged_agreement[is_tested],
            )


def _map_of_items(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of the one-to-one map of items with the most agreements, tested on entries that it was
    not made of."""
    n_items = judged.sample.n_items
    if n_items > MOST_ITEMS:
        return
    view = _JudgedRegions(judged.sample.by_label(), judged.level)
    sample, corners = view.sample, view.sample.as_submitted
    columns = []
    for item in range(n_items):
        moved = sample.moved(np.full(len(sample.item), item), sample.slots)
        columns.append(moved.best_iou(corners) > judged.level)
    agrees = np.column_stack(columns)

    def assign(is_used: Bools) -> Ints:
        """Return the item that the predictions of each item are of, -1 without one."""
        counts = np.zeros((n_items, n_items), np.int64)
        np.add.at(counts, sample.item_of_entry[is_used], agrees[is_used].astype(np.int64))
        return one_to_one_map(counts)

    part = ranks_in_groups(sample.item_of_entry) % _N_PARTS
    held_out = np.full(len(part), -1)
    for number in range(_N_PARTS):
        held_out[part == number] = assign(part != number)[sample.item_of_entry[part == number]]
    words = f"as predictions of other {sample.item_noun}s, in another order"
    change = Change(item=partial(_look_up_items, assign(part >= 0)))
    yield view.trial_of_places(Family.ITEMS, words, held_out[sample.entries], sample.slots, change)


def _look_up_items(item_of_item: Ints, item: Ints) -> Ints:
    return np.append(item_of_item, -1)[item]


def _changes_of_part(sample: Regions, level: float) -> Iterator[Trial]:
    """Yield the trials of changes of the items in which hardly anything agrees, where others are right, as
    after a crash or from two sources.

    The items are those of every second entry, and the others are tested.
    """
    views = [sample] if sample.label is None else [sample, sample.by_label()]
    for view in views:
        items, place = np.unique(view.item_of_entry, return_inverse=True)
        is_tested = ranks_in_groups(place) % 2 == 1
        agrees = view.best_iou(view.as_submitted) > level
        share = group_means(agrees[~is_tested], place[~is_tested], len(items))
        is_bad, is_good = share <= _MOST_OF_BAD_ITEM, share >= _LEAST_OF_GOOD_ITEM
        if not is_bad.any() or not is_good.any() or (is_bad | is_good).mean() < _LEAST_CLEAR:
            continue
        is_in_part = is_tested & is_bad[place]
        if not is_in_part.any():
            continue
        part = _JudgedRegions(view.of_entries(is_in_part), level)
        trials = [*_shifts_of_slots(part), *_shifts_of_items(part)]
        if view is sample:
            trials = [*_readings(part), *_fits(part), *trials]
        for trial in trials:
            where = f"in {is_bad.sum()} of {len(items)} {sample.item_noun}s"
            change = None
            if trial.change is not None and sample.n_items <= MOST_ITEMS:
                change = _change_of_items(trial.change, items[is_bad], sample.has_sizes)
            yield trial._replace(
                words=f"{trial.words} {where}", change=change, least_share=LEAST_SHARE_OF_COMBINATION
            )


def _change_of_items(change: Change, items: Ints, has_sizes: bool) -> Change:
    """Return a change that leaves all other items as they are."""

    def columns(columns: Floats, item: Ints, parent: Floats | None) -> Floats:
        as_written = from_sizes(columns) if has_sizes else columns
        return np.where(np.isin(item, items)[:, None], change.columns(columns, item, parent), as_written)

    def change_item(item: Ints) -> Ints:
        return np.where(np.isin(item, items), change.item(item), item)

    return Change(columns=columns, item=change_item, slot=change.slot, word=change.word)
