"""Error costs of the ChaLearn tracks: the rows of the submission are corrected, and it is scored as any other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.challenges.chalearn.reference import Prediction, Reference
from scoring_program.challenges.chalearn.task import TRACKS
from scoring_program.task import load_task
from tests.helpers import fewer_examples
from validator.formats.chalearn.read import Rows

N_SEQUENCES, N_FRAMES = 3, 12
IDS = ("chalearn_action", "chalearn_gesture")


@st.composite
def rows(draw, n_actors):
    found = draw(
        st.lists(
            st.tuples(
                st.integers(0, N_SEQUENCES - 1), st.integers(1, n_actors), st.integers(1, 3),
                st.integers(1, N_FRAMES), st.integers(0, 5),
            ),
            max_size=10,
        )
    )  # fmt: skip
    return sorted(
        (s, actor, label, start, min(start + more, N_FRAMES)) for s, actor, label, start, more in found
    )


def as_rows(found):
    table = np.array(found, dtype=np.int64).reshape(-1, 5)
    return Rows(table[:, 0], table[:, 1], table[:, 2], table[:, 3:])


def corrected(truth, predicted, present, actors_apart):
    """Return the submission without the errors of each type, corrected row by row."""

    def kind(row):
        return (row[0], row[1] if actors_apart else 0, row[2])

    in_truth, in_prediction = set(map(kind, truth)), set(map(kind, predicted))
    both = in_truth & in_prediction
    return {
        "false_classes": [row for row in predicted if kind(row) in in_truth],
        "missed_classes": sorted([*predicted, *(row for row in truth if kind(row) not in in_prediction)]),
        "not_submitted": sorted([*predicted, *(row for row in truth if not present[row[0]])]),
        "timing": sorted(
            [
                *(row for row in predicted if kind(row) not in both),
                *(row for row in truth if kind(row) in both),
            ]
        ),
    }


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("name", IDS)
@fewer_examples()
@given(data=st.data())
def test_error_costs_are_scores_of_corrected_submissions(name, protocol, data):
    task = load_task(name)
    n_actors = TRACKS[task.id].n_actors
    truth, present = data.draw(rows(n_actors)), data.draw(st.tuples(*[st.booleans()] * N_SEQUENCES))
    predicted = [row for row in data.draw(rows(n_actors)) if present[row[0]]]
    sequences = [f"s{number}" for number in range(N_SEQUENCES)]
    reference = Reference(TRACKS[task.id], sequences, np.full(N_SEQUENCES, N_FRAMES), as_rows(truth))

    def measured(found):
        prediction = Prediction(as_rows(found), np.array(present))
        return task.measure(reference, prediction, {"protocol": protocol, "detail": "full"})

    submissions = corrected(truth, predicted, present, protocol == "released" and n_actors > 1)
    expected = {key: task.scores(measured(found))["score"] for key, found in submissions.items()}
    assert task.error_costs(measured(predicted)) == pytest.approx(expected, abs=1e-12)


def test_an_action_that_is_right_without_a_frame_leaves_the_mean_once_it_is_on_time():
    # The script drops the last frame of a row, so one of a single frame has none, and such pairs are left out.
    task = load_task("chalearn_action")
    truth = [(0, 1, 1, 5, 5), (0, 1, 2, 8, 12)]
    predicted = [(0, 1, 1, 7, 9), (0, 1, 2, 8, 12)]
    reference = Reference(TRACKS[task.id], ["s"], np.full(1, N_FRAMES), as_rows(truth))
    prediction = Prediction(as_rows(predicted), np.array([True]))
    measured = task.measure(reference, prediction, {"protocol": "released", "detail": "full"})
    # Action 1 has frames on one side and counts 0, action 2 counts 1; on time, action 2 alone counts.
    assert task.scores(measured)["score"] == 0.5
    assert task.error_costs(measured)["timing"] == 1.0
