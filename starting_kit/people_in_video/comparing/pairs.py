"""Comparing submissions to the same items: differences, ranks, and how sure both are.

Pairs of m submissions are compared by Student's t with the standard error of their difference over random
halves of the items (`metrics.resampling`), adjusted for the number of tests. Ranks, rank sets and tests come
from one source, so they cannot contradict each other. Whether the intervals of two scores overlap says
nothing about their difference, because submissions are paired.

Conventions
-----------
m submissions, K = m (m - 1) / 2 pairs i < j in the order of i, then j. A difference is the score of i less
that of j, whichever direction is better.

Sources: Holm, Scandinavian Journal of Statistics 6, 1979 (adjusted p values); Mogstad, Romano, Shaikh and
Wilhelm, Review of Economic Studies 91, 2024 (rank sets).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring_program.metrics import resampling
from scoring_program.metrics.resampling import LEAST_ITEMS, LEVEL, HalfScores
from validator.arrays import Bools, Floats, Ints

SIGNIFICANT = 0.05


class Pairs(NamedTuple):
    """Pairs i < j of submissions; arrays of shape (n_pairs,).

    Attributes
    ----------
    first, second : int arrays
        i and j.
    difference, standard_error : float64 arrays
        Score of i less that of j, and its standard error; NaN with fewer than 2 items.
    low, high : float64 arrays
        The 95 % interval of the difference for this pair alone; NaN with fewer than 2 items.
    low_all, high_all : float64 arrays
        The same at 95 % for all tests at once.
    p, p_adjusted : float64 arrays
        The two-sided p value, and the same adjusted for all tests by `holm`; 1 for pairs that are no test.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    difference: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    low_all: Floats
    high_all: Floats
    p: Floats
    p_adjusted: Floats

    def of(self, place: int) -> Ints:
        """Return the numbers of the pairs of one submission, in the order of the other ones."""
        return np.flatnonzero((self.first == place) | (self.second == place))

    def other(self, pair: int, place: int) -> int:
        """Return the submission that a pair compares the one at a place with."""
        return int(self.first[pair] + self.second[pair]) - place

    @property
    def numbers(self) -> dict[str, Floats]:
        """The differences, their intervals, and the p values, as tables of pairs have them."""
        names = ("difference", "low", "high", "low_all", "high_all", "p", "p_adjusted")
        return {name: getattr(self, name) for name in names}

    @property
    def is_significant(self) -> Bools:
        """Whether the two scores differ by more than chance explains."""
        return self.p_adjusted < SIGNIFICANT


class Comparison(NamedTuple):
    """Ranks of m submissions, how sure they are, and all pairs; arrays of shape (m,).

    Attributes
    ----------
    rank : int array
        1 + the number of better scores; equal scores share a rank.
    rank_low, rank_high : int arrays
        The rank set: all sets together hold all true ranks in at least 95 % of references.
    visible : float
        The smallest difference that this reference can show for a typical pair; NaN where none can be.
    n_tests : int
        How many tests p values are adjusted for.
    """

    rank: Ints
    rank_low: Ints
    rank_high: Ints
    pairs: Pairs
    visible: float
    n_items: int
    n_tests: int

    @property
    def may_be_best(self) -> Bools:
        """Which submissions none is significantly better than."""
        return self.rank_low == 1

    def rank_set_text(self, place: int) -> str:
        """Return the possible ranks of a submission as text: "2 to 4"."""
        low, high = self.rank_low[place], self.rank_high[place]
        return f"{low} to {high}" if low < high else str(low)

    def items_needed(self, difference: float) -> float:
        """Return how many items would show a difference of a typical pair, NaN where none can be named."""
        return self.n_items * (self.visible / difference) ** 2 if difference else np.nan


def compare(submissions: Sequence[HalfScores], higher_is_better: bool = True) -> Comparison:
    """Compare each submission with each other; all have the same items and halves.

    Examples
    --------
    >>> halves = np.linspace(0, 0.1, 11)
    >>> submissions = [HalfScores(s, s + halves, s + halves[::-1], 20) for s in (0.7, 0.5, 0.7)]
    >>> compare(submissions).rank, compare(submissions).rank_high
    (array([1, 3, 1]), array([2, 3, 2]))
    """
    m = len(submissions)
    return _compare(submissions, higher_is_better, tests=np.arange(m * (m - 1) // 2))


def compare_distinct(
    submissions: Sequence[HalfScores], higher_is_better: bool = True, baseline: int | None = None
) -> Comparison:
    """Compare submissions of which some may be exact copies of others, or all with one of them alone.

    A pair of copies is no test, and pairs of the copies of two submissions are one test: a copy does not
    change what is said of any other pair. With the number of a ``baseline`` its pairs alone are tests, and
    ``pairs`` holds no others.

    Examples
    --------
    >>> halves = np.linspace(0, 0.1, 11)
    >>> submissions = [HalfScores(s, s + halves, s + halves[::-1], 20) for s in (0.7, 0.5, 0.7)]
    >>> compare_distinct(submissions).n_tests, compare_distinct(submissions).pairs.p_adjusted
    (1, array([0., 1., 0.]))
    >>> compare_distinct(submissions, baseline=1).pairs.first
    array([0, 1])
    """
    tests = _distinct_tests(submissions, baseline)
    comparison = _compare(submissions, higher_is_better, tests)
    if baseline is None:
        return comparison
    pairs = comparison.pairs
    has_baseline = (pairs.first == baseline) | (pairs.second == baseline)
    return comparison._replace(pairs=Pairs(*(values[has_baseline] for values in pairs)))


def _distinct_tests(submissions: Sequence[HalfScores], baseline: int | None) -> Ints:
    """Return the number of the test of each pair, from 0 on; -1 for pairs that are no test."""
    m = len(submissions)
    original = _originals(submissions)
    i, j = np.triu_indices(m, k=1)
    is_test = original[i] != original[j]
    if baseline is not None:
        is_test &= (original[i] == original[baseline]) | (original[j] == original[baseline])
    pair_of_originals = np.minimum(original[i], original[j]) * m + np.maximum(original[i], original[j])
    tests = np.full(len(i), -1)
    tests[is_test] = np.unique(pair_of_originals[is_test], return_inverse=True)[1]
    return tests


def _originals(submissions: Sequence[HalfScores]) -> Ints:
    """Return for each submission the first one with the same scores of all items and of all halves."""
    first_of_scores: dict[bytes, int] = {}
    originals = []
    for number, submission in enumerate(submissions):
        scores = np.concatenate([[submission.score], submission.first, submission.second])
        originals.append(first_of_scores.setdefault(scores.tobytes(), number))
    return np.array(originals)


def _compare(submissions: Sequence[HalfScores], higher_is_better: bool, tests: Ints) -> Comparison:
    """Compare submissions; ``tests`` (n_pairs,) are the numbers of the tests of all pairs, -1 for none."""
    score = np.array([submission.score for submission in submissions])
    first_halves, second_halves = resampling.stacked(submissions)
    m, n_items = len(submissions), submissions[0].n_items
    pairs = compare_pairs(score, first_halves, second_halves, n_items, tests)
    test_numbers, pair_of_test = np.unique(tests, return_index=True)
    pair_of_test = pair_of_test[test_numbers >= 0]
    rank_low, rank_high = rank_sets(pairs, m, higher_is_better)
    return Comparison(
        rank=ranks(score, higher_is_better),
        rank_low=rank_low,
        rank_high=rank_high,
        pairs=pairs,
        visible=_visible_difference(pairs.standard_error[pair_of_test], n_items, len(first_halves)),
        n_items=n_items,
        n_tests=len(pair_of_test),
    )


def rank_sets(pairs: Pairs, m: int, higher_is_better: bool, level: float = SIGNIFICANT) -> tuple[Ints, Ints]:
    """Return the ends (m,) of the rank sets whose tests together err with a probability of at most ``level``.

    ``pairs`` are those of m submissions.
    """
    is_significant = pairs.p_adjusted < level
    gain_of_first = pairs.difference if higher_is_better else -pairs.difference
    better = np.where(gain_of_first > 0, pairs.first, pairs.second)
    worse = np.where(gain_of_first > 0, pairs.second, pairs.first)
    n_better = np.bincount(worse[is_significant], minlength=m)
    n_worse = np.bincount(better[is_significant], minlength=m)
    return 1 + n_better, m - n_worse


def _visible_difference(error: Floats, n_items: int, n_halves: int) -> float:
    """Return the smallest difference of a typical pair that is significant, NaN where none can be.

    ``error`` (n_tests,) holds the standard errors.
    """
    if not len(error) or n_items < LEAST_ITEMS:
        return np.nan
    freedom = resampling.freedom(n_items, n_halves)
    return _quantile_for_all(len(error), freedom) * float(np.median(error))


def ranks(score: Floats, higher_is_better: bool = True) -> Ints:
    """Return 1 + the number of better scores; equal scores share a rank. Shapes: (m,) -> (m,).

    Examples
    --------
    >>> ranks(np.array([0.5, 0.7, 0.5]))
    array([2, 1, 2])
    """
    cost = -score if higher_is_better else score
    return 1 + np.searchsorted(np.sort(cost), cost)


def compare_pairs(score: Floats, first: Floats, second: Floats, n_items: int, tests: Ints) -> Pairs:
    """Compare all pairs of m submissions.

    Shapes: (m,), (n_halves, m), (n_halves, m); all rounded as `resampling.half_scores` returns them.
    ``tests`` (n_pairs,) are the numbers of the tests of the pairs, -1 for pairs that are none.

    Examples
    --------
    >>> halves = np.linspace(0, 0.1, 11)[:, None] + [0.7, 0.5]
    >>> pairs = compare_pairs(np.array([0.75, 0.55]), halves, halves[::-1], 20, np.array([0]))
    >>> pairs.difference, pairs.p
    (array([0.2]), array([0.]))
    """
    m = len(score)
    i, j = np.triu_indices(m, k=1)
    difference = resampling.rounded(score[i] - score[j])
    # One item says nothing about the error.
    error = np.full(len(i), np.nan)
    if n_items > 1:
        # The halves of one submission after another, so that each difference is read in one go.
        deviations = np.ascontiguousarray(resampling.centered(first, second, n_items).T)
        errors = [resampling.standard_error((deviations[k] - deviations[k + 1 :]).T) for k in range(m)]
        error = np.concatenate([np.zeros(0), *errors])
    p = _p_values(difference, error, n_items, len(first))
    freedom = resampling.freedom(max(n_items, 2), len(first))
    radius = resampling.student_quantile(0.5 + LEVEL / 2, freedom) * error
    n_tests = int(tests.max(initial=-1)) + 1
    radius_all = _quantile_for_all(max(n_tests, 1), freedom) * error
    return Pairs(
        first=i,
        second=j,
        difference=difference,
        standard_error=error,
        low=difference - radius,
        high=difference + radius,
        low_all=difference - radius_all,
        high_all=difference + radius_all,
        p=p,
        p_adjusted=_adjusted(p, tests, n_tests),
    )


def _adjusted(p: Floats, tests: Ints, n_tests: int) -> Floats:
    """Return the p values of pairs, adjusted for all tests; shape (n_pairs,)."""
    is_test = tests >= 0
    # Pairs of one test have one p value.
    p_of_test = np.ones(n_tests)
    p_of_test[tests[is_test]] = p[is_test]
    adjusted = np.ones_like(p)
    adjusted[is_test] = holm(p_of_test)[tests[is_test]]
    return adjusted


def _quantile_for_all(n_tests: int, freedom: int) -> float:
    """Return the quantile of Student's t for all tests at once."""
    n_tails = 2 * n_tests
    return resampling.student_quantile(1 - (1 - LEVEL) / n_tails, freedom)


def _p_values(difference: Floats, error: Floats, n_items: int, n_halves: int) -> Floats:
    """Return the p value of each pair; 1 where a half has no score, so that its error is not known."""
    if n_items < LEAST_ITEMS:
        return np.ones_like(difference)
    t = np.divide(np.abs(difference), error, out=np.full_like(error, np.inf), where=error > 0)
    p = student_p(t, resampling.freedom(n_items, n_halves))
    return np.where((difference == 0) | np.isnan(error), 1.0, p)


def holm(p: Floats) -> Floats:
    """Return p values adjusted by Holm's step-down method, rounded to 10 decimals; shape (n,).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return resampling.rounded(adjusted)


_LARGEST_T = 40.0


def student_p(t: Floats, freedom: int) -> Floats:
    """Return the two-sided p value of t >= 0, P(\\|T\\| >= t); 0 above 40.

    Examples
    --------
    >>> student_p(np.array([0.0, 1.0]), 1).round(12)
    array([1. , 0.5])
    """
    p = 1 - resampling.student_central(np.minimum(t, _LARGEST_T), freedom)
    return np.where(t > _LARGEST_T, 0.0, p)
