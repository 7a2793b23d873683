"""How numbers of a submission are found to be counted otherwise, and how long hostile names take."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.repairs.numbering import (
    MEMBER_READINGS,
    NAME_READINGS,
    Member,
    find_numbering,
    find_renumbering,
)

_FRAMES = [f"demo_{video}/img_{frame:05d}.json" for video in range(6) for frame in range(1, 40, 5)]


@pytest.mark.parametrize(
    ("names", "formula", "words"),
    [
        (
            [f"demo_{v}/img_{n + 1:05d}.json" for v in range(6) for n in range(1, 40, 5)],
            "n - 1",
            "one too high",
        ),
        (
            [f"demo_{v}/img_{n - 1:05d}.json" for v in range(6) for n in range(1, 40, 5)],
            "n + 1",
            "one too low",
        ),
        (
            [f"demo_{v}/img_{n}.json" for v in range(6) for n in range(8)],
            "5 n + 1",
            "like n in place of 5 n + 1",
        ),
        ([f"demo_{v}/img_00002.json" for v in range(6)], "n - 1", "one too high"),
        (
            [f"demo_{v + 1}/img_{n:05d}.json" for v in range(6) for n in range(1, 40, 5)],
            "n - 1",
            "one too high",
        ),
        (
            [f"demo_{v}/img_{n + 1000:05d}.json" for v in range(6) for n in range(1, 40, 5)],
            "n - 1,000",
            "1,000 too high",
        ),
    ],
)
def test_numbers_in_names_that_are_counted_otherwise(names: list[str], formula: str, words: str) -> None:
    renumbering = find_renumbering(_members(names), _members(_FRAMES), NAME_READINGS)
    assert renumbering is not None
    assert renumbering.numbering.formula() == formula
    assert renumbering.numbering.words() == words
    assert {renumbering.change(("", name)) for name in names} <= set(_FRAMES)


def _members(names: Collection[str]) -> list[Member]:
    return [("", name) for name in names]


_VIDEOS = [f"v{number}" for number in range(6)]
_MEMBERS = [(video, f"img_{frame:05d}.json") for video in _VIDEOS for frame in range(1, 40, 5)]


@pytest.mark.parametrize(
    ("name", "frames", "words"),
    [
        ("{}", range(1, 40, 5), "written as 'img_00001.json' for '1'"),
        ("frame_{:06d}.jpg", range(1, 40, 5), "written as 'img_00001.json' for 'frame_000001.jpg'"),
        (
            "{}",
            range(0, 39, 5),
            "with n + 1 for n (numbers look one too low), written as 'img_00001.json' for '0'",
        ),
        (
            "{}",
            range(8),
            "with 5 n + 1 for n (numbers look like n in place of 5 n + 1), written as 'img_00001.json' for '0'",
        ),
        (
            "img_{:05d}.json",
            range(1, 49, 6),
            "with 0.8333 n + 0.1667 for n (numbers look like n in place of 0.8333 n + 0.1667)",
        ),
    ],
)
def test_frames_of_videos_are_known_by_their_numbers(name: str, frames: range, words: str) -> None:
    members = [(video, name.format(frame)) for video in _VIDEOS for frame in frames]
    renumbering = find_renumbering(members, _MEMBERS, MEMBER_READINGS)
    assert renumbering is not None
    assert renumbering.words == words
    assert [(member[0], renumbering.change(member)) for member in members] == _MEMBERS


def test_of_many_numbers_in_a_row_the_shift_that_explains_all_is_meant() -> None:
    true_numbers = np.arange(100)
    for shift in (1, 2, 3):
        numbering = find_numbering(true_numbers + shift, true_numbers)
        assert numbering is not None
        assert numbering.offset == -shift


def test_a_number_alone_names_an_item_but_other_text_another_item() -> None:
    names = [f"demo_{number:05d}" for number in range(12)]
    for others, is_found in (([str(n) for n in range(12)], True), ([f"val_{n}" for n in range(12)], False)):
        renumbering = find_renumbering(_members(others), _members(names), NAME_READINGS)
        assert (renumbering is not None) is is_found


def test_text_around_numbers_is_named_only_if_all_names_have_it() -> None:
    true_members = [("v", f"{letter}_{number}") for number, letter in enumerate("abcdefgh")]
    assert (
        find_renumbering([("v", str(number)) for number in range(8)], true_members, MEMBER_READINGS) is None
    )


def test_right_numbers_and_names_without_numbers_are_left_alone() -> None:
    for names, true_names in (
        (_FRAMES, _FRAMES),
        (_FRAMES[:7], _FRAMES),
        (["a", "b"], ["c", "d"]),
        ([], _FRAMES),
    ):
        assert find_renumbering(_members(names), _members(true_names), NAME_READINGS) is None


@given(
    st.sets(st.integers(0, 10**6), min_size=1, max_size=30),
    st.integers(-5, 5),
)
def test_a_shift_makes_all_numbers_known_and_is_the_smallest(true_numbers: set[int], shift: int) -> None:
    true_array = np.array(sorted(true_numbers))
    numbering = find_numbering(true_array + shift, true_array)
    assert numbering is not None
    assert abs(numbering.offset) <= abs(shift)
    assert np.isin(numbering.apply(true_array + shift), true_array).all()
    assert [numbering.number(number) for number in (true_array + shift).tolist()] == numbering.apply(
        true_array + shift
    ).tolist()


@given(st.lists(st.text(max_size=30), max_size=20), st.lists(st.text(max_size=30), max_size=20))
def test_any_names_are_renumbered_into_names_of_the_data_or_stay(
    names: list[str], true_names: list[str]
) -> None:
    for readings in (NAME_READINGS, MEMBER_READINGS):
        renumbering = find_renumbering(_members(set(names)), _members(set(true_names)), readings)
        if renumbering is not None:
            assert renumbering.words
            assert {renumbering.change(("", name)) for name in names} <= {*names, *true_names}


@pytest.mark.parametrize("name", ["0" * 10**6, "/" * 10**6, "_000001" * 10**5, "1" * 10**6])
def test_long_hostile_names_take_linear_time(name: str) -> None:
    for readings in (NAME_READINGS, MEMBER_READINGS):
        assert find_renumbering(_members([name, f"{name}x"]), _members(_FRAMES), readings) is None
