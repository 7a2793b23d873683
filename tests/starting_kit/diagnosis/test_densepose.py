"""What the search for repairs finds in submissions to DensePose, and what a run says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from organizer.data.prepare import prepare
from organizer.files import write_files
from people_in_video.densepose.writer import gather
from people_in_video.diagnosis import explanation
from people_in_video.diagnosis.sampled_pixels import SamplingKeeper
from quality.densepose.synthetic import Errors, detection, read_persons
from quality.task import quality_tasks
from scoring_program.challenges.densepose.public import public
from tests.helpers import is_nightly, loaded_at_home
from validator.formats.densepose.write import array_entry
from validator.formats.rules import load_rules

ID = "densepose"
TASK = quality_tasks()[ID]
RIGHT = Errors(offset=0, noise=0, wrong=0, missed=0, doubt=0)
WEAK = Errors(offset=30, noise=45, wrong=0.4, missed=0, doubt=2)
CANVAS = 640, 480


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return the folder of a reference of 24 images."""
    folder = tmp_path_factory.mktemp("source")
    TASK.write_reference(folder, seed=1, size=2)
    return folder


@pytest.fixture(scope="module")
def loaded(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    prepare(ID, source, folder)
    return loaded_at_home(ID, folder, detail="full", interval=False)


@pytest.fixture(scope="module")
def reference(loaded):
    return loaded.reference


def detections(source, errors=RIGHT, seed=1):
    rng = np.random.default_rng(seed)
    return [detection(person, errors, rng) for person in read_persons(source)]


@pytest.fixture(scope="module")
def right_detections(source):
    return detections(source)


def gathered(reference, predicted):
    entries = [
        array_entry(prediction.image_id, prediction.box, prediction.score, prediction.iuv)
        for prediction in predicted
    ]
    return gather(entries, load_rules(ID), public(reference), SamplingKeeper(reference))


def repairs_of(loaded, predicted):
    """Return what is repaired, and the words."""
    submission = gathered(loaded.reference, predicted)
    statistics = loaded.task.measure(loaded.reference, submission, loaded.settings)
    repairs = explanation.repairs_of(loaded, submission, statistics)
    return [(repair.noun, repair.trial.words) for repair in repairs]


def with_box(change):
    return lambda prediction: prediction._replace(box=change(*prediction.box))


def with_iuv(change):
    return lambda prediction: prediction._replace(iuv=np.ascontiguousarray(change(prediction.iuv)))


def exchange_sides(iuv):
    other_side = np.arange(25)
    other_side[3:] = other_side[3:].reshape(-1, 2)[:, ::-1].ravel()
    return np.stack([other_side[iuv[0]].astype(np.uint8), *iuv[1:]])


def complement(iuv):
    return np.stack([iuv[0], 255 - iuv[1], 255 - iuv[2]])


def count_parts_from_0(iuv):
    return np.stack([np.maximum(iuv[0], 1) - 1, *iuv[1:]])


def write_columns(iuv):
    return iuv.transpose(0, 2, 1).reshape(iuv.shape)


def as_corners(prediction):
    """Write two corners, and pixels of the size that these seem to have."""
    x, y, width, height = np.abs(prediction.box).tolist()
    iuv = np.zeros((3, int(y + height), int(x + width)), np.uint8)
    iuv[:, : prediction.iuv.shape[1], : prediction.iuv.shape[2]] = prediction.iuv[
        :, : iuv.shape[1], : iuv.shape[2]
    ]
    return prediction._replace(box=(x, y, x + width, y + height), iuv=iuv)


def half_size(prediction):
    x, y, width, height = prediction.box
    iuv = prediction.iuv[:, ::2, ::2][:, : int(height / 2), : int(width / 2)]
    return prediction._replace(box=(x / 2, y / 2, width / 2, height / 2), iuv=iuv)


MISTAKES = [
    (with_iuv(lambda iuv: iuv[[0, 2, 1]]), "arrays", "with channels in the order I, V, U"),
    (with_iuv(exchange_sides), "arrays", "with left and right parts exchanged"),
    (with_iuv(write_columns), "arrays", "with arrays written column by column"),
    (as_corners, "boxes", "as [x1, y1, x2, y2]"),
    (half_size, "boxes", "with x times 2 and y times 2"),
    (lambda prediction: prediction._replace(image_id=prediction.image_id % 24 + 1), "boxes", "as predictions of the previous image"),
]  # fmt: skip
MORE_MISTAKES = [
    (with_iuv(complement), "arrays", "with 1 - U and 1 - V for U and V"),
    (with_iuv(count_parts_from_0), "arrays", "with parts plus 1"),
    (with_iuv(lambda iuv: iuv[:, :, ::-1]), "arrays", "with arrays flipped left to right"),
    (with_iuv(lambda iuv: iuv[:, ::-1]), "arrays", "with arrays flipped top to bottom"),
    (with_iuv(lambda iuv: iuv[:, ::-1, ::-1]), "arrays", "with arrays turned upside down"),
    (with_box(lambda x, y, w, h: (y, x, w, h)), "boxes", "as [y, x, width, height]"),
    (with_box(lambda x, y, w, h: (x + w / 2, y + h / 2, w, h)), "boxes",
     "as [center x, center y, width, height]"),
    (with_box(lambda x, y, w, h: (x + 40, y + 40, w, h)), "boxes", "with x minus 40 and y minus 40"),
    (with_box(lambda x, y, w, h: (CANVAS[0] - x - w, y, w, h)), "boxes", "with x mirrored (640 minus x)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "what", "words"),
    [*MISTAKES, *(pytest.param(*mistake, marks=pytest.mark.slow) for mistake in MORE_MISTAKES)],
    ids=[words for _, _, words in (*MISTAKES, *MORE_MISTAKES)],
)
def test_a_mistake_is_named_in_words(change, what, words, right_detections, loaded):
    predicted = list(map(change, right_detections))
    assert repairs_of(loaded, predicted) == [(what, words)]


def draw_to_middle(prediction):
    x, y, width, height = prediction.box
    return prediction._replace(box=(0.3 * x + 160, 0.3 * y + 120, width, height))


def one_point(prediction):
    iuv = np.full_like(prediction.iuv, 128)
    iuv[0] = 2
    return prediction._replace(iuv=iuv)


HONEST = {
    "right": lambda prediction: prediction,
    "the same coordinates everywhere": with_iuv(lambda iuv: np.stack([iuv[0], iuv[0] * 0 + 128, iuv[0] * 0 + 128])),
    "the torso everywhere": one_point,
    "background": with_iuv(np.zeros_like),
    "boxes drawn to the middle": draw_to_middle,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", HONEST.values(), ids=list(HONEST))
@pytest.mark.parametrize("errors", [RIGHT, WEAK], ids=["right", "weak"])
def test_honest_submissions_need_no_repair(change, errors, source, loaded):
    for seed in range(5 if is_nightly() else 1):
        predicted = [change(prediction) for prediction in detections(source, errors, seed)]
        assert repairs_of(loaded, predicted) == []


def test_false_and_repeated_detections_hide_no_mistake(right_detections, loaded):
    """Ten detections of low scores beside each that is meant."""
    predicted = []
    for prediction in right_detections:
        flipped = prediction._replace(iuv=np.ascontiguousarray(prediction.iuv[:, :, ::-1]), score=0.9)
        elsewhere = prediction._replace(box=(5.0 + prediction.image_id, 5.0, *prediction.box[2:]), score=0.1)
        predicted += [flipped, flipped, *[elsewhere] * 5]
    assert repairs_of(loaded, predicted) == [("arrays", "with arrays flipped left to right")]


def test_scores_in_reverse_order_are_named_with_the_score_that_they_would_get(loaded, right_detections):
    predicted = []
    for prediction in right_detections:
        upside_down = np.ascontiguousarray(prediction.iuv[:, ::-1])
        predicted += [prediction._replace(score=0.1), prediction._replace(score=0.9, iuv=upside_down)]
    submission = gathered(loaded.reference, predicted)
    statistics = loaded.task.measure(loaded.reference, submission, loaded.settings)
    (repair,) = explanation.repairs_of(loaded, submission, statistics)
    assert (repair.noun, repair.trial.words) == ("first detections", "with scores in reverse order")
    assert loaded.task.scores(repair.repaired.statistics)["score"] > 0.9


def test_nothing_is_compared_where_nothing_can_be(loaded, right_detections):
    assert repairs_of(loaded, []) == []
    elsewhere = [
        prediction._replace(box=(5000.0, 5000.0, *prediction.box[2:])) for prediction in right_detections
    ]
    assert repairs_of(loaded, elsewhere) == []


@pytest.fixture(scope="module")
def many_images(tmp_path_factory):
    """Return the folders of a reference of 48 images as written, and prepared: of few images little is told."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("prepared")
    TASK.write_reference(source, seed=2, size=4)
    prepare(ID, source, folder)
    return source, folder


@pytest.fixture
def hints(many_images, tmp_path):
    """Return a function that scores right detections with a mistake at home and returns the hints."""
    source, prepared = many_images

    def score(change, detail):
        write_files(TASK.files([change(prediction) for prediction in detections(source)]), tmp_path / "res")
        result = loaded_at_home(ID, prepared, detail=detail, interval=False).score_path(tmp_path / "res")
        return [note.line() for note in result.notes if note.is_mistake]

    return score


@pytest.mark.slow
def test_a_mistake_is_named_at_full_alone(hints):
    change, what, words = MISTAKES[0]
    (line,) = hints(change, "full")
    assert line.startswith(f"N-LOOKS: read {words}, 100 % of your {what} agree; ")
    assert hints(change, "summary") == []


def test_coarse_parts_are_named_without_labels(loaded, right_detections, tmp_path):
    coarse = with_iuv(lambda iuv: np.stack([(iuv[0] + 1) // 2 + (iuv[0] > 0), *iuv[1:]]))
    write_files(TASK.files(list(map(coarse, right_detections))), tmp_path)
    hidden = replace(loaded, settings={**loaded.settings, "detail": "none"})
    (line,) = [note.line() for note in hidden.score_path(tmp_path).notes if note.is_mistake]
    assert line.startswith("N-PARTS-COARSE: no part is above 14 ")


@pytest.mark.slow
def test_boxes_outside_of_images_say_less_than_how_they_fit(hints):
    def double(prediction):
        x, y, width, height = prediction.box
        iuv = np.repeat(np.repeat(prediction.iuv, 2, axis=1), 2, axis=2)[
            :, : int(2 * height), : int(2 * width)
        ]
        iuv = np.pad(iuv, ((0, 0), (0, int(2 * height) - iuv.shape[1]), (0, int(2 * width) - iuv.shape[2])))
        return prediction._replace(box=(2 * x, 2 * y, 2 * width, 2 * height), iuv=iuv)

    assert [line.split()[0] for line in hints(double, "full")] == ["N-LOOKS:"]
    assert [line.split()[0] for line in hints(double, "none")] == ["N-BOXES-OUTSIDE:"]


@pytest.mark.slow
def test_a_low_score_says_where_agreement_is_lost(loaded, right_detections, tmp_path):
    rng = np.random.default_rng(1)
    random_parts = with_iuv(
        lambda iuv: rng.integers(0, [[[25]], [[256]], [[256]]], iuv.shape).astype(np.uint8)
    )
    write_files(TASK.files(list(map(random_parts, right_detections))), tmp_path)
    (note,) = [note for note in loaded.score_path(tmp_path).notes if note.is_mistake]
    assert note.code == "N-LOW"
    assert "Agreement is lost here: 0 % of your arrays are right" in note.text
