"""Names that the data does not have: the one sure change, names of both sides, and the nearest name."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.names import (
    FOLDINGS,
    REMEDY,
    NearestNames,
    explain_unknown_members,
    explain_unknown_names,
    find_sure_change,
    fold_all,
    some_of_each,
)

VIDEOS = [f"v_Qd3{letter}x" for letter in "abcdefghij"]
FRAMES = [(f"v{video}", f"img_{frame:05d}.json") for video in range(6) for frame in range(1, 40, 5)]
DEMO = ["demo_1", "demo_2", "demo_3"]


@pytest.mark.parametrize(
    "respell",
    [
        lambda name: name[2:],
        lambda name: f"{name}.mp4",
        lambda name: f"{name[2:]}.mkv",
        lambda name: f"{name}_000012_000022",
        lambda name: f"train/{name}",
        lambda name: f" {name}",
        lambda name: name.upper(),
        lambda name: f"clip-{name}",
        lambda name: f"{name}-pred",
        lambda name: f"c/{name[2:]}.mp4",
    ],
)
def test_a_change_of_all_names_is_shown_by_an_example(respell):
    explanation = explain_unknown_names([respell(name) for name in VIDEOS], VIDEOS)
    assert explanation == f"{REMEDY}as '{VIDEOS[0]}' for '{respell(VIDEOS[0])}'"
    # Some items of the data may be missing, and others may be right.
    assert explain_unknown_names([respell(VIDEOS[0]), VIDEOS[1]], VIDEOS) == explanation


@pytest.mark.parametrize(
    ("respell", "shown"),
    [
        (lambda name: name.replace("x", "\u0445"), "v_Qd3a\\u0445"),
        (lambda name: name.replace("3", "\uff13"), "v_Qd\\uff13ax"),
        (lambda name: name.replace("d", "d\u0301"), "v_Qd\\u03013ax"),
        (lambda name: name.replace("Q", "\u200bQ"), "v_\\u200bQd3ax"),
        (lambda name: name.replace("x", "\u0425"), "v_Qd3a\u0425"),
        (lambda name: name.replace("_", "\u2013"), "v\u2013Qd3ax"),
    ],
)
def test_characters_that_only_look_like_those_of_the_data_are_shown_by_their_numbers(respell, shown):
    explanation = explain_unknown_names(list(map(respell, VIDEOS)), VIDEOS)
    assert explanation == f"{REMEDY}as '{VIDEOS[0]}' for '{shown}'"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["demo_2", "demo_3", "demo_4"], "with n - 1 for n"),
        (["demo_0", "demo_1", "demo_2"], "with n + 1 for n"),
        (["demo_00", "demo_01", "demo_02"], "with n + 1 for n"),
        (["1", "2", "3"], "as 'demo_1' for '1'"),
        # Not all items of the data are met, or not each name is one.
        (["demo_3", "demo_4"], ""),
        (["demo_0", "demo_1"], ""),
        (["demo_1.mp4", "moon.mp4"], ""),
        (["demo_3", "demo_4", "demo_5"], ""),
        (["demo_233", "demo_234", "demo_235"], ""),
        # Two would be the same.
        (["Demo_1", "DEMO_1"], ""),
        # Numbers are no prefixes, and one prefix is not exchanged for another.
        (["demo_81", "demo_82", "demo_83"], ""),
        (["val_1", "val_2", "val_3"], ""),
        (["train/demo_1", "val/demo_1"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_only_a_change_that_makes_every_name_an_item_of_its_own_is_sure(names, words):
    assert words_of(explain_unknown_names(names, DEMO)) == words


def words_of(explanation):
    """Return how names are to be written, without the example of a change of numbers."""
    assert not explanation or explanation.startswith(REMEDY)
    return explanation[len(REMEDY) :].partition(", as ")[0]


def test_of_two_changes_that_fit_none_is_sure():
    assert explain_unknown_names(["1", "2"], ["a_1", "a_2"]) == f"{REMEDY}as 'a_1' for '1'"
    assert explain_unknown_names(["1", "2"], ["a_1", "a_2", "b_1", "b_2"]) == ""
    assert explain_unknown_names(["ab"], ["Ab", "aB"]) == ""


@pytest.mark.parametrize(
    ("names", "true_names", "words"),
    [
        # Names may count from 0, and one name shows no count.
        (["a_1", "a_2"], ["a_0", "a_1"], "with n - 1 for n"),
        (["a_1"], ["a_0"], ""),
        # What is added to a number makes another one; behind it may be a word.
        (["a_1"], ["a_12"], ""),
        (["a_1"], ["a_1-pred"], "as 'a_1-pred' for 'a_1'"),
        # What is added may end with a number and stand before zeros.
        (["v14_0099", "v14_0123"], ["7", "99", "123"], "as '99' for 'v14_0099'"),
        (["7", "99"], ["v14_0007", "v14_0099"], "as 'v14_0007' for '7'"),
    ],
)  # fmt: skip
def test_numbers_in_names_stay_whole(names, true_names, words):
    assert words_of(explain_unknown_names(names, true_names)) == words


NAME = st.text("aB1_0.", min_size=1, max_size=6)


@given(st.sets(NAME, max_size=6), st.sets(NAME, max_size=8), st.booleans())
def test_a_sure_change_makes_every_name_an_item_of_its_own(names, true_names, by_number):
    members, known = [("v", name) for name in sorted(names)], [("v", name) for name in sorted(true_names)]
    change = find_sure_change(members, known, by_number)
    if change is not None:
        assert change.member_of_member.keys() == set(members)
        changed = list(change.member_of_member.values())
        assert len(set(changed)) == len(changed)
        assert set(changed) <= set(known)
        # Read again, nothing is unknown.
        assert find_sure_change(changed, known, by_number) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("{0}", "as 'img_00001.json' for '1'"),
        ("frame_{0:06d}.jpg", "as 'img_00001.json' for 'frame_000001.jpg'"),
        ("a/img_{0:05d}.json", "as 'img_00001.json' for 'a/img_00001.json'"),
        ("img_{1:05d}.json", "with n + 1 for n, as 'img_00001.json' for 'img_00000.json'"),
        ("img_{2:05d}.json", ""),
    ],
)  # fmt: skip
def test_frames_of_videos_are_known_by_their_numbers(name, words):
    numbers = [(video, int(frame[4:9])) for video, frame in FRAMES]
    members = [(video, name.format(number, number - 1, number // 5)) for video, number in numbers]
    expected = f"{REMEDY}{words}" if words else ""
    assert explain_unknown_members(members, FRAMES) == expected
    # Those of videos that the data does not have show nothing.
    more = explain_unknown_members([*members, ("moon", "x")], FRAMES)
    assert more == expected


def test_one_wrong_frame_of_many_videos_leaves_nothing_sure():
    known = [(f"v{video}", f"img_{frame}") for video in range(120) for frame in (1, 2)]
    members = [(video, frame.upper()) for video, frame in known]
    assert explain_unknown_members(members, known).startswith(REMEDY)
    for wrong in (0, 119, 240 - 1):
        others = [*members[:wrong], (members[wrong][0], "moon"), *members[wrong + 1 :]]
        assert explain_unknown_members(others, known) == ""


def test_very_many_and_very_long_names_are_not_compared():
    names = [f"name_{number}" for number in range(200_001)]
    assert explain_unknown_names([name.upper() for name in names], names) == ""
    assert explain_unknown_names(["x" * 3000 + name for name in DEMO], DEMO) == ""


@pytest.mark.parametrize(
    ("names", "true_names", "text"),
    [
        (["d", "c", "b", "a"], ["x"], "yours are 'a', 'b', 'c' ..., the data's 'x'"),
        (["10", "9"], ["100", "20", "3", "4"], "yours are '9', '10', the data's '3', '4', '20' ..."),
    ],
)
def test_three_names_of_each_side_are_shown_numbers_in_their_order(names, true_names, text):
    assert some_of_each(names, true_names) == text


@given(st.text(max_size=60))
def test_a_folding_drops_the_same_once_and_twice(name):
    for folding in FOLDINGS[:1] + FOLDINGS[4:]:
        assert folding(folding(name)) == folding(name)
    assert len(fold_all(name)) <= len(name)


@given(st.sets(st.text(max_size=20), max_size=12), st.sets(st.text(max_size=20), max_size=12))
def test_any_names_have_an_explanation_or_none(names, true_names):
    assert isinstance(explain_unknown_names(names, true_names), str)
    frames, true_frames = ([("v", name) for name in side] for side in (names, true_names))
    assert isinstance(explain_unknown_members(frames, true_frames), str)


@pytest.mark.parametrize("name", ["0" * 200, "/" * 200, "_000001" * 28, "v_" * 100, "1" * 200])
def test_hostile_names_take_no_time_to_speak_of(name):
    true_names = [f"{name[:100]}{number}" for number in range(500)]
    others = [f"{name[:190]}{number}x" for number in range(500)]
    assert explain_unknown_names([*others, "moon"], true_names) == ""


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("None", "none"),
        ("tuch", "touch"),
        ("pushcart", "push_cart"),
        ("hips", "hip"),
        ("womann", "woman"),
        ("Left Arm", "left_arm"),
        ("arm_left", ""),
        ("zebra", ""),
        ("", ""),
    ],
)
def test_the_nearest_name(name: str, nearest: str) -> None:
    names = ["none", "touch", "push_cart", "hip", "woman", "man", "left_arm"]
    assert NearestNames(names).find(name) == nearest


def test_what_looks_like_the_nearest_name_is_shown_by_its_numbers() -> None:
    names = NearestNames(["cat", "café"])
    assert names.words("c\u0430t") == " (the nearest is 'cat', yours 'c\\u0430t')"
    assert names.words("cafe\u0301") == " (the nearest is 'café', yours 'cafe\\u0301')"
    assert names.words("cats") == " (the nearest is 'cat')"


def test_a_long_name_that_looks_like_no_other_is_not_repeated() -> None:
    name = "long_jump " * 5
    assert NearestNames([name]).words(f"{name}s") == f" (the nearest is '{name}')"


def test_of_very_many_names_only_one_that_folds_alike_is_near() -> None:
    nearest = NearestNames([f"name_{number}" for number in range(3000)])
    assert nearest.find("Name 17") == "name_17"
    assert nearest.find("nama_17") == ""


@pytest.mark.parametrize("name", ["0" * 10**6, "/" * 10**6, "_000001" * 10**5, "1" * 10**6])
def test_long_hostile_names_take_linear_time(name: str) -> None:
    assert NearestNames(["push_cart", "touch"]).find(name) == ""


def test_many_spellings_of_one_name_take_linear_time() -> None:
    # To compare all of them for each name of the data takes minutes here.
    marks = ["".join(some) for some in product("-+=~@", repeat=6)]
    known_names = [f"Sample{number:04d}" for number in range(1, 3001)]
    assert explain_unknown_names([f"Sam{mark}ple" for mark in marks], known_names) == ""
