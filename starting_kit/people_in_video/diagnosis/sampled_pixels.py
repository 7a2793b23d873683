"""Pixels for the search for repairs: what detections have at some points of the persons that they are on.

Arrays of a large submission are dropped as soon as they are measured. So the images are chosen before
reading, and pixels are taken in all ways in which an array may have to be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.samples import spread_evenly
from scoring_program.challenges.densepose.reference import Keeper, Kept, Reference
from scoring_program.metrics import geodesic
from scoring_program.metrics.average_precision import box_iou
from validator.arrays import Bools, Floats, Ints, Pixels
from validator.formats.densepose.read import Detection

MOST_IMAGES = 160
MOST_POINTS = 32
LEAST_BOX_IOU = 0.5
"""A detection is on a person if the IoU of their boxes is above it."""


class SampledPixels(NamedTuple):
    """Pixels of a detection.

    Attributes
    ----------
    person : int
        The densely annotated person that the detection is on.
    point : int array of shape (n_points,)
        At most 32 of the points of that person.
    values : uint8 array of shape (n_readings, n_points, 3)
        Part, U and V at each point, in the order of `READINGS`; 0 outside of the box.
    """

    person: int
    point: Ints
    values: Pixels


# Where a pixel (row, column) of the box is in an array of some height and width.
ArrayReading = Callable[[Ints, Ints, int, int], tuple[Ints, Ints]]


def _larger_crop(factor: float) -> ArrayReading:
    """Return the reading of the array of a crop that is larger than the box, about the same center."""
    return lambda row, column, height, width: (
        _toward_middle(row, height, factor),
        _toward_middle(column, width, factor),
    )


def _square_crop(row: Ints, column: Ints, height: int, width: int) -> tuple[Ints, Ints]:
    """Return the pixels in the array of a square crop about the center of the box."""
    side = max(height, width)
    return _toward_middle(row, height, side / height), _toward_middle(column, width, side / width)


def _toward_middle(place: Ints, size: int, factor: float) -> Ints:
    return np.floor(size / 2 + (place + 0.5 - size / 2) / factor).astype(np.int64)


ARRAY_READINGS: dict[str, ArrayReading] = {
    "": lambda row, column, height, width: (row, column),
    "with arrays flipped left to right": lambda row, column, height, width: (row, width - 1 - column),
    "with arrays flipped top to bottom": lambda row, column, height, width: (height - 1 - row, column),
    "with arrays turned upside down": lambda row, column, height, width: (
        height - 1 - row,
        width - 1 - column,
    ),
    "with arrays written column by column": lambda row, column, height, width: divmod(
        column * height + row, width
    ),
    "with arrays of crops 1.25 times the box": _larger_crop(1.25),
    "with arrays of crops 1.5 times the box": _larger_crop(1.5),
    "with arrays of square crops": _square_crop,
}
"""The ways to read an array, by the words for each, which follow "read"; the first is that of the format."""
READINGS = (
    *ARRAY_READINGS,
    "with the arrays of the detection before, in the size of the box",
    "with the arrays of the detection after, in the size of the box",
)
"""The words for these ways, and for arrays of neighbors in the file."""
_BEFORE, _AFTER = len(ARRAY_READINGS), len(ARRAY_READINGS) + 1


def choose_images(images: Ints) -> frozenset[int]:
    """Return at most 160 of some images, evenly spread and the same each time."""
    return frozenset(images[spread_evenly(len(images), MOST_IMAGES)].tolist())


def read_pixels(pixels: Pixels, x: Floats, y: Floats, corner: tuple[float, float]) -> Pixels:
    """Return what a detection has at points of the image, in all ways to read its array; of neighbors 0.

    Parameters
    ----------
    pixels : uint8 array of shape (h, w, 3)
    x, y : float64 arrays of shape (n,)
        Points in image coordinates.
    corner : (float, float)
        x and y of the detection's box.

    Returns
    -------
    uint8 array of shape (n_readings, n, 3)
        0 for points outside of the box.
    """
    height, width, _ = pixels.shape
    is_inside, row, column = geodesic.pixels_of_points(x, y, corner, (height, width))
    values = np.zeros((len(READINGS), len(x), 3), np.uint8)
    for number, reading in enumerate(ARRAY_READINGS.values()):
        read_row, read_column = reading(row, column, height, width)
        values[number, is_inside] = pixels[read_row, read_column]
    return values


class _Place(NamedTuple):
    """Where points (n,) are in the box of a detection, and its values, which neighbors are added to."""

    is_inside: Bools
    row: Ints
    column: Ints
    height: int
    width: int
    values: Pixels

    def add_neighbor(self, number: int, pixels: Pixels) -> None:
        """Add what the array of a neighbor has, in the size of the box, as the reading of a number."""
        row = self.row * pixels.shape[0] // self.height
        column = self.column * pixels.shape[1] // self.width
        self.values[number, self.is_inside] = pixels[row, column]


@dataclass(frozen=True)
class SampledKept(Kept):
    """What matching and diagnosis need of a detection.

    ``sampled_pixels`` are there if the image was chosen and the detection is on a densely annotated person.
    """

    sampled_pixels: SampledPixels | None = None


class SamplingKeeper(Keeper):
    """Keeps pixels of detections on chosen images, too."""

    def __init__(self, reference: Reference) -> None:
        super().__init__(reference)
        self._sampled_images = choose_images(np.unique(self.persons.image[self.persons.dense]))
        self._pixels_before: Pixels | None = None
        self._place_before: _Place | None = None

    def __call__(self, detection: Detection, image: int) -> SampledKept:
        """Return what is kept of a detection on an image, which is given by its number."""
        kept_detection = super().__call__(detection, image)
        if self._place_before is not None:
            self._place_before.add_neighbor(_AFTER, detection.pixels)
        self._place_before = None
        sampled_pixels = self._sample_pixels(detection, image)
        self._pixels_before = detection.pixels
        return SampledKept(**vars(kept_detection), sampled_pixels=sampled_pixels)

    def _sample_pixels(self, detection: Detection, image: int) -> SampledPixels | None:
        """Return what diagnosis compares of a detection, None if it is on no person of a chosen image."""
        persons = self.persons
        if image not in self._sampled_images:
            return None
        people = np.arange(*np.searchsorted(persons.image, [image, image + 1]))
        dense_persons = people[persons.dense[people]]
        iou = box_iou(np.array(detection.box), persons.box[dense_persons], persons.crowd[dense_persons])
        if iou.max(initial=0) <= LEAST_BOX_IOU:
            return None
        person = int(dense_persons[iou.argmax()])
        first_point, end = persons.point_start[[person, person + 1]].tolist()
        point = first_point + spread_evenly(end - first_point, MOST_POINTS)
        x, y, corner = persons.x[point], persons.y[point], detection.box[:2]
        values = read_pixels(detection.pixels, x, y, corner)
        height, width, _ = detection.pixels.shape
        inside_pixels = geodesic.pixels_of_points(x, y, corner, (height, width))
        self._place_before = _Place(*inside_pixels, height, width, values)
        if self._pixels_before is not None:
            self._place_before.add_neighbor(_BEFORE, self._pixels_before)
        return SampledPixels(person, point, values)
