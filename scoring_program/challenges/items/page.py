"""The sections of the detail page: what is right of each label, or the sizes of errors; then all items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from scoring_program.challenges.items.reference import Reference
from scoring_program.figures.histogram import Histogram
from scoring_program.metrics.item_statistics import ItemStatistics, LabelStatistics, SegmentStatistics
from scoring_program.result import (
    FULL,
    Cell,
    Column,
    Deferred,
    GroupNumber,
    Groups,
    Section,
    Sections,
    Table,
    cells,
    columns,
)
from validator.arrays import Ints
from validator.formats.items.arrays import Items, PlainValues, Regions, Values

_BINS = 10
# The end of a histogram in which all errors are 0.
_LEAST_ERROR = 1e-9


def sections(reference: Reference, predicted: Items, statistics: ItemStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    true = reference.items
    if isinstance(true, PlainValues):
        return []
    if isinstance(true, Regions):
        return _sections_of_regions(true, cast(Regions, predicted), statistics)
    predicted = cast(Values, predicted)
    if true.values.dtype == np.float64:
        return [*_histograms(true, predicted), _table_of_numbers(true, predicted)]
    if true.values.dtype == bool:
        labels = _labels_of_lists(true, predicted)
        return [labels, Deferred(lambda: [_table_of_lists(true, predicted, statistics)])]
    return [_labels_of_items(true, predicted), _table_of_labels(true, predicted)]


def _labels_of_items(true: Values, predicted: Values) -> Section:
    n = len(true.names)
    right = true.values[true.values == predicted.values]
    counts = [np.bincount(labels, minlength=n) for labels in (true.values, right, predicted.values)]
    note = "Recall: the share of the items of a label that are predicted so."
    return _labels("Items", note, true.names, counts)


def _labels_of_lists(true: Values, predicted: Values) -> Section:
    right = true.values & predicted.values
    counts = [has_label.sum(axis=0) for has_label in (true.values, right, predicted.values)]
    note = "Recall: the share of the items with a label that are predicted to have it."
    return _labels("Items", note, true.names, counts, overlapping=True)


def _labels(
    noun: str, note: str, names: Sequence[str], counts: Sequence[Ints], overlapping: bool = False
) -> Section:
    """Return recall and precision of each label: ``counts`` say how often each is true, right, and predicted,
    arrays of shape (n_labels,)."""
    n_true, n_right, n_predicted = counts
    return Groups(
        key="labels",
        title="Labels",
        note=note,
        names_title="Label",
        names=names,
        support=n_true,
        numbers=[
            GroupNumber(noun, n_true),
            GroupNumber("Recall", n_right, n_true, empty=None),
            GroupNumber("Predicted", n_predicted, level=FULL),
            GroupNumber("Precision", n_right, n_predicted, FULL, empty=None),
        ],
        worst_first=2,
        overlapping=overlapping,
        named=n_predicted > 0,
    )


def _table(keys: Sequence[str], titles: Sequence[Column], values: Sequence[Sequence[Cell]]) -> Table:
    return Table(
        key="items",
        title="Items",
        note="In the order of their keys.",
        columns=[*columns(text=["Item"]), *titles],
        rows=list(zip(keys, *values)),
    )


def _table_of_labels(true: Values, predicted: Values) -> Table:
    is_right = np.where(true.values == predicted.values, "yes", "no").tolist()
    true_labels = [true.names[label] for label in true.values.tolist()]
    predicted_labels = [true.names[label] for label in predicted.values.tolist()]
    titles = columns(text=["Ground truth", "Prediction", "Right"])
    return _table(true.keys, titles, [true_labels, predicted_labels, is_right])


def _table_of_lists(true: Values, predicted: Values, statistics: ItemStatistics) -> Table:
    titles = columns(text=["Ground truth", "Prediction"], share=["Score"])
    return _table(true.keys, titles, [_listed(true), _listed(predicted), statistics.item_scores.tolist()])


def _listed(items: Values) -> list[str | None]:
    """Return the labels of each item in words, None for none."""
    lists = [", ".join(items.names[label] for label in np.flatnonzero(row).tolist()) for row in items.values]
    return [text or None for text in lists]


def _histograms(true: Values, predicted: Values) -> Iterator[Histogram]:
    """Yield the distribution of the errors of each column, or of the one number."""
    errors = np.abs(predicted.values - true.values).reshape(len(true.keys), -1)
    for name, absolute_errors in zip(true.names or ("",), errors.T):
        largest = max(float(absolute_errors.max()), _LEAST_ERROR)
        counts, edges = np.histogram(absolute_errors, bins=_BINS, range=(0, largest))
        yield Histogram(
            key=f"errors_{name}" if name else "errors",
            title=f"Errors of {name}" if name else "Errors",
            note="Predictions by the size of their error.",
            edges=edges.tolist(),
            counts=counts.tolist(),
            value="absolute error",
            things="predictions",
        )


def _table_of_numbers(true: Values, predicted: Values) -> Table:
    """Return a row for each number."""
    sides = (true.values, predicted.values, predicted.values - true.values)
    numbers: list[Sequence[Cell]] = [side.ravel().tolist() for side in sides]
    titles = columns(number=["Ground truth", "Prediction", "Error"])
    if not true.names:
        return _table(true.keys, titles, numbers)
    keys = [key for key in true.keys for _ in true.names]
    column_names = list(true.names) * len(true.keys)
    return _table(keys, [*columns(text=["Column"]), *titles], [column_names, *numbers])


def _sections_of_regions(true: Regions, predicted: Regions, statistics: ItemStatistics) -> Sections:
    """Return the numbers of regions of each item; where they are matched, what is right of each label."""
    n_items, n_labels = len(true.keys), len(true.names)
    titles = columns(count=["Ground truth", "Prediction"])
    values: list[Sequence[Cell]] = [
        np.bincount(side.item, minlength=n_items).tolist() for side in (true, predicted)
    ]
    labels: list[Section] = []
    if isinstance(statistics, LabelStatistics):
        labels.append(_scores_of_labels(true, predicted, statistics))
    if isinstance(statistics, SegmentStatistics):
        is_matched = statistics.is_matched
        titles += columns(count=["Matched"])
        values.append(np.bincount(true.item[is_matched], minlength=n_items).tolist())
        sides = (true.label, true.label[is_matched], predicted.label)
        counts = [np.bincount(label, minlength=n_labels) for label in sides]
        note = "Recall: the share of the segments with a label that are matched to a predicted one."
        labels.append(_labels("Segments", note, true.names, counts))
    titles += columns(share=["Score"])
    values.append(cells(statistics.item_scores))
    return [*labels, _table(true.keys, titles, values)]


def _scores_of_labels(true: Regions, predicted: Regions, statistics: LabelStatistics) -> Section:
    """Return the score of each label."""
    n_labels = len(true.names)
    n_true = np.bincount(true.label, minlength=n_labels)
    n_predicted = np.bincount(predicted.label, minlength=n_labels)
    is_true = n_true > 0
    return Groups(
        key="labels",
        title="Labels",
        note="The score of each label; the score is their mean.",
        names_title="Label",
        names=true.names,
        support=n_true,
        numbers=[
            GroupNumber("Annotated", n_true),
            GroupNumber("Score", np.where(is_true, statistics.label_scores, 0), is_true, empty=None),
            GroupNumber("Predicted", n_predicted, level=FULL),
        ],
        worst_first=2,
        named=n_predicted > 0,
    )
