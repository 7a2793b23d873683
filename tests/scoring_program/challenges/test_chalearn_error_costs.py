"""Losses of the ChaLearn tracks: the fix is made in the rows of the submission, which is then scored as any other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.challenge import load_challenge
from scoring_program.families.chalearn.files import Prediction, Reference, Rows

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


def plain_fixes(truth, predicted, actors_apart):
    """Return the submission of each fix, made row by row."""

    def kind(row):
        return (row[0], row[1] if actors_apart else 0, row[2])

    in_truth, in_prediction = set(map(kind, truth)), set(map(kind, predicted))
    both = in_truth & in_prediction
    return {
        "false_classes": [row for row in predicted if kind(row) in in_truth],
        "missed_classes": sorted([*predicted, *(row for row in truth if kind(row) not in in_prediction)]),
        "timing": sorted(
            [
                *(row for row in predicted if kind(row) not in both),
                *(row for row in truth if kind(row) in both),
            ]
        ),
    }


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("name", IDS)
@given(data=st.data())
def test_losses_are_scores_of_fixed_submissions(name, protocol, data):
    program = load_challenge(name).program()
    n_actors = program.track.n_actors
    truth, predicted = data.draw(rows(n_actors)), data.draw(rows(n_actors))
    sequences = [f"s{number}" for number in range(N_SEQUENCES)]
    reference = Reference(sequences, np.full(N_SEQUENCES, N_FRAMES), as_rows(truth))

    def measured(found):
        prediction = Prediction(as_rows(found), np.ones(N_SEQUENCES, bool))
        return program.measure(reference, prediction, {"protocol": protocol, "detail": "full"})

    expected = {
        fix: program.scores(measured(found))["score"]
        for fix, found in plain_fixes(truth, predicted, protocol == "released" and n_actors > 1).items()
    }
    assert program.losses(measured(predicted)) == pytest.approx(expected, abs=1e-12)
