"""By how much the best of many submissions is too good: what choosing it on the same items has won.

The best is chosen on one half of the items and scored on the other. Over many halves the difference is what
choosing wins on half of the items. On all of them it wins less by the square root of 2, as noise does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program.metrics.resampling import LEAST_ITEMS, HalfScores, stacked
from validator.arrays import Floats


def expected_drop(submissions: Sequence[HalfScores], higher_is_better: bool) -> float | None:
    r"""Return by how much the score of the best submission is expected to be worse on new items, at most.

    With scores :math:`A_{b,k}` and :math:`B_{b,k}` of submission k on the halves of division b, and :math:`c`
    the best on the first half, the first one of equals:

    .. math:: d = \max\left(0, \frac{1}{2 S} \sum_b
              \frac{(A_{b,c} - B_{b,c}) + (B_{b,c'} - A_{b,c'})}{\sqrt 2}\right)

    where :math:`c'` is the best on the second half. Differences are negated where lower scores are better.

    Parameters
    ----------
    submissions : sequence of HalfScores
        Different submissions of one team, scored on the same halves.

    Returns
    -------
    float or None
        None for a single submission, or fewer than 10 items.

    Examples
    --------
    >>> one = HalfScores(0.5, np.array([0.6, 0.4]), np.array([0.4, 0.6]), 20)
    >>> other = HalfScores(0.5, np.array([0.5, 0.5]), np.array([0.5, 0.5]), 20)
    >>> round(expected_drop([one, other], True), 4)
    0.0707
    """
    if len(submissions) < 2 or submissions[0].n_items < LEAST_ITEMS:
        return None
    sign = 1.0 if higher_is_better else -1.0
    first, second = stacked(submissions)
    gains = np.concatenate([_gain(sign * first, sign * second), _gain(sign * second, sign * first)])
    return max(float(gains.mean() / np.sqrt(2)), 0.0)


def _gain(chosen_on: Floats, scored_on: Floats) -> Floats:
    """Return how much better the best on one half is there than on the other. Shapes: (S, K) -> (S,)."""
    best = chosen_on.argmax(axis=1)
    division = np.arange(len(best))
    gain: Floats = chosen_on[division, best] - scored_on[division, best]
    return gain
