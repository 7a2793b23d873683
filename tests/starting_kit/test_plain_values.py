"""Values of training loops as plain ones: containers keep their form, numbers their value."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np

from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.kinetics_tps.writer import KineticsTPSWriter
from people_in_video.plain_values import PlainValues


def test_scalars_become_numbers_of_python_and_containers_keep_their_form():
    Human = namedtuple("Human", ["box", "parts"])
    parts = {"head": (np.float32(0.5), np.str_("bend"), np.array([1, None, "a"], dtype=object))}
    value = OrderedDict({np.int64(6): [Human(np.arange(4), parts)]})
    plain = PlainValues().of(value)
    ((box, plain_parts),) = plain[6]
    assert (type(plain), type(box), box.tolist()) == (dict, np.ndarray, [0, 1, 2, 3])
    number, word, mixed = plain_parts["head"]
    assert (type(number), number, type(word), word) == (float, 0.5, str, "bend")
    assert mixed == [1, None, "a"]


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
