"""Outputs that cannot be written end in one line and exit code 2; a reader of the log that goes away is no fault."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.helpers import ROOT, make_zip

ID = "chalearn_gesture"


@pytest.fixture
def work(tmp_path):
    """Return a folder with a reference and a submission that is scored."""
    (tmp_path / "ref").mkdir()
    (tmp_path / "res").mkdir()
    (tmp_path / "ref" / "S1_labels.csv").write_text("1,1,10\n")
    (tmp_path / "ref" / "S1_data.csv").write_text("100,20,2000\n")
    (tmp_path / "res" / "s.zip").write_bytes(make_zip({"S1_prediction.csv": "1,1,10\n"}))
    return tmp_path


def command(program, work, output):
    if program == "score":
        return [str(ROOT / "scoring_program" / "score.py"), str(work), str(output), "--task", ID]
    return ["-m", "validator", ID, str(work / "res")]


def run(program, work, output="out", **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    words = [sys.executable, *command(program, work, work / output)]
    return subprocess.run(words, cwd=ROOT, text=True, check=False, **options)


def blocked_folder(work):
    (work / "out").write_text("a file")


def blocked_parent(work):
    (work / "a").write_text("a file")
    return "a/out"


def blocked_scores(work):
    (work / "out" / "scores.txt" / "x").mkdir(parents=True)


def blocked_page(work):
    (work / "out" / "detailed_results.html" / "x").mkdir(parents=True)


def blocked_json(work):
    (work / "out" / "scores.json" / "x").mkdir(parents=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "block", [blocked_folder, blocked_parent, blocked_scores, blocked_page, blocked_json]
)
def test_a_place_that_is_taken_ends_in_one_line(work, block):
    done = run("score", work, block(work) or "out")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("E-OUTPUT: ")
    assert done.stderr.count("\n") == 1
    assert not (work / "out" / "scores.txt").is_file()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_is_read_only_ends_in_one_line(work):
    (work / "out").mkdir(mode=0o500)
    done = run("score", work)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")  # noqa: PTH110
@pytest.mark.parametrize("program", ["score", "validator"])
def test_a_full_disk_under_the_log_ends_in_one_line(work, program):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = run(program, work, stdout=full)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "E-OUTPUT: " in done.stderr
    assert "(No space left on device)" in done.stderr
    assert not (work / "out" / "scores.json").exists()
    with open("/dev/full", "w") as full:  # noqa: PTH123
        assert run(program, work, stdout=full, stderr=full).returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("program", ["score", "validator"])
def test_a_reader_that_goes_away_is_no_fault(work, program):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(program, work, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
    if program == "score":
        assert (work / "out" / "scores.json").is_file()
