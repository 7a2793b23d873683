"""COCO's protocol with DensePose's matching: against a plain program that loops over everything."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.metrics import average_precision as ap
from tests.helpers import fewer_examples
from tests.plain import densepose as plain

levels = st.sampled_from([0.0, 0.3, 0.5, 0.55, 0.7, 0.8, 0.85, 0.95, 1.0])


@st.composite
def images(draw):
    n_detections, n_persons = draw(st.integers(0, 5)), draw(st.integers(0, 4))

    def matrix():
        return np.array(
            draw(st.lists(levels, min_size=n_detections * n_persons, max_size=n_detections * n_persons))
        ).reshape(n_detections, n_persons)

    def flags():
        return np.array(draw(st.lists(st.booleans(), min_size=n_persons, max_size=n_persons)), dtype=bool)

    def areas(n):
        return np.array(
            draw(
                st.lists(
                    st.sampled_from([10.0, 1024.0, 5000.0, 9216.0, 1e5, 1e10, 2e10]), min_size=n, max_size=n
                )
            )
        )

    return matrix(), matrix(), areas(n_detections), areas(n_persons), flags(), flags()


def joined(parts):
    return np.concatenate([np.zeros(0), *(part.ravel() for part in parts)])


def matched_together(several, areas=tuple(ap.AREAS)):
    """Match all images at once by a measure and by that measure with its rows turned around."""
    measure, overlap, detection_area, person_area, dense, crowd = zip(*several)
    n_detections, n_persons = [list(map(len, sizes)) for sizes in (detection_area, person_area)]
    number = np.arange(len(several))
    score = joined([np.arange(n, 0, -1.0) for n in n_detections])
    detections = ap.Detections(np.repeat(number, n_detections), score, joined(detection_area))
    flags = (joined(parts).astype(bool) for parts in (dense, crowd))
    people = ap.People(len(several), np.repeat(number, n_persons), joined(person_area), *flags)
    measures = np.stack([joined(measure), joined([own[::-1] for own in measure])])
    return ap.match(measures, joined(overlap), detections, people, areas)


@given(st.lists(images(), min_size=1, max_size=4))
def test_matching_is_that_of_the_plain_program(several):
    found = matched_together(several)
    first_detection = first_person = 0
    for number, (measure, overlap, detection_area, person_area, dense, crowd) in enumerate(several):
        own = np.s_[first_detection : first_detection + len(detection_area)]
        image: Any = SimpleNamespace(
            similarity={0: measure, 1: measure[::-1]},
            box_iou=overlap,
            has_points=dense,
            persons=[{"area": area, "iscrowd": flag} for area, flag in zip(person_area, crowd)],
            detections=[{"bbox": [0, 0, area, 1]} for area in detection_area],
        )
        for a, bounds in enumerate(ap.AREAS.values()):
            counts = dense & (person_area >= bounds[0]) & (person_area <= bounds[1])
            assert found.n_persons[a, number] == counts.sum()
            for m in image.similarity:
                place, ignored, n_scored = plain.match(image, m, bounds)
                if not n_scored:
                    ignored[:] = True
                assert np.array_equal(
                    found.matched[a, m][:, own], np.where(place < 0, -1, place + first_person)
                )
                assert found.ignored[a, m][:, own].tolist() == ignored.tolist()
        first_detection, first_person = own.stop, first_person + len(person_area)


@given(
    st.lists(images(), min_size=1, max_size=4),
    st.lists(st.sampled_from(list(ap.AREAS)), min_size=1, unique=True),
)
def test_areas_are_matched_independently(several, areas):
    everything, some = matched_together(several), matched_together(several, areas)
    chosen = [list(ap.AREAS).index(area) for area in areas]
    assert np.array_equal(everything.matched[chosen], some.matched)
    assert np.array_equal(everything.ignored[chosen], some.ignored)
    assert np.array_equal(everything.n_persons[chosen], some.n_persons)


@fewer_examples()
@given(st.lists(images(), min_size=1, max_size=4), st.data(), st.sampled_from([1, 2, 100]))
def test_weights_are_repeated_images(several, data, block):
    rows = st.lists(st.integers(0, 3), min_size=len(several), max_size=len(several)).filter(any)
    weights = data.draw(st.lists(rows, min_size=1, max_size=4))
    expected = []
    for row in weights:
        curves = ap.accumulate(
            matched_together([own for own, times in zip(several, row) for _ in range(times)])
        )
        expected.append([curves.average(curves.precision[0, measure], 0) for measure in range(2)])
    found = matched_together(several)
    for measure in range(2):
        means = ap.weighted(ap.ranked(found, 0, measure), np.array(weights, float), block)
        assert means.tolist() == pytest.approx([values[measure] for values in expected], abs=1e-12)


def test_areas_are_those_of_coco():
    assert ap.AREAS == {"all": (0, 1e10), "medium": (1024, 9216), "large": (9216, 1e10)}


def test_perfect_detections_have_ap_one_and_none_have_zero():
    image, ones, flags = np.arange(2), np.ones(2), np.ones(2, bool)
    detections, people = (
        ap.Detections(image, ones, ones * 2000),
        ap.People(2, image, ones * 2000, flags, ~flags),
    )
    curves = ap.accumulate(ap.match(np.ones((1, 2)), np.ones(2), detections, people))
    assert curves.average(curves.precision[0], 0) == 1
    assert curves.average(curves.recall[0], 0) == 1
    assert curves.average(curves.precision[2], 2) == 0


def test_nothing_has_ap_zero():
    none, flags = np.zeros(0), np.zeros(0, bool)
    people = ap.People(0, none.astype(int), none, flags, flags)
    matches = ap.match(np.zeros((1, 0)), none, ap.Detections(none.astype(int), none, none), people)
    curves = ap.accumulate(matches)
    assert curves.average(curves.precision[0], 0) == 0
    assert ap.weighted(ap.ranked(matches, 0, 0), np.ones((2, 0))).tolist() == [0, 0]


def test_precision_is_made_monotone_and_sampled_at_101_recalls():
    # Right, wrong, right: precision 1, 1/2, 2/3 at recalls 1/2, 1/2, 1.
    flag = np.ones(2, bool)
    measures = np.array([[1.0, 0, 0, 0, 0, 1.0]])
    image, areas = np.zeros(3, int), np.full(3, 2000.0)
    detections, people = (
        ap.Detections(image, np.array([3.0, 2, 1]), areas),
        ap.People(1, image[:2], areas[:2], flag, ~flag),
    )
    curves = ap.accumulate(ap.match(measures, np.zeros(6), detections, people))
    assert curves.precision[0, 0, 0].tolist() == pytest.approx([1.0] * 51 + [2 / 3] * 50, abs=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=4), st.booleans())
def test_box_iou_is_that_of_areas(boxes, crowd):
    array = np.array(boxes, float)
    flags = np.full(len(array), crowd)
    for i, (x, y, w, h) in enumerate(boxes):
        found = ap.box_iou(array[i], array, flags)
        for j, (x2, y2, w2, h2) in enumerate(boxes):
            shared = max(min(x + w, x2 + w2) - max(x, x2), 0) * max(min(y + h, y2 + h2) - max(y, y2), 0)
            union = w * h if crowd else w * h + w2 * h2 - shared
            assert found[j] == (shared / union if union else 0)
