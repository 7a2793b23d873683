"""What honest models that are weak get wrong: regions fit after another change that is no mistake in writing.

A change of all regions is no repair if what a weak model does explains them as well: regions that are all too
large or too small, boxes that are off by a share of their own size, and boxes whose centers are drawn to the
middle of the picture while their sizes are right.
"""

from __future__ import annotations

import numpy as np

from people_in_video.diagnosis.fits import AxisMap, RegionPairs, most_frequent_values
from people_in_video.diagnosis.regions import Regions, best_of_entries, pair_iou
from scoring_program.metrics.pairs import largest_of_items
from validator.arrays import Floats

# By what centers may have to be scaled, at first, and how far from 1 that must be at least.
_SCALES_OF_CENTERS = (0.6, 0.8, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5)
_LEAST_CHANGE = 0.07
# A weak model moves boxes by a share of their size, at most this one; from corner to center it is a half.
_MOST_MOVED_BY_BIAS = 0.4
_N_STEPS = 4
_LEAST_OVERLAP = 0.1
_LEAST_PAIRS = 3
_SHARE_OF_SIZE = 0.2


def is_of_weak_model(sample: Regions, corners: Floats, mean_iou: float) -> bool:
    """Return whether regions fit as well with what a weak model gets wrong.

    Parameters
    ----------
    sample : Regions
    corners : float array of shape (n, 2 d)
        Regions as submitted.
    mean_iou : float
        What the mean IoU of entries must be at least.
    """
    if _mean_iou_without_bias(sample, corners) >= mean_iou:
        return True
    return corners.shape[1] == 4 and _mean_iou_with_moved_centers(sample, corners) >= mean_iou


def _mean_iou_without_bias(sample: Regions, corners: Floats) -> float:
    """Return the mean IoU of regions that grow or shrink about their own center by one factor for each axis,
    and, if they are boxes, also move by one share of their own size."""
    best_pairs = sample.best_pairs(corners, level=0.0)
    best_pairs = best_pairs[best_pairs >= 0]
    if not len(best_pairs):
        return 0.0
    center, size = _centers(corners), _sizes(corners)
    region, true_region = sample.pairs.entry[best_pairs], sample.pairs.true[best_pairs]
    true_corners = sample.true_corners[true_region]
    size_of_region = np.maximum(size[region] + 1, 1)
    growth = np.median((_sizes(true_corners) + 1) / size_of_region, axis=0)
    share_moved = np.zeros(len(growth))
    if len(growth) > 1:
        share_moved = np.median((_centers(true_corners) - center[region]) / size_of_region, axis=0)
        share_moved = np.clip(share_moved, -_MOST_MOVED_BY_BIAS, _MOST_MOVED_BY_BIAS)
    without_bias = _with_centers(center + share_moved * (size + 1), size * growth)
    return float(sample.best_iou(without_bias).mean())


def _mean_iou_with_moved_centers(sample: Regions, corners: Floats) -> float:
    """Return the largest mean IoU of boxes whose centers are scaled and moved while their sizes stay.

    Scales near 1 do not count: with them all boxes are off by the same, as in a picture that was cropped.
    """
    pairs = sample.pairs
    if not len(pairs.entry):
        return 0.0
    regions = RegionPairs(sample.by_entry(pairs), corners[pairs.entry], sample.true_corners[pairs.true])
    voters = regions.for_vote()
    means = []
    for scale in _SCALES_OF_CENTERS:
        center_map = AxisMap(np.full(2, scale), _voted_offset(voters, scale))
        means.append((_mean_iou_with_centers(voters, center_map), center_map))
    _, center_map = max(means, key=lambda mean: mean[0])
    best_mean = _mean_iou_with_centers(regions, center_map)
    for _ in range(_N_STEPS):
        refined_map = _refine_centers(regions, center_map)
        if refined_map is None or _is_same_for_all(refined_map):
            break
        mean = _mean_iou_with_centers(regions, refined_map)
        if mean <= best_mean:
            break
        center_map, best_mean = refined_map, mean
    return best_mean


def _voted_offset(regions: RegionPairs, scale: float) -> Floats:
    """Return the offset of scaled centers on which most pairs agree, shape (2,)."""
    differences = _centers(regions.true) - scale * _centers(regions.predicted)
    width = _SHARE_OF_SIZE * np.median(_sizes(regions.true), axis=0)
    offset = np.zeros(2)
    for axis in range(2):
        # No difference of numbers that are too large is finite.
        offset[axis] = next(iter(most_frequent_values(differences[:, axis], width[axis])), 0.0)
    return offset


def _refine_centers(regions: RegionPairs, center_map: AxisMap) -> AxisMap | None:
    """Return the map of least squares over the best pair of each entry, None if hardly any overlap."""
    iou = _iou_with_centers(regions, center_map)
    best = largest_of_items(regions.pairs.entry, iou, regions.pairs.n)
    best = best[best >= 0]
    best = best[iou[best] > _LEAST_OVERLAP]
    if len(best) < _LEAST_PAIRS:
        return None
    center, true_center = _centers(regions.predicted[best]), _centers(regions.true[best])
    difference, true_difference = center - center.mean(axis=0), true_center - true_center.mean(axis=0)
    spread = np.maximum((difference**2).sum(axis=0), 1e-12)
    scale = (difference * true_difference).sum(axis=0) / spread
    return AxisMap(scale, true_center.mean(axis=0) - scale * center.mean(axis=0))


def _is_same_for_all(center_map: AxisMap) -> bool:
    """Return whether a map moves all centers by about the same."""
    return bool((np.abs(center_map.scale - 1) < _LEAST_CHANGE).any())


def _mean_iou_with_centers(regions: RegionPairs, center_map: AxisMap) -> float:
    return float(best_of_entries(_iou_with_centers(regions, center_map), regions.pairs).mean())


def _iou_with_centers(regions: RegionPairs, center_map: AxisMap) -> Floats:
    """Return the IoU of pairs if boxes keep their size, and their centers are mapped; shape (n_pairs,)."""
    center = center_map.scale * _centers(regions.predicted) + center_map.offset
    return pair_iou(_with_centers(center, _sizes(regions.predicted)), regions.true)


def _centers(corners: Floats) -> Floats:
    """Return the centers of regions. Shapes: (n, 2 d) -> (n, d)."""
    d = corners.shape[1] // 2
    return (corners[:, :d] + corners[:, d:]) / 2


def _sizes(corners: Floats) -> Floats:
    """Return the upper less the lower ends of regions. Shapes: (n, 2 d) -> (n, d)."""
    d = corners.shape[1] // 2
    return corners[:, d:] - corners[:, :d]


def _with_centers(center: Floats, size: Floats) -> Floats:
    """Return regions. Shapes: (n, d), (n, d) -> (n, 2 d)."""
    return np.concatenate([center - size / 2, center + size / 2], axis=1)
