"""The strict reader of JSON: what it returns, what it refuses, and where."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import places_of, refused, values_of
from validator.findings import Findings
from validator.strict_json import DEEPEST, ParseSizes, parse, pointer_part, strict_loads

pytestmark = pytest.mark.interpreters


def load(text):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return strict_loads(data, "x.json")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_as_python_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if ascii_only or not any(0xD800 <= ord(letter) < 0xE000 for letter in text):
        read = load(text)
        assert (read.content, read.notes) == (json.loads(text), [])


@pytest.mark.parametrize(
    ("text", "code", "where", "values"),
    [
        ("", "E-JSON-SYNTAX", "", []),
        (" \t\r\n", "E-JSON-SYNTAX", "", []),
        ("{}".encode("utf-16"), "E-JSON-ENCODING", "", []),
        ("{}".encode("utf-16-le"), "E-JSON-ENCODING", "", []),
        ("{}".encode("utf-16-be"), "E-JSON-ENCODING", "", []),
        (b"\xfe\xff\x00{", "E-JSON-ENCODING", "", []),
        ("\ufeff\ufeff{}", "E-JSON-SYNTAX", "line 1 column 1", []),
        ("\ufeff\ufeff", "E-JSON-SYNTAX", "line 1 column 1", []),
        (b"\xef\xbb\xbf\xef\xbb\xbf\xff", "E-JSON-ENCODING", "line 1 column 2", ["3"]),
        (b'{\n"a": "\xff"}', "E-JSON-ENCODING", "line 2 column 7", ["8"]),
        ('{"a": 1,}', "E-JSON-SYNTAX", "line 1 column 8", []),
        ('{"a":\n [1,\n  2 3]}', "E-JSON-SYNTAX", "line 3 column 5", []),
        ("[NaN]", "E-JSON-NUMBER", "/0", []),
        ("-Infinity", "E-JSON-NUMBER", "", []),
        ('{"a": {"b": [0, 1e999]}}', "E-JSON-NUMBER", "/a/b/1", ["1e999"]),
        (f"[{'9' * 309}]", "E-JSON-NUMBER", "/0", ["9" * 23]),
        (f"[{'9' * 400}]", "E-JSON-NUMBER", "/0", ["9" * 23]),
        ('{"a": 1, "b": 2, "b": 3, "a": 4}', "E-JSON-DUPLICATE", "/", ["'b'"]),
        ('[{"~/": {"a": 1, "a": 1}}]', "E-JSON-DUPLICATE", "/0/~0~1", ["'a'"]),
        (f'{{"{"k" * 41}": 1, "{"k" * 41}": 1}}', "E-JSON-DUPLICATE", "/", [f"'{'k' * 39}…'"]),
    ],
)
def test_problems_have_their_place(text, code, where, values):
    findings = refused(load, text)
    assert places_of(findings)[0] == (code, "x.json", where)
    assert len(findings.lines()) == 1
    assert values_of(findings.problems[0].problem) == values


def test_a_byte_order_mark_is_noted():
    read = load("\ufeff[1]")
    assert read.content == [1]
    (note,) = read.notes
    assert note.code == "N-JSON-BOM"
    assert "x.json" in note.text


def test_null_is_a_value():
    assert load("null").content is None


def test_long_whole_numbers_are_read_as_far_as_they_fit():
    assert load("9" * 308).content == int("9" * 308)
    assert load("-" + "9" * 307).content == -int("9" * 307)
    assert load("0" + "." + "0" * 400 + "1").content == 0


def test_problems_come_in_the_order_of_the_file():
    findings = refused(load, '{"a": [NaN, {"b": NaN}], "c": NaN, "d": {"x": 1, "x": NaN}}')
    assert [problem.where for problem in findings.problems] == ["/a/0", "/a/1/b", "/c", "/d", "/d/x"]


def test_numbers_that_are_not_finite_are_of_one_kind_by_how_they_are_written():
    findings = refused(load, "[NaN, 1e999, NaN, 9e999, -Infinity]")
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [2, 2, 1]
    placed_problems = findings.summary().problems()
    assert [placed.as_dict()["where"] for placed in placed_problems] == ["/0, /2", "/1, /3", "/4"]
    problems = [placed.first for placed in placed_problems]
    texts = ("NaN", "1e999", "-Infinity")
    assert [problem.problem.startswith(text) for problem, text in zip(problems, texts)] == [True] * 3


def test_parsing_goes_on_after_numbers_and_duplicate_keys():
    findings = Findings()
    assert parse(b'{"a": 1, "a": [2], "b": NaN, "c": 3}', "x.json", findings).keys() == set("abc")
    assert [problem.code for problem in findings.problems] == ["E-JSON-DUPLICATE", "E-JSON-NUMBER"]


@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 22])
def test_nesting_is_counted_across_strings_and_chunks(chunk):
    sizes = ParseSizes(chunk)
    inner = '"[\\"[{\\\\"'
    for text in (
        "[" * (DEEPEST - 1) + f'{{"]]": {inner}}}' + "]" * (DEEPEST - 1),
        f"[{inner}, [], {{}}, []]",
        '"' + "[" * 70 + '"',
        "[" + "[],{}," * 70 + "1]",
    ):
        assert strict_loads(text.encode(), "x.json", sizes).content == json.loads(text)
    for text, where in (
        ("[" * (DEEPEST + 5), f"line 1 column {DEEPEST + 1}"),
        (
            " " * 3 + "\n" + "[" * DEEPEST + inner + ",[]" + "]" * DEEPEST,
            f"line 2 column {DEEPEST + len(inner) + 2}",
        ),
    ):
        findings = refused(strict_loads, text.encode(), "x.json", sizes)
        assert places_of(findings) == [("E-JSON-DEPTH", "x.json", where)]
        assert values_of(findings.problems[0].problem) == ["64"]


def test_parts_of_pointers_are_escaped():
    assert [pointer_part(part) for part in (3, "a/b", "~1", "\n")] == ["3", "a~1b", "~01", "\\n"]
