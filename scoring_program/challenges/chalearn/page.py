"""The sections of the detail page of both tracks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program import result
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction, Reference, Rows, Track
from scoring_program.metrics import frame_jaccard
from scoring_program.result import Cell, Deferred, Lane, Section, Sections, columns, full_columns
from validator.arrays import Ints

_BINS = 10


def sections(reference: Reference, submission: Prediction, statistics: SequenceStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    track, rows = reference.track, (reference.rows, submission.rows)
    return [
        _class_table(track, statistics),
        Deferred(lambda: [_confusions(track, rows, statistics)]),
        _distribution(statistics),
        _sequence_table(reference.sequences, statistics, _worst(statistics)),
    ]


def _worst(statistics: SequenceStatistics) -> Ints:
    """Return the sequences that count, the worst first."""
    kept = np.flatnonzero(statistics.counts)
    return kept[np.argsort(statistics.mean_jaccard[kept], kind="stable")]


def _class_table(track: Track, statistics: SequenceStatistics) -> Section:
    cells, counting = statistics.cells, statistics.cell_counts
    jaccard = frame_jaccard.jaccard_index(cells.counts)
    n, instance = track.n_classes, track.instance
    sums = np.bincount(cells.label[counting], jaccard[counting], n)
    sequences = np.bincount(cells.label[counting], minlength=n)
    in_sequences = np.bincount(cells.label[cells.annotated], minlength=n)
    true_frames = np.bincount(cells.label, cells.counts.ground_truth, n)
    predicted_frames = np.bincount(cells.label, cells.counts.prediction, n)

    def row(groups: Ints) -> list[Cell]:
        n_sequences = max(int(sequences[groups].sum()), 1)
        mean = float(sums[groups].sum() / n_sequences)
        counts = (true_frames, predicted_frames, in_sequences)
        return [mean, *(int(count[groups].sum()) for count in counts)]

    titles = columns(text=[instance.capitalize()], share=["Jaccard"])
    titles += full_columns(count=["Frames annotated", "Frames predicted"])
    titles += columns(count=["Sequences annotated"])
    named = np.bincount(cells.label[cells.predicted], minlength=n) > 0
    note = f"Jaccard: mean over the sequences in which the {instance} counts."
    return result.Groups(
        key="classes",
        title=f"{instance.capitalize()} classes",
        note=note,
        columns=titles,
        names=track.classes,
        support=in_sequences,
        row=row,
        worst_first=1,
        named=named,
    )


def _confusions(track: Track, rows: tuple[Rows, Rows], statistics: SequenceStatistics) -> Section:
    n = track.n_classes
    true_rows, predicted_rows = rows
    truth = _labeled(true_rows, statistics.ground_truth_frames, n)
    prediction = _labeled(predicted_rows, statistics.predicted_frames, n)
    counts = frame_jaccard.confusions(truth, prediction, n)
    note = "Frames of the class of a row that are predicted as the class of a column. "
    note += "If several classes share a frame, each that is annotated and predicted is right. "
    note += "(missed): annotated where no other class is predicted. "
    note += "(false): predicted where no other class is missed."
    return result.Matrix(
        key="confusions",
        title="Annotated and predicted",
        note=note,
        names=track.classes,
        counts=counts,
        things="frames",
        unpaired=("(false)", "(missed)"),
    )


def _labeled(rows: Rows, frames: Ints, n_classes: int) -> frame_jaccard.Labeled:
    disjoint, group = frame_jaccard.merge_intervals(frames, rows.sequence * n_classes + rows.label - 1)
    return frame_jaccard.Labeled(disjoint, group // n_classes, group % n_classes)


def _distribution(statistics: SequenceStatistics) -> Section:
    means = statistics.mean_jaccard[statistics.counts]
    note = "Sequences by their mean Jaccard index."
    section = Section("sequence_scores", "Distribution of the sequence scores", note)
    return result.share_histogram(section, means, _BINS, ("mean Jaccard index", "sequences"))


def _sequence_table(names: Sequence[str], statistics: SequenceStatistics, worst: Ints) -> Section:
    titles = columns(text=["Sequence"], share=["Jaccard"], count=["False positive classes"])
    titles += columns(text=["Prediction file"])
    jaccard, false_classes = statistics.mean_jaccard.tolist(), statistics.false_classes.tolist()
    files = np.where(statistics.item_submitted, "yes", "missing").tolist()
    rows = [(names[i], jaccard[i], false_classes[i], files[i]) for i in worst.tolist()]
    return result.Table(
        key="sequences",
        title="Sequences",
        note="The worst first; timelines of the first ones follow.",
        columns=titles,
        rows=rows,
    )


def timelines(
    reference: Reference, submission: Prediction, statistics: SequenceStatistics, number: int
) -> list[Section]:
    """Return the timelines of the worst sequences."""
    worst = _worst(statistics)[:number].tolist()
    note = "Ground truth above, prediction below; the first row has the numbers of the classes."
    true_rows = (reference.rows, statistics.ground_truth_frames)
    predicted_rows = (submission.rows, statistics.predicted_frames)
    sections: list[Section] = []
    for rank, sequence in enumerate(worst, start=1):
        timeline = result.Timeline(
            key=f"timeline_{rank}",
            title=reference.sequences[sequence],
            note=note,
            n_frames=int(reference.n_frames[sequence]),
            lanes=lanes(reference.track, sequence, [true_rows, predicted_rows]),
        )
        sections.append(timeline)
    return sections


def lanes(track: Track, index: int, sides: Sequence[tuple[Rows, Ints]]) -> list[Lane]:
    """Return the lanes of a sequence, from the rows of ground truth and prediction with their intervals."""
    intervals_of_label: dict[int, tuple[list[tuple[int, int]], ...]] = {}
    for side, (rows, intervals) in enumerate(sides):
        # Rows ascend by sequence, so those of one sequence are a slice.
        of_sequence = slice(*np.searchsorted(rows.sequence, [index, index + 1]))
        for label, (start, end) in zip(rows.label[of_sequence].tolist(), intervals[of_sequence].tolist()):
            intervals_of_label.setdefault(label, ([], []))[side].append((start, end))
    return [
        Lane(track.classes[label - 1], annotated, predicted, label)
        for label, (annotated, predicted) in sorted(intervals_of_label.items())
    ]
