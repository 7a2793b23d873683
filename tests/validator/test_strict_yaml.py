"""YAML without its traps: what is read, and what is refused with its place."""

from __future__ import annotations

import datetime

import pytest
import yaml

from validator import strict_yaml
from validator.strict_yaml import load_plain, load_strict

pytestmark = pytest.mark.interpreters


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: 1\nb: {c: [x, null, 1.5, true]}\n", {"a": 1, "b": {"c": ["x", None, 1.5, True]}}),
        ("[[], {}]", [[], {}]),
        ("a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}),
        ("a: &x {b: 1, c: 1}\nd: {<<: *x, b: 2}\n", {"a": {"b": 1, "c": 1}, "d": {"b": 2, "c": 1}}),
        ("day: 2020-02-29\n", {"day": datetime.date(2020, 2, 29)}),
        (f"[{2**63}, {-(2**63)}]", [2**63, -(2**63)]),
    ],
)
def test_plain_values(text, value):
    assert load_strict(text) == value


@pytest.mark.parametrize(
    ("text", "keyword", "line", "column"),
    [
        ("a: 1\nb: 2\na: 3\n", "'a'", 2, 0),
        ("x:\n  - {b: 1, b: 1}\n", "'b'", 1, 11),
        ("a: 2020-99-99\n", "value", 0, 3),
        ('a: !!int ""\n', "value", 0, 3),
        ("a: 0x" + "f" * 5000, "value", 0, 3),
        ("a: &a [*a]\n", "alias", 0, 7),
        ("? [1, 2]\n: x\n", "value", 0, 0),
        ("a: !!timestamp abc\n", "value", 0, 3),
        (f"a: {2**63 + 1}\n", "value", 0, 3),
        (f"a: {-(2**63) - 1}\n", "value", 0, 3),
        ("a: " + "9" * 5000, "value", 0, 3),
        ("a: !!python/object:os.system x\n", "constructor", 0, 3),
    ],
)
@pytest.mark.parametrize("load", [load_strict, load_plain])
def test_traps_have_their_place(load, text, keyword, line, column):
    if load is load_plain and text.startswith(("a: 1\nb: 2", "x:", "?")):
        return  # a key that is twice is no trap for it, and a list as a key has the words of the library
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        load(text)
    error = caught.value
    assert keyword in str(error.problem)
    assert error.problem_mark
    assert (error.problem_mark.line, error.problem_mark.column) == (line, column)


def test_size_and_depth_are_bounded():
    most = strict_yaml._MOST_CHARACTERS
    assert load_strict("#" * most) is None
    with pytest.raises(yaml.YAMLError, match="131,072"):
        load_strict("#" * (most + 1))
    assert load_strict("[" * 51 + "]" * 51)
    with pytest.raises(yaml.YAMLError, match="nested"):
        load_strict("[" * 51 + "x" + "]" * 51)


def test_aliases_stand_for_ten_thousand_values_at_most():
    # With the list, each alias stands for 10 values; nested anchors hold those of others.
    text = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\nb: [*a" + ", *a" * 999
    assert len(load_strict(f"{text}]")["b"]) == 1000
    with pytest.raises(yaml.YAMLError, match="aliases"):
        load_strict(f"{text}, *a]")


BOMB = "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}' if n else 'x'] * 9)}]\n" for n in range(8))


@pytest.mark.parametrize("load", [load_strict, load_plain])
@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        (BOMB, "aliases"),
        *((head * 5000, "nested") for head in ("[", "- ", "{a: ", "? ")),
    ],
    ids=["bomb", "lists", "blocks", "maps", "keys"],
)
def test_what_grows_without_end_is_refused_at_once(load, text, keyword):
    with pytest.raises(yaml.MarkedYAMLError, match=keyword):
        load(text)


def test_of_equal_keys_the_last_counts_for_a_platform():
    assert load_plain("a: 1\na: 2\n") == {"a": 2}
