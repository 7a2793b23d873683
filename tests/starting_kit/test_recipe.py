"""The recipe from probabilities of frames to rows on the pages of the two ChaLearn tracks, and its numbers."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from organizer.bundle.kit import kit_files
from people_in_video import score
from scoring_program.challenges.chalearn.task import TRACKS
from tests.helpers import REFERENCES

SHARE = 0.1


@cache
def page_of(task):
    return kit_files([task], lambda _: {})[f"formats/{task}.md"].decode()


def recipe_of(page):
    (code,) = re.findall(
        r"^```python\n(import numpy as np\n+def rows_of.*?)^```$", page, re.MULTILINE | re.DOTALL
    )
    names = {}
    exec(code, names)  # noqa: S102
    return names["rows_of"]


def labels_of_frames(task):
    """Return the class of each frame of each demo sequence, 0 where there is none."""
    for data in sorted((REFERENCES / task).glob("*_data.csv")):
        sequence = data.name.removesuffix("_data.csv")
        label = np.zeros(int(data.read_text().split(",")[0]), dtype=int)
        for line in (data.parent / f"{sequence}_labels.csv").read_text().split():
            *_, number, first, last = map(int, line.split(","))
            label[first - 1 : last] = number
        yield sequence, label


def noisy_probabilities(task):
    rng = np.random.default_rng(0)
    n_classes = len(TRACKS[task].classes) + 1
    for sequence, label in labels_of_frames(task):
        is_wrong = rng.random(len(label)) < SHARE
        label[is_wrong] = rng.integers(0, n_classes, is_wrong.sum())
        yield sequence, np.eye(n_classes)[label]


@pytest.mark.slow
@pytest.mark.parametrize("task", TRACKS)
def test_the_numbers_of_the_page_are_those_of_the_recipe(task):
    page = page_of(task)
    rows_of = recipe_of(page)
    table = re.findall(r"^\| (?:not smoothed \()?`window=(\d+)`(.*?) \| (0\.\d\d) \|$", page, re.MULTILINE)
    assert len(table) == 7
    probabilities_of_sequences = list(noisy_probabilities(task))
    for window, words, number in table:
        predictions = {}
        for sequence, noisy in probabilities_of_sequences:
            probabilities = noisy.copy()
            if "without the column" in words:
                probabilities[:, 0] = 0
            rows = rows_of(probabilities, window=int(window))
            if "counted from 0" in words:
                rows = [(label, max(1, first - 1), last - 1) for label, first, last in rows]
            predictions[sequence] = [(1, *row) for row in rows] if task == "chalearn_action" else rows
        assert f"{score(task, predictions, notes=False, interval=False).score:.2f}" == number, (window, words)


def test_rows_of_certain_frames_are_the_runs_of_their_classes():
    rows_of = recipe_of(page_of("chalearn_gesture"))
    label = np.array([0, 0, 3, 3, 3, 3, 5, 5, 5, 0, 0, 5, 5, 5])
    rows = rows_of(np.eye(21)[label], window=1)
    assert [tuple(map(int, row)) for row in rows] == [(3, 3, 6), (5, 7, 9), (5, 12, 14)]
