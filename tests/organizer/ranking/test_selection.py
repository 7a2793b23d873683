"""By how much the best of many submissions is too good: against a plain program, and against the truth."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from organizer.ranking.selection import expected_drop
from scoring_program.metrics.resampling import HalfScores, half_scores, weighted_mean

N_ITEMS = 60
N_HALVES = 40
N_SAMPLES = 500


def submissions_of(item_scores, n_halves=N_HALVES):
    """Return the submissions whose items have these scores, shape (K, n)."""
    items = np.arange(item_scores.shape[1])
    return [half_scores(partial(weighted_mean, scores), items, n_halves) for scores in item_scores]


def plain_drop(submissions, sign):
    total, number = 0.0, 0
    for division in range(len(submissions[0].first)):
        firsts = [sign * submission.first[division] for submission in submissions]
        seconds = [sign * submission.second[division] for submission in submissions]
        for chosen_on, scored_on in ((firsts, seconds), (seconds, firsts)):
            best = chosen_on.index(max(chosen_on))
            total += (chosen_on[best] - scored_on[best]) / 2**0.5
            number += 1
    return max(total / number, 0.0)


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("n_items", [10, 31])
@pytest.mark.parametrize("n_submissions", [2, 7])
def test_drop_is_that_of_a_plain_program(higher_is_better, n_items, n_submissions):
    rng = np.random.default_rng(n_items + n_submissions)
    # With few values there are equal scores, of which the first counts.
    submissions = submissions_of(rng.integers(0, 3, (n_submissions, n_items)) / 2)
    expected = plain_drop(submissions, 1 if higher_is_better else -1)
    assert expected_drop(submissions, higher_is_better) == pytest.approx(expected, abs=1e-12)


def test_negative_drop_is_none_at_all():
    one = HalfScores(0.5, np.array([0.4]), np.array([0.6]), 20)
    other = HalfScores(0.1, np.array([0.1]), np.array([0.1]), 20)
    assert expected_drop([one, other], True) == 0


def test_single_submissions_and_few_items_have_none():
    item_scores = np.random.default_rng(1).random((3, 9))
    assert expected_drop(submissions_of(item_scores), True) is None
    assert expected_drop(submissions_of(np.ones((1, 20))), True) is None


def mean_drops(n_submissions, spread, difficulty_scale, n_samples=N_SAMPLES):
    """Return the true and the expected drop of made-up submissions, and the standard error of a score.

    Submissions of a team are equal but for noise, or each is worse than the one before: ``spread`` is the
    difference of two neighbors over the standard error of the noise. Items may be harder or easier for all
    of them. On new items the submission that was the best keeps its quality, and loses what noise had given
    to it.
    """
    generator = np.random.RandomState(11)
    noise_error = N_ITEMS**-0.5
    standard_error = noise_error * (1 + difficulty_scale**2) ** 0.5
    qualities = -spread * noise_error * np.arange(n_submissions)
    true_drops, drops = [], []
    for _ in range(n_samples):
        difficulty = difficulty_scale * generator.normal(size=N_ITEMS)
        noise = generator.normal(size=(n_submissions, N_ITEMS))
        item_scores = qualities[:, None] + difficulty + noise
        true_drops.append(noise[item_scores.mean(axis=1).argmax()].mean())
        in_first = generator.random_sample((N_HALVES, N_ITEMS)).argsort(axis=1) < N_ITEMS // 2
        first = item_scores @ in_first.T / (N_ITEMS // 2)
        second = item_scores @ ~in_first.T / (N_ITEMS // 2)
        submissions = [
            HalfScores(0.0, first[place], second[place], N_ITEMS) for place in range(n_submissions)
        ]
        drops.append(expected_drop(submissions, True) or 0.0)
    return float(np.mean(true_drops)), float(np.mean(drops)), standard_error


@pytest.mark.slow
@pytest.mark.parametrize("n_submissions", [2, 27])
@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 2.0])
def test_drop_of_similar_submissions_is_that_on_new_items(n_submissions, spread):
    """Scores of one team are correlated, here by 0.9."""
    true_drop, drop, standard_error = mean_drops(n_submissions, spread, difficulty_scale=3)
    assert drop >= 0.9 * true_drop
    if true_drop > standard_error / 10:
        assert drop <= 1.5 * true_drop


@pytest.mark.parametrize("n_submissions", [2, 27])
@pytest.mark.parametrize(("spread", "most"), [(1.0, 1.5), (2.0, 3.0)])
def test_drop_of_independent_submissions_is_too_large_where_one_is_clearly_the_best(
    n_submissions, spread, most
):
    true_drop, drop, _ = mean_drops(n_submissions, spread, difficulty_scale=0, n_samples=200)
    assert 0.9 * true_drop <= drop <= most * true_drop
