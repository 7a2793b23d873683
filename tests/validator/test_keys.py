"""Matching keys: each of the reference exactly once, beside a program of loops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import refused
from validator.keys import match_keys, refuse_repeated


def place(index):
    return f"entry {index}"


def match(keys, reference_keys, *more):
    return match_keys(keys, reference_keys, "x.json", place, *more).tolist()


def problems(keys, reference_keys, *more):
    findings = refused(match_keys, keys, reference_keys, "x.json", place, *more)
    return [problem.line() for problem in findings.problems]


def doubles(keys):
    return [
        f"E-KEY-TWICE x.json entry {index}: '{key}' is also in entry {keys.index(key)}; keep one of them."
        for index, key in enumerate(keys)
        if keys.index(key) < index
    ]


@given(st.lists(st.sampled_from("abcdef"), max_size=6), st.lists(st.sampled_from("abcde"), unique=True))
def test_every_fault_is_found(keys, reference_keys):
    expected = [
        f"E-KEY-UNKNOWN x.json entry {index}: '{key}' is not one of the requested keys; correct or drop it."
        for index, key in enumerate(keys)
        if key not in reference_keys
    ]
    expected += doubles(keys)
    missing = len(set(reference_keys) - set(keys))
    if missing:
        expected.append(
            f"E-KEY-MISSING x.json: keys are missing: {missing} of {len(reference_keys)}; "
            "predict every item exactly once."
        )
    if expected:
        assert problems(keys, reference_keys) == expected
    else:
        assert match(keys, reference_keys) == [keys.index(key) for key in reference_keys]


@given(st.permutations("abcdefgh"))
def test_any_order_is_found_back(keys):
    assert [keys[position] for position in match(keys, sorted(keys))] == sorted(keys)


class Odd(str):
    """A string whose hash is that of all others."""

    __slots__ = ()

    def __hash__(self):
        return 1


def test_equal_hashes_are_no_equal_keys():
    keys = [Odd(name) for name in "abc"]
    assert match(keys, [keys[2], keys[0], keys[1]]) == [2, 0, 1]
    assert "'c' is not one of" in problems(keys, [keys[0], keys[1], Odd("d")])[0]


@pytest.mark.parametrize("n", [1, 20, 21])
def test_some_missing_keys_are_named_if_they_may_be(n):
    reference_keys = [f"k{index:02}" for index in range(n)]
    (line,) = problems([], reference_keys, True)
    assert line == (
        f"E-KEY-MISSING x.json: keys are missing: {n} of {n}, as {', '.join(reference_keys[:20])}; "
        "predict every item exactly once."
    )
    assert "k00" not in problems([], reference_keys)[0]


def test_long_keys_are_cut():
    for length, cut in ((40, 40), (41, 39)):
        end = "…" if cut < length else ""
        unknown, again, twice, missing = problems(["k" * length] * 2, ["z" * length], True)
        assert f"'{'k' * cut}{end}'" in unknown
        assert f"'{'k' * cut}{end}'" in again
        assert f"'{'k' * cut}{end}'" in twice
        assert f" as {'z' * cut}{end};" in missing


@given(st.lists(st.sampled_from("abc"), max_size=6))
def test_double_keys_are_found_without_a_reference(keys):
    if doubles(keys):
        findings = refused(refuse_repeated, keys, "x.json", place)
        assert [problem.line() for problem in findings.problems] == doubles(keys)
    else:
        refuse_repeated(keys, "x.json", place)


def test_many_repeated_keys_are_counted_beside_other_problems():
    findings = refused(match_keys, ["a"] * 500 + ["b"], ["a", "c"], "x.json", place)
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [1, 499, 1]
