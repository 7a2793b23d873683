"""When a repair is reported.

A *trial* is one change of a sample, with what agrees before and after it. It is a repair if all of these
hold:

1. at least 30 % of the entries agree after it (50 % where a reading of columns is combined with a fit), on
   entries that its parameters were not fitted on;
2. that are twice as many as before, or 30 points more;
3. the gain is no accident: a sign test over items, 1 in 10,000; with fewer than 14 items none becomes worse
   and at least 6 become better;
4. changed entries agree more with their own item than with three exchanged ones: a sign test over entries,
   1 in 1,000. It is what tells a repair from a model that always predicts the median box;
5. the change is one: the median IoU of boxes before and after it is at most 0.75, and boxes that only grow or
   shrink about their own center do not fit as well.

Of several repairs the family that comes first wins, unless a later one agrees for 20 points more of the
entries; within a family the one with the best mean agreement (of IoU, for boxes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from math import comb
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Floats, Ints

LEAST_SHARE = 0.3
LEAST_SHARE_OF_COMBINATION = 0.5
# Above it nothing is searched.
_GOOD_SHARE = 0.7
# Where there are few entries, fewer agree if several names or items may be mapped to one.
_SHARE_WORTH_ASSIGNING = LEAST_SHARE / 2
_TIMES = 2.0
_MARGIN = 0.3
_P_GAIN = 1e-4
_FEW_ITEMS = 14
_LEAST_BETTER = 6
_P_OWN_ITEM = 1e-3
_P_OWN_ITEM_AT_FIRST = 0.05
_LATER_MARGIN = 0.2


class Family(IntEnum):
    """The families of changes, in the order in which they are searched."""

    READING = 1
    FIT = 2
    ITEM_SCALE = 3
    EXACT = 4
    SPELLING = 5
    NUMBERS = 6
    ORDER = 7
    ITEMS = 8


def keep_columns(columns: Floats, item: Ints, parent: Floats | None = None) -> Floats:
    """Return regions as they are."""
    return columns


def keep_items(item: Ints) -> Ints:
    """Return items as they are."""
    return item


def keep_slots(slot: Ints) -> Ints:
    """Return slots as they are."""
    return slot


def keep_word(word: str) -> str:
    """Return a word as it is."""
    return word


class Change(NamedTuple):
    """What a repair does, to be applied before something else is compared.

    Attributes
    ----------
    columns : callable
        Returns the corners of regions, lower ends first, from the columns as submitted (n, 2 d), their items
        (n,) and the boxes of their wholes (n, 2 d) or None.
    item : callable
        Returns the items (n,) that entries belong to.
    slot : callable
        Returns the slots (n, s) that entries belong to.
    word : callable
        Returns the name or the id that is meant.
    """

    columns: Callable[[Floats, Ints, Floats | None], Floats] = keep_columns
    item: Callable[[Ints], Ints] = keep_items
    slot: Callable[[Ints], Ints] = keep_slots
    word: Callable[[str], str] = keep_word


class Trial(NamedTuple):
    """One change of a sample of n entries.

    Attributes
    ----------
    family : Family
    words : str
        How the submission is read, to follow "read": "as [x, y, width, height]".
    before, after : bool arrays of shape (n,)
        Which entries agree; after the change with parameters that were fitted on other entries.
    item : int array of shape (n,)
    closeness : float
        The mean agreement after the change, between 0 and 1, which ranks trials of one family.
    own_agreement, exchanged_agreement : float arrays of shape (n,)
        How much entries agree with their own item after the change, and with exchanged ones; NaN where an
        exchanged item has nothing to agree with. Empty where it means nothing, as for ids.
    change : Change
    is_other : bool
        Whether the change makes other boxes of them (rule 5).
    least_share : float
    compares_labels : bool
        Whether annotations were looked at, which is not so where ids and vocabulary are public.
    """

    family: Family
    words: str
    before: Bools
    after: Bools
    item: Ints
    closeness: float
    change: Change
    own_agreement: Floats = np.zeros(0)
    exchanged_agreement: Floats = np.zeros(0)
    is_other: bool = True
    least_share: float = LEAST_SHARE
    compares_labels: bool = True

    @property
    def share(self) -> float:
        """The share of the entries that agree after the change."""
        return float(self.after.mean())

    def of_entries(self, is_kept: Bools) -> Trial:
        """Return the trial of some entries; ``is_kept`` has shape (n,)."""
        trial = self._replace(before=self.before[is_kept], after=self.after[is_kept], item=self.item[is_kept])
        if not len(self.own_agreement):
            return trial
        return trial._replace(
            own_agreement=self.own_agreement[is_kept],
            exchanged_agreement=self.exchanged_agreement[is_kept],
        )

    def gain_of_item(self) -> Ints:
        """Return how many entries of each item more agree after the change than before, shape (n_items,)."""
        gain = self.after.astype(np.int64) - self.before
        _, item = np.unique(self.item, return_inverse=True)
        return np.bincount(item, gain).astype(np.int64)


def is_repair(trial: Trial) -> bool:
    """Return whether all rules hold for a trial."""
    return (
        trial.is_other
        and _agrees_far_more(trial.before, trial.after, trial.least_share)
        and _is_no_accident(trial)
        and _is_of_own_item(trial.own_agreement, trial.exchanged_agreement)
    )


def agrees_well(agreement: Bools) -> bool:
    """Return whether so many entries agree as submitted, more than 70 %, that nothing is searched."""
    return not len(agreement) or float(agreement.mean()) > _GOOD_SHARE


def may_become_repair(before: Bools, best_case: Bools) -> bool:
    """Return whether a change can pass of which ``best_case`` (k,) says what agrees in the best case."""
    if not len(best_case):
        return False
    share_before, share_after = float(before.mean()), float(best_case.mean())
    return share_after >= LEAST_SHARE and _is_far_more(share_before, share_after)


def may_be_of_own_item(own_agreement: Floats, exchanged_agreement: Floats) -> bool:
    """Return whether entries may agree more with their own item than with exchanged ones (n,), after a change
    that is not refined yet."""
    return _is_of_own_item(own_agreement, exchanged_agreement, _P_OWN_ITEM_AT_FIRST)


def may_be_in_other_order(before: Bools, with_nearest: Bools) -> bool:
    """Return whether a one-to-one map may be a repair if ``with_nearest`` (n,) agree after each name or item
    is mapped to the one that it fits best, several maybe to the same.

    That needs no assignment, which takes far longer to import than to make.
    """
    share_before, share = float(before.mean()), float(with_nearest.mean())
    is_more = share >= min((1 + _TIMES) / 2 * share_before, share_before + _MARGIN / 2)
    return share >= _SHARE_WORTH_ASSIGNING and is_more


def _is_far_more(share_before: float, share_after: float) -> bool:
    """Return whether a share is twice as large as before, or 30 points larger (rule 2)."""
    return share_after >= min(_TIMES * share_before, share_before + _MARGIN)


def _agrees_far_more(before: Bools, after: Bools, least_share: float) -> bool:
    """Return whether enough entries agree after a change, and far more than before (rules 1 and 2)."""
    share_before, share_after = float(before.mean()), float(after.mean())
    return share_after >= least_share and _is_far_more(share_before, share_after)


def _is_no_accident(trial: Trial) -> bool:
    """Return whether so many items become better that it is no accident (rule 3)."""
    gain_of_item = trial.gain_of_item()
    n_better, n_worse = int((gain_of_item > 0).sum()), int((gain_of_item < 0).sum())
    if len(gain_of_item) < _FEW_ITEMS:
        return not n_worse and n_better >= _LEAST_BETTER
    return sign_test(n_better, n_worse) <= _P_GAIN


def _is_of_own_item(own_agreement: Floats, exchanged_agreement: Floats, most: float = _P_OWN_ITEM) -> bool:
    """Return whether entries (n,) agree more with their own item than with exchanged ones (rule 4)."""
    if not len(own_agreement):
        return True
    n_better = int((own_agreement > exchanged_agreement).sum())
    n_worse = int((own_agreement < exchanged_agreement).sum())
    return sign_test(n_better, n_worse) <= most


def sign_test(better: int, worse: int) -> float:
    """Return the probability of so many better ones, or more, if better and worse are equally likely.

    Examples
    --------
    >>> sign_test(3, 0), sign_test(0, 0)
    (0.125, 1.0)
    """
    n = better + worse
    n_outcomes = sum(comb(n, number) for number in range(better, n + 1))
    return n_outcomes / 2**n


def best_repair(families: Iterable[Iterable[Trial]]) -> Trial | None:
    """Return the repair among trials that come family by family, None if none passes all rules.

    No further family is tried when none can agree for 20 points more.
    """
    best: Trial | None = None
    for trials in families:
        repairs = [trial for trial in trials if is_repair(trial)]
        if repairs:
            candidate = max(repairs, key=lambda trial: trial.closeness)
            if best is None or candidate.share >= best.share + _LATER_MARGIN:
                best = candidate
        if best is not None and best.share > 1 - _LATER_MARGIN:
            break
    return best
