"""From rows of both sides to the statistics of each sequence, for both tracks and both protocols.

The tracks differ in one thing. An action row begins with the actor, and the released script keeps actors
apart; the published text does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.chalearn.reference import Prediction, Reference, Rows, Track
from scoring_program.disclosure import min_group, rounded_count
from scoring_program.metrics import frame_jaccard, resampling
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.messages import Note
from validator.texts import counted


class Protocol(NamedTuple):
    """What the two protocols do differently.

    Attributes
    ----------
    to_intervals : callable
        Turns rows (n, 2) and the frames of their sequences (n,) into half-open intervals.
    actors_apart : bool
        Whether the classes of different actors are compared separately, without pairs that have no frame.
    false_classes_count : bool
        Whether a class that is only predicted counts, with 0.
    """

    to_intervals: Callable[[Ints, Ints], Ints]
    actors_apart: bool
    false_classes_count: bool


PROTOCOLS = {
    "published": Protocol(frame_jaccard.inclusive_frames, actors_apart=False, false_classes_count=True),
    "released": Protocol(frame_jaccard.released_slices, actors_apart=True, false_classes_count=False),
}


class Cells(NamedTuple):
    """All (sequence, class) pairs of either side, or (sequence, actor, class); arrays of shape (n_cells,).

    ``label`` counts from 0; ``annotated`` and ``predicted`` say on which sides a cell has rows.
    """

    sequence: Ints
    label: Ints
    annotated: Bools
    predicted: Bools
    counts: frame_jaccard.FrameCounts


@dataclass(frozen=True)
class SequenceStatistics(Statistics):
    """The statistics of each sequence; arrays have shape (n_sequences,) unless another shape is given.

    Attributes
    ----------
    mean_jaccard, counts : float64 and bool arrays
        Mean over the classes that count, 0 where none does; such sequences are left out of the mean.
    false_classes : int array
        Number of classes that are predicted and do not occur.
    cell_counts : bool array of shape (n_cells,)
        Whether a cell counts in the mean of its sequence.
    ground_truth_frames, predicted_frames : int64 arrays of shape (n, 2)
        Half-open intervals of the rows.
    drops_empty : bool
        Whether cells without a frame are left out.
    """

    mean_jaccard: Floats
    counts: Bools
    false_classes: Ints
    cells: Cells
    cell_counts: Bools
    ground_truth_frames: Ints
    predicted_frames: Ints
    protocol: Protocol
    drops_empty: bool


def measure(reference: Reference, submission: Prediction, settings: Settings) -> SequenceStatistics:
    """Compare the frames of each class in each sequence."""
    track, protocol = reference.track, PROTOCOLS[settings["protocol"]]
    sides = reference.rows, submission.rows
    frames = [protocol.to_intervals(rows.frames, reference.n_frames[rows.sequence]) for rows in sides]
    numbers = [_cell_numbers(track, rows, protocol.actors_apart) for rows in sides]
    cells = _cells(track, numbers, frames)
    drops_empty = protocol.actors_apart and track.n_actors > 1
    counts_in = _counting(cells, protocol, drops_empty, cells.counts.union)
    n = len(reference.sequences)
    jaccard = frame_jaccard.jaccard_index(cells.counts)
    means, kept = frame_jaccard.sequence_means(jaccard, counts_in, cells.sequence, n)
    left_out, least = int((~kept).sum()), min_group(settings["detail"])
    number = f"{rounded_count(left_out, n, least):,} of {counted(n, 'sequence')}"
    text = f"left out of the mean, because no class counts: {'about ' * bool(least)}{number}"
    return SequenceStatistics(
        item_scores=np.where(kept, means, np.nan),
        item_submitted=submission.present,
        item_weights=kept.astype(np.int64),
        notes=[Note("N-LEFT-OUT", text)] if left_out >= max(least, 1) else [],
        mean_jaccard=means,
        counts=kept,
        false_classes=np.bincount(cells.sequence[cells.predicted & ~cells.annotated], minlength=n),
        cells=cells,
        cell_counts=counts_in,
        ground_truth_frames=frames[0],
        predicted_frames=frames[1],
        protocol=protocol,
        drops_empty=drops_empty,
    )


def mean_score(statistics: SequenceStatistics, weights: Floats) -> Floats:
    """Return the weighted mean of the sequences that count, for each row of weights."""
    return resampling.weighted_mean(statistics.mean_jaccard[statistics.counts], weights[:, statistics.counts])


def scores(statistics: SequenceStatistics) -> dict[str, float]:
    """Return the mean Jaccard index and what goes with it."""
    mean = frame_jaccard.mean_of(statistics.mean_jaccard[statistics.counts])
    precision, recall = frame_jaccard.frame_precision_recall(statistics.cells.counts)
    return {
        "score": mean,
        "coverage": float(statistics.item_submitted.mean()),
        "mean_jaccard": mean,
        "precision_frames": precision,
        "recall_frames": recall,
        "false_positive_classes": frame_jaccard.mean_of(statistics.false_classes.astype(np.float64)),
    }


def error_costs(statistics: SequenceStatistics) -> dict[str, float]:
    """Return the score with the missing files, without false classes, with the missed ones, and on time."""
    cells = statistics.cells
    either, both = cells.annotated | cells.predicted, cells.annotated & cells.predicted
    corrected = {
        "not_submitted": (either, cells.annotated & ~statistics.item_submitted[cells.sequence]),
        "false_classes": (cells.annotated, np.zeros_like(cells.annotated)),
        "missed_classes": (either, cells.annotated & ~cells.predicted),
        "timing": (either, both),
    }
    return {key: _score_if(statistics, kept, replaced) for key, (kept, replaced) in corrected.items()}


def _cell_numbers(track: Track, rows: Rows, actors_apart: bool) -> Ints:
    actor = rows.actor - 1 if actors_apart else 0
    return (rows.sequence * track.n_actors + actor) * track.n_classes + rows.label - 1


def _cells(track: Track, numbers: list[Ints], frames: list[Ints]) -> Cells:
    ground_truth, predicted = numbers
    cells, index = np.unique(np.concatenate(numbers), return_inverse=True)
    number, other_number = np.split(index, [len(ground_truth)])
    counts = frame_jaccard.count_frames(frames[0], number, frames[1], other_number, len(cells))
    return Cells(
        sequence=cells // (track.n_classes * track.n_actors),
        label=cells % track.n_classes,
        annotated=np.isin(cells, ground_truth),
        predicted=np.isin(cells, predicted),
        counts=counts,
    )


def _counting(cells: Cells, protocol: Protocol, drops_empty: bool, union: Ints) -> Bools:
    """Return which cells count in the mean of their sequence."""
    counts_in = cells.annotated | cells.predicted if protocol.false_classes_count else cells.annotated
    return counts_in & (union > 0) if drops_empty else counts_in


def _score_if(statistics: SequenceStatistics, kept: Bools, replaced: Bools) -> float:
    """Return the score with the cells ``kept``, where those ``replaced`` are predicted perfectly."""
    cells = statistics.cells
    annotated = cells.counts.ground_truth
    jaccard = np.where(replaced, (annotated > 0).astype(float), frame_jaccard.jaccard_index(cells.counts))
    union = np.where(replaced, annotated, cells.counts.union)
    counts_in = kept & _counting(cells, statistics.protocol, statistics.drops_empty, union)
    n = len(statistics.item_submitted)
    means, counts = frame_jaccard.sequence_means(jaccard, counts_in, cells.sequence, n)
    return frame_jaccard.mean_of(means[counts])
