"""How numbers of a submission are found to be counted otherwise, and how long hostile names take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.numbering import Numbering, find_renumbering

_FRAMES = [f"demo_{video}/img_{frame:05d}.json" for video in range(6) for frame in range(1, 40, 5)]


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
