"""What the search for the simplest repair compares for either ChaLearn track: intervals, and classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from people_in_video.diagnosis.samples import BOX_IOU, CLOSE_IOU, Names, Regions
from people_in_video.diagnosis.search import Comparison, Explanation, Measured
from people_in_video.diagnosis.trials import Change, Family
from scoring_program.challenges.chalearn import measure
from scoring_program.challenges.chalearn.borders import compare_borders
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction
from scoring_program.scoring import AnyLoaded
from validator.findings import Note
from validator.formats.chalearn.read import Rows
from validator.hints import label_hints
from validator.texts import counted

_FRAMES = "Write the first and the last frame, both counted from 1, at the frame rate of the data files"
_COUNT_FROM_1 = "Frames count from 1, and the last frame belongs to the interval"
# A good model is a little early or late, too.
_LEAST_COST = 0.15
_ACTORS = "Write the actors as the data numbers them"
_SEQUENCE = "Each file has the rows of its own sequence"


def _rows(measured: Measured) -> Iterator[Regions]:
    """Yield sampled rows."""
    rows, true_rows = measured.rows.rows, measured.reference.rows
    # Where the protocol keeps actors apart, rows of another one are at another place.
    is_apart = measured.statistics.protocol.actors_apart
    regions = Regions(
        corners=rows.frames.astype(np.float64),
        item=rows.sequence,
        true_corners=true_rows.frames.astype(np.float64),
        true_item=true_rows.sequence,
        n_items=len(measured.reference.sequences),
        slot=rows.actor[:, None] if is_apart else None,
        true_slot=true_rows.actor[:, None] if is_apart else None,
        slot_nouns=("actor numbers",) if is_apart else (),
        label=rows.label - 1,
        true_label=true_rows.label - 1,
        item_noun="sequence",
        axes=("frames",),
        levels=(BOX_IOU, CLOSE_IOU),
    )
    yield regions.sampled()


def _classes(measured: Measured) -> Iterator[Names]:
    """Yield the classes of the sampled rows that overlap an annotated one."""
    numbers = [str(number + 1) for number in range(measured.reference.track.n_classes)]
    for regions in _rows(measured):
        yield regions.names(numbers, "classes")


def _repaired(measured: Measured, change: Change) -> Prediction:
    """Return the rows after a change, without those of no sequence."""
    prediction: Prediction = measured.rows
    rows = prediction.rows
    frames = change.corners(rows.frames.astype(np.float64), rows.sequence, None)
    labels = [int(change.word(str(number + 1))) for number in range(measured.reference.track.n_classes)]
    rows = Rows(
        sequence=change.item(rows.sequence),
        actor=change.slot(rows.actor[:, None])[:, 0],
        label=np.array(labels, dtype=np.int64)[rows.label - 1],
        frames=np.maximum(np.rint(frames), 1).astype(np.int64),
    )
    is_kept = (rows.sequence >= 0) & (rows.sequence < len(measured.reference.sequences))
    is_kept &= (rows.label >= 1) & (rows.label <= len(labels))
    return prediction._replace(rows=Rows(*(column[is_kept] for column in rows)))


def _comparisons(instance: str) -> list[Comparison]:
    """Return what is compared, in the order of scoring."""
    return [
        Comparison(
            kind="places",
            noun="rows",
            samples=_rows,
            remedy=_FRAMES,
            remedies={Family.EXACT: _COUNT_FROM_1, Family.ITEMS: _SEQUENCE, Family.NUMBERS: _ACTORS},
            repaired=_repaired,
            explains=("N-CSV-EARLY",),
        ),
        Comparison(
            kind="names",
            noun=f"{instance} classes",
            samples=_classes,
            remedy=f"Number {instance}s from 1, in the order of the task's page",
            repaired=_repaired,
        ),
    ]


def _count_notes(loaded: AnyLoaded, submission: Prediction, statistics: SequenceStatistics) -> list[Note]:
    """Return notes on the sequences that are left out of the mean; on one actor for all rows where actors
    count; and, if wrong times cost much, on missed instances, and on early, late, long and short rows of
    others."""
    notes = []
    true_actors = loaded.reference.rows.actor
    if statistics.protocol.actors_apart and len(np.unique(true_actors)) > 1:
        actors = set(submission.rows.actor.tolist())
        notes += label_hints(len(submission.rows.actor), actors, "actor")
    n_left_out = int((~statistics.is_counted).sum())
    if n_left_out:
        n_sequences = counted(len(statistics.is_counted), "sequence")
        text = f"left out of the mean, because no class counts: {n_left_out:,} of {n_sequences}"
        notes.append(Note("N-LEFT-OUT", text))
    cost = measure.error_costs(statistics)["timing"] - measure.scores(statistics)["score"]
    if cost < _LEAST_COST:
        return notes
    borders = compare_borders(loaded.reference, submission, statistics)
    instances = counted(borders.n_instances, loaded.reference.track.instance)
    text = f"rows of their class overlap {borders.n_instances - borders.n_missed:,} of {instances}"
    kinds = [
        f"{words} by {np.median(frames):g} ({len(frames):,})"
        for words, frames in borders.kinds()
        if len(frames)
    ]
    if kinds:
        text += f"; in the median of frames these rows {', '.join(kinds)}"
    return [*notes, Note("N-BORDERS", text)]


EXPLANATIONS = {
    f"chalearn_{instance}": Explanation(_comparisons(instance), count_notes=_count_notes)
    for instance in ("action", "gesture")
}
