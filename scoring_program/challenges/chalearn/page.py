"""The sections of the detail page of both tracks."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.read import Prediction, Reference, Rows, Track
from scoring_program.metrics import frame_jaccard
from scoring_program.result import (
    FULL,
    Cell,
    Column,
    Deferred,
    Groups,
    Lane,
    Matrix,
    Section,
    Table,
    Timeline,
    share_histogram,
)
from validator.arrays import Ints

_BINS = 10
_TIMELINES_SHOWN = 100


def sections(
    track: Track, reference: Reference, prediction: Prediction, statistics: SequenceStatistics
) -> list[Section | Deferred]:
    """Return all sections, the aggregates first."""
    rows = reference.rows, prediction.rows
    kept = np.flatnonzero(statistics.counts)
    worst = kept[np.argsort(statistics.mean_jaccard[kept], kind="stable")]
    return [
        _class_table(track, rows, statistics),
        _confusions(track, rows, statistics),
        _distribution(prediction.rows, statistics),
        _sequence_table(statistics, worst),
        Deferred(lambda: _timelines(track, reference, prediction, statistics, worst[:_TIMELINES_SHOWN])),
    ]


def _class_table(track: Track, rows: tuple[Rows, Rows], statistics: SequenceStatistics) -> Section:
    cells, counting = statistics.cells, statistics.cell_counts
    jaccard = frame_jaccard.jaccard_index(cells.counts)
    n = track.n_classes
    sums = np.bincount(cells.label[counting], jaccard[counting], n)
    sequences = np.bincount(cells.label[counting], minlength=n)
    in_sequences = np.bincount(cells.label[cells.annotated], minlength=n)
    annotated = np.bincount(cells.label, cells.counts.ground_truth, n)
    predicted = np.bincount(cells.label, cells.counts.prediction, n)

    def row(groups: Ints) -> list[Cell]:
        number = int(sequences[groups].sum())
        frames = int(annotated[groups].sum()), int(predicted[groups].sum())
        return [float(sums[groups].sum() / max(number, 1)), *frames, int(in_sequences[groups].sum())]

    columns = [
        Column(track.instance.capitalize()),
        Column("Jaccard", "share"),
        Column("Frames annotated", "count"),
    ]
    columns += [Column("Frames predicted", "count"), Column("Sequences annotated", "count")]
    support = np.stack([_in_sequences(side, side.label - 1, n) for side in rows], axis=1)
    note = f"Jaccard: mean over the sequences in which the {track.instance} counts."
    return Groups(
        "classes", f"{track.instance.capitalize()} classes", note, columns, track.classes, support, row, 1
    )


def _in_sequences(rows: Rows, group: Ints, n_groups: int) -> Ints:
    """Return in how many sequences each group has rows; repetitions within a sequence do not count."""
    pairs = np.unique(np.stack([group, rows.sequence]), axis=1)
    return np.bincount(pairs[0], minlength=n_groups)


def _confusions(track: Track, rows: tuple[Rows, Rows], statistics: SequenceStatistics) -> Section:
    sides = [
        _labeled(side, frames, track.n_classes)
        for side, frames in zip(rows, (statistics.ground_truth_frames, statistics.predicted_frames))
    ]
    annotated = frame_jaccard.confusions(sides[0], sides[1], track.n_classes)
    predicted = frame_jaccard.confusions(sides[1], sides[0], track.n_classes)
    # Not frames: a submission chooses the lengths of its rows, and their sum would reveal which of them met.
    things = f"annotated {track.instance}s"
    note = (
        f"How many {things} of a class (row) share frames with a prediction of another or the same (column)."
    )
    support = np.stack([annotated, predicted.T], axis=2)
    return Matrix("confusions", "Annotated and predicted", note, track.classes, annotated, support, things)


def _labeled(rows: Rows, frames: Ints, n_classes: int) -> frame_jaccard.Labeled:
    disjoint, group = frame_jaccard.merge_intervals(frames, rows.sequence * n_classes + rows.label - 1)
    return frame_jaccard.Labeled(disjoint, group // n_classes, group % n_classes)


def _distribution(rows: Rows, statistics: SequenceStatistics) -> Section:
    means = statistics.mean_jaccard[statistics.counts]
    predicted = np.isin(np.flatnonzero(statistics.counts), rows.sequence)
    note = "Sequences by their mean Jaccard index."
    section = Section("sequence_scores", "Distribution of the sequence scores", note)
    return share_histogram(section, means, predicted, _BINS, ("mean Jaccard index", "sequences"))


def _sequence_table(statistics: SequenceStatistics, worst: Ints) -> Section:
    columns = [Column("Sequence"), Column("Jaccard", "share"), Column("False positive classes", "count")]
    columns.append(Column("Prediction file"))
    jaccard, false_classes = statistics.mean_jaccard.tolist(), statistics.false_classes.tolist()
    rows = [
        (statistics.items[i], jaccard[i], false_classes[i], "yes" if statistics.present[i] else "missing")
        for i in worst.tolist()
    ]
    note = f"The worst first; timelines of the first {_TIMELINES_SHOWN} follow."
    return Table("sequences", "Sequences", note, columns, rows)


def _timelines(
    track: Track, reference: Reference, prediction: Prediction, statistics: SequenceStatistics, shown: Ints
) -> list[Section]:
    sides = (reference.rows, statistics.ground_truth_frames), (prediction.rows, statistics.predicted_frames)
    return [
        Timeline(
            f"timeline_{number}", reference.sequences[index], "Ground truth above, prediction below.",
            int(reference.n_frames[index]), _lanes(track, index, sides), FULL,
        )
        for number, index in enumerate(shown.tolist(), start=1)
    ]  # fmt: skip


def _lanes(track: Track, index: int, sides: tuple[tuple[Rows, Ints], ...]) -> list[Lane]:
    lanes: dict[int, tuple[list[tuple[int, int]], ...]] = {}
    for side, (rows, intervals) in enumerate(sides):
        # Rows ascend by sequence, so those of one sequence are a slice.
        of_sequence = slice(*np.searchsorted(rows.sequence, [index, index + 1]))
        for label, (start, end) in zip(rows.label[of_sequence].tolist(), intervals[of_sequence].tolist()):
            lanes.setdefault(label, ([], []))[side].append((start, end))
    return [Lane(track.classes[label - 1], *lanes[label]) for label in sorted(lanes)]
