"""Long lists that are read entry by entry: the same entries as of the whole, wherever the reads end; problems in place."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import refused, values_of
from validator.array_stream import EntryLimit, StreamSizes, iter_entries

DEFAULT_SIZES, SMALL_SIZES = StreamSizes(), StreamSizes(chunk=4)


class Small(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data, size):
        super().__init__(data)
        self._size = size

    def read(self, n=-1):
        return super().read(min(n, self._size))


def entries(text, largest=1000, most=1000, size=1 << 20, sizes=DEFAULT_SIZES):
    data = text.encode("utf-8", "surrogatepass")
    return list(iter_entries(Small(data, size).read, "x.json", largest, EntryLimit(most), sizes))


def wrong(text, largest=1000, most=1000, size=1 << 20, sizes=DEFAULT_SIZES):
    """Return the problem of a list, and the number of entries before it."""
    entries_before: list[bytes] = []
    stream = iter_entries(Small(text.encode(), size).read, "x.json", largest, EntryLimit(most), sizes)
    (problem,) = refused(entries_before.extend, stream).problems
    assert (problem.file, problem.rule) == ("x.json", "list")
    assert problem.remedy
    return problem, len(entries_before)


def assert_refused_at(number, value, text, **options):
    """Check that a list is refused at the entry of a number, for more of something than a value."""
    problem, n_entries = wrong(text, **options)
    assert (problem.where, values_of(problem.problem), n_entries) == (f"/{number}", [str(value)], number)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@pytest.mark.slow
@given(st.lists(values, max_size=5), st.sampled_from([None, 1]), st.integers(1, 64))
def test_entries_of_a_stream_are_those_of_the_list(value, indent, size):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    found = entries(text, largest=1 << 20, size=size)
    assert [json.loads(entry.decode("utf-8", "surrogatepass")) for entry in found] == value


@pytest.mark.parametrize("size", [1, 2, 3, 64])
@pytest.mark.parametrize(
    "text",
    [
        '["a\\"]", 1]',
        '["\\\\", "]", 2]',
        '["\\\\\\"[", {"k\\"}": "}"}]',
        '[ "x,y" ,[1,[2]],{"a":{"b":[]}} ]',
        "\ufeff[1]",
        "[]",
        " [ ] ",
        '["\\\\\\\\", "\\\\\\"", 1]',
        "[ [ 1 , 2 ] , { } ]\t\r\n ",
    ],
)
def test_strings_with_escapes_and_brackets_are_followed(text, size):
    wanted = json.loads(text.lstrip("\ufeff"))
    assert [json.loads(entry) for entry in entries(text, largest=100, size=size + 2)] == wanted


@pytest.mark.parametrize("size", [1, 2, 5, 1 << 20])
@pytest.mark.parametrize(
    ("text", "where", "keyword", "code"),
    [
        ("", "", "empty", "E-JSON-SYNTAX"),
        (" \n", "", "empty", "E-JSON-SYNTAX"),
        ('{"a": [1]}', "", "object", "E-JSON-SCHEMA"),
        ('{"a": [{"b": "}"}]}\n {"a": [1]}\n', "", "on each line", "E-JSON-SYNTAX"),
        ("1", "", "something else", "E-JSON-SYNTAX"),
        ("]", "", "something else", "E-JSON-SYNTAX"),
        ("[", "", "after 0", "E-JSON-SYNTAX"),
        ('["a"', "", "after 0", "E-JSON-SYNTAX"),
        ('["a", "b', "", "after 1", "E-JSON-SYNTAX"),
        ('["a", {"b": [', "", "after 1", "E-JSON-SYNTAX"),
        ("[1, 2, [3]", "", "after 2", "E-JSON-SYNTAX"),
        ("[,1]", "/0", "missing before the comma", "E-JSON-SYNTAX"),
        ("[1, ,2]", "/1", "missing before the comma", "E-JSON-SYNTAX"),
        ("[1, 2, ]", "/2", "closing bracket", "E-JSON-SYNTAX"),
        ("[1] x", "/1", "more text", "E-JSON-SYNTAX"),
        ("[] []", "/0", "more text", "E-JSON-SYNTAX"),
    ],
)
def test_problems_have_their_entry(text, where, keyword, code, size):
    problem, _ = wrong(text, size=size)
    assert (problem.code, problem.where) == (code, where)
    assert keyword in problem.problem


def test_nesting_is_refused_from_64_levels_on():
    deep = "[" * 63 + "]" * 63
    assert wrong(f"[1, [{deep}]]")[0].code == "E-JSON-DEPTH"
    assert entries(f"[{deep}, 1]") == [deep.encode(), b"1"]
    assert_refused_at(1, 64, f"[1, [{deep}]]")
    assert_refused_at(0, 64, "[" + '[{"a":' * 32)


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
def test_an_entry_may_have_so_many_bytes_and_no_more(size):
    entry = '"' + "a" * 6 + '"'
    assert entries(f"[1, {entry} ]", largest=10, size=size, sizes=SMALL_SIZES) == [b"1", entry.encode()]
    assert_refused_at(1, 8, f"[1, {entry}]", largest=8, size=size, sizes=SMALL_SIZES)
    # Blanks count, wherever they are.
    assert_refused_at(0, 8, "[" + " " * 8 + "1]", largest=8, size=size, sizes=SMALL_SIZES)


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
def test_an_entry_that_never_ends_is_not_read_to_its_end(size):
    stream = Small(b'["' + b"a" * 1000, size)
    findings = refused(list, iter_entries(stream.read, "x.json", 10, EntryLimit(10), SMALL_SIZES))
    assert values_of(findings.problems[0].problem) == ["10"]
    assert stream.tell() < 50


@pytest.mark.parametrize("size", [2, 7, 1 << 20])
def test_entries_with_many_brackets_and_strings_end_where_json_says(size):
    value = ['a\\"]', [{"b,": [[], "\\\\"]}] * 60, 1]
    wanted = [value, {"c": value}, 2, value]
    assert [json.loads(entry) for entry in entries(json.dumps(wanted), largest=10_000, size=size)] == wanted
    deep = "[" + "[],{}," * 60 + "[" * 62 + "]" * 62 + "]"
    assert len(entries(f"[{deep}]")) == 1
    problem, _ = wrong(f"[1, [{deep}]]", size=size)
    assert (problem.code, problem.where) == ("E-JSON-DEPTH", "/1")


@pytest.mark.parametrize("piece", ["[],", "{},", '"",', '[[",["]],', '""'])
def test_an_entry_with_very_many_parts_is_not_read_to_its_end(piece):
    stream = Small(f"[1, [[], [], [], {piece * 1_000_000}0]]".encode(), 100_000)
    before = []
    entries_of_stream = iter_entries(stream.read, "x.json", 20_000_000, EntryLimit(10))
    (problem,) = refused(before.extend, entries_of_stream).problems
    assert (problem.code, problem.where, before) == ("E-JSON-COUNT", "/1", [b"1"])


@pytest.mark.parametrize("text", ["[1]" + " " * 50, "\n" * 50 + "[1]"])
def test_blanks_around_the_list_are_bounded(text):
    assert entries(text, largest=60, size=4, sizes=SMALL_SIZES) == [b"1"]
    problem, _ = wrong(text, largest=10, size=4, sizes=SMALL_SIZES)
    assert values_of(problem.problem) == ["10"]


def test_each_entry_is_measured_by_itself():
    assert entries("[" + "1, " * 50 + "2]", largest=2, most=100) == [b"1"] * 50 + [b"2"]
    assert_refused_at(2, 3, "[1, 2, 345]", largest=3)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_list_may_have_so_many_entries_and_no_more(most):
    assert len(entries(json.dumps([1] * most), most=most)) == most
    assert_refused_at(most, most, json.dumps([1] * (most + 1)), most=most)
