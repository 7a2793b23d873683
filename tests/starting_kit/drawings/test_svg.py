"""Drawings: shapes of both sides on a canvas, what is wrong in words, and which items are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.drawings import svg as drawings
from people_in_video.drawings.scenes import (
    GROUND_TRUTH,
    PREDICTION,
    Drawing,
    DrawnObject,
    Shape,
    extent,
    shapes,
    worst_in_turn,
)
from people_in_video.drawings.svg import Drawings
from scoring_program.report.html import element

BOX = Shape(GROUND_TRUTH, [10.0, 20.0, 60.0, 80.0])
GUESS = Shape(PREDICTION, [15.0, 20.0, 60.0, 80.0], [[15.0, 20.0, 60.0, 20.0, 30.0, 80.0]])
RIGHT = DrawnObject("head", "right, IoU 0.80", False, [BOX, GUESS])
WRONG = DrawnObject("hand", "IoU 0.42, needs 0.5", True, [BOX, GUESS], [(12.0, 30.0, 0.25)])
DRAWING = Drawing("img 1", "Score 0.2.", (100, 200), "Canvas: the extent.", [WRONG, RIGHT], ["1"])
IMAGE = "data:image/jpeg;base64,AAAA"


def test_wrong_objects_are_listed_numbered_and_above_the_others():
    drawn = drawings.drawing(DRAWING, "similarity")
    assert [line.text for line in drawn.iter("li")] == ["hand: IoU 0.42, needs 0.5"]
    assert [note.text for note in drawn.iter("p")] == ["Score 0.2.", "Canvas: the extent."]
    groups = list(drawn.iter("g"))
    assert [group[0].text for group in groups] == ["head: right, IoU 0.80", "hand: IoU 0.42, needs 0.5"]
    assert [number.text for number in drawn.iter("text")] == ["1", "1"]
    assert [path.get("class") for path in groups[0].iter("path")] == ["truth", "guess"]
    assert [path.get("class") for path in groups[1].iter("path")] == ["truth wrong", "guess wrong"]
    assert [path.get("d") for path in groups[0].iter("path")] == [
        "M10 20 L60 20 L60 80 L10 80 Z",
        "M15 20 L60 20 L30 80 Z",
    ]
    # The worst point is the darkest.
    (point,) = drawn.iter("circle")
    assert (point.get("style"), point[0].text) == ("--s:0.75", "0.25")


def test_predicted_boxes_of_wrong_objects_carry_what_they_claim():
    both = [BOX._replace(claim="hand, hold"), GUESS._replace(claim="hand, <b>" + "x" * 100)]
    wrong, right = (drawn._replace(shapes=both) for drawn in (WRONG, RIGHT))
    drawn = drawings.drawing(DRAWING._replace(objects=[right, wrong]), "")
    _, _, claim = drawn.iter("text")
    text = claim.text or ""
    assert text.startswith("hand, <b>xxx")
    assert len(text) < 30
    assert 0 <= float(claim.attrib["x"]) <= 100
    titles = [(path[0].text or "")[:24] for path in drawn.iter("path")]
    assert titles == ["ground truth: hand, hold", "prediction: hand, <b>xxx"] * 2


def test_claims_that_would_lie_on_others_are_left_to_the_words_of_their_shapes():
    wrong = [WRONG._replace(shapes=[GUESS._replace(claim=claim)]) for claim in ("first", "second")]
    apart = [10.0, 120.0, 60.0, 150.0]
    wrong.append(WRONG._replace(shapes=[GUESS._replace(claim="third", box=apart)]))
    drawn = drawings.drawing(DRAWING._replace(objects=wrong), "")
    assert [text.text for text in drawn.iter("text") if "claim" in text.get("class", "")] == [
        "first",
        "third",
    ]
    assert "prediction: second" in [path[0].text for path in drawn.iter("path")]


boxes = st.tuples(st.integers(0, 90), st.integers(0, 190), st.integers(1, 90), st.integers(1, 190))


@given(st.lists(boxes, min_size=1, max_size=8))
def test_no_label_lies_on_another(boxes):
    wrong = []
    for left, top, width, height in boxes:
        shape = Shape(PREDICTION, [left, top, left + width, top + height], claim="hand, hold")
        wrong.append(WRONG._replace(shapes=[shape, shape._replace(role=GROUND_TRUTH)]))
    drawn = drawings.drawing(DRAWING._replace(objects=wrong), "")
    places = []
    for text in drawn.iter("text"):
        size = float(text.attrib["font-size"])
        # A digit is about 0.6 as wide as it is high.
        width = 0.55 * size * len(text.text or "")
        places.append((float(text.attrib["x"]), float(text.attrib["y"]), width, 0.7 * size))
    assert places
    for number, (x, y, width, height) in enumerate(places):
        for other_x, other_y, other_width, other_height in places[:number]:
            is_beside = x + width <= other_x or other_x + other_width <= x
            assert is_beside or y <= other_y - other_height or other_y <= y - height


@pytest.mark.parametrize(("n_objects", "has_choice"), [(2, False), (30, True)])
def test_sides_of_crowded_drawings_can_be_shown_alone(n_objects, has_choice):
    crowded = DRAWING._replace(objects=[WRONG] * n_objects)
    legend = drawings.legend(Drawings("drawings", "Worst images", "", drawings=[crowded]))
    links = [(link.get("id"), link.get("href")) for link in legend.iter("a")]
    assert all(href == f"#{name}" for name, href in links)
    assert bool(links) is has_choice


def test_many_wrong_objects_end():
    drawn = drawings.drawing(DRAWING._replace(objects=[WRONG] * 20), "")
    assert len(list(drawn.iter("li"))) == 8
    assert next(drawn.iter("p")).text == "and 12 more"


def test_far_boxes_stay_near_the_canvas_and_numbers_on_it():
    far = DrawnObject("x", "y", True, [Shape(PREDICTION, [-1e300, -1e300, 1e300, 1e300])])
    drawn = drawings.drawing(DRAWING._replace(objects=[far]), "")
    assert next(drawn.iter("path")).get("d") == "M-400 -400 L400 -400 L400 400 L-400 400 Z"
    (number,) = drawn.iter("text")
    assert 0 <= float(number.attrib["x"]) <= 100
    assert 0 <= float(number.attrib["y"]) <= 200


def test_image_is_behind_everything_and_only_inlined_ones_can_be_built():
    drawn = drawings.drawing(DRAWING._replace(image=IMAGE), "")
    (canvas,) = drawn.iter("svg")
    assert [child.tag for child in canvas][:3] == ["rect", "image", "g"]
    assert canvas[1].get("href") == IMAGE
    for address in ("https://example.org/x.jpg", "data:image/svg+xml;base64,AAAA", "#x", f"{IMAGE}\n", ""):
        with pytest.raises(ValueError, match="no <image>"):
            element("image", href=address)
    with pytest.raises(ValueError, match="no <a>"):
        element("a", href=IMAGE)


@pytest.mark.parametrize("box", [[np.nan, 0, 1, 1], [0, 0, np.inf, 1], [-np.inf, 0, 1, 1]])
def test_boxes_that_are_not_finite_have_no_shape(box):
    assert shapes(PREDICTION, np.array(box, np.float32)) == []


def test_shapes_hold_both_ends_of_a_box():
    assert shapes(GROUND_TRUTH, np.array([1, 2, 3, 4], np.float32)) == [Shape(GROUND_TRUTH, [1, 2, 4, 5])]


@pytest.mark.parametrize(
    ("truth", "guess", "expected"),
    [
        ([[0, 0, 99, 49]], [[0, 0, 50, 20]], (100, 50)),
        ([[0, 0, 100, 50]], [], (110, 60)),
        ([[0, 0, 99, 49]], [[0, 0, 129, 70]], (130, 80)),
        # A prediction far away does not shrink what is annotated to a dot.
        ([[0, 0, 99, 49]], [[0, 0, 1e30, np.inf]], (200, 50)),
        ([[0, 0, 99, 49]], [[0, 0, np.nan, -5]], (100, 50)),
        ([[0, 0, 1e30, 1e30]], [], (20_000, 20_000)),
        ([], [], (10, 10)),
    ],
)
def test_extent_holds_boxes_of_both_sides(truth, guess, expected):
    sides = (np.array(boxes, np.float32).reshape(-1, 4) for boxes in (truth, guess))
    assert extent(*sides) == expected


def test_worst_views_of_all_items_take_turns():
    scores = np.array([0.5, 0.1, 0.9, 1.0, 0.2, np.nan, 0.0])
    rank = np.array([1, 1, 0, 0, 1, 0, 2])
    assert worst_in_turn(scores, rank, 10) == [2, 1, 6, 4, 0]
    assert worst_in_turn(scores, rank, 2) == [2, 1]
    assert worst_in_turn(scores, rank, 0) == []
    assert worst_in_turn(scores, rank, 10, with_right=True) == [2, 1, 6, 3, 4, 0]
