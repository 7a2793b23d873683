"""How numbers of a submission are found to be counted otherwise, and how long hostile names take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.repairs.numbering import find_numbering, last_number


def test_of_many_numbers_in_a_row_the_shift_that_explains_all_is_meant() -> None:
    true_numbers = np.arange(100)
    for shift in (1, 2, 3):
        numbering = find_numbering(true_numbers + shift, true_numbers)
        assert numbering is not None
        assert numbering.offset == -shift


@pytest.mark.parametrize(
    ("numbers", "formula"),
    [(range(8), "5 n + 1"), (range(1, 40, 5), "n"), (range(2, 41, 5), "n - 1"), (range(1001, 1040, 5), "n - 1,000")],
)  # fmt: skip
def test_numbers_that_are_counted_otherwise(numbers: range, formula: str) -> None:
    numbering = find_numbering(np.array(numbers), np.arange(1, 40, 5))
    assert numbering is not None
    assert numbering.formula() == formula


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


@pytest.mark.parametrize("name", ["0" * 10**6, "/" * 10**6, "_000001" * 10**5, "1" * 10**6])
def test_long_hostile_names_take_linear_time(name: str) -> None:
    assert last_number(f"{name}x") in (None, 0, 1)
