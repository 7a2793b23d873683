"""Boxes in other pixels than those of the video resized to a width of 720, as language models write them.

| form | what x and y are |
|---|---|
| ``640x360`` | pixels of frames of this size |
| ``0-1000``, ``0-1`` | shares of the width and the height |
| ``original`` | pixels of the video |

All but the first need the size of each video, whose heights are not public. Frames of a size that is not
that of the video's shape were stretched; with the sizes of the videos that is undone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.tools.conversion import ConversionError
from people_in_video.tools.csv_file import read_csv
from people_in_video.writing import naming
from validator.formats.anet_entities.outside import WIDTH
from validator.texts import quote, some_words

BOX_FORMS = ("0-1000", "0-1", "original")
"""What boxes can be in, beside a size of all frames; these forms need the size of each video."""
_SIZE = re.compile("([1-9][0-9]{0,4})x([1-9][0-9]{0,4})")
_SIZES_HEADER = ["video", "width", "height"]
# The most that a coordinate of 0-1000, or 0-1, may be beyond the frame: by rounding.
_MOST_BEYOND = 1.01
# Width and height of a video.
_Size = tuple[int, int]


def resize_boxes(results: dict[str, Any], form: str, sizes: Mapping[str, _Size] | None) -> str:
    """Turn the boxes of all videos into pixels of the video resized to a width of 720; return what was done.

    What is no list of numbers stays as it is: that of a submission is checked next. Raises ConversionError if
    a video has no size, or most boxes of the file do not fit what they are said to be in.
    """
    frame = _frame_size(form, sizes)
    n_boxes = n_beyond = 0
    for video, segments in results.items():
        factors = _factors(video, frame, sizes)
        for segment in segments.values() if isinstance(segments, dict) else ():
            objects = segment.get("bbox_for_all_frames") if isinstance(segment, dict) else None
            boxes = _boxes_in(objects)
            corners = np.array([box[:4] for box in boxes], dtype=np.float64).reshape(-1, 4)
            n_boxes += len(boxes)
            if frame is not None:
                is_beyond = corners[:, 2:] > np.array(frame) * _MOST_BEYOND
                n_beyond += int(is_beyond.any(axis=1).sum())
            for box, resized_box in zip(boxes, (corners * [*factors, *factors]).tolist()):
                box[:4] = resized_box
    if 2 * n_beyond > n_boxes:
        raise ConversionError(f"{n_beyond:,} of {n_boxes:,} boxes end beyond {form}; say what they are in")
    text = f"{n_boxes:,} boxes in {form} became pixels of videos of a width of {WIDTH}"
    return text if sizes else f"{text}, as if all frames had this shape; --sizes says otherwise"


def _boxes_in(value: Any) -> list[list[Any]]:
    """Return the lists that begin with four numbers in lists of lists."""
    pending, boxes = [value], []
    while pending:
        entry = pending.pop()
        if not isinstance(entry, list):
            continue
        if len(entry) >= 4 and all(type(number) in (int, float) for number in entry[:4]):
            boxes.append(entry)
        else:
            pending += entry
    return boxes


def _frame_size(form: str, sizes: Mapping[str, _Size] | None) -> tuple[float, float] | None:
    """Return the width and the height of the frames that boxes are in, None if they are those of each video.

    Raises ConversionError if the form needs the sizes of videos.
    """
    size = _SIZE.fullmatch(form)
    if size is not None:
        return float(size[1]), float(size[2])
    if form not in BOX_FORMS:
        raise ConversionError(f"--boxes is {quote(form)}; say WIDTHxHEIGHT, {', '.join(BOX_FORMS)}")
    if sizes is None:
        problem = f"boxes in {form} need the width and the height of each video"
        raise ConversionError(
            f"{problem}; name a CSV file with {','.join(_SIZES_HEADER)} as --sizes, in Python sizes="
        )
    if form == "original":
        return None
    largest = float(form.partition("-")[2])
    return largest, largest


def _factors(
    video: str, frame: tuple[float, float] | None, sizes: Mapping[str, _Size] | None
) -> tuple[float, float]:
    """Return the factors of x and y of a video, whose frames were stretched to the size of a frame."""
    if frame is not None and sizes is None:
        # The frames have the shape of the video.
        return WIDTH / frame[0], WIDTH / frame[0]
    video_width, video_height = _size_of(video, sizes or {})
    if frame is None:
        return WIDTH / video_width, WIDTH / video_width
    return WIDTH / frame[0], WIDTH * video_height / video_width / frame[1]


def _size_of(video: str, sizes: Mapping[str, _Size]) -> _Size:
    if video not in sizes:
        raise ConversionError(f"--sizes has no {quote(video)}; add its row {','.join(_SIZES_HEADER)}")
    return sizes[video]


def read_sizes(path: Path | None) -> dict[str, _Size] | None:
    """Return the width and the height of each video. Raises ConversionError."""
    if path is None:
        return None
    with naming(f"--sizes {quote(path.name)}"):
        if not path.is_file():
            raise ConversionError("there is no such file; give a CSV file")
        header, lines = read_csv(path)
        if header != _SIZES_HEADER:
            names = some_words(header) or "empty"
            raise ConversionError(f"the first line is {names}; write {','.join(_SIZES_HEADER)}")
        size_of_video = {}
        for number, line in lines:
            video, *cells = [cell.strip() for cell in line]
            size = _SIZE.fullmatch("x".join(cells))
            if size is None:
                line_form = ",".join(_SIZES_HEADER)
                raise ConversionError(f"line {number} is {quote(','.join(line))}; write {line_form}")
            size_of_video[video] = (int(size[1]), int(size[2]))
    return size_of_video
