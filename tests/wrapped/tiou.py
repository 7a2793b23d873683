"""Temporal intersection over union."""

import numpy as np


def segment_iou(target, candidates):
    shared = np.minimum(target[1], candidates[:, 1]) - np.maximum(target[0], candidates[:, 0])
    shared = shared.clip(0)
    union = (candidates[:, 1] - candidates[:, 0]) + (target[1] - target[0]) - shared
    return shared / union
