"""Stability and items of rankings against brute force; ranks and pairs are tested with the metrics."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest

from organizer.ranking import statistics
from scoring_program.metrics.resampling import HalfScores, half_scores, weighted_mean

PICK = np.random.RandomState(5)
ITEMS = np.round(np.clip(PICK.normal([0.5, 0.52, 0.5, 0.3, 0.9], 0.2, size=(40, 5)), 0, 1), 1).T
TEAMS = [half_scores(partial(weighted_mean, own), np.arange(40), 100) for own in ITEMS]


def brute_ranks(scores):
    return [1 + sum(other > own for other in scores) for own in scores]


def brute_tau_b(first, second):
    signs = [
        (np.sign(first[i] - first[j]), np.sign(second[i] - second[j]))
        for i, j in itertools.combinations(range(len(first)), 2)
    ]
    untied = [sum(pair[k] != 0 for pair in signs) for k in (0, 1)]
    return sum(a * b for a, b in signs) / math.sqrt(untied[0] * untied[1])


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_stability_by_brute_force(higher_is_better):
    sign = 1 if higher_is_better else -1
    found = statistics.stability(TEAMS, higher_is_better)
    halves = [
        [sign * score for score in half]
        for side in ("first", "second")
        for half in zip(*(getattr(t, side) for t in TEAMS))
    ]
    by_half = [brute_ranks(half) for half in halves]
    for i in range(5):
        own = [ranks[i] for ranks in by_half]
        assert found.shares[i].tolist() == pytest.approx([own.count(rank) / 200 for rank in range(1, 6)])
    both_halves = list(zip(by_half[:100], by_half[100:]))
    for i in range(5):
        n_first = sum(first[i] == second[i] == 1 for first, second in both_halves)
        assert found.first_on_both[i] == n_first
    ranking = brute_ranks([sign * team.score for team in TEAMS])
    taus = [brute_tau_b(ranking, ranks) for ranks in by_half if len(set(ranks)) > 1]
    assert found.tau == pytest.approx(sum(taus) / len(taus), abs=1e-12)


def test_order_of_submissions_changes_nothing_but_the_order():
    order = [3, 1, 4, 0, 2]
    one, other = (statistics.stability(teams, True) for teams in (TEAMS, [TEAMS[i] for i in order]))
    assert (one.shares[order] == other.shares).all()
    assert other.tau == pytest.approx(one.tau, abs=1e-12)


def test_shared_first_ranks_count_for_each():
    found = statistics.stability([TEAMS[0], TEAMS[0]], True)
    assert found.shares.tolist() == [[1, 0], [1, 0]]
    assert np.isnan(found.tau)


def test_a_single_submission_is_always_first():
    found = statistics.stability(TEAMS[:1], True)
    assert found.shares.tolist() == [[1]]
    assert np.isnan(found.tau)


def test_without_halves_there_is_no_stability():
    none = HalfScores(0.0, np.zeros(0), np.zeros(0), 0)
    assert statistics.stability([none, none], True).shares.shape == (0, 2)


def test_only_the_first_teams_are_shown_with_their_ranks_among_all():
    found = statistics.stability(TEAMS, True, most_teams=2)
    assert found.shares.shape == (2, 5)
    assert (found.shares == statistics.stability(TEAMS, True).shares[:2]).all()
    assert found.shares[0, 2:].sum() > 0


def test_tau_b_where_it_is_undefined():
    assert np.isnan(statistics.tau_b(np.array([1, 1, 1]), np.array([1, 2, 3])))
    assert np.isnan(statistics.tau_b(np.array([1]), np.array([1])))
    assert statistics.tau_b(np.array([1, 2, 2, 4]), np.array([4, 2, 3, 1])) == pytest.approx(
        brute_tau_b([1, 2, 2, 4], [4, 2, 3, 1])
    )


def test_items_without_a_score_are_left_out_of_the_mean():
    scores = np.array([[0.2, np.nan, np.nan], [0.6, 0.5, np.nan]])
    mean, spread, number = statistics.item_difficulty(scores)
    assert mean[:2].tolist() == [0.4, 0.5]
    assert spread[:2].tolist() == [0.2, 0.0]
    assert np.isnan([mean[2], spread[2]]).all()
    assert number.tolist() == [2, 1, 0]
