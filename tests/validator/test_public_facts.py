"""What is said of ids, names and frames that do not fit what is public of the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.public_facts import (
    LastFrames,
    explain_boxes_outside,
    explain_late_frames,
    explain_unknown_members,
    explain_unknown_names,
)

_RNG = np.random.default_rng(5)
_N_FRAMES = _RNG.integers(900, 1900, 12)
# Things end somewhat before their video does.
_LAST_FRAMES = (_N_FRAMES * _RNG.uniform(0.9, 1.0, 12)).astype(np.int64)


def explain(last_frame, frames_a_second=20.0, item=None):
    rates = np.full(len(_N_FRAMES), frames_a_second)
    items = np.arange(len(last_frame)) if item is None else item
    return explain_late_frames(LastFrames(items, last_frame, _N_FRAMES, rates), "sequence")


@pytest.mark.parametrize("rate", [24, 25, 30, 40, 50, 60])
def test_other_frame_rates_are_named(rate):
    explanation = explain((_LAST_FRAMES * rate / 20).round().astype(np.int64))
    assert f"counted at {rate} frames a second; the videos have 20" in explanation


def test_milliseconds_are_named():
    assert "milliseconds" in explain(_LAST_FRAMES * 50)


def test_videos_of_several_rates():
    rates = np.tile([15.0, 20.0], 6)
    last_frame = (_LAST_FRAMES * 30 / rates).astype(np.int64)
    explanation = explain_late_frames(LastFrames(np.arange(12), last_frame, _N_FRAMES, rates), "sequence")
    assert "at 30 frames a second; the videos have 15 to 20" in explanation


@pytest.mark.parametrize(("shift", "words"), [(1, "one too high"), (-1, "one too low")])
def test_rows_of_a_neighbor_are_named(shift, words):
    item = (np.arange(12) + shift)[1:-1]
    assert words in explain(_LAST_FRAMES[1:-1], item=item)


def test_one_wrong_row_and_unknown_rates_explain_nothing():
    one_wrong = _LAST_FRAMES.copy()
    one_wrong[3] = 10**6
    assert explain(one_wrong) == ""
    assert explain(_LAST_FRAMES * 2, np.nan) == ""
    assert explain_late_frames(LastFrames(np.arange(12), _LAST_FRAMES * 2, _N_FRAMES), "sequence") == ""
    assert explain(_LAST_FRAMES[:0]) == ""


@given(st.lists(st.integers(1, 10**18), max_size=12))
def test_any_frames_have_an_explanation_or_none(last_frames):
    assert isinstance(explain(np.array(last_frames, np.int64)), str)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["demo_2", "demo_3", "demo_4"], "with n - 1 for n (numbers look one too high), 3 of 3 are known"),
        (["Demo_1", "demo_2"], "in lower case, 2 of 2 are known"),
        (["demo_1", "demo_9"], ""),
        (["demo_4", "demo_5"], ""),
        (["1", "2", "3"], "with demo_ in front of them, 3 of 3 are known"),
        ([], ""),
    ],
)
def test_unknown_names(names, words):
    assert explain_unknown_names(names, ["demo_1", "demo_2", "demo_3"]).endswith(words)
    assert bool(explain_unknown_names(names, ["demo_1", "demo_2", "demo_3"])) == bool(words)


def test_a_change_that_makes_one_of_many_unknown_names_known_is_no_rule():
    names = [f"{number} {name}" for number, name in enumerate(("jump", "run", "walk", "sit", "stand"))]
    assert explain_unknown_names(names, ["jump", "run", "walk", "sit", "stand"]) == ""


def test_a_change_that_makes_the_lesser_part_of_the_names_known_is_no_rule():
    known = ["2153", "4765", "9001", "31457"]
    assert explain_unknown_names(["782153", "785555", "781111"], known) == ""
    assert explain_unknown_names(["782153", "785555"], known) == ""
    explanation = explain_unknown_names(["782153", "784765", "785555"], known)
    assert explanation == "without 78 in front of them, 2 of 3 are known"


def test_items_of_two_phases_are_no_mistake():
    both_phases = [f"demo_{number}" for number in range(200)]
    assert explain_unknown_names(both_phases, both_phases[:100]) == ""
    assert explain_unknown_names(both_phases, both_phases[100:]) == ""
    assert explain_unknown_names(both_phases, both_phases[::2]) == ""


def test_very_many_names_are_not_compared():
    names = [f"Name {number}" for number in range(100_001)]
    assert explain_unknown_names(names, ["name_1"]) == ""


def test_boxes_in_their_images_and_few_boxes_are_no_mistake():
    boxes = np.array([[10.0, 10, 600, 400], [0, 0, 640, 480], [600, 440, 60, 50]] * 10)
    sizes = np.tile([480, 640], (30, 1))
    assert explain_boxes_outside(boxes, sizes) == ""
    assert explain_boxes_outside(boxes[:4] * 3, sizes[:4]) == ""
    assert "30 of 30 boxes" in explain_boxes_outside(boxes * 2, sizes)


def test_names_of_members_are_explained_by_some_of_what_they_belong_to():
    known = [(f"v{video}", f"img_{frame:05d}") for video in range(100) for frame in range(1, 90, 5)]
    names = [(video, f"img_{int(frame[4:]) - 1:05d}") for video, frame in known]
    # The frames of videos that the data does not have show nothing.
    names += [("moon", f"img_{frame:05d}") for frame in range(1, 90, 5)]
    explanation = explain_unknown_members(names, known, "video")
    assert explanation.startswith("with n + 1 for n ")
    assert explanation.endswith(" videos")
    assert explain_unknown_members(names[:18], known, "video").endswith("18 of 18 are known")
    assert explain_unknown_members(names[-18:], known, "video") == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("{}", "written as 'img_00001.json' for '1', 9 of 9 are known"),
        ("frame{:04d}.png", "written as 'img_00001.json' for 'frame0001.png', 9 of 9 are known"),
        ("data/{}/img_{:05d}.json", "without the folder in front of them, 9 of 9 are known"),
        ("seconds_{}.25", ""),
    ],
)
def test_names_of_members_are_known_by_their_numbers_and_without_folders(name, words):
    known = [(video, f"img_{frame:05d}.json") for video in ("moon", "sun", "star") for frame in (1, 6, 11)]
    frames = [(video, int(frame[4:9])) for video, frame in known]
    parts = (name.count("{") - 1) * ("x",)
    names = [(video, name.format(*(video for _ in parts), frame)) for video, frame in frames]
    assert explain_unknown_members(names, known, "video") == words


def test_names_that_are_far_too_long_are_not_compared():
    names = [f"a{number}" for number in range(30)]
    explanation = explain_unknown_names(
        [*names, *("x" * 3000 + name for name in names)], [f"v_{n}" for n in names]
    )
    assert explanation == "with v_ in front of them, 30 of 60 are known"
