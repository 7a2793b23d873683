"""Robust fits: one scale and offset for each axis.

Each pair of a predicted region and an annotated one of its place votes for the scale or offset that would
bring one onto the other; right pairs agree on it, wrong ones scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.samples import Regions, iou_of_sizes, lengths, spread_evenly
from validator.arrays import Bools, Floats

# Votes for a scale agree if their logarithms are this near; those for an offset, as shares of a median size.
SCALE_WIDTH = 0.06
OFFSET_WIDTH = 0.2
LEAST_OVERLAP = 0.1
_MOST_VOTES = 4000
_MOST_PAIRS = 1000
# A simpler or rounder fit is preferred if its mean IoU is at most this share lower.
_ROUND_LOSS = 0.04
_ROUND_WIDTH = 0.06
_RATES = (10, 12, 15, 20, 24, 25, 30, 50, 60)
_MILLISECONDS = 1000


class AxisMap(NamedTuple):
    """Maps ``x`` to ``scale * x + offset`` on each of d axes; arrays of shape (d,)."""

    scale: Floats
    offset: Floats

    def corners(self, corners: Floats) -> Floats:
        """Return mapped regions, whose ends stay in order. Shapes: (n, 2 d) -> (n, 2 d)."""
        d = len(self.scale)
        first, second = corners[:, :d] * self.scale + self.offset, corners[:, d:] * self.scale + self.offset
        return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=1)

    @property
    def n_parameters(self) -> int:
        """How many of the scales are not 1, and of the offsets not 0."""
        return int((self.scale != 1).sum() + (self.offset != 0).sum())


def centers(corners: Floats) -> Floats:
    """Return the centers of regions. Shapes: (n, 2 d) -> (n, d)."""
    d = corners.shape[1] // 2
    return (corners[:, :d] + corners[:, d:]) / 2


def sizes(corners: Floats) -> Floats:
    """Return the upper less the lower ends of regions. Shapes: (n, 2 d) -> (n, d)."""
    d = corners.shape[1] // 2
    return corners[:, d:] - corners[:, :d]


def mode(values: Floats, width: float) -> float:
    """Return the mean of the window of a width that holds most values, NaN without any."""
    values = np.sort(values[np.isfinite(values)])
    if not len(values):
        return np.nan
    n_in_window = np.searchsorted(values, values + width, side="right") - np.arange(len(values))
    first = int(n_in_window.argmax())
    return float(values[first : first + n_in_window[first]].mean())


def some_entries(sample: Regions) -> Bools:
    """Return entries, evenly spread, which have about 1,000 pairs together."""
    n = len(sample.item_of_entry)
    is_kept = np.zeros(n, dtype=bool)
    is_kept[spread_evenly(n, max(int(n * _MOST_PAIRS / max(len(sample.pairs.region), 1)), 20))] = True
    return is_kept


def fit_axes(sample: Regions, corners: Floats) -> AxisMap:
    """Return the map of ``corners`` (n, 2 d) with the best mean IoU; a simpler or rounder one if it is hardly
    worse."""
    is_some = some_entries(sample)
    some_regions, some_corners = sample.of_entries(is_some), corners[is_some[sample.entries]]

    def quality(axis_map: AxisMap) -> float:
        return float(some_regions.best_iou(axis_map.corners(some_corners)).mean())

    maps_of_axes = _voted_maps(sample, corners)
    votes = [AxisMap(*np.array(axes).T) for axes in product(*maps_of_axes)]
    losses = [(1 - _ROUND_LOSS) ** axis_map.n_parameters for axis_map in votes]
    best = votes[int((_qualities(some_regions, some_corners, maps_of_axes) * losses).argmax())]
    refined = _refine(sample, corners, best)
    if quality(refined) > quality(best):
        best = refined
    least = (1 - _ROUND_LOSS) * quality(best)
    rounder_maps = _rounder_maps(best, corners, sample.steps_of_unit)
    return next((rounder for rounder in rounder_maps if quality(rounder) >= least), best)


def _qualities(sample: Regions, corners: Floats, maps_of_axes: list[list[tuple[float, float]]]) -> Floats:
    """Return the mean IoU after each product of maps of axes.

    Each axis is mapped once for all products, which saves nearly all of the time of a fit.
    """
    pairs = sample.pairs
    predicted, true = corners[pairs.region], sample.true_corners[pairs.true]
    d, n_pairs = len(maps_of_axes), len(true)
    common, size = np.ones((2, 1, n_pairs))
    true_size = np.ones(n_pairs)
    for axis, maps in enumerate(maps_of_axes):
        scale, offset = np.array(maps).T[..., None]
        first, second = scale * predicted[:, axis] + offset, scale * predicted[:, d + axis] + offset
        low, high = np.minimum(first, second), np.maximum(first, second)
        true_low, true_high = true[:, axis], true[:, d + axis]
        common_length = lengths(np.maximum(low, true_low), np.minimum(high, true_high))
        n_products = len(common) * len(maps)
        common = (common[:, None] * common_length).reshape(n_products, n_pairs)
        size = (size[:, None] * lengths(low, high)).reshape(n_products, n_pairs)
        true_size = true_size * lengths(true_low, true_high)
    return sample.largest_of_entries(iou_of_sizes(common, size, true_size), pairs).mean(axis=-1)


def _voted_maps(sample: Regions, corners: Floats) -> list[list[tuple[float, float]]]:
    """Return for each axis the scales and offsets with most votes."""
    pairs = spread_evenly(len(sample.pairs.region), _MOST_VOTES)
    predicted = corners[sample.pairs.region[pairs]]
    true = sample.true_corners[sample.pairs.true[pairs]]
    center, true_center, size, true_size = centers(predicted), centers(true), sizes(predicted), sizes(true)
    maps_of_axes = []
    for axis in range(center.shape[1]):
        width = OFFSET_WIDTH * float(np.median(true_size[:, axis])) if len(true) else 1.0
        ratios = (true_size[:, axis] / size[:, axis], true_center[:, axis] / center[:, axis])
        scales = [1.0, *(float(np.exp(mode(np.log(ratio), SCALE_WIDTH))) for ratio in ratios)]
        if center.shape[1] > 1:
            # A mirrored picture, or y counted from the bottom.
            scales.append(-1.0)
        maps = []
        for scale in filter(np.isfinite, scales):
            offset = mode(true_center[:, axis] - scale * center[:, axis], width)
            maps += [(scale, 0.0), (scale, np.nan_to_num(offset))]
        maps_of_axes.append(maps)
    return maps_of_axes


def _refine(sample: Regions, corners: Floats, axis_map: AxisMap) -> AxisMap:
    """Return the map of least squares over the best pair of each entry; what is 1 or 0 stays."""
    best = sample.best_pairs(axis_map.corners(corners), LEAST_OVERLAP)
    if not len(best):
        return axis_map
    mapped = axis_map.corners(corners)[sample.pairs.region[best]]
    center, true_center = centers(mapped), centers(sample.true_corners[sample.pairs.true[best]])
    scale, offset = np.ones(center.shape[1]), np.zeros(center.shape[1])
    for axis in range(center.shape[1]):
        x, y = center[:, axis], true_center[:, axis]
        has_scale, has_offset = axis_map.scale[axis] != 1, axis_map.offset[axis] != 0
        if has_scale and has_offset and x.std() > 0:
            scale[axis] = np.cov(x, y, bias=True)[0, 1] / x.var()
        elif has_scale and not has_offset:
            scale[axis] = (x * y).sum() / max(float((x * x).sum()), 1e-12)
        if has_offset:
            offset[axis] = np.median(y - scale[axis] * x)
    return AxisMap(axis_map.scale * scale, axis_map.offset * scale + offset)


def _rounder_maps(axis_map: AxisMap, corners: Floats, steps_of_unit: int) -> list[AxisMap]:
    """Return maps near another one, the roundest first; no offset is finer than a step."""
    offset_steps = [step for step in (10.0, 5.0, 1.0, 0.1, 0.01) if step * steps_of_unit >= 1]
    factors = _factors_of_time() if len(axis_map.scale) == 1 else _factors_of_pictures()
    size = np.abs(axis_map.scale)
    common = [factor for factor in factors if (np.abs(factor / size - 1) < _ROUND_WIDTH).all()]
    scales = [np.full(len(size), factor) for factor in common[:3]]
    for digits in (2, 3):
        scales.append(np.array([float(f"{number:.{digits}g}") for number in size.tolist()]))
    maps = []
    for scale in scales:
        # Another scale needs another offset, so that the middle stays where it is.
        signed_scale = np.where(axis_map.scale == 1, 1.0, np.sign(axis_map.scale) * scale)
        moved_offset = axis_map.offset + (axis_map.scale - signed_scale) * np.median(centers(corners), axis=0)
        offset = np.where(axis_map.offset == 0, 0.0, moved_offset)
        for step in offset_steps:
            size_of_step = step * steps_of_unit
            maps.append(AxisMap(signed_scale, size_of_step * np.rint(offset / size_of_step)))
    return maps


def _factors_of_pictures() -> list[float]:
    """Return the factors that people resize by, the simplest first."""
    factors = {Fraction(number, 10) for number in range(1, 21)}
    factors |= {Fraction(number, other) for number in range(1, 17) for other in (1, 2, 3, 4, 9)}
    factors |= {Fraction(1, 1000), Fraction(1000)}
    return _simplest_first(factors)


def _factors_of_time() -> list[float]:
    """Return ratios of frame rates, and what makes frames, seconds or milliseconds of one another."""
    factors = {Fraction(rate, other_rate) for rate in _RATES for other_rate in (1, *_RATES)}
    factors |= {Fraction(rate, _MILLISECONDS) for rate in _RATES} | {Fraction(1, 2), Fraction(1, 3)}
    return _simplest_first(factors | {1 / factor for factor in factors})


def _simplest_first(factors: set[Fraction]) -> list[float]:
    sorted_factors = sorted(factors, key=lambda factor: factor.numerator + factor.denominator)
    return [float(factor) for factor in sorted_factors]


def map_words(axis_map: AxisMap, axes: Sequence[str], steps_of_unit: int = 1) -> str:
    """Return how a map of steps reads regions, in units; "" if it leaves them as they are.

    Examples
    --------
    >>> map_words(AxisMap(np.array([0.5, 0.5]), np.array([0.0, 20.0])), ("x", "y"))
    'with x times 0.5 and y times 0.5 plus 20'
    """
    scales, offsets = axis_map.scale.tolist(), (axis_map.offset / steps_of_unit).tolist()
    texts = [_axis_words(axis, scale, offset) for axis, scale, offset in zip(axes, scales, offsets)]
    changes = [text for text in texts if text]
    return f"with {' and '.join(changes)}" if changes else ""


def _axis_words(axis: str, scale: float, offset: float) -> str:
    if scale < 0:
        factor = "" if scale == -1 else f"{-scale:.4g} times "
        return f"{axis} mirrored ({offset:.4g} minus {factor}{axis})"
    words = "" if f"{scale:.4g}" == "1" else f" times {scale:.4g}"
    if f"{offset:.4g}" not in ("0", "-0"):
        words += f" {'plus' if offset > 0 else 'minus'} {abs(offset):.4g}"
    return f"{axis}{words}" if words else ""
