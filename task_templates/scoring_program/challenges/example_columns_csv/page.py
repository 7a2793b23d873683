"""The sections of the detail page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scoring_program.figures import Histogram
from scoring_program.result import Cell, Column, Section, Table
from task_templates.scoring_program.challenges.example_columns_csv.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_columns_csv.reference import Reference
from task_templates.validator.formats.example_columns_csv.read import Items
from validator.arrays import Floats


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    errors = statistics.predicted - statistics.truth
    histograms = [_histogram(name, column) for name, column in zip(statistics.names, np.abs(errors).T)]
    return [*histograms, _table(reference, statistics)]


def _histogram(name: str, absolute_errors: Floats) -> Histogram:
    largest = max(float(absolute_errors.max()), 1e-9)
    counts, edges = np.histogram(absolute_errors, bins=10, range=(0, largest))
    return Histogram(
        key=f"errors_{name}",
        title=f"Errors of {name}",
        note="Predictions by the size of their error.",
        edges=edges.tolist(),
        counts=counts.tolist(),
        value="absolute error",
        things="predictions",
    )


def _table(reference: Reference, statistics: ItemStatistics) -> Table:
    numbers = [Column(title, "number") for title in ("Ground truth", "Prediction", "Error")]
    return Table(
        key="items",
        title="Items",
        note="In the order of their keys.",
        columns=[Column("Item"), Column("Column"), *numbers],
        rows=list(_rows(reference, statistics)),
    )


def _rows(reference: Reference, statistics: ItemStatistics) -> Iterator[list[Cell]]:
    """Yield a row for each column of each item."""
    for key, true_row, predicted_row in zip(reference.items.keys, statistics.truth, statistics.predicted):
        for name, true, predicted in zip(statistics.names, true_row.tolist(), predicted_row.tolist()):
            yield [key, name, true, predicted, predicted - true]
