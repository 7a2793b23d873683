"""The changes of arrays of parts and coordinates that are tried; none has a parameter that is fitted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from people_in_video.diagnosis.samples import Arrays
from people_in_video.diagnosis.trials import (
    LEAST_SHARE,
    LEAST_SHARE_OF_COMBINATION,
    Family,
    Trial,
    agrees_well,
)
from validator.arrays import Bools, Ints

SHARES_OF_POINTS = (0.25, 0.5)
"""How many of its points must be near for an array to agree: few of a weak model, many where U and V are
exchanged, which then are near each other at a third of the points."""


def array_trials(sample: Arrays) -> Iterator[list[Trial]]:
    """Yield the trials of each family for arrays."""
    shares_before = sample.shares_near(sample.as_submitted)
    for share_of_points in SHARES_OF_POINTS:
        agrees_before = shares_before >= share_of_points
        if agrees_well(agrees_before):
            continue
        single_changes, combinations = list[Trial](), list[Trial]()
        # All are equally simple, and many are right for some of the points: for those in the middle of a
        # flipped array, or for half of the parts of the other side.
        for reading, values in sample.readings.items():
            for family, channels, changed_values in _channel_readings(sample, values):
                words = " and ".join(filter(None, (reading, channels)))
                trials = combinations if reading and channels else single_changes
                if words:
                    trials += _trials(sample, family, words, changed_values, agrees_before, share_of_points)
        yield single_changes
        yield [trial._replace(least_share=LEAST_SHARE_OF_COMBINATION) for trial in combinations]


def _trials(
    sample: Arrays, family: Family, words: str, values: Ints, agrees_before: Bools, share_of_points: float
) -> list[Trial]:
    """Return the trial of other values (p, 3), unless it is hopeless."""
    shares_near = sample.shares_near(values)
    agrees_after = shares_near >= share_of_points
    if agrees_after.mean() < LEAST_SHARE:
        return []
    trial = Trial(
        family=family,
        words=words,
        before=agrees_before,
        after=agrees_after,
        item=sample.item,
        own_agreement=shares_near,
        exchanged_agreement=sample.exchanged_shares_near(values),
    )
    return [trial]


def _channel_readings(sample: Arrays, values: Ints) -> Iterator[tuple[Family, str, Ints]]:
    """Yield the ways to read the three channels at points (p, 3), as written first, and words for each."""
    yield Family.READING, "", values
    for order in list(permutations(range(3)))[1:]:
        letters = ", ".join("IUV"[channel] for channel in order)
        columns = [order.index(channel) for channel in range(3)]
        yield Family.READING, f"with channels in the order {letters}", values[:, columns]
    for names in (["U"], ["V"], ["U", "V"]):
        words = f"with {' and '.join(f'1 - {name}' for name in names)} for {' and '.join(names)}"
        yield Family.READING, words, np.where([False, "U" in names, "V" in names], 255 - values, values)
    shifts = ((1, "with parts plus 1"), (-1, "with parts less 1"))
    for shift, words in () if sample.has_coarse_parts else shifts:
        yield Family.NUMBERS, words, values + np.array([shift, 0, 0])
    part = np.minimum(values[:, 0], len(sample.mirrored_parts) - 1)
    mirrored = np.column_stack([sample.mirrored_parts[part], values[:, 1:]])
    yield Family.ORDER, "with left and right parts exchanged", mirrored
