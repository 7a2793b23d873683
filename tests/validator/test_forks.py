"""Tests of the helper processes."""

from __future__ import annotations

import numpy as np
import pytest

from validator import forks


@pytest.mark.parametrize("room", [0, 100, 800, 1200, 5000])
def test_arrays_pass_whole_through_any_room(room):
    value = [
        np.arange(60.0),
        np.arange(125.0),
        "text",
        np.arange(7, dtype=np.int8),
        np.zeros((0, 4)),
        np.arange(24.0).reshape(6, 4),
    ]
    shared = forks.shared_room(room)

    def answer(pipe):
        forks.send(pipe, shared, value)

    process, pipe = forks.start(answer)
    found = forks.receive(pipe, shared)
    process.join()
    assert [type(entry) for entry in found] == [type(entry) for entry in value]
    for a, b in zip(found, value):
        np.testing.assert_array_equal(a, b)
