"""What the search for the simplest repair compares for tasks with segments: their times and labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from people_in_video.diagnosis.samples import BOX_IOU, CLOSE_IOU, Names, Regions
from people_in_video.diagnosis.search import Comparison, Explanation, Measured
from people_in_video.diagnosis.trials import Change, Family
from scoring_program.challenges.items.task import TASKS
from validator.formats.items import arrays
from validator.formats.items.read import form_of
from validator.formats.rules import load_rules
from validator.formats.values import Kind

# Regions are counted in whole steps, of which the last belongs to them: a millisecond is none that matters.
_STEPS_OF_SECOND = 1000
_TIMES = "Write start and end in seconds from the beginning of the item"
_ITEMS = "Give each item its own segments; ids may be in any order"
_LABELS = "Write the labels of the task's page, each for what it names"


def _segments(measured: Measured) -> Iterator[Regions]:
    """Yield sampled segments, and the annotated ones of the items that these may belong to."""
    true, predicted = measured.reference.items, measured.rows
    regions = Regions(
        corners=_STEPS_OF_SECOND * predicted.extent,
        item=predicted.item,
        true_corners=_STEPS_OF_SECOND * true.extent,
        true_item=true.item,
        n_items=len(true.keys),
        label=predicted.label,
        true_label=true.label,
        item_noun="item",
        axes=("milliseconds",),
        levels=(BOX_IOU, CLOSE_IOU),
    )
    yield regions.sampled()


def _labels(measured: Measured) -> Iterator[Names]:
    """Yield the labels of the sampled segments that overlap an annotated one."""
    for regions in _segments(measured):
        yield regions.names(measured.reference.items.names, "labels")


def _repaired(measured: Measured, change: Change) -> arrays.Regions:
    """Return the segments after a change, without those of no item."""
    segments: arrays.Regions = measured.rows
    steps = change.corners(_STEPS_OF_SECOND * segments.extent, segments.item, None)
    item = change.item(segments.item)
    place = {name: number for number, name in enumerate(segments.names)}
    new_label = np.array([place[change.word(name)] for name in segments.names], dtype=np.int64)
    order = np.argsort(item, kind="stable")
    order = order[(item[order] >= 0) & (item[order] < len(segments.keys))]
    return segments._replace(
        item=item[order],
        label=new_label[segments.label[order]],
        extent=steps[order] / _STEPS_OF_SECOND,
        score=segments.score[order],
    )


SEGMENTS = Explanation(
    [
        Comparison(
            kind="places",
            what="segments",
            samples=_segments,
            remedy=_TIMES,
            remedies={Family.ITEMS: _ITEMS},
            repaired=_repaired,
        ),
        Comparison(kind="names", what="labels", samples=_labels, remedy=_LABELS, repaired=_repaired),
    ]
)
EXPLANATIONS = {task_id: SEGMENTS for task_id in TASKS if form_of(load_rules(task_id)).kind is Kind.SEGMENTS}
