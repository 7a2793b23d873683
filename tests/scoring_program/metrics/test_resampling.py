"""Random halves, Student's t, and intervals: against plain counting, and invariances."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from people_in_video.comparing.pairs import student_p
from scoring_program.metrics import resampling
from scoring_program.metrics.resampling import HalfScores, half_scores, intervals, weighted_mean

SCORES = arrays(np.float64, st.integers(2, 40), elements=st.floats(0, 1))


def mean_halves(values, groups=None, n_halves=resampling.HALVES):
    """Return the half scores of a mean over items."""
    groups = np.arange(len(values)) if groups is None else groups
    return half_scores(partial(weighted_mean, values), groups, n_halves)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 300])
def test_sides_are_those_of_the_frozen_generator(n):
    generator = np.random.RandomState(20140906)
    expected = []
    for _ in range(20):
        first = set(generator.permutation(n)[: n // 2].tolist())
        expected.append([1 if item in first else -1 for item in range(n)])
    found = resampling.sides(n, 20)
    assert found.tolist() == expected
    assert found.dtype == np.int8


def test_blocks_change_no_half(monkeypatch):
    values = np.random.RandomState(1).rand(50)
    whole = mean_halves(values)
    sizes = []

    def reduce(weights):
        sizes.append(weights.size)
        return weighted_mean(values, weights)

    expected = resampling.intervals([whole], (0, 1)).acceleration
    monkeypatch.setattr(resampling, "_BLOCK", 300)
    blocks = half_scores(reduce, np.arange(50))
    assert max(sizes) <= 300
    assert (blocks.first == whole.first).all()
    assert (blocks.second == whole.second).all()
    assert resampling.intervals([blocks], (0, 1)).acceleration == pytest.approx(expected, abs=1e-12)


def plain_interval(values, groups, n_halves=resampling.HALVES):
    """Return interval, standard error, bias and acceleration as the definition reads, item by item."""
    n = max(groups) + 1
    half, generator = n // 2, np.random.RandomState(20140906)
    score, first, second, side = round(sum(values) / len(values), 10), [], [], []
    for _ in range(n_halves):
        chosen = set(generator.permutation(n)[:half].tolist())
        inside = [value for value, group in zip(values, groups) if group in chosen]
        outside = [value for value, group in zip(values, groups) if group not in chosen]
        first.append(round(sum(inside) / len(inside) if inside else 0.0, 10))
        second.append(round(sum(outside) / len(outside) if outside else 0.0, 10))
        side.append([1 if group in chosen else -1 for group in range(n)])
    mean_a, mean_b = sum(first) / n_halves, sum(second) / n_halves
    f = math.sqrt(half / (n - half))
    d = [f * (a - mean_a) for a in first] + [(b - mean_b) / f for b in second]
    error = math.sqrt(sum(x * x for x in d) / len(d))
    error = 0.0 if error < 1e-9 else error
    bias = (mean_a + mean_b) / 2 - score
    u = [sum(s[i] * (a - b) for s, a, b in zip(side, first, second)) / n_halves for i in range(n)]
    mean_u = sum(u) / n
    a = sum((x - mean_u) ** 3 for x in u) / (48 * error**3) if error else 0.0
    a = max(-1 / 6, min(1 / 6, a))
    freedom = n - 1
    if n_halves < 100:
        error, a = error * math.sqrt(n_halves / (n_halves - 1)), 0.0
        freedom = round(1 / (1 / (n - 1) + 1 / (n_halves - 1)))
    t = student_quantile_by_integration(0.975, freedom)

    def g(w):
        return w / (1 - a * w) ** 2

    low = score - 2 * max(bias, 0) + error * g(a - t)
    high = score - 2 * min(bias, 0) + error * g(a + t)
    return max(low, 0), min(high, 1), error, bias, a


def student_central_by_integration(t, freedom):
    """Return P(-t <= T <= t) by Simpson's rule with x = sqrt(freedom) tan(angle)."""
    constant = math.gamma((freedom + 1) / 2) / math.sqrt(math.pi) / math.gamma(freedom / 2)
    end, steps = math.atan(t / math.sqrt(freedom)), 4000
    values = [math.cos(end * k / steps) ** (freedom - 1) for k in range(steps + 1)]
    weights = [1 if k in (0, steps) else 4 if k % 2 else 2 for k in range(steps + 1)]
    return 2 * constant * end / steps / 3 * sum(w * v for w, v in zip(weights, values))


def student_quantile_by_integration(probability, freedom):
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        if student_central_by_integration(middle, freedom) < 2 * probability - 1:
            low = middle
        else:
            high = middle
    return low


@pytest.mark.parametrize(("n", "n_groups", "n_halves"), [(2, 2, 500), (14, 5, 500), (20, 20, 37)])
def test_interval_by_its_definition(n, n_groups, n_halves):
    pick = np.random.RandomState(n)
    values, groups = np.round(pick.rand(n), 3), np.arange(n) % n_groups
    found = intervals([mean_halves(values, groups, n_halves)], (0, 1))
    numbers = (found.low, found.high, found.standard_error, found.bias, found.acceleration)
    expected = plain_interval(values.tolist(), groups.tolist(), n_halves)
    assert [number[0] for number in numbers] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 29, 150])
def test_student_agrees_with_integration(freedom):
    t = np.array([0.0, 0.3, 1.0, 2.5, 7.0])
    expected = [student_central_by_integration(value, freedom) for value in t]
    assert resampling.student_central(t, freedom) == pytest.approx(expected, abs=1e-11)
    assert 1 - student_p(t, freedom) == pytest.approx(expected, abs=1e-11)
    quantile = resampling.student_quantile(0.975, freedom)
    assert student_central_by_integration(quantile, freedom) == pytest.approx(0.95, abs=1e-10)


def test_quantiles_beyond_the_first_bound_are_found():
    quantile = resampling.student_quantile(1 - 1e-5, 1)
    assert quantile == pytest.approx(1 / math.tan(math.pi * 1e-5), rel=1e-9)
    assert student_p(np.array([40.1, 1e300, np.inf]), 3).tolist() == [0, 0, 0]


@given(SCORES)
def test_lower_is_better_mirrors_an_interval(values):
    one, other = (intervals([mean_halves(side)], (None, None)) for side in (values, 1 - values))
    assert other.low[0] == pytest.approx(1 - one.high[0], abs=1e-8)
    assert other.high[0] == pytest.approx(1 - one.low[0], abs=1e-8)


def test_a_half_without_a_score_leaves_no_interval():
    halves = mean_halves(np.arange(20) / 20, n_halves=20)
    halves.first[3] = np.nan
    assert not intervals([halves], (0, 1)).has_ends[0]


def test_all_halves_alike_have_no_error():
    found = intervals([mean_halves(np.full(12, 0.25))], (0, 1))
    assert [float(value[0]) for value in (found.low, found.high, found.standard_error)] == [0.25, 0.25, 0]
    assert found.acceleration[0] == 0


def test_acceleration_is_at_most_a_sixth():
    # One item carries all the score; 100 halves show it as more skewed than it can be.
    found = intervals([mean_halves(np.arange(1000) == 0, n_halves=100)], (0.0, 1.0))
    assert found.acceleration.tolist() == [1 / 6]


def test_ends_are_cut_to_the_range():
    halves = HalfScores(0.9, np.linspace(0.7, 1, 500), np.linspace(1, 0.8, 500), 12)
    assert intervals([halves], (0, 1)).high[0] == 1
    assert intervals([halves], (0, None)).high[0] > 1
    assert intervals([halves], (0.8, None)).low[0] == 0.8


def test_half_of_one_item_is_empty():
    found = mean_halves(np.array([0.3]))
    assert (found.score, found.n_items) == (0.3, 1)
    assert (found.first == 0).all()
    assert (found.second == 0.3).all()


def test_weighted_mean_of_nothing_is_zero():
    weights = np.array([[2.0, 0, 1], [0, 0, 0], [0, 0, 1], [0.25, 0, 0.25]])
    assert weighted_mean(np.array([1.0, 5, 4]), weights).tolist() == [2, 0, 4, 2.5]


def test_a_standard_error_of_the_last_decimal_is_0():
    deviations = np.array([[9e-10, 2e-9], [-9e-10, -2e-9]])
    assert resampling.standard_error(deviations).tolist() == pytest.approx([0.0, 2e-9], abs=1e-12)
