"""Likely mistakes in predictions for DensePose, and models that are honest and weak.

Detections of other images in random order are no row: an image has too few persons to tell which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from people_in_video.diagnosis.samples import from_sizes, to_sizes
from people_in_video.diagnosis.trials import Family
from quality.box_mistakes import ChangeOfAllBoxes, ChangeOfBoxes, mirror, weak_models_of_boxes
from quality.cures import Cure
from quality.densepose.synthetic import Detection
from quality.task import Mistake, Said, WeakModel, cured, noted
from validator.arrays import Floats, Pixels

Detections = list[Detection]
Change = Callable[[Detections], Detections]
ChangeOfArray = Callable[[Pixels], Pixels]
# The images of synthetic references: width and height.
CANVAS = (640, 480)
_BOXES, _ARRAYS = ("boxes",), ("arrays",)


def _each(change: Callable[[Detection], Detection]) -> Change:
    """Return the change of predictions that changes each detection in one way."""
    return lambda detections: [change(detection) for detection in detections]


def _each_array(change: ChangeOfArray) -> Change:
    """Return a change of the parts, U and V of all detections; shapes stay as they are."""
    return _each(lambda detection: detection._replace(iuv=np.ascontiguousarray(change(detection.iuv))))


def _each_corner(change: Callable[[float, float, float, float], tuple[float, float]]) -> Change:
    """Return a change of x and y of all boxes."""

    def change_detection(detection: Detection) -> Detection:
        _, _, width, height = detection.box
        return detection._replace(box=(*change(*detection.box), width, height))

    return _each(change_detection)


def _with_box(box: Floats, detection: Detection) -> Detection:
    """Return a detection with another box ``x, y, width, height``, and its array in the size of that box."""
    left, top, width, height = box.tolist()
    width, height = max(width, 1.0), max(height, 1.0)
    _, n_rows, n_columns = detection.iuv.shape
    row = np.arange(int(height)) * n_rows // int(height)
    column = np.arange(int(width)) * n_columns // int(width)
    iuv = detection.iuv[:, row[:, None], column]
    return detection._replace(box=(left, top, width, height), iuv=iuv)


def _each_box(change: ChangeOfBoxes) -> Change:
    """Return a change of boxes ``x1, y1, x2, y2``, with arrays in the size of the new ones."""

    def change_detection(detection: Detection) -> Detection:
        box = to_sizes(change(from_sizes(np.array(detection.box))))
        return _with_box(box, detection)

    return _each(change_detection)


def _write_corners(detection: Detection) -> Detection:
    """Return a detection with two corners for its box, and an array that is padded to that size."""
    left, top, width, height = (abs(value) for value in detection.box)
    right, bottom = left + width, top + height
    padded_iuv = np.zeros((3, int(bottom), int(right)), np.uint8)
    _, n_rows, n_columns = np.minimum(padded_iuv.shape, detection.iuv.shape)
    padded_iuv[:, :n_rows, :n_columns] = detection.iuv[:, :n_rows, :n_columns]
    return detection._replace(box=(left, top, right, bottom), iuv=padded_iuv)


def _write_corners_alone(detection: Detection) -> Detection:
    left, top, width, height = detection.box
    return detection._replace(box=(left, top, left + width, top + height))


def _normalize_corner(x: float, y: float, width: float, height: float) -> tuple[float, float]:
    """Return x and y as shares of the image."""
    return abs(x) / 700, abs(y) / 500


def _normalize_box(detection: Detection) -> Detection:
    left, top, width, height = (np.array(detection.box) / 1000).clip(0, 1).tolist()
    return detection._replace(box=(left, top, width, height))


def _with_equal_score(detection: Detection) -> Detection:
    """Return a detection with the same score as all others."""
    return detection._replace(score=1.0)


def _with_reversed_score(detection: Detection) -> Detection:
    return detection._replace(score=1 - detection.score)


def _with_false_detections(detections: Detections) -> Detections:
    """Return a detection of nothing, of a low score, for each detection, too: its array is upside down."""
    false_detections = [
        detection._replace(score=0.1 * detection.score, iuv=np.ascontiguousarray(detection.iuv[:, ::-1]))
        for detection in detections
    ]
    return [*detections, *false_detections]


def _repeat_detections(detections: Detections) -> Detections:
    """Return each detection three times."""
    return [detection for detection in detections for _ in range(3)]


def _keep_two_images(detections: Detections) -> Detections:
    """Return the detections of the first two images."""
    return [detection for detection in detections if detection.image_id <= 2]


def _exchange_axes(detection: Detection) -> Detection:
    """Return a detection with x and y exchanged in its box and its array."""
    left, top, width, height = detection.box
    return detection._replace(box=(top, left, height, width), iuv=detection.iuv.transpose(0, 2, 1))


def _parts_from_zero(iuv: Pixels) -> Pixels:
    """Return parts 0..23 instead of 1..24; background becomes part 0, too."""
    return np.concatenate([np.maximum(iuv[:1], 1) - 1, iuv[1:]])


def _coarse_parts(iuv: Pixels) -> Pixels:
    """Return the 14 parts of masks: the two halves of a limb are one."""
    return np.concatenate([(iuv[:1] + 1) // 2 + (iuv[:1] > 4), iuv[1:]])


def _complement(channels: tuple[int, ...], iuv: Pixels) -> Pixels:
    complement = iuv.copy()
    for channel in channels:
        complement[channel] = np.where(iuv[0] > 0, 255 - iuv[channel], 0)
    return complement


def exchange_sides(iuv: Pixels) -> Pixels:
    """Return the parts of the other side; after the torso, each odd part and the next are the two sides."""
    part = iuv[:1]
    other_side = np.where(part > 2, (part - 1 ^ 1) + 1, part)
    return np.concatenate([other_side, iuv[1:]])


def _unit_bytes(iuv: Pixels) -> Pixels:
    """Return U and V in 0..1, rounded to bytes."""
    return np.concatenate([iuv[:1], np.rint(iuv[1:] / 255).astype(np.uint8)])


def _write_columns(iuv: Pixels) -> Pixels:
    """Return an array whose columns are written where rows should be."""
    return iuv.transpose(0, 2, 1).reshape(iuv.shape)


def _next_images(detections: Detections) -> Detections:
    """Return the detections of each image under the id of the one before."""
    ids = sorted({detection.image_id for detection in detections})
    id_before = dict(zip(ids, [*ids[-1:], *ids]))
    return [detection._replace(image_id=id_before[detection.image_id]) for detection in detections]


def _count_images(first: int, detections: Detections) -> Detections:
    return [detection._replace(image_id=detection.image_id + first) for detection in detections]


def _fit(
    name: str, scale: tuple[float, float], offset: tuple[float, float] = (0.0, 0.0)
) -> Mistake[Detections]:
    """Return the mistake that boxes and arrays are those of a picture of another size, or a part of it."""
    scales, offsets = np.array(scale * 2), np.array(offset * 2)
    return cured(name, _BOXES, Family.FIT, _each_box(lambda boxes: boxes * scales + offsets))


def _in_arrays(name: str, change: ChangeOfArray, family: Family = Family.READING) -> Mistake[Detections]:
    return cured(name, _ARRAYS, family, _each_array(change))


def _with_arrays(detections: Detections, other_detections: Detections) -> Detections:
    """Give each detection the array of another one, in the size of its box."""
    changed_detections = []
    for detection, other in zip(detections, other_detections):
        resized_detection = _with_box(np.array(detection.box), other)
        changed_detections.append(detection._replace(iuv=resized_detection.iuv))
    return changed_detections


def _next_arrays(detections: Detections) -> Detections:
    return _with_arrays(detections, [*detections[1:], *detections[:1]])


def _arrays_of_others(detections: Detections, rng: np.random.Generator) -> Detections:
    order = rng.permutation(len(detections)).tolist()
    return _with_arrays(detections, [detections[other] for other in order])


def _middle_of_parts(iuv: Pixels) -> Pixels:
    return np.concatenate([iuv[:1], np.full_like(iuv[1:], 128)])


def _torso(iuv: Pixels) -> Pixels:
    """Return an array with the torso at all pixels of the body."""
    return np.concatenate([2 * (iuv[:1] > 0).astype(np.uint8), iuv[1:]])


def _crop(factor: float, iuv: Pixels) -> Pixels:
    """Return the array of a crop that is larger than the box by a factor, in the size of the box."""
    _, height, width = iuv.shape
    row = np.floor(height / 2 + (np.arange(height) + 0.5 - height / 2) * factor).astype(np.int64)
    column = np.floor(width / 2 + (np.arange(width) + 0.5 - width / 2) * factor).astype(np.int64)
    is_row, is_column = (row >= 0) & (row < height), (column >= 0) & (column < width)
    crop = np.zeros_like(iuv)
    crop[:, np.flatnonzero(is_row)[:, None], np.flatnonzero(is_column)] = iuv[
        :, row[is_row][:, None], column[is_column]
    ]
    return crop


MISTAKES: list[Mistake[Detections]] = [
    cured("boxes as [x1, y1, x2, y2], arrays of that size", _BOXES, Family.READING, _each(_write_corners)),
    cured(
        "boxes as [center x, center y, width, height]",
        _BOXES,
        Family.READING,
        _each_corner(lambda x, y, width, height: (x + width / 2, y + height / 2)),
    ),
    cured(
        "boxes as [y, x, width, height]",
        _BOXES,
        Family.READING,
        _each_corner(lambda x, y, width, height: (y, x)),
    ),
    cured("x and y exchanged in boxes and arrays", _BOXES, Family.READING, _each(_exchange_axes)),
    _fit("images of half size", (0.5, 0.5)),
    _fit("images of 800 x 800", (800 / CANVAS[0], 800 / CANVAS[1])),
    _fit("images of 224 x 224", (224 / CANVAS[0], 224 / CANVAS[1])),
    _fit("boxes 40 pixels off in x and y", (1.0, 1.0), (40.0, 40.0)),
    _fit("boxes 20 pixels off in x and y", (1.0, 1.0), (20.0, 20.0)),
    _fit("boxes of a letterbox: 0.8 of the size, y plus 60", (0.8, 0.8), (0.0, 60.0)),
    cured("boxes of mirrored images", _BOXES, Family.FIT, _each_box(mirror(CANVAS[0]))),
    cured(
        "boxes as [center x, center y, width, height] of half size",
        _BOXES,
        Family.FIT,
        lambda detections: _each_corner(lambda x, y, w, h: (x + w / 2, y + h / 2))(
            _each_box(lambda boxes: boxes / 2)(detections)
        ),
    ),
    cured("detections of the next image", _BOXES, Family.ITEMS, _next_images),
    Mistake(
        name="image ids one too high",
        change=partial(_count_images, 1),
        said=[Said("N-ITEMS-UNKNOWN", "n - 1")],
        cures=[Cure(_BOXES, Family.ITEMS)],
    ),
    noted("image ids of another split", "E-ITEMS-NONE", partial(_count_images, 100_000)),
    _in_arrays("channels I, V, U", lambda iuv: iuv[[0, 2, 1]]),
    _in_arrays("1 - U", partial(_complement, (1,))),
    _in_arrays("1 - V", partial(_complement, (2,))),
    _in_arrays("1 - U and 1 - V", partial(_complement, (1, 2))),
    _in_arrays("parts 0..23", _parts_from_zero, Family.NUMBERS),
    _in_arrays("left and right exchanged", exchange_sides, Family.ORDER),
    _in_arrays("arrays flipped left to right", lambda iuv: iuv[:, :, ::-1]),
    _in_arrays("arrays flipped top to bottom", lambda iuv: iuv[:, ::-1]),
    _in_arrays("arrays turned upside down", lambda iuv: iuv[:, ::-1, ::-1]),
    _in_arrays("arrays written column by column", _write_columns),
    _in_arrays("arrays flipped left to right, 1 - U", lambda iuv: _complement((1,), iuv)[:, :, ::-1]),
    _in_arrays("arrays of crops 1.25 times the box", partial(_crop, 1.25)),
    _in_arrays("arrays of crops 1.4 times the box", partial(_crop, 1.4)),
    cured("arrays of the next detection", _ARRAYS, Family.READING, _next_arrays),
    cured(
        "scores in reverse order, with detections of nothing",
        ("first detections",),
        Family.ORDER,
        lambda detections: _each(_with_reversed_score)(_with_false_detections(detections)),
    ),
    noted("channels B, G, R", "E-DP-PART", _each_array(lambda iuv: iuv[::-1]), "first channel, R"),
    noted(
        "boxes as [x1, y1, x2, y2] alone", "E-DP-SHAPE", _each(_write_corners_alone), "x, y, width, height"
    ),
    noted("boxes in 0..1", "E-DP-BOX", _each(_normalize_box), "width and height in pixels"),
    noted("corners in 0..1", "N-LOOKS-NORMALIZED", _each_corner(_normalize_corner)),
    noted("U and V in 0..1 as bytes", "N-LOOKS-NORMALIZED", _each_array(_unit_bytes)),
    noted("the 14 coarse parts", "N-PARTS-COARSE", _each_array(_coarse_parts)),
    noted(
        "U and V 128 everywhere",
        "N-LOOKS-CONSTANT",
        _each_array(_middle_of_parts),
        "U is 128",
    ),
    noted(
        "one part everywhere",
        "N-LOOKS-CONSTANT",
        _each_array(_torso),
        "have part 2",
    ),
    noted("all background", "N-LOOKS-CONSTANT", _each_array(np.zeros_like)),
    noted("all scores equal", "N-LOOKS-CONSTANT", _each(_with_equal_score)),
    noted("category 0", "N-CATEGORY", _each(lambda detection: detection._replace(category_id=0))),
    noted("each detection three times", "N-REPEATED", _repeat_detections),
    noted("2 images alone", "N-IMAGES-MISSING", _keep_two_images),
    noted("nothing at all", "N-EMPTY", lambda detections: []),
]


def _change_all_boxes(
    detections: Detections, change: ChangeOfAllBoxes, rng: np.random.Generator
) -> Detections:
    """Change all boxes together; arrays get the size of the new ones."""
    if not detections:
        return detections
    boxes = from_sizes(np.array([detection.box for detection in detections]))
    new_boxes = to_sizes(change(boxes, rng))
    return [_with_box(box, detection) for box, detection in zip(new_boxes, detections)]


def _guess_sides(detections: Detections, rng: np.random.Generator) -> Detections:
    """Exchange left and right of a random half of the detections."""
    changed_detections = []
    for detection in detections:
        is_exchanged = rng.random() < 0.5
        iuv = exchange_sides(detection.iuv) if is_exchanged else detection.iuv
        changed_detections.append(detection._replace(iuv=iuv))
    return changed_detections


def _random_coordinates(detections: Detections, rng: np.random.Generator) -> Detections:
    def change(iuv: Pixels) -> Pixels:
        return np.concatenate([iuv[:1], rng.integers(0, 256, iuv[1:].shape).astype(np.uint8)])

    return _each_array(change)(detections)


def _keep_tenth(detections: Detections, rng: np.random.Generator) -> Detections:
    return [detection for detection in detections if rng.random() < 0.1]


WEAK_MODELS: list[WeakModel[Detections]] = [
    *weak_models_of_boxes(_change_all_boxes, CANVAS),
    WeakModel("arrays of other detections", _arrays_of_others),
    WeakModel("left and right guessed", _guess_sides),
    WeakModel("the middle of each part", lambda detections, rng: _each_array(_middle_of_parts)(detections)),
    WeakModel("the torso alone", lambda detections, rng: _each_array(_torso)(detections)),
    WeakModel("random U and V", _random_coordinates),
    WeakModel("a tenth of the detections", _keep_tenth),
]
