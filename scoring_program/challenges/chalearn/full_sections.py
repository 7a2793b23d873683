"""The sections of the detail page of both tracks that only pages at ``full`` show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program import result
from scoring_program.challenges.chalearn.borders import compare_borders
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction, Reference
from scoring_program.figures.histogram import share_histogram
from scoring_program.figures.matrix import Matrix
from scoring_program.metrics import frame_jaccard
from scoring_program.result import Cell, Section, columns
from validator.arrays import Ints
from validator.formats.chalearn.read import Rows

_BINS = 10


def full_sections(
    reference: Reference, submission: Prediction, statistics: SequenceStatistics
) -> list[Section]:
    """Return how rows lie to instances, confusions of classes, the distribution of scores, and the table of
    sequences."""
    return [
        _border_table(reference, submission, statistics),
        _confusions(reference, submission, statistics),
        _distribution(statistics),
        _sequence_table(reference.sequences, statistics, find_worst(statistics)),
    ]


def _border_table(reference: Reference, submission: Prediction, statistics: SequenceStatistics) -> Section:
    instance = reference.track.instance
    borders = compare_borders(reference, submission, statistics)
    rows: list[list[Cell]] = [["no row of their class overlaps them", borders.n_missed, None]]
    for words, frames in borders.kinds():
        median = float(np.median(frames)) if len(frames) else None
        rows.append([f"their rows {words}", len(frames), median])
    note = (
        f"Each {instance} beside the rows of its class that overlap it, from the first to the last of them."
    )
    return result.Table(
        key="borders",
        title=f"{instance.capitalize()}s and their rows",
        note=note,
        columns=columns(text=[f"{instance.capitalize()}s"], count=["Number"], number=["By frames (median)"]),
        rows=rows,
    )


def find_worst(statistics: SequenceStatistics) -> Ints:
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
    return Matrix(
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
    return share_histogram(section, means, _BINS, ("mean Jaccard index", "sequences"))


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
