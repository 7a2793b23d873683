"""Honest predictions of both tracks and mistakes; see `quality.mistakes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from quality.mistakes import Change, Files, Generator, Mistake


def honest(reference: Path, rng: Generator, noise: float) -> Any:
    """Return a prediction: right at ``noise`` 0, hardly anything right at 1."""
    predicted = {}
    n_classes = 11 if next(reference.glob("*_labels.csv")).read_text().count(",") % 3 == 0 else 20
    lag, missed = rng.normal(0, 5 * noise), 0.5 * noise * rng.random()
    for path in sorted(reference.glob("*_labels.csv")):
        key = path.name[: -len("_labels.csv")]
        last = int((reference / f"{key}_data.csv").read_text().split(",")[0])
        rows = []
        for line in path.read_text().split():
            *head, label, start, end = map(int, line.split(","))
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


def files(prediction: Any) -> Files:
    """Return the files of a submission that holds this prediction."""
    return {
        f"{key}_prediction.csv": "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
        for key, rows in prediction.items()
    }


def _rows(change: Callable[[list[int]], list[int] | None]) -> Change:
    return lambda prediction: {
        key: [changed for row in rows if (changed := change(row)) is not None]
        for key, rows in prediction.items()
    }


def _from_zero(*columns: int) -> Change:
    def change(row: list[int]) -> list[int] | None:
        changed = list(row)
        for column in columns:
            changed[column] -= 1
        return changed if changed[columns[0]] else None

    return _rows(change)


def _seconds(row: list[int]) -> list[int] | None:
    start, end = round(row[-2] / 20), round(row[-1] / 20)
    return [*row[:-2], start, end] if start else None


def _length(row: list[int]) -> list[int] | None:
    length = row[-1] - row[-2] + 1
    return [*row[:-2], row[-2], length] if length >= row[-2] else None


MISTAKES: Sequence[Mistake] = [
    ("frames from 0", "N-LOOKS-SHIFTED", _from_zero(-2, -1)),
    ("classes off by one", "N-LOOKS-SHIFTED", _from_zero(-3)),
    ("seconds instead of frames", "N-LOOKS-SCALED", _rows(_seconds)),
    ("start, length", "N-LOOKS-LENGTH", _rows(_length)),
    ("one class everywhere", "N-LOOKS-CONSTANT", _rows(lambda row: [*row[:-3], 3, *row[-2:]])),
    ("all files empty", "N-EMPTY", _rows(lambda row: None)),
]
