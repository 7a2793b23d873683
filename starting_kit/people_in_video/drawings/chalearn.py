"""Timelines of sequences of ChaLearn: the intervals of each class, annotated and predicted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from people_in_video.drawings.timelines import Lane, Timeline
from scoring_program.challenges.chalearn.full_sections import find_worst
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction, Reference, Track
from scoring_program.result import Section
from validator.arrays import Ints
from validator.formats.chalearn.read import Rows


def timelines(
    reference: Reference,
    submission: Prediction,
    statistics: SequenceStatistics,
    number: int,
    with_right: bool,
) -> list[Section]:
    """Return the timelines of the worst sequences, those with nothing wrong in any case."""
    worst_sequences = find_worst(statistics)[:number].tolist()
    note = "Ground truth above, prediction below; the first row has the numbers of the classes."
    sections: list[Section] = []
    for rank, sequence in enumerate(worst_sequences, start=1):
        true_intervals = group_intervals(reference.rows, statistics.true_intervals, sequence)
        predicted_intervals = group_intervals(submission.rows, statistics.predicted_intervals, sequence)
        timeline = Timeline(
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
        true, predicted = true_intervals.get(label, []), predicted_intervals.get(label, [])
        lanes.append(Lane(track.classes[label - 1], true, predicted, label))
    return lanes


DRAWINGS = dict.fromkeys(("chalearn_action", "chalearn_gesture"), timelines)
