"""Robust fits: one scale and offset for each axis, and one scale for each item.

A fit begins with a vote. Each pair of a predicted region and an annotated one of its item says which scale or
offset would bring one onto the other; right pairs agree on it, wrong ones scatter. The values with most votes
are tried, and the best are refined by least squares over the pairs that then overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import product
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.pairs import largest_of_items
from scoring_program.repairs.samples import Pairs, best_of_entries, pair_iou, ranks_in_groups
from validator.arrays import Bools, Floats, Ints

_N_MODES = 3
# Votes for a scale agree if their logarithms are this near; those for an offset, as shares of a median size.
_SCALE_WIDTH = 0.06
_OFFSET_WIDTH = 0.2
_N_REFINED = 2
_N_STEPS = 4
_LEAST_OVERLAP = 0.1
# A simpler or rounder fit is preferred if its mean IoU is at most this share lower.
_ROUND_LOSS = 0.04
_LARGEST_SCALE = 1e5
_PAIRS_TRIED = 16
_FRAME_RATES = (10.0, 12.0, 12.5, 15.0, 20.0, 24.0, 25.0, 29.97, 30.0, 50.0, 60.0)
_OFFSET_STEP = 5.0


class AxisMap(NamedTuple):
    """Maps ``x`` to ``scale * x + offset`` on each of d axes; arrays of shape (d,)."""

    scale: Floats
    offset: Floats

    def corners(self, corners: Floats) -> Floats:
        """Return mapped regions, whose ends stay in order. Shapes: (..., 2 d) -> (..., 2 d)."""
        return _mapped(corners, self.scale, self.offset)


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
        kept = is_kept[self.pairs.entry]
        number = np.cumsum(is_kept) - 1
        pairs = Pairs(number[self.pairs.entry[kept]], self.pairs.true[kept], int(is_kept.sum()))
        return RegionPairs(pairs, self.predicted[kept], self.true[kept])

    def mean_iou(self, scale: Floats, offset: Floats) -> Floats:
        """Return the mean over entries of their largest IoU, for each of several maps (..., d)."""
        moved = _mapped(self.predicted, scale[..., None, :], offset[..., None, :])
        return best_of_entries(pair_iou(moved, self.true), self.pairs).mean(axis=-1)


class _Structure(Enum):
    """Which parameters of a map are free."""

    SCALE = "scale"
    OFFSET = "offset"
    BOTH = "both"


def fit_axes(regions: RegionPairs) -> AxisMap | None:
    """Return the scale and offset of each axis with which predictions fit best, None without any.

    Scale alone and offset alone are preferred to both, and round values to others, at a loss of at most 4 %
    of the mean IoU.
    """
    if not len(regions.predicted):
        return None
    fits = {}
    for structure in _Structure:
        fit = _fit_structure(regions, structure)
        if fit is not None:
            fits[structure] = fit
    if not fits:
        return None
    qualities = {structure: _quality(regions, fit) for structure, fit in fits.items()}
    least = (1 - _ROUND_LOSS) * max(qualities.values())
    simple = [structure for structure in fits if structure is not _Structure.BOTH]
    simple.sort(key=lambda structure: -qualities[structure])
    for structure in [*simple, *fits]:
        if qualities[structure] >= least:
            return _rounded(regions, fits[structure], structure, least)
    return None


def _quality(regions: RegionPairs, fit: AxisMap) -> float:
    return float(regions.mean_iou(fit.scale, fit.offset))


def _fit_structure(regions: RegionPairs, structure: _Structure) -> AxisMap | None:
    """Return the best map of one structure: the best voted ones, refined."""
    d = regions.true.shape[1] // 2
    maps_of_axis = [_voted_maps(regions, axis, structure) for axis in range(d)]
    combinations = np.array(list(product(*maps_of_axis)), dtype=np.float64).reshape(-1, d, 2)
    if not len(combinations):
        return None
    scale, offset = combinations[..., 0], combinations[..., 1]
    order = np.argsort(-regions.mean_iou(scale, offset), kind="stable")[:_N_REFINED]
    refined = [_refine(regions, AxisMap(scale[place], offset[place]), structure) for place in order.tolist()]
    return max(refined, key=lambda fit: _quality(regions, fit))


def _voted_maps(regions: RegionPairs, axis: int, structure: _Structure) -> list[tuple[float, float]]:
    """Return the scales and offsets of one axis with the most votes."""
    d = regions.true.shape[1] // 2
    low, high = regions.predicted[:, axis], regions.predicted[:, d + axis]
    true_low, true_high = regions.true[:, axis], regions.true[:, d + axis]
    center, true_center = (low + high) / 2, (true_low + true_high) / 2
    size, true_size = high - low, true_high - true_low
    width = _OFFSET_WIDTH * float(np.median(true_size))
    if structure is _Structure.OFFSET:
        return [(1.0, offset) for offset in _modes(true_center - center, width)]
    if structure is _Structure.SCALE:
        return [(scale, 0.0) for scale in _scale_modes(center, true_center)]
    maps = []
    scales = _scale_modes(size, true_size)
    # A mirrored picture: only boxes, and only from left to right.
    mirrored = [-1.0] if d > 1 and axis == 0 else []
    for scale in [*scales, *mirrored, 1.0]:
        offsets = _modes(true_center - scale * center, width)[: _N_MODES - 1]
        maps += [(scale, offset) for offset in offsets]
    return maps


def _scale_modes(value: Floats, true_value: Floats) -> list[float]:
    """Return the factors with the most votes, from what they are applied to and what they should give."""
    is_positive = (value > 0) & (true_value > 0)
    logarithms = np.log(true_value[is_positive] / value[is_positive])
    modes = np.exp(_modes(logarithms, _SCALE_WIDTH))
    return [mode for mode in modes.tolist() if 1 / _LARGEST_SCALE < mode < _LARGEST_SCALE]


def _modes(values: Floats, width: float) -> list[float]:
    """Return the means of the windows of a width that hold most values, best first, three at most."""
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


def _refine(regions: RegionPairs, fit: AxisMap, structure: _Structure) -> AxisMap:
    """Return the map after steps of least squares over the best pair of each entry, as long as they help."""
    quality = _quality(regions, fit)
    for _ in range(_N_STEPS):
        iou = pair_iou(fit.corners(regions.predicted), regions.true)
        best = largest_of_items(regions.pairs.entry, iou, regions.pairs.n)
        best = best[best >= 0]
        best = best[iou[best] > _LEAST_OVERLAP]
        if not len(best):
            return fit
        better_fit = _least_squares(regions.predicted[best], regions.true[best], fit, structure)
        better_quality = _quality(regions, better_fit)
        if better_quality <= quality:
            return fit
        fit, quality = better_fit, better_quality
    return fit


def _least_squares(predicted: Floats, true: Floats, fit: AxisMap, structure: _Structure) -> AxisMap:
    """Return the map that brings the ends of regions nearest to those of their partners; (n, 2 d) each."""
    d = true.shape[1] // 2
    scale, offset = fit.scale.copy(), fit.offset.copy()
    for axis in range(d):
        ends = predicted[:, [axis, d + axis]]
        if scale[axis] < 0:
            ends = ends[:, ::-1]
        x, y = ends.ravel(), true[:, [axis, d + axis]].ravel()
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


def _rounded(regions: RegionPairs, fit: AxisMap, structure: _Structure, least: float) -> AxisMap:
    """Return a map of the structure with round values if its mean IoU is at least ``least``."""
    for candidate in _rounder_maps(fit, structure):
        if _quality(regions, candidate) >= least:
            return candidate
    return fit


def _rounder_maps(fit: AxisMap, structure: _Structure) -> Iterator[AxisMap]:
    offset = _OFFSET_STEP * np.rint(fit.offset / _OFFSET_STEP)
    if structure is _Structure.OFFSET:
        yield AxisMap(fit.scale, offset)
        yield AxisMap(fit.scale, np.rint(fit.offset))
        return
    scale = np.array([round_scale(value) for value in fit.scale.tolist()])
    if structure is _Structure.SCALE:
        common = round_scale(float(np.mean(fit.scale)))
        yield AxisMap(np.full(len(scale), common), fit.offset)
        yield AxisMap(scale, fit.offset)
        return
    yield AxisMap(scale, offset)
    yield AxisMap(scale, fit.offset)


def _usual_scales() -> Floats:
    shares = [numerator / denominator for denominator in range(1, 11) for numerator in range(1, 21)]
    rates = [rate / other_rate for rate in _FRAME_RATES for other_rate in _FRAME_RATES]
    sizes = [9 / 16, 16 / 9, 1.5, 0.35]
    powers = [0.001, 0.01, 100.0, 1000.0, 1 / 255, 255.0]
    return np.unique([*shares, *rates, *sizes, *powers])


def round_scale(scale: float) -> float:
    """Return the usual factor within 1 % of a scale, a ratio of small numbers or of frame rates; otherwise
    the scale in three digits.

    Examples
    --------
    >>> round_scale(0.501), round_scale(0.0637)
    (0.5, 0.0637)
    """
    usual = _usual_scales()
    nearest = float(usual[np.abs(usual - abs(scale)).argmin()])
    if abs(nearest - abs(scale)) > 0.01 * abs(scale):
        nearest = float(f"{abs(scale):.3g}")
    return float(np.copysign(nearest, scale))


def map_words(fit: AxisMap, axes: Sequence[str]) -> str:
    """Return how a map reads regions.

    Examples
    --------
    >>> map_words(AxisMap(np.array([0.5, 0.5]), np.array([0.0, 20.0])), ("x", "y"))
    'with x times 0.5 and y times 0.5 plus 20'
    """
    texts = [
        _axis_words(axis, scale, offset)
        for axis, scale, offset in zip(axes, fit.scale.tolist(), fit.offset.tolist())
    ]
    changed = [text for text in texts if text]
    return f"with {' and '.join(changed)}" if changed else ""


def _axis_words(axis: str, scale: float, offset: float) -> str:
    amount = f"{abs(offset):.4g}"
    is_moved = amount != "0"
    if f"{scale:.3g}" == "-1":
        return f"{amount} minus {axis}"
    words = "" if f"{scale:.4g}" == "1" else f" times {scale:.4g}"
    if is_moved:
        words += f" {'plus' if offset > 0 else 'less'} {amount}"
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
        is_tried = rank == attempt * np.maximum(size, _PAIRS_TRIED) // _PAIRS_TRIED
        tried = order[is_tried]
        scale = np.full((n_items, d), np.nan)
        scale[pair_item[tried]] = true_center[tried] / center[tried]
        moved = _mapped(regions.predicted, scale[pair_item], np.zeros(d))
        iou = best_of_entries(pair_iou(moved, regions.true), regions.pairs)
        quality = np.bincount(item, iou, n_items) / entries_of_item
        is_better = quality > best_quality
        best_scale[is_better], best_quality[is_better] = scale[is_better], quality[is_better]
    return best_scale
