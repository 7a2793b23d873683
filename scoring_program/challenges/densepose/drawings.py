"""Drawings of images of DensePose: persons with outlines of their masks, and points by their similarity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program import result
from scoring_program.challenges.densepose.measure import ImageStatistics, best_of_images
from scoring_program.challenges.densepose.page import NAMES
from scoring_program.challenges.densepose.reference import Gathered, Kept, Persons, Reference
from scoring_program.metrics import masks
from scoring_program.metrics.average_precision import THRESHOLDS
from scoring_program.metrics.pairs import largest_of_items
from scoring_program.result import GROUND_TRUTH, PREDICTION, Drawing, DrawnObject, Section, Shape
from validator.arrays import Bools, Floats
from validator.formats.densepose.read import Detection, read_at
from validator.formats.rules import Rules

_MOST_FALSE = 5
_FILES = ("{:012d}", "COCO_val2014_{:012d}", "COCO_train2014_{:012d}", "COCO_test2015_{:012d}", "{}")


def drawings(
    reference: Reference, submission: Gathered, statistics: ImageStatistics, number: int, rules: Rules
) -> list[Section]:
    """Return at most ``number`` images: those that cost most, then those without a detection."""
    draw = _Images(reference, submission, statistics)
    images = draw.worst()[:number]
    # The detections of these images alone are decoded, in a second pass over the file.
    chosen = {draw.kept[row].index for image in images for row in draw.rows(image)}
    draw.decoded = read_at(submission.path, rules, chosen) if submission.path and chosen else {}
    note = "The images that cost most, then those without a detection. Annotated points are colored by their "
    note += "geodesic similarity to the prediction."
    drawn = [draw.image(image) for image in images]
    return [result.Drawings("drawings", "Worst images", note, drawn, "point similarity")] if drawn else []


def canvas(persons: Persons, image: int, text: str, objects: Sequence[DrawnObject]) -> Drawing:
    """Return the drawing of these objects of an image."""
    height, width = persons.image_size[image].tolist()
    number = int(persons.image_id[image])
    files = [pattern.format(number) for pattern in _FILES]
    return Drawing(f"image {number}", text, (width, height), "", objects, files)


def annotated(persons: Persons, person: int) -> Shape:
    """Return the annotated shape of a person: the outline of its mask, or its box without one."""
    placed = persons.mask(person)
    return _shape(GROUND_TRUTH, persons.box[person], placed.mask, placed.column, placed.row)


class _Images:
    """Draws images; ``decoded`` has the detections whose pixels are known, by their position in the file."""

    def __init__(self, reference: Reference, submission: Gathered, statistics: ImageStatistics) -> None:
        self._persons, self._all, self._compared = reference.persons, statistics, statistics.compared
        by_image = best_of_images(submission.kept, len(self._persons.image_id))
        self.kept: list[Kept] = [kept for detections in by_image for kept in detections]
        self.decoded: dict[int, Detection] = {}
        # Of each person the pair with its match, or else the most similar one that is similar at all.
        is_match, pairs = statistics.half.pairs(), self._compared.pairs
        some = np.flatnonzero(is_match | (statistics.similarity > 0))
        values = (is_match + statistics.similarity)[some]
        best = largest_of_items(pairs.person[some], values, len(self._persons.image))
        self._pair = np.append(some, -1)[best]
        self._is_matched = np.isin(np.arange(len(self._pair)), statistics.half.person)
        shown = self._pair[self._persons.dense & (self._pair >= 0)]
        self._is_shown = np.isin(np.arange(len(self.kept)), pairs.detection[shown])

    def worst(self) -> list[int]:
        """Return the images with something to gain, those that cost most first: with a person who is not
        matched at all thresholds, or a false detection."""
        people, image = self._compared.people, self._compared.detections.image
        value = np.append(self._all.similarity, 0.0)[self._pair]
        wrong = people.per_image(people.dense & ~(self._is_matched & (value >= THRESHOLDS[-1])))
        wrong += np.bincount(image[~self._all.half.is_no_error], minlength=people.n_images)
        order = np.lexsort((-self._all.costs, self._compared.n_detections() == 0))
        return order[wrong[order] > 0].tolist()

    def rows(self, image: int) -> list[int]:
        """Return the detections that are drawn: those next to persons, and false ones of high score."""
        own = np.arange(*np.searchsorted(self._compared.detections.image, [image, image + 1]))
        shown, no_error = self._is_shown[own], self._all.half.is_no_error[own]
        return [*own[shown].tolist(), *own[~shown & ~no_error][:_MOST_FALSE].tolist()]

    def image(self, image: int) -> Drawing:
        """Return the drawing of an image."""
        first, last = np.searchsorted(self._persons.image, [image, image + 1]).tolist()
        objects = [self._person(person, f"person {person - first + 1}") for person in range(first, last)]
        for row in self.rows(image):
            if not self._is_shown[row]:
                label = f"detection {self.kept[row].index}, score {self.kept[row].score:.3g}"
                objects.append(DrawnObject(label, "matches no person", True, [self._prediction(row)]))
        text = f"Cost {self._all.costs[image]:.4f}: how much higher the score would be without the image."
        return canvas(self._persons, image, text, objects)

    def _person(self, person: int, label: str) -> DrawnObject:
        persons, pair = self._persons, int(self._pair[person])
        shapes = [annotated(persons, person)]
        if not persons.dense[person]:
            return DrawnObject(label, "not annotated densely, not scored", False, shapes)
        if pair < 0:
            return DrawnObject(label, "no prediction", True, shapes)
        shapes.append(self._prediction(int(self._compared.pairs.detection[pair])))
        value, needed = float(self._all.similarity[pair]), float(THRESHOLDS[0])
        outcome = f"{NAMES[self._all.measure]} {result.two_decimals(value)}"
        if self._is_matched[person]:
            outcome = f"matched, {outcome}"
        else:
            outcome += f", needs {needed:g}" if value < needed else ", but its detection has another person"
        points = slice(*np.searchsorted(self._all.points.pair, [pair, pair + 1]).tolist())
        own = slice(*persons.point_start[person : person + 2].tolist())
        marks = np.stack([persons.x[own], persons.y[own], self._all.points.similarity[points]], axis=1)
        return DrawnObject(label, outcome, not self._is_matched[person], shapes, marks.tolist())

    def _prediction(self, row: int) -> Shape:
        box, detection = self.kept[row].box, self.decoded.get(self.kept[row].index)
        mask = detection.pixels[..., 0] > 0 if detection else np.zeros((1, 1), dtype=bool)
        return _shape(PREDICTION, np.array(box), mask, int(box[0]), int(box[1]))


def _shape(role: str, box: Floats, mask: Bools, left: int, top: int) -> Shape:
    """Return the shape of a box ``x, y, w, h`` with a mask whose upper left pixel is (left, top)."""
    corner = np.array([left, top])
    polygons = [(np.reshape(own, (-1, 2)) + corner).ravel().tolist() for own in masks.outlines(mask)]
    return Shape(role, [*box[:2].tolist(), *(box[:2] + box[2:]).tolist()], polygons)
