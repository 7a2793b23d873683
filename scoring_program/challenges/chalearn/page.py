"""The sections of the detail page of both tracks."""

from __future__ import annotations

import numpy as np

from scoring_program import result
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import Prediction, Reference, Track
from scoring_program.metrics import frame_jaccard
from scoring_program.result import FULL, Deferred, GroupNumber, Section, Sections


def sections(reference: Reference, submission: Prediction, statistics: SequenceStatistics) -> Sections:
    """Return all sections, the aggregates first."""

    def full() -> list[Section]:
        from scoring_program.challenges.chalearn.full_sections import full_sections

        return full_sections(reference, submission, statistics)

    return [_class_table(reference.track, statistics), Deferred(full)]


def _class_table(track: Track, statistics: SequenceStatistics) -> Section:
    cells = statistics.cells
    instance, n_classes = track.instance, track.n_classes
    is_counted = statistics.is_cell_counted
    counted_labels = cells.label[is_counted]
    jaccard = frame_jaccard.jaccard_index(cells.counts)
    jaccard_sums = np.bincount(counted_labels, jaccard[is_counted], n_classes)
    n_counted = np.bincount(counted_labels, minlength=n_classes)
    n_annotated = np.bincount(cells.label[cells.is_annotated], minlength=n_classes)
    n_predicted = np.bincount(cells.label[cells.is_predicted], minlength=n_classes)
    true_frames = np.bincount(cells.label, cells.counts.ground_truth, n_classes)
    predicted_frames = np.bincount(cells.label, cells.counts.prediction, n_classes)
    note = f"Jaccard: mean over the sequences in which the {instance} counts."
    return result.Groups(
        key="classes",
        title=f"{instance.capitalize()} classes",
        note=note,
        names_title=instance.capitalize(),
        names=track.classes,
        support=n_annotated,
        numbers=[
            GroupNumber("Jaccard", jaccard_sums, n_counted),
            GroupNumber("Frames annotated", true_frames, level=FULL),
            GroupNumber("Frames predicted", predicted_frames, level=FULL),
            GroupNumber("Sequences annotated", n_annotated),
        ],
        worst_first=1,
        named=n_predicted > 0,
    )
