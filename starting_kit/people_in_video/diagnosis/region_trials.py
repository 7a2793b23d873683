"""The changes of boxes and intervals that are tried, family by family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from people_in_video.diagnosis.fits import SCALE_WIDTH, centers, fit_axes, map_words, mode, sizes
from people_in_video.diagnosis.name_trials import add, neighbor_shifts
from people_in_video.diagnosis.samples import (
    MOST_ITEMS,
    Regions,
    exchanged_entries,
    find_part,
    from_sizes,
    one_to_one_map,
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
# Only regions that begin and end together have a larger one.
_EXACT_IOU = 1 - 1e-9
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


def _in_order(order: list[int], reading: Reading) -> Reading:
    """Return a reading of columns that come in another order."""
    return lambda columns: reading(columns[:, order])


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
    for number in range(len(sample.levels)):
        at_level = replace(sample, levels=sample.levels[number:])
        if agrees_well(at_level.agrees):
            continue
        yield list(_readings(at_level))
        yield [*_fits(at_level), *_corners_of_centers(at_level)]
        yield list(_changes_of_part(at_level))
        yield list(_scales_of_items(at_level))
        yield [*_shifts_of_slots(at_level), *_shifts_of_items(at_level)]
        yield list(_map_of_items(at_level))
    yield list(_exact_shifts(sample))


def _trial(
    sample: Regions, family: Family, words: str, change: Change | None, changed_sample: Regions
) -> Trial:
    """Return the trial of a change; ``changed_sample`` is the sample after it, or after one that was fitted
    on other entries."""
    own_iou = changed_sample.best_iou(changed_sample.corners)
    return Trial(
        family=family,
        words=words,
        before=sample.agrees,
        after=own_iou > sample.levels[0],
        item=sample.item_of_entry,
        own_agreement=own_iou,
        exchanged_agreement=changed_sample.exchanged_iou(),
        change=change,
    )


def _trials_of_corners(
    sample: Regions, family: Family, words: str, change: Change, least_share: float = LEAST_SHARE
) -> Iterator[Trial]:
    """Yield the trial of a change of corners, if it may be a repair."""
    changed_sample = sample.changed(change)
    trial = _trial(sample, family, words, change, changed_sample)._replace(least_share=least_share)
    if _is_convincing(sample, trial, changed_sample.corners):
        yield trial


def _is_convincing(sample: Regions, trial: Trial, corners: Floats) -> bool:
    """Return whether other corners are others indeed, and fit better than those of a weak model do."""
    if not trial.is_repair() or np.median(pair_iou(sample.corners, corners)) > _SAME_IOU:
        return False
    return trial.closeness > mean_iou_of_weak_model(sample)


def _named_readings(sample: Regions) -> Mapping[str, Reading]:
    """Return the corners that columns are read as, by the words for the reading, "" for that of the page."""
    readings = _READINGS_OF_INTERVALS if sample.has_intervals else _READINGS_OF_BOXES
    read_by_page, to_columns = (from_sizes, to_sizes) if sample.has_sizes else (as_corners, as_corners)
    named_readings = {}
    for words, reading in readings.items():
        name = "" if reading is read_by_page else words
        named_readings[name] = partial(_read_again, to_columns, reading)
    return named_readings


def _read_again(to_columns: Reading, reading: Reading, corners: Floats) -> Floats:
    return reading(to_columns(corners))


def _readings(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of other orders and forms of columns, and of places relative to the box around."""
    for words, reading in _named_readings(sample).items():
        yield from _trials_of_corners(sample, Family.READING, words, _change_of_corners(reading))
    if sample.parent is None:
        return
    for words, is_share in (
        ("from the upper left corner of the box that they are in", False),
        ("as shares of the box that they are in", True),
    ):
        change = Change(corners=partial(_in_parent, is_share))
        yield from _trials_of_corners(sample, Family.READING, words, change)


def _change_of_corners(*steps: Reading) -> Change:
    """Return the change that takes some steps with the corners of all regions."""

    def changed_corners(corners: Floats, item: Ints, parent: Floats | None) -> Floats:
        for step in steps:
            corners = step(corners)
        return corners

    return Change(corners=changed_corners)


def _corners_of_centers(sample: Regions) -> Iterator[Trial]:
    """Yield the trial of centers that were taken for corners: regions are off by half of their size, which is
    nearly one offset where sizes are alike."""
    words = "with the first numbers as the center, from which the size was added"
    if not sample.has_sizes:
        change = _change_of_corners(_from_corners_of_centers)
        yield from _trials_of_corners(sample, Family.READING, words, change)


def _in_parent(is_share: bool, columns: Floats, item: Ints, parent: Floats | None) -> Floats:
    if parent is None:
        return columns
    low, size = parent[:, :2], parent[:, 2:] - parent[:, :2]
    return columns * np.tile(size if is_share else np.ones_like(size), 2) + np.tile(low, 2)


def _fits(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of the scale and offset that fit best, as written and after each other reading."""
    for words, reading in _named_readings(sample).items():
        corners = reading(sample.corners)
        # A map puts ends in order, so that it hides whether they were exchanged.
        if (np.median(sizes(corners), axis=0) < 0).all():
            continue
        axis_map = fit_axes(sample, corners)
        words_of_map = map_words(axis_map, sample.axes, sample.steps_of_unit)
        if words_of_map:
            yield from _trials_of_corners(
                sample,
                Family.FIT,
                " ".join(filter(None, (words, words_of_map))),
                _change_of_corners(reading, axis_map.corners),
                LEAST_SHARE_OF_COMBINATION if words else LEAST_SHARE,
            )


def _scales_of_items(sample: Regions) -> Iterator[Trial]:
    """Yield the trial of one scale for each item and axis, tested on entries that it was not fitted on."""
    corners = sample.corners
    is_even = ranks_in_groups(sample.item_of_entry) % 2 == 0
    all_scales = _fit_items(sample, corners, np.ones(len(is_even), dtype=bool))
    # The predictions of another item may be scaled to fit, too, as the median box everywhere is.
    exchanged = exchanged_entries(sample.item)[:1]
    if not exchanged:
        return
    held_out = _scale_held_out(sample, corners, is_even)
    exchanged_iou = sample.best_iou(_scale_held_out(sample, corners[exchanged[0]], is_even))
    words = f"with {' and '.join(sample.axes)} times a number of its own for each {sample.item_noun}"
    change = Change(corners=partial(_scale_columns, all_scales)) if sample.can_change else None
    trial = _trial(sample, Family.ITEM_SCALE, words, change, replace(sample, corners=held_out))
    trial = trial._replace(exchanged_agreement=exchanged_iou)
    if _is_convincing(sample, trial, held_out):
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
    exact = replace(sample, levels=(_EXACT_IOU,))
    for shift, words in ((1, "plus 1"), (-1, "less 1")):
        change = _change_of_corners(partial(np.add, shift))
        yield _trial(exact, Family.EXACT, f"with {sample.axes[0]} {words}", change, exact.changed(change))


def _shifts_of_slots(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of other numbers of frames."""
    for column, noun in enumerate(sample.slot_nouns):
        if not noun:
            continue
        changes = {}
        for distance in range(1, _LATEST_SLOT + 1):
            changes[f"with {noun} less {distance}"] = partial(_map_slot, column, 1, -distance)
            changes[f"with {noun} plus {distance}"] = partial(_map_slot, column, 1, distance)
        numbers = sample.true_slots[:, column]
        total = int(numbers.min() + numbers.max()) if len(numbers) else 0
        changes[f"with {noun} in reverse order"] = partial(_map_slot, column, -1, total)
        for words, changed_slot in changes.items():
            change = Change(slot=changed_slot)
            yield _trial(sample, Family.NUMBERS, words, change, sample.changed(change))


def _map_slot(column: int, factor: int, offset: int, slot: Ints) -> Ints:
    mapped = slot.copy()
    mapped[:, column] = factor * slot[:, column] + offset
    return mapped


def _shifts_of_items(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of predictions of a neighboring item.

    Places alone may repeat from item to item, as rows that follow each other do; names tell items apart.
    """
    annotated_items = np.unique(sample.true_item)
    for shift, words in neighbor_shifts(sample.item_noun):
        # The last item has no next one: what its predictions are of is not known.
        is_tested = np.isin(sample.item_of_entry + shift, annotated_items)
        change = Change(item=partial(add, shift))
        for view in _views(sample):
            tested = view.of_entries(is_tested)
            yield _trial(tested, Family.ITEMS, words, change, tested.changed(change))


def _views(sample: Regions) -> list[Regions]:
    """Return a sample, and, if it has names, that in which regions only agree with those of the same name."""
    return [sample] if sample.label is None else [sample, sample.by_label()]


def _map_of_items(sample: Regions) -> Iterator[Trial]:
    """Yield the trial of the one-to-one map of items with the most agreements, tested on entries that it was
    not made of."""
    n_items = sample.n_items
    if n_items > MOST_ITEMS:
        return
    view = sample.by_label()
    columns = []
    for item in range(n_items):
        columns.append(replace(view, item=np.full(len(view.item), item)).agrees)
    agrees = np.column_stack(columns)

    def assign(is_used: Bools) -> Ints:
        """Return the item that the predictions of each item are of, -1 without one."""
        counts = np.zeros((n_items, n_items), np.int64)
        np.add.at(counts, view.item_of_entry[is_used], agrees[is_used].astype(np.int64))
        return one_to_one_map(counts)

    part = ranks_in_groups(view.item_of_entry) % _N_PARTS
    held_out = np.full(len(part), -1)
    for number in range(_N_PARTS):
        held_out[part == number] = assign(part != number)[view.item_of_entry[part == number]]
    words = f"as predictions of other {sample.item_noun}s, in another order"
    item_of_item = np.append(assign(part >= 0), -1)
    change = Change(item=lambda item: item_of_item[item])
    yield _trial(view, Family.ITEMS, words, change, replace(view, item=held_out[view.entries]))


def _changes_of_part(sample: Regions) -> Iterator[Trial]:
    """Yield the trials of changes of the items in which hardly anything agrees, where others are right, as
    after a crash or from two sources."""
    for view in _views(sample):
        written_otherwise = find_part(view.agrees, view.item_of_entry)
        if written_otherwise is None:
            continue
        part = view.of_entries(written_otherwise.is_tested)
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
