"""The sections of the detail page of both tracks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program import result
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.read import Prediction, Reference, Rows, Track
from scoring_program.metrics import frame_jaccard
from scoring_program.result import Cell, Deferred, Lane, Section, Sections, columns, full_columns
from validator.arrays import Ints

_BINS = 10
_TIMELINES_SHOWN = 100


def sections(
    track: Track, reference: Reference, prediction: Prediction, statistics: SequenceStatistics
) -> Sections:
    """Return all sections, the aggregates first."""
    rows = reference.rows, prediction.rows
    kept = np.flatnonzero(statistics.counts)
    worst = kept[np.argsort(statistics.mean_jaccard[kept], kind="stable")]
    return [
        _class_table(track, statistics),
        _confusions(track, rows, statistics),
        _distribution(statistics),
        _sequence_table(reference.sequences, statistics, worst),
        Deferred(lambda: _timelines(track, reference, prediction, statistics, worst[:_TIMELINES_SHOWN])),
    ]


def _class_table(track: Track, statistics: SequenceStatistics) -> Section:
    cells, counting = statistics.cells, statistics.cell_counts
    jaccard = frame_jaccard.jaccard_index(cells.counts)
    n, instance = track.n_classes, track.instance
    sums = np.bincount(cells.label[counting], jaccard[counting], n)
    sequences = np.bincount(cells.label[counting], minlength=n)
    in_sequences = np.bincount(cells.label[cells.annotated], minlength=n)
    frames = [np.bincount(cells.label, of, n) for of in (cells.counts.ground_truth, cells.counts.prediction)]

    def row(groups: Ints) -> list[Cell]:
        mean = float(sums[groups].sum() / max(int(sequences[groups].sum()), 1))
        return [mean, *(int(count[groups].sum()) for count in (*frames, in_sequences))]

    titles = columns(text=[instance.capitalize()], share=["Jaccard"])
    titles += full_columns(count=["Frames annotated", "Frames predicted"])
    titles += columns(count=["Sequences annotated"])
    named = np.bincount(cells.label[cells.predicted], minlength=n) > 0
    note = f"Jaccard: mean over the sequences in which the {instance} counts."
    return result.Groups(
        "classes",
        f"{instance.capitalize()} classes",
        note,
        titles,
        track.classes,
        in_sequences,
        row,
        1,
        named=named,
    )


def _confusions(track: Track, rows: tuple[Rows, Rows], statistics: SequenceStatistics) -> Section:
    n, frames = track.n_classes, (statistics.ground_truth_frames, statistics.predicted_frames)
    truth, prediction = (_labeled(side, of_side, n) for side, of_side in zip(rows, frames))
    annotated = frame_jaccard.confusions(truth, prediction, n)
    things = f"annotated {track.instance}s"
    note = f"How many {things} of a class (row) share frames with a prediction of another or the same "
    note += "(column)."
    return result.Matrix("confusions", "Annotated and predicted", note, track.classes, annotated, things)


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
    files = np.where(statistics.present, "yes", "missing").tolist()
    rows = [(names[i], jaccard[i], false_classes[i], files[i]) for i in worst.tolist()]
    note = f"The worst first; timelines of the first {_TIMELINES_SHOWN} follow."
    return result.Table("sequences", "Sequences", note, titles, rows)


def _timelines(
    track: Track, reference: Reference, prediction: Prediction, statistics: SequenceStatistics, shown: Ints
) -> list[Section]:
    sides = (reference.rows, statistics.ground_truth_frames), (prediction.rows, statistics.predicted_frames)
    return [
        result.Timeline(
            f"timeline_{number}", reference.sequences[index], "Ground truth above, prediction below.",
            int(reference.n_frames[index]), _lanes(track, index, sides),
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
