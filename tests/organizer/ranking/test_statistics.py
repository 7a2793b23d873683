"""Items of rankings; ranks and pairs are tested with the metrics."""

from __future__ import annotations

import numpy as np

from organizer.ranking import statistics


def test_items_without_a_score_are_left_out_of_the_mean():
    scores = np.array([[0.2, np.nan, np.nan], [0.6, 0.5, np.nan]])
    mean, spread, number = statistics.item_difficulty(scores)
    assert mean[:2].tolist() == [0.4, 0.5]
    assert spread[:2].tolist() == [0.2, 0.0]
    assert np.isnan([mean[2], spread[2]]).all()
    assert number.tolist() == [2, 1, 0]
