"""Pickles of arrays are read as data: whatever is in them, nothing is run, and no memory is taken on trust."""

import pickle

import numpy as np
import pytest

from people_in_video.tools.pickled_arrays import PickledArraysError, read_pickled_arrays

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
