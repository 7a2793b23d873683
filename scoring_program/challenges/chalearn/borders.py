"""How rows of a submission lie to the annotated instances of their class: missed, early, late, too long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.chalearn.measure import SequenceStatistics, cell_numbers
from scoring_program.challenges.chalearn.reference import Prediction, Reference
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Ints


class Borders(NamedTuple):
    """Instances, and by how many frames the rows of their class that overlap them are off, from the start of
    the first to the end of the last.

    Attributes
    ----------
    n_instances, n_missed : int
        How many there are, and how many of them no row of their class overlaps.
    start, end : int64 arrays of shape (n_instances - n_missed,)
        The frames by which the rows start, and end, too late; negative ones are too early.
    """

    n_instances: int
    n_missed: int
    start: Ints
    end: Ints

    def kinds(self) -> Iterator[tuple[str, Ints]]:
        """Yield words for each way in which rows are off, and by how many frames, where they are."""
        length = self.end - self.start
        ways = {
            "start early": -self.start,
            "start late": self.start,
            "end early": -self.end,
            "end late": self.end,
            "are too long": length,
            "are too short": -length,
        }
        for words, frames in ways.items():
            yield words, frames[frames > 0]


def compare_borders(reference: Reference, submission: Prediction, statistics: SequenceStatistics) -> Borders:
    """Return how rows lie to the instances; those of a class, and of an actor if these are kept apart."""
    true_cell = cell_numbers(reference.track, reference.rows, statistics.protocol)
    predicted_cell = cell_numbers(reference.track, submission.rows, statistics.protocol)
    order = np.argsort(predicted_cell, kind="stable")
    instance, row, _ = pairs_in_groups(true_cell, predicted_cell[order])
    true_start, true_end = statistics.true_intervals.T
    start, end = statistics.predicted_intervals[order][row].T
    overlaps: Bools = np.minimum(end, true_end[instance]) > np.maximum(start, true_start[instance])
    instance, start, end = instance[overlaps], start[overlaps], end[overlaps]
    first_start, last_end = true_end.copy(), true_start.copy()
    np.minimum.at(first_start, instance, start)
    np.maximum.at(last_end, instance, end)
    is_met = np.bincount(instance, minlength=len(true_cell)) > 0
    return Borders(
        n_instances=len(true_cell),
        n_missed=int((~is_met).sum()),
        start=(first_start - true_start)[is_met],
        end=(last_end - true_end)[is_met],
    )
