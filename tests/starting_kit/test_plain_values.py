"""Values of training loops as plain ones: containers keep their form, numbers their value."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.kinetics_tps.writer import KineticsTPSWriter
from people_in_video.plain_values import PlainValues

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.integers(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(PLAIN)
def test_plain_values_stay_as_they_are(value):
    assert PlainValues().of(value) == value


def test_scalars_become_numbers_of_python_and_containers_keep_their_form():
    Human = namedtuple("Human", ["box", "parts"])
    value = OrderedDict({np.int64(6): [Human(np.arange(4), {"head": (np.float32(0.5), np.str_("bend"))})]})
    plain = PlainValues().of(value)
    ((box, parts),) = plain[6]
    assert (type(plain), type(box), box.tolist()) == (dict, np.ndarray, [0, 1, 2, 3])
    number, word = parts["head"]
    assert (type(number), number, type(word), word) == (float, 0.5, str, "bend")


@pytest.mark.parametrize("value", [np.float16(0.5), np.ones(2, np.float16), [[np.float16(1)]]])
def test_half_precision_is_remembered(value):
    values = PlainValues()
    values.of([1.0, np.float32(2)])
    assert values.half_types == set()
    values.of({"a": (value,)})
    assert values.half_types == {"float16"}


def test_arrays_of_objects_become_lists():
    mixed = np.array([1, None, "a"], dtype=object)
    assert PlainValues().of(mixed) == [1, None, "a"]


def test_writers_take_scalars_and_half_precision(tmp_path, capsys):
    one_by_one: Any = KineticsTPSWriter()
    one_by_one.add_video(np.str_("v"), "run")
    boxes = {"head": (np.array([[12, 30, 40, 80]], np.float16), np.array(["bend"]))}
    one_by_one.add_human("v", np.int64(1), np.array([10, 20, 90, 200], np.float16), boxes)
    at_once = KineticsTPSWriter()
    at_once.update("v", "run", {1: [([10, 20, 90, 200], {"head": ([[12, 30, 40, 80]], ["bend"])})]})
    assert one_by_one.files() == at_once.files()
    one_by_one.save(tmp_path / "kinetics.zip")
    assert "N-HALF" in capsys.readouterr().err
    writer: Any = DensePoseWriter(tmp_path / "my.zip")
    with writer:
        writer.add(
            np.int64(1), np.array([1, 2, 8, 6], np.float16), np.float16(0.5), np.zeros((3, 6, 8), np.uint8)
        )
    assert "N-HALF" in capsys.readouterr().err
