"""The sections of the detail page."""

from __future__ import annotations

import numpy as np

from scoring_program.result import FULL, Cell, Column, Deferred, Groups, Section, Sections, Table
from task_templates.scoring_program.challenges.example_lists_json.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_lists_json.reference import Reference
from task_templates.validator.formats.example_lists_json.read import Items
from validator.arrays import Bools, Ints


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    labels = reference.items.names
    truth, predicted = statistics.truth, statistics.predicted
    right, annotated, guessed = (side.sum(axis=0) for side in (truth & predicted, truth, predicted))

    def row(groups: Ints) -> list[Cell]:
        both, own, other = (int(side[groups].sum()) for side in (right, annotated, guessed))
        return [own, both / own if own else None, other, both / other if other else None]

    columns = [
        Column("Label"),
        Column("Items", "count"),
        Column("Recall", "share"),
        Column("Predicted", "count", level=FULL),
        Column("Precision", "share", level=FULL),
    ]
    note = "Recall: the share of the items with a label that are predicted to have it."
    table = Groups("labels", "Labels", note, columns, labels, annotated, row, 2, True, guessed > 0)
    return [table, Deferred(lambda: [_items(reference, statistics)])]


def _items(reference: Reference, statistics: ItemStatistics) -> Section:
    def listed(side: Bools) -> list[str | None]:
        return [", ".join(reference.items.names[i] for i in np.flatnonzero(own)) or None for own in side]

    sides = listed(statistics.truth), listed(statistics.predicted)
    rows = list(zip(reference.items.keys, *sides, statistics.item_scores.tolist()))
    titles = [Column("Item"), Column("Ground truth"), Column("Prediction"), Column("F1", "share")]
    return Table("items", "Items", "In the order of their keys.", titles, rows)
