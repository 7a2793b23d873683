"""Ranks, pairs and stability against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from organizer.ranking import statistics
from scoring_program.metrics import resampling

PICK = np.random.RandomState(5)
ITEMS = np.round(np.clip(PICK.normal([0.5, 0.52, 0.5, 0.3, 0.9], 0.2, size=(40, 5)), 0, 1), 3).T
ITEMS[2] = ITEMS[0][::-1]  # the same mean, other items
WEIGHTS = resampling.draws(40, 200)
SCORES = statistics.rounded(ITEMS.mean(axis=1))
REPLICATES = statistics.rounded(WEIGHTS @ ITEMS.T / 40)


def brute_ranks(scores):
    return [1 + sum(other > own for other in scores) for own in scores]


def brute_tau_b(first, second):
    signs = [
        (np.sign(first[i] - first[j]), np.sign(second[i] - second[j]))
        for i, j in itertools.combinations(range(len(first)), 2)
    ]
    untied = [sum(pair[k] != 0 for pair in signs) for k in (0, 1)]
    return sum(a * b for a, b in signs) / math.sqrt(untied[0] * untied[1])


def student_tail(t, freedom):
    """Return the probability beyond t, by Simpson's rule with x = tan(a)."""
    c = math.gamma((freedom + 1) / 2) / math.sqrt(freedom * math.pi) / math.gamma(freedom / 2)
    a = np.linspace(math.atan(t), math.pi / 2 - 1e-9, 200_001)
    y = c * (1 + np.tan(a) ** 2 / freedom) ** (-(freedom + 1) / 2) / np.cos(a) ** 2
    return float((a[1] - a[0]) / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-2:2].sum()))


def quantile_by_counting(values, share):
    ordered = sorted(values)
    return ordered[math.ceil(round(share * len(ordered), 9)) - 1]


@given(arrays(np.float64, (7,), elements=st.sampled_from([0.0, 0.1, 0.25, 0.3, 1.0])))
def test_ranks_are_one_plus_the_number_of_better_ones(scores):
    assert statistics.ranks(scores).tolist() == brute_ranks(scores)


def test_scores_that_differ_behind_the_tenth_decimal_are_equal():
    scores = statistics.rounded(np.array([0.3, 0.1 + 0.2, 0.29999999999996, 0.2999999999, -1e-13]))
    assert statistics.ranks(scores).tolist() == [1, 1, 1, 4, 5]
    assert math.copysign(1, scores[-1]) == 1


def test_stability_by_brute_force():
    found = statistics.stability(SCORES, REPLICATES)
    drawn = [brute_ranks(row) for row in REPLICATES]
    for i in range(5):
        own = [row[i] for row in drawn]
        assert (found.low[i], found.high[i]) == tuple(quantile_by_counting(own, q) for q in (0.025, 0.975))
        assert found.firsts[i] == pytest.approx(own.count(1) / 200)
        assert found.shares[i].tolist() == pytest.approx([own.count(rank) / 200 for rank in range(1, 6)])
    taus = sorted(brute_tau_b(brute_ranks(SCORES), row) for row in drawn)
    assert found.tau_mean == pytest.approx(sum(taus) / 200, abs=1e-12)
    # 5 % of 199 steps lie between the tenth and the eleventh value.
    assert found.tau_low == pytest.approx(taus[9] + 0.95 * (taus[10] - taus[9]), abs=1e-12)


def test_pairs_by_brute_force():
    found = statistics.pairs(SCORES, REPLICATES, 40)
    raw = []
    for k, (i, j) in enumerate(itertools.combinations(range(5), 2)):
        assert (found.first[k], found.second[k]) == (i, j)
        drawn = sorted(round(a - b, 10) for a, b in zip(REPLICATES[:, i], REPLICATES[:, j]))
        assert found.difference[k] == pytest.approx(SCORES[i] - SCORES[j], abs=1e-10)
        for share, end in ((0.025, found.low[k]), (0.975, found.high[k])):
            place, rest = divmod(share * 199, 1)
            expected = drawn[int(place)] + rest * (drawn[int(place) + 1] - drawn[int(place)])
            assert end == pytest.approx(expected, abs=1e-12)
        mean = sum(drawn) / 200
        spread = math.sqrt(sum((value - mean) ** 2 for value in drawn) / 199)
        difference = abs(SCORES[i] - SCORES[j])
        t = difference / (spread * math.sqrt(40 / 39))
        raw.append(1.0 if difference < 1e-10 else 2 * student_tail(t, 39))
        assert found.p[k] == pytest.approx(raw[-1], abs=1e-9)
    assert raw[1] == found.p[1] == 1.0
    order = sorted(range(10), key=raw.__getitem__)
    worst = 0.0
    for place, k in enumerate(order):
        worst = max(worst, min(1.0, (10 - place) * raw[k]))
        assert found.p_holm[k] == pytest.approx(worst, abs=1e-8)


def test_p_is_near_that_of_the_paired_t_test_of_a_mean():
    d = ITEMS[1] - ITEMS[0]
    t = abs(d.mean()) / math.sqrt(d.var(ddof=1) / 40)
    weights = resampling.draws(40, 20_000)
    replicates = statistics.rounded(weights @ ITEMS[:2].T / 40)
    assert statistics.pairs(SCORES[:2], replicates, 40).p[0] == pytest.approx(
        2 * student_tail(t, 39), abs=0.01
    )


@pytest.mark.parametrize(
    ("difference", "spread", "items", "p"),
    [(0.0, 0.0, 40, 1.0), (0.1, 0.0, 40, 0.0), (-0.1, 0.0, 40, 0.0), (0.1, 0.01, 9, 1.0), (0.1, 0.0, 9, 1.0)],
)
def test_edges_of_p(difference, spread, items, p):
    replicates = np.array([[0.5 + difference - spread, 0.5], [0.5 + difference + spread, 0.5]])
    found = statistics.pairs(
        statistics.rounded(np.array([0.5 + difference, 0.5])), statistics.rounded(replicates), items
    )
    assert found.p.tolist() == found.p_holm.tolist() == [p]


def test_order_of_submissions_changes_nothing_but_the_order():
    order = np.array([3, 1, 4, 0, 2])
    one, other = (
        statistics.stability(SCORES, REPLICATES),
        statistics.stability(SCORES[order], REPLICATES[:, order]),
    )
    assert (one.low[order] == other.low).all()
    assert (one.firsts[order] == other.firsts).all()
    assert other.tau_mean == pytest.approx(one.tau_mean, abs=1e-12)


def test_a_single_submission_is_always_first():
    found = statistics.stability(SCORES[:1], REPLICATES[:, :1])
    assert (found.low[0], found.high[0], found.firsts[0]) == (1, 1, 1.0)
    assert (found.tau_mean, found.tau_low) == (0.0, 0.0)
    assert len(statistics.pairs(SCORES[:1], REPLICATES[:, :1], 40).p) == 0


def test_tau_b_where_it_is_undefined():
    assert statistics.tau_b(np.array([1, 1, 1]), np.array([1, 2, 3])) == 0.0
    assert statistics.tau_b(np.array([1, 2, 2, 4]), np.array([4, 2, 3, 1])) == pytest.approx(
        brute_tau_b([1, 2, 2, 4], [4, 2, 3, 1])
    )


def test_items_without_a_score_are_left_out_of_the_mean():
    scores = np.array([[0.2, np.nan, np.nan], [0.6, 0.5, np.nan]])
    mean, spread = statistics.item_difficulty(scores)
    assert mean[:2].tolist() == [0.4, 0.5]
    assert spread[:2].tolist() == [0.2, 0.0]
    assert np.isnan([mean[2], spread[2]]).all()
