"""What the search for the simplest repair compares: the times of segments, and their labels."""

from __future__ import annotations

import numpy as np

from people_in_video.diagnosis.decision import Family
from people_in_video.diagnosis.regions import BOX_IOU, CLOSE_IOU, Regions
from people_in_video.diagnosis.samples import Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from task_templates.scoring_program.challenges.example_segments_json.reference import Reference
from task_templates.validator.formats.example_segments_json.read import Items

# Regions are counted in whole steps, of which the last belongs to them: a millisecond is none that matters.
_STEPS_OF_SECOND = 1000
_TIMES = "Write start and end in seconds from the beginning of the item"
_ITEMS = "Give each item its own segments; ids may be in any order"
_LABELS = "Write the labels of the task's page, each for what it names"


def comparisons(reference: Reference, submission: Items) -> list[Comparison]:
    """Return what is compared, in the order of scoring."""

    def segments(repairs: Repairs, spread: Spread) -> Regions:
        return _sample_segments(reference.items, submission, spread)

    def labels(repairs: Repairs, spread: Spread) -> Names | None:
        sample = _sample_segments(reference.items, submission, spread)
        return _sample_labels(sample, reference.items.names, repairs)

    return [
        Comparison(Kind.INTERVALS, "segments", segments, _TIMES, remedies={Family.ITEMS: _ITEMS}),
        Comparison(Kind.NAMES, "labels", labels, _LABELS),
    ]


def _sample_segments(true: Items, predicted: Items, spread: Spread) -> Regions:
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


def _sample_labels(sample: Regions, names: tuple[str, ...], repairs: Repairs) -> Names | None:
    """Return the labels of the sampled segments that overlap an annotated one."""
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
