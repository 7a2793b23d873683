"""What the search for the simplest repair compares: the times and labels of segments."""

from __future__ import annotations

from functools import partial

import numpy as np

from people_in_video.diagnosis.decision import Family
from people_in_video.diagnosis.regions import BOX_IOU, CLOSE_IOU, Regions
from people_in_video.diagnosis.samples import Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.challenges.items.reference import Reference
from scoring_program.challenges.items.task import TASKS
from validator.formats.items.arrays import Items, Segments

# Regions are counted in whole steps, of which the last belongs to them: a millisecond is none that matters.
_STEPS_OF_SECOND = 1000
_TIMES = "Write start and end in seconds from the beginning of the item"
_ITEMS = "Give each item its own segments; ids may be in any order"
_LABELS = "Write the labels of the task's page, each for what it names"


def comparisons(reference: Reference, predicted: Items) -> list[Comparison]:
    """Return what is compared, in the order of scoring; nothing where items have no segments."""
    true = reference.items
    if not isinstance(true, Segments) or not isinstance(predicted, Segments):
        return []
    segments = partial(_sample_segments, true, predicted)
    labels = partial(_sample_labels, true, predicted)
    return [
        Comparison(Kind.INTERVALS, "segments", segments, _TIMES, remedies={Family.ITEMS: _ITEMS}),
        Comparison(Kind.NAMES, "labels", labels, _LABELS),
    ]


def _sample_segments(true: Segments, predicted: Segments, repairs: Repairs, spread: Spread) -> Regions:
    """Return sampled segments, and the annotated ones of the items that these may belong to."""
    entries = spread.choose(predicted.item)
    item = predicted.item[entries]
    is_needed = np.isin(true.item, spread.items_nearby(item, len(true.keys)))
    return Regions(
        columns=_STEPS_OF_SECOND * predicted.times[entries],
        item=item,
        true_corners=_STEPS_OF_SECOND * true.times[is_needed],
        true_item=true.item[is_needed],
        n_items=len(true.keys),
        label=predicted.label[entries],
        true_label=true.label[is_needed],
        item_noun="item",
        axes=("seconds",),
        levels=(BOX_IOU, CLOSE_IOU),
        steps_of_unit=_STEPS_OF_SECOND,
    )


def _sample_labels(true: Segments, predicted: Segments, repairs: Repairs, spread: Spread) -> Names | None:
    """Return the labels of the sampled segments that overlap an annotated one."""
    sample, names = _sample_segments(true, predicted, repairs, spread), true.names
    item, nearest = repairs.match(Kind.INTERVALS, sample)
    matched = np.flatnonzero(nearest >= 0)
    if sample.label is None or sample.true_label is None or not len(matched):
        return None
    return Names(
        predicted=[names[label] for label in sample.label[matched].tolist()],
        true=[names[label] for label in sample.true_label[nearest[matched]].tolist()],
        item=item[matched],
        vocabulary=names,
        item_noun="item",
        what="labels",
    )


COMPARISONS = dict.fromkeys(TASKS, comparisons)
