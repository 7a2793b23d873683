"""COCO's protocol with DensePose's matching: against a plain program that loops over everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_densepose
from scoring_program.metrics import average_precision as ap

levels = st.sampled_from([0.0, 0.3, 0.5, 0.55, 0.7, 0.8, 0.85, 0.95, 1.0])


@st.composite
def images(draw):
    n_detections, n_persons = draw(st.integers(1, 5)), draw(st.integers(0, 4))

    def matrix():
        return np.array(
            draw(st.lists(levels, min_size=n_detections * n_persons, max_size=n_detections * n_persons))
        ).reshape(n_detections, n_persons)

    def flags():
        return np.array(draw(st.lists(st.booleans(), min_size=n_persons, max_size=n_persons)), dtype=bool)

    def areas(n):
        return np.array(draw(st.lists(st.sampled_from([10.0, 1024.0, 5000.0, 9216.0, 1e5]), min_size=n, max_size=n)))

    return matrix(), matrix(), areas(n_detections), areas(n_persons), flags(), flags()


@given(images())
def test_matching_is_that_of_the_plain_program(image):
    measure, overlap, detection_area, person_area, dense, crowd = image
    measures = np.stack([measure, measure[::-1] if len(measure) else measure])
    score = np.arange(len(measure), 0, -1.0)
    detections, people = ap.Detections(score, detection_area), ap.People(person_area, dense, crowd)
    found = ap.match_image(measures, overlap, detections, people)
    for a, bounds in enumerate(ap.AREAS.values()):
        for m, own in enumerate(measures):
            matched, ignored = plain_densepose.match(own, overlap, detection_area, person_area, dense, crowd, bounds)
            assert found.matched[a, m].tolist() == matched
            assert found.ignored[a, m].tolist() == ignored


def test_perfect_detections_have_ap_one_and_none_have_zero():
    measures = np.ones((1, 1, 1))
    one = np.ones(1)
    flag = np.ones(1, bool)
    detections, people = ap.Detections(one, one * 2000), ap.People(one * 2000, flag, ~flag)
    match = ap.match_image(measures, np.ones((1, 1)), detections, people)
    curves = ap.accumulate([match, match], 1)
    assert curves.average(curves.precision[0], 0) == 1
    assert curves.average(curves.recall[0], 0) == 1
    assert curves.average(curves.precision[2], 2) == 0
    assert ap.accumulate([], 1).average(np.zeros(3), 0) == 0


def test_precision_is_made_monotone_and_sampled_at_101_recalls():
    # Right, wrong, right: precision 1, 1/2, 2/3 at recalls 1/2, 1/2, 1.
    flag = np.ones(2, bool)
    measures = np.array([[[1.0, 0], [0, 0], [0, 1.0]]])
    areas = np.full(3, 2000.0)
    detections, people = ap.Detections(np.array([3.0, 2, 1]), areas), ap.People(areas[:2], flag, ~flag)
    match = ap.match_image(measures, np.zeros((3, 2)), detections, people)
    curves = ap.accumulate([match], 1)
    assert curves.precision[0, 0, 0].tolist() == pytest.approx([1.0] * 51 + [2 / 3] * 50, abs=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=4), st.booleans())
def test_box_iou_is_that_of_areas(boxes, crowd):
    array = np.array(boxes, float)
    flags = np.full(len(array), crowd)
    found = ap.box_iou(array, array, flags)
    for i, (x, y, w, h) in enumerate(boxes):
        for j, (x2, y2, w2, h2) in enumerate(boxes):
            shared = max(min(x + w, x2 + w2) - max(x, x2), 0) * max(min(y + h, y2 + h2) - max(y, y2), 0)
            union = w * h if crowd else w * h + w2 * h2 - shared
            assert found[i, j] == (shared / union if union else 0)
