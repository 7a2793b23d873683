"""Mean average precision of detections: golden numbers, and a second program that repeats items one by one."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.metrics import detection_ap
from scoring_program.metrics.detection_ap import Instances

GOLDEN = Path(__file__).parents[2] / "golden_detections"


def _instances(items: list[str], labels: list[str], of_items: dict[str, list[dict[str, Any]]]) -> Instances:
    rows = [(item, row) for item in items for row in of_items.get(item, []) if row["label"] in labels]
    extents = [row.get("segment") or row["box"] for _, row in rows]
    return Instances(
        item=np.array([items.index(item) for item, _ in rows], dtype=np.int64),
        label=np.array([labels.index(row["label"]) for _, row in rows], dtype=np.int64),
        extent=np.array(extents, dtype=np.float64).reshape(len(rows), -1) if rows else np.zeros((0, 2)),
    )


@pytest.mark.parametrize("case", sorted(GOLDEN.iterdir()), ids=lambda case: case.name)
def test_golden_numbers(case: Path) -> None:
    truth, prediction, expected = (
        json.loads((case / f"{name}.json").read_text()) for name in ("truth", "prediction", "expected")
    )
    items = sorted(truth)
    labels = sorted({row["label"] for rows in truth.values() for row in rows})
    true = _instances(items, labels, truth)
    predicted = _instances(items, labels, prediction["results"])
    rows = [row for item in items for row in prediction["results"].get(item, []) if row["label"] in labels]
    score = np.array([row["score"] for row in rows], dtype=np.float64)
    ranking = detection_ap.match(true, predicted, score, np.array(expected["thresholds"]))
    average = detection_ap.weighted(true, ranking, len(labels), np.ones((1, len(items))))[0]
    assert average.mean() == pytest.approx(expected["map"], abs=1e-12)
    for number, threshold in enumerate(expected["thresholds"]):
        assert average[number].mean() == pytest.approx(expected["at"][str(threshold)], abs=1e-12)
        for label, values in expected["labels"].items():
            assert average[number, labels.index(label)] == pytest.approx(values[str(threshold)], abs=1e-12)


_Detection = tuple[int, int, int, int, int]  # item, label, start, length, score


def _overlap(first: _Detection, second: _Detection) -> Fraction:
    shared = min(first[2] + first[3], second[2] + second[3]) - max(first[2], second[2])
    return Fraction(max(shared, 0), first[3] + second[3] - max(shared, 0))


def _plain_average_precision(
    true: list[_Detection], predicted: list[_Detection], threshold: Fraction, label: int, weights: list[int]
) -> Fraction | None:
    """Match once, then write each outcome as often as its item counts, and sum over all points."""
    instances = [instance for instance in true if instance[1] == label]
    n_instances = sum(weights[instance[0]] for instance in instances)
    if not n_instances:
        return None
    free = list(range(len(instances)))
    outcomes = []
    for prediction in sorted(
        (row for row in predicted if row[1] == label), key=lambda row: (-row[4], row[0])
    ):
        fitting = [
            number
            for number in free
            if instances[number][0] == prediction[0] and _overlap(instances[number], prediction) >= threshold
        ]
        if fitting:
            free.remove(max(fitting, key=lambda number: (_overlap(instances[number], prediction), -number)))
        outcomes += weights[prediction[0]] * [bool(fitting)]
    precisions = [Fraction(sum(outcomes[: end + 1]), end + 1) for end in range(len(outcomes))]
    right = [place for place, is_right in enumerate(outcomes) if is_right]
    return sum((max(precisions[place:]) for place in right), Fraction(0)) / n_instances


_rows = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 6), st.integers(1, 6), st.integers(0, 3)),
    max_size=9,
)


@given(true=_rows, predicted=_rows, weights=st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_weights_repeat_items(
    true: list[_Detection], predicted: list[_Detection], weights: list[int]
) -> None:
    thresholds = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
    arrays = []
    for rows in (true, predicted):
        table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
        extent = np.stack([table[:, 2], table[:, 2] + table[:, 3]], axis=1).astype(np.float64)
        arrays.append(Instances(item=table[:, 0], label=table[:, 1], extent=extent))
    score = np.array([row[4] for row in predicted], dtype=np.float64)
    ranking = detection_ap.match(arrays[0], arrays[1], score, np.array(thresholds, dtype=np.float64))
    average = detection_ap.weighted(arrays[0], ranking, 2, np.array([weights], dtype=np.float64))[0]
    for number, threshold in enumerate(thresholds):
        for label in range(2):
            expected = _plain_average_precision(true, predicted, threshold, label, weights)
            if expected is None:
                assert np.isnan(average[number, label])
            else:
                assert average[number, label] == pytest.approx(float(expected), abs=1e-12)
