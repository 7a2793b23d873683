"""The sections of the detail page."""

from __future__ import annotations

import numpy as np

from scoring_program.figures import Histogram
from scoring_program.result import Column, Section, Table
from task_templates.scoring_program.challenges.example_number_json.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_number_json.reference import Reference
from task_templates.validator.formats.example_number_json.read import Items


def sections(reference: Reference, submission: Items, statistics: ItemStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    errors = statistics.predicted - statistics.truth
    largest = max(float(np.abs(errors).max()), 1e-9)
    counts, edges = np.histogram(np.abs(errors), bins=10, range=(0, largest))
    histogram = Histogram(
        key="errors",
        title="Errors",
        note="Predictions by the size of their error.",
        edges=edges.tolist(),
        counts=counts.tolist(),
        value="absolute error",
        things="predictions",
    )
    truth, predicted = statistics.truth.tolist(), statistics.predicted.tolist()
    numbers = [Column(title, "number") for title in ("Ground truth", "Prediction", "Error")]
    table = Table(
        key="items",
        title="Items",
        note="In the order of their keys.",
        columns=[Column("Item"), *numbers],
        rows=list(zip(reference.items.keys, truth, predicted, errors.tolist())),
    )
    return [histogram, table]
