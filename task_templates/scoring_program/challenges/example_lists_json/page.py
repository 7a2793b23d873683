"""The sections of the detail page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program.result import FULL, Cell, Column, Deferred, Groups, Section, Sections, Table
from task_templates.scoring_program.challenges.example_lists_json.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_lists_json.reference import Reference
from task_templates.validator.formats.example_lists_json.read import Items
from validator.arrays import Bools, Ints


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    return [_labels(reference, statistics), Deferred(lambda: [_items(reference, statistics)])]


def _labels(reference: Reference, statistics: ItemStatistics) -> Section:
    truth, predicted = statistics.truth, statistics.predicted
    n_right = (truth & predicted).sum(axis=0)
    n_true = truth.sum(axis=0)
    n_predicted = predicted.sum(axis=0)

    def row(group: Ints) -> list[Cell]:
        right, true, predicted = (
            int(n_right[group].sum()),
            int(n_true[group].sum()),
            int(n_predicted[group].sum()),
        )
        recall = right / true if true else None
        precision = right / predicted if predicted else None
        return [true, recall, predicted, precision]

    columns = [
        Column("Label"),
        Column("Items", "count"),
        Column("Recall", "share"),
        Column("Predicted", "count", level=FULL),
        Column("Precision", "share", level=FULL),
    ]
    return Groups(
        key="labels",
        title="Labels",
        note="Recall: the share of the items with a label that are predicted to have it.",
        columns=columns,
        names=reference.items.names,
        support=n_true,
        row=row,
        worst_first=2,
        overlapping=True,
        named=n_predicted > 0,
    )


def _items(reference: Reference, statistics: ItemStatistics) -> Section:
    labels = reference.items.names
    truth, predicted = _listed(statistics.truth, labels), _listed(statistics.predicted, labels)
    return Table(
        key="items",
        title="Items",
        note="In the order of their keys.",
        columns=[Column("Item"), Column("Ground truth"), Column("Prediction"), Column("F1", "share")],
        rows=list(zip(reference.items.keys, truth, predicted, statistics.item_scores.tolist())),
    )


def _listed(has_label: Bools, labels: Sequence[str]) -> list[str | None]:
    """Return the labels of each item in words, None for none."""
    lists = [", ".join(labels[index] for index in np.flatnonzero(row).tolist()) for row in has_label]
    return [text or None for text in lists]
