"""Foldings of names, what is found in names of a submission, and how long hostile names take."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.repairs.spelling import Change, Spelling, find_spellings


def best_spelling(names: Collection[str], true_names: Collection[str]) -> Spelling | None:
    """Return the first of the changes under which most names are known."""

    def n_known(spelling: Spelling) -> int:
        return len({spelling.change(name) for name in names}.intersection(true_names))

    return max(find_spellings(names, true_names), key=n_known, default=None)


_VIDEOS = [f"v_Qd3{letter}x" for letter in "abcdefghij"]


@pytest.mark.parametrize(
    ("respell", "words"),
    [
        (lambda name: name[2:], "with v_ in front of them"),
        (lambda name: f"{name}.mp4", "without their ending"),
        (lambda name: f"{name[2:]}.mkv", "without their ending and with v_ in front of them"),
        (lambda name: f"{name}_000012_000022", "without the times at their end"),
        (lambda name: f"train/{name}", "without the folder in front of them"),
        (lambda name: name.upper(), "in upper and lower case as in the data"),
        (lambda name: f"clip-{name}", "without clip- in front of them"),
        (lambda name: f"{name}-pred", "without -pred at their end"),
        (
            lambda name: f"https://a.org/watch?v={name[2:]}",
            "without https://a.org/watch?v= in front of them and with v_ in front of them",
        ),
        (
            lambda name: f"c/{name[2:]}.mp4",
            "without the folder in front of them, without their ending and with v_ in front of them",
        ),
    ],
)
def test_a_spelling_is_described(respell: Change, words: str) -> None:
    names = [respell(name) for name in _VIDEOS]
    spelling = best_spelling(names, _VIDEOS)
    assert spelling is not None
    assert spelling.words == words
    assert [spelling.change(name) for name in names] == _VIDEOS


def test_a_spelling_found_on_some_names_applies_to_others() -> None:
    names = [name[2:] for name in _VIDEOS]
    spelling = best_spelling(names[:5], _VIDEOS)
    assert spelling is not None
    assert [spelling.change(name) for name in names] == _VIDEOS
    assert spelling.change("of no video") == "of no video"


def test_the_simplest_spelling_comes_first_and_all_foldings_last() -> None:
    spellings = find_spellings(["Push Up", "play_drums"], ["push_up", "play_drums"])
    assert [spelling.words for spelling in spellings] == [
        "in lower case and with blanks and marks as in the data"
    ]
    assert find_spellings(["a", "b"], ["c", "d"]) == []
    assert best_spelling(["a", "b"], ["c", "d"]) is None


def test_words_of_names_may_be_in_another_order_but_numbers_of_ids_may_not() -> None:
    true_names = ["left_arm", "right_arm", "left_foot", "hip"]
    spelling = best_spelling(["arm_left", "arm_right", "foot_left", "hip"], true_names)
    assert spelling is not None
    assert spelling.words == "with their words in another order"
    assert [spelling.change(name) for name in ("arm_left", "hip")] == ["left_arm", "hip"]
    assert best_spelling(["clip_2_1", "clip_3_1"], ["clip_1_2", "clip_1_3"]) is None


def test_names_that_fold_alike_are_not_confused() -> None:
    spelling = best_spelling(["PUSH_UP", "Touch"], ["push_up", "pushup", "touch"])
    assert spelling is not None
    assert spelling.change("PUSH-UP") == "PUSH-UP"
    assert spelling.change("Touch") == "touch"


@given(st.lists(st.text(max_size=30), max_size=20), st.lists(st.text(max_size=30), max_size=20))
def test_any_names_are_changed_into_names_of_the_data_or_stay(
    names: list[str], true_names: list[str]
) -> None:
    for spelling in find_spellings(set(names), set(true_names)):
        assert {spelling.change(name) for name in names}.intersection(true_names)


@pytest.mark.parametrize(
    "name", ["0" * 10**5, "/" * 10**5, "." * 10**5, "_000001" * 10**4, "v_" * 10**5, "1" * 10**5]
)
def test_long_hostile_names_take_linear_time(name: str) -> None:
    names = [name, f"{name}x"]
    find_spellings(names, _VIDEOS)
