"""Lists of numbers become arrays if they are such, however often a list is in another one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from people_in_video.tools.number_lists import NumberListError, array_of_numbers

ROW = [1, 2]


@given(
    arrays.arrays(
        st.sampled_from([np.int64, np.float64, np.bool_]), arrays.array_shapes(min_dims=0, max_dims=4)
    )
)
def test_lists_become_the_array_that_they_were(array):
    converted = array_of_numbers(array.tolist())
    assert converted.dtype == array.dtype
    assert np.array_equal(converted, array, equal_nan=array.dtype == np.float64)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (np.zeros((2, 3)), (2, 3)),
        ([np.zeros((2, 3)), np.ones((2, 3))], (2, 2, 3)),
        ([[np.float32(1), 2]], (1, 2)),
        ((1, 2.5), (2,)),
        ([ROW, ROW], (2, 2)),
        ([], (0,)),
        ([[], []], (2, 0)),
        (3, ()),
    ],
)
def test_numbers_and_arrays_become_one_array(value, shape):
    array = array_of_numbers(value)
    assert array.shape == shape
    assert array.dtype.kind in "if"


def doubled(value, times):
    for _ in range(times):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        "1",
        [1, "1"],
        [1, None],
        {"a": 1},
        [np.str_("a")],
        [[1, 2], [3]],
        [[1, 2], 3],
        [1, [2, 3]],
        [np.zeros(2), np.zeros(3)],
        [np.zeros(2), 1],
        [[[[[1]]]]],
        # What would become endless, before it is copied.
        doubled(1, 60),
        doubled(np.zeros(1000), 60),
        [[[1] * 3000] * 3000] * 3000,
        [[np.zeros(1 << 20)] * 1000] * 1000,
        ["a" * 100_000] * 100_000,
    ],
)
def test_anything_but_numbers_of_one_shape_and_a_size_is_refused(value):
    with pytest.raises(NumberListError):
        array_of_numbers(value)
