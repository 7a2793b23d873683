"""The changes of arrays of parts and coordinates that are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.decision import (
    LEAST_SHARE_OF_COMBINATION,
    Change,
    Family,
    Trial,
    agrees_well,
    may_become_repair,
)
from people_in_video.diagnosis.samples import SHARES_OF_POINTS, Arrays
from validator.arrays import Bools, Ints

_CHANNELS = "IUV"


class _ChannelReading(NamedTuple):
    """One way to read the three channels at a point, (p, 3) -> (p, 3)."""

    family: Family
    words: str
    values: Callable[[Ints], Ints]


def array_trials(sample: Arrays) -> Iterator[list[Trial]]:
    """Yield the trials of each family for arrays; none has a parameter that is fitted."""
    shares_before = sample.shares_near(sample.as_submitted)
    as_written, *other_channels = _channel_readings(sample)
    other_readings = [reading for reading in sample.readings if reading]
    for share_of_points in SHARES_OF_POINTS:
        before = shares_before >= share_of_points
        if agrees_well(before):
            continue
        judged = _JudgedArrays(sample, share_of_points, before)
        # All are equally simple, and many are right for some of the points: for those in the middle of a
        # flipped array, or for half of the parts of the other side.
        single_changes = [("", channels) for channels in other_channels]
        single_changes += [(reading, as_written) for reading in other_readings]
        yield list(judged.trials(single_changes))
        combinations = list(product(other_readings, other_channels))
        yield [
            trial._replace(least_share=LEAST_SHARE_OF_COMBINATION) for trial in judged.trials(combinations)
        ]


class _JudgedArrays(NamedTuple):
    """A sample whose entries agree if a share of their points is near, and what agrees as submitted (n,)."""

    sample: Arrays
    share_of_points: float
    before: Bools

    def trials(self, changes: Iterable[tuple[str, _ChannelReading]]) -> Iterator[Trial]:
        """Yield the trials of readings of arrays, by their words, and of channels; hopeless ones are left
        out."""
        for reading, channels in changes:
            values = channels.values(self.sample.readings[reading])
            shares_near = self.sample.shares_near(values)
            after = shares_near >= self.share_of_points
            if not may_become_repair(self.before, after):
                continue
            yield Trial(
                family=channels.family,
                words=" and ".join(filter(None, (reading, channels.words))),
                before=self.before,
                after=after,
                item=self.sample.item,
                closeness=float(shares_near.mean()),
                change=Change(),
                own_agreement=shares_near,
                exchanged_agreement=self.sample.exchanged_shares_near(values),
            )


def _channel_readings(sample: Arrays) -> list[_ChannelReading]:
    channel_readings = [_ChannelReading(Family.READING, "", np.array)]
    for order in list(permutations(range(3)))[1:]:
        letters = ", ".join(_CHANNELS[channel] for channel in order)
        columns = [order.index(channel) for channel in range(3)]
        words = f"with channels in the order {letters}"
        channel_readings.append(_ChannelReading(Family.READING, words, partial(_reorder_channels, columns)))
    for channels in ((1,), (2,), (1, 2)):
        names = " and ".join(f"1 - {_CHANNELS[channel]}" for channel in channels)
        letters = " and ".join(_CHANNELS[channel] for channel in channels)
        words = f"with {names} for {letters}"
        channel_readings.append(_ChannelReading(Family.READING, words, partial(_complement, channels)))
    for shift, words in ((1, "with parts plus 1"), (-1, "with parts less 1")):
        channel_readings.append(_ChannelReading(Family.NUMBERS, words, partial(_shift_parts, shift)))
    words = "with left and right parts exchanged"
    channel_readings.append(
        _ChannelReading(Family.ORDER, words, partial(_mirror_parts, sample.mirrored_parts))
    )
    return channel_readings


def _reorder_channels(columns: list[int], values: Ints) -> Ints:
    return values[:, columns]


def _complement(channels: tuple[int, ...], values: Ints) -> Ints:
    complement = values.astype(np.int64)
    for channel in channels:
        complement[:, channel] = 255 - complement[:, channel]
    return complement


def _shift_parts(shift: int, values: Ints) -> Ints:
    shifted = values.astype(np.int64)
    shifted[:, 0] += shift
    return shifted


def _mirror_parts(mirrored_parts: Ints, values: Ints) -> Ints:
    mirrored = values.astype(np.int64)
    part = mirrored[:, 0]
    is_part = part < len(mirrored_parts)
    mirrored[is_part, 0] = mirrored_parts[part[is_part]]
    return mirrored
