"""Cures of mistakes: what the search for repairs should find, and whether data can show it.

*The data can show a mistake* if the same search, given the right answer, passes: the sample that the search
compares, changed with the true parameters of the mistake instead of fitted ones, is a repair by the rules of
`people_in_video.diagnosis.decision`. Boxes that were shifted by 5 pixels cannot be told from right ones, nor
can a map of classes with two entries each; there silence is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar, Union

import numpy as np

from people_in_video.diagnosis.decision import (
    LEAST_SHARE,
    LEAST_SHARE_OF_COMBINATION,
    Change,
    Family,
    Trial,
    agrees_well,
    is_repair,
)
from people_in_video.diagnosis.name_trials import trial_of_ids, trial_of_name_items, trial_of_names
from people_in_video.diagnosis.region_trials import JudgedRegions
from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import SHARES_OF_POINTS, Arrays, Ids, Names, Sample
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repair, Repairs
from validator.arrays import Floats, Ints

SampleT = TypeVar("SampleT")
# Trials of a sample with the true parameters of a mistake.
TrueTrials = Callable[[Union[Sample, Trial]], Iterable[Trial]]
# The corners of regions as they are meant, (n, 2 d), from columns (n, 2 d) and the boxes of their wholes.
MeantCorners = Callable[[Floats, Union[Floats, None]], Floats]


class Cure(NamedTuple):
    """A repair that is right for a mistake.

    Attributes
    ----------
    compared : tuple of str
        Names of the comparisons in which it may be found, as "humans", "parts"; one is enough.
    family : Family
    true_trials : callable
    spread : Spread
        How the search samples entries for this family.
    """

    compared: Sequence[str]
    family: Family
    true_trials: TrueTrials
    spread: Spread = Spread.WIDE

    def is_found(self, repairs: Iterable[Repair]) -> bool:
        """Return whether one of the repairs that were found is this one, whatever its parameters."""
        return any(repair.what in self.compared and repair.family is self.family for repair in repairs)

    def can_be_shown(self, comparisons: Iterable[Comparison], other_repairs: Repairs) -> bool:
        """Return whether the data of a submission can show the mistake, after repairs of other kinds."""
        for comparison in comparisons:
            if comparison.what not in self.compared:
                continue
            sample = comparison.sample(other_repairs, self.spread)
            if sample is None or not len(sample.item):
                continue
            if any(not agrees_well(trial.before) and is_repair(trial) for trial in self.true_trials(sample)):
                return True
        return False


def _checked(sample: object, kind: type[SampleT]) -> SampleT:
    """Return a sample if it is of the kind that a cure is for."""
    if not isinstance(sample, kind):
        raise TypeError(f"a cure is for {kind.__name__}, and the sample is {type(sample).__name__}")
    return sample


def corners_cure(
    compared: Sequence[str], family: Family, meant_corners: MeantCorners, is_combination: bool = False
) -> Cure:
    """Return the cure of regions that were written in another way.

    ``is_combination``: a reading of columns and a fit, of which more entries must agree.
    """
    least_share = LEAST_SHARE_OF_COMBINATION if is_combination else LEAST_SHARE

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        regions = _checked(sample, Regions)
        corners = meant_corners(regions.columns, regions.parent)
        for level in regions.levels:
            judged = JudgedRegions(regions, level)
            for trial in judged.trials_of_corners(family, "", corners, Change()):
                yield trial._replace(least_share=least_share)

    return Cure(compared, family, true_trials)


def item_scale_cure(compared: Sequence[str], scale_of_item: Callable[[Ints], Floats]) -> Cure:
    """Return the cure of regions with a scale of each item; ``scale_of_item`` (n,) -> (n,) gives the true
    one by which they are to be multiplied."""

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        regions = _checked(sample, Regions)
        corners = regions.columns * scale_of_item(regions.item)[:, None]
        judged = JudgedRegions(regions, regions.levels[0])
        yield from judged.trials_of_corners(Family.ITEM_SCALE, "", corners, Change())

    return Cure(compared, Family.ITEM_SCALE, true_trials, Spread.DEEP)


def exact_shift_cure(compared: Sequence[str], shift: int) -> Cure:
    """Return the cure of intervals to whose ends ``shift`` is to be added."""

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        regions = _checked(sample, Regions)
        corners = regions.columns + shift
        after = regions.is_exact(corners)
        yield Trial(
            family=Family.EXACT,
            words="",
            before=regions.is_exact(regions.columns),
            after=after,
            item=regions.item_of_entry,
            closeness=float(after.mean()),
            change=Change(),
            own_agreement=after.astype(np.float64),
            exchanged_agreement=regions.exchanged_exact(corners),
        )

    return Cure(compared, Family.EXACT, true_trials)


def slot_cure(compared: Sequence[str], meant_slot: Callable[[Ints], Ints]) -> Cure:
    """Return the cure of regions at other slots, as frames; ``meant_slot`` changes the last column (n,)."""

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        regions = _checked(sample, Regions)
        slot = regions.slots.copy()
        slot[:, -1] = meant_slot(slot[:, -1])
        for level in regions.levels:
            judged = JudgedRegions(regions, level)
            yield from judged.trials_of_places(Family.NUMBERS, "", regions.item, slot, Change())

    return Cure(compared, Family.NUMBERS, true_trials)


def items_cure(compared: Sequence[str], meant_items: Callable[[int], Ints]) -> Cure:
    """Return the cure of predictions of other items.

    ``meant_items`` gives for a number of items the item that the predictions of each are of, -1 without one.
    """

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        if isinstance(sample, Names):
            item = meant_items(len(sample.true_of_item))[sample.item]
            yield trial_of_name_items(sample, "", item, Change())
            return
        regions = _checked(sample, Regions)
        item = meant_items(regions.n_items)[regions.item]
        judged = JudgedRegions(regions, regions.levels[0])
        yield from judged.trials_of_places(Family.ITEMS, "", item, regions.slots, Change())

    return Cure(compared, Family.ITEMS, true_trials, Spread.DEEP)


def word_cure(compared: Sequence[str], family: Family, meant_word: Callable[[str], str]) -> Cure:
    """Return the cure of names or ids; ``meant_word`` returns what is meant by a submitted one."""

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        if isinstance(sample, Ids):
            meant_ids = [meant_word(word) for word in sample.predicted]
            yield trial_of_ids(sample, family, "", sample.covered(meant_ids, sample.true), meant_word)
        elif family is Family.SPELLING:
            yield _trial_of_spelling(_checked(sample, Names), meant_word)
        else:
            names = _checked(sample, Names)
            yield trial_of_names(names, family, "", names.coded(meant_word), meant_word)

    return Cure(compared, family, true_trials)


def _trial_of_spelling(sample: Names, meant_word: Callable[[str], str]) -> Trial:
    # Whether a name is spelled rightly does not depend on whether it is the right one.
    after = sample.coded(meant_word) >= 0
    return Trial(
        family=Family.SPELLING,
        words="",
        before=sample.agrees(sample.as_submitted),
        after=after,
        item=sample.item,
        closeness=float(after.mean()),
        change=Change(),
    )


def array_cure(
    compared: Sequence[str],
    family: Family,
    reading: Callable[[str], bool],
    meant_values: Callable[[Ints], Ints],
) -> Cure:
    """Return the cure of arrays.

    ``reading`` says of the words for a way to read arrays whether it is the right one, ``meant_values``
    returns what is meant by the values I, U, V at points, (p, 3) -> (p, 3).
    """

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        arrays = _checked(sample, Arrays)
        shares_before = arrays.shares_near(arrays.as_submitted)
        for words, values in arrays.readings.items():
            if not reading(words):
                continue
            meant = meant_values(values.astype(np.int64))
            shares_near = arrays.shares_near(meant)
            for share_of_points in SHARES_OF_POINTS:
                yield Trial(
                    family=family,
                    words="",
                    before=shares_before >= share_of_points,
                    after=shares_near >= share_of_points,
                    item=arrays.item,
                    closeness=float(shares_near.mean()),
                    change=Change(),
                    own_agreement=shares_near,
                    exchanged_agreement=arrays.exchanged_shares_near(meant),
                )

    return Cure(compared, family, true_trials)


def trial_cure(compared: Sequence[str], family: Family) -> Cure:
    """Return the cure of what a challenge compares with a trial of its own, which has no parameters."""

    def true_trials(sample: Sample | Trial) -> Iterator[Trial]:
        yield _checked(sample, Trial)

    return Cure(compared, family, true_trials)


def next_items(n_items: int) -> Ints:
    """Return for each item the next one, the first for the last."""
    return (np.arange(n_items) + 1) % n_items


def shuffled_items(n_items: int) -> Ints:
    """Return the items in another order, the same each time."""
    return np.random.default_rng(n_items).permutation(n_items)


def other_order(words: Sequence[str]) -> dict[str, str]:
    """Return the name in another order of a list for each name of the list, the same each time."""
    order = np.random.default_rng(len(words)).permutation(len(words))
    return {word: words[place] for word, place in zip(words, order.tolist())}


def uneven_scales(item: Ints) -> Floats:
    """Return by what the boxes of each item are too small: neighbors differ. Shapes: (n,) -> (n,)."""
    return 1.3 + 0.17 * (item * 7 % 11)
