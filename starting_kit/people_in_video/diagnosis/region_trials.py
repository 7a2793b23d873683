"""The changes of boxes and intervals that are tried, family by family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from people_in_video.diagnosis.fits import SCALE_WIDTH, AxisMap, centers, fit_axes, map_words, mode
from people_in_video.diagnosis.name_trials import add, neighbor_shifts
from people_in_video.diagnosis.one_to_one import one_to_one_map
from people_in_video.diagnosis.samples import (
    MOST_ITEMS,
    Regions,
    exchanged_entries,
    find_part,
    from_sizes,
    pair_iou,
    ranks_in_groups,
    to_sizes,
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
from validator.arrays import Bools, Floats, Ints

Reading = Callable[[Floats], Floats]
# The median IoU of regions before and after a change above which it makes no other ones of them.
_SAME_IOU = 0.75
_LATEST_SLOT = 3
# A map of items is tested on each of so many parts of the entries of an item.
_N_PARTS = 5


def as_corners(columns: Floats) -> Floats:
    """Return corners that are written as corners."""
    return columns


def _from_centers(columns: Floats) -> Floats:
    d = columns.shape[1] // 2
    center, half = columns[:, :d], columns[:, d:] / 2
    return np.concatenate([center - half, center + half], axis=1)


def _from_corners_of_centers(columns: Floats) -> Floats:
    """Return the corners of ``center, center + size``, which those get who take a center for a corner."""
    return _from_centers(to_sizes(columns))


def _in_order(order: list[int], read: Reading) -> Reading:
    """Return a reading of columns that come in another order."""
    return lambda columns: read(columns[:, order])


_READINGS_OF_BOXES: dict[str, Reading] = {
    "as [x1, y1, x2, y2]": as_corners,
    "as [x, y, width, height]": from_sizes,
    "as [center x, center y, width, height]": _from_centers,
    "as [y1, x1, y2, x2]": _in_order([1, 0, 3, 2], as_corners),
    "as [x1, x2, y1, y2]": _in_order([0, 2, 1, 3], as_corners),
    "as [y1, y2, x1, x2]": _in_order([2, 0, 3, 1], as_corners),
    "as [x2, y2, x1, y1]": _in_order([2, 3, 0, 1], as_corners),
    "as [y, x, height, width]": _in_order([1, 0, 3, 2], from_sizes),
    "as [y, x, width, height]": _in_order([1, 0, 2, 3], from_sizes),
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
        self.before = sample.best_iou(sample.corners) > level
        self._iou_of_weak_model: float | None = None

    def trial(
        self,
        family: Family,
        words: str,
        change: Change | None,
        changed: Regions,
        corners: Floats,
        least_share: float = LEAST_SHARE,
    ) -> Trial:
        """Return the trial of a change; ``changed`` are the regions in other items or slots after it, and
        ``corners`` those after it, or after one that was fitted on other entries."""
        own_iou = changed.best_iou(corners)
        return Trial(
            family=family,
            words=words,
            before=self.before,
            after=own_iou > self.level,
            item=self.sample.item_of_entry,
            own_agreement=own_iou,
            exchanged_agreement=changed.exchanged_iou(corners),
            change=change,
            least_share=least_share,
        )

    def trials_of_columns(
        self, family: Family, words: str, change: Change, least_share: float = LEAST_SHARE
    ) -> Iterator[Trial]:
        """Yield the trial of a change of columns, if it may be a repair."""
        sample = self.sample
        corners = change.corners(sample.corners, sample.item, sample.parent)
        trial = self.trial(family, words, change, sample, corners, least_share)
        if self.is_convincing(trial, corners):
            yield trial

    def is_convincing(self, trial: Trial, corners: Floats) -> bool:
        """Return whether other corners are others indeed, and fit better than those of a weak model do."""
        sample = self.sample
        if not trial.is_repair():
            return False
        if np.median(pair_iou(sample.corners, corners)) > _SAME_IOU:
            return False
        if self._iou_of_weak_model is None:
            self._iou_of_weak_model = mean_iou_of_weak_model(sample)
        return trial.closeness > self._iou_of_weak_model


def _named_readings(sample: Regions) -> Mapping[str, Reading]:
    """Return the corners that columns are read as, by the words for the reading, "" for that of the page."""
    readings = _READINGS_OF_INTERVALS if sample.has_intervals else _READINGS_OF_BOXES
    if not sample.has_sizes:
        return {"" if read is as_corners else words: read for words, read in readings.items()}
    return {
        "" if read is from_sizes else words: partial(_read_sizes, read) for words, read in readings.items()
    }


def _read_sizes(read: Reading, corners: Floats) -> Floats:
    return read(to_sizes(corners))


def _readings(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of other orders and forms of columns, and of places relative to the box around."""
    sample = judged.sample
    for words, read in _named_readings(sample).items():
        yield from judged.trials_of_columns(Family.READING, words, _reading_change(read))
    if sample.parent is None:
        return
    for words, is_share in (
        ("from the upper left corner of the box that they are in", False),
        ("as shares of the box that they are in", True),
    ):
        change = Change(corners=partial(_in_parent, is_share))
        yield from judged.trials_of_columns(Family.READING, words, change)


def _reading_change(read: Reading, axis_map: AxisMap | None = None) -> Change:
    """Return the change that reads columns in another way, and maps what is read."""

    def changed_columns(columns: Floats, item: Ints, parent: Floats | None) -> Floats:
        corners = read(columns)
        return corners if axis_map is None else axis_map.corners(corners)

    return Change(corners=changed_columns)


def _corners_of_centers(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of centers that were taken for corners: regions are off by half of their size, which is
    nearly one offset where sizes are alike."""
    words = "with the first numbers as the center, from which the size was added"
    if not judged.sample.has_sizes:
        change = _reading_change(_from_corners_of_centers)
        yield from judged.trials_of_columns(Family.READING, words, change)


def _in_parent(is_share: bool, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    if parent is None:
        return columns
    low, size = parent[:, :2], parent[:, 2:] - parent[:, :2]
    return columns * np.tile(size if is_share else np.ones_like(size), 2) + np.tile(low, 2)


def _fits(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trials of the scale and offset that fit best, as written and after each other reading."""
    sample = judged.sample
    for words, read in _named_readings(sample).items():
        axis_map = fit_axes(sample, read(sample.corners))
        words_of_map = map_words(axis_map, sample.axes, sample.steps_of_unit)
        if words_of_map:
            yield from judged.trials_of_columns(
                Family.FIT,
                " ".join(filter(None, (words, words_of_map))),
                _reading_change(read, axis_map),
                LEAST_SHARE_OF_COMBINATION if words else LEAST_SHARE,
            )


def _scales_of_items(judged: _JudgedRegions) -> Iterator[Trial]:
    """Yield the trial of one scale for each item and axis, tested on entries that it was not fitted on."""
    sample, corners = judged.sample, judged.sample.corners
    is_even = ranks_in_groups(sample.item_of_entry) % 2 == 0
    all_scales = _fit_items(sample, corners, np.ones(len(is_even), dtype=bool))
    # The predictions of another item may be scaled to fit, too, as the median box everywhere is.
    exchanged = exchanged_entries(sample.item)[:1]
    if not exchanged:
        return
    held_out = _scale_held_out(sample, corners, is_even)
    others = sample.best_iou(_scale_held_out(sample, corners[exchanged[0]], is_even))
    words = f"with {' and '.join(sample.axes)} times a number of its own for each {sample.item_noun}"
    change = Change(corners=partial(_scale_columns, all_scales)) if sample.can_change else None
    trial = judged.trial(Family.ITEM_SCALE, words, change, sample, held_out)
    trial = trial._replace(exchanged_agreement=others)
    if judged.is_convincing(trial, held_out):
        yield trial


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


def _scale_columns(scales: Floats, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    return columns * np.tile(np.where((item >= 0)[:, None], scales[item], 1.0), 2)


def _exact_shifts(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of intervals of frames that begin and end one later or earlier, exactly."""
    if not sample.has_intervals or sample.steps_of_unit != 1:
        return
    for shift, words in ((1, "plus 1"), (-1, "less 1")):
        change = _reading_change(partial(np.add, shift))
        corners = sample.changed(change).corners
        is_exact = sample.best_iou(corners) == 1
        yield Trial(
            family=Family.EXACT,
            words=f"with {sample.axes[0]} {words}",
            before=sample.best_iou(sample.corners) == 1,
            after=is_exact,
            item=sample.item_of_entry,
            own_agreement=is_exact.astype(np.float64),
            exchanged_agreement=sample.exchanged_exact(corners),
            change=change,
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
        for words, changed_slot in changes.items():
            change = Change(slot=changed_slot)
            yield judged.trial(Family.NUMBERS, words, change, sample.changed(change), sample.corners)


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
            trial = view.trial(Family.ITEMS, words, change, view.sample.changed(change), sample.corners)
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
    sample, corners = view.sample, view.sample.corners
    columns = []
    for item in range(n_items):
        moved = replace(sample, item=np.full(len(sample.item), item))
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
    yield view.trial(Family.ITEMS, words, change, replace(sample, item=held_out[sample.entries]), corners)


def _look_up_items(item_of_item: Ints, item: Ints) -> Ints:
    return np.append(item_of_item, -1)[item]


def _changes_of_part(sample: Regions, level: float) -> Iterator[Trial]:
    """Yield the trials of changes of the items in which hardly anything agrees, where others are right, as
    after a crash or from two sources."""
    views = [sample] if sample.label is None else [sample, sample.by_label()]
    for view in views:
        written_otherwise = find_part(view.best_iou(view.corners) > level, view.item_of_entry)
        if written_otherwise is None:
            continue
        part = _JudgedRegions(view.of_entries(written_otherwise.is_tested), level)
        trials = [*_shifts_of_slots(part), *_shifts_of_items(part)]
        if view is sample:
            trials = [*_readings(part), *_fits(part), *trials]
        for trial in trials:
            change = None
            if trial.change is not None and sample.can_change:
                change = _change_of_items(trial.change, written_otherwise.items)
            yield trial._replace(
                words=f"{trial.words} {written_otherwise.words(sample.item_noun)}",
                change=change,
                least_share=LEAST_SHARE_OF_COMBINATION,
            )


def _change_of_items(change: Change, items: Ints) -> Change:
    """Return a change that leaves all other items as they are."""

    def columns(columns: Floats, item: Ints, parent: Floats | None) -> Floats:
        return np.where(np.isin(item, items)[:, None], change.corners(columns, item, parent), columns)

    def change_item(item: Ints) -> Ints:
        return np.where(np.isin(item, items), change.item(item), item)

    return Change(corners=columns, item=change_item, slot=change.slot, word=change.word)
