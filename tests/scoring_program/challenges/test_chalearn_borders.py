"""How rows lie to annotated instances, beside sets of frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.challenges.chalearn.borders import compare_borders
from scoring_program.challenges.chalearn.measure import measure
from scoring_program.challenges.chalearn.reference import Prediction, Reference
from scoring_program.challenges.chalearn.task import TRACKS
from validator.formats.chalearn.read import Rows

ID = "chalearn_gesture"
N_FRAMES = 30


def rows_of(values):
    """Return rows from tuples of sequence, class, start and end."""
    table = np.array(sorted(values), dtype=np.int64).reshape(-1, 4)
    return Rows(table[:, 0], np.ones(len(table), np.int64), table[:, 1], table[:, 2:])


def borders_of(true, predicted):
    sequences = ["S0", "S1"]
    reference = Reference(TRACKS[ID], sequences, np.full(2, N_FRAMES), rows_of(true))
    submission = Prediction(rows_of(predicted), np.ones(2, dtype=bool))
    return compare_borders(reference, submission, measure(reference, submission, {"protocol": "published"}))


@pytest.mark.parametrize(
    ("predicted", "n_missed", "kinds"),
    [
        ([], 1, {}),
        ([(0, 1, 10, 19)], 0, {}),
        ([(0, 2, 10, 19)], 1, {}),
        ([(1, 1, 10, 19)], 1, {}),
        ([(0, 1, 20, 25)], 1, {}),
        ([(0, 1, 8, 17)], 0, {"start early": [2], "end early": [2]}),
        ([(0, 1, 12, 25)], 0, {"start late": [2], "end late": [6], "are too long": [4]}),
        ([(0, 1, 8, 12), (0, 1, 15, 18)], 0, {"start early": [2], "end early": [1], "are too long": [1]}),
    ],
)
def test_borders_of_one_gesture(predicted, n_missed, kinds):
    borders = borders_of([(0, 1, 10, 19)], predicted)
    assert (borders.n_instances, borders.n_missed) == (1, n_missed)
    assert {words: frames.tolist() for words, frames in borders.kinds() if len(frames)} == kinds


row = st.tuples(st.integers(0, 1), st.integers(1, 2), st.integers(1, N_FRAMES), st.integers(0, 9)).map(
    lambda values: (*values[:3], min(values[2] + values[3], N_FRAMES))
)


@given(st.lists(row, min_size=1, max_size=6), st.lists(row, max_size=6))
def test_borders_agree_with_loops(true, predicted):
    starts, ends, n_missed = [], [], 0
    for sequence, label, start, end in sorted(true):
        near = [
            (first, last)
            for other_sequence, other_label, first, last in predicted
            if (other_sequence, other_label) == (sequence, label) and first <= end and last >= start
        ]
        n_missed += not near
        if near:
            starts.append(min(first for first, _ in near) - start)
            ends.append(max(last for _, last in near) - end)
    borders = borders_of(true, predicted)
    assert (borders.n_instances, borders.n_missed) == (len(true), n_missed)
    assert (borders.start.tolist(), borders.end.tolist()) == (starts, ends)


def test_the_note_is_said_at_home_and_the_table_at_full(run):
    reference = {"S_data.csv": "100,20,2000\n", "S_labels.csv": "1,11,20\n2,31,40\n2,61,70\n"}
    submission = {"S_prediction.csv": "1,9,20\n2,31,44\n"}
    for detail, at_home, is_said in (("full", True, True), ("summary", False, False), ("full", False, False)):
        settings = {**reference, "settings.yaml": f"detail: {detail}\n"}
        outcome = run(ID, settings, submission, at_home=at_home)
        assert ("N-BORDERS" in outcome.out) == is_said
        assert ("Gestures and their rows" in outcome.page) == (detail == "full")
    outcome = run(ID, {**reference, "settings.yaml": "detail: full\n"}, submission, at_home=True)
    assert "rows of their class overlap 2 of 3 gestures; in the median of frames these " in outcome.out
    assert "rows start early by 2 (1), end late by 4 (1), are too long by 3 (2)" in outcome.out
