"""Correct predictions for both tracks, and mistakes in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from organizer.files import Files
from quality.chalearn.synthetic import Prediction, Row, sequences
from quality.task import Mistake


def correct_prediction(
    reference: Files, rng: np.random.Generator, noise: float, n_classes: int
) -> Prediction:
    """Return a prediction: right at ``noise`` 0, hardly anything right at 1."""
    predicted = {}
    lag, missed = rng.normal(0, 5 * noise), 0.5 * noise * rng.random()
    for key, last, labels in sequences(reference):
        rows = []
        for *head, label, start, end in labels:
            if rng.random() < missed:
                continue
            label = label if rng.random() > noise else int(rng.integers(1, n_classes + 1))
            start, end = (
                round(value + lag + rng.normal(0, 0.4 * noise * (end - start))) for value in (start, end)
            )
            start = min(max(start, 1), last)
            rows.append([*head, label, start, min(max(end, start), last)])
        predicted[key] = rows
    return predicted


def _rows(change: Callable[[Row], Row | None]) -> Callable[[Prediction], Prediction]:
    return lambda prediction: {
        key: [changed for row in rows if (changed := change(row)) is not None]
        for key, rows in prediction.items()
    }


def _frames_from_zero(row: Row) -> Row | None:
    return [*row[:-2], row[-2] - 1, row[-1] - 1] if row[-2] > 1 else None


def _classes_from_zero(row: Row) -> Row | None:
    return [*row[:-3], row[-3] - 1, *row[-2:]] if row[-3] > 1 else None


def _seconds(row: Row) -> Row | None:
    start, end = round(row[-2] / 20), round(row[-1] / 20)
    return [*row[:-2], start, end] if start else None


def _length(row: Row) -> Row | None:
    length = row[-1] - row[-2] + 1
    return [*row[:-1], length] if length >= row[-2] else None


MISTAKES: list[Mistake[Prediction]] = [
    Mistake("frames from 0", "N-LOOKS-SHIFTED", _rows(_frames_from_zero), only_right=True),
    Mistake("classes off by one", "N-LOOKS-SHIFTED", _rows(_classes_from_zero)),
    Mistake("seconds instead of frames", "N-LOOKS-SCALED", _rows(_seconds)),
    Mistake("start, length", "N-LOOKS-LENGTH", _rows(_length), only_right=True, large=True),
    Mistake("one class everywhere", "N-LOOKS-CONSTANT", _rows(lambda row: [*row[:-3], 3, *row[-2:]])),
    Mistake("all files empty", "N-EMPTY", _rows(lambda row: None)),
]
