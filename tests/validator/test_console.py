"""Printing where nobody reads, where the disk is full, and where the terminal knows few characters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import CODE_FOLDERS, ROOT
from validator import console

FULL = Path("/dev/full")


@pytest.fixture
def closed_pipe():
    """Return a text stream whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        yield stream


@pytest.fixture
def full_disk():
    with FULL.open("w") as stream:
        yield stream


def test_lines_are_printed_at_once(tmp_path):
    with (tmp_path / "log").open("w") as stream:
        console.say("one", "two", to=stream)
        console.say(to=stream)
        assert (tmp_path / "log").read_text() == "one\ntwo\n\n"


def test_lines_go_to_stdout_as_it_is_then(capsys):
    console.say("hello")
    assert capsys.readouterr() == ("hello\n", "")


def test_a_closed_pipe_is_ignored(closed_pipe):
    console.say("nobody reads this", to=closed_pipe)
    console.say("nor this", to=closed_pipe)


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_in_one_line(full_disk, capsys):
    with pytest.raises(console.OutputError) as caught:
        console.say("x", to=full_disk)
    assert "(No space left on device)" in str(caught.value)
    console.report(caught.value)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"E-OUTPUT: {caught.value}; ")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_problems_that_cannot_be_written_are_dropped(full_disk, monkeypatch):
    monkeypatch.setattr(sys, "stderr", full_disk)
    console.report(console.OutputError("x"))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_any_text_can_be_printed_on_any_terminal(stream):
    code = (
        "import sys; from validator import console; console.prepare(); "
        f"console.say('\\u00e9 \\u2026 \\ud800', to=sys.{stream})"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert (ended.returncode, getattr(ended, stream)) == (0, b"\\xe9 \\u2026 \\ud800\n")


def test_streams_without_an_encoding_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", object())
    console.prepare()


# A module that commands import early, in whose place the user presses Ctrl-C.
INTERRUPTED = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "organizer", "lint"],
        ["-m", "people_in_video", "score", "chalearn_gesture", "my.zip"],
        ["-m", "people_in_video", "compare", "chalearn_gesture", "my.zip"],
        ["-c", f"from validator import console\nconsole.prepare()\n{INTERRUPTED}"],
    ],
    ids=["organizers", "kit", "comparison", "during the work"],
)
def test_ctrl_c_is_one_line(tmp_path, command):
    (tmp_path / "numpy.py").write_text(INTERRUPTED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), CODE_FOLDERS])}
    ended = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        # Whoever runs the tests in the background may have switched it off.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert ended.stderr == "\nstopped\n"
    # Shells show this as 130.
    assert ended.returncode == -signal.SIGINT


def test_errors_keep_their_traceback():
    script = "from validator import console\nconsole.prepare()\n1 / 0\n"
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.stderr.startswith("Traceback")
    assert ended.stderr.endswith("ZeroDivisionError: division by zero\n")
