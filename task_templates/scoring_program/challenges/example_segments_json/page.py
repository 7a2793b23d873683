"""The sections of the detail page."""

from __future__ import annotations

import numpy as np

from scoring_program.result import FULL, Cell, Column, Groups, Section, Table
from task_templates.scoring_program.challenges.example_segments_json.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_segments_json.reference import Reference
from task_templates.validator.formats.example_segments_json.read import Items
from validator.arrays import Ints


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    return [_labels(reference, submission, statistics), _items(reference, statistics)]


def _labels(reference: Reference, submission: Items, statistics: ItemStatistics) -> Section:
    true, n_labels = reference.items, len(reference.items.names)
    n_true = np.bincount(true.label, minlength=n_labels)
    n_matched = np.bincount(true.label[statistics.is_matched], minlength=n_labels)
    n_predicted = np.bincount(submission.label, minlength=n_labels)

    def row(group: Ints) -> list[Cell]:
        right, true, predicted = (
            int(n_matched[group].sum()),
            int(n_true[group].sum()),
            int(n_predicted[group].sum()),
        )
        recall = right / true if true else None
        precision = right / predicted if predicted else None
        return [true, recall, predicted, precision]

    columns = [
        Column("Label"),
        Column("Segments", "count"),
        Column("Recall", "share"),
        Column("Predicted", "count", level=FULL),
        Column("Precision", "share", level=FULL),
    ]
    return Groups(
        key="labels",
        title="Labels",
        note="Recall: the share of the segments with a label that are matched to a predicted one.",
        columns=columns,
        names=reference.items.names,
        support=n_true,
        row=row,
        worst_first=2,
        named=n_predicted > 0,
    )


def _items(reference: Reference, statistics: ItemStatistics) -> Section:
    counts = (statistics.n_true, statistics.n_predicted, statistics.n_matched)
    numbers = [column.tolist() for column in (*counts, statistics.item_scores)]
    titles = ("Ground truth", "Prediction", "Matched")
    return Table(
        key="items",
        title="Items",
        note="Numbers of segments, in the order of the keys of items.",
        columns=[Column("Item"), *(Column(title, "count") for title in titles), Column("F1", "share")],
        rows=list(zip(reference.items.keys, *numbers)),
    )
