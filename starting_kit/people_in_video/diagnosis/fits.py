"""Robust fits: one scale and offset for each axis, and one scale for each item.

A fit begins with a vote. Each pair of a predicted region and an annotated one of its item says which scale or
offset would bring one onto the other; right pairs agree on it, wrong ones scatter. The values with most votes
are tried, and the best are refined by least squares over the pairs that then overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.regions import Pairs, best_of_entries, pair_iou
from people_in_video.diagnosis.sampling import ranks_in_groups, spread_evenly
from scoring_program.metrics.pairs import largest_of_items
from validator.arrays import Bools, Floats, Ints

_N_MODES = 2
# Votes for a scale agree if their logarithms are this near; those for an offset, as shares of a median size.
_SCALE_WIDTH = 0.06
_OFFSET_WIDTH = 0.2
# Enough for a vote.
_MOST_VOTES = 1000
_N_STEPS = 4
_LEAST_OVERLAP = 0.1
# A simpler or rounder fit is preferred if its mean IoU is at most this share lower.
_ROUND_LOSS = 0.04
_ROUND_WIDTH = 0.06
_MOST_USUAL = 3
_LARGEST_SCALE = 1e5
_PAIRS_TRIED = 12
_FRAME_RATES = (10.0, 12.0, 12.5, 15.0, 20.0, 24.0, 25.0, 30.0, 50.0, 60.0)
# Round offsets, in pixels or frames, or in tenths of units that have steps.
_OFFSET_STEPS = (10.0, 5.0, 1.0)
_MILLISECONDS = 1000


class AxisMap(NamedTuple):
    """Maps ``x`` to ``scale * x + offset`` on each of d axes; arrays of shape (d,)."""

    scale: Floats
    offset: Floats

    def corners(self, corners: Floats) -> Floats:
        """Return mapped regions, whose ends stay in order. Shapes: (..., 2 d) -> (..., 2 d)."""
        return _mapped(corners, self.scale, self.offset)

    def in_units(self, steps_of_unit: float) -> AxisMap:
        """Return the same map of numbers that count units of so many steps."""
        return AxisMap(self.scale, self.offset / steps_of_unit)


def _mapped(corners: Floats, scale: Floats, offset: Floats) -> Floats:
    """Return regions mapped with the scales and offsets (..., d)."""
    d = scale.shape[-1]
    low, high = corners[..., :d] * scale + offset, corners[..., d:] * scale + offset
    return np.concatenate([np.minimum(low, high), np.maximum(low, high)], axis=-1)


class RegionPairs(NamedTuple):
    """The regions of pairs: ``predicted`` and ``true`` (n_pairs, 2 d), of entries as `Pairs` has them."""

    pairs: Pairs
    predicted: Floats
    true: Floats

    def of_entries(self, is_kept: Bools) -> RegionPairs:
        """Return the pairs of some entries, which are numbered anew; ``is_kept`` has shape (n,)."""
        is_pair_kept = is_kept[self.pairs.entry]
        number = np.cumsum(is_kept) - 1
        entry = number[self.pairs.entry[is_pair_kept]]
        pairs = Pairs(entry, self.pairs.true[is_pair_kept], int(is_kept.sum()))
        return RegionPairs(pairs, self.predicted[is_pair_kept], self.true[is_pair_kept])

    def for_vote(self) -> RegionPairs:
        """Return the pairs of so many entries, evenly spread, that there are about 1,000 pairs."""
        share = _MOST_VOTES / max(len(self.predicted), 1)
        if share >= 1:
            return self
        is_kept = np.zeros(self.pairs.n, dtype=bool)
        is_kept[spread_evenly(self.pairs.n, max(int(share * self.pairs.n), 1))] = True
        return self.of_entries(is_kept)

    def best_iou(self, scale: Floats, offset: Floats) -> Floats:
        """Return the largest IoU of each entry for each of several maps: (..., d), (..., d) -> (..., n)."""
        moved = _mapped(self.predicted, scale[..., None, :], offset[..., None, :])
        return best_of_entries(pair_iou(moved, self.true), self.pairs)

    def quality(self, fit: AxisMap) -> float:
        """Return the mean over entries of their largest IoU."""
        return float(self.best_iou(fit.scale, fit.offset).mean())


class _Structure(Enum):
    """Which parameters of a map are free."""

    SCALE = "scale"
    OFFSET = "offset"
    BOTH = "both"


class Votes(NamedTuple):
    """The maps of each structure with the most votes, the best map of all, None without any, and the IoU with
    it of each entry that took part."""

    maps: dict[_Structure, AxisMap]
    best_map: AxisMap | None
    iou: Floats


def vote(regions: RegionPairs) -> Votes:
    """Return the maps on which most pairs agree."""
    voters = regions.for_vote()
    d = regions.true.shape[1] // 2
    maps: dict[_Structure, AxisMap] = {}
    best_map: AxisMap | None = None
    best_iou = np.zeros(voters.pairs.n)
    if not len(voters.predicted):
        return Votes({}, None, best_iou)
    for structure in _Structure:
        maps_of_axis = [_voted_maps(voters, axis, structure) for axis in range(d)]
        combinations = np.array(list(product(*maps_of_axis)), dtype=np.float64).reshape(-1, d, 2)
        if not len(combinations):
            continue
        scale, offset = combinations[..., 0], combinations[..., 1]
        iou = voters.best_iou(scale, offset)
        best = int(iou.mean(axis=-1).argmax())
        maps[structure] = AxisMap(scale[best], offset[best])
        if iou[best].mean() > best_iou.mean():
            best_map, best_iou = maps[structure], iou[best]
    return Votes(maps, best_map, best_iou)


def fit_axes(regions: RegionPairs, votes: Votes | None = None, steps_of_unit: float = 1.0) -> AxisMap | None:
    """Return the scale and offset of each axis with which predictions fit best, None without any.

    Scale alone or offset alone is preferred to both, and round values to others, at a loss of at most 4 % of
    the mean IoU. ``votes`` are those of `vote`, if they are known; ``steps_of_unit`` is that of `Regions`.
    """
    votes = vote(regions) if votes is None else votes
    fits: dict[_Structure, AxisMap] = {}
    qualities: dict[_Structure, float] = {}
    for structure, voted_map in votes.maps.items():
        fits[structure], qualities[structure] = _refine(regions, voted_map, structure)
    if not fits:
        return None
    least = (1 - _ROUND_LOSS) * max(qualities.values())
    simple = [structure for structure in fits if structure is not _Structure.BOTH]
    simple.sort(key=lambda structure: -qualities[structure])
    structure = next(structure for structure in [*simple, *fits] if qualities[structure] >= least)
    offset_steps = _offset_steps(steps_of_unit)
    for candidate in _rounder_maps(regions, fits[structure], structure, offset_steps):
        if regions.quality(candidate) >= least:
            return candidate
    return fits[structure]


def _offset_steps(steps_of_unit: float) -> list[float]:
    """Return the steps of round offsets: ten, five and one pixel or frame; a unit, half and a tenth of it."""
    smallest = 1.0 if steps_of_unit == 1 else steps_of_unit / 10
    return [smallest * step for step in _OFFSET_STEPS]


def _voted_maps(regions: RegionPairs, axis: int, structure: _Structure) -> list[tuple[float, float]]:
    """Return the scales and offsets of one axis with the most votes."""
    d = regions.true.shape[1] // 2
    low, high = regions.predicted[:, axis], regions.predicted[:, d + axis]
    true_low, true_high = regions.true[:, axis], regions.true[:, d + axis]
    center, true_center = (low + high) / 2, (true_low + true_high) / 2
    size, true_size = high - low, true_high - true_low
    width = _OFFSET_WIDTH * float(np.median(true_size))
    if structure is _Structure.OFFSET:
        return [(1.0, offset) for offset in most_frequent_values(true_center - center, width)]
    if structure is _Structure.SCALE:
        return [(scale, 0.0) for scale in _scale_modes(center, true_center)]
    scales = _scale_modes(size, true_size)
    if d > 1:
        # A mirrored picture, or y counted from the bottom.
        scales.append(-1.0)
    maps = []
    for scale in [*scales, 1.0]:
        best_offsets = most_frequent_values(true_center - scale * center, width)[:1]
        maps += [(scale, offset) for offset in best_offsets]
    return maps


def _scale_modes(value: Floats, true_value: Floats) -> list[float]:
    """Return the factors with the most votes, from what they are applied to and what they should give."""
    is_positive = (value > 0) & (true_value > 0)
    logarithms = np.log(true_value[is_positive] / value[is_positive])
    modes = np.exp(most_frequent_values(logarithms, _SCALE_WIDTH))
    return [mode for mode in modes.tolist() if 1 / _LARGEST_SCALE < mode < _LARGEST_SCALE]


def most_frequent_values(values: Floats, width: float) -> list[float]:
    """Return the means of the windows of a width that hold most values, best first, two at most."""
    values = np.sort(values[np.isfinite(values)])
    modes: list[float] = []
    while len(values) and len(modes) < _N_MODES:
        n_in_window = np.searchsorted(values, values + width, side="right") - np.arange(len(values))
        first = int(n_in_window.argmax())
        window = values[first : first + n_in_window[first]]
        mode = float(window.mean())
        modes.append(mode)
        values = values[np.abs(values - mode) > width]
    return modes


def _refine(regions: RegionPairs, fit: AxisMap, structure: _Structure) -> tuple[AxisMap, float]:
    """Return the map after steps of least squares over the best pair of each entry, as long as they help, and
    its mean IoU."""
    quality = regions.quality(fit)
    for _ in range(_N_STEPS):
        iou = pair_iou(fit.corners(regions.predicted), regions.true)
        best = largest_of_items(regions.pairs.entry, iou, regions.pairs.n)
        best = best[best >= 0]
        best = best[iou[best] > _LEAST_OVERLAP]
        if not len(best):
            break
        better_fit = _least_squares(regions.predicted[best], regions.true[best], fit, structure)
        better_quality = regions.quality(better_fit)
        if better_quality <= quality:
            break
        fit, quality = better_fit, better_quality
    return fit, quality


def _least_squares(predicted: Floats, true: Floats, fit: AxisMap, structure: _Structure) -> AxisMap:
    """Return the map that brings the ends of regions nearest to those of their partners; (n, 2 d) each."""
    d = true.shape[1] // 2
    scale, offset = fit.scale.copy(), fit.offset.copy()
    for axis in range(d):
        predicted_ends, true_ends = predicted[:, [axis, d + axis]], true[:, [axis, d + axis]]
        if scale[axis] < 0:
            predicted_ends = predicted_ends[:, ::-1]
        x, y = predicted_ends.ravel(), true_ends.ravel()
        if structure is _Structure.OFFSET:
            offset[axis] = np.median(y - x)
            continue
        if structure is _Structure.SCALE:
            scale[axis] = (x * y).sum() / max((x * x).sum(), 1e-12)
            continue
        spread = ((x - x.mean()) ** 2).sum()
        if spread > 0:
            scale[axis] = ((x - x.mean()) * (y - y.mean())).sum() / spread
        offset[axis] = y.mean() - scale[axis] * x.mean()
    return AxisMap(scale, offset)


def _rounder_maps(
    regions: RegionPairs, fit: AxisMap, structure: _Structure, offset_steps: Sequence[float]
) -> Iterator[AxisMap]:
    """Yield maps near another one, the roundest first."""
    scales = [fit.scale] if structure is _Structure.OFFSET else _rounder_scales(fit.scale)
    d = len(fit.scale)
    middle = (regions.predicted[:, :d] + regions.predicted[:, d:]).mean(axis=0) / 2
    for scale in scales:
        if structure is _Structure.SCALE:
            yield AxisMap(scale, fit.offset)
            continue
        # Another scale needs another offset, so that the middle stays where it is.
        offset = fit.offset + (fit.scale - scale) * middle
        for step in offset_steps:
            yield AxisMap(scale, step * np.rint(offset / step))
        yield AxisMap(scale, offset)


def _rounder_scales(scale: Floats) -> list[Floats]:
    """Return round scales near those of all axes: a common one first, then one for each axis, then digits."""
    signs, sizes = np.sign(scale), np.abs(scale)
    usual_scales = _scales_of_time() if len(scale) == 1 else _scales_of_pictures()
    common = [signs * usual for usual in _scales_near(float(sizes.mean()), usual_scales)]
    of_axes = product(*(_scales_near(size, usual_scales) for size in sizes.tolist()))
    separate = [signs * np.array(usual) for usual in of_axes] if len(scale) > 1 else []
    digits = np.array([float(f"{size:.3g}") for size in sizes.tolist()])
    return [*common, *separate, signs * digits]


def _scales_near(scale: float, usual_scales: Sequence[float]) -> list[float]:
    """Return the first three of the usual scales that are within 6 % of a positive one."""
    near = (usual for usual in usual_scales if abs(usual - scale) <= _ROUND_WIDTH * scale)
    return list(islice(near, _MOST_USUAL))


@cache
def _scales_of_pictures() -> list[float]:
    """Return the factors that people resize by, the simplest first."""
    factors = {Fraction(number, 10) for number in range(1, 21)}
    for number in (1, 2, 3, 4, 5, 6, 8, 10, 100, 255, 1000):
        factors |= {Fraction(number), Fraction(1, number)}
    factors |= {Fraction(2, 3), Fraction(3, 4), Fraction(4, 3), Fraction(9, 16), Fraction(16, 9)}
    return _simplest_first(factors)


@cache
def _scales_of_time() -> list[float]:
    """Return ratios of frame rates, and what makes frames, seconds or milliseconds of one another, the
    simplest first."""
    factors = {Fraction(1, number) for number in (2, 3, 4, 5, 10, _MILLISECONDS)}
    for rate in map(Fraction, _FRAME_RATES):
        factors |= {rate, 1 / rate, rate / _MILLISECONDS}
        factors |= {rate / Fraction(other_rate) for other_rate in _FRAME_RATES}
    return _simplest_first(factors)


def _simplest_first(factors: Iterable[Fraction]) -> list[float]:
    in_order = sorted(factors, key=lambda factor: factor.numerator + factor.denominator)
    return [float(factor) for factor in in_order]


def map_words(fit: AxisMap, axes: Sequence[str]) -> str:
    """Return how a map reads regions.

    Examples
    --------
    >>> map_words(AxisMap(np.array([0.5, 0.5]), np.array([0.0, 20.0])), ("x", "y"))
    'with x times 0.5 and y times 0.5 plus 20'
    """
    scales, offsets = fit.scale.tolist(), fit.offset.tolist()
    texts = [_axis_words(*words) for words in zip(axes, scales, offsets)]
    changes = [text for text in texts if text]
    return f"with {' and '.join(changes)}" if changes else ""


def _axis_words(axis: str, scale: float, offset: float) -> str:
    """Return how a map changes one axis, as "x times 0.5 plus 20"; "" if it does not."""
    amount = f"{abs(offset):.4g}"
    if scale < 0:
        factor = "" if f"{scale:.3g}" == "-1" else f"{-scale:.4g} times "
        return f"{axis} mirrored ({offset:.4g} minus {factor}{axis})"
    words = "" if f"{scale:.4g}" == "1" else f" times {scale:.4g}"
    if amount != "0":
        words += f" {'plus' if offset > 0 else 'minus'} {amount}"
    return f"{axis}{words}" if words else ""


def fit_items(regions: RegionPairs, item: Ints, n_items: int) -> Floats:
    """Return the scale of each axis for each item, from its own pairs; NaN for items without any.

    ``item`` (n,) has the item of each entry, from 0; the result has shape (n_items, d).
    """
    d = regions.true.shape[1] // 2
    center = (regions.predicted[:, :d] + regions.predicted[:, d:]) / 2
    true_center = (regions.true[:, :d] + regions.true[:, d:]) / 2
    pair_item = item[regions.pairs.entry]
    is_usable = ((center > 0) & (true_center > 0)).all(axis=1)
    best_scale = np.full((n_items, d), np.nan)
    best_quality = np.zeros(n_items)
    order = np.flatnonzero(is_usable)
    order = order[np.argsort(pair_item[order], kind="stable")]
    if not len(order):
        return best_scale
    rank, size = ranks_in_groups(pair_item[order])
    entries_of_item = np.maximum(np.bincount(item, minlength=n_items), 1)
    for attempt in range(min(_PAIRS_TRIED, int(size.max()))):
        # One pair of each item, evenly spread over its pairs.
        is_in_turn = rank == attempt * np.maximum(size, _PAIRS_TRIED) // _PAIRS_TRIED
        pair_of_item = order[is_in_turn]
        scale = np.full((n_items, d), np.nan)
        scale[pair_item[pair_of_item]] = true_center[pair_of_item] / center[pair_of_item]
        moved = _mapped(regions.predicted, scale[pair_item], np.zeros(d))
        iou = best_of_entries(pair_iou(moved, regions.true), regions.pairs)
        quality = np.bincount(item, iou, n_items) / entries_of_item
        is_better = quality > best_quality
        best_scale[is_better], best_quality[is_better] = scale[is_better], quality[is_better]
    return best_scale
