"""How numbers of a submission are found to be counted otherwise, and how long hostile names take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.numbering import Numbering, find_numbering, find_renumbering

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
    renumbering = find_renumbering(names, _FRAMES)
    assert renumbering is not None
    numbering, spelling = renumbering
    assert numbering.formula() == formula
    assert numbering.words() == words
    assert spelling.n_known(names, _FRAMES) == len(set(names))


def test_right_numbers_and_names_without_numbers_are_left_alone() -> None:
    assert find_renumbering(_FRAMES, _FRAMES) is None
    assert find_renumbering(_FRAMES[:7], _FRAMES) is None
    assert find_renumbering(["a", "b"], ["c", "d"]) is None
    assert find_renumbering([], _FRAMES) is None


@given(
    st.sets(st.integers(0, 10**6), min_size=1, max_size=30),
    st.integers(-5, 5).filter(bool),
)
def test_a_shift_makes_all_numbers_known_and_is_the_smallest(true_numbers: set[int], shift: int) -> None:
    true_array = np.array(sorted(true_numbers))
    numbering = find_numbering(true_array + shift, true_array)
    if numbering is None:
        # As they are, (nearly) as many are known.
        n_known = np.isin(true_array + shift, true_array).sum()
        assert n_known == len(true_array)
        return
    assert abs(numbering.offset) <= abs(shift)
    n_known = np.isin(numbering.apply(true_array + shift), true_array).sum()
    assert n_known >= 0.9 * len(true_array)


@given(st.lists(st.text(max_size=30), max_size=20), st.lists(st.text(max_size=30), max_size=20))
def test_any_names_are_renumbered_into_names_of_the_data_or_stay(
    names: list[str], true_names: list[str]
) -> None:
    renumbering = find_renumbering(set(names), set(true_names))
    if renumbering is not None:
        numbering, spelling = renumbering
        assert numbering != Numbering(1, 0)
        assert {spelling.change(name) for name in names} <= {*names, *true_names}


@pytest.mark.parametrize("name", ["0" * 10**6, "/" * 10**6, "_000001" * 10**5, "1" * 10**6])
def test_long_hostile_names_take_linear_time(name: str) -> None:
    assert find_renumbering([name, f"{name}x"], _FRAMES) is None
