"""What the search for the simplest repair compares for tasks of one's own: places of segments and boxes, and
labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.samples import BOX_IOU, CLOSE_IOU, Names, Regions
from people_in_video.diagnosis.search import Comparison, Explanation, Measured
from people_in_video.diagnosis.trials import Change, Family
from scoring_program.challenges.items.task import TASKS
from validator.arrays import Ints
from validator.formats.items import arrays
from validator.formats.items.read import form_of
from validator.formats.rules import load_rules
from validator.formats.values import Kind

# Regions are counted in whole steps, of which the last belongs to them: of a thousandth none matters.
_STEPS_OF_UNIT = 1000
_LABELS = "Write the labels of the task's page, each for what it names"


class _Places(NamedTuple):
    """What the places of instances of a kind are called, and how to write them right."""

    noun: str
    axes: tuple[str, ...]
    levels: tuple[float, ...]
    remedy: str

    def samples(self, measured: Measured) -> Iterator[Regions]:
        """Yield sampled instances, and the annotated ones of the items that these may belong to."""
        true, predicted = measured.reference.items, measured.rows
        regions = Regions(
            corners=_STEPS_OF_UNIT * predicted.extent,
            item=predicted.item,
            true_corners=_STEPS_OF_UNIT * true.extent,
            true_item=true.item,
            n_items=len(true.keys),
            label=predicted.label,
            true_label=true.label,
            item_noun="item",
            axes=self.axes,
            steps_of_unit=_STEPS_OF_UNIT,
            levels=self.levels,
        )
        yield regions.sampled()


_SEGMENTS = _Places(
    noun="segments",
    axes=("seconds",),
    levels=(BOX_IOU, CLOSE_IOU),
    remedy="Write start and end in seconds from the beginning of the item",
)
_BOXES = _Places(
    noun="boxes",
    axes=("x", "y"),
    levels=(BOX_IOU,),
    remedy="Write x1, y1, x2 and y2 as the task's page says",
)


def _labels(places: _Places, measured: Measured) -> Iterator[Names]:
    """Yield the labels of the sampled instances that overlap an annotated one."""
    for regions in places.samples(measured):
        yield regions.names(measured.reference.items.names, "labels")


def _renumbered(names: Sequence[str], change: Change) -> Ints:
    """Return for each name the place of the one that is meant, shape (n,)."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[change.word(name)] for name in names], dtype=np.int64)


def _repaired(measured: Measured, change: Change) -> arrays.Regions:
    """Return the instances after a change, without those of no item."""
    instances: arrays.Regions = measured.rows
    steps = change.corners(_STEPS_OF_UNIT * instances.extent, instances.item, None)
    item = change.item(instances.item)
    new_label = _renumbered(instances.names, change)
    order = np.argsort(item, kind="stable")
    order = order[(item[order] >= 0) & (item[order] < len(instances.keys))]
    return instances._replace(
        item=item[order],
        label=new_label[instances.label[order]],
        extent=steps[order] / _STEPS_OF_UNIT,
        score=instances.score[order],
    )


def _explanation(places: _Places) -> Explanation:
    return Explanation(
        [
            Comparison(
                kind="places",
                noun=places.noun,
                samples=places.samples,
                remedy=places.remedy,
                remedies={Family.ITEMS: f"Give each item its own {places.noun}; ids may be in any order"},
                repaired=_repaired,
            ),
            Comparison(
                kind="names",
                noun="labels",
                samples=partial(_labels, places),
                remedy=_LABELS,
                repaired=_repaired,
            ),
        ]
    )


def _labels_of_items(measured: Measured) -> Iterator[Names]:
    """Yield the label of each item."""
    true, predicted = measured.reference.items, measured.rows
    yield Names(
        words=predicted.names,
        predicted=predicted.values,
        vocabulary=true.names,
        true=true.values,
        item=np.arange(len(true.keys)),
        item_noun="item",
        true_of_item=true.values,
        noun="labels",
    )


def _repaired_labels(measured: Measured, change: Change) -> arrays.Values:
    """Return the labels of items after a change; an item that gets none keeps its own."""
    items: arrays.Values = measured.rows
    n_items = len(items.keys)
    item_number = change.item(np.arange(n_items))
    is_item = (item_number >= 0) & (item_number < n_items)
    values = items.values.copy()
    values[item_number[is_item]] = items.values[is_item]
    return items._replace(values=_renumbered(items.names, change)[values])


_OF_LABELS = Explanation(
    [
        Comparison(
            kind="names",
            noun="labels",
            samples=_labels_of_items,
            remedy=_LABELS,
            remedies={Family.ITEMS: "Give each item its own label; ids may be in any order"},
            repaired=_repaired_labels,
        )
    ]
)
EXPLANATION_OF_KIND = {
    Kind.LABEL: _OF_LABELS,
    Kind.SEGMENTS: _explanation(_SEGMENTS),
    Kind.BOXES: _explanation(_BOXES),
}
"""How submissions are explained, by the kind of values."""
_KIND_OF_TASK = {task_id: form_of(load_rules(task_id)).kind for task_id in TASKS}
EXPLANATIONS = {
    task_id: EXPLANATION_OF_KIND[kind]
    for task_id, kind in _KIND_OF_TASK.items()
    if kind in EXPLANATION_OF_KIND
}
