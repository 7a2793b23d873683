"""The sections of the detail page."""

from __future__ import annotations

import numpy as np

from scoring_program.result import Column, Histogram, Section, Table
from task_templates.scoring_program.challenges.example_number_csv.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_number_csv.reference import Reference
from task_templates.validator.formats.example_number_csv.read import Items


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    errors = statistics.predicted - statistics.truth
    top = max(float(np.abs(errors).max()), 1e-9)
    counts, edges = np.histogram(np.abs(errors), 10, (0, top))
    section = "errors", "Errors", "Predictions by the size of their error."
    columns = (
        reference.items.keys,
        *(side.tolist() for side in (statistics.truth, statistics.predicted, errors)),
    )
    titles = [Column("Item"), *(Column(title, "number") for title in ("Ground truth", "Prediction", "Error"))]
    return [
        Histogram(*section, edges.tolist(), counts.tolist(), "absolute error", "predictions"),
        Table("items", "Items", "In the order of their keys.", titles, list(zip(*columns))),
    ]
