"""What the search for the simplest repair compares for either ChaLearn track: intervals, and classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.decision import Family
from people_in_video.diagnosis.regions import BOX_IOU, CLOSE_IOU, Regions
from people_in_video.diagnosis.samples import Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction, Reference
from scoring_program.scoring import AnyLoaded
from validator.arrays import Ints
from validator.messages import Note
from validator.texts import counted

_FRAMES = "Write the first and the last frame, both counted from 1, at the frame rate of the data files"
_COUNT_FROM_1 = "Frames count from 1, and the last frame belongs to the interval"
_SEQUENCE = "Each file has the rows of its own sequence"


def comparisons(reference: Reference, submission: Prediction) -> list[Comparison]:
    """Return what is compared, in the order of scoring."""

    def intervals(repairs: Repairs, spread: Spread) -> Regions:
        return _sample_rows(reference, submission, spread).regions

    def classes(repairs: Repairs, spread: Spread) -> Names | None:
        sample = _sample_rows(reference, submission, spread)
        return _sample_classes(sample, reference.track.n_classes, repairs)

    instance = reference.track.instance
    return [
        Comparison(
            kind=Kind.INTERVALS,
            what="rows",
            sample=intervals,
            remedy=_FRAMES,
            remedies={Family.EXACT: _COUNT_FROM_1, Family.ITEMS: _SEQUENCE},
        ),
        Comparison(
            kind=Kind.NAMES,
            what=f"{instance} classes",
            sample=classes,
            remedy=f"Number {instance}s from 1, in the order of the task's page",
        ),
    ]


class _Sample(NamedTuple):
    """Sampled rows: their intervals, and the classes of rows (n,) and of annotated rows (m,)."""

    regions: Regions
    label: Ints
    true_label: Ints


def _sample_rows(reference: Reference, submission: Prediction, spread: Spread) -> _Sample:
    """Return sampled rows; those of another actor are at another place."""
    rows, true_rows = submission.rows, reference.rows
    n_sequences = len(reference.sequences)
    entries = spread.choose(rows.sequence)
    item = rows.sequence[entries]
    needed_items = spread.items_nearby(item, n_sequences)
    true_entries = np.flatnonzero(np.isin(true_rows.sequence, needed_items))
    label, true_label = rows.label[entries], true_rows.label[true_entries]
    regions = Regions(
        columns=rows.frames[entries].astype(np.float64),
        item=item,
        true_corners=true_rows.frames[true_entries].astype(np.float64),
        true_item=true_rows.sequence[true_entries],
        n_items=n_sequences,
        slot=rows.actor[entries, None],
        true_slot=true_rows.actor[true_entries, None],
        label=label,
        true_label=true_label,
        item_noun="sequence",
        axes=("frames",),
        levels=(BOX_IOU, CLOSE_IOU),
    )
    return _Sample(regions, label, true_label)


def _sample_classes(sample: _Sample, n_classes: int, repairs: Repairs) -> Names | None:
    """Return the classes of the sampled rows that overlap an annotated one."""
    regions = sample.regions
    item, nearest = repairs.match(Kind.INTERVALS, regions)
    matched = np.flatnonzero(nearest >= 0)
    if not len(matched):
        return None
    return Names(
        predicted=[str(number) for number in sample.label[matched].tolist()],
        true=[str(number) for number in sample.true_label[nearest[matched]].tolist()],
        item=item[matched],
        vocabulary=[str(number) for number in range(1, n_classes + 1)],
        item_noun="sequence",
        what="classes",
    )


COMPARISONS = dict.fromkeys(("chalearn_action", "chalearn_gesture"), comparisons)


def _left_out_notes(loaded: AnyLoaded, submission: object, statistics: SequenceStatistics) -> list[Note]:
    """Return a note on the sequences that are left out of the mean."""
    n_left_out = int((~statistics.is_counted).sum())
    if not n_left_out:
        return []
    n_sequences = counted(len(statistics.is_counted), "sequence")
    text = f"left out of the mean, because no class counts: {n_left_out:,} of {n_sequences}"
    return [Note("N-LEFT-OUT", text)]


FULL_NOTES = dict.fromkeys(("chalearn_action", "chalearn_gesture"), _left_out_notes)
