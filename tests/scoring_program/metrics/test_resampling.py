"""Draws, quantiles and weighted means."""

from __future__ import annotations

import numpy as np
import pytest

from scoring_program.metrics import resampling


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_draws_are_those_of_the_frozen_generator(n):
    picks = np.random.RandomState(20140906).randint(0, n, size=(20, n))
    expected = [[row.tolist().count(item) for item in range(n)] for row in picks]
    assert resampling.draws(n, 20).tolist() == expected


def test_blocks_do_not_change_the_draws(monkeypatch):
    whole = resampling.draws(50, 20)
    monkeypatch.setattr(resampling, "_BLOCK", 300)
    blocks = list(resampling.draw_blocks(50, 20))
    assert [len(block) for block in blocks] == [6, 6, 6, 2]
    assert np.array_equal(np.concatenate(blocks), whole)


def test_interval_holds_the_middle_of_the_replicates():
    assert resampling.percentile_interval(np.arange(1001.0)) == (25, 975)
    assert resampling.percentile_interval(np.array([0.0, 1.0])) == pytest.approx((0.025, 0.975))


def test_there_are_a_thousand_replicates():
    assert resampling.draws(3).shape == (1000, 3)
    assert sum(map(len, resampling.draw_blocks(3))) == 1000
    assert resampling.draws(3).dtype == np.float64
    # More items than a block holds: a row at a time.
    assert len(next(resampling.draw_blocks(resampling._BLOCK + 1, 2))) == 1


def test_weighted_mean_of_nothing_is_zero():
    weights = np.array([[2.0, 0, 1], [0, 0, 0], [0, 0, 1], [0.25, 0, 0.25]])
    assert resampling.weighted_mean(np.array([1.0, 5, 4]), weights).tolist() == [2, 0, 4, 2.5]
