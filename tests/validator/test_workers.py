"""Tests of the helper processes."""

from __future__ import annotations

import numpy as np
import pytest

from validator import forks


def test_arrays_that_fit_lie_one_after_another_in_the_room():
    shared = forks.shared_room(800)
    value = [np.arange(60.0), np.arange(125.0), np.arange(7, dtype=np.int8), np.arange(24.0).reshape(6, 4)]
    process, pipe = forks.start(lambda pipe: forks.send(pipe, shared, value))
    assert process.daemon
    received = forks.receive(pipe, shared)
    process.join()
    begin = np.frombuffer(shared, np.uint8).ctypes.data
    assert [received[index].ctypes.data - begin for index in (0, 2, 3)] == [0, 512, 576]
    assert not np.shares_memory(received[1], np.frombuffer(shared, np.uint8))


def test_a_target_that_fails_ends_its_pipe_without_a_word(capfd):
    def fail(pipe):
        raise ValueError("secret")

    process, pipe = forks.start(fail)
    with pytest.raises(EOFError):
        forks.receive(pipe, forks.shared_room(0))
    process.join()
    assert (process.exitcode, *capfd.readouterr()) == (0, "", "")


@pytest.mark.parametrize("missing", ["sched_getaffinity", "fork"])
def test_one_core_is_used_where_processes_cannot_be_copied(monkeypatch, missing):
    monkeypatch.setattr(
        "os.sched_getaffinity", lambda process: {0, 2, 5} if process == 0 else {0}, raising=False
    )
    monkeypatch.setattr("os.fork", lambda: 0, raising=False)
    assert forks.usable_cores() == 3
    monkeypatch.delattr(f"os.{missing}")
    assert forks.usable_cores() == 1


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
