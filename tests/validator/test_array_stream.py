"""Long lists that are read entry by entry: the same entries as of the whole, wherever the reads end; problems in place."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator import array_stream
from validator.array_stream import ArrayError, iter_entries


class Small(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data, size):
        super().__init__(data)
        self._size = size

    def read(self, n=-1):
        return super().read(min(n, self._size))


def wrong(text, largest=1000, most=1000, size=1 << 20):
    """Return the error in a text, after the entries before it."""
    found = []
    with pytest.raises(ArrayError) as caught:
        for entry in iter_entries(Small(text.encode(), size), largest, most):
            found.append(entry)
    assert caught.value.hint
    return caught.value, len(found)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.lists(values, max_size=5), st.sampled_from([None, 1]), st.integers(1, 64))
def test_entries_of_a_stream_are_those_of_the_list(value, indent, size):
    text = json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    entries = iter_entries(Small(text, size), 1 << 20, 1000)
    assert [json.loads(entry.decode("utf-8", "surrogatepass")) for entry in entries] == value


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
    assert [json.loads(entry) for entry in iter_entries(Small(text.encode(), size + 2), 100, 1000)] == wanted


@pytest.mark.parametrize("size", [1, 2, 5, 1 << 20])
@pytest.mark.parametrize(
    ("text", "entry", "problem", "code"),
    [
        ("", None, "the file is empty", "E-JSON-SYNTAX"),
        (" \n", None, "the file is empty", "E-JSON-SYNTAX"),
        ('{"a": [1]}', None, "the file holds an object instead of a list", "E-JSON-SCHEMA"),
        ("1", None, "the file holds something else instead of a list", "E-JSON-SYNTAX"),
        ("]", None, "the file holds something else instead of a list", "E-JSON-SYNTAX"),
        ("[", None, "the file ends too early, after 0 whole entries", "E-JSON-SYNTAX"),
        ('["a"', None, "the file ends too early, after 0 whole entries", "E-JSON-SYNTAX"),
        ('["a", "b', None, "the file ends too early, after 1 whole entry", "E-JSON-SYNTAX"),
        ('["a", {"b": [', None, "the file ends too early, after 1 whole entry", "E-JSON-SYNTAX"),
        ("[1, 2, [3]", None, "the file ends too early, after 2 whole entries", "E-JSON-SYNTAX"),
        ("[,1]", 0, "an entry is missing before the comma", "E-JSON-SYNTAX"),
        ("[1, ,2]", 1, "an entry is missing before the comma", "E-JSON-SYNTAX"),
        ("[1, 2, ]", 2, "there is a comma before the closing bracket", "E-JSON-SYNTAX"),
        ("[1] x", 1, "there is more text after the end of the list", "E-JSON-SYNTAX"),
        ("[] []", 0, "there is more text after the end of the list", "E-JSON-SYNTAX"),
    ],
)
def test_problems_have_their_entry(text, entry, problem, code, size):
    error, _ = wrong(text, size=max(size, 3) if text.startswith("\ufeff") else size)
    assert (error.entry, error.problem, error.code) == (entry, problem, code)


def test_nesting_is_refused_from_64_levels_on():
    deep = "[" * 63 + "]" * 63
    assert list(iter_entries(io.BytesIO(f"[{deep}, 1]".encode()), 1000, 10)) == [deep.encode(), b"1"]
    error, n_before = wrong(f"[1, [{deep}]]")
    assert (error.entry, n_before) == (1, 1)
    assert error.problem == "the nesting is deeper than 64 levels"
    assert wrong("[" + '[{"a":' * 32)[0].entry == 0


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
def test_an_entry_may_have_so_many_bytes_and_no_more(size, monkeypatch):
    monkeypatch.setattr(array_stream, "_CHUNK", 4)
    entry = '"' + "a" * 6 + '"'
    assert list(iter_entries(Small(f"[1, {entry} ]".encode(), size), 10, 10)) == [b"1", entry.encode()]
    error, n_before = wrong(f"[1, {entry}]", largest=8, size=size)
    assert (error.entry, error.problem, n_before) == (1, "the entry has more than 8 bytes", 1)
    # Blanks count, wherever they are.
    assert wrong("[" + " " * 8 + "1]", largest=8, size=size)[0].entry == 0
    # One that never ends is not read to its end.
    stream = Small(b'["' + b"a" * 1000, size)
    with pytest.raises(ArrayError, match="more than 10 bytes"):
        list(iter_entries(stream, 10, 10))
    assert stream.tell() < 50


def test_each_entry_is_measured_by_itself():
    assert list(iter_entries(io.BytesIO(b"[" + b"1, " * 50 + b"2]"), 2, 100)) == [b"1"] * 50 + [b"2"]
    error, n_before = wrong("[1, 2, 345]", largest=3)
    assert (error.entry, n_before) == (2, 2)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_list_may_have_so_many_entries_and_no_more(most):
    assert len(list(iter_entries(io.BytesIO(json.dumps([1] * most).encode()), 10, most))) == most
    error, n_before = wrong(json.dumps([1] * (most + 1)), most=most)
    assert (error.entry, error.problem, n_before) == (most, f"there are more entries than {most}", most)
