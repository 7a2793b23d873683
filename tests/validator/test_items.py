"""Items of a submission beside those of the reference: ignored, refused, or matched by their keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import refused, values_of
from validator.checking import plain_findings
from validator.findings import Findings
from validator.items import Place, check_items
from validator.keys import add_repeated, match_keys


def checked(items, reference_items):
    return check_items(items, reference_items, "video", lambda item: Place("a.json", f"/{item}"))


def test_unknown_items_are_counted_and_the_first_has_its_place():
    (note,) = checked(["b", "y", "x"], {"a", "b"})
    assert (note.code, values_of(note.text)) == ("N-ITEMS-UNKNOWN", ["2", "'y'", "'x'"])
    assert "(a.json /y)" in note.text


def test_what_makes_all_items_known_is_said_where_it_is_sure():
    (explained,) = checked(["a.mp4", "b"], {"a", "b"})
    assert explained.text.endswith("; write them as in the data, as 'a' for 'a.mp4'")
    (unexplained,) = checked(["moon", "b"], {"a", "b"})
    assert unexplained.text.endswith("'moon' (a.json /moon)")


@pytest.mark.parametrize("items", [[], ["a"], ["b", "a"]])
def test_known_items_and_none_have_no_note(items):
    assert checked(items, {"a", "b"}) == []


def test_items_of_which_none_is_known_are_refused():
    (problem,) = refused(checked, ["x", "y"], {"a"}).problems
    assert (problem.code, problem.file, problem.where) == ("E-ITEMS-NONE", "a.json", "/x")
    assert values_of(problem.problem) == ["2"]


def test_only_item_of_a_submission_is_not_counted():
    (problem,) = refused(checked, ["x"], {"a"}).problems
    assert (problem.code, values_of(problem.problem)) == ("E-ITEMS-NONE", [])


def place(index):
    return f"entry {index}"


def match(keys, reference_keys):
    return match_keys(keys, reference_keys, "x.json", place).content.tolist()


def problems_with(keys, reference_keys):
    return refused(match_keys, keys, reference_keys, "x.json", place).problems


def doubles(keys):
    """Return the code, the place and the values of the problem with each key that occurred before."""
    return [
        ("E-KEY-TWICE", place(index), [f"'{key}'", str(keys.index(key))])
        for index, key in enumerate(keys)
        if keys.index(key) < index
    ]


@given(st.lists(st.sampled_from("abcdef"), max_size=6), st.lists(st.sampled_from("abcde"), unique=True))
def test_every_fault_is_found(keys, reference_keys):
    missing = len(set(reference_keys) - set(keys))
    unknown = [key for key in dict.fromkeys(keys) if key not in reference_keys]
    is_none_known = bool(unknown) and set(unknown) == set(keys)
    expected = []
    if is_none_known:
        expected += [("E-ITEMS-NONE", f"entry {keys.index(unknown[0])}")]
    elif missing:
        expected += [("E-KEY-UNKNOWN", f"entry {at}") for at, key in enumerate(keys) if key in unknown]
    if not is_none_known:
        expected += [("E-KEY-TWICE", f"entry {at}") for at, key in enumerate(keys) if keys.index(key) < at]
    expected += [("E-KEY-MISSING", "")] * bool(missing and not is_none_known)
    if expected:
        problems = refused(match_keys, keys, reference_keys, "x.json", place).problems
        assert [(problem.code, problem.where) for problem in problems] == expected
        assert {problem.file for problem in problems} == {"x.json"}
        return
    assert match(keys, reference_keys) == [keys.index(key) for key in reference_keys]
    notes = match_keys(keys, reference_keys, "x.json", place).notes
    expected_numbers = [str(len(unknown))] if unknown else []
    assert [values_of(note.text)[0] for note in notes] == expected_numbers


@pytest.mark.parametrize("n", [1, 5, 6])
def test_some_missing_keys_are_named(n):
    reference_keys = [f"k{index:02}" for index in range(n)]
    (problem,) = problems_with([], reference_keys)
    assert (problem.code, problem.file, problem.where) == ("E-KEY-MISSING", "x.json", "")
    assert values_of(problem.problem)[:2] == [str(n), str(n)]
    assert problem.problem.endswith(f" {', '.join(reference_keys[:5])}")


def test_a_sure_spelling_of_unknown_keys_is_the_remedy():
    reference_keys = [f"clip_{number:02}" for number in range(12)]
    unknown, missing = problems_with([*reference_keys[1:], "clip_12"], reference_keys)
    assert (unknown.code, missing.code) == ("E-KEY-UNKNOWN", "E-KEY-MISSING")
    assert "n - 1 for n" in unknown.remedy
    (unknown, _) = problems_with([*reference_keys[1:], "x"], reference_keys)
    assert "correct" in unknown.remedy


def test_long_keys_are_cut():
    for length, cut in ((40, 40), (41, 39)):
        end = "…" if cut < length else ""
        keys, reference_keys = ["a", "k" * length, "k" * length], ["a", "z" * length]
        unknown, again, twice, missing = (problem.problem for problem in problems_with(keys, reference_keys))
        assert f"'{'k' * cut}{end}'" in unknown
        assert f"'{'k' * cut}{end}'" in again
        assert f"'{'k' * cut}{end}'" in twice
        assert missing.endswith(f" {'z' * cut}{end}")


def repeated(keys):
    findings = Findings()
    add_repeated(keys, "x.json", place, findings)
    return findings


@given(st.lists(st.sampled_from("abc"), max_size=6))
def test_double_keys_are_found_without_a_reference(keys):
    if doubles(keys):
        findings = repeated(keys)
        assert [
            (problem.code, problem.where, values_of(problem.problem)) for problem in findings.problems
        ] == doubles(keys)
    else:
        assert repeated(keys).ok


def test_many_repeated_keys_are_counted_beside_other_problems():
    findings = refused(match_keys, ["a"] * 500 + ["b"], ["a", "c"], "x.json", place)
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [1, 499, 1]
