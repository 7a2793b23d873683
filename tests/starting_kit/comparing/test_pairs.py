"""Comparisons of submissions: against plain loops, and invariances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from people_in_video.comparing import pairs as comparison
from people_in_video.comparing.pairs import compare, compare_distinct, student_p
from scoring_program.metrics.resampling import (
    HalfScores,
    intervals,
    student_quantile,
)
from tests.helpers import fewer_examples
from tests.starting_kit.comparing.made_up import halves_of

TEAMS = arrays(
    np.float64,
    st.tuples(st.integers(2, 24), st.integers(1, 6)),
    elements=st.integers(0, 20).map(lambda k: k / 20),
)


def ranks_of(comparison):
    """Return the ranks, and the lowest and the highest rank, of all teams."""
    return [getattr(comparison, name).tolist() for name in ("rank", "rank_low", "rank_high")]


def plain(teams, higher_is_better):
    """Return ranks, rank sets and p values as the definition reads."""
    n, m = teams[0].n_items, len(teams)
    f = math.sqrt((n // 2) / (n - n // 2))
    raw = {}
    for i, j in itertools.combinations(range(m), 2):
        difference = round(teams[i].score - teams[j].score, 10)
        a, b = teams[i].first - teams[j].first, teams[i].second - teams[j].second
        d = np.concatenate([f * (a - a.mean()), (b - b.mean()) / f])
        error = math.sqrt((d**2).mean())
        error = 0.0 if error < 1e-9 else error
        if n < 10 or not difference:
            raw[i, j] = 1.0
        elif not error or abs(difference) / error > 40:
            raw[i, j] = 0.0
        else:
            raw[i, j] = float(student_p(np.array(abs(difference) / error), n - 1))
    worst, adjusted = 0.0, {}
    for place, pair in enumerate(sorted(raw, key=raw.__getitem__)):
        worst = max(worst, min(1.0, (len(raw) - place) * raw[pair]))
        adjusted[pair] = round(worst, 10)
    sign = 1 if higher_is_better else -1
    ranks, low, high = [], [1] * m, [m] * m
    for i in range(m):
        ranks.append(1 + sum(sign * teams[j].score > sign * teams[i].score for j in range(m)))
    for (i, j), p in adjusted.items():
        if p < 0.05:
            better, worse = (i, j) if sign * (teams[i].score - teams[j].score) > 0 else (j, i)
            low[worse] += 1
            high[better] -= 1
    return raw, adjusted, [ranks, low, high]


# Some differences are significant, two only before they are adjusted.
PICK = np.random.RandomState(5)
CLEAR = np.round(PICK.rand(24, 1) + PICK.normal([0.0, -0.03, -0.1, -0.5], 0.08, (24, 4)), 2)


@example(values=CLEAR, higher_is_better=True)
@example(values=CLEAR, higher_is_better=False)
@given(TEAMS, st.booleans())
def test_comparison_by_its_definition(values, higher_is_better):
    # The last team is a copy of the first.
    teams = halves_of(np.concatenate([values, values[:, :1]], axis=1))
    compared_teams = compare(teams, higher_is_better)
    pairs = compared_teams.pairs
    raw, adjusted, ranks = plain(teams, higher_is_better)
    assert list(zip(pairs.first.tolist(), pairs.second.tolist())) == list(raw)
    assert pairs.p.tolist() == pytest.approx(list(raw.values()), abs=1e-9)
    assert pairs.p_adjusted.tolist() == pytest.approx([adjusted[pair] for pair in raw], abs=1e-7)
    # Differences are never negated.
    differences = [teams[first].score - teams[second].score for first, second in raw]
    assert pairs.difference.tolist() == pytest.approx(differences, abs=1e-9)
    assert ranks_of(compared_teams) == ranks
    assert (compared_teams.rank_low <= compared_teams.rank).all()
    assert (compared_teams.rank <= compared_teams.rank_high).all()


@given(TEAMS)
def test_interval_of_one_pair_leaves_out_0_where_p_is_below_5_percent(values):
    pairs = compare(halves_of(values)).pairs
    if len(values) >= 10:
        assert (((pairs.low > 0) | (pairs.high < 0)) == (pairs.p < 0.05)).all()
    else:
        assert (pairs.p == 1).all()
    assert (pairs.low_all <= pairs.low + 1e-12).all()


def team(score, spread, n):
    side = np.linspace(-spread, spread, 500)
    return HalfScores(score, score + side, score - side, n)


@pytest.mark.parametrize(
    ("difference", "spread", "n", "p"),
    [
        (0.0, 0.0, 40, 1.0),
        (0.1, 0.0, 40, 0.0),
        (-0.1, 0.0, 40, 0.0),
        (0.1, 0.0, 9, 1.0),
        (0.1, 1e-4, 40, 0.0),
    ],
)
def test_edges_of_p(difference, spread, n, p):
    pairs = compare([team(0.5 + difference, spread, n), team(0.5, 0.0, n)]).pairs
    assert pairs.p.tolist() == pairs.p_adjusted.tolist() == [p]


@pytest.mark.parametrize("n", [0, 1])
def test_without_two_items_nothing_is_known(n):
    compared_teams = compare([team(0.5, 0.0, n), team(0.4, 0.0, n)])
    pairs = compared_teams.pairs
    assert np.isnan([pairs.standard_error[0], pairs.low[0], pairs.high_all[0]]).all()
    assert pairs.p.tolist() == [1]
    assert ranks_of(compared_teams) == [[1, 2], [1, 1], [2, 2]]
    assert np.isnan(compared_teams.visible)


@pytest.mark.parametrize(("n", "is_known"), [(9, False), (10, True)])
def test_a_difference_is_visible_with_at_least_10_items(n, is_known):
    values = np.stack([np.arange(n) / n, np.arange(n)[::-1] / n], axis=1)
    assert math.isnan(compare(halves_of(values)).visible) != is_known


def test_a_single_submission_is_the_best():
    compared_teams = compare([team(0.5, 0.1, 40)])
    assert ranks_of(compared_teams) == [[1], [1], [1]]
    assert compared_teams.may_be_best.tolist() == [True]
    assert len(compared_teams.pairs.p) == 0
    assert np.isnan(compared_teams.visible)


def test_smallest_visible_difference_and_items_that_another_needs():
    teams = [team(0.5 + k / 10, 0.01 * k, 25) for k in range(4)]
    compared_teams = compare(teams)
    expected = student_quantile(1 - 0.05 / 12, 24) * float(np.median(compared_teams.pairs.standard_error))
    assert compared_teams.visible == pytest.approx(expected, abs=1e-12)
    assert compared_teams.items_needed(expected / 2) == pytest.approx(100)
    assert np.isnan(compared_teams.items_needed(0.0))


def test_standard_error_of_a_difference_is_not_made_of_variances():
    """Two scores that always move together differ for certain, however wide their intervals are."""
    values = np.random.RandomState(3).rand(30) * 0.8
    one, other = halves_of(np.stack([values, values + 0.01], axis=1))
    low, high = intervals([one], (0, 1)).low[0], intervals([other], (0, 1)).high[0]
    assert high - low > 0.1
    assert compare([one, other]).pairs.p_adjusted[0] < 1e-9


def test_holm_by_hand():
    assert comparison.holm(np.array([0.01, 0.04, 0.03, 0.5])).tolist() == [0.04, 0.09, 0.09, 0.5]


@fewer_examples()
@given(TEAMS, st.data())
def test_copies_change_no_pair_of_others(values, data):
    distinct = np.unique(values, axis=1)
    m = distinct.shape[1]
    copied = data.draw(st.lists(st.integers(0, m - 1), max_size=3))
    alone = compare_distinct(halves_of(distinct))
    with_copies = compare_distinct(halves_of(np.hstack([distinct, distinct[:, copied]])))
    among_first = with_copies.pairs.second < m
    for one, other in zip(alone.pairs, with_copies.pairs):
        assert other[among_first].tolist() == pytest.approx(one.tolist(), abs=1e-9, nan_ok=True)
    assert with_copies.n_tests == alone.n_tests
    assert with_copies.visible == pytest.approx(alone.visible, abs=1e-9, nan_ok=True)
    # Sets count copies, as ranks do.
    assert (with_copies.rank_high <= m + len(copied)).all()


def test_submissions_of_which_none_is_a_copy_are_compared_as_a_ranking():
    values = np.random.RandomState(2).rand(30, 5)
    for one, other in zip(compare(halves_of(values)).pairs, compare_distinct(halves_of(values)).pairs):
        assert one.tolist() == other.tolist()


@given(TEAMS, st.data())
def test_a_baseline_is_tested_as_often_as_there_are_others(values, data):
    distinct = np.unique(values, axis=1)
    m = distinct.shape[1]
    baseline = data.draw(st.integers(0, m - 1))
    everything = compare_distinct(halves_of(distinct))
    compared_teams = compare_distinct(halves_of(distinct), baseline=baseline)
    assert compared_teams.n_tests == len(compared_teams.pairs.p) == m - 1
    assert (
        set(compared_teams.pairs.first.tolist()) | set(compared_teams.pairs.second.tolist()) == set(range(m))
        or m == 1
    )
    is_pair = (everything.pairs.first == baseline) | (everything.pairs.second == baseline)
    assert compared_teams.pairs.p.tolist() == everything.pairs.p[is_pair].tolist()
    assert (compared_teams.pairs.p_adjusted <= everything.pairs.p_adjusted[is_pair] + 1e-9).all()


def test_a_team_with_a_half_without_a_score_is_different_from_none():
    teams = [HalfScores(score, np.full(20, score), np.full(20, score), 50) for score in (0.2, 0.5, 0.9)]
    teams[1].first[3] = np.nan
    comparison = compare(teams)
    assert comparison.pairs.p.tolist() == [1, 0, 1]
    assert (comparison.rank_low[1], comparison.rank_high[1]) == (1, 3)
