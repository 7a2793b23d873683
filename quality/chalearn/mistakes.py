"""Mistakes in predictions for both tracks."""

from __future__ import annotations

from collections.abc import Callable

from quality.chalearn.synthetic import Prediction, Row
from quality.task import Mistake


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


# No sequence of the demo data is shorter.
_LEAST_FRAMES = 700


def _half_rate(row: Row) -> Row | None:
    return [*row[:-2], *(max(frame // 2, 1) for frame in row[-2:])]


def _double_rate(row: Row) -> Row | None:
    # A validator refuses rows that begin after the last frame.
    return [*row[:-2], 2 * row[-2], 2 * row[-1]] if row[-2] <= _LEAST_FRAMES // 2 else None


def _length(row: Row) -> Row | None:
    length = row[-1] - row[-2] + 1
    return [*row[:-1], length] if length >= row[-2] else None


MISTAKES: list[Mistake[Prediction]] = [
    Mistake("frames from 0", "N-LOOKS-SHIFTED", _rows(_frames_from_zero)),
    Mistake("classes off by one", "N-LOOKS-SHIFTED", _rows(_classes_from_zero)),
    Mistake("seconds instead of frames", "N-LOOKS-SCALED", _rows(_seconds)),
    Mistake("half frame rate", "N-LOOKS-SCALED", _rows(_half_rate)),
    Mistake("double frame rate", "N-LOOKS-SCALED", _rows(_double_rate)),
    Mistake("start, length", "N-LOOKS-LENGTH", _rows(_length), large=True),
    Mistake("one class everywhere", "N-LOOKS-CONSTANT", _rows(lambda row: [*row[:-3], 3, *row[-2:]])),
    Mistake("all files empty", "N-EMPTY", _rows(lambda row: None)),
]
