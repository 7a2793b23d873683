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
    frames = [np.bincount(cells.label, of, n) for of in (cells.counts.ground_truth, cells.counts.prediction)]

    def row(groups: Ints) -> list[Cell]:
        mean = float(sums[groups].sum() / max(int(sequences[groups].sum()), 1))
        return [mean, *(int(count[groups].sum()) for count in (*frames, in_sequences))]

    titles = columns(text=[instance.capitalize()], share=["Jaccard"])
    titles += full_columns(count=["Frames annotated", "Frames predicted"])
    titles += columns(count=["Sequences annotated"])
    named = np.bincount(cells.label[cells.predicted], minlength=n) > 0
    note = f"Jaccard: mean over the sequences in which the {instance} counts."
    content = titles, track.classes, in_sequences, row, 1
    return result.Groups("classes", f"{instance.capitalize()} classes", note, *content, named=named)


def _confusions(track: Track, rows: tuple[Rows, Rows], statistics: SequenceStatistics) -> Section:
    n, frames = track.n_classes, (statistics.ground_truth_frames, statistics.predicted_frames)
    truth, prediction = (_labeled(side, of_side, n) for side, of_side in zip(rows, frames))
    counts = frame_jaccard.confusions(truth, prediction, n)
    note = "Frames of the class of a row that are predicted as the class of a column. "
    note += "If several classes share a frame, each that is annotated and predicted is right. "
    note += "(missed): annotated where no other class is predicted. "
    note += "(false): predicted where no other class is missed."
    title, unpaired = "Annotated and predicted", ("(false)", "(missed)")
    return result.Matrix("confusions", title, note, track.classes, counts, "frames", unpaired)


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
    note = "The worst first; timelines of the first ones follow."
    return result.Table("sequences", "Sequences", note, titles, rows)


def timelines(
    reference: Reference, submission: Prediction, statistics: SequenceStatistics, number: int
) -> list[Section]:
    """Return the timelines of the worst sequences."""
    shown = _worst(statistics)[:number].tolist()
    note = "Ground truth above, prediction below; the first row has the numbers of the classes."
    sides = (reference.rows, statistics.ground_truth_frames), (submission.rows, statistics.predicted_frames)
    drawn: list[Section] = []
    for place, index in enumerate(shown, start=1):
        about = f"timeline_{place}", reference.sequences[index], note, int(reference.n_frames[index])
        drawn.append(result.Timeline(*about, lanes(reference.track, index, sides)))
    return drawn


def lanes(track: Track, index: int, sides: Sequence[tuple[Rows, Ints]]) -> list[Lane]:
    """Return the lanes of a sequence, from the rows of ground truth and prediction with their intervals."""
    found: dict[int, tuple[list[tuple[int, int]], ...]] = {}
    for side, (rows, intervals) in enumerate(sides):
        # Rows ascend by sequence, so those of one sequence are a slice.
        of_sequence = slice(*np.searchsorted(rows.sequence, [index, index + 1]))
        for label, (start, end) in zip(rows.label[of_sequence].tolist(), intervals[of_sequence].tolist()):
            found.setdefault(label, ([], []))[side].append((start, end))
    return [
        Lane(track.classes[label - 1], own, predicted, label)
        for label, (own, predicted) in sorted(found.items())
    ]
