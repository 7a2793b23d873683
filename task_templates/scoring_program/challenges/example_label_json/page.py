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
    labels = reference.items.names
    truth, predicted = statistics.truth, statistics.predicted
    right = np.bincount(truth[truth == predicted], minlength=len(labels))
    annotated, guessed = (np.bincount(side, minlength=len(labels)) for side in (truth, predicted))

    def row(groups: Ints) -> list[Cell]:
        n = int(annotated[groups].sum())
        return [n, int(guessed[groups].sum()), float(right[groups].sum() / max(n, 1))]

    columns = [
        Column("Label"),
        Column("Items", "count"),
        Column("Predicted", "count", level=FULL),
        Column("Right", "share"),
    ]
    note = "Right: the share of the items of a label that are predicted so."
    items = [
        (item, labels[own], labels[guess], "yes" if own == guess else "no")
        for item, own, guess in zip(reference.items.keys, truth.tolist(), predicted.tolist())
    ]
    shown = [Column("Item"), Column("Ground truth"), Column("Prediction"), Column("Right")]
    return [
        Groups("labels", "Labels", note, columns, labels, annotated, row, 3, named=guessed > 0),
        Table("items", "Items", "In the order of their keys.", shown, items),
    ]
