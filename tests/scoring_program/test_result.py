"""Sections of a page: how their numbers are made."""

from __future__ import annotations

import numpy as np
import pytest

from people_in_video.drawings.scenes import two_decimals
from scoring_program.figures.histogram import share_histogram
from scoring_program.result import Section


@pytest.mark.parametrize("n_bins", [5, 10, 20])
def test_a_value_on_an_edge_is_in_the_bin_that_begins_there(n_bins):
    values = np.array([k / n_bins for k in range(n_bins + 1)])
    histogram = share_histogram(Section("k", "t", "n"), values, n_bins, ("score", "items"))
    assert list(histogram.edges) == values.tolist()
    # The last bin holds both of its edges.
    assert list(histogram.counts) == [1] * (n_bins - 1) + [2]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.4999, "0.49"), (0.5, "0.50"), (0.29, "0.29"), (0.999, "0.99"), (1.0, "1.00"), (0, "0.00")],
)
def test_values_do_not_reach_a_threshold_by_rounding(value, text):
    assert two_decimals(value) == text
