"""When a change of a submission is a repair.

A *trial* is one change of a sample, with what agrees before and after it. It is a repair if

1. at least 30 % of the entries agree after it (50 % where a reading of columns is combined with a fit, or
   only a part of the items is changed);
2. that are twice as many as before, or 30 points more;
3. more items become better than worse, and it is no accident; with fewer than 14 items none becomes worse and
   at least 6 become better;
4. entries agree more with their own item than with three exchanged ones, and it is no accident: that is what
   tells a repair from a model that always predicts the median box.

Of several repairs the family that comes first wins, unless a later one agrees for 20 points more of the
entries; within a family the one with the best mean agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Floats, Ints

LEAST_SHARE = 0.3
LEAST_SHARE_OF_COMBINATION = 0.5
_GOOD_SHARE = 0.7
_MARGIN = 0.3
_LATER_MARGIN = 0.2
_FEW_ITEMS = 14
_LEAST_BETTER = 6
# How many standard errors more are better than worse: about 1 in 10,000, and 1 in 1,000.
_NO_ACCIDENT = 3.7
_OWN_ITEM = 3.1


class Family(Enum):
    """The families of changes."""

    READING = "reading"
    FIT = "fit"
    ITEM_SCALE = "item scale"
    EXACT = "exact"
    NUMBERS = "numbers"
    ORDER = "order"
    ITEMS = "items"


class Change(NamedTuple):
    """What a repair does to a submission; what is not given stays as it is.

    Attributes
    ----------
    corners : callable
        Returns the corners of regions, lower ends first, from those as submitted (n, 2 d), their items (n,)
        and the boxes of their wholes (n, 4) or None.
    item, slot : callables
        Return the items (n,), and slots (n, s), that regions belong to.
    word : callable
        Returns the name that is meant.
    """

    corners: Callable[[Floats, Ints, Floats | None], Floats] = lambda corners, item, parent: corners
    item: Callable[[Ints], Ints] = lambda numbers: numbers
    slot: Callable[[Ints], Ints] = lambda numbers: numbers
    word: Callable[[str], str] = str

    def renames(self, items: Sequence[str]) -> Callable[[str], str]:
        """Return what gives the item that the predictions of an item are of, by their names in the reference;
        without one a name that is none."""
        numbers = self.item(np.arange(len(items))).tolist()
        item_of_item = {
            item: items[number] for item, number in zip(items, numbers) if 0 <= number < len(items)
        }
        return lambda item: item_of_item.get(item, f"no item, but {item}")


class Trial(NamedTuple):
    """One change of a sample of n entries.

    Attributes
    ----------
    family : Family
    words : str
        How the submission is read, to follow "read": "as [x, y, width, height]".
    before, after : bool arrays of shape (n,)
        Which entries agree; after the change with what was fitted on other entries, if it has many
        parameters.
    item : int array of shape (n,)
    own_agreement, exchanged_agreement : float arrays of shape (n,)
        How much entries agree with their own item after the change, and with exchanged ones; NaN where there
        is nothing to agree with. Empty where it means nothing.
    change : Change, optional
        None where all of the submission cannot be changed.
    least_share : float
    """

    family: Family
    words: str
    before: Bools
    after: Bools
    item: Ints
    own_agreement: Floats = np.zeros(0)
    exchanged_agreement: Floats = np.zeros(0)
    change: Change | None = None
    least_share: float = LEAST_SHARE

    @property
    def share_before(self) -> float:
        """The share of the entries that agree as submitted."""
        return float(self.before.mean())

    @property
    def share_after(self) -> float:
        """The share of the entries that agree after the change."""
        return float(self.after.mean())

    @property
    def closeness(self) -> float:
        """The mean agreement after the change."""
        return float(self.own_agreement.mean()) if len(self.own_agreement) else self.share_after

    def gain_of_items(self) -> tuple[Ints, Ints]:
        """Return the items, and how many entries of each more agree after the change than before."""
        items, place = np.unique(self.item, return_inverse=True)
        gain = np.bincount(place, self.after.astype(np.float64) - self.before)
        return items, np.rint(gain).astype(np.int64)

    def is_repair(self) -> bool:
        """Return whether all rules hold."""
        if not self._agrees_far_more():
            return False
        _, gain = self.gain_of_items()
        if len(gain) < _FEW_ITEMS:
            is_accident = (gain < 0).any() or (gain > 0).sum() < _LEAST_BETTER
        else:
            is_accident = not _are_more(gain, np.zeros(len(gain)), _NO_ACCIDENT)
        if is_accident:
            return False
        is_own = not len(self.own_agreement)
        return is_own or _are_more(self.own_agreement, self.exchanged_agreement, _OWN_ITEM)

    def _agrees_far_more(self) -> bool:
        if not len(self.after) or self.share_after < self.least_share:
            return False
        return self.share_after >= min(2 * self.share_before, self.share_before + _MARGIN)


def _are_more(first: Floats | Ints, second: Floats, standard_errors: float) -> bool:
    """Return whether the first are more often larger than smaller, by so many standard errors of chance."""
    n_larger, n_smaller = int((first > second).sum()), int((first < second).sum())
    return n_larger - n_smaller > standard_errors * float(np.sqrt(max(n_larger + n_smaller, 1)))


def agrees_well(agreement: Bools) -> bool:
    """Return whether so many entries agree as submitted, more than 70 %, that nothing is searched."""
    return not len(agreement) or float(agreement.mean()) > _GOOD_SHARE


def best_repair(families: Iterable[Iterable[Trial]]) -> Trial | None:
    """Return the repair among trials that come family by family, None if none passes all rules.

    No further family is tried when none can agree for 20 points more.
    """
    best: Trial | None = None
    for trials in families:
        repairs = [trial for trial in trials if trial.is_repair()]
        if repairs:
            candidate = max(repairs, key=lambda trial: trial.closeness)
            if best is None or candidate.share_after >= best.share_after + _LATER_MARGIN:
                best = candidate
        if best is not None and best.share_after > 1 - _LATER_MARGIN:
            break
    return best
