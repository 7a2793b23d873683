"""The sections of the detail page of both tracks that only pages at ``full`` show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scoring_program import figures, result
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction, Reference, Rows, Track
from scoring_program.figures import Lane
from scoring_program.metrics import frame_jaccard
from scoring_program.result import Section, columns
from validator.arrays import Ints

_BINS = 10


def full_sections(
    reference: Reference, submission: Prediction, statistics: SequenceStatistics
) -> list[Section]:
    """Return confusions of classes, the distribution of scores, and the table of sequences."""
    return [
        _confusions(reference, submission, statistics),
        _distribution(statistics),
        _sequence_table(reference.sequences, statistics, _find_worst(statistics)),
    ]


def _find_worst(statistics: SequenceStatistics) -> Ints:
    """Return the sequences that count, the worst first."""
    counted = np.flatnonzero(statistics.is_counted)
    return counted[np.argsort(statistics.mean_jaccard[counted], kind="stable")]


def _confusions(reference: Reference, submission: Prediction, statistics: SequenceStatistics) -> Section:
    track = reference.track
    true_labels = _merge_rows(reference.rows, statistics.true_intervals, track.n_classes)
    predicted_labels = _merge_rows(submission.rows, statistics.predicted_intervals, track.n_classes)
    counts = frame_jaccard.confusions(true_labels, predicted_labels, track.n_classes)
    note = "Frames of the class of a row that are predicted as the class of a column. "
    note += "If several classes share a frame, each that is annotated and predicted is right. "
    note += "(missed): annotated where no other class is predicted. "
    note += "(false): predicted where no other class is missed."
    return figures.Matrix(
        key="confusions",
        title="Annotated and predicted",
        note=note,
        names=track.classes,
        counts=counts,
        things="frames",
        unpaired=("(false)", "(missed)"),
    )


def _merge_rows(rows: Rows, intervals: Ints, n_classes: int) -> frame_jaccard.Labeled:
    """Return disjoint intervals with their sequences and classes, from 0."""
    group_of_row = rows.sequence * n_classes + rows.label - 1
    disjoint_intervals, group = frame_jaccard.merge_intervals(intervals, group_of_row)
    return frame_jaccard.Labeled(disjoint_intervals, group // n_classes, group % n_classes)


def _distribution(statistics: SequenceStatistics) -> Section:
    means = statistics.mean_jaccard[statistics.is_counted]
    note = "Sequences by their mean Jaccard index."
    section = Section("sequence_scores", "Distribution of the sequence scores", note)
    return figures.share_histogram(section, means, _BINS, ("mean Jaccard index", "sequences"))


def _sequence_table(names: Sequence[str], statistics: SequenceStatistics, worst: Ints) -> Section:
    titles = columns(text=["Sequence"], share=["Jaccard"], count=["False positive classes"])
    titles += columns(text=["Prediction file"])
    jaccard = statistics.mean_jaccard[worst].tolist()
    false_classes = statistics.false_classes[worst].tolist()
    files = np.where(statistics.item_submitted[worst], "yes", "missing").tolist()
    worst_names = [names[sequence] for sequence in worst.tolist()]
    rows = list(zip(worst_names, jaccard, false_classes, files))
    return result.Table(
        key="sequences",
        title="Sequences",
        note="The worst first; timelines of the first ones follow.",
        columns=titles,
        rows=rows,
        item_columns=1,
    )


def timelines(
    reference: Reference, submission: Prediction, statistics: SequenceStatistics, number: int
) -> list[Section]:
    """Return the timelines of the worst sequences."""
    worst_sequences = _find_worst(statistics)[:number].tolist()
    note = "Ground truth above, prediction below; the first row has the numbers of the classes."
    sections: list[Section] = []
    for rank, sequence in enumerate(worst_sequences, start=1):
        true_intervals = group_intervals(reference.rows, statistics.true_intervals, sequence)
        predicted_intervals = group_intervals(submission.rows, statistics.predicted_intervals, sequence)
        timeline = figures.Timeline(
            key=f"timeline_{rank}",
            title=reference.sequences[sequence],
            note=note,
            n_frames=int(reference.n_frames[sequence]),
            lanes=make_lanes(reference.track, true_intervals, predicted_intervals),
        )
        sections.append(timeline)
    return sections


def group_intervals(rows: Rows, intervals: Ints, sequence: int) -> dict[int, list[tuple[int, int]]]:
    """Return the intervals of the rows of a sequence by their class."""
    intervals_of_label: dict[int, list[tuple[int, int]]] = {}
    # Rows ascend by sequence, so those of one sequence are a slice.
    first, end_of_rows = np.searchsorted(rows.sequence, [sequence, sequence + 1]).tolist()
    labels = rows.label[first:end_of_rows].tolist()
    for label, (start, end) in zip(labels, intervals[first:end_of_rows].tolist()):
        intervals_of_label.setdefault(label, []).append((start, end))
    return intervals_of_label


def make_lanes(
    track: Track,
    true_intervals: Mapping[int, list[tuple[int, int]]],
    predicted_intervals: Mapping[int, list[tuple[int, int]]],
) -> list[Lane]:
    """Return a lane for each class of a sequence, from the intervals of each class."""
    lanes = []
    for label in sorted({*true_intervals, *predicted_intervals}):
        lane = Lane(
            track.classes[label - 1],
            true_intervals.get(label, []),
            predicted_intervals.get(label, []),
            label,
        )
        lanes.append(lane)
    return lanes
