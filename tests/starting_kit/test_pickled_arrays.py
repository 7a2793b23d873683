"""Pickles of arrays are read as data: whatever is in them, nothing is run, and no memory is taken on trust."""

import contextlib
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.tools.pickled_arrays import PickledArraysError, read_pickled_arrays
from tests.helpers import is_nightly
from tests.starting_kit.hostile_pickles import ARRAYS, CONTAINERS

FUZZED_FILES = 20_000 if is_nightly() else 300

_MULTIARRAY = b"cnumpy.core.multiarray\n"


def read(tmp_path, data):
    (tmp_path / "a.pkl").write_bytes(data)
    return read_pickled_arrays(tmp_path / "a.pkl")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.uint8).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        np.arange(3, dtype=">i4"),
        np.array([True, False]),
        np.array(["a", "bc"]),
        np.array([b"a", b"bc"]),
        np.zeros((0, 4)),
        np.array(2.5),
    ],
)
def test_arrays_are_read_as_they_were(array, protocol, tmp_path):
    content = read(tmp_path, pickle.dumps([{"array": array}], protocol))
    assert content[0]["array"].dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(content[0]["array"], array)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_values_and_numbers_of_numpy_are_read_as_they_were(protocol, tmp_path):
    values = [1, 2.5, "a", b"\xff", None, True, (1, {"key": [2]})]
    assert read(tmp_path, pickle.dumps(values, protocol)) == values
    number, string = read(tmp_path, pickle.dumps([np.float32(0.1), np.str_("a")], protocol))
    assert (number, number.dtype, string) == (np.float32(0.1), np.float32, "a")


_PLAIN_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
)
_KEYS = st.text() | st.integers(-(2**63), 2**64 - 1) | st.tuples(st.text(), st.booleans())
_PLAIN_VALUES = st.recursive(
    _PLAIN_LEAVES,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(_KEYS, inner)
        # Numbers of one kind in a row are read at once.
        | st.lists(st.integers(0, 255)) | st.lists(st.integers(-(2**40), 2**40))
    ),
)  # fmt: skip


@given(_PLAIN_VALUES, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_plain_values_are_read_as_python_reads_them(tmp_path_factory, values, protocol):
    content = read(tmp_path_factory.mktemp("plain"), pickle.dumps(values, protocol))
    assert content == values
    assert repr(content) == repr(values)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_long_lists_of_numbers_are_read_as_they_were(protocol, tmp_path):
    values = [list(range(2500)), [0.5] * 2500, list(range(-70_000, 70_000, 50)), [1, 0.5, 300] * 1000]
    assert read(tmp_path, pickle.dumps(values, protocol)) == values


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_value_that_is_in_two_places_is_read_once(protocol, tmp_path):
    array = np.arange(3)
    first, second = read(tmp_path, pickle.dumps([array, array], protocol))
    assert first is second
    assert first.tolist() == [0, 1, 2]


def test_texts_of_python_2_are_read(tmp_path):
    assert read(tmp_path, b"(lp0\nS'a\\n\\xff'\np1\naI01\naL5L\naF0.5\nag1\na.") == [
        "a\n\xff",
        True,
        5,
        0.5,
        "a\n\xff",
    ]


@pytest.mark.parametrize("content", [*CONTAINERS.values(), *ARRAYS.values()], ids=[*CONTAINERS, *ARRAYS])
def test_hostile_pickles_are_read_or_refused_without_hashing_or_copying_what_is_in_them(content, tmp_path):
    try:
        read(tmp_path, content)
    except PickledArraysError as error:
        assert len(str(error)) < 300


def test_changed_pickles_are_read_or_refused(tmp_path):
    """Nothing but the one error is raised, whatever bytes are changed."""
    random_numbers = random.Random(1)
    values = [
        {"image_id": 1, "score": np.float32(0.5), "bbox": (1.5, 2, 3, 300), "name": np.array(["a", "bc"])}
    ]
    for number in range(FUZZED_FILES):
        changed = bytearray(pickle.dumps(values, number % (pickle.HIGHEST_PROTOCOL + 1)))
        for _ in range(random_numbers.choice([1, 1, 2, 5])):
            changed[random_numbers.randrange(len(changed))] = random_numbers.randrange(256)
        with contextlib.suppress(PickledArraysError):
            read(tmp_path, bytes(changed))


def test_arrays_of_python_2_are_read(tmp_path):
    content = (
        _MULTIARRAY + b"_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR(K\x01(K\x02t"
        b"cnumpy\ndtype\n(U\x02u1K\x00K\x01tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        b"\x89U\x02\x07\xfftb."
    )
    assert read(tmp_path, b"\x80\x02" + content).tolist() == [7, 255]


def type_of_objects(flags):
    """Return the instructions of a type of objects, which is said to be one of plain bytes."""
    return (
        b"cnumpy\ndtype\n(U\x02O8K\x00K\x01tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff"
        + flags
        + b"tb"
    )


@pytest.mark.parametrize(
    "content",
    [
        # Numpy itself takes these bytes for the address of an object.
        _MULTIARRAY + b"scalar\n(" + type_of_objects(b"K\x00") + b"U\x08AAAAAAAAtR.",
        _MULTIARRAY + b"scalar\n(" + type_of_objects(b"K\x3f") + b"U\x08AAAAAAAAtR.",
        pickle.dumps(np.array([{}, []], dtype=object), 2),
        pickle.dumps(np.zeros(2, dtype="i4,f4"), 2),
        # An array of 128 TiB, and a memo of 32 GiB.
        b"cnumpy\nndarray\n\x8a\x06\x00\x00\x00\x00\x00\x10\x85R.",
        b"Nr\xff\xff\xff\xff.",
        pickle.dumps(np.zeros(2), 2).replace(b"K\x02\x85", b"K\x03\x85"),
        pickle.dumps(np.zeros(2), 5).replace(b"K\x02\x85", b"K\x03\x85"),
        # Calling a number, a list as a key, a value from nowhere, and changing what reads arrays.
        b"K\x01)R.",
        b"}]K\x01s.",
        b"h\x05.",
        b"cnumpy\nndarray\n}U\x01aK\x01sb.",
        b"c_codecs\nencode\nN}U\x08__call__K\x01s\x86b.",
        pickle.dumps({1, 2}, 2),
        b"cos\nsystem\n(U\x04truetR.",
        b"",
        b"(",
    ],
)
def test_what_is_no_array_of_numbers_is_refused(content, tmp_path):
    with pytest.raises(PickledArraysError, match="; load it where it was made"):
        read(tmp_path, b"\x80\x02" + content.removeprefix(b"\x80\x02"))
