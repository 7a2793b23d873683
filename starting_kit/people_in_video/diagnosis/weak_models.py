"""What honest models that are weak get wrong: regions fit after another change that is no mistake in writing.

A change of all regions is no repair if what a weak model does explains them as well: regions that are all too
large or too small, boxes that are off by a share of their own size, and boxes whose centers are drawn to the
middle of the picture while their sizes are right.
"""

from __future__ import annotations

import numpy as np

from people_in_video.diagnosis.fits import OFFSET_WIDTH, centers, mode, sizes, some_entries
from people_in_video.diagnosis.samples import Regions
from validator.arrays import Floats

# By what centers may have to be scaled; with scales near 1 all boxes are off by the same, as in a cropped
# picture.
_SCALES_OF_CENTERS = (*np.geomspace(0.5, 0.93, 10).tolist(), *np.geomspace(1.07, 3.4, 18).tolist())
# A weak model moves boxes by a share of their size, at most this one; from corner to center it is a half.
_MOST_MOVED = 0.4


def mean_iou_of_weak_model(sample: Regions) -> float:
    """Return the mean IoU that regions as submitted have without what weak models get wrong."""
    corners = sample.corners
    iou = sample.best_iou(_without_bias(sample, corners)).mean()
    return float(max(iou, _mean_iou_with_moved_centers(sample, corners) if corners.shape[1] == 4 else 0.0))


def _without_bias(sample: Regions, corners: Floats) -> Floats:
    """Return regions that grow about their own center by one factor for each axis, and, if they are boxes,
    also move by one share of their own size."""
    best = sample.best_pairs(corners, level=0.0)
    if not len(best):
        return corners
    region, true = corners[sample.pairs.region[best]], sample.true_corners[sample.pairs.true[best]]
    size = np.maximum(sizes(region) + 1, 1)
    growth = np.median((sizes(true) + 1) / size, axis=0)
    share_moved = np.median((centers(true) - centers(region)) / size, axis=0)
    most = _MOST_MOVED if corners.shape[1] == 4 else 0.0
    shift = np.clip(share_moved, -most, most) * (sizes(corners) + 1)
    return _with_centers(centers(corners) + shift, sizes(corners) * growth)


def _mean_iou_with_moved_centers(sample: Regions, corners: Floats) -> float:
    """Return the largest mean IoU of boxes whose centers are scaled and moved while their sizes stay."""
    is_some = some_entries(sample)
    some_regions, some_corners = sample.of_entries(is_some), corners[is_some[sample.entries]]
    center, true_center = centers(some_corners), centers(some_regions.true_corners)
    width = (
        OFFSET_WIDTH * np.median(sizes(some_regions.true_corners), axis=0) if len(true_center) else np.ones(2)
    )

    best_iou = 0.0
    for scale in _SCALES_OF_CENTERS:
        votes = true_center[some_regions.pairs.true] - scale * center[some_regions.pairs.region]
        offset = np.array([mode(votes[:, axis], float(width[axis])) for axis in range(2)])
        moved_corners = _with_centers(scale * center + np.nan_to_num(offset), sizes(some_corners))
        best_iou = max(best_iou, float(some_regions.best_iou(moved_corners).mean()))
    return best_iou


def _with_centers(center: Floats, size: Floats) -> Floats:
    """Return regions. Shapes: (n, d), (n, d) -> (n, 2 d)."""
    return np.concatenate([center - size / 2, center + size / 2], axis=1)
