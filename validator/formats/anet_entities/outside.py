"""Boxes of ActivityNet-Entities are in videos that are resized to a width of 720 pixels."""

from __future__ import annotations

import numpy as np

from validator.arrays import Floats, Ints
from validator.texts import counted

WIDTH = 720
# A detector may reach a little beyond the frame: 734 pixels of 720.
_BEYOND = 1.02
_MOST_OUTSIDE = 1 / 100
# Fewer boxes, as a call of a few objects has, may end beyond the frame without being of a larger video.
_LEAST_OUTSIDE = 10


def explain_boxes_outside(boxes: Floats, height: float | None = None) -> str:
    """Return how many boxes end beyond the resized frame if so many do that they are of a larger video.

    These are more than 1 of 100, and at least 10; "" is returned for fewer.

    Parameters
    ----------
    boxes : float array of shape (n, 10, 4)
        ``x1, y1, x2, y2``, resized.
    height : float, optional
        That of the resized frame; without it y is not judged.

    Examples
    --------
    >>> import numpy as np
    >>> explain_boxes_outside(np.tile([10.0, 10.0, 1280.0, 700.0], (1, 10, 1)))
    '10 of 10 boxes end beyond x = 734, up to 1280'
    """
    if not boxes.size:
        return ""
    explanation = _explain_ends_beyond(boxes[..., 2], int(_BEYOND * WIDTH), "x")
    if not explanation and height is not None:
        explanation = _explain_ends_beyond(boxes[..., 3], int(_BEYOND * height), "y")
    return explanation


def explain_videos_outside(boxes: Floats, video: Ints) -> str:
    """Return in how many videos most boxes end beyond the resized frame, "" for none.

    ``boxes`` (n, 10, 4) are those of objects of the videos ``video`` (n,). A video must have 10 such boxes.
    """
    is_beyond = (boxes[..., 2] > int(_BEYOND * WIDTH)).sum(axis=1)
    n_beyond = np.bincount(video, is_beyond)
    n_boxes = boxes.shape[1] * np.bincount(video)
    is_outside = (n_beyond >= _LEAST_OUTSIDE) & (2 * n_beyond > n_boxes)
    if not is_outside.any():
        return ""
    videos = f"{int(is_outside.sum()):,} of {counted(int((n_boxes > 0).sum()), 'video')}"
    return f"in {videos} most boxes end beyond x = {int(_BEYOND * WIDTH)}, up to {boxes[..., 2].max():.6g}"


def _explain_ends_beyond(end: Floats, most: int, axis: str) -> str:
    """Return how many boxes end beyond a place along an axis, "" if they are few."""
    is_beyond = end > most
    n_beyond = int(is_beyond.sum())
    if n_beyond < _LEAST_OUTSIDE or is_beyond.mean() <= _MOST_OUTSIDE:
        return ""
    share = f"{n_beyond:,} of {counted(is_beyond.size, 'box', 'boxes')}"
    return f"{share} end beyond {axis} = {most}, up to {end.max():.6g}"
