"""Limits of a run, in a process of its own: bombs end in a message, a stopped run leaves nothing half written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.helpers import ROOT, make_zip

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="the system offers no limits"),
]

REFERENCE = {"S1_labels.csv": "1,1,10\n", "S1_data.csv": "100,20,2000\n"}

# Replaces one function of the gesture task, then runs the command line as the platform does.
DRIVER = """
import sys
sys.path[:0] = [{root!r}]
from dataclasses import replace
from scoring_program.challenges.chalearn.task import TASKS
from scoring_program.run import main
def slow(*arguments, **options):
    import time
    open({flag!r}, "w").close()
    {body}
task = TASKS["chalearn_gesture"]
TASKS["chalearn_gesture"] = replace(task, {method}=slow)
sys.exit(main(["--task", "chalearn_gesture", {input!r}, {output!r}]))
"""


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a run in which a function of the task does something, and leaves a flag."""
    for name, content in REFERENCE.items():
        (tmp_path / "ref").mkdir(exist_ok=True)
        (tmp_path / "ref" / name).write_text(content)
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "s.zip").write_bytes(make_zip({"S1_prediction.csv": "1,1,10\n"}))

    def run(method, body, settings):
        (tmp_path / "ref" / "settings.yaml").write_text(settings)
        code = DRIVER.format(
            root=str(ROOT), flag=str(tmp_path / "flag"), body=body, method=method,
            input=str(tmp_path), output=str(tmp_path / "out"),
        )  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    return run


def left(folder):
    return sorted(path.name for path in (folder / "out").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("body", ["time.sleep(60)", "\n    while True: pass"])
def test_a_run_that_takes_too_long_ends_in_a_message(start, tmp_path, body):
    process = start("measure", body, "time_limit: 0.5\n")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert re.search(r"^1\. E-LIMIT-TIME: .*\(stage score\)", err, re.MULTILINE)
    assert err.startswith("time: total ")
    assert "Traceback" not in err
    assert left(tmp_path) == ["detailed_results.html", "detailed_results.json"]
    assert "E-LIMIT-TIME" in (tmp_path / "out" / "detailed_results.html").read_text()


@pytest.mark.slow
def test_a_slow_reference_is_the_organizers_fault(start):
    process = start("load", "time.sleep(60)", "time_limit: 0.5\n")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "E-LIMIT-TIME" in err


@pytest.mark.slow
def test_a_run_that_needs_too_much_memory_ends_in_a_message(start, tmp_path):
    process = start("measure", "bytearray(3 << 30)", "memory_limit: 1500\n")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert re.search(r"^1\. E-LIMIT-MEMORY: .*\(stage score\)", err, re.MULTILINE)
    assert left(tmp_path) == ["detailed_results.html", "detailed_results.json"]


# Runs a script with ARGUMENTS in little more address space than numpy takes.
NEARLY_FULL = """
import resource, runpy, sys
import numpy
left, script, *sys.argv[1:] = sys.argv[1:]
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(float(left) * 2**20), -1))
runpy.run_path(script, run_name="__main__")
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit address space")
@pytest.mark.parametrize("task_id", ["chalearn_gesture", "densepose"])
@pytest.mark.parametrize("left", [0.5, 4, 8, 16, 64])
def test_memory_near_what_the_imports_need_says_so(tmp_path, task_id, left):
    script = str(ROOT / "scoring_program" / "score.py")
    arguments = [str(left), script, str(tmp_path), str(tmp_path / "out"), "--task", task_id]
    (tmp_path / "ref").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", NEARLY_FULL, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1].replace("1. ", "")
    assert line.startswith("E-LIMIT-MEMORY: ")
    assert "container" in line


@pytest.mark.slow
def test_a_run_near_its_limit_says_what_took_long(start):
    body = "time.sleep(2.5); return task.measure(*arguments)"
    process = start("measure", body, "time_limit: 3.0\n")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "note N-LIMIT-TIME: the run came near its time limit of 3 s\n" in out
    assert "\ntime: total" in out


def assert_ended_by_termination(process, folder):
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert re.search(r"E-STOPPED: .* stage score\b", err)
    assert left(folder) == ["detailed_results.html", "detailed_results.json"]


@pytest.mark.slow
@pytest.mark.parametrize("signals", [1, 3])
def test_termination_leaves_nothing_half_written(start, tmp_path, signals):
    process = start("measure", "time.sleep(60)", "")
    while not (tmp_path / "flag").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    for _ in range(signals):
        os.kill(process.pid, signal.SIGTERM)
        time.sleep(0.002)
    assert_ended_by_termination(process, tmp_path)


# Python discards what a destructor raises.
LOST = """
    import os, signal
    class Ending:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
    Ending()
    time.sleep(60)
"""
# Another thread takes the signal, so that it does not interrupt the call that waits: as one that comes right before it.
UNNOTICED = """
    import os, signal, threading
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    def terminate():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        os.kill(os.getpid(), signal.SIGTERM)
    threading.Timer(0.2, terminate).start()
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("body", [LOST, UNNOTICED], ids=["lost", "unnoticed"])
def test_termination_ends_a_run_that_missed_it_at_first(start, tmp_path, body):
    assert_ended_by_termination(start("measure", body, ""), tmp_path)
