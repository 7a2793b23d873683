"""Folding batches in worker processes: every batch is taken once, whatever a worker does, and nobody's data is run."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from functools import partial
from multiprocessing.context import ForkProcess

import pytest

from validator.workers import call_together, fold, usable_cores

BATCHES = [[(0, b"a"), (1, b"b" * 300_000)], [(2, b"")], [(3, b"c")], [(4, b"d"), (5, b"e")]]


class Gathering:
    """Keeps what it takes, with the process that it was in."""

    def __init__(self):
        self.taken = []

    @property
    def is_done(self):
        return False

    def take(self, batch):
        self.taken.append(batch)

    def result(self):
        return os.getpid(), self.taken


@pytest.mark.parametrize("n_workers", [0, 1])
def test_fewer_than_two_workers_are_this_process(n_workers):
    assert fold(iter(BATCHES), Gathering, n_workers) == [(os.getpid(), BATCHES)]


@pytest.mark.parametrize("n_workers", [2, 3, 6])
def test_workers_take_batches_in_turn(n_workers):
    processes, taken = zip(*fold(iter(BATCHES), Gathering, n_workers))
    assert list(taken) == [BATCHES[number::n_workers] for number in range(n_workers)]
    assert len({*processes, os.getpid()}) == n_workers + 1


class Sated(Gathering):
    """Is done after its second batch."""

    @property
    def is_done(self):
        return len(self.taken) >= 2


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_no_batches_are_made_once_all_folds_are_done(n_workers):
    made = []

    def batches():
        # More than the pipes hold, so that making them waits for the folds.
        for number in range(1000):
            made.append(number)
            yield [(number, bytes(100_000))]

    taken_batches = [taken for _, taken in fold(batches(), Sated, n_workers)]
    assert [len(taken) for taken in taken_batches] == [2] * n_workers
    assert len(made) < 500


def test_without_batches_there_are_the_results_of_all_workers():
    assert [taken for _, taken in fold([], Gathering, 3)] == [[], [], []]


def allow_processes(monkeypatch, number):
    """Let the system refuse further processes after so many."""
    start, allowed = ForkProcess.start, iter(range(number))

    def start_if_allowed(process):
        if next(allowed, None) is None:
            raise BlockingIOError("no more processes")
        start(process)

    monkeypatch.setattr(ForkProcess, "start", start_if_allowed)


def test_where_no_process_can_be_started_this_one_does_all(monkeypatch):
    allow_processes(monkeypatch, 0)
    assert fold(iter(BATCHES), Gathering, 3) == [(os.getpid(), BATCHES)]


def test_the_processes_that_can_be_started_do_all(monkeypatch):
    allow_processes(monkeypatch, 2)
    assert [taken for _, taken in fold(iter(BATCHES), Gathering, 4)] == [BATCHES[::2], BATCHES[1::2]]


class Failing(Gathering):
    """Calls a function when it is made, at its second batch, or for its result."""

    def __init__(self, when, act):
        super().__init__()
        self.when, self.act = when, act
        self.act_if("make")

    def act_if(self, when):
        if when == self.when:
            self.act()

    def take(self, batch):
        super().take(batch)
        self.act_if("take" if len(self.taken) == 2 else "")

    def result(self):
        self.act_if("result")
        return super().result()


def fail(error):
    raise error


@pytest.mark.parametrize("when", ["make", "take", "result"])
@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: os._exit(9), MemoryError, ""),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), MemoryError, ""),
        (lambda: fail(MemoryError("secret")), MemoryError, ""),
        (lambda: fail(OSError(12, "secret")), MemoryError, ""),
        (lambda: fail(SystemExit("secret")), MemoryError, ""),
        (lambda: fail(ValueError("secret")), RuntimeError, "ValueError"),
        (lambda: fail(OSError(2, "secret")), RuntimeError, "FileNotFoundError"),
    ],
    ids=["exits", "is killed", "no memory", "no memory for a call", "asks to end", "fails", "finds no file"],
)
def test_end_of_a_worker_is_raised_without_its_data(when, act, error, message, capfd):
    with pytest.raises(error) as caught:
        fold(BATCHES * 3, lambda: Failing(when, act), 2)
    assert str(caught.value) == message
    assert capfd.readouterr() == ("", "")


def test_result_that_cannot_be_sent_is_an_error():
    class Odd(Gathering):
        def result(self):
            return lambda: None

    with pytest.raises(RuntimeError, match=r"^\w+Error$"):
        fold(BATCHES, Odd, 2)


class Planted:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize("when", ["never", "make", "take"])
def test_participants_bytes_are_never_unpickled(when, tmp_path):
    planted = pickle.dumps(Planted(str(tmp_path / "planted")))
    batches = [[(number, planted), (number, planted)] for number in range(8)]
    make = lambda: Failing(when, lambda: fail(ValueError("secret")))  # noqa: E731
    if when == "never":
        assert [taken for _, taken in fold(batches, make, 2)] == [batches[::2], batches[1::2]]
    else:
        with pytest.raises(RuntimeError, match="ValueError"):
            fold(batches, make, 2)
    assert not (tmp_path / "planted").exists()


def test_no_worker_is_left_when_the_batches_break_off():
    def broken():
        yield BATCHES[0]
        raise ValueError("our own")

    with pytest.raises(ValueError, match="our own"):
        fold(broken(), Gathering, 2)
    for process in multiprocessing.active_children():
        process.join(10)
    assert multiprocessing.active_children() == []


def test_workers_leave_the_platforms_signals_to_the_main_process():
    class Asking(Gathering):
        def result(self):
            return multiprocessing.current_process().daemon, signal.getsignal(signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, lambda *arguments: None)
    try:
        assert fold([], Asking, 2) == [(True, signal.SIG_DFL)] * 2
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("missing", ["sched_getaffinity", "fork"])
def test_one_core_is_used_where_processes_cannot_be_copied(monkeypatch, missing):
    monkeypatch.setattr(
        "os.sched_getaffinity", lambda process: {0, 2, 5} if process == 0 else {0}, raising=False
    )
    monkeypatch.setattr("os.fork", lambda: 0, raising=False)
    assert usable_cores() == 3
    monkeypatch.delattr(f"os.{missing}")
    assert usable_cores() == 1


def usable_cores_in_a_daemon(answers):
    answers.put(usable_cores())


def test_one_core_is_used_in_daemonic_processes(monkeypatch):
    # They may not have children, as the workers of a DataLoader may not.
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 2}, raising=False)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    context.Process(target=usable_cores_in_a_daemon, args=(answers,), daemon=True).start()
    assert answers.get() == 1


def process_and(value):
    return os.getpid(), value


def test_calls_are_made_together_each_in_a_process():
    calls = [partial(process_and, value) for value in ("a", "b", "c")]
    processes, values = zip(*call_together(calls))
    assert values == ("a", "b", "c")
    assert processes[0] == os.getpid()
    assert len(set(processes)) == 3


@pytest.mark.parametrize("n_allowed", [0, 1])
def test_calls_without_a_process_are_made_here_in_their_places(monkeypatch, n_allowed):
    allow_processes(monkeypatch, n_allowed)
    processes, values = zip(*call_together([partial(process_and, value) for value in ("a", "b", "c")]))
    assert values == ("a", "b", "c")
    assert processes.count(os.getpid()) == 3 - n_allowed


def test_the_end_of_a_called_process_is_raised_without_its_data():
    with pytest.raises(MemoryError):
        call_together([os.getpid, lambda: os._exit(9)])
    with pytest.raises(RuntimeError, match=r"^ValueError$"):
        call_together([os.getpid, lambda: fail(ValueError("secret"))])


def test_no_process_is_left_when_the_call_in_this_one_fails():
    with pytest.raises(ValueError, match="our own"):
        call_together([lambda: fail(ValueError("our own")), lambda: time.sleep(60)])
    for process in multiprocessing.active_children():
        process.join(10)
    assert multiprocessing.active_children() == []
