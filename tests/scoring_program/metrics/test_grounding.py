"""Grounding: the vectorized overlap against a word-by-word program, and its float32 corners."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.metrics import grounding as gr

F = np.float32
sides = st.one_of(
    st.integers(0, 40).map(float), st.floats(-1e3, 1e3, width=32), st.sampled_from([1e30, -1e30, 3e38])
)


def by_hand(predicted, reference, frame):
    """Return the ten overlaps of one object and one reference box, operation by operation."""
    with np.errstate(all="ignore"):
        rw = F(F(reference[2] - reference[0]) + F(1))
        rh = F(F(reference[3] - reference[1]) + F(1))
        overlaps = []
        for number, box in enumerate(predicted):
            pw, ph = F(F(box[2] - box[0]) + F(1)), F(F(box[3] - box[1]) + F(1))
            iw = F(F(np.minimum(box[2], reference[2]) - np.maximum(box[0], reference[0])) + F(1))
            ih = F(F(np.minimum(box[3], reference[3]) - np.maximum(box[1], reference[1])) + F(1))
            iw, ih = F(0) if iw < 0 else iw, F(0) if ih < 0 else ih
            inter = F(iw * ih)
            overlap = F(inter / F(F(F(pw * ph) + F(rw * rh)) - inter))
            overlap = F(overlap * F(number == frame))
            overlap = F(0) if rw == 1 and rh == 1 else overlap
            overlaps.append(F(-1) if pw == 1 and ph == 1 else overlap)
    return overlaps


@given(
    st.lists(st.tuples(sides, sides, sides, sides), min_size=10, max_size=10),
    st.tuples(sides, sides, sides, sides),
    st.integers(0, 9),
)
def test_overlaps_are_those_of_float32_operations(predicted, reference, frame):
    boxes, other = np.array([predicted], F), np.array([reference], F)
    ours = gr.frame_overlaps(boxes, other, np.array([frame]))[0]
    assert np.array_equal(ours, np.array(by_hand(boxes[0], other[0], frame), F), equal_nan=True)


def test_sides_below_a_pixel_count():
    half = np.repeat(np.array([[[9.5, 0, 18.5, 9]]], F), 10, axis=1)
    overlap = gr.frame_overlaps(half, np.array([[0, 0, 9, 9]], F), np.array([0]))[0, 0]
    assert overlap == pytest.approx(0.5 * 10 / (200 - 0.5 * 10))


def words_of(boxes, frames):
    n = len(boxes)
    one = np.zeros(n, np.int64)
    return gr.Words(
        one, np.arange(n), one, np.arange(n), one, np.arange(n + 1), np.array(boxes, F), np.array(frames)
    )


def objects_of(boxes):
    n = len(boxes)
    return gr.Objects(np.zeros(n, np.int64), np.arange(n), np.zeros(n, np.int64), np.array(boxes, F))


FAR = [600, 300, 700, 400]


@pytest.mark.parametrize(
    ("box", "frame", "correct"),
    [
        ([0, 0, 9, 9], 3, True),
        ([0, 0, 9, 9], 4, False),
        ([0, 0, 9, 4], 3, False),  # exactly half
        ([9, 9, 0, 0], 3, False),
    ],
)
def test_the_right_frame_and_more_than_half_are_needed(box, frame, correct):
    boxes = [FAR] * 10
    boxes[frame] = box
    words = words_of([[0, 0, 9, 9]], [3])
    assert gr.words_correct(objects_of([boxes]), words)[0].tolist() == [correct]


def test_not_a_number_on_another_frame_spoils_the_object():
    boxes = [FAR] * 10
    boxes[3] = [0, 0, 9, 9]
    # A reversed box of area -100 beside a reference of area 100: 0 / 0.
    boxes[7] = [11, 0, 0, 9]
    assert gr.words_correct(objects_of([boxes]), words_of([[0, 0, 9, 9]], [3]))[0].tolist() == [False]


def test_no_words_and_no_objects_score_zero():
    nothing = words_of(np.zeros((0, 4)), [])
    objects = gr.Objects(*(np.zeros(0, np.int64) for _ in range(3)), box=np.zeros((0, 10, 4), F))  # type: ignore[arg-type,misc]
    assert gr.words_correct(objects, nothing)[0].shape == (0,)
    judged = gr.judge_generated(objects, nothing, np.zeros(0, bool), 1)
    submitted = np.zeros(0, bool)
    assert gr.per_class(judged, objects, nothing, submitted, 1, False) == gr.PrecisionRecall(0, 0, 0)
    assert gr.per_sentence(judged, objects.segment, nothing, submitted, 0, True)[0] == gr.PrecisionRecall(
        0, 0, 0
    )
    assert gr.localization_accuracy(np.zeros(0, bool), np.zeros(0, np.int64), 3) == 0


def test_only_boxes_of_one_pixel_in_both_directions_are_left_out():
    # Width -1 and height 1: no box of one pixel.
    overlap = gr.frame_overlaps(
        np.array([[[0, 0, 0, 0]] * 10], F), np.array([[0, 0, 0, 9]], F), np.array([2])
    )
    assert overlap.tolist() == [[-1.0] * 10]
    overlap = gr.frame_overlaps(
        np.array([[[0, 0, 0, 9]] * 10], F), np.array([[0, 0, 0, 9]], F), np.array([2])
    )
    assert overlap[0].tolist() == [0.0, 0.0, 1.0] + [0.0] * 7


def test_the_nearest_box_of_an_object_of_single_pixels_has_overlap_0():
    objects, words = objects_of([[[3, 3, 3, 3]] * 10]), words_of([[0, 0, 9, 9]], [3])
    box, overlap = gr.nearest_boxes(objects, words, np.zeros(1, np.int64))
    assert (box.tolist(), overlap.tolist()) == ([0], [0.0])


def test_segments_with_the_largest_word_index_are_kept_apart():
    # Word 3 of segment 0 and word 0 of segment 1: their keys must differ.
    one = np.zeros(2, np.int64)
    box = np.array([[0, 0, 9, 9], [50, 50, 70, 70]], F)
    words = gr.Words(np.array([0, 1]), np.array([3, 0]), one, np.arange(2), one, np.arange(3), box, one)
    boxes = np.repeat(box[:, None], 10, axis=1)
    objects = gr.Objects(np.array([0, 1]), np.array([3, 0]), one, boxes)
    assert gr.words_correct(objects, words)[0].tolist() == [True, True]
    objects = gr.Objects(np.array([1, 0]), np.array([3, 0]), one, boxes)
    assert gr.words_correct(objects, words)[1].tolist() == [False, False]


def test_a_segment_without_words_that_count_leaves_the_denominator():
    one = np.zeros(1, np.int64)
    words = gr.Words(one, one, one, one, one, np.array([0, 1]), np.array([[0, 0, 9, 9]], F), one)
    objects = gr.Objects(one, one, np.array([1]), np.zeros((1, 10, 4), F))
    judged = gr.judge_generated(objects, words, np.zeros(1, bool), 2)
    submitted = np.array([True])
    assert gr.per_sentence(judged, objects.segment, words, submitted, 1, True)[0] == gr.PrecisionRecall(
        0, 0, 0
    )
    assert np.isnan(gr.per_sentence(judged, objects.segment, words, submitted, 3, True)[1]).all()


def test_a_segment_that_is_not_submitted_and_has_no_word_does_not_lower_the_denominator():
    # Segment 0 is right, segment 1 says nothing, and segment 2, without a word, is not submitted.
    zeros = np.zeros(2, np.int64)
    box = np.array([[0, 0, 9, 9]] * 2, F)
    words = gr.Words(
        segment=np.array([0, 1]),
        index=zeros,
        label=zeros,
        mention_word=np.arange(2),
        mention_label=zeros,
        box_start=np.arange(3),
        box=box,
        frame=zeros,
    )
    objects = gr.Objects(zeros[:1], zeros[:1], zeros[:1], np.repeat(box[:1, None], 10, axis=1))
    judged = gr.judge_generated(objects, words, np.zeros(1, bool), 1)
    submitted = np.array([True, True, False])
    average, f1 = gr.per_sentence(judged, objects.segment, words, submitted, 2, False)
    assert average == gr.PrecisionRecall(0.5, 0.5, 0.5)
    assert f1.tolist() == pytest.approx([1.0, 0.0, np.nan], nan_ok=True)


def random_case(seed):
    """Return words and objects, which objects are spared, and the number of classes."""
    rng = np.random.default_rng(seed)
    n_segments, n_labels = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    # Few boxes, so that many overlap.
    pool = np.array([[0, 0, 9, 9], [0, 0, 9, 5], [3, 0, 9, 9], [20, 20, 39, 29], [21, 20, 45, 29]], F)
    places = [(segment, index) for segment in range(n_segments) for index in range(6) if rng.random() < 0.3]
    places = places or [(0, 0)]
    n_mentions, n_boxes = rng.integers(1, n_labels + 1, len(places)), rng.integers(1, 3, len(places))
    mention_label = [rng.choice(n_labels, number, replace=False) for number in n_mentions]
    words = gr.Words(
        np.array([segment for segment, _ in places]),
        np.array([index for _, index in places]),
        np.array([labels[0] for labels in mention_label]),
        np.repeat(np.arange(len(places)), n_mentions),
        np.concatenate(mention_label),
        np.cumsum([0, *n_boxes]),
        pool[rng.integers(len(pool), size=n_boxes.sum())],
        rng.integers(10, size=n_boxes.sum()),
    )
    n_objects = int(rng.integers(1, 9))
    objects = gr.Objects(
        rng.integers(n_segments, size=n_objects),
        rng.integers(6, size=n_objects),
        rng.integers(n_labels, size=n_objects),
        np.repeat(pool[rng.integers(len(pool), size=n_objects), None], 10, axis=1),
    )
    return words, objects, rng.random(n_objects) < 0.3, n_labels


@given(st.integers(0, 2**32))
def test_the_nearest_box_of_a_word_is_right_if_the_word_is(seed):
    words, objects, spared, n_labels = random_case(seed)
    judged = gr.judge_generated(objects, words, spared, n_labels)
    for by, correct in (("index", gr.words_correct(objects, words)[0]), ("label", judged.word_correct)):
        chosen = gr.first_objects(objects, words, by)
        box, overlap = gr.nearest_boxes(objects, words, chosen)
        assert (overlap > 0.5).tolist() == correct.tolist()
        for word, number in enumerate(chosen.tolist()):
            boxes = range(words.box_start[word], words.box_start[word + 1])
            overlaps = [0.0] * len(boxes)
            if number >= 0:
                frames = words.frame[boxes]
                ten = [by_hand(objects.box[number], words.box[k], frame) for k, frame in zip(boxes, frames)]
                overlaps = [max(values[frame], 0) for values, frame in zip(ten, frames)]
            assert (box[word], overlap[word]) == (boxes[int(np.argmax(overlaps))], max(overlaps))


@given(st.integers(0, 2**32))
def test_objects_that_are_repeated_are_judged_as_if_each_were_compared(seed):
    words, objects, spared, n_labels = random_case(seed)
    rng = np.random.default_rng(seed)
    n = len(objects.segment)
    repeated = rng.integers(0, n, 3 * n)
    again = gr.Objects(
        segment=objects.segment[repeated],
        index=rng.integers(0, 9, 3 * n),
        label=objects.label[repeated],
        box=objects.box[repeated],
    )
    once = gr.judge_generated(objects, words, spared, n_labels)
    judged = gr.judge_generated(again, words, spared[repeated], n_labels)
    for column in ("object_correct", "object_annotated", "object_skipped"):
        assert getattr(judged, column).tolist() == getattr(once, column)[repeated].tolist()


@pytest.mark.parametrize("block", [1, 2, 3, 512])
def test_weighted_class_means_are_means_over_the_classes_that_weigh(monkeypatch, block):
    monkeypatch.setattr(gr, "_CLASSES_AT_ONCE", block)
    rng = np.random.default_rng(5)
    for n_words in (0, 1, 5, 40):
        correct, item = rng.random(n_words) < 0.5, rng.integers(0, 4, n_words)
        label = np.array([2, 3, 5, 8, 9, 10])[rng.integers(0, 6, n_words)]
        weights = rng.integers(0, 3, (6, 4)).astype(float)
        weights[0] = 0
        expected = []
        for weight in (row[item] for row in weights):
            names = [name for name in set(label.tolist()) if weight[label == name].any()]
            of_class = [np.average(correct[label == name], weights=weight[label == name]) for name in names]
            expected.append(sum(of_class) / (len(names) or 1))
        means = gr.weighted_class_mean(correct, label, item, weights)
        assert means.tolist() == pytest.approx(expected, abs=1e-12)


def test_overlaps_do_not_depend_on_how_many_are_computed_at_once(monkeypatch):
    words, objects, *_ = random_case(11)
    n_objects, n_words = len(objects.segment), len(words.segment)
    which = np.repeat(np.arange(n_objects), n_words)
    target = np.tile(np.arange(n_words), n_objects)
    at_once = gr.overlap_correct(objects, words, which, target)
    for number in (1, 2, 3):
        monkeypatch.setattr(gr, "_PAIRS_AT_ONCE", number)
        in_blocks = gr.overlap_correct(objects, words, which, target)
        assert in_blocks.tolist() == at_once.tolist()
