"""The changes of arrays of parts and coordinates that are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from scoring_program.repairs.decision import Change, Family, Trial, agrees_well
from scoring_program.repairs.samples import Arrays
from validator.arrays import Ints

_CHANNELS = "IUV"


class _ChannelReading(NamedTuple):
    """One way to read the three channels at a point, (p, 3) -> (p, 3)."""

    family: Family
    words: str
    values: Callable[[Ints], Ints]


def array_trials(sample: Arrays) -> Iterator[list[Trial]]:
    """Yield the trials of each family for arrays; none has a parameter that is fitted."""
    as_submitted = next(iter(sample.readings.values()))
    before = sample.agrees(as_submitted)
    if agrees_well(before):
        return
    channel_readings = _channel_readings(sample)

    def trial(reading: str, channels: _ChannelReading) -> Trial:
        values = channels.values(sample.readings[reading])
        after = sample.agrees(values)
        return Trial(
            family=channels.family,
            words=" and ".join(filter(None, (reading, channels.words))),
            before=before,
            after=after,
            item=sample.item,
            closeness=sample.share_near(values),
            change=Change(),
            own=after.astype(np.float64),
            exchanged=sample.agrees_with_exchanged(values),
        )

    # All are equally simple, and parts plus 1 are right for half of the parts of the other side.
    yield [trial("", channels) for channels in channel_readings if channels.words]
    others = [reading for reading in sample.readings if reading]
    yield [trial(reading, channels) for reading in others for channels in channel_readings]


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
