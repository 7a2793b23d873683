"""Pairs of items and the members of their ranges, beside plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from scoring_program.metrics.group_values import group_means, largest_of_items
from scoring_program.metrics.pairs import pairs_in_groups, pairs_of_ranges


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), max_size=8))
def test_pairs_are_those_of_loops(ranges):
    first = np.array([begin for begin, _ in ranges], dtype=np.int64)
    last = np.array([begin + size for begin, size in ranges], dtype=np.int64)
    item, index, starts = pairs_of_ranges(first, last)
    plain = [(i, j) for i, (begin, size) in enumerate(ranges) for j in range(begin, begin + size)]
    assert list(zip(item.tolist(), index.tolist())) == plain
    assert [plain[starts[i] : starts[i + 1]] for i in range(len(ranges))] == [
        [pair for pair in plain if pair[0] == i] for i in range(len(ranges))
    ]


@given(st.lists(st.integers(-1, 5), max_size=8), st.lists(st.integers(0, 5), max_size=8))
def test_pairs_of_one_group_are_those_of_loops(left, right):
    right = sorted(right)
    item, index, starts = pairs_in_groups(np.array(left, np.int64), np.array(right, np.int64))
    plain = [(i, j) for i, group in enumerate(left) for j, other in enumerate(right) if group == other]
    assert list(zip(item.tolist(), index.tolist())) == plain
    assert np.diff(starts).tolist() == [right.count(group) for group in left]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=12))
@example([(0, 1), (0, 2), (0, 2), (1, 0), (1, 0)])
def test_largest_pair_of_each_item_is_the_first_of_equals(pairs):
    item, value = (
        np.array([pair[0] for pair in pairs], np.int64),
        np.array([pair[1] for pair in pairs], float),
    )
    expected = []
    for number in range(5):
        own = [place for place, pair in enumerate(pairs) if pair[0] == number]
        expected.append(max(own, key=lambda place: (pairs[place][1], -place), default=-1))
    assert largest_of_items(item, value, 5).tolist() == expected


def test_means_are_those_of_groups_and_nan_without_values():
    means = group_means(np.array([0.5, 1.0, 0.25]), np.array([2, 0, 2]), 3)
    np.testing.assert_array_equal(means, [1.0, np.nan, 0.375])
