"""Limits of the scoring program: bombs end in a message, a stopped run leaves nothing half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import pytest

from scoring_program import scoring
from tests.helpers import ROOT, make_zip
from validator import limits

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="the system offers no limits")

REFERENCE = {"S1_labels.csv": "1,1,10\n", "S1_data.csv": "100,20,2000\n"}

# Breaks one stage of the gesture program, then runs the command line as the platform does.
DRIVER = """
import sys
sys.path[:0] = [{root!r}]
from scoring_program import scoring
from scoring_program.challenges.chalearn_gesture.program import PROGRAM
def slow(*arguments, **options):
    import time
    open({flag!r}, "w").close()
    {body}
PROGRAM.{stage} = slow
sys.exit(scoring.main(["--challenge", "chalearn_gesture", {input!r}, {output!r}]))
"""


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a run in which a stage does something, and says when it is there."""
    for name, content in REFERENCE.items():
        (tmp_path / "ref").mkdir(exist_ok=True)
        (tmp_path / "ref" / name).write_text(content)
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "s.zip").write_bytes(make_zip({"S1_prediction.csv": "1,1,10\n"}))

    def run(stage, body, settings):
        (tmp_path / "ref" / "settings.yaml").write_text(settings)
        code = DRIVER.format(
            root=str(ROOT), flag=str(tmp_path / "flag"), body=body, stage=stage,
            input=str(tmp_path), output=str(tmp_path / "out"),
        )  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    return run


def left(folder):
    return sorted(path.name for path in (folder / "out").iterdir())


@pytest.mark.parametrize("body", ["time.sleep(60)", "\n    while True: pass"])
def test_a_run_that_takes_too_long_ends_in_a_message(start, tmp_path, body):
    process = start("measure", body, "time_limit: 0.5\n")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "1. E-LIMIT-TIME: the run takes longer than is allowed (stage score)" in err
    assert err.startswith("time: start ")
    assert "Traceback" not in err
    assert left(tmp_path) == ["detailed_results.html", "detailed_results.json"]
    assert "E-LIMIT-TIME" in (tmp_path / "out" / "detailed_results.html").read_text()


def test_a_slow_reference_is_the_organizers_fault(start):
    process = start("load_reference", "time.sleep(60)", "time_limit: 0.5\n")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "E-LIMIT-TIME" in err


def test_a_run_that_needs_too_much_memory_ends_in_a_message(start, tmp_path):
    process = start("measure", "bytearray(3 << 30)", "memory_limit: 1500\n")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "1. E-LIMIT-MEMORY: the run needs more memory than is allowed (stage score)" in err
    assert left(tmp_path) == ["detailed_results.html", "detailed_results.json"]


@pytest.mark.slow
def test_a_run_near_its_limit_says_what_took_long(start):
    body = "time.sleep(2.5); return type(PROGRAM).measure(PROGRAM, *arguments)"
    process = start("measure", body, "time_limit: 3.0\n")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "note N-LIMIT-TIME: the run came near its time limit of 3 s\n" in out
    assert "\ntime: start" in out


def test_termination_leaves_nothing_half_written(start, tmp_path):
    process = start("measure", "time.sleep(60)", "")
    for _ in range(500):
        if (tmp_path / "flag").exists():
            break
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "E-STOPPED: the platform ended the run in the stage score" in err
    assert left(tmp_path) == ["detailed_results.html", "detailed_results.json"]


def test_termination_while_the_challenge_is_loaded_ends_in_a_message(tmp_path, monkeypatch, capsys):
    load = scoring.load_challenge
    answers = iter([limits.TerminatedError()])

    def stopped_once(challenge_id):
        for error in answers:
            raise error
        return load(challenge_id)

    monkeypatch.setattr(scoring, "load_challenge", stopped_once)
    assert scoring.score_folder("chalearn_gesture", tmp_path, tmp_path, tmp_path / "out") == scoring.BROKEN
    assert "E-STOPPED: the platform ended the run in the stage start" in capsys.readouterr().err


class System:
    """Stands for the system: remembers the limits and the timer that are set."""

    def __init__(self, monkeypatch, soft, hard=limits.resource.RLIM_INFINITY):
        self.limits = dict.fromkeys((limits.resource.RLIMIT_CPU, limits.resource.RLIMIT_AS), (soft, hard))
        self.timer: tuple[float, ...] = ()
        self.handlers: dict[int, Any] = {}
        monkeypatch.setattr(limits.resource, "getrlimit", self.limits.__getitem__)
        monkeypatch.setattr(limits.resource, "setrlimit", self.set_limit)
        monkeypatch.setattr(signal, "setitimer", lambda *values: setattr(self, "timer", values))
        monkeypatch.setattr(signal, "signal", self.handlers.__setitem__)
        monkeypatch.setattr(limits, "_before", {})

    def set_limit(self, name, limit):
        if limit[1] != limits.resource.RLIM_INFINITY and limit[0] > limit[1]:
            raise ValueError("not allowed")
        self.limits[name] = limit


def test_limits_are_set_and_removed(monkeypatch):
    infinite = limits.resource.RLIM_INFINITY
    system = System(monkeypatch, infinite)
    limits.start(2.75, 300)
    assert system.limits == {
        limits.resource.RLIMIT_CPU: (12, infinite),
        limits.resource.RLIMIT_AS: (300 << 20, infinite),
    }
    assert system.timer == (signal.ITIMER_REAL, 2.75, 5.0)
    assert set(system.handlers) == {signal.SIGALRM, signal.SIGXCPU}
    for handler in system.handlers.values():
        with pytest.raises(limits.TimeLimitError):
            handler(signal.SIGALRM, None)
    limits.start(1, 200)
    assert system.limits[limits.resource.RLIMIT_AS] == (200 << 20, infinite)
    limits.finish()
    assert set(system.limits.values()) == {(infinite, infinite)}
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
    assert limits._before == {}


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
    (handler,) = system.handlers.values()
    with pytest.raises(limits.TerminatedError):
        handler(signal.SIGTERM, None)


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
