"""Drawings of images of DensePose: persons with outlines of their masks, and points by their similarity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from people_in_video.drawings.outlines import outlines
from people_in_video.drawings.scenes import (
    GROUND_TRUTH,
    PREDICTION,
    Drawing,
    DrawnObject,
    Shape,
    two_decimals,
)
from people_in_video.drawings.svg import Drawings
from scoring_program.challenges.densepose.measure import ImageStatistics
from scoring_program.challenges.densepose.page import NAMES
from scoring_program.challenges.densepose.reference import (
    Gathered,
    Kept,
    Persons,
    Reference,
    best_of_images,
)
from scoring_program.metrics.average_precision import THRESHOLDS
from scoring_program.metrics.group_values import largest_of_items
from scoring_program.result import Section
from validator.arrays import Bools, Floats, Ints
from validator.formats.densepose.read import Detection
from validator.formats.densepose.selection import read_at
from validator.formats.rules import Rules, load_rules

_MOST_FALSE = 5
_FILES = ("{:012d}", "COCO_val2014_{:012d}", "COCO_train2014_{:012d}", "COCO_test2015_{:012d}", "{}")


def drawings(
    reference: Reference, submission: Gathered, statistics: ImageStatistics, number: int, with_right: bool
) -> list[Section]:
    """Return at most ``number`` images: those that cost most, then those without a detection."""
    scene = _Scene(
        persons=reference.persons,
        statistics=statistics,
        detections=best_of_images(submission.kept),
        pair_of_person=_pairs_to_draw(reference.persons, statistics),
    )
    images = scene.worst_images(with_right)[:number]
    if not images:
        return []
    # The detections of these images alone are decoded, in a second pass over the file.
    drawn_rows = [row for image in images for row in scene.drawn_detections(image)]
    scene.decode(submission.path, load_rules("densepose"), drawn_rows)
    section = Drawings(
        key="drawings",
        title="Worst images",
        note="The images that cost most, then those without a detection. Annotated points are colored by "
        "their geodesic similarity to the prediction.",
        # Where all are drawn, they may be a part of the images that the score is of.
        drawings=[scene.drawing(image, has_cost=not with_right) for image in images],
        points="point similarity",
    )
    return [section]


def image_drawing(persons: Persons, image: int, text: str, objects: Sequence[DrawnObject]) -> Drawing:
    """Return the drawing of these objects of an image."""
    height, width = persons.image_size[image].tolist()
    image_id = int(persons.image_id[image])
    return Drawing(
        title=f"image {image_id}",
        text=text,
        size=(width, height),
        extent="",
        objects=objects,
        files=[pattern.format(image_id) for pattern in _FILES],
        item=[str(image_id)],
    )


def person_shape(persons: Persons, person: int) -> Shape:
    """Return the annotated shape of a person: the outline of its mask, or its box without one."""
    placed_mask = persons.mask(person)
    return _shape(GROUND_TRUTH, persons.box[person], placed_mask.mask, placed_mask.column, placed_mask.row)


def _pairs_to_draw(persons: Persons, statistics: ImageStatistics) -> Ints:
    """Return for each person the pair with its match, or else the most similar one; -1 if none is similar."""
    is_match = statistics.half.is_pair
    candidates = np.flatnonzero(is_match | (statistics.similarity > 0))
    # All matches before all others.
    rank = (is_match + statistics.similarity)[candidates]
    person = statistics.pairing.pairs.person[candidates]
    best = largest_of_items(person, rank, len(persons.image))
    return np.append(candidates, -1)[best]


class _Scene:
    """What is drawn of images.

    Parameters
    ----------
    persons : Persons
    statistics : ImageStatistics
    detections : sequence of Kept
        In the order of ``statistics``.
    pair_of_person : int array of shape (n_persons,)
        The pair with the detection that is drawn next to each person, -1 for none.
    """

    def __init__(
        self, persons: Persons, statistics: ImageStatistics, detections: Sequence[Kept], pair_of_person: Ints
    ) -> None:
        self._persons = persons
        self._statistics = statistics
        self._pairing = statistics.pairing
        self._detections = detections
        self._pair_of_person = pair_of_person
        self._is_matched = np.isin(np.arange(len(pair_of_person)), statistics.half.person)
        drawn_pairs = pair_of_person[persons.dense & (pair_of_person >= 0)]
        next_to_person = self._pairing.pairs.detection[drawn_pairs]
        self._is_next_to_person = np.isin(np.arange(len(detections)), next_to_person)
        # The detections whose pixels are known, by their position in the file.
        self._decoded: dict[int, Detection] = {}

    def worst_images(self, with_right: bool) -> list[int]:
        """Return the images, those that cost most first: those with a person who is not matched at all
        thresholds, or a false detection, unless ``with_right``."""
        people, detections = self._pairing.people, self._pairing.detections
        similarity = np.append(self._statistics.similarity, 0.0)[self._pair_of_person]
        is_perfect = self._is_matched & (similarity >= THRESHOLDS[-1])
        false_in_image = detections.image[~self._statistics.half.is_no_error]
        n_wrong = people.per_image(people.dense & ~is_perfect)
        n_wrong += np.bincount(false_in_image, minlength=people.n_images)
        has_no_detection = self._pairing.n_detections() == 0
        order = np.lexsort((-self._statistics.costs, has_no_detection))
        return order[(n_wrong[order] > 0) | with_right].tolist()

    def drawn_detections(self, image: int) -> list[int]:
        """Return the detections that are drawn: those next to persons, and false ones of high score."""
        first, last = np.searchsorted(self._pairing.detections.image, [image, image + 1]).tolist()
        next_to_person = []
        false = []
        for row in range(first, last):
            if self._is_next_to_person[row]:
                next_to_person.append(row)
            elif not self._statistics.half.is_no_error[row]:
                false.append(row)
        return next_to_person + false[:_MOST_FALSE]

    def decode(self, path: Path | None, rules: Rules, rows: Sequence[int]) -> None:
        """Decode some detections, if they are in a file; others are drawn as boxes."""
        if path and rows:
            self._decoded = read_at(path, rules, {self._detections[row].index for row in rows})

    def drawing(self, image: int, has_cost: bool) -> Drawing:
        """Return the drawing of an image; ``has_cost`` adds what it costs."""
        first, last = np.searchsorted(self._persons.image, [image, image + 1]).tolist()
        objects = []
        for person in range(first, last):
            objects.append(self._person(person, label=f"person {person - first + 1}"))
        for row in self.drawn_detections(image):
            if not self._is_next_to_person[row]:
                objects.append(self._false_detection(row))
        cost = self._statistics.costs[image]
        text = f"Cost {cost:.4f}: how much higher the score would be without the image." if has_cost else ""
        return image_drawing(self._persons, image, text, objects)

    def _person(self, person: int, label: str) -> DrawnObject:
        true_shape = person_shape(self._persons, person)
        if not self._persons.dense[person]:
            outcome = "not annotated densely, not scored"
            return DrawnObject(label, outcome, is_wrong=False, shapes=[true_shape])
        pair = int(self._pair_of_person[person])
        if pair < 0:
            return DrawnObject(label, "no prediction", is_wrong=True, shapes=[true_shape])
        predicted_shape = self._predicted_shape(int(self._pairing.pairs.detection[pair]))
        return DrawnObject(
            label=label,
            outcome=self._outcome(person, pair),
            is_wrong=not self._is_matched[person],
            shapes=[true_shape, predicted_shape],
            points=self._points(person, pair),
        )

    def _outcome(self, person: int, pair: int) -> str:
        """Return the words for a person and the detection next to it."""
        value = float(self._statistics.similarity[pair])
        threshold = float(THRESHOLDS[0])
        similarity = f"{NAMES[self._statistics.measure]} {two_decimals(value)}"
        if self._is_matched[person]:
            return f"matched, {similarity}"
        if value < threshold:
            return f"{similarity}, needs {threshold:g}"
        return f"{similarity}, but its detection has another person"

    def _points(self, person: int, pair: int) -> list[tuple[float, float, float]]:
        """Return x, y and similarity of the points of a person."""
        persons, points = self._persons, self._statistics.points
        of_person = slice(*persons.point_start[person : person + 2].tolist())
        of_pair = slice(*np.searchsorted(points.pair, [pair, pair + 1]).tolist())
        x = persons.x[of_person].tolist()
        y = persons.y[of_person].tolist()
        similarity = points.similarity[of_pair].tolist()
        return list(zip(x, y, similarity))

    def _false_detection(self, row: int) -> DrawnObject:
        detection = self._detections[row]
        label = f"detection {detection.index}, score {detection.score:.3g}"
        shapes = [self._predicted_shape(row)]
        return DrawnObject(label, "matches no person", is_wrong=True, shapes=shapes)

    def _predicted_shape(self, row: int) -> Shape:
        box = self._detections[row].box
        detection = self._decoded.get(self._detections[row].index)
        mask = np.zeros((1, 1), dtype=bool)
        if detection:
            mask = detection.pixels[..., 0] > 0
        return _shape(PREDICTION, np.array(box), mask, left=int(box[0]), top=int(box[1]))


def _shape(role: str, box: Floats, mask: Bools, left: int, top: int) -> Shape:
    """Return the shape of a box ``x, y, w, h`` with a mask whose upper left pixel is (left, top)."""
    x, y, width, height = box.tolist()
    polygons = []
    for polygon in outlines(mask):
        corners = np.reshape(polygon, (-1, 2)) + np.array([left, top])
        polygons.append(corners.ravel().tolist())
    return Shape(role, [x, y, x + width, y + height], polygons)


DRAWINGS = {"densepose": drawings}
