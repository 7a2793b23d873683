"""Limits of a process: they are set, lifted again, and end in exceptions of their own."""

from __future__ import annotations

import gc
import signal
import threading
import time
import weakref
from typing import Any

import pytest

from validator import limits
from validator.collector import collector_off

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="the system offers no limits")


class System:
    """Stands for the system: remembers the limits and the timer that are set."""

    def __init__(self, monkeypatch, soft, hard=limits.resource.RLIM_INFINITY):
        self.limits = {limits.resource.RLIMIT_AS: (soft, hard)}
        self.timer: tuple[float, ...] = ()
        self.handlers: dict[int, Any] = {}
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(limits.resource, "getrlimit", self.limits.__getitem__)
        monkeypatch.setattr(limits.resource, "setrlimit", self.set_limit)
        monkeypatch.setattr(signal, "setitimer", lambda *values: setattr(self, "timer", values))
        monkeypatch.setattr(signal, "signal", self.handlers.__setitem__)

    def ring(self):
        """Let the alarm ring, as late as it is set."""
        self.now += self.timer[1]
        self.handlers[signal.SIGALRM](signal.SIGALRM, None)

    def set_limit(self, name, limit):
        if limit[1] != limits.resource.RLIM_INFINITY and limit[0] > limit[1]:
            raise ValueError("not allowed")
        self.limits[name] = limit


def test_limits_are_set_and_removed(monkeypatch):
    infinite = limits.resource.RLIM_INFINITY
    system = System(monkeypatch, infinite)
    limits.start(2.75, 300)
    assert system.limits == {limits.resource.RLIMIT_AS: (300 << 20, infinite)}
    assert system.timer[:2] == (signal.ITIMER_REAL, 2.75)
    assert set(system.handlers) == {signal.SIGALRM}
    limits.start(1, 200)
    assert system.limits[limits.resource.RLIMIT_AS] == (200 << 20, infinite)
    limits.finish()
    assert set(system.limits.values()) == {(infinite, infinite)}
    assert system.timer == (signal.ITIMER_REAL, 0)


def test_the_alarm_raises_at_the_deadline_and_again_as_the_exception_may_be_lost(monkeypatch):
    system = System(monkeypatch, limits.resource.RLIM_INFINITY)
    limits.start(12.5, 300)
    began = system.now
    while system.now + system.timer[1] < began + 12.5:
        system.ring()
    for _ in range(2):
        with pytest.raises(limits.TimeLimitError):
            system.ring()
    assert system.now >= began + 12.5
    limits.finish()
    assert system.timer == (signal.ITIMER_REAL, 0)


@pytest.mark.parametrize("soft", [5, 300 << 20])
def test_lower_limits_of_the_system_stay(monkeypatch, soft):
    system = System(monkeypatch, soft)
    limits.start(1 << 30, 300)
    assert system.limits[limits.resource.RLIMIT_AS] == (soft, limits.resource.RLIM_INFINITY)
    limits.finish()
    assert set(system.limits.values()) == {(soft, limits.resource.RLIM_INFINITY)}


def test_a_limit_that_cannot_be_set_is_none(monkeypatch):
    system = System(monkeypatch, limits.resource.RLIM_INFINITY, 1)
    limits.start(1, 300)
    assert set(system.limits.values()) == {(limits.resource.RLIM_INFINITY, 1)}
    limits.finish()
    assert set(system.limits.values()) == {(limits.resource.RLIM_INFINITY, 1)}


def test_other_threads_and_systems_have_no_limits(monkeypatch):
    system = System(monkeypatch, limits.resource.RLIM_INFINITY)
    before = dict(system.limits)
    for work in (limits.start, limits.finish, limits.watch_termination):
        thread = threading.Thread(target=work, args=(1, 1) if work is limits.start else ())
        thread.start()
        thread.join()
    assert (system.limits, system.timer, system.handlers) == (before, (), {})
    monkeypatch.setattr(limits, "resource", None)
    limits.start(1, 1)
    limits.finish()
    limits.require_memory(1 << 60)
    assert (system.limits, system.timer, system.handlers) == (before, (), {})


def test_termination_is_an_exception(monkeypatch):
    system = System(monkeypatch, 1)
    limits.watch_termination()
    system.ring()
    handler = system.handlers[signal.SIGTERM]
    with pytest.raises(limits.TerminatedError):
        handler(signal.SIGTERM, None)
    assert system.handlers[signal.SIGTERM] is signal.SIG_IGN
    # The exception may have been lost.
    with pytest.raises(limits.TerminatedError):
        system.ring()
    limits.finish()
    assert system.timer == (signal.ITIMER_REAL, 0)


def test_memory_is_asked_for_before_it_is_needed():
    limits.require_memory(1 << 20)
    with pytest.raises(MemoryError):
        limits.require_memory(1 << 60)


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (OSError(12, "x"), True),
        (OSError(2, "x"), False),
        (OSError(28, "x"), False),
        (ValueError(12), False),
        (SystemError("error return without exception set"), True),
        (SystemError("<function f> returned NULL without setting an exception"), True),
        (SystemError("invalid maximum character passed to PyUnicode_New"), False),
    ],
)
def test_python_has_two_words_for_no_memory(error, is_memory):
    assert limits.is_out_of_memory(error) is is_memory


def test_what_a_stopped_run_holds_is_freed():
    class Large:
        pass

    def run():
        large = Large()
        held.append(weakref.ref(large))
        try:
            raise MemoryError
        except MemoryError:
            raise ValueError from None

    held: list[weakref.ref[Large]] = []
    try:
        run()
    except ValueError as error:
        assert held[0]() is not None
        limits.release(error)
        assert held[0]() is None
        assert error.__traceback__ is None


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_as_before_afterwards(was_on):
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        with collector_off():
            assert not gc.isenabled()
        assert gc.isenabled() == was_on
    finally:
        (gc.enable if before else gc.disable)()
