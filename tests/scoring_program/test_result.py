"""Sections of a page: how their numbers are made."""

from __future__ import annotations

import numpy as np
import pytest

from scoring_program.result import Section, share_histogram


@pytest.mark.parametrize("n_bins", [5, 10, 20])
def test_a_value_on_an_edge_is_in_the_bin_that_begins_there(n_bins):
    values = np.array([k / n_bins for k in range(n_bins + 1)])
    histogram = share_histogram(Section("k", "t", "n"), values, n_bins, ("score", "items"))
    assert list(histogram.edges) == values.tolist()
    # The last bin holds both of its edges.
    assert list(histogram.counts) == [1] * (n_bins - 1) + [2]
