"""Half-samples of independent items: how uncertain a score is.

The items are divided at random into two halves, `HALVES` times, and the score of each half is computed. The
spread of these scores is the standard error of the score of all items. Half-samples stay valid where a score
is not smooth in single items, as average precision and means over rare classes.

Conventions
-----------
n items, h = n // 2 of them in each first half, n - h in the second, S halves. Scores of halves are rounded to
`DECIMALS` decimals before anything else, because the last bits of matrix products differ between machines.
The halves depend on n and S alone, so that those of two submissions are paired.

Sources: McCarthy, Review of the International Statistical Institute 37, 1969 (half-samples); Efron, "The
Jackknife, the Bootstrap and Other Resampling Plans", 1982, chapter 8; Shao and Wu, Annals of Statistics 17,
1989 (samples that leave out many items); Efron, Journal of the American Statistical Association 82, 1987, and
DiCiccio and Efron, Biometrika 79, 1992 (acceleration); Abramowitz and Stegun, 26.7.3 and 26.7.4 (Student's
t).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Bools, Floats, Ints

HALVES = 500
DECIMALS = 10
LEVEL = 0.95
LEAST_ITEMS = 10
"""With fewer items an interval says little, and nothing is significant."""
LEAST_ERROR = 1e-9
"""A standard error below this one is 0."""
MANY_HALVES = 100
"""With fewer of them, their number limits what is known of the error, too."""
SEED = 20140906
# Weights, or sides, of items that are used at once.
_BLOCK = 4_000_000
_MOST_ACCELERATION = 1 / 6
_HALVINGS = 60
_FIRST_QUANTILE_BOUND = 13.0

Sides = NDArray[np.int8]
Range = tuple[Optional[float], Optional[float]]


# The interval needs what the scores of halves needed, and making it takes as long as some scores do.
@lru_cache(maxsize=1)
def sides(n_items: int, n_halves: int = HALVES) -> Sides:
    """Return which items are in the first half, 1, and which in the second, -1.

    Returns
    -------
    int8 array of shape (n_halves, n_items)

    Examples
    --------
    >>> sides(5, 3).sum(axis=1)
    array([-1, -1, -1])
    """
    # The stream of this generator is frozen: the same halves with every numpy.
    generator = np.random.RandomState(SEED)
    side = np.full((n_halves, n_items), -1, np.int8)
    for row in side:
        row[generator.permutation(n_items)[: n_items // 2]] = 1
    side.setflags(write=False)
    return side


class HalfScores(NamedTuple):
    """The score of a submission, and those of random halves of the items; all rounded.

    Attributes
    ----------
    score : float
        Of all items.
    first, second : float64 arrays of shape (n_halves,)
    n_items : int
        Independent items, or groups of them.
    """

    score: float
    first: Floats
    second: Floats
    n_items: int


def half_scores(reduce: Callable[[Floats], Floats], groups: Ints, n_halves: int = HALVES) -> HalfScores:
    """Return the scores of all items and of random halves of their groups.

    Parameters
    ----------
    reduce : callable
        Returns the score, shape (n_rows,), for each row of float64 weights of the items, (n_rows, n_items).
    groups : int array of shape (n_items,)
        The group of each item, ``0..n_groups-1``; a half holds whole groups.

    Examples
    --------
    >>> mean = lambda weights: weighted_mean(np.arange(4.0), weights)
    >>> half_scores(mean, np.array([0, 0, 1, 1]), 3).first
    array([0.5, 2.5, 0.5])
    """
    n_groups = int(groups.max(initial=-1)) + 1
    all_groups = np.ones((1, n_groups), bool)
    # The complement of the first row, of all items, is empty.
    group_in_first = np.concatenate([all_groups, sides(n_groups, n_halves) > 0])
    scores = np.zeros((2, n_halves + 1))
    n_rows = max(_BLOCK // max(2 * len(groups), 1), 1)
    for begin in range(0, n_halves + 1, n_rows):
        item_in_first = group_in_first[begin : begin + n_rows, groups]
        weights = np.concatenate([item_in_first, ~item_in_first]).astype(np.float64)
        scores[:, begin : begin + n_rows] = reduce(weights).reshape(2, -1)
    first, second = rounded(scores)
    return HalfScores(float(first[0]), first[1:], second[1:], n_groups)


def stacked(submissions: Sequence[HalfScores]) -> tuple[Floats, Floats]:
    """Return the scores of the first and of the second halves of m submissions, shape (n_halves, m).

    Examples
    --------
    >>> stacked([HalfScores(0.5, np.array([0.4]), np.array([0.6]), 20)])
    (array([[0.4]]), array([[0.6]]))
    """
    first = np.array([submission.first for submission in submissions])
    second = np.array([submission.second for submission in submissions])
    return first.T, second.T


def rounded(values: Floats) -> Floats:
    """Return the values with `DECIMALS` decimals, without a negative zero.

    Examples
    --------
    >>> rounded(np.array([-1e-12, 0.12345678901]))
    array([0.        , 0.12345679])
    """
    return np.round(values, DECIMALS) + 0.0


class Intervals(NamedTuple):
    """Intervals of m scores at `LEVEL`, and what they are made of; float64 arrays of shape (m,).

    Where all halves score the same, the standard error is 0 and no interval can be given; both ends are then
    numbers without a meaning.
    """

    low: Floats
    high: Floats
    standard_error: Floats
    bias: Floats
    acceleration: Floats

    @property
    def has_ends(self) -> Bools:
        """Which scores have an interval."""
        return self.standard_error > 0


def intervals(submissions: Sequence[HalfScores], score_range: Range) -> Intervals:
    """Return intervals of scores by Student's t, corrected for skewness, with an allowance for bias.

    With ``g(w) = w / (1 - a w)**2`` the ends are ``s - 2 max(bias, 0) + se g(a - t)`` and
    ``s - 2 min(bias, 0) + se g(a + t)``; t is the quantile for n - 1 degrees of freedom.

    Parameters
    ----------
    submissions : sequence of m HalfScores
        Of the same items, at least 2, and halves.
    score_range : pair of float or None
        The lowest and the highest score, to which intervals are cut; None for an open end.

    Examples
    --------
    >>> scores = np.linspace(0, 1, 20)
    >>> halves = half_scores(lambda weights: weighted_mean(scores, weights), np.arange(20))
    >>> interval = intervals([halves], (0.0, 1.0))
    >>> interval.low.round(2), interval.high.round(2)
    (array([0.35]), array([0.64]))
    """
    n_items = submissions[0].n_items
    score = np.array([submission.score for submission in submissions])
    first, second = stacked(submissions)
    error = standard_error(centered(first, second, n_items))
    bias = (first.mean(axis=0) + second.mean(axis=0)) / 2 - score
    acceleration = _acceleration(first - second, error, n_items)
    t = student_quantile(0.5 + LEVEL / 2, freedom(n_items, len(first)))
    lower_deviation = _stretched(acceleration - t, acceleration) * error
    upper_deviation = _stretched(acceleration + t, acceleration) * error
    low = score - 2 * np.maximum(bias, 0) + lower_deviation
    high = score - 2 * np.minimum(bias, 0) + upper_deviation
    lowest = -np.inf if score_range[0] is None else score_range[0]
    highest = np.inf if score_range[1] is None else score_range[1]
    return Intervals(
        low=np.clip(low, lowest, highest),
        high=np.clip(high, lowest, highest),
        standard_error=error,
        bias=bias,
        acceleration=acceleration,
    )


def _stretched(w: Floats, acceleration: Floats) -> Floats:
    """Return g(w), the distance of an end of the interval from the score in standard errors."""
    return w / (1 - acceleration * w) ** 2


def centered(first: Floats, second: Floats, n_items: int) -> Floats:
    """Return what the scores of halves differ from their means by, in units of the standard error.

    With ``f = sqrt(h / (n - h))`` those of the first halves are multiplied by f, the others divided by it.

    Shapes: (n_halves, m), (n_halves, m) -> (2 n_halves, m).

    Examples
    --------
    >>> centered(np.array([[0.4], [0.6]]), np.array([[0.6], [0.4]]), 20)
    array([[-0.1],
           [ 0.1],
           [ 0.1],
           [-0.1]])
    """
    h = n_items // 2
    factor = np.sqrt(h / (n_items - h))
    return np.concatenate([factor * (first - first.mean(axis=0)), (second - second.mean(axis=0)) / factor])


def standard_error(deviations: Floats) -> Floats:
    """Return the root mean square of each column, a little more with few halves; 0 if below `LEAST_ERROR`.

    Shapes: (2 n_halves, m), as `centered` returns them -> (m,). NaN where a half has no score.

    Examples
    --------
    >>> standard_error(np.array([[0.1], [-0.1]] * 100))
    array([0.1])
    >>> standard_error(np.array([[0.1], [-0.1]] * 5)).round(4)
    array([0.1118])
    """
    error = np.sqrt(np.einsum("ij,ij->j", deviations, deviations) / len(deviations))
    n_halves = len(deviations) // 2
    if 1 < n_halves < MANY_HALVES:
        error = error * np.sqrt(n_halves / (n_halves - 1))
    return np.where(error < LEAST_ERROR, 0.0, error)


def freedom(n_items: int, n_halves: int) -> int:
    """Return the degrees of freedom of Student's t, at least one.

    Examples
    --------
    >>> freedom(50, 500), freedom(50, 20)
    (49, 14)
    """
    if n_halves >= MANY_HALVES or n_halves < 2:
        return n_items - 1
    return max(round(1 / (1 / (n_items - 1) + 1 / (n_halves - 1))), 1)


def _acceleration(difference: Floats, error: Floats, n_items: int) -> Floats:
    """Return the acceleration: the skewness of what each item adds to the score; shape (m,).

    ``difference`` of shape (n_halves, m) is the score of the first half less that of the second.
    """
    if len(difference) < MANY_HALVES:
        return np.zeros_like(error)
    side = sides(n_items, len(difference))
    influence = np.zeros((n_items, difference.shape[1]))
    n_rows = max(_BLOCK // max(n_items, 1), 1)
    for begin in range(0, len(side), n_rows):
        block = slice(begin, begin + n_rows)
        influence += side[block].T.astype(np.float64) @ difference[block]
    influence /= len(side)
    # Over many halves the influence of an item is twice what it adds to the score, and the acceleration is a
    # sixth of the skewness: 48 = 6 * 2**3.
    skewness = ((influence - influence.mean(axis=0)) ** 3).sum(axis=0)
    value = np.divide(skewness, 48 * error**3, out=np.zeros_like(error), where=error > 0)
    return np.clip(value, -_MOST_ACCELERATION, _MOST_ACCELERATION)


def student_central(t: Floats, freedom: int) -> Floats:
    """Return P(-t <= T <= t) for t >= 0 and Student's t with whole degrees of freedom, by its finite series.

    Examples
    --------
    >>> student_central(np.array([0.0, 1.0]), 1).round(12)
    array([0. , 0.5])
    """
    angle = np.arctan(t / np.sqrt(freedom))
    sine, square = np.sin(angle), np.cos(angle) ** 2
    # The series of an even number of degrees begins with 1, that of an odd one with the cosine.
    odd = freedom % 2
    total = np.zeros_like(angle)
    for k in range(freedom // 2 - 1, 0, -1):
        total = (1 + total) * square * ((2 * k) / (2 * k + 1) if odd else (2 * k - 1) / (2 * k))
    series = (1 + total) * sine if freedom > 1 else np.zeros_like(angle)
    return 2 / np.pi * (angle + series * np.cos(angle)) if odd else series


def student_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t with whole degrees of freedom, for probabilities above 1/2.

    Examples
    --------
    >>> round(student_quantile(0.975, 1), 4)
    12.7062
    """
    central = 2 * probability - 1
    low, high = 0.0, _FIRST_QUANTILE_BOUND
    while student_central(np.array(high), freedom) < central:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if student_central(np.array(middle), freedom) < central:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Return the mean of values for each row of weights, 0 where the weights add up to 0.

    Shapes: (n,), (n_rows, n) -> (n_rows,).

    Examples
    --------
    >>> weighted_mean(np.array([0.0, 1.0]), np.array([[1.0, 1.0], [0.0, 0.0]]))
    array([0.5, 0. ])
    """
    total = weights.sum(axis=1)
    return weights @ values / np.where(total > 0, total, 1)
