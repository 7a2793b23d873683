"""The words for what is not JSON: ours, in the same place on every interpreter."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quality.fuzzing.json_texts import odd_json
from validator.json_syntax import explain_syntax

pytestmark = pytest.mark.interpreters

DOCUMENT = {"a": [1, 2.5, "x", [], {}, [1, 2, 3]], "b": {"c": None, "d": True}}


@pytest.mark.parametrize(
    ("text", "position", "rule"),
    [
        ('{"a": [1,]}', 8, "trailing comma"),
        ('{"a": 1 , \n}', 8, "trailing comma"),
        ("[,]", 1, "value"),
        ("[1,,2]", 3, "value"),
        ("{,}", 1, "key"),
        ("{a: 1}", 1, "key"),
        ("{1: 1}", 1, "key"),
        ('{"a" 1}', 5, "colon"),
        ('{"a":}', 5, "value"),
        ("[1 2]", 3, "next"),
        ("[1}", 2, "next"),
        ('{"a": 1]', 7, "next"),
        ("[1:2]", 2, "next"),
        ("]", 0, "value"),
        (" ]", 1, "value"),
        ('{"a", 1}', 4, "colon"),
        ('{"a" "b": 1}', 5, "colon"),
        ('{"a" {}}', 5, "colon"),
        ('["x" "y"]', 5, "next"),
        ('[[1], {"a": [2]}, 01]', 19, "next"),
        ('[{"a": 1, 2: 3}]', 10, "key"),
        ("['x']", 1, "single quotes"),
        ("[None]", 1, "foreign None"),
        ("[1, np.float64(97.9)]", 4, "foreign np.float64"),
        ("[np.float64]", 1, "value"),
        ("[np.True_]", 1, "foreign np.True_"),
        ('["a", np.str_("b")]', 6, "foreign np.str_"),
        ("[np.Trueish]", 1, "value"),
        ("[1, # one", 4, "comment"),
        ("{} {}", 3, "more text"),
        ('{"a": 1}\n{"b": 2}\n', 9, "lines"),
        ('{"a": 1}\r\n\r\n{"b": 2}', 12, "lines"),
        ("[1]\n[2]", 4, "lines"),
        ("[1]\nx", 4, "more text"),
        ("1,", 1, "more text"),
        ("[1, 2", 5, "end"),
        ('{"a', 3, "end in string"),
        ('["a\nb"]', 3, "control"),
        ('["\\x"]', 2, "escape"),
        ('["\\u12"]', 2, "escape"),
        ("[01]", 2, "next"),
        ("[+1]", 1, "value"),
        ("[1.]", 2, "next"),
        ("[NaN, -Infinity,]", 15, "trailing comma"),
        ("[1,\xa02]", 3, "value"),
    ],
)
def test_the_first_wrong_character_is_named(text, position, rule):
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert (explain_syntax(text).position, explain_syntax(text).rule) == (position, rule)


@given(st.integers(0, 2**63))
def test_what_is_before_the_place_could_go_on_as_json(seed):
    text = odd_json(random.Random(seed), DOCUMENT, 0.1)
    try:
        json.loads(text)
    except json.JSONDecodeError:
        at, rule, problem, remedy = explain_syntax(text)
        assert 0 <= at <= len(text)
        assert problem
        assert remedy
        # Up to there nothing is wrong but that the text ends.
        if rule not in ("trailing comma", "end in string", "escape", "control"):
            assert explain_syntax(text[:at]).position == at


@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        ("value", ["[,]", '{"a":}', "[+1]", "]"]),
        ("next", ["[1 2]", '{"a": 1]', '["a" "b"]']),
        ("end", ["[1", '{"a":', '{"a": [']),
        ("control", ['["a\nb"]', '{"\t": 1}']),
        ("foreign None", ["[None]", '{"a": None, "b": 1}']),
        ("foreign True", ["[True]"]),
    ],
)
def test_the_rule_depends_on_what_is_wrong_alone(rule, texts):
    assert {explain_syntax(text).rule for text in texts} == {rule}
