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
    ("text", "position", "words"),
    [
        ('{"a": [1,]}', 8, "there is a comma before the closing bracket"),
        ('{"a": 1 , \n}', 8, "there is a comma before the closing bracket"),
        ("[,]", 1, "a value is missing here"),
        ("[1,,2]", 3, "a value is missing here"),
        ("{,}", 1, "a key in double quotes is missing"),
        ("{a: 1}", 1, "a key in double quotes is missing"),
        ("{1: 1}", 1, "a key in double quotes is missing"),
        ('{"a" 1}', 5, "the colon after the key is missing"),
        ('{"a":}', 5, "a value is missing here"),
        ("[1 2]", 3, "a comma or a closing bracket is missing"),
        ("[1}", 2, "a comma or a closing bracket is missing"),
        ('{"a": 1]', 7, "a comma or a closing bracket is missing"),
        ("[1:2]", 2, "a comma or a closing bracket is missing"),
        ("]", 0, "a value is missing here"),
        (" ]", 1, "a value is missing here"),
        ('{"a", 1}', 4, "the colon after the key is missing"),
        ('{"a" "b": 1}', 5, "the colon after the key is missing"),
        ('{"a" {}}', 5, "the colon after the key is missing"),
        ('["x" "y"]', 5, "a comma or a closing bracket is missing"),
        ('[[1], {"a": [2]}, 01]', 19, "a comma or a closing bracket is missing"),
        ('[{"a": 1, 2: 3}]', 10, "a key in double quotes is missing"),
        ("['x']", 1, "strings are in single quotes"),
        ("[None]", 1, "None is not JSON"),
        ("[1, # one", 4, "there is a comment"),
        ("{} {}", 3, "more text after the end"),
        ("1,", 1, "more text after the end"),
        ("[1, 2", 5, "the file ends too early"),
        ('{"a', 3, "the file ends inside a string"),
        ('["a\nb"]', 3, "line break or control character"),
        ('["\\x"]', 2, "escape sequence is not JSON"),
        ('["\\u12"]', 2, "escape sequence is not JSON"),
        ("[01]", 2, "a comma or a closing bracket is missing"),
        ("[+1]", 1, "a value is missing here"),
        ("[1.]", 2, "a comma or a closing bracket is missing"),
        ("[NaN, -Infinity,]", 15, "there is a comma before the closing bracket"),
        ("[1,\xa02]", 3, "a value is missing here"),
    ],
)
def test_the_first_wrong_character_is_named(text, position, words):
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert explain_syntax(text).position == position
    assert words in explain_syntax(text).problem


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
