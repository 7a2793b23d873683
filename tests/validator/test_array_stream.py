"""Long lists that are read entry by entry: the same entries as of the whole, wherever the reads end; problems in place."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import compact_lines, refused
from validator.array_stream import StreamSizes, iter_entries

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
    return list(iter_entries(Small(data, size).read, "x.json", largest, most, sizes))


def wrong(text, largest=1000, most=1000, size=1 << 20, sizes=DEFAULT_SIZES):
    """Return the code, the place and the text of the problem of a list, and the number of entries before it."""
    found: list[bytes] = []
    stream = iter_entries(Small(text.encode(), size).read, "x.json", largest, most, sizes)
    (problem,) = refused(found.extend, stream).problems
    assert (problem.file, problem.rule) == ("x.json", "list")
    assert problem.remedy
    return problem.code, problem.where, problem.problem, len(found)


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
    ("text", "where", "problem", "code"),
    [
        ("", "", "the file is empty", "E-JSON-SYNTAX"),
        (" \n", "", "the file is empty", "E-JSON-SYNTAX"),
        ('{"a": [1]}', "", "the file holds an object instead of a list", "E-JSON-SCHEMA"),
        ("1", "", "the file holds something else instead of a list", "E-JSON-SYNTAX"),
        ("]", "", "the file holds something else instead of a list", "E-JSON-SYNTAX"),
        ("[", "", "the file ends too early, after 0 whole entries", "E-JSON-SYNTAX"),
        ('["a"', "", "the file ends too early, after 0 whole entries", "E-JSON-SYNTAX"),
        ('["a", "b', "", "the file ends too early, after 1 whole entry", "E-JSON-SYNTAX"),
        ('["a", {"b": [', "", "the file ends too early, after 1 whole entry", "E-JSON-SYNTAX"),
        ("[1, 2, [3]", "", "the file ends too early, after 2 whole entries", "E-JSON-SYNTAX"),
        ("[,1]", "/0", "an entry is missing before the comma", "E-JSON-SYNTAX"),
        ("[1, ,2]", "/1", "an entry is missing before the comma", "E-JSON-SYNTAX"),
        ("[1, 2, ]", "/2", "there is a comma before the closing bracket", "E-JSON-SYNTAX"),
        ("[1] x", "/1", "there is more text after the end of the list", "E-JSON-SYNTAX"),
        ("[] []", "/0", "there is more text after the end of the list", "E-JSON-SYNTAX"),
    ],
)
def test_problems_have_their_entry(text, where, problem, code, size):
    assert wrong(text, size=size)[:3] == (code, where, problem)


def test_nesting_is_refused_from_64_levels_on():
    deep = "[" * 63 + "]" * 63
    assert entries(f"[{deep}, 1]") == [deep.encode(), b"1"]
    assert wrong(f"[1, [{deep}]]")[1:] == ("/1", "the nesting is deeper than 64 levels", 1)
    assert wrong("[" + '[{"a":' * 32)[1] == "/0"


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
def test_an_entry_may_have_so_many_bytes_and_no_more(size):
    entry = '"' + "a" * 6 + '"'
    assert entries(f"[1, {entry} ]", largest=10, size=size, sizes=SMALL_SIZES) == [b"1", entry.encode()]
    assert wrong(f"[1, {entry}]", largest=8, size=size, sizes=SMALL_SIZES)[1:] == (
        "/1",
        "the entry has more than 8 bytes",
        1,
    )
    # Blanks count, wherever they are.
    assert wrong("[" + " " * 8 + "1]", largest=8, size=size, sizes=SMALL_SIZES)[1] == "/0"


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
def test_an_entry_that_never_ends_is_not_read_to_its_end(size):
    stream = Small(b'["' + b"a" * 1000, size)
    findings = refused(list, iter_entries(stream.read, "x.json", 10, 10, SMALL_SIZES))
    assert "more than 10 bytes" in compact_lines(findings)[0]
    assert stream.tell() < 50


def test_each_entry_is_measured_by_itself():
    assert entries("[" + "1, " * 50 + "2]", largest=2, most=100) == [b"1"] * 50 + [b"2"]
    assert wrong("[1, 2, 345]", largest=3)[1:] == ("/2", "the entry has more than 3 bytes", 2)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_list_may_have_so_many_entries_and_no_more(most):
    assert len(entries(json.dumps([1] * most), most=most)) == most
    problem = f"there are more entries than {most}"
    assert wrong(json.dumps([1] * (most + 1)), most=most)[1:] == (f"/{most}", problem, most)
