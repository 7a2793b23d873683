"""The sections of the detail page."""

from __future__ import annotations

import numpy as np

from scoring_program.result import FULL, Cell, Column, Groups, Section, Table
from task_templates.scoring_program.challenges.example_label_json.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_label_json.reference import Reference
from task_templates.validator.formats.example_label_json.read import Items
from validator.arrays import Ints


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    return [_labels(reference, statistics), _items(reference, statistics)]


def _labels(reference: Reference, statistics: ItemStatistics) -> Section:
    labels = reference.items.names
    truth, predicted = statistics.truth, statistics.predicted
    n_right = np.bincount(truth[truth == predicted], minlength=len(labels))
    n_true = np.bincount(truth, minlength=len(labels))
    n_predicted = np.bincount(predicted, minlength=len(labels))

    def row(group: Ints) -> list[Cell]:
        n_items = int(n_true[group].sum())
        share = float(n_right[group].sum() / max(n_items, 1))
        return [n_items, int(n_predicted[group].sum()), share]

    columns = [
        Column("Label"),
        Column("Items", "count"),
        Column("Predicted", "count", level=FULL),
        Column("Right", "share"),
    ]
    return Groups(
        key="labels",
        title="Labels",
        note="Right: the share of the items of a label that are predicted so.",
        columns=columns,
        names=labels,
        support=n_true,
        row=row,
        worst_first=3,
        named=n_predicted > 0,
    )


def _items(reference: Reference, statistics: ItemStatistics) -> Section:
    labels = reference.items.names
    rows = []
    sides = zip(statistics.truth.tolist(), statistics.predicted.tolist())
    for item, (true_label, predicted_label) in zip(reference.items.keys, sides):
        is_right = "yes" if true_label == predicted_label else "no"
        rows.append((item, labels[true_label], labels[predicted_label], is_right))
    return Table(
        key="items",
        title="Items",
        note="In the order of their keys.",
        columns=[Column("Item"), Column("Ground truth"), Column("Prediction"), Column("Right")],
        rows=rows,
    )
