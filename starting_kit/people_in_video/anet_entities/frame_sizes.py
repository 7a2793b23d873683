"""Boxes of ActivityNet-Entities are in videos that are resized to a width of 720 pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from people_in_video.writing import whole
from validator.arrays import Floats
from validator.formats.anet_entities.outside import WIDTH, explain_boxes_outside

# Width and height in pixels.
FrameSize = Sequence[int]


def frame_size_of(
    video: str, frame_size: FrameSize | None, sizes: Mapping[str, FrameSize] | None
) -> FrameSize | None:
    """Return the size of a video, given alone or among those of others; None if neither is given.

    Raises ValueError if both are given, or the video has no size.
    """
    if sizes is None:
        return frame_size
    if frame_size is not None:
        raise ValueError("give frame_size or sizes, not both")
    if video not in sizes:
        raise ValueError(f"sizes has no {video!r}; add its (width, height)")
    return sizes[video]


def resized_boxes(boxes: Floats, frame_size: FrameSize | None) -> Floats:
    """Return boxes in pixels of the video resized to a width of 720.

    Parameters
    ----------
    boxes : float64 array of shape (n, 10, 4)
        ``x1, y1, x2, y2`` in pixels of ``frame_size``; without it they are in pixels of the resized video.
    frame_size : (width, height), optional

    Raises
    ------
    ValueError
        The size is not two whole numbers, or more than 1 of 100 boxes, and at least 10, end beyond the
        frame: to the right, and below where the height is known.
    """
    if frame_size is None:
        explanation = explain_boxes_outside(boxes)
        if explanation:
            raise ValueError(
                f"boxes: {explanation}; multiply x and y by {WIDTH} / width of the video, "
                "or give frame_size=(width, height) of the video; if it is the resized one, clip them "
                "to the frame"
            )
        return boxes
    width, height = _checked_size(frame_size)
    pixel_boxes = boxes * (WIDTH / width)
    explanation = explain_boxes_outside(pixel_boxes, height * WIDTH / width)
    if explanation:
        remedy = (
            "check that frame_size is (width, height) of the frames that the boxes are of; if it is, clip "
        )
        remedy += "them to the frame"
        raise ValueError(f"boxes: resized to a width of {WIDTH}, {explanation}; {remedy}")
    return pixel_boxes


def _checked_size(frame_size: Sequence[Any]) -> tuple[int, int]:
    if len(frame_size) != 2:
        raise ValueError(f"frame_size is {frame_size!r:.40}; it must be (width, height)")
    width, height = frame_size
    return whole(width, "the width of frame_size", 1), whole(height, "the height of frame_size", 1)
