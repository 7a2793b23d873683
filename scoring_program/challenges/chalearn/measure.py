"""From annotated and predicted rows to the statistics of each sequence, for both tracks and both protocols.

The tracks differ in one thing. An action row begins with the actor, and the released script keeps actors
apart; the published text does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.chalearn.reference import Prediction, Reference, Track
from scoring_program.metrics import frame_jaccard, resampling
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.formats.chalearn.read import Rows


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
    """All (sequence, class) pairs with rows, or (sequence, actor, class); arrays of shape (n_cells,).

    ``label`` counts from 0; ``is_annotated`` and ``is_predicted`` say which rows a cell has.
    """

    sequence: Ints
    label: Ints
    is_annotated: Bools
    is_predicted: Bools
    counts: frame_jaccard.FrameCounts


@dataclass(frozen=True)
class SequenceStatistics(Statistics):
    """The statistics of each sequence; arrays have shape (n_sequences,) unless another shape is given.

    Attributes
    ----------
    mean_jaccard : float64 array
        Mean over the classes that count, 0 where none does.
    is_counted : bool array
        Whether a class counts; other sequences are left out of the mean.
    false_classes : int array
        Number of classes that are predicted and do not occur.
    is_cell_counted : bool array of shape (n_cells,)
        Whether a cell counts in the mean of its sequence.
    true_intervals, predicted_intervals : int64 arrays of shape (n, 2)
        Half-open intervals of the rows.
    drops_empty : bool
        Whether cells without a frame are left out.
    """

    mean_jaccard: Floats
    is_counted: Bools
    false_classes: Ints
    cells: Cells
    is_cell_counted: Bools
    true_intervals: Ints
    predicted_intervals: Ints
    protocol: Protocol
    drops_empty: bool


def measure(reference: Reference, submission: Prediction, settings: Settings) -> SequenceStatistics:
    """Compare the frames of each class in each sequence."""
    track = reference.track
    protocol = PROTOCOLS[settings["protocol"]]
    n_sequences = len(reference.sequences)
    true_intervals = _row_intervals(reference.rows, reference.n_frames, protocol)
    predicted_intervals = _row_intervals(submission.rows, reference.n_frames, protocol)
    true_cells = cell_numbers(track, reference.rows, protocol)
    predicted_cells = cell_numbers(track, submission.rows, protocol)
    cells = _compare_cells(track, true_intervals, true_cells, predicted_intervals, predicted_cells)
    drops_empty = protocol.actors_apart and track.n_actors > 1
    is_cell_counted = _find_counted(cells, protocol, drops_empty, cells.counts.union)
    jaccard = frame_jaccard.jaccard_index(cells.counts)
    means, is_counted = frame_jaccard.sequence_means(jaccard, is_cell_counted, cells.sequence, n_sequences)
    is_false_class = cells.is_predicted & ~cells.is_annotated
    return SequenceStatistics(
        item_scores=np.where(is_counted, means, np.nan),
        item_submitted=submission.present,
        item_weights=is_counted.astype(np.int64),
        item_perfect=~is_counted | (means == 1),
        mean_jaccard=means,
        is_counted=is_counted,
        false_classes=np.bincount(cells.sequence[is_false_class], minlength=n_sequences),
        cells=cells,
        is_cell_counted=is_cell_counted,
        true_intervals=true_intervals,
        predicted_intervals=predicted_intervals,
        protocol=protocol,
        drops_empty=drops_empty,
    )


def mean_score(statistics: SequenceStatistics, weights: Floats) -> Floats:
    """Return the weighted mean of the sequences that count, for each row of weights."""
    is_counted = statistics.is_counted
    return resampling.weighted_mean(statistics.mean_jaccard[is_counted], weights[:, is_counted])


def scores(statistics: SequenceStatistics) -> dict[str, float]:
    """Return the mean Jaccard index and what goes with it."""
    mean = frame_jaccard.mean_of(statistics.mean_jaccard[statistics.is_counted])
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
    is_in_either = cells.is_annotated | cells.is_predicted
    is_in_both = cells.is_annotated & cells.is_predicted
    nothing = np.zeros_like(is_in_either)
    is_missing = cells.is_annotated & ~statistics.item_submitted[cells.sequence]
    is_missed = cells.is_annotated & ~cells.is_predicted
    return {
        "not_submitted": _score_if(statistics, is_kept=is_in_either, is_replaced=is_missing),
        "false_classes": _score_if(statistics, is_kept=cells.is_annotated, is_replaced=nothing),
        "missed_classes": _score_if(statistics, is_kept=is_in_either, is_replaced=is_missed),
        "timing": _score_if(statistics, is_kept=is_in_either, is_replaced=is_in_both),
    }


def _row_intervals(rows: Rows, n_frames: Ints, protocol: Protocol) -> Ints:
    """Return the half-open interval of each row, cut to its sequence."""
    return protocol.to_intervals(rows.frames, n_frames[rows.sequence])


def cell_numbers(track: Track, rows: Rows, protocol: Protocol) -> Ints:
    """Return the number of each row's cell: of its sequence, its actor if these are apart, and its class."""
    actor = rows.actor - 1 if protocol.actors_apart else 0
    return (rows.sequence * track.n_actors + actor) * track.n_classes + rows.label - 1


def _compare_cells(
    track: Track, true_intervals: Ints, true_cells: Ints, predicted_intervals: Ints, predicted_cells: Ints
) -> Cells:
    """Return all cells with the sizes of their frame sets, in the order of their numbers."""
    cells, index = np.unique(np.concatenate([true_cells, predicted_cells]), return_inverse=True)
    true_index, predicted_index = np.split(index, [len(true_cells)])
    return Cells(
        sequence=cells // (track.n_classes * track.n_actors),
        label=cells % track.n_classes,
        is_annotated=np.isin(cells, true_cells),
        is_predicted=np.isin(cells, predicted_cells),
        counts=frame_jaccard.count_frames(
            true_intervals, true_index, predicted_intervals, predicted_index, len(cells)
        ),
    )


def _find_counted(cells: Cells, protocol: Protocol, drops_empty: bool, union: Ints) -> Bools:
    """Return which cells count in the mean of their sequence."""
    is_counted = cells.is_annotated
    if protocol.false_classes_count:
        is_counted = is_counted | cells.is_predicted
    if drops_empty:
        is_counted = is_counted & (union > 0)
    return is_counted


def _score_if(statistics: SequenceStatistics, is_kept: Bools, is_replaced: Bools) -> float:
    """Return the score with the cells ``is_kept``, where those ``is_replaced`` are predicted perfectly."""
    cells = statistics.cells
    true_frames = cells.counts.ground_truth
    perfect_jaccard = (true_frames > 0).astype(float)
    jaccard = np.where(is_replaced, perfect_jaccard, frame_jaccard.jaccard_index(cells.counts))
    union = np.where(is_replaced, true_frames, cells.counts.union)
    is_cell_counted = is_kept & _find_counted(cells, statistics.protocol, statistics.drops_empty, union)
    n_sequences = len(statistics.item_submitted)
    means, is_counted = frame_jaccard.sequence_means(jaccard, is_cell_counted, cells.sequence, n_sequences)
    return frame_jaccard.mean_of(means[is_counted])
