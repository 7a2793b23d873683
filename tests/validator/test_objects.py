"""JSON objects of labels or numbers: one verdict of both readers, and keys that must match."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator import json_files
from validator.archive import Limits
from validator.findings import Findings
from validator.formats import objects
from validator.formats.rules import JsonRules, Rules

ENTRIES = {
    "labels": {"description": "Write robin or wren", "type": "string", "enum": ["robin", "wren"]},
    "numbers": {"description": "Write a number", "type": "number", "minimum": 0, "maximum": 10},
}


@pytest.fixture(params=[True, False], ids=["fast", "slow"], autouse=True)
def reader(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(json_files, "typed_json", None)
    monkeypatch.setattr(objects, "load_schema", schema)
    monkeypatch.setattr(json_files, "load_schema", schema)


def schema(kind):
    return {"$comment": "for tests", "type": "object", "additionalProperties": ENTRIES[kind]}


def read(data, kind="labels", **options):
    rules, findings = (
        Rules("x", Limits(9, 999, 999), json=JsonRules("objects", ("x.json",), 5, schema=kind)),
        Findings(),
    )
    text = data if isinstance(data, str) else json.dumps(data)
    return objects.read_object(text.encode(), "x.json", rules, findings, **options), findings


def test_labels_and_numbers_become_arrays():
    table, findings = read({"a": "wren", "b": "robin"})
    assert findings.lines() == []
    assert (table.keys, table.columns["value"].tolist()) == (["a", "b"], [1, 0])
    table, _ = read({"a": 1, "b": 0.5}, "numbers", reference_keys=["b", "a"])
    assert (table.keys, table.columns["value"].tolist()) == (["b", "a"], [0.5, 1.0])


@pytest.mark.parametrize(
    ("data", "kind", "line"),
    [
        ({"a": "owl"}, "labels", "E-JSON-SCHEMA x.json /a: 'owl' is not one of ['robin', 'wren']; write robin or wren."),
        ({"a": 11}, "numbers", "E-JSON-SCHEMA x.json /a: 11 is more than 10; write a number."),
        ({"a": "1"}, "numbers", "E-JSON-SCHEMA x.json /a: this is a string instead of a number; write a number."),
        ('{"a": "wren", "a": "wren"}', "labels", "E-JSON-DUPLICATE x.json /: the key 'a' occurs twice"),
        (dict.fromkeys("abcdef", 1), "numbers", "E-JSON-COUNT x.json /: there are more entries than 5"),
    ],
)  # fmt: skip
def test_problems_have_their_place(data, kind, line):
    table, findings = read(data, kind)
    assert table is None
    assert line in findings.lines()[0]


def test_keys_must_be_those_of_the_reference():
    table, findings = read({"a": "wren", "x~": "wren"}, reference_keys=["a", "secret"])
    assert table is None
    assert [problem.line() for problem in findings.problems] == [
        "E-KEY-UNKNOWN x.json /x~0: 'x~' is not one of the requested keys; correct or drop it.",
        "E-KEY-MISSING x.json: keys are missing: 1 of 2; predict every item exactly once.",
    ]


def test_plain_facts():
    table, _ = read(dict.fromkeys("abcde", 1), "numbers")
    assert [note.code for note in objects.facts({"x.json": table})] == ["N-LOOKS-CONSTANT"]
    assert [note.code for note in objects.facts({"x.json": read({})[0]})] == ["N-EMPTY"]


@given(st.dictionaries(st.text(max_size=3), st.sampled_from(["robin", "wren", "owl", 1, None]), max_size=4))
def test_any_object_ends_in_a_verdict(data):
    table, findings = read(data)
    assert (table is None) == (not findings.ok) == (not set(data.values()) <= {"robin", "wren"})
